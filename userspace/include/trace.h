/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * trace.h - tracing as in IEEE Std 1003.1-2008: options TRC, TEF, TRL and TRI
 *
 *   #include <trace.h>
 *
 *   trace_event_id_t hit;
 *   trace_id_t trid;
 *
 *   posix_trace_eventid_open("hit", &hit);
 *   posix_trace_create(0, NULL, &trid);		// this process, default attributes
 *   posix_trace_start(trid);
 *   posix_trace_event(hit, &value, sizeof(value));	// anywhere
 *   posix_trace_getnext_event(trid, &info, &value, sizeof(value), &len, &none);
 *   posix_trace_shutdown(trid);
 *
 * Link with the output of `pkg-config --libs libktrace-posix`. Each function has a manual page in
 * section 3 with its errors; posix_trace(7) describes the model, the limits, and the choices made
 * where the standard leaves one.
 *
 * Functions that return int return 0 or an error number; they do not set errno.
 * Context: any thread; for posix_trace_event() also any signal handler.
 */
#ifndef KTRACE_POSIX_TRACE_H
#define KTRACE_POSIX_TRACE_H

#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/*
 * The C library lacks these options and defines -1. sysconf() of -lktrace-posix returns these
 * values.
 */
#undef _POSIX_TRACE
#undef _POSIX_TRACE_EVENT_FILTER
#undef _POSIX_TRACE_INHERIT
#undef _POSIX_TRACE_LOG
#define _POSIX_TRACE			200809L
#define _POSIX_TRACE_EVENT_FILTER	200809L
#define _POSIX_TRACE_INHERIT		200809L
#define _POSIX_TRACE_LOG		200809L

/* The minimum values of the standard, then ours: what <limits.h> would define. */
#define _POSIX_TRACE_EVENT_NAME_MAX	30
#define _POSIX_TRACE_NAME_MAX		8
#define _POSIX_TRACE_SYS_MAX		8
#define _POSIX_TRACE_USER_EVENT_MAX	32

#define TRACE_EVENT_NAME_MAX	255	/* bytes of an event's name; buffers need one more */
#define TRACE_NAME_MAX		63	/* bytes of a stream's name or version, including the NUL */
#define TRACE_SYS_MAX		64	/* active streams of all processes of a user */
#define TRACE_USER_EVENT_MAX	1024	/* user event types of a process, with the unnamed one */

/* A stream, active or pre-recorded. */
typedef int trace_id_t;

/* An event type: 1 to 31 are system events, 32 and above user events, 0 is none. */
typedef unsigned int trace_event_id_t;

#define POSIX_TRACE_START		((trace_event_id_t)1)
#define POSIX_TRACE_STOP		((trace_event_id_t)2)
#define POSIX_TRACE_OVERFLOW		((trace_event_id_t)3)
#define POSIX_TRACE_RESUME		((trace_event_id_t)4)
#define POSIX_TRACE_ERROR		((trace_event_id_t)5)
#define POSIX_TRACE_FILTER		((trace_event_id_t)6)
#define POSIX_TRACE_FLUSH_START		((trace_event_id_t)7)
#define POSIX_TRACE_FLUSH_STOP		((trace_event_id_t)8)
#define POSIX_TRACE_UNNAMED_USEREVENT	((trace_event_id_t)32)
#define POSIX_TRACE_UNNAMED_USER_EVENT	POSIX_TRACE_UNNAMED_USEREVENT

/**
 * struct trace_attr_t - attributes of a stream, accessed only by the functions below
 */
typedef struct {
	unsigned long long __opaque[64];
} trace_attr_t;

/**
 * struct trace_event_set_t - a set of event types; a plain value that may be copied
 * @__word: bit id % 64 of word id / 64; accessed only by the functions below. Has more bits than a
 *		process has types, because ids are the same in all processes of a user
 */
typedef struct {
	unsigned long long __word[64];
} trace_event_set_t;

/* Streams: get_status() */
#define POSIX_TRACE_SUSPENDED		0
#define POSIX_TRACE_RUNNING		1
#define POSIX_TRACE_NOT_FULL		0
#define POSIX_TRACE_FULL		1
#define POSIX_TRACE_NO_OVERRUN		0
#define POSIX_TRACE_OVERRUN		1
#define POSIX_TRACE_NOT_FLUSHING	0
#define POSIX_TRACE_FLUSHING		1

/* Events: posix_truncation_status */
#define POSIX_TRACE_NOT_TRUNCATED	0
#define POSIX_TRACE_TRUNCATED_RECORD	1	/* longer than max-data-size */
#define POSIX_TRACE_TRUNCATED_READ	2	/* longer than the reader's buffer */

/* Policies of a full stream or a full log. */
#define POSIX_TRACE_LOOP		1
#define POSIX_TRACE_UNTIL_FULL		2
#define POSIX_TRACE_FLUSH		3	/* streams only */
#define POSIX_TRACE_APPEND		4	/* logs only */

