/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * position.h - places in a traceset, to come back to and to read up to
 *
 * A position is in front of an event: going back to it, that event is the next again, also
 * in the middle of events with equal stamps, in front of a loss, while fragments of other
 * events are pending, and at the end. It names places in files and so holds in another
 * process, as text, and while files grow: what was their end then is not the end any more,
 * and streams that were not there begin at their beginning.
 *
 * A position that was not saved to yet is "not set": going there does nothing, and as an
 * end to read up to it means none. Positions do not belong to a traceset; they hold for any
 * with the same files in the same order.
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
 * ktrace_position_new - a position that is not set
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_position_new(struct ktrace_position **out);

/** ktrace_position_free - NULL is allowed */
void ktrace_position_free(struct ktrace_position *pos);

/**
 * ktrace_position_copy - makes @to the same as @from
 *
 * Return: 0, -ENOMEM, then @to is as before.
 */
int ktrace_position_copy(struct ktrace_position *to, const struct ktrace_position *from);

/** ktrace_position_is_set - has it been saved to? */
bool ktrace_position_is_set(const struct ktrace_position *pos);

/**
 * ktrace_position_time - time of the event behind it
 *
 * Of the record that is next in the order of the merge, to be exact; a fragmented event
 * that ends later has a later time.
 *
 * Return: ns since the epoch, KTRACE_TIME_NONE at the end or if it is not set.
 */
__u64 ktrace_position_time(const struct ktrace_position *pos);

/**
 * ktrace_position_compare - which of two positions comes first
 *
 * Streams are compared in order of trace and id, the first that differs decides. So it is
 * the order of reading for positions that are met in one reading; of two where one stream
 * is further in this and another in that, the order says little. A position that is not
 * set comes behind all others.
 *
 * Return: -1 @a comes first, 0 they are the same, 1 @b comes first.
 */
int ktrace_position_compare(const struct ktrace_position *a, const struct ktrace_position *b);

/**
 * ktrace_position_save - remembers where a traceset is
 *
 * The payload of the event delivered last is not valid any more.
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_position_save(struct ktrace_traceset *set, struct ktrace_position *pos);

/**
 * ktrace_traceset_seek_position - goes back to a position, or forward
 *
 * One section is loaded for each stream, and those with fragments of pending events.
 * Names of threads that earlier events would have told may be missing.
 * After a failure the traceset is where it was. What ktrace_traceset_stats() counts goes on.
 *
 * Return: 0, -EINVAL it is of other files or of another number of them, -EAGAIN it is behind
 * what has been looked at of a file: see ktrace_traceset_poll(), -EBADMSG there is no event
 * at such a place, or it is damaged by now, -ENOMEM.
 */
int ktrace_traceset_seek_position(struct ktrace_traceset *set, const struct ktrace_position *pos);

/**
 * ktrace_position_to_text - a position as one word
 * @pos:	the position
 * @buf:	where it goes, with a NUL, cut off at @size
 * @size:	room, may be 0
 *
 * The word has letters, digits and "./,+" only, some thirty for each stream.
 *
 * Return: length of the whole word.
 */
size_t ktrace_position_to_text(const struct ktrace_position *pos, char *buf, size_t size);

/**
 * ktrace_position_from_text - the opposite
 *
 * Return: 0, or with @pos as before: -EINVAL it is no such word, -ENOMEM.
 */
int ktrace_position_from_text(struct ktrace_position *pos, const char *text);

/** enum ktrace_stop - why reading stopped */
enum ktrace_stop {
	KTRACE_STOP_NONE = 0,	/* it did not */
	KTRACE_STOP_END,	/* there is nothing more, or nothing more yet */
	KTRACE_STOP_COUNT,
	KTRACE_STOP_POSITION,
	KTRACE_STOP_TIME,
	KTRACE_STOP_HOOK,	/* a hook said so */
};

#define KTRACE_COUNT_NONE (~0ull)

/**
 * struct ktrace_until - how far to read; begin with KTRACE_UNTIL_INIT
 * @size:	sizeof(struct ktrace_until)
 * @time:	stop in front of the first event at this time or later; KTRACE_TIME_NONE
 * @position:	stop here, or at once if this has been passed; NULL or not set: none
 * @count:	stop behind so many events, losses included; KTRACE_COUNT_NONE
 * @completes_time: behind the last of @count events go on as long as the time is the same:
 *		who goes on at the next ns then leaves none out
 * @delivered:	events so far
 * @last:	time of the last one
 * @stop:	why it stopped
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
 * ktrace_traceset_next_until - the next event, unless a limit is reached
 *
 * Limits are looked at before an event is taken: it is the next for who reads on. They are
 * looked at in the order of enum ktrace_stop. @until->delivered goes on from call to call.
 *
 * Return: 1, 0 for the reason in @until->stop, -EINVAL for limits of an unknown size or a
 * position of other files, -ENOMEM.
 */
int ktrace_traceset_next_until(struct ktrace_traceset *set, struct ktrace_until *until,
			       struct ktrace_trace_event *event);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
