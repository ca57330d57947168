// SPDX-License-Identifier: GPL-2.0
/*
 * check_flood.c - reads tracefiles of flood.c and checks every event
 *
 *   check_flood FILE...
 *
 * Of each thread: no event twice, none out of order, none that was not written. No event is
 * older than what came before it, of whatever thread, or than a loss told before it. The last
 * line says "read N lost M"; as events are not kept, there can be any number.
 *
 * Exit status 1 if something is wrong with an event or with a file.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <ktrace/traceset.h>

#define WRITER_MAX 1024

/* As KTRACE_EVENT(flood, item) lays it out. */
struct item {
	uint32_t process, thread;
	uint64_t seq;
};

static uint64_t next_seq[WRITER_MAX][WRITER_MAX];
static __u64 newest;
static bool is_bad;

static void report(void *arg, const struct ktrace_damage *d)
{
	(void)arg;
	is_bad = true;
	printf("%s: at %llu: %s\n", d->path, (unsigned long long)d->offset, d->message);
}

static bool is_flood(const struct ktrace_trace_event *e)
{
	return e->type && !strcmp(e->type->provider, "flood") && !strcmp(e->type->name, "item");
}

static void check(const struct ktrace_trace_event *e)
{
	struct item item;

	if (e->len != sizeof(item) || (e->flags & ~(__u32)KTRACE_EVENT_BACKWARDS)) {
		printf("event of %u bytes, flags %#x\n", e->len, e->flags);
		is_bad = true;
		return;
	}
	if (e->time < newest && !is_bad) {
		printf("event at %llu behind %llu\n", (unsigned long long)e->time,
		       (unsigned long long)newest);
		is_bad = true;
	}
	memcpy(&item, e->payload, sizeof(item));
	if (item.process >= WRITER_MAX || item.thread >= WRITER_MAX) {
		printf("process %u thread %u\n", item.process, item.thread);
		is_bad = true;
		return;
	}
	if (item.seq < next_seq[item.process][item.thread]) {
		printf("process %u thread %u: %" PRIu64 " behind %" PRIu64 "\n", item.process,
		       item.thread, item.seq, next_seq[item.process][item.thread] - 1);
		is_bad = true;
	}
	next_seq[item.process][item.thread] = item.seq + 1;
}

int main(int argc, char **argv)
{
	const struct ktrace_traceset_options opts = { .size = sizeof(opts), .report = report };
	struct ktrace_traceset_stats stats;
	struct ktrace_trace_event e;
	struct ktrace_traceset *set;
	uint64_t read = 0, lost = 0;

	if (argc < 2 || ktrace_traceset_open(&opts, &set))
		return 2;
	for (int i = 1; i < argc; i++) {
		if (ktrace_traceset_add(set, argv[i])) {
			fprintf(stderr, "check_flood: cannot read %s\n", argv[i]);
			return 2;
		}
	}
	while (ktrace_traceset_next(set, &e) > 0) {
		if (is_flood(&e)) {
			check(&e);
			read++;
		}
		newest = e.time > newest ? e.time : newest;
	}
	ktrace_traceset_stats(set, &stats);
	ktrace_traceset_close(set);
	for (int i = 0; i < KTRACE_LOST_NR; i++)
		lost += stats.lost[i];
	if (stats.backwards)
		printf("%llu stamps below their predecessor's\n",
		       (unsigned long long)stats.backwards);
	printf("read %" PRIu64 " lost %" PRIu64 "\n", read, lost);
	return is_bad || stats.backwards;
}