#define POSIX_TRACE_CLOSE_FOR_CHILD	1
#define POSIX_TRACE_INHERITED		2

/* posix_trace_eventset_fill() */
#define POSIX_TRACE_WOPID_EVENTS	1	/* system events that belong to no process */
#define POSIX_TRACE_SYSTEM_EVENTS	2	/* system events */
#define POSIX_TRACE_ALL_EVENTS		3	/* system and all user events, also later ones */

/* posix_trace_set_filter() */
#define POSIX_TRACE_SET_EVENTSET	1
#define POSIX_TRACE_ADD_EVENTSET	2
#define POSIX_TRACE_SUB_EVENTSET	3

/* In place of a process: all processes of the caller's user that use the library. An extension. */
#define POSIX_TRACE_ALLPROC		((pid_t)-1)

/**
 * struct posix_trace_event_info - data of an event besides its payload
 * @posix_event_id:		its type
 * @posix_pid:			its process, 0 = none
 * @posix_prog_address:		the call of posix_trace_event() that emitted it
 * @posix_thread_id:		its thread, 0 = none
 * @posix_timestamp:		its time, CLOCK_REALTIME
 * @posix_truncation_status:	POSIX_TRACE_NOT_TRUNCATED, _TRUNCATED_RECORD, _TRUNCATED_READ
 */
struct posix_trace_event_info {
	trace_event_id_t posix_event_id;
	pid_t posix_pid;
	void *posix_prog_address;
	pthread_t posix_thread_id;
	struct timespec posix_timestamp;
	int posix_truncation_status;
};

/**
 * struct posix_trace_status_info - the state of a stream, and of its log
 * @posix_stream_status:		POSIX_TRACE_RUNNING, _SUSPENDED
 * @posix_stream_full_status:		POSIX_TRACE_FULL, _NOT_FULL
 * @posix_stream_overrun_status:	POSIX_TRACE_OVERRUN, _NO_OVERRUN since the last query
 * @posix_stream_flush_status:		POSIX_TRACE_FLUSHING, _NOT_FLUSHING
 * @posix_stream_flush_error:		first error number of flushing since the last query, or 0
 * @posix_log_overrun_status:		POSIX_TRACE_OVERRUN, _NO_OVERRUN since the last query
 * @posix_log_full_status:		POSIX_TRACE_FULL, _NOT_FULL
 * @posix_stream_lost:			an extension: events lost since the stream was created, by
 *					enum ktrace_lost_reason of <linux/ktrace_ring.h>
 */
struct posix_trace_status_info {
	int posix_stream_status;
	int posix_stream_full_status;
	int posix_stream_overrun_status;
	int posix_stream_flush_status;
	int posix_stream_flush_error;
	int posix_log_overrun_status;
	int posix_log_full_status;
	int __reserved;
	unsigned long long posix_stream_lost[8];
};

/*
 * Attributes. All functions return EINVAL for an object that was not initialized, or was destroyed.
 */
int posix_trace_attr_init(trace_attr_t *__attr);
int posix_trace_attr_destroy(trace_attr_t *__attr);
int posix_trace_attr_getclockres(const trace_attr_t *__attr, struct timespec *__resolution);
int posix_trace_attr_getcreatetime(const trace_attr_t *__attr, struct timespec *__createtime);
int posix_trace_attr_getgenversion(const trace_attr_t *__attr, char *__genversion);
int posix_trace_attr_getinherited(const trace_attr_t *__restrict __attr,
				  int *__restrict __inheritancepolicy);
int posix_trace_attr_getlogfullpolicy(const trace_attr_t *__restrict __attr,
				      int *__restrict __logpolicy);
int posix_trace_attr_getlogsize(const trace_attr_t *__restrict __attr,
				size_t *__restrict __logsize);
int posix_trace_attr_getmaxdatasize(const trace_attr_t *__restrict __attr,
				    size_t *__restrict __maxdatasize);
int posix_trace_attr_getmaxsystemeventsize(const trace_attr_t *__restrict __attr,
					   size_t *__restrict __eventsize);
int posix_trace_attr_getmaxusereventsize(const trace_attr_t *__restrict __attr,
					 size_t __data_len, size_t *__restrict __eventsize);
int posix_trace_attr_getname(const trace_attr_t *__attr, char *__tracename);
int posix_trace_attr_getstreamfullpolicy(const trace_attr_t *__restrict __attr,
					 int *__restrict __streampolicy);
int posix_trace_attr_getstreamsize(const trace_attr_t *__restrict __attr,
				   size_t *__restrict __streamsize);
int posix_trace_attr_setinherited(trace_attr_t *__attr, int __inheritancepolicy);
int posix_trace_attr_setlogfullpolicy(trace_attr_t *__attr, int __logpolicy);
int posix_trace_attr_setlogsize(trace_attr_t *__attr, size_t __logsize);
int posix_trace_attr_setmaxdatasize(trace_attr_t *__attr, size_t __maxdatasize);
int posix_trace_attr_setname(trace_attr_t *__attr, const char *__tracename);
int posix_trace_attr_setstreamfullpolicy(trace_attr_t *__attr, int __streampolicy);
int posix_trace_attr_setstreamsize(trace_attr_t *__attr, size_t __streamsize);

