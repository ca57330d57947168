/* SPDX-License-Identifier: GPL-2.0 */
/*
 * keeper.h - a stream and its log, and the thread that moves events from one to the other
 *
 * Two locks: `lock` protects the stream and all members here; `log_lock`, taken first, protects the
 * log and is held during writes to it, which may take any time.
 */
#ifndef KTRACE_POSIX_KEEPER_KEEPER_H
#define KTRACE_POSIX_KEEPER_KEEPER_H

#include <pthread.h>
#include "posix/log/log.h"
#include "posix/stream/stream.h"
#include "rpc.h"

/**
 * struct keeper - state of the keeper
 * @lock:	see above; protects the stream and all members
 * @log_lock:	see above; protects the log
 * @changed:	signalled when the flusher has something to do, or has done it
 * @stream:	the stream
 * @log:	the log, NULL = none
 * @flusher:	its thread; only with a log
 * @wanted:	number of flushes requested
 * @address:	caller of the last request
 * @done:	number of the last request completed
 * @is_flushing: true while events are being moved or written
 * @is_marked:	true if FLUSH_START was recorded, so that FLUSH_STOP must follow
 * @is_ending:	tells the flusher to end
 * @error:	first errno since the status was queried
 * @flush_error: errno of the last flush
 * @log_status:	the log's status as last seen
 * @is_overrun:	overrun of the log since the status was queried
 * @clock_s:	time of the last clock reading in the log, CLOCK_MONOTONIC
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

/* The next four functions are called with `lock`. */

/*
 * Requests a flush and waits briefly; @address: the caller of posix_trace_flush(). Returns 0, or
 * the flush's error if it has already failed.
 */
int keeper_ask_flush(struct keeper *k, const void *address);

/* With automatic flushing: waits briefly for room for the controller's next events. */
void keeper_make_room(struct keeper *k);

/* Clears the stream and the log, for posix_trace_clear(). Releases `lock` meanwhile. */
void keeper_clear(struct keeper *k);

/* Gets the status, for posix_trace_get_status(), and resets what is reported only once. */
void keeper_status(struct keeper *k, struct posix_trace_status_info *info);

/* Ends the stream and completes the log. Returns the first errno. */
int keeper_shutdown(struct keeper *k, const void *address);

#endif
