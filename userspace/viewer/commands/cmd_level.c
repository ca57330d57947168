// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_level.c - ktrace level: shows and changes which events live recordings record
 *
 * Answers are printed with control characters escaped.
 */
#include "base/table.h"
#include "base/viewer.h"

#include "base/json.h"
#include "base/live_recordings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ktrace/level.h>
#include <ktrace/port.h>
#include <ktrace/session.h>
#include <ktrace/tracefile.h>

/**
 * struct wish - the command line
 * @name:	pid or session, NULL = not given
 * @levels:	NULL = not given
 * @events:	NULL = not given
 * @where:	NULL = not given
 * @is_json:	an object for each recording
 */
struct wish {
	const char *name;
	const char *levels;
	const char *events;
	const char *where;
	bool is_json;
};

static void put_value(struct ktrace_out *out, const struct ktrace_live *r, const char *key,
		      const char *missing, size_t width)
{
	const char *value = ktrace_live_text(r, key);
	const size_t from = out->len;

	ktrace_out_safe(out, value ? value : missing);
	if (width)
		ktrace_out_pad(out, from, width);
	if (width)
		ktrace_out_char(out, ' ');
}

static void put_recording(const struct ktrace_live *r)
{
	struct ktrace_out *out = output();
	const char *pthread = ktrace_live_text(r, "pthread");
	size_t from;

	output_line_begin(out);
	from = out->len;
	out_printf(out, "%s", ktrace_live_name(r));
	ktrace_out_pad(out, from, 8);
	if (ktrace_live_error(r)) {
		ktrace_out_str(out, "does not answer: is it stopped?\n");
		return;
	}
	put_value(out, r, "levels", pthread && !strcmp(pthread, "1") ? "all" : "-", 12);
	put_value(out, r, "events", "default", 12);
	put_value(out, r, "file", "?", 0);
	ktrace_out_str(out, "  ");
	put_value(out, r, "cmd", "", 0);
	ktrace_out_char(out, '\n');
}

/* Prints a recording. If it does not answer, only the pid is known. */
static void put_json(const struct ktrace_live *r)
{
	struct ktrace_out *out = output();

	output_line_begin(out);
	ktrace_out_char(out, '{');
	json_u64(out, "pid", ktrace_live_pid(r));
	json_u64(out, "answers", !ktrace_live_error(r));
	json_str(out, "session", ktrace_live_text(r, "session"));
	json_str(out, "levels", ktrace_live_text(r, "levels"));
	json_str(out, "events", ktrace_live_text(r, "events"));
	json_str(out, "where", ktrace_live_text(r, "where"));
	json_str(out, "file", ktrace_live_text(r, "file"));
	json_str(out, "cmd", ktrace_live_text(r, "cmd"));
	ktrace_out_str(out, "}\n");
}

static void put_list(const struct live_recordings *all, bool is_json)
{
	struct ktrace_out *out = output();
	const struct ktrace_live *r;

	if (!is_json) {
		output_line_begin(out);
		ktrace_out_str(out, "PID     LEVELS       EVENTS       FILE  COMMAND\n");
	}
	for (size_t i = 0; (r = live_at(all, i)); i++) {
		if (is_json)
			put_json(r);
		else
			put_recording(r);
	}
}

static int change(const struct live_recordings *all, struct ktrace_live *r, const struct wish *w)
{
	struct ktrace_text t = { 0 };

	ktrace_text_line(&t, "set");
	if (w->levels)
		ktrace_text_str(&t, "levels", w->levels);
	if (w->events)
		ktrace_text_str(&t, "events", w->events);
	if (w->where)
		ktrace_text_str(&t, "where", w->where);
	if (t.error || t.len >= KTRACE_PORT_MESSAGE) {
		ktrace_text_free(&t);
		return command_usage(&cmd_level, "the request is too long");
	}
	ktrace_live_ask(r, t.buf);
	ktrace_text_free(&t);
	return live_say_answer(all, r);
}

static int act(const struct live_recordings *all, const struct wish *w)
{
	const bool is_change = w->levels || w->events || w->where;
	struct ktrace_live *r = live_at(all, 0);

	if (!r || (live_at(all, 1) && is_change))
		return live_fail(all, w->name);
	/* A session says that it has no levels. */
	if (is_change || ktrace_live_kind(r) == KTRACE_LIVE_SESSION)
		return change(all, r, w);
	put_list(all, w->is_json);
	return STATUS_OK;
}

static int serve(const struct wish *w)
{
	struct live_recordings all = {
		.who = "ktrace level", .is_without_sessions = !w->name,
	};
	int status = STATUS_DAMAGED;

	if (w->is_json && (w->levels || w->events || w->where))
		return command_usage(&cmd_level, "--json lists recordings, and changes none");
	if (!live_find(&all, w->name, "show"))
		fprintf(stderr, "ktrace: out of memory\n");
	else
		status = act(&all, w);
	live_say_silent(&all);
	live_free(&all);
	return output_end(status);
}

/* Tells name and levels apart. One word may be either; unless levels, it must look like a name. */
static int take_words(struct wish *w, int nr, char **words)
{
	__u32 levels;
	char bad[32];
	bool is_last_levels = nr && ktrace_level_parse(words[nr - 1], &levels, bad, sizeof(bad));

	if (nr > 2)
		return command_usage(&cmd_level, "too many words");
	if (nr == 2 || (nr && !is_last_levels &&
			strspn(words[0], "0123456789") != strlen(words[0]) &&
			strspn(words[0], "0123456789abcdef") != 16 && *words[0] != '/' &&
			strncmp(words[0], "dev:", 4) && strncmp(words[0], "shm:", 4) &&
			strncmp(words[0], "session:", 8))) {
		if (!is_last_levels) {
			complain_safely("ktrace level: unknown level '%s'; levels are %s", bad,
					ktrace_level_choices());
			return STATUS_USAGE;
		}
	}
	if (is_last_levels)
		w->levels = words[--nr];
	w->name = nr ? words[0] : NULL;
	return STATUS_OK;
}

#define MEMBER(member) OPTION_MEMBER(struct wish, member)

static const struct option_row rows[] = {
	{ .letter = 'e', .name = "events", .value = "LIST", .text = MEMBER(events),
	  .help = "record these events from now on, as ktraced -e; empty:\n"
		  "those that ktraced records without -e" },
	{ .name = "filter", .old = "where", .value = "EXPRESSION", .text = MEMBER(where),
	  .help = "record kernel events only if this is true from now on,\n"
		  "as ktraced --filter; empty: all that -e selects" },
	{ .help = NULL },
};

static const struct option_row notes[] = {
	{ .help =
	  "Without options and LEVELS: a line for each live recording. A recording is named\n"
	  "by the pid of its ktraced or of its command, or by its session; the name is\n"
	  "optional if only one recording runs.\n"
	  "LEVELS: which events pthread:* to record: all, io, none, or thread, barrier,\n"
	  "mutex, cond, sem, rwlock, spin, once, key, each also with -io; separated by\n"
	  "commas.\n"
	  "\n" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ notes, 0 },
	{ rows, 0 },
	{ json_options, offsetof(struct wish, is_json) },
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct wish w = { .name = NULL };
	int status = command_parse(cmd, &w, argc, argv);

	if (status >= 0)
		return status;
	status = take_words(&w, argc - optind, argv + optind);
	return status == STATUS_OK ? serve(&w) : status;
}

const struct command cmd_level = {
	.name = "level",
	.args = "[OPTION...] [PID | SESSION] [LEVELS]",
	.summary = "Show and change what live recordings record",
	.options = sets,
	.run = run,
};
