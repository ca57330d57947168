/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * position.h - positions in a traceset, to return to and to read up to
 *
 * A position is in front of an event: after seeking to it, that event is the next one again, even
 * between events with equal stamps, in front of a loss, while fragments of other events are
 * pending, and at the end. It refers to places in files, and so stays valid in another process, as
 * text, and while files grow: a position at the former end is then followed by the new events, and
 * new streams start at their beginning.
 *
 * A position that has not been saved yet is "not set": seeking to it is a no-op, and as a limit it
 * means none. Positions are independent of a traceset; they are valid for any traceset with the
 * same files in the same order.
 *
 * Functions return 0 or -errno.
 */
#ifndef KTRACE_POSITION_H
#define KTRACE_POSITION_H

#include <ktrace/traceset.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ktrace_position;

#define KTRACE_TIME_NONE (~0ull)

/**
 * ktrace_position_new - create a position that is not set
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_position_new(struct ktrace_position **out);

/** ktrace_position_free - free a position; NULL is allowed */
void ktrace_position_free(struct ktrace_position *pos);

/**
 * ktrace_position_copy - copy @from to @to
 *
 * Return: 0; -ENOMEM, and @to is unchanged.
 */
int ktrace_position_copy(struct ktrace_position *to, const struct ktrace_position *from);

/** ktrace_position_is_set - true if it has been saved */
bool ktrace_position_is_set(const struct ktrace_position *pos);

/**
 * ktrace_position_time - get the time of the event after a position
 *
 * More exactly, the time of the next record in merge order; a fragmented event that ends later has
 * a later time.
 *
 * Return: ns since the epoch, KTRACE_TIME_NONE at the end or if it is not set.
 */
__u64 ktrace_position_time(const struct ktrace_position *pos);

/**
 * ktrace_position_compare - compare two positions
 *
 * Compares stream by stream in order of trace and id; the first difference decides. For positions
 * met in one reading this is the reading order. If one stream is further ahead in @a and another in
 * @b, the order means little. A position that is not set comes after all others.
 *
 * Return: -1 @a comes first, 0 they are equal, 1 @b comes first.
 */
int ktrace_position_compare(const struct ktrace_position *a, const struct ktrace_position *b);

/**
 * ktrace_position_save - save the current position of a traceset
 *
 * Invalidates the payload of the event delivered last.
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_position_save(struct ktrace_traceset *set, struct ktrace_position *pos);

/**
 * ktrace_traceset_seek_position - seek to a position, backward or forward
 *
 * Loads one section for each stream, and those with fragments of pending events. Thread names from
 * skipped events may be missing. After a failure the traceset is unchanged. The counts of
 * ktrace_traceset_stats() continue.
 *
 * Return: 0; -EINVAL if the position refers to other files or another number of them; -EAGAIN if it
 * is beyond the part of a file read so far: see ktrace_traceset_poll(); -EBADMSG if there is no
 * event at such a place, or it has been damaged; -ENOMEM.
 */
int ktrace_traceset_seek_position(struct ktrace_traceset *set, const struct ktrace_position *pos);

/**
 * ktrace_position_to_text - convert a position to one word
 * @pos:	the position
 * @buf:	out: the word with a NUL, truncated to @size
 * @size:	size of @buf, may be 0
 *
 * The word consists of letters, digits and "./,+", about thirty characters for each stream.
 *
 * Return: length of the complete word.
 */
size_t ktrace_position_to_text(const struct ktrace_position *pos, char *buf, size_t size);

/**
 * ktrace_position_from_text - parse the text of a position
 *
 * Return: 0; -EINVAL if it is not such a word, -ENOMEM; on failure @pos is unchanged.
 */
int ktrace_position_from_text(struct ktrace_position *pos, const char *text);

/** enum ktrace_stop - why reading stopped */
enum ktrace_stop {
	KTRACE_STOP_NONE = 0,	/* it did not stop */
	KTRACE_STOP_END,	/* no more events, or none yet */
	KTRACE_STOP_COUNT,
	KTRACE_STOP_POSITION,
	KTRACE_STOP_TIME,
	KTRACE_STOP_HOOK,	/* a hook requested it */
};

#define KTRACE_COUNT_NONE (~0ull)

/**
 * struct ktrace_until - how far to read; begin with KTRACE_UNTIL_INIT
 * @size:	sizeof(struct ktrace_until)
 * @time:	stop before the first event at this time or later; KTRACE_TIME_NONE
 * @position:	stop here, or at once if this has been passed; NULL or not set: none
 * @count:	stop after so many events, including losses; KTRACE_COUNT_NONE
 * @completes_time: after the last of @count events, continue while the time is the same: a reader
 *		that resumes at the next ns then misses none
 * @delivered:	out: events so far
 * @last:	out: time of the last one
 * @stop:	out: why reading stopped
 */
struct ktrace_until {
	size_t size;
	__u64 time;
	const struct ktrace_position *position;
	__u64 count;
	bool completes_time;
	__u64 delivered;
	__u64 last;
	enum ktrace_stop stop;
};

#define KTRACE_UNTIL_INIT { .size = sizeof(struct ktrace_until), .time = KTRACE_TIME_NONE, \
			    .count = KTRACE_COUNT_NONE }

/**
 * ktrace_traceset_next_until - read the next event, unless a limit is reached
 *
 * Checks the limits before taking an event, so that this event is the next one for later reads.
 * Checks them in the order of enum ktrace_stop. @until->delivered accumulates from call to call.
 *
 * Return: 1; 0 for the reason in @until->stop; -EINVAL for limits of an unknown size or a position
 * of other files; -ENOMEM.
 */
int ktrace_traceset_next_until(struct ktrace_traceset *set, struct ktrace_until *until,
			       struct ktrace_trace_event *event);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
