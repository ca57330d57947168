// SPDX-License-Identifier: LGPL-2.1
/* recorded_meta.c - read the META of a log: the opposite of log_meta.c */
#include "recorded_meta.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "log_meta.h"
#include "posix/base/event.h"


static bool to_number(const char *text, __u64 *out)
{
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	*out = strtoull(text, &end, 10);
	return !*end;
}

/* Reads a number from the lines "posix". */
bool ktrace_posix_meta_number(const struct ktrace_trace *t, const char *key, __u64 *out)
{
	return to_number(ktrace_trace_meta(t, "posix", key), out);
}

/* True if it is the log of a stream. */
bool ktrace_posix_meta_is_log(const struct ktrace_trace *t)
{
	return ktrace_trace_meta(t, "posix", "version");
}

static bool is_number(const struct ktrace_trace *t, const char *key, __u64 value)
{
	__u64 is;

	return ktrace_posix_meta_number(t, key, &is) && is == value;
}

/* True if this kind of machine and this version can have written the log. */
bool ktrace_posix_meta_is_ours(const struct ktrace_trace *t)
{
	return is_number(t, "version", POSIX_LOG_VERSION) &&
	       is_number(t, "word", 8 * sizeof(void *)) &&
	       is_number(t, "set", sizeof(trace_event_set_t));
}

/* Returns a number that is at most @max, or ~0, which is never valid. */
static __u64 number(const struct ktrace_trace *t, const char *key, __u64 max)
{
	__u64 is;

	return ktrace_posix_meta_number(t, key, &is) && is <= max ? is : ~0ull;
}

static struct timespec time_of(__u64 ns)
{
	return (struct timespec){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
}

static void read_text(const struct ktrace_trace *t, const char *key, char to[TRACE_NAME_MAX])
{
	const char *text = ktrace_trace_meta(t, "posix", key);

	memset(to, 0, TRACE_NAME_MAX);
	if (text)
		memcpy(to, text, strnlen(text, TRACE_NAME_MAX - 1));
}

/* Reads the attributes of a log; the caller checks them with ktrace_posix_attr_is_possible(). */
void ktrace_posix_meta_read_attr(const struct ktrace_trace *t, struct posix_attr *out)
{
	*out = (struct posix_attr){
		.resolution = time_of(number(t, "resolution_ns", ~0ull - 1)),
		.created = time_of(number(t, "created_ns", ~0ull - 1)),
		.stream_size = number(t, "stream_size", POSIX_STREAM_SIZE_MAX),
		.log_size = number(t, "log_size", POSIX_LOG_SIZE_MAX),
		.data_size = number(t, "data_size", POSIX_DATA_MAX),
		.stream_policy = (int)number(t, "stream_policy", 16),
		.log_policy = (int)number(t, "log_policy", 16),
		.inheritance = (int)number(t, "inheritance", 16),
	};
	read_text(t, "generation", out->generation);
	read_text(t, "name", out->name);
}

static void read_lost(const char *text, unsigned long long lost[8])
{
	char *end;

	for (int i = 0; i < 8 && text && *text >= '0' && *text <= '9'; i++) {
		lost[i] = strtoull(text, &end, 10);
		text = *end == ',' ? end + 1 : end;
	}
}

/* Reads the status of a log; returns false if it is incomplete: the log was not completed. */
bool ktrace_posix_meta_read_status(const struct ktrace_trace *t,
				   struct posix_trace_status_info *out)
{
	const struct {
		const char *key;
		__u64 max;
		int *to;
	} members[] = {
		{ "stream_full", 1, &out->posix_stream_full_status },
		{ "stream_overrun", 1, &out->posix_stream_overrun_status },
		{ "flush_error", 4095, &out->posix_stream_flush_error },
		{ "log_full", 1, &out->posix_log_full_status },
		{ "log_overrun", 1, &out->posix_log_overrun_status },
	};
	__u64 value;

	*out = (struct posix_trace_status_info){
		.posix_stream_status = POSIX_TRACE_SUSPENDED,
		.posix_stream_flush_status = POSIX_TRACE_NOT_FLUSHING,
	};
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		value = number(t, members[i].key, members[i].max);
		if (value == ~0ull)
			return false;
		*members[i].to = (int)value;
	}
	read_lost(ktrace_trace_meta(t, "posix", "stream_lost"), out->posix_stream_lost);
	return true;
}

/* Chooses the nearest attributes for a file of ktraced. */
void ktrace_posix_meta_guess_attr(const struct ktrace_trace *t, struct posix_attr *out)
{
	const char *cmd = ktrace_trace_meta(t, "trace", "cmd");
	const struct ktrace_trace_stream *s = ktrace_trace_stream(t, 0);
	struct ktrace_clock_info clock;
	__u64 start = 0;

	ktrace_posix_attr_defaults(out);
	ktrace_trace_clock(t, &clock);
	to_number(ktrace_trace_meta(t, "trace", "start_ns"), &start);
	out->created = time_of(start);
	out->resolution = ktrace_posix_resolution(clock.hz);
	out->data_size = POSIX_DATA_MAX;
	out->log_policy = POSIX_TRACE_APPEND;
	out->stream_policy = s && s->policy == KTRACE_POLICY_OVERWRITE ? POSIX_TRACE_LOOP :
			     POSIX_TRACE_UNTIL_FULL;
	if (s && s->ring_size <= POSIX_STREAM_SIZE_MAX)
		out->stream_size = s->ring_size;
	if (cmd)
		memcpy(out->name, cmd, strnlen(cmd, TRACE_NAME_MAX - 1));
}
