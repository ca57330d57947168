// SPDX-License-Identifier: LGPL-2.1
/*
 * attr.c - attributes of streams: posix_trace_attr_*()
 *
 * An object is plain memory: destroying it frees nothing, and a stream does not change with the
 * object it was created from (PTRC-04). An object that was not initialized, or was destroyed, lacks
 * the magic number and is refused. A size that is not possible is replaced by the next possible one
 * (PTRC-09); an unknown policy is refused with EINVAL (PTRC-14).
 */
#include "attr.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "event.h"

#define ATTR_MAGIC 0x6b74617474723031ull

/* struct attr_object - a trace_attr_t */
struct attr_object {
	unsigned long long magic;
	struct posix_attr is;
};

_Static_assert(sizeof(struct attr_object) <= sizeof(trace_attr_t), "trace_attr_t has room");
_Static_assert(_Alignof(struct attr_object) <= _Alignof(trace_attr_t), "and is aligned");
_Static_assert(sizeof("ktrace " KTRACE_VERSION) <= TRACE_NAME_MAX, "PTRC-05");

/* Returns NULL if it is not an attributes object. */
static const struct posix_attr *read_object(const trace_attr_t *attr)
{
	const struct attr_object *o = (const void *)attr;

	return o && o->magic == ATTR_MAGIC ? &o->is : NULL;
}

static struct posix_attr *write_object(trace_attr_t *attr)
{
	return (struct posix_attr *)read_object(attr);
}

/*
 * ktrace_posix_resolution - get the resolution of stamps from a clock of @hz (PTRC-08); 0 = unknown
 *
 * Returns 1 ns unless the clock is slower. The cycle counter usually is not, nor is
 * CLOCK_MONOTONIC; clock_getres() reports the resolution of timers instead.
 */
struct timespec ktrace_posix_resolution(unsigned long long hz)
{
	return (struct timespec) { 0, hz && hz < NS_PER_S ? (long)(NS_PER_S / hz) : 1 };
}

void ktrace_posix_attr_defaults(struct posix_attr *a)
{
	*a = (struct posix_attr){
		.generation = "ktrace " KTRACE_VERSION,
		.stream_size = POSIX_STREAM_SIZE,
		.log_size = POSIX_LOG_SIZE,
		.data_size = POSIX_DATA_SIZE,
		.log_policy = POSIX_TRACE_LOOP,
		.inheritance = POSIX_TRACE_CLOSE_FOR_CHILD,
		.resolution = ktrace_posix_resolution(0),
	};
}

static bool is_stream_policy(int policy)
{
	return policy == POSIX_TRACE_LOOP || policy == POSIX_TRACE_UNTIL_FULL ||
	       policy == POSIX_TRACE_FLUSH;
}

static bool is_log_policy(int policy)
{
	return policy == POSIX_TRACE_LOOP || policy == POSIX_TRACE_UNTIL_FULL ||
	       policy == POSIX_TRACE_APPEND;
}

static bool is_inheritance(int policy)
{
	return policy == POSIX_TRACE_CLOSE_FOR_CHILD || policy == POSIX_TRACE_INHERITED;
}

