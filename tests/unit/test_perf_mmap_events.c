// SPDX-License-Identifier: GPL-2.0
/*
 * test_perf_mmap_events.c - news of mapped code, read from a ring, with losses and nonsense
 *
 * The rings are made here as the kernel makes them; that it does so is tested in context.bats.
 */
#include "check.h"

#include "../../userspace/daemon/context/buildid.c"
#include "../../userspace/daemon/base/uevent.c"
#include "../../userspace/daemon/context/perf_mmap_events.c"
#include "../../userspace/daemon/base/pidspace.c"
#include "../../userspace/daemon/context/procmaps.c"

#define PAGE 4096u
#define DATA (RING_PAGES * PAGE)
#define NOBODY ((1u << 22) - 2)		/* there is no such process in /proc */
#define SOMEBODY 77u
#define NOW 5000000

/* struct record - what the kernel writes: a header, then as many bytes as that says */
struct record {
	struct perf_event_header header;
	__u64 words[270];
};

static struct mmap_events *watch;
static struct ring ring;
static struct ktrace_text meta;
static int counts[2];

/* A ring whose first record is to lie at @at, and a clock that counts ns */
static void begin(__u64 at)
{
	watch = calloc(1, sizeof(*watch));
	CHECK(watch);
	watch->uevent_fd = -1;
	watch->page = PAGE;
	watch->since = 1000;
	watch->left = (struct budget){ .left = 1 << 20, .a_second = 1 << 20 };
	watch->now = (struct ktrace_reading){ .raw = NOW, .mono_ns = NOW, .hz = 1000000000 };
	CHECK_EQ(pipe2(counts, O_NONBLOCK), 0);
	ring = (struct ring){ .fd = counts[0], .page = calloc(RING_PAGES + 1, PAGE) };
	CHECK(ring.page);
	ring.page->data_head = ring.page->data_tail = at;
}

static void end(void)
{
	ktrace_text_free(&meta);
	free(ring.page);
	close(counts[0]);
	close(counts[1]);
	free(watch);
}

static void put_bytes(const void *from, size_t size)
{
	char *data = (char *)ring.page + PAGE;
	const size_t at = ring.page->data_head % DATA, first = size < DATA - at ? size : DATA - at;

	memcpy(data + at, from, first);
	memcpy(data, (const char *)from + first, size - first);
	ring.page->data_head += size;
}

/* A record of @words behind its header, the last two of which are who and when */
static void put(__u32 type, __u16 misc, struct record r, unsigned int words, __u64 ts)
{
	r.header = (struct perf_event_header){
		.type = type, .misc = misc, .size = (__u16)(8 + 8 * (words + 2)),
	};
	r.words[words] = SOMEBODY;
	r.words[words + 1] = ts;
	put_bytes(&r, r.header.size);
}

static void put_fork(__u32 pid, __u32 parent, __u64 ts)
{
	put(PERF_RECORD_FORK, 0, (struct record){ .words = { (__u64)parent << 32 | pid } }, 3, ts);
}

static void put_exec(__u32 pid, __u64 ts)
{
	put(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, (struct record){ .words = { pid } }, 3,
	    ts);
}

static void put_map_of(const char *path, __u32 pid, __u64 start, __u64 ts)
{
	struct record r = { .words = { pid, start, 0x1000, 0x2000 } };
	const size_t size = strlen(path) + 1;

	memcpy(&r.words[8], path, size);
	put(PERF_RECORD_MMAP2, 0, r, 8 + ((unsigned int)size + 7) / 8, ts);
}

static void put_map(__u32 pid, __u64 start, __u64 ts)
{
	put_map_of("/bin/x", pid, start, ts);
}

static void put_lost(__u64 nr, __u64 ts)
{
	put(PERF_RECORD_LOST, 0, (struct record){ .words = { 1, nr } }, 2, ts);
}

/* What the kernel says when it is asked: so many in all. */
static void says_lost(__u64 nr)
{
	const __u64 now[2] = { 0, nr };

	CHECK_EQ(write(counts[1], now, sizeof(now)), sizeof(now));
}

static void drain(void)
{
	drain_ring(watch, &ring, &meta);
	CHECK_EQ(ring.page->data_tail, ring.page->data_head);
	ktrace_text_line(&meta, "end");
}

static bool told(const char *line)
{
	return meta.len && memmem(meta.buf, meta.len, line, strlen(line));
}

