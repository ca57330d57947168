/* SPDX-License-Identifier: LGPL-2.1 */
/* extract.h - write a selection of a traceset's events to a new tracefile */
#ifndef KTRACE_EXTRACT_H
#define KTRACE_EXTRACT_H

#include <ktrace/traceset.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ktrace_extract;

/**
 * ktrace_extract_create - begin a file, with the metadata of a traceset's files
 * @set:	the traceset; no event need have been read from it
 * @path:	the new file; replaces an existing one
 * @what:	description of the selection, for people; may be NULL
 * @out:	the writer
 *
 * From a single file, the new one gets all META text: clocks, streams, event types, names. Several
 * files must be from the same boot of the same host: the new file renumbers their streams and user
 * events, and uses CLOCK_MONOTONIC for stamps, so that times stay the same.
 *
 * Return: 0; -EXDEV if the files are from several boots or there are none; -EEXIST if @path is one
 * of the files of the traceset; -ENOMEM; or as ktrace_tracefile_create() and -errno of read(2).
 */
int ktrace_extract_create(const struct ktrace_traceset *set, const char *path, const char *what,
			  struct ktrace_extract **out);

/**
 * ktrace_extract_compress - compress blocks from now on: see ktrace_tracefile_compress()
 */
int ktrace_extract_compress(struct ktrace_extract *x, int level);

/**
 * ktrace_extract_add - write an event
 * @x:		the writer
 * @event:	as delivered, losses included; in the order of delivery
 *
 * Events that are not added are absent, not lost. Stamps stay as they are, with one exception: an
 * incomplete event is written where its end was known to be missing.
 *
 * Return: 0, -ENOMEM, -EOVERFLOW too many types of user events, or as
 * ktrace_tracefile_block().
 */
int ktrace_extract_add(struct ktrace_extract *x, const struct ktrace_trace_event *event);

/**
 * ktrace_extract_close - write the rest, the index and the end mark; free
 *
 * The traceset must still be open: it supplies the names of threads learned while reading.
 *
 * Return: 0, -ENOMEM, or as ktrace_tracefile_close(). NULL is allowed.
 */
int ktrace_extract_close(struct ktrace_extract *x);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
