// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_shark.c - files and packets of S.Ha.R.K. that anybody may have made
 *
 * The first byte says what the rest is. A chunk: what is read of it are events, none empty, and
 * the file made of them is read as the same. Packets, each behind its length: what is put are
 * the events of good packets, each once, and no number is both there and missing.
 */
#define SHARK_BYTES_MAX (1ull << 20)
#define PACKETS_KNOWN 256u
#define PACKETS_JUMP 1000u
#include "../../userspace/viewer/import/shark_file.c"
#include "../../userspace/viewer/import/shark_packets.c"

#include "fuzz.h"

static struct memfile file;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	memfile_make(&file);
	return 0;
}

static void check_chunk(const uint8_t *data, size_t size)
{
	struct shark_file first, again;
	struct shark_event e;
	int ret;

	memfile_fill(&file, data, size);
	ret = shark_file_read(&first, file.path);
	REQUIRE(ret >= 0 || ret == -EFBIG);
	for (first.at = 0; shark_file_peek(&first, &e); first.at++)
		REQUIRE(e.code);
	REQUIRE(first.at == first.nr);
	if (ret >= 0 && first.nr) {
		memfile_fill(&file, first.slots, first.nr * SHARK_SLOT);
		ret = shark_file_read(&again, file.path);
		/* Events that begin like a frame do not come back: no code is like that. */
		REQUIRE(ret != 0 || again.nr <= first.nr);
		shark_file_free(&again);
	}
	shark_file_free(&first);
}

static int count(void *arg, const unsigned char *slots, __u32 events)
{
	__u64 *sum = arg;

	REQUIRE(slots && events && events <= KTRACE_SHARK_PACKET_EVENTS);
	*sum += events;
	return 0;
}

static void check_packets(const uint8_t *data, size_t size)
{
	unsigned char packet[KTRACE_SHARK_PACKET_MAX];
	__u64 sum = 0, nr = 0, good = 0;
	struct packets p = { .put = count, .arg = &sum };
	struct input in = { data, data + size };

	REQUIRE(!packets_init(&p));
	while (input_left(&in) > 6) {
		const __u32 events = (__u32)input_number(&in, 1) % 64;
		const __u32 number = (__u32)input_any(&in);
		const struct ktrace_shark_packet head = {
			.id = KTRACE_SHARK_PACKET_ID, .number = number, .events = events,
			.size = 24 + events * 16,
		};
		size_t n = 24 + events * 16 < sizeof(packet) ? 24 + events * 16 : sizeof(packet);

		memset(packet, (int)input_number(&in, 1), sizeof(packet));
		memcpy(packet, &head, sizeof(head));
		/* A byte of it that is not as it should be */
		packet[input_number(&in, 1) % n] ^= (unsigned char)input_number(&in, 1);
		nr++;
		good += packets_take(&p, packet, n);
	}
	packets_end(&p);
	REQUIRE(nr == good + p.bad);
	REQUIRE(good == p.good + p.duplicates);
	REQUIRE(p.events == sum && p.events <= p.good * KTRACE_SHARK_PACKET_EVENTS);
	REQUIRE(p.events >= p.good);
	REQUIRE(p.missing < 1ull << 63);
	packets_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (data[0] & 1)
		check_packets(data + 1, size - 1);
	else
		check_chunk(data + 1, size - 1);
	return 0;
}
