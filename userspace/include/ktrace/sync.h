/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * sync.h - one time line for traces of several hosts, with the error of each time
 *
 * Packets that one host sent and another received (messages.h), pings of recorders, and wall clocks
 * that are known to be synchronised (clock_ties.h) bound the difference between two clocks. From
 * them follows, for each host and time, an interval that contains the reference host's time. The
 * middle of it becomes the time of events, ktrace_traceset_correct(); no message is received before
 * it was sent. Requirements LTTV-80 to LTTV-84.
 *
 *   ktrace_sync_traceset(set, NULL, &sync);	after the last file, before the first event
 *   ktrace_sync_host(sync, i, &host);		what was found
 *   ktrace_sync_save(sync, set, fd);			once, and later, instead of all that:
 *   ktrace_sync_restore(set, NULL, text, size, &place);
 *   ktrace_sync_close(sync);
 *
 * Assumed: the rate between two clocks changes by at most wander_ppb in a second, except at places
 * that are found because bounds before and after contradict each other. Then the interval contains
 * the true time. Clocks are those that stamps are from, a cycle counter or CLOCK_MONOTONIC, so
 * steps of the wall clock do no harm.
 */
#ifndef KTRACE_SYNC_H
#define KTRACE_SYNC_H

#include <ktrace/messages.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ktrace_sync;

/**
 * enum ktrace_sync_analysis - how offsets are estimated
 * @KTRACE_SYNC_HULL:	bounds of lines between all messages: always contain the truth
 * @KTRACE_SYNC_REGRESSION: least squares through the middle of round trips: the error is one of
 *		95 % and supposes that messages take equally long in both directions
 */
enum ktrace_sync_analysis {
	KTRACE_SYNC_HULL,
	KTRACE_SYNC_REGRESSION,
};

#define KTRACE_SYNC_WANDER_PPB 20u

/**
 * struct ktrace_sync_options - may be NULL for the defaults
 * @size:	sizeof(struct ktrace_sync_options)
 * @analysis:	see above
 * @wander_ppb:	how much a rate may change in a second, in 10^-9; 0 = KTRACE_SYNC_WANDER_PPB
 * @reference:	name or boot id of the reference host, NULL = the one with the least error in all
 * @without_messages: do not read the events: only what META says
 */
struct ktrace_sync_options {
	size_t size;
	enum ktrace_sync_analysis analysis;
	__u32 wander_ppb;
	const char *reference;
	bool without_messages;
};

/**
 * ktrace_sync_traceset - estimate the clocks of all hosts, and correct the times of their traces
 * @set:	the traceset. Its files are read once, apart from it, by as many threads
 * @opts:	options
 * @out:	what was found
 *
 * Hosts that nothing ties to the reference keep their own times, whose errors are unknown.
 *
 * Return: 0; -EBUSY once reading of @set has begun; -EINVAL for unknown options; -ENOENT if no host
 * has the name of the reference; -ENOMEM.
 */
int ktrace_sync_traceset(struct ktrace_traceset *set, const struct ktrace_sync_options *opts,
			 struct ktrace_sync **out);

/**
 * ktrace_sync_text - estimate clocks from messages in a text
 * @text:	as in LTTV's tests: lines that begin with # are comments, the first other one has
 *		the number of hosts, each further one a message: numbers of sender and receiver from
 *		0 on, times of both in seconds. Requirement LTTV-80
 * @size:	its size
 * @opts:	options
 * @out:	what was found
 * @line:	number of the wrong line if the result is -EBADMSG
 *
 * Return: 0, -EBADMSG, -EINVAL for unknown options, -ENOENT as above, -ENOMEM.
 */
int ktrace_sync_text(const char *text, size_t size, const struct ktrace_sync_options *opts,
		     struct ktrace_sync **out, __u64 *line);

/**
 * ktrace_sync_save - write a result to a file, for ktrace_sync_restore()
 * @sync:	result of ktrace_sync_traceset()
 * @set:	the traceset that it has corrected
 * @fd:		open for writing
 *
 * Return: 0, or -errno of write(2); then a part may have been written.
 */
