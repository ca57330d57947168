/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * trid.h - stream identifiers of this process: active streams and opened logs
 *
 * A trid is valid in the process that got it until it is taken back, but not in a forked child. A
 * function holds a reference while it uses the object of a trid, so that a shutdown in another
 * thread waits for it.
 */
#ifndef KTRACE_POSIX_API_TRID_H
#define KTRACE_POSIX_API_TRID_H

#include <stdbool.h>
#include <trace.h>

struct posix_control;	/* an active stream as seen by its controller: control.h */
struct posix_recorded;	/* an opened log: recorded.h */

/**
 * struct posix_trid - the object of a trid
 * @control:	active stream, or NULL
 * @recorded:	pre-recorded stream, or NULL
 */
struct posix_trid {
	struct posix_control *control;
	struct posix_recorded *recorded;
};

/**
 * ktrace_posix_trid_new - allocate a trid
 * @what:	its object, copied
 * @out:	the trid
 *
 * Return: 0, or EAGAIN if all trids are in use.
 */
int ktrace_posix_trid_new(const struct posix_trid *what, trace_id_t *out);

/**
 * ktrace_posix_trid_get - get the object of a trid
 *
 * Return: NULL for a trid that is not valid in this process. Otherwise the object stays valid until
 * ktrace_posix_trid_put().
 */
struct posix_trid *ktrace_posix_trid_get(trace_id_t trid);

/** ktrace_posix_trid_put - drop the reference; NULL is allowed */
void ktrace_posix_trid_put(struct posix_trid *t);

/**
 * ktrace_posix_trid_take - invalidate a trid
 * @trid:	the trid
 * @is_active:	true for an active stream's trid, false for a recorded one's
 * @out:	out: its object
 *
 * Waits until no other thread uses it. For active streams, ktrace_posix_control_interrupt() wakes
 * threads that wait for events.
 *
 * Return: 0 or EINVAL.
 */
int ktrace_posix_trid_take(trace_id_t trid, bool is_active, struct posix_trid *out);

#endif
