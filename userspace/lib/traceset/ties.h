/* SPDX-License-Identifier: LGPL-2.1 */
/* ties.h - META lines that tie the stamps of a trace to other clocks, <ktrace/clock_ties.h> */
#ifndef KTRACE_TRACESET_TIES_H
#define KTRACE_TRACESET_TIES_H

#include <ktrace/clock_ties.h>

#define TIE_BOOT_SIZE 37	/* a UUID as text, with its NUL */
#define TIE_TEXT_SIZE 64

/**
 * struct tie_source - a META line timesource
 * @pub:	the part that callers see, without its texts
 * @name:	its text, like the next two; empty = not stated
 */
struct tie_source {
	struct ktrace_time_source pub;
	char name[TIE_TEXT_SIZE];
	char state[TIE_TEXT_SIZE];
	char reference[TIE_TEXT_SIZE];
};

/**
 * struct tie_peer - one direction of pings with one recorder
 * @boot:	its boot id
 * @text:	its name
 * @clock:	"tsc", "monotonic" or empty
 * @is_answered: it began the pings
 * @seen:	pings so far
 * @last:	number of the ping kept last
 */
struct tie_peer {
	char boot[TIE_BOOT_SIZE];
	char text[TIE_TEXT_SIZE];
	char clock[16];
	bool is_answered;
	__u64 seen;
	size_t last;
};

/* struct tie_ping - a META line ping; texts are those of @peer */
struct tie_ping {
	__u64 sent;
	__u64 received_there;
	__u64 sent_there;
	__u64 received;
	__u64 received_there_ns;
	__u64 sent_there_ns;
	__u32 peer;
};

/**
 * struct ties - all of a trace
 * @clocks:	readings, in order of stamps
 * @clock_seen:	valid ones so far
 * @clock_step:	every so many of them are kept, 0 = all
 * @sources:	in the order of the file
 * @source_seen: valid ones so far
 * @source_step: as @clock_step
 * @pings:	about in the order of the file
 * @ping_seen:	valid ones so far
 * @ping_step:	the best of so many of one peer is kept, 0 = all
 * @peers:	of the pings
 */
struct ties {
	struct ktrace_clock_tie *clocks;
	size_t clock_nr;
	size_t clock_cap;
	__u64 clock_seen;
	__u64 clock_step;
	struct tie_source *sources;
	size_t source_nr;
	size_t source_cap;
	__u64 source_seen;
	__u64 source_step;
	struct tie_ping *pings;
	size_t ping_nr;
	size_t ping_cap;
	__u64 ping_seen;
	__u64 ping_step;
	struct tie_peer *peers;
	size_t peer_nr;
};

/* All return 0, -ENOMEM, or -EINVAL if the values cannot be true. */
int ktrace_ties_add_clock(struct ties *t, const struct ktrace_clock_tie *tie);
int ktrace_ties_add_source(struct ties *t, const struct ktrace_time_source *source);
int ktrace_ties_add_ping(struct ties *t, const struct ktrace_ping *ping);
/* Returns the reading with exactly this stamp, NULL = none. */
const struct ktrace_clock_tie *ktrace_ties_clock_at(const struct ties *t, __u64 raw);
void ktrace_ties_free(struct ties *t);

#endif