int ktrace_sync_save(const struct ktrace_sync *sync, const struct ktrace_traceset *set, int fd);

/**
 * ktrace_sync_restore - correct the times of a traceset by a result that was kept
 * @set:	the traceset, before its first event is read. All its traces have to be in the
 *		result, unchanged; that may have further ones
 * @opts:	NULL: any result of these traces. Otherwise only what ktrace_sync_traceset() would
 *		find with these options: by the same version, for the same traces in the same
 *		order, whose files are closed and have not been written to since
 * @text:	content of a file of ktrace_sync_save(). All of it is checked before it is used
 * @size:	its size
 * @place:	number of a trace or line if the result says so
 *
 * Return: 0; -EBADMSG: line @place is wrong, the file is damaged or none of ktrace_sync_save();
 * -EPROTONOSUPPORT: written by a newer version; -ENOENT: trace @place is not in the result;
 * -ESTALE: trace @place is not as it was, or @opts differ; -EBUSY once reading of @set has begun;
 * -ENOMEM. After an error nothing is corrected.
 */
int ktrace_sync_restore(struct ktrace_traceset *set, const struct ktrace_sync_options *opts,
			const char *text, size_t size, __u64 *place);

/**
 * ktrace_sync_key - get a number for a traceset and options, as a name for a result that is kept
 * @set:	the traceset
 * @opts:	as for ktrace_sync_traceset()
 *
 * Return: the number; 0 if keeping the result is no use, as no packets would be read, or a file may
 * still grow.
 */
__u64 ktrace_sync_key(const struct ktrace_traceset *set, const struct ktrace_sync_options *opts);

/** ktrace_sync_close - free everything; NULL is allowed. Traces stay corrected */
void ktrace_sync_close(struct ktrace_sync *sync);

/**
 * enum ktrace_sync_quality - what is known about two clocks, in LTTV's words; LTTV-81
 * @KTRACE_SYNC_EXACT:		they are the same
 * @KTRACE_SYNC_ACCURATE:	bounds of both sides: the error is stated
 * @KTRACE_SYNC_APPROXIMATE:	an estimate; what it says of its error is probable, or unknown
 * @KTRACE_SYNC_INCOMPLETE:	bounds of one side only
 * @KTRACE_SYNC_ABSENT:		nothing
 * @KTRACE_SYNC_FAIL:		bounds that contradict each other
 */
enum ktrace_sync_quality {
	KTRACE_SYNC_EXACT,
	KTRACE_SYNC_ACCURATE,
	KTRACE_SYNC_APPROXIMATE,
	KTRACE_SYNC_INCOMPLETE,
	KTRACE_SYNC_ABSENT,
	KTRACE_SYNC_FAIL,
};

#define KTRACE_SYNC_NONE (~0u)

/**
 * struct ktrace_sync_host - one host
 * @name:	its name, NULL = unknown
 * @boot:	its boot id, NULL = unknown
 * @path:	of its first trace; NULL: text, or the source of synchronised wall clocks
 * @quality:	relative to the reference
 * @is_reference: its clock is the one of all
 * @parent:	number of the next host on the way to the reference, KTRACE_SYNC_NONE
 * @offset_ns:	what was added to its times, in the middle of the trace
 * @drift_ppm:	its clock loses this much: what is added grows by so many microseconds a second
 * @error_ns:	mean over time of half the width of the interval; negative = unknown
 * @max_error_ns: the largest one
 */
struct ktrace_sync_host {
	const char *name;
	const char *boot;
	const char *path;
	enum ktrace_sync_quality quality;
	bool is_reference;
	__u32 parent;
	double offset_ns;
	double drift_ppm;
	double error_ns;
	double max_error_ns;
};

/** ktrace_sync_host - get host number @i; false after the last */
bool ktrace_sync_host(const struct ktrace_sync *sync, __u32 i, struct ktrace_sync_host *out);

/**
 * ktrace_sync_host_of - get the number of the host that a trace is from
 * @sync:	result of ktrace_sync_traceset()
 * @trace:	number of the trace in the set, ktrace_trace_index()
 *
 * Return: the number, KTRACE_SYNC_NONE if there is no such trace.
 */
