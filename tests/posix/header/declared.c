/* SPDX-License-Identifier: GPL-2.0 */
/*
 * declared.c - all of <trace.h>, in the common part of C99, C11, C23 and C++
 *
 * Only to be compiled, with warnings as errors: `make languages` does so. Each function has
 * exactly the type that XBD <trace.h> has; with C11 even its address says so.
 */
#include <trace.h>

#define FUNCTION(result, name, parameters) \
	static result (*const address_of_##name)parameters = name;
#include "../functions.h"
#undef FUNCTION

#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define FUNCTION(result, name, parameters) \
	_Static_assert(_Generic(&name, result (*)parameters: 1, default: 0), #name);
#include "../functions.h"
#undef FUNCTION
#endif

/* Usable in #if, and what XBD <unistd.h> and <limits.h> allow. */
#if _POSIX_TRACE != 200809L || _POSIX_TRACE_EVENT_FILTER != 200809L || \
	_POSIX_TRACE_LOG != 200809L || _POSIX_TRACE_INHERIT != 200809L
#error options
#endif
#if TRACE_EVENT_NAME_MAX < _POSIX_TRACE_EVENT_NAME_MAX || _POSIX_TRACE_EVENT_NAME_MAX != 30 || \
	TRACE_NAME_MAX < _POSIX_TRACE_NAME_MAX || _POSIX_TRACE_NAME_MAX != 8 || \
	TRACE_SYS_MAX < _POSIX_TRACE_SYS_MAX || _POSIX_TRACE_SYS_MAX != 8 || \
	TRACE_USER_EVENT_MAX < _POSIX_TRACE_USER_EVENT_MAX || _POSIX_TRACE_USER_EVENT_MAX != 32
#error limits
#endif

/* Declared by each file that is compiled, and used by none. */
int names_of_trace_h(void);
int names_of_trace_h(void)
{
	struct posix_trace_event_info e;
	struct posix_trace_status_info s;
	trace_event_id_t *id = &e.posix_event_id;
	pid_t *pid = &e.posix_pid;
	void **address = &e.posix_prog_address;
	pthread_t *thread = &e.posix_thread_id;
	struct timespec *stamp = &e.posix_timestamp;
	int *cut = &e.posix_truncation_status;
	int *states[] = { &s.posix_stream_status, &s.posix_stream_full_status,
			  &s.posix_stream_overrun_status, &s.posix_stream_flush_status,
			  &s.posix_stream_flush_error, &s.posix_log_overrun_status,
			  &s.posix_log_full_status };
	size_t n = sizeof(trace_attr_t) + sizeof(trace_id_t) + sizeof(trace_event_set_t);
#define FUNCTION(result, name, parameters) n += address_of_##name != 0;
#include "../functions.h"
#undef FUNCTION

	(void)states;
	return n && id && pid && address && thread && stamp && cut;
}
