// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_attach.c - a traced program and a channel file that lies
 *
 * The input says what is wrong with the control page and what lies in registry and rings,
 * then what the program does, and what others store into the file meanwhile. Whatever is
 * in there, the program reads and writes inside of the mapping, and of that only what is
 * mapped writable; it never waits for long. The ids it takes are ids of the channel.
 * KTRACE_SESSION may be any text.
 */
#include "fuzz.h"

static void *guarded_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);

#define mmap guarded_mmap
#include "../../userspace/lib/writer/attach.c"
#undef mmap
#include "../../userspace/lib/writer/registry.h"
#include "../../userspace/lib/writer/thread_ring.h"

static struct channel channel;

#define FILE_SIZE (1u << 18)
#define REGISTRY_OFF 20480u
#define REGISTRY_SIZE 8192u
#define RINGS_OFF (REGISTRY_OFF + REGISTRY_SIZE)
#define RING 16384u

static struct memfile file;
static char image[FILE_SIZE];

/* Between pages that nobody may touch. */
static void *guarded_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	static char *area;

	if (!area)
		area = mmap(NULL, 3 * FILE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(area != MAP_FAILED && size <= FILE_SIZE);
	return mmap(at ? at : area + FILE_SIZE, size, prot, flags | MAP_FIXED, fd, offset);
}

/* What is right, and then some words of it wrong. */
static void make_control(struct ktrace_control *c, struct input *in)
{
	unsigned int shape = (unsigned int)input_number(in, 1), n;
	size_t off;

	*c = (struct ktrace_control){
		.magic = KTRACE_CONTROL_MAGIC, .version = KTRACE_ABI_VERSION,
		.size = sizeof(*c), .kind = KTRACE_CHANNEL_USER, .map_size = FILE_SIZE,
		.cpu_nr = 1 + (shape & 3), .ring_nr = 3 + (shape & 3),
		.block_size = 4096, .ring_size = RING, .ring_stride = 4096 + RING,
		.rings_off = RINGS_OFF, .thread_size = RING, .thread_stride = 4096 + RING,
		.registry_off = REGISTRY_OFF, .registry_size = REGISTRY_SIZE,
		.tail_off = 12288, .data_off = 4096, .enable_off = 1024,
		.id_nr = KTRACE_ID_NR, .filter_off = 10240, .filter_size = 2048,
		.policy = shape >> 2 & 3, .clock = shape >> 4 & 1,
		.state = KTRACE_STATE_RUNNING, .reader = 1,
	};
	c->threads_off = RINGS_OFF + c->cpu_nr * (4096 + RING);
	for (n = shape >> 5; n; n--) {
		off = (size_t)input_number(in, 1) * 4 % sizeof(*c);
		*(__u32 *)((char *)c + off) = (__u32)input_any(in);
	}
}

/* By another process: in the writable part, so there is no other. */
static void scribble(char *map, struct input *in, size_t times)
{
	__u32 where, value;

	while (times--) {
		where = (__u32)input_number(in, 3);
		value = (__u32)input_number(in, 4);
		/* Words of rings and registry more often than payload. */
		where = where & 1 ? REGISTRY_OFF + (where >> 1) % REGISTRY_SIZE :
		       RINGS_OFF + (where >> 8) % 4 * (4096 + RING) + (where >> 1 & 127);
		memcpy(map + (where & ~3u), &value, sizeof(value));
	}
}

static void record(struct ktrace_event *ev, struct input *in)
{
	static char payload[3 * 4096];
	struct ktrace_piece pieces[3];
	unsigned int nr = (unsigned int)input_number(in, 1), i;

	for (i = 0; i < (nr & 3); i++)
		pieces[i] = (struct ktrace_piece){ payload, input_number(in, 1) << (nr >> 4 & 4) };
	ktrace_record_write(ev, pieces, nr & 3);
}

/* A value of KTRACE_SESSION. Files are not opened: they would be any. */
static void find_session(const char *session)
{
	struct backend_channel bc;
	const char *where;
	const struct backend *b = backend_find(session, &where);

	REQUIRE(!b || (where[-1] == ':' && where > session));
	if (b && !b->is_shared_memory && !b->open(where, 0, &bc))
		system_close(bc.fd);
}

static void act(struct ktrace_event *ev, struct input *in)
{
	char *text;
	__u16 id;

	switch (input_number(in, 1) & 7) {
	case 0:
		text = input_string(in);
		id = registry_event(&channel, text);
		REQUIRE(!id || (id >= KTRACE_ID_FIRST && id < channel.id_nr));
		if (id)
			ev->header = id;
		free(text);
		break;
	case 1:
		text = input_string(in);
		find_session(text);
		registry_add(&channel, KTRACE_ENTRY_THREAD, (__u32)input_number(in, 4), text, 0,
			     REGISTRY_ALL);
		free(text);
		break;
	case 2:
		scribble((char *)channel.control, in, 4);
		break;
	default:
		record(ev, in);
		break;
	}
}

static void forget(void)
{
	memset(&channel, 0, sizeof(channel));
	ktrace_thread.own_ring = 0;
	ktrace_thread.tid_flags = 0;
	ktrace_thread.cpu = KTRACE_CPU_NONE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ktrace_event ev;
	struct backend_channel bc = { .size = FILE_SIZE };
	struct input in = { data, data + size };
	struct ktrace_control c;
	int steps;

	if (!file.path[0])
		memfile_make(&file);
	memset(image, 0, sizeof(image));
	make_control(&c, &in);
	memcpy(image, &c, sizeof(c));
	scribble(image, &in, input_number(&in, 1) & 31);
	memfile_fill(&file, image, sizeof(image));
	bc.fd = file.fd;
	if (map_channel(&bc, &channel, &c))
		return 0;
	channel_init(&channel, channel.map, &c, true);
	/* How long to wait is the owner's to say. */
	channel.timeout_ms = 0;
	ev.header = KTRACE_ID_FIRST;
	for (steps = 0; steps < 200 && input_left(&in); steps++)
		act(&ev, &in);
	mmap(channel.map, bc.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	forget();
	return 0;
}
