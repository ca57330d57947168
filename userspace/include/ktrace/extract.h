/* SPDX-License-Identifier: LGPL-2.1 */
/* extract.h - some of the events of a traceset as a new tracefile */
#ifndef KTRACE_EXTRACT_H
#define KTRACE_EXTRACT_H

#include <ktrace/traceset.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ktrace_extract;

/**
 * ktrace_extract_create - begin a file with what is known about the files of a traceset
 * @set:	the traceset, of which no event need have been read
 * @path:	the new file; replaces what is there
 * @what:	what it has of the events, for people who look at it; may be NULL
 * @out:	the writer
 *
 * Of one file, the new one has all META text: clocks, streams, event types, names. Several
 * must be of the same boot of the same host: the new file has their streams and user events
 * under new numbers, and CLOCK_MONOTONIC for stamps, so that times are what they were.
 *
 * Return: 0; -EXDEV files of several boots, or none; -EEXIST @path is one of the files of
 * the traceset; -ENOMEM; or as ktrace_tracefile_create() and -errno of read(2).
 */
int ktrace_extract_create(const struct ktrace_traceset *set, const char *path, const char *what,
			  struct ktrace_extract **out);

/**
 * ktrace_extract_compress - from now on, store blocks compressed: see ktrace_tracefile_compress()
 */
int ktrace_extract_compress(struct ktrace_extract *x, int level);

/**
 * ktrace_extract_add - write an event
 * @x:		the writer
 * @event:	as it was delivered, losses as well; in the order of delivery
 *
 * What is not added is not there, and not lost. Stamps stay as they are, but for an event
 * that is incomplete: it is written where its end was known to be missing.
 *
 * Return: 0, -ENOMEM, -EOVERFLOW too many types of user events, or as
 * ktrace_tracefile_block().
 */
int ktrace_extract_add(struct ktrace_extract *x, const struct ktrace_trace_event *event);

/**
 * ktrace_extract_close - write the rest, index and end mark; free
 *
 * The traceset must still be there: threads get the names that it has learned.
 *
 * Return: 0, -ENOMEM, or as ktrace_tracefile_close(). NULL is allowed.
 */
int ktrace_extract_close(struct ktrace_extract *x);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
