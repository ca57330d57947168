// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_posix_log.c - hostile files for posix_trace_open()
 *
 * The input is a file. What must hold, if it is opened:
 *  - ktrace_check_file() finds nothing wrong with it;
 *  - its attributes can be a stream's, its status is one that there is;
 *  - event types are listed by rising ids, each with a name;
 *  - events end, and come again after a rewind, byte by byte, whatever the room for them.
 */
#include <errno.h>
#include <ktrace/check.h>

#include "sections.h"
#include "../../userspace/lib/posix/base/attr.h"
#include "../../userspace/lib/posix/base/event.h"
#include "../../userspace/lib/posix/log/recorded.h"

/* More than an event has here: files are small. */
#define ROOM (1u << 20)

static struct memfile file;

static __u64 hash_bytes(__u64 h, const void *data, size_t n)
{
	const unsigned char *p = data;

	while (n--)
		h = (h ^ *p++) * 0x100000001b3ull;
	return h;
}

/* All events with @room bytes for the data of each. */
static __u64 read_all(struct posix_recorded *r, size_t room, size_t *nr)
{
	static char data[ROOM];
	struct posix_trace_event_info info;
	__u64 hash = 1;
	size_t len;
	int none;

	REQUIRE(room <= sizeof(data));
	for (*nr = 0;; ++*nr) {
		memset(&info, 0, sizeof(info));
		REQUIRE(!ktrace_posix_recorded_next(r, &info, data, room, &len, &none));
		if (none)
			break;
		REQUIRE(len <= room && info.posix_timestamp.tv_nsec < 1000000000);
		REQUIRE(info.posix_truncation_status <= POSIX_TRACE_TRUNCATED_READ);
		REQUIRE(info.posix_truncation_status != POSIX_TRACE_TRUNCATED_READ || len == room);
		hash = hash_bytes(hash_bytes(hash, &info.posix_event_id,
					     sizeof(info.posix_event_id)), data, len);
	}
	REQUIRE(!ktrace_posix_recorded_next(r, &info, data, room, &len, &none) && none);
	return hash;
}

static void check_types(struct posix_recorded *r)
{
	trace_event_id_t id = 0, next;
	const char *name;

	while ((next = ktrace_posix_recorded_next_type(r))) {
		REQUIRE(next > id);
		name = ktrace_posix_recorded_name(r, next);
		REQUIRE(name && strlen(name) <= TRACE_EVENT_NAME_MAX);
		id = next;
	}
	REQUIRE(id >= POSIX_TRACE_UNNAMED_USEREVENT);
}

static void check_facts(const struct posix_recorded *r)
{
	struct posix_trace_status_info s;
	struct ktrace_check found;
	struct posix_attr a;

	REQUIRE(!ktrace_check_file(file.path, NULL, NULL, &found));
	REQUIRE(!found.damaged && found.is_closed);
	ktrace_posix_recorded_attr(r, &a);
	REQUIRE(ktrace_posix_attr_is_possible(&a));
	ktrace_posix_recorded_status(r, &s);
	REQUIRE(s.posix_stream_status == POSIX_TRACE_SUSPENDED);
	REQUIRE(s.posix_log_full_status == POSIX_TRACE_FULL ||
		s.posix_log_full_status == POSIX_TRACE_NOT_FULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct posix_recorded *r;
	size_t nr, again;
	__u64 hash;
	int ret;

	if (size > FILE_MAX || !has_small_frames(data, size))
		return 0;
	if (!file.path[0])
		memfile_make(&file);
	memfile_fill(&file, data, size);
	ret = ktrace_posix_recorded_open(file.fd, &r);
	REQUIRE(!ret || ret == EINVAL);
	if (ret)
		return 0;
	check_facts(r);
	check_types(r);
	hash = read_all(r, ROOM, &nr);
	REQUIRE(!ktrace_posix_recorded_rewind(r));
	REQUIRE(read_all(r, ROOM, &again) == hash && again == nr);
	REQUIRE(!ktrace_posix_recorded_rewind(r));
	read_all(r, nr % 7, &again);
	REQUIRE(again == nr);
	ktrace_posix_recorded_close(r);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return mutate_trace(data, size, max, seed);
}