static void test_news(void)
{
	begin(0);
	put_exec(SOMEBODY, 2000);
	put_map(SOMEBODY, 0x400000, 2001);
	put_fork(SOMEBODY + 1, SOMEBODY, 2002);
	put_fork(SOMEBODY + 2, NOBODY, 2003);
	put_fork(SOMEBODY, SOMEBODY, 2004);
	drain();
	CHECK(told("origin pid=77 ts=2000 maps=own\n"));
	CHECK(told("map pid=77 ts=2001 start=4194304 end=4198400 offset=8192 path=/bin/x\n"));
	CHECK(told("origin pid=78 ppid=77 ts=2002 maps=parent\n"));
	CHECK(told("origin pid=79 "));
	CHECK(!told("ts=2004"));
	CHECK(mmap_events_knows(watch, SOMEBODY));
	CHECK(mmap_events_knows(watch, SOMEBODY + 1));
	CHECK(!mmap_events_knows(watch, SOMEBODY + 2));
	CHECK_EQ(mmap_events_loss(watch).news, 0);
	end();
}

/* Also where the ring ends within a header, or its data */
static void test_every_place_in_the_ring(void)
{
	for (__u64 at = DATA - 200; at <= DATA; at += 8) {
		begin(at);
		put_exec(SOMEBODY, 2000);
		put_map(SOMEBODY, 0x400000, 2001);
		put_exec(SOMEBODY + 1, 2002);
		drain();
		CHECK(told(" ts=2001 start=4194304 end=4198400 offset=8192 path=/bin/x\n"));
		CHECK(told("origin pid=78 ts=2002"));
		end();
	}
}

static void test_losses_are_counted_and_nobody_is_known(void)
{
	begin(0);
	put_exec(SOMEBODY, 2000);
	put_lost(17, 3000);
	put_exec(SOMEBODY + 1, 3001);
	says_lost(17);
	drain();
	CHECK_EQ(watch->loss.news, 17);
	CHECK_EQ(watch->since, 3000);
	CHECK(!mmap_events_knows(watch, SOMEBODY));
	CHECK(mmap_events_knows(watch, SOMEBODY + 1));
	/* Of an earlier CPU */
	put_lost(3, 2500);
	drain();
	CHECK_EQ(watch->loss.news, 20);
	CHECK_EQ(watch->since, 3000);
	CHECK(!mmap_events_knows(watch, SOMEBODY + 1));
	end();
}

static void test_losses_that_no_record_tells_are_counted_once(void)
{
	begin(0);
	put_exec(SOMEBODY, 2000);
	says_lost(5);
	drain();
	CHECK_EQ(watch->loss.news, 5);
	CHECK_EQ(watch->since, NOW);
	CHECK(!mmap_events_knows(watch, SOMEBODY));
	/* Two more, and the record tells of all. */
	put_exec(SOMEBODY, NOW + 1);
	says_lost(7);
	drain();
	CHECK_EQ(watch->loss.news, 7);
	end();
}

/* A loss is told by record and by count, in whatever order. */
static void test_told_twice(void)
{
	begin(0);
	says_lost(5);
	drain();
	put_lost(5, 3000);
	says_lost(5);
	drain();
	CHECK_EQ(watch->loss.news, 5);
	end();
}

/* What follows cannot be found: that is a loss, too. */
static void test_no_record(__u16 size)
{
	const struct perf_event_header bad = { .type = PERF_RECORD_COMM, .size = size };

	begin(0);
	put_exec(SOMEBODY, 2000);
	put_bytes(&bad, sizeof(bad));
	put_exec(SOMEBODY + 1, 2001);
	drain();
	CHECK(told("origin pid=77"));
	CHECK(!told("origin pid=78"));
	CHECK_EQ(watch->loss.news, 1);
	CHECK(!mmap_events_knows(watch, SOMEBODY));
	/* Then it goes on. */
	put_exec(SOMEBODY + 2, 2002);
	drain();
	CHECK(told("origin pid=79"));
	CHECK_EQ(watch->loss.news, 1);
	end();
}

static void test_records_too_short_for_their_kind(void)
{
	static const __u32 types[] = { PERF_RECORD_LOST, PERF_RECORD_MMAP2 };

	for (unsigned int i = 0; i < 2; i++) {
		begin(0);
		put(types[i], 0, (struct record){ .words = { SOMEBODY } }, 0, 2000);
		drain();
		CHECK_EQ(watch->loss.news, 1);
		end();
	}
}

/* As much text as may be told in a second, at that time; false: it has become too much. */
static bool tell_much(__u64 second)
{
	const size_t before = meta.len;
	bool is_enough = true;
	char path[2000];
	__u32 i;

	memset(path, 'x', sizeof(path) - 1);
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	watch->now.mono_ns = watch->now.raw = second * 1000000000;
	while (is_enough && meta.len - before < TEXT_A_SECOND - 4 * PAGE) {
		for (i = 0; i < 7; i++)
			put_map_of(path, SOMEBODY, 0x400000, watch->now.mono_ns);
		drain_ring(watch, &ring, &meta);
		is_enough = !is_paused(watch);
	}
	ktrace_text_free(&meta);
	return is_enough;
}

static void begin_with_limits(void)
{
	begin(0);
	watch->left = (struct budget){ .left = TEXT_MAX, .a_second = TEXT_A_SECOND };
}

