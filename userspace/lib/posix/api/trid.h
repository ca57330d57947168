/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * trid.h - stream identifiers of this process: active streams and logs that were opened
 *
 * A trid is valid in the process that got it, until it is given back: not in a forked
 * child. While a function works on what is behind one it holds a reference, so that a
 * shutdown in another thread waits for it.
 */
#ifndef KTRACE_POSIX_API_TRID_H
#define KTRACE_POSIX_API_TRID_H

#include <stdbool.h>
#include <trace.h>

struct posix_control;	/* an active stream, seen from its controller: control.h */
struct posix_recorded;	/* a log that was opened: recorded.h */

/**
 * struct posix_trid - what a trid stands for
 * @control:	active stream, or NULL
 * @recorded:	pre-recorded stream, or NULL
 */
struct posix_trid {
	struct posix_control *control;
	struct posix_recorded *recorded;
};

/**
 * ktrace_posix_trid_new - give out a trid
 * @what:	what it stands for, copied
 * @out:	the trid
 *
 * Return: 0 or EAGAIN: as many are in use as there can be.
 */
int ktrace_posix_trid_new(const struct posix_trid *what, trace_id_t *out);

/**
 * ktrace_posix_trid_get - what a trid stands for
 *
 * Return: NULL for one that is not valid in this process. Otherwise it stays valid until
 * ktrace_posix_trid_put().
 */
struct posix_trid *ktrace_posix_trid_get(trace_id_t trid);

/** ktrace_posix_trid_put - done with it; takes NULL */
void ktrace_posix_trid_put(struct posix_trid *t);

/**
 * ktrace_posix_trid_take - make a trid invalid
 * @trid:	the trid
 * @is_active:	it has to be an active stream's, or else a recorded one's
 * @out:	what it stood for
 *
 * Waits until no other thread works on it; one that waits for events must have been woken:
 * ktrace_posix_control_interrupt() is called for active ones.
 *
 * Return: 0 or EINVAL.
 */
int ktrace_posix_trid_take(trace_id_t trid, bool is_active, struct posix_trid *out);

#endif
