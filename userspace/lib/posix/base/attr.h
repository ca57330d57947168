/* SPDX-License-Identifier: LGPL-2.1 */
/* attr.h - the content of a trace_attr_t */
#ifndef KTRACE_POSIX_BASE_ATTR_H
#define KTRACE_POSIX_BASE_ATTR_H

#include <stdbool.h>

#include <trace.h>

/* Sizes in bytes. A stream is never smaller than the minimum. */
#define POSIX_STREAM_SIZE_MIN 8192u
#define POSIX_STREAM_SIZE_MAX ((size_t)1 << 30)
#define POSIX_STREAM_SIZE 65536u
#define POSIX_LOG_SIZE_MIN 8192u
#define POSIX_LOG_SIZE_MAX ((size_t)1 << 40)
#define POSIX_LOG_SIZE ((size_t)1 << 20)
#define POSIX_DATA_SIZE 1024u

/**
 * struct posix_attr - attributes in internal form
 * @generation:	version of the trace system that created the stream
 * @name:	name of the stream
 * @resolution:	resolution of the stamps' clock
 * @created:	CLOCK_REALTIME; 0 = not yet
 * @stream_size: stream-min-size; for a stream, its real capacity
 * @log_size:	log-max-size
 * @data_size:	max-data-size
 * @stream_policy: POSIX_TRACE_LOOP, _UNTIL_FULL, _FLUSH; 0 = not set, which means LOOP for create()
 *		and FLUSH for create_withlog()
 * @log_policy:	POSIX_TRACE_LOOP, _UNTIL_FULL, _APPEND
 * @inheritance: POSIX_TRACE_CLOSE_FOR_CHILD, _INHERITED
 */
struct posix_attr {
	char generation[TRACE_NAME_MAX];
	char name[TRACE_NAME_MAX];
	struct timespec resolution;
	struct timespec created;
	size_t stream_size;
	size_t log_size;
	size_t data_size;
	int stream_policy;
	int log_policy;
	int inheritance;
};

struct timespec ktrace_posix_resolution(unsigned long long hz);
void ktrace_posix_attr_defaults(struct posix_attr *a);
int ktrace_posix_attr_read(const trace_attr_t *attr, struct posix_attr *out);
void ktrace_posix_attr_write(const struct posix_attr *a, trace_attr_t *out);
bool ktrace_posix_attr_is_possible(const struct posix_attr *a);

#endif
