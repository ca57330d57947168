// SPDX-License-Identifier: LGPL-2.1
/*
 * log_meta.c - write the META of a log
 *
 *   posix  version= word= set= ...	attributes of the stream
 *   posix  stream_status= ...		at the end: status
 *   event  kind=user id= desc=posix:NAME{...}
 *
 * A POSIX name may contain any bytes, the name of a tracefile event only letters, digits and _ . -
 * |. In NAME, other bytes are written as +XX, XX in hexadecimal, and the empty name as "+".
 */
#include "log_meta.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "posix/base/event.h"
#include "posix/base/eventset.h"

/* Common fields of every event; the data of its type follows. */
#define COMMON "ptr address;x64 thread;u32 pid;"

void ktrace_posix_meta_begin(struct ktrace_text *t, const struct posix_log_origin *origin)
{
	ktrace_text_line(t, "trace");
	ktrace_text_u64(t, "version", KTRACE_FILE_VERSION);
	ktrace_text_u64(t, "start_ns", origin->now.real_ns);
	ktrace_text_str(t, "backend", origin->backend);
	ktrace_text_str(t, "clock", origin->clock);
	ktrace_text_host(t);
}

void ktrace_posix_meta_attr(struct ktrace_text *t, const struct posix_attr *a)
{
	ktrace_text_line(t, "posix");
	ktrace_text_u64(t, "version", POSIX_LOG_VERSION);
	ktrace_text_u64(t, "word", 8 * sizeof(void *));
	ktrace_text_u64(t, "set", sizeof(trace_event_set_t));
	ktrace_text_str(t, "generation", a->generation);
	ktrace_text_str(t, "name", a->name);
	ktrace_text_u64(t, "resolution_ns", timespec_ns(&a->resolution));
	ktrace_text_u64(t, "created_ns", timespec_ns(&a->created));
	ktrace_text_u64(t, "stream_size", a->stream_size);
	ktrace_text_u64(t, "log_size", a->log_size);
	ktrace_text_u64(t, "data_size", a->data_size);
	ktrace_text_u64(t, "stream_policy", (__u64)a->stream_policy);
	ktrace_text_u64(t, "log_policy", (__u64)a->log_policy);
	ktrace_text_u64(t, "inheritance", (__u64)a->inheritance);
}

void ktrace_posix_meta_clock(struct ktrace_text *t, const struct ktrace_reading *r)
{
	ktrace_text_line(t, "clock");
	ktrace_text_u64(t, "raw", r->raw);
	ktrace_text_u64(t, "mono_ns", r->mono_ns);
	ktrace_text_u64(t, "real_ns", r->real_ns);
	ktrace_text_u64(t, "boot_ns", r->boot_ns);
	ktrace_text_u64(t, "hz", r->hz);
}

static bool is_plain(unsigned char c)
{
	return (c < 0x80 && isalnum(c)) || (c && strchr("_.-|", c));
}

/* Builds "posix:" and the name in the form of a description. */
void ktrace_posix_full_name(char full[POSIX_FULL_NAME_SIZE], const char *name)
{
	char *to = stpcpy(full, "posix:");

	if (!*name)
		*to++ = '+';
	for (size_t i = 0; name[i] && i < TRACE_EVENT_NAME_MAX; i++) {
		if (is_plain((unsigned char)name[i]))
			*to++ = name[i];
		else
			to += sprintf(to, "+%02X", (unsigned char)name[i]);
	}
	*to = '\0';
}

/* Decodes @full. Returns false if ktrace_posix_full_name() cannot have made it. */
bool ktrace_posix_plain_name(char name[TRACE_EVENT_NAME_MAX + 1], const char *full)
{
	size_t n = 0;
	unsigned int c;

	if (strncmp(full, "posix:", 6))
		return false;
	full += 6;
	if (!strcmp(full, "+"))
		full++;
	for (; *full && n < TRACE_EVENT_NAME_MAX; n++) {
		c = (unsigned char)*full++;
		if (c == '+') {
			if (!isxdigit((unsigned char)full[0]) ||
			    !isxdigit((unsigned char)full[1]) || sscanf(full, "%2x", &c) != 1 || !c)
				return false;
			full += 2;
		}
		name[n] = (char)c;
	}
	name[n] = '\0';
	return !*full;
}

static void put_event(struct ktrace_text *t, __u32 id, const char *name, const char *data)
{
	char full[POSIX_FULL_NAME_SIZE], desc[POSIX_FULL_NAME_SIZE + 256];

	ktrace_posix_full_name(full, name);
	snprintf(desc, sizeof(desc), "%s{" COMMON "%s}", full, data);
	ktrace_text_line(t, "event");
	ktrace_text_str(t, "kind", "user");
	ktrace_text_u64(t, "id", id);
	ktrace_text_str(t, "desc", desc);
}

/* Adds a user event type, @id as in records. */
void ktrace_posix_meta_event(struct ktrace_text *t, __u32 id, const char *name)
{
	put_event(t, id, name, "bytes data;");
}

/* Adds all predefined types. The descriptions of START and FILTER omit their long sets. */
void ktrace_posix_meta_system(struct ktrace_text *t)
{
	trace_event_id_t id;

	for (unsigned int i = 0; (id = ktrace_posix_system_id(i)); i++) {
		const char *data = "";

		if (id == POSIX_TRACE_STOP)
			data = "u32 size;enum<s32>(EXPLICIT=0,FULL=1) cause;";
		else if (id == POSIX_TRACE_ERROR)
			data = "u32 size;s32 error;";
		else if (id == POSIX_TRACE_UNNAMED_USEREVENT)
			data = "bytes data;";
		put_event(t, POSIX_ID_BASE + id, ktrace_posix_system_name(id), data);
	}
}

void ktrace_posix_meta_end(struct ktrace_text *t, const struct posix_trace_status_info *s,
			   const struct posix_log_end *end)
{
	char lost[8 * 24] = "";
	int n = 0;

	for (int i = 0; i < 8; i++)
		n += snprintf(lost + n, sizeof(lost) - (size_t)n, "%s%llu", i ? "," : "",
			      s->posix_stream_lost[i]);
	ktrace_text_line(t, "posix");
	ktrace_text_u64(t, "stream_full", (__u64)s->posix_stream_full_status);
	ktrace_text_u64(t, "stream_overrun", (__u64)s->posix_stream_overrun_status);
	ktrace_text_u64(t, "flush_error", (__u64)s->posix_stream_flush_error);
	ktrace_text_str(t, "stream_lost", lost);
	ktrace_text_u64(t, "log_full", end->log.is_full);
	ktrace_text_u64(t, "log_overrun", end->log.is_overrun);
	ktrace_text_u64(t, "log_overwritten", end->log.overwritten);
	ktrace_text_u64(t, "log_unwritten", end->log.unwritten);
	ktrace_text_u64(t, "last_raw", end->clock.raw);
	ktrace_text_u64(t, "last_mono_ns", end->clock.mono_ns);
	ktrace_text_line(t, "end");
	ktrace_text_str(t, "reason", "posix_trace_shutdown");
}
