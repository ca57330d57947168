/* SPDX-License-Identifier: GPL-2.0 */
/*
 * keeper.h - a stream and its log, and the thread that moves events from one to the other
 *
 * Two locks. `lock` is for the stream and all words here; `log_lock`, taken first, for the log:
 * it is held while the log is written to, which may take any time.
 */
#ifndef KTRACE_POSIX_KEEPER_KEEPER_H
#define KTRACE_POSIX_KEEPER_KEEPER_H

#include <pthread.h>
#include "posix/log/log.h"
#include "posix/stream/stream.h"
#include "rpc.h"

/**
 * struct keeper - all there is
 * @lock:	see above
 * @log_lock:	see above
 * @changed:	something for the flusher to do, or it has done it
 * @stream:	the stream
 * @log:	NULL = none
 * @flusher:	thread; only if there is a log
 * @wanted:	flushes that were asked for
 * @address:	who asked for the last of them
 * @done:	up to which that is done
 * @is_flushing: events are being moved, or written
 * @is_marked:	FLUSH_START says so, and FLUSH_STOP will say that it is over
 * @is_ending:	the flusher is to end
 * @error:	first errno since the status was asked for
 * @flush_error: of the last flush
 * @log_status:	as last seen
 * @is_overrun:	of the log, since the status was asked for
 * @clock_s:	when the log was last told of the clocks, CLOCK_MONOTONIC
 */
struct keeper {
	pthread_mutex_t lock;
	pthread_mutex_t log_lock;
	pthread_cond_t changed;
	struct posix_stream *stream;
	struct posix_log *log;
	pthread_t flusher;
	__u64 wanted;
	const void *address;
	__u64 done;
	bool is_flushing;
	bool is_marked;
	bool is_ending;
	int error;
	int flush_error;
	struct posix_log_status log_status;
	bool is_overrun;
	__u64 clock_s;
};

int keeper_start_flusher(struct keeper *k);
void keeper_stop_flusher(struct keeper *k);

/* The next four are called with `lock`. */

/*
 * Asks for a flush and waits a little; @address: who called posix_trace_flush().
 * Return: 0, or the error if it has ended with one.
 */
int keeper_ask_flush(struct keeper *k, const void *address);

/* If it flushes by itself: waits a little until there is room for the controller's next events. */
void keeper_make_room(struct keeper *k);

/* posix_trace_clear(): of the stream, and of the log, for which it lets go of `lock` meanwhile. */
void keeper_clear(struct keeper *k);

/* posix_trace_get_status(): what is told once is taken back. */
void keeper_status(struct keeper *k, struct posix_trace_status_info *info);

/* Ends the stream, completes the log. Return: first errno of that. */
int keeper_shutdown(struct keeper *k, const void *address);

#endif
