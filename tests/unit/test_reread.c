// SPDX-License-Identifier: GPL-2.0
/*
 * test_reread.c - a traceset read a second time for some types, by what it knows of its files
 *
 * CPU 0 has packets, CPU 1 none.
 */
#include <unistd.h>

#include "make_kernel.h"

#include "../../userspace/lib/sync/packet.h"
#include "../../userspace/lib/traceset/trace.h"

#define EVENTS 2000u
#define PACKET_STEP 10u
#define ENDS 2u		/* blocks of a stream that is left out */
#define MS 1000000u

enum what { PLAIN, LOSSES, BACK_A_LITTLE, BACK_A_LOT };

static char path[64];
static unsigned int reports;

static void count_report(void *arg, const struct ktrace_damage *damage)
{
	(void)arg;
	(void)damage;
	reports++;
}

static __u64 stamp(__u32 i, enum what what)
{
	const __u64 back = what == BACK_A_LOT ? 2 * MS : what == BACK_A_LITTLE ? MS / 2 : 0;

	return 10 * MS + 1000ull * i - (i >= EVENTS / 2 ? back : 0);
}

static void make_events(struct maker *cpus, enum what what)
{
	struct ktrace_record rec = { .len = 8, .tid_flags = 7 };
	__u64 payload = 0;

	for (__u32 i = 0; i < EVENTS; i++) {
		rec.id = i % PACKET_STEP ? KTRACE_EV_SCHED_WAKEUP : KTRACE_EV_NET_QUEUE;
		rec.ts = stamp(i, PLAIN);
		make_record(&cpus[0], &rec, &payload);
		rec.id = KTRACE_EV_SCHED_WAKEUP;
		rec.ts = stamp(i, what);
		/* So the clock goes back between two blocks. */
		if (i == EVENTS / 2)
			make_end_block(&cpus[1]);
		make_record(&cpus[1], &rec, &payload);
	}
	if (what == LOSSES)
		make_lost(&cpus[1], stamp(EVENTS, PLAIN), 5, 0);
}

static void make(enum what what)
{
	struct maker cpus[2];
	struct ktrace_tracefile *tf = make_kernel_file(path, cpus, 2);

	make_events(cpus, what);
	make_end_block(&cpus[0]);
	make_end_block(&cpus[1]);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
}

static struct ktrace_traceset *open_set(void)
{
	const struct ktrace_traceset_options opts = { .size = sizeof(opts),
						      .report = count_report };
	struct ktrace_traceset *set;

	reports = 0;
	CHECK_EQ(ktrace_traceset_open(&opts, &set), 0);
	CHECK_EQ(ktrace_traceset_add(set, path), 0);
	return set;
}

static __u64 blocks_of(struct ktrace_traceset *set, size_t stream)
{
	return ktrace_trace_stream(ktrace_traceset_trace(set, 0), stream)->blocks;
}

/* Returns how many packets there are, and sets the number of blocks that were read for them. */
static __u32 count_packets(struct ktrace_traceset *set, __u64 *blocks, __u32 *backwards)
{
	struct ktrace_traceset_stats stats;
	struct ktrace_traceset *again;
	struct ktrace_trace_event e;
	__u32 packets = 0;

	CHECK_EQ(ktrace_set_reread(set, &again), 0);
	ktrace_set_only(again, ktrace_packet_is_type);
	for (*backwards = 0; ktrace_set_next_wanted(again, &e) == 1;) {
		packets += e.id == KTRACE_EV_NET_QUEUE;
		*backwards += !!(e.flags & KTRACE_EVENT_BACKWARDS);
	}
	ktrace_traceset_stats(again, &stats);
	*blocks = stats.blocks;
	ktrace_traceset_close(again);
	return packets;
}

static __u32 count_events(struct ktrace_traceset *set)
{
	struct ktrace_trace_event e;
	__u32 nr = 0;

	while (ktrace_traceset_next(set, &e) == 1)
		nr += e.id != KTRACE_ID_LOST;
	return nr;
}

static void test(enum what what, bool is_left_out, __u32 back)
{
	struct ktrace_traceset *set;
	__u64 blocks;
	__u32 backwards;

	make(what);
	set = open_set();
	CHECK(blocks_of(set, 1) > ENDS);
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(count_packets(set, &blocks, &backwards), EVENTS / PACKET_STEP);
		CHECK_EQ(blocks, blocks_of(set, 0) + (is_left_out ? ENDS : blocks_of(set, 1)));
		CHECK_EQ(backwards, back);
	}
	/* The set itself is still at its beginning. */
	CHECK_EQ(count_events(set), 2 * EVENTS);
	CHECK_EQ(reports, 0);
	ktrace_traceset_close(set);
}

/* The set itself tells what is damaged, once. */
static void test_damaged(void)
{
	struct ktrace_traceset *set;
	__u64 blocks;
	__u32 backwards;
	FILE *f;

	make(PLAIN);
	f = fopen(path, "r+");
	CHECK(f && !fseek(f, 0, SEEK_END) && !fseek(f, ftell(f) / 2, SEEK_SET));
	CHECK(fputs("damaged", f) >= 0 && !fclose(f));
	set = open_set();
	CHECK(count_packets(set, &blocks, &backwards) <= EVENTS / PACKET_STEP);
	CHECK_EQ(reports, 0);
	CHECK(count_events(set) < 2 * EVENTS);
	CHECK_EQ(reports, 1);
	ktrace_traceset_close(set);
}

int main(void)
{
	temporary_file(path, sizeof(path), "ktrace-reread");
	test(PLAIN, true, 0);
	test(LOSSES, false, 0);
	test(BACK_A_LITTLE, true, 0);
	test(BACK_A_LOT, false, 1);
	test_damaged();
	unlink(path);
	return 0;
}