__u32 ktrace_sync_host_of(const struct ktrace_sync *sync, size_t trace);

#define KTRACE_SYNC_TRIP_BITS 48u

/**
 * struct ktrace_sync_line - the offset between two clocks as one line for the whole time
 * @is_valid:	there is such a line
 * @offset_ns:	what to add to times of the second host at their zero to get the first one's
 * @drift_ppm:	how much that grows, microseconds a second
 * @error_ns:	of the offset in the middle of the time
 */
struct ktrace_sync_line {
	bool is_valid;
	double offset_ns;
	double drift_ppm;
	double error_ns;
};

/**
 * struct ktrace_sync_pair - two hosts
 * @host:	their numbers, ascending
 * @quality:	what is known
 * @is_used:	the way of one of them to the reference leads over the other
 * @messages:	to the second host, to the first one
 * @ties:	bounds from wall clocks
 * @gaps:	places where the clocks changed their offset or rate too fast, see
 *		ktrace_sync_gap()
 * @loosened:	times at which no line respects all bounds, so that the rate was allowed to change
 *		faster there
 * @inverted:	messages that are received before they are sent all the same
 * @error_ns:	mean of half the width of the interval; negative = unknown
 * @max_error_ns: largest one
 * @covered:	part of the time for which there is an interval, 0 to 1
 * @window_ns:	messages up to this far from a time bound the offset there
 * @least_trip_ns: shortest round trip; negative = none
 * @trips:	round trips below 2, 4, 8, ... ns
 * @hull:	one line between all bounds
 * @regression:	one line by least squares; the error is one of 95 %
 */
struct ktrace_sync_pair {
	__u32 host[2];
	enum ktrace_sync_quality quality;
	bool is_used;
	__u64 messages[2];
	__u64 ties;
	__u64 gaps;
	__u64 loosened;
	__u64 inverted;
	double error_ns;
	double max_error_ns;
	double covered;
	double window_ns;
	double least_trip_ns;
	__u64 trips[KTRACE_SYNC_TRIP_BITS];
	struct ktrace_sync_line hull;
	struct ktrace_sync_line regression;
};

/** ktrace_sync_pair - get pair number @i of hosts that have bounds; false after the last */
bool ktrace_sync_pair(const struct ktrace_sync *sync, size_t i, struct ktrace_sync_pair *out);

/**
 * struct ktrace_sync_gap - a place where no line fits: a clock was set or changed its rate
 * @from:	time of the last message before it, ns since the epoch; in text of the second host
 * @to:		of the first one after it
 * @step_ns:	how much the offset changed
 */
struct ktrace_sync_gap {
	double from;
	double to;
	double step_ns;
};

/** ktrace_sync_gap - get place number @k of pair number @i; false after the last */
bool ktrace_sync_gap(const struct ktrace_sync *sync, size_t i, size_t k,
		     struct ktrace_sync_gap *out);

/**
 * struct ktrace_sync_stats - what was used
 * @packets:	see there
 * @messages:	used as bounds
 * @broadcasts:	pairs of receptions of the same datagram: no bounds
 * @retransmitted: messages not used: it is not known which transmission arrived
 * @pings:	of recorders
 * @pings_left_out: with hosts that are not read, or by a clock that their trace does not have
 * @wall_readings: readings of wall clocks that are known to be synchronised
 * @back:	events where a clock went back, as in imported traces: then no error is known
 * @contradictions: times at which the bounds of several pairs contradict each other
 */
struct ktrace_sync_stats {
	struct ktrace_messages_stats packets;
	__u64 messages;
	__u64 broadcasts;
	__u64 retransmitted;
	__u64 pings;
	__u64 pings_left_out;
	__u64 wall_readings;
	__u64 back;
	__u64 contradictions;
};

/** ktrace_sync_stats - get the statistics */
void ktrace_sync_stats(const struct ktrace_sync *sync, struct ktrace_sync_stats *out);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