static bool is_time(const struct timespec *t)
{
	return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

/*
 * ktrace_posix_attr_is_possible - true if these can be the attributes of a stream
 *
 * For attributes from other sources, such as a log. The stream policy may be unset.
 */
bool ktrace_posix_attr_is_possible(const struct posix_attr *a)
{
	return memchr(a->generation, '\0', sizeof(a->generation)) &&
	       memchr(a->name, '\0', sizeof(a->name)) && is_time(&a->resolution) &&
	       is_time(&a->created) && (!a->stream_policy || is_stream_policy(a->stream_policy)) &&
	       is_log_policy(a->log_policy) && is_inheritance(a->inheritance) &&
	       a->stream_size <= POSIX_STREAM_SIZE_MAX && a->log_size <= POSIX_LOG_SIZE_MAX &&
	       a->data_size <= POSIX_DATA_MAX;
}

/*
 * ktrace_posix_attr_read - read the user's object; NULL = defaults
 *
 * Return: 0; EINVAL if it is not an object, or was modified by anything but these functions.
 */
int ktrace_posix_attr_read(const trace_attr_t *attr, struct posix_attr *out)
{
	const struct posix_attr *a = read_object(attr);

	if (!attr)
		ktrace_posix_attr_defaults(out);
	else if (a)
		*out = *a;
	return !attr || (a && ktrace_posix_attr_is_possible(out)) ? 0 : EINVAL;
}

/* ktrace_posix_attr_write - write attributes to @out, whatever it contains (PTRC-29) */
void ktrace_posix_attr_write(const struct posix_attr *a, trace_attr_t *out)
{
	struct attr_object o = { .magic = ATTR_MAGIC, .is = *a };

	memset(out, 0, sizeof(*out));
	memcpy(out, &o, sizeof(o));
}

/**
 * posix_trace_attr_init - initialise an attributes object with defaults (PTRC-02, PTRC-03)
 * @attr:	the object
 *
 * Return: 0, EINVAL for NULL. Never ENOMEM, as nothing is allocated.
 */
int posix_trace_attr_init(trace_attr_t *attr)
{
	struct posix_attr a;

	if (!attr)
		return EINVAL;
	ktrace_posix_attr_defaults(&a);
	ktrace_posix_attr_write(&a, attr);
	return 0;
}

/**
 * posix_trace_attr_destroy - invalidate an attributes object (PTRC-04)
 *
 * Return: 0, EINVAL if it is not an attributes object.
 */
int posix_trace_attr_destroy(trace_attr_t *attr)
{
	if (!read_object(attr))
		return EINVAL;
	memset(attr, 0, sizeof(*attr));
	return 0;
}

/**
 * posix_trace_attr_getclockres - get the resolution of the stamps' clock (PTRC-08)
 *
 * Return: 0, EINVAL for an invalid object or NULL.
 */
int posix_trace_attr_getclockres(const trace_attr_t *attr, struct timespec *resolution)
{
	const struct posix_attr *a = read_object(attr);

	if (!a || !resolution)
		return EINVAL;
	*resolution = a->resolution;
	return 0;
}

/**
 * posix_trace_attr_getcreatetime - get the creation time of the stream, CLOCK_REALTIME (PTRC-07)
 *
 * The time is 0 if the object is not a stream's, as from posix_trace_get_attr().
 *
 * Return: as posix_trace_attr_getclockres().
 */
int posix_trace_attr_getcreatetime(const trace_attr_t *attr, struct timespec *createtime)
{
	const struct posix_attr *a = read_object(attr);

	if (!a || !createtime)
		return EINVAL;
	*createtime = a->created;
	return 0;
}

static int get_text(const char *text, char *to)
{
	if (!to)
		return EINVAL;
	memcpy(to, text, strnlen(text, TRACE_NAME_MAX - 1) + 1);
	to[TRACE_NAME_MAX - 1] = '\0';
	return 0;
}

/**
 * posix_trace_attr_getgenversion - get the version of the trace system (PTRC-05)
 * @genversion:	out: TRACE_NAME_MAX bytes, including the NUL
 *
 * Return: as posix_trace_attr_getclockres().
 */
int posix_trace_attr_getgenversion(const trace_attr_t *attr, char *genversion)
{
	const struct posix_attr *a = read_object(attr);

	return a ? get_text(a->generation, genversion) : EINVAL;
}

/**
 * posix_trace_attr_getname - get the name of the stream, "" if it has none (PTRC-05)
 * @tracename:	out: TRACE_NAME_MAX bytes, including the NUL
 *
 * Return: as posix_trace_attr_getclockres().
 */
int posix_trace_attr_getname(const trace_attr_t *attr, char *tracename)
{
	const struct posix_attr *a = read_object(attr);

	return a ? get_text(a->name, tracename) : EINVAL;
}

/**
 * posix_trace_attr_setname - set the name of the stream (PTRC-06)
 * @tracename:	the name; truncated to TRACE_NAME_MAX - 1 bytes
 *
 * Return: 0; EINVAL for an invalid object or NULL. A long name is not an error.
 */
int posix_trace_attr_setname(trace_attr_t *attr, const char *tracename)
{
	struct posix_attr *a = write_object(attr);

	if (!a || !tracename)
		return EINVAL;
	memset(a->name, 0, sizeof(a->name));
	memcpy(a->name, tracename, strnlen(tracename, TRACE_NAME_MAX - 1));
	return 0;
}

/* Functions for an int or size_t member; they differ only in the member and its valid range. */
#define GET(name, type, expression) \
	int posix_trace_attr_get##name(const trace_attr_t *restrict attr, type *restrict value) \
	{ \
		const struct posix_attr *a = read_object(attr); \
	\
		if (!a || !value) \
			return EINVAL; \
		*value = (expression); \
		return 0; \
	}

#define SET(name, type, condition, statement) \
	int posix_trace_attr_set##name(trace_attr_t *attr, type value) \
	{ \
		struct posix_attr *a = write_object(attr); \
	\
		if (!a || !(condition)) \
			return EINVAL; \
		statement; \
		return 0; \
	}

static size_t at_least(size_t size, size_t least)
{
	return size < least ? least : size;
}

/**
 * posix_trace_attr_getinherited, posix_trace_attr_setinherited - trace children or not (PTRC-32)
 * @value:	POSIX_TRACE_CLOSE_FOR_CHILD, the default, or POSIX_TRACE_INHERITED
 *
 * Return: 0; EINVAL for an invalid object, NULL, or an invalid value (PTRC-14).
 */
GET(inherited, int, a->inheritance)
SET(inherited, int, is_inheritance(value), a->inheritance = value)

/**
 * posix_trace_attr_getstreamfullpolicy, posix_trace_attr_setstreamfullpolicy - policy of a stream
 * @value:	policy of a full stream: POSIX_TRACE_LOOP, _UNTIL_FULL, or, for a stream with a log,
 *		_FLUSH (PTRC-03, PTRC-40 to 42)
 *
 * While it is not set, it reads as LOOP; a stream with a log then gets FLUSH.
 *
 * Return: as posix_trace_attr_setinherited().
 */
GET(streamfullpolicy, int, a->stream_policy ? a->stream_policy : POSIX_TRACE_LOOP)
SET(streamfullpolicy, int, is_stream_policy(value), a->stream_policy = value)

/**
 * posix_trace_attr_getlogfullpolicy, posix_trace_attr_setlogfullpolicy - policy of a full log
 * @value:	policy of a full log: POSIX_TRACE_LOOP, the default, _UNTIL_FULL or _APPEND (PTRC-44
 *		to 46)
 *
 * Return: as posix_trace_attr_setinherited().
 */
GET(logfullpolicy, int, a->log_policy)
SET(logfullpolicy, int, is_log_policy(value), a->log_policy = value)

/**
 * posix_trace_attr_getlogsize, posix_trace_attr_setlogsize - size of a log's events (PTRC-13)
 * @value:	size in bytes, at least POSIX_LOG_SIZE_MIN; ignored with the policy APPEND
 *
 * Return: 0; EINVAL for an invalid object, NULL, or more than POSIX_LOG_SIZE_MAX.
 */
GET(logsize, size_t, a->log_size)
SET(logsize, size_t, value <= POSIX_LOG_SIZE_MAX,
    a->log_size = at_least(value, POSIX_LOG_SIZE_MIN))

/**
 * posix_trace_attr_getmaxdatasize, posix_trace_attr_setmaxdatasize - data size of an event
 * @value:	maximum size in bytes; longer data is truncated, and the event
 *		POSIX_TRACE_TRUNCATED_RECORD (PTRC-12)
 *
 * Return: 0; EINVAL for an invalid object, NULL, or more than POSIX_DATA_MAX.
 */
GET(maxdatasize, size_t, a->data_size)
SET(maxdatasize, size_t, value <= POSIX_DATA_MAX, a->data_size = value)

/**
 * posix_trace_attr_getstreamsize, posix_trace_attr_setstreamsize - size of a stream's events
 * @value:	minimum size in bytes (PTRC-09, PTRC-10); raised to POSIX_STREAM_SIZE_MIN
 *
 * Return: 0; EINVAL for an invalid object, NULL, or more than POSIX_STREAM_SIZE_MAX.
 */
GET(streamsize, size_t, a->stream_size)
SET(streamsize, size_t, value <= POSIX_STREAM_SIZE_MAX,
    a->stream_size = at_least(value, POSIX_STREAM_SIZE_MIN))

/**
 * posix_trace_attr_getmaxsystemeventsize - get the maximum size of a system event (PTRC-10)
 *
 * This is the size of POSIX_TRACE_FILTER, whose data are two sets.
 *
 * Return: as posix_trace_attr_getclockres().
 */
GET(maxsystemeventsize, size_t, posix_event_size(2 * sizeof(trace_event_set_t)))

/**
 * posix_trace_attr_getmaxusereventsize - get the maximum size of a user event (PTRC-11)
 * @data_len:	bytes of its data; values above max-data-size count as that
 *
 * Return: as posix_trace_attr_getclockres().
 */
int posix_trace_attr_getmaxusereventsize(const trace_attr_t *restrict attr, size_t data_len,
					 size_t *restrict eventsize)
{
	const struct posix_attr *a = read_object(attr);

	if (!a || !eventsize)
		return EINVAL;
	*eventsize = posix_event_size(data_len < a->data_size ? data_len : a->data_size);
	return 0;
}
