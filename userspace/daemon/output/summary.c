// SPDX-License-Identifier: GPL-2.0
/* summary.c - ktraced's report at the end of a recording: Messages in ktraced(8) */
#include "summary.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <ktrace/traceset.h>

#include "base/log.h"
#include "base/lost.h"

/* A byte of a name takes at most six bytes in JSON, as in \u0001. */
#define JSON_ROOM (2u * 6 * PATH_MAX + 4096)

static void print_lost(char *buf, size_t size, const struct ktrace_lost *lost)
{
	size_t len = 0;

	buf[0] = '\0';
	for (int i = 0; i < KTRACE_LOST_NR; i++) {
		int n;

		if (!lost->count[i])
			continue;
		n = snprintf(buf + len, size - len, "%s%s %llu", len ? ", " : " (",
			     ktrace_lost_name((__u32)i), (unsigned long long)lost->count[i]);
		len += n > 0 ? (size_t)n : 0;
	}
	if (len)
		snprintf(buf + len, size - len, ")");
}

void summary_say(const struct summary *s)
{
	const __u64 ms = s->ns / 1000000;
	const char *why = s->info->reason;
	char reasons[512];

	print_lost(reasons, sizeof(reasons), s->lost);
	log_note("%llu events, %llu lost%s, %llu bytes, %llu.%03llu s, %s%s%s, %s%s%s%s",
		 (unsigned long long)s->events, (unsigned long long)lost_total(s->lost->count),
		 reasons, (unsigned long long)s->bytes, (unsigned long long)(ms / 1000),
		 (unsigned long long)(ms % 1000), s->first ? s->first : "",
		 s->first ? " to " : "", s->file, s->info->backend,
		 *why ? " (" : "", why, *why ? ")" : "");
}

void summary_say_registry(const struct ktrace_registry_use *use)
{
	if (use->missing)
		log_error("the registry was full: no room for %u entries (events, processes, "
			  "threads, maps)",
			  use->missing);
	if (use->unfinished)
		log_error("%u entr%s of the registry never completed: a process died or stood "
			  "still meanwhile",
			  use->unfinished, use->unfinished == 1 ? "y was" : "ies were");
}

void summary_say_doubts(const struct ktrace_session_info *info, __u64 undecided, __u32 guests)
{
	if (undecided)
		log_error("%llu event%s recorded unfiltered: their filter exceeded its time limit",
			  (unsigned long long)undecided,
			  undecided == 1 ? " is" : "s are");
	if (info->refused)
		log_error("%u program%s could not take part: one user's programs may hold at most "
			  "max_user_mb of other users' sessions, including ended ones; see "
			  "ktrace(4)",
			  info->refused, info->refused == 1 ? "" : "s");
	if (guests)
		log_error("%u time%s a child that shares its parent's memory was noticed late: "
			  "events of both may be missing or damaged, see 'vfork' in libktrace(3)",
			  guests, guests == 1 ? "" : "s");
	if (info->is_damaged)
		log_error("another process truncated the session's memory: events are missing");
}

/* Writes ,"KEY":NUMBER; the first member has no comma. */
static void put_number(struct ktrace_out *out, const char *key, __u64 value)
{
	ktrace_out_str(out, out->buf[out->len - 1] == '{' ? "\"" : ",\"");
	ktrace_out_str(out, key);
	ktrace_out_str(out, "\":");
	ktrace_out_u64(out, value);
}

static void put_text(struct ktrace_out *out, const char *key, const char *value)
{
	ktrace_out_str(out, ",\"");
	ktrace_out_str(out, key);
	ktrace_out_str(out, "\":");
	ktrace_out_json(out, value, strlen(value));
}

void summary_say_json(const struct summary *s)
{
	char line[JSON_ROOM];
	struct ktrace_out out = { .buf = line, .cap = sizeof(line) };

	ktrace_out_char(&out, '{');
	put_number(&out, "events", s->events);
	put_number(&out, "lost", lost_total(s->lost->count));
	ktrace_out_str(&out, ",\"reasons\":{");
	for (__u32 i = 0; i < KTRACE_LOST_NR; i++)
		if (s->lost->count[i])
			put_number(&out, ktrace_lost_name(i), s->lost->count[i]);
	ktrace_out_char(&out, '}');
	if (s->undecided)
		put_number(&out, "undecided", s->undecided);
	if (s->guests)
		put_number(&out, "noticed_late", s->guests);
	if (s->info->refused)
		put_number(&out, "refused", s->info->refused);
	if (s->not_registered)
		put_number(&out, "not_registered", s->not_registered);
	put_number(&out, "bytes", s->bytes);
	put_number(&out, "duration_ns", s->ns);
	if (s->first)
		put_text(&out, "first", s->first);
	put_text(&out, "file", s->file);
	put_text(&out, "backend", s->info->backend);
	if (*s->info->reason)
		put_text(&out, "why", s->info->reason);
	ktrace_out_str(&out, "}\n");
	log_text(out.buf, out.len);
}