/* Streams: only the process that created a stream may use these. */
int posix_trace_create(pid_t __pid, const trace_attr_t *__restrict __attr,
		       trace_id_t *__restrict __trid);
int posix_trace_create_withlog(pid_t __pid, const trace_attr_t *__restrict __attr,
			       int __file_desc, trace_id_t *__restrict __trid);
int posix_trace_flush(trace_id_t __trid);
int posix_trace_shutdown(trace_id_t __trid);
int posix_trace_clear(trace_id_t __trid);
int posix_trace_start(trace_id_t __trid);
int posix_trace_stop(trace_id_t __trid);
int posix_trace_get_attr(trace_id_t __trid, trace_attr_t *__attr);
int posix_trace_get_status(trace_id_t __trid, struct posix_trace_status_info *__statusinfo);
int posix_trace_get_filter(trace_id_t __trid, trace_event_set_t *__set);
int posix_trace_set_filter(trace_id_t __trid, const trace_event_set_t *__set, int __how);

/* Logs: a pre-recorded stream of a log file. */
int posix_trace_open(int __file_desc, trace_id_t *__trid);
int posix_trace_rewind(trace_id_t __trid);
int posix_trace_close(trace_id_t __trid);

/* Event types. */
int posix_trace_eventid_open(const char *__restrict __event_name,
			     trace_event_id_t *__restrict __event_id);
int posix_trace_trid_eventid_open(trace_id_t __trid, const char *__restrict __event_name,
				  trace_event_id_t *__restrict __event);
int posix_trace_eventid_equal(trace_id_t __trid, trace_event_id_t __event1,
			      trace_event_id_t __event2);
int posix_trace_eventid_get_name(trace_id_t __trid, trace_event_id_t __event,
				 char *__event_name);
int posix_trace_eventtypelist_getnext_id(trace_id_t __trid,
					 trace_event_id_t *__restrict __event,
					 int *__restrict __unavailable);
int posix_trace_eventtypelist_rewind(trace_id_t __trid);

/* Sets of event types. */
int posix_trace_eventset_add(trace_event_id_t __event_id, trace_event_set_t *__set);
int posix_trace_eventset_del(trace_event_id_t __event_id, trace_event_set_t *__set);
int posix_trace_eventset_empty(trace_event_set_t *__set);
int posix_trace_eventset_fill(trace_event_set_t *__set, int __what);
int posix_trace_eventset_ismember(trace_event_id_t __event_id,
				  const trace_event_set_t *__restrict __set,
				  int *__restrict __ismember);

/*
 * In the traced program. Bound at load time, because the dynamic linker needs more stack to bind a
 * function lazily.
 */
#if defined(__GNUC__) && !defined(__clang__) && defined(__LP64__)
__attribute__((__noplt__))
#endif
void posix_trace_event(trace_event_id_t __event_id, const void *__restrict __data_ptr,
		       size_t __data_len);

#ifdef __GNUC__

/* Only for the function below: bit mask of the streams that trace this process. */
extern const volatile unsigned long long *ktrace_posix_streams;

static __inline__ __attribute__((__always_inline__, __unused__)) void
ktrace_posix_event(trace_event_id_t __event_id, const void *__restrict __data_ptr,
		   size_t __data_len)
{
	if (__builtin_expect(*ktrace_posix_streams != 0, 0)) {
		posix_trace_event(__event_id, __data_ptr, __data_len);
		__asm__ __volatile__("");	/* a call, not a jump: gives the event an address */
	}
}

/* Makes an event nearly free when nothing is traced. The function itself stays available. */
#if !defined(__cplusplus) || __cplusplus >= 201103L
#define posix_trace_event(...) ktrace_posix_event(__VA_ARGS__)
#else
#define posix_trace_event ktrace_posix_event
#endif

#endif

/* Reading. */
int posix_trace_getnext_event(trace_id_t __trid, struct posix_trace_event_info *__restrict __event,
			      void *__restrict __data, size_t __num_bytes,
			      size_t *__restrict __data_len, int *__restrict __unavailable);
int posix_trace_timedgetnext_event(trace_id_t __trid,
				   struct posix_trace_event_info *__restrict __event,
				   void *__restrict __data, size_t __num_bytes,
				   size_t *__restrict __data_len, int *__restrict __unavailable,
				   const struct timespec *__restrict __abstime);
int posix_trace_trygetnext_event(trace_id_t __trid,
				 struct posix_trace_event_info *__restrict __event,
				 void *__restrict __data, size_t __num_bytes,
				 size_t *__restrict __data_len, int *__restrict __unavailable);

/* Like sysconf(), but knows _SC_TRACE and so on, as the library's own sysconf() does. */
long ktrace_posix_sysconf(int __name);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_POSIX_TRACE_H */