/* So much, and no more, unless processes are gone, or the one file becomes larger. */
static void test_room(void)
{
	__u64 second, size;

	begin_with_limits();
	for (second = 1; tell_much(second); second++)
		CHECK_EQ(mmap_events_is_short(watch), second >= 8);
	CHECK_EQ(second, 9);
	end();
	begin_with_limits();
	for (second = 1; second < 20; second++) {
		CHECK(tell_much(second));
		if (!mmap_events_is_short(watch))
			continue;
		/* What is more than that does not make less of it. */
		mmap_events_kept(watch, TEXT_MAX);
		mmap_events_kept(watch, ~0ull);
		CHECK(mmap_events_is_short(watch));
		mmap_events_kept(watch, TEXT_MAX / 2);
		CHECK_EQ(watch->left.left, TEXT_MAX / 2);
	}
	mmap_events_kept(watch, 0);
	CHECK_EQ(watch->left.left, TEXT_MAX);
	end();
	begin_with_limits();
	for (second = 1, size = 0; tell_much(second); second++) {
		size += second < 20 ? TEXT_A_SECOND * TEXT_OF_FILE : 0;
		mmap_events_written(watch, size);
	}
	CHECK_EQ(second, 28);
	mmap_events_kept(NULL, 0);
	mmap_events_written(NULL, 0);
	CHECK(!mmap_events_is_short(NULL));
	end();
}

/* News at this second, after room has been looked for: are they told? */
static bool is_told_at(__u64 second)
{
	const __u64 ts = second * 1000000000;
	bool is;

	watch->now.mono_ns = watch->now.raw = ts;
	look_for_room(watch);
	put_exec(SOMEBODY, ts + 1);
	put_map(SOMEBODY, 0x400000, ts + 2);
	put_fork(SOMEBODY + 1, SOMEBODY, ts + 3);
	drain();
	is = told("origin pid=78 ppid=77 ") && told("map pid=77 ");
	CHECK_EQ(is, told("pid=7"));
	CHECK_EQ(is, mmap_events_knows(watch, SOMEBODY));
	ktrace_text_free(&meta);
	return is;
}

/* What there is no room for is counted, and the next news that there is room for are told. */
static void test_goes_on(void)
{
	__u64 second, untold;

	begin_with_limits();
	for (second = 1; tell_much(second); second++)
		;
	CHECK(!mmap_events_knows(watch, SOMEBODY));
	untold = mmap_events_loss(watch).untold;
	CHECK(!is_told_at(second) && !is_told_at(second + 1));
	CHECK_EQ(mmap_events_loss(watch).untold, untold + 6);
	CHECK_EQ(watch->since, second * 1000000000);
	/* Losses are losses all the same. */
	put_lost(5, second * 1000000000 + 4);
	drain();
	CHECK_EQ(mmap_events_loss(watch).news, 5);
	/* Processes are gone. */
	mmap_events_kept(watch, TEXT_MAX / 2);
	CHECK(is_told_at(second + 2));
	CHECK_EQ(mmap_events_loss(watch).untold, untold + 6);
	CHECK_EQ(watch->since, (second + 2) * 1000000000);
	/* Nothing is, nor does the file grow: it goes on after some time, for as long as before. */
	for (second += 3; tell_much(second); second++)
		;
	untold = mmap_events_loss(watch).untold;
	CHECK(!is_told_at(second) && !is_told_at(second + 200));
	CHECK(is_told_at(second + 300));
	CHECK_EQ(mmap_events_loss(watch).untold, untold + 6);
	CHECK(watch->left.left < TEXT_MAX / 16);
	CHECK(is_told_at(second + 100000));
	CHECK(watch->left.left > TEXT_MAX - PAGE && watch->left.left < TEXT_MAX);
	end();
}

/* Too much for one second is not too much for the next one. */
static void test_goes_on_in_the_next_second(void)
{
	__u64 untold;

	begin_with_limits();
	CHECK(is_told_at(1));
	CHECK(tell_much(2));
	CHECK(!tell_much(2));
	untold = mmap_events_loss(watch).untold;
	CHECK(!is_told_at(2));
	CHECK(is_told_at(3));
	CHECK_EQ(mmap_events_loss(watch).untold, untold + 3);
	CHECK(watch->left.left > TEXT_MAX / 2);
	end();
}

int main(void)
{
	test_news();
	test_every_place_in_the_ring();
	test_losses_are_counted_and_nobody_is_known();
	test_losses_that_no_record_tells_are_counted_once();
	test_told_twice();
	test_no_record(0);
	test_no_record(8);
	test_no_record(23);
	test_no_record(8 + 48 + 8);		/* more than there is */
	test_records_too_short_for_their_kind();
	test_room();
	test_goes_on();
	test_goes_on_in_the_next_second();
	puts("ok");
	return 0;
}
