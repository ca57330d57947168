// SPDX-License-Identifier: LGPL-2.1
/* open.c - posix_trace_open(), posix_trace_rewind(), posix_trace_close() */
#include <trace.h>

#include "control.h"
#include "posix/log/recorded.h"

/**
 * posix_trace_open - open a pre-recorded stream (PTRC-77)
 * @file_desc:	a log or a file of ktraced, open for reading; stays the caller's
 * @trid:	the stream, at its oldest event
 *
 * Reads the whole file to check that it is complete. Allowed to be a cancellation point, but is
 * not.
 *
 * Return: 0; EINVAL if it is not open for reading, not a log, incomplete, or from another kind of
 * machine, or for NULL; EAGAIN if this process has too many streams; ENOMEM.
 */
int posix_trace_open(int file_desc, trace_id_t *trid)
{
	struct posix_trid what = { 0 };
	struct posix_caller caller;
	int ret = EINVAL;

	posix_caller_enter(&caller);
	if (trid)
		ret = ktrace_posix_recorded_open(file_desc, &what.recorded);
	if (!ret)
		ret = ktrace_posix_trid_new(&what, trid);
	if (ret && what.recorded)
		ktrace_posix_recorded_close(what.recorded);
	return posix_caller_leave(&caller, ret);
}

/**
 * posix_trace_rewind - return to the oldest event of a pre-recorded stream (PTRC-78)
 *
 * Return: 0; EINVAL not a pre-recorded stream of this process; ENOMEM.
 */
int posix_trace_rewind(trace_id_t trid)
{
	struct posix_call c;
	int ret = EINVAL;

	if (!ktrace_posix_call_begin(&c, trid))
		return EINVAL;
	if (!c.control)
		ret = ktrace_posix_recorded_rewind(c.trid->recorded);
	return ktrace_posix_call_end(&c, ret);
}

/**
 * posix_trace_close - end a pre-recorded stream (PTRC-78)
 *
 * The file stays open.
 *
 * Return: 0; EINVAL not a pre-recorded stream of this process.
 */
int posix_trace_close(trace_id_t trid)
{
	struct posix_caller caller;
	struct posix_trid t;
	int ret;

	posix_caller_enter(&caller);
	ret = ktrace_posix_trid_take(trid, false, &t);
	if (!ret)
		ktrace_posix_recorded_close(t.recorded);
	return posix_caller_leave(&caller, ret);
}
