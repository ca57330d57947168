// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_control.c - ktrace control: shows how live recordings go, pauses, marks and ends them
 *
 * Recordings of ktraced and sessions of the service, alike. Which events recordings of ktraced
 * record is also the matter of ktrace level; both are built on <ktrace/live.h>.
 */
#include "base/viewer.h"

#include "base/json.h"
#include "base/live_recordings.h"
#include "base/table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/**
 * struct wish - the command line
 * @name:	pid or session, NULL = not given
 * @action:	NULL = show
 * @text:	what follows it
 * @is_json:	an object for each recording
 */
struct wish {
	const char *name;
	const struct action *action;
	const char *text;
	bool is_json;
};

static __u64 number_of(const struct ktrace_live *r, const char *key)
{
	__u64 value;

	ktrace_live_number(r, key, &value);
	return value;
}

static bool is_session(const struct ktrace_live *r)
{
	return ktrace_live_kind(r) == KTRACE_LIVE_SESSION;
}

static void put_value(struct ktrace_out *out, const struct ktrace_live *r, const char *before,
		      const char *key)
{
	const char *value = ktrace_live_text(r, key);

	if (!value)
		return;
	ktrace_out_str(out, before);
	ktrace_out_safe(out, value);
}

/* A column with a number, or "-" if the recording has none */
static void put_number(struct ktrace_out *out, const struct ktrace_live *r, const char *key,
		       int width)
{
	__u64 value;

	if (ktrace_live_number(r, key, &value))
		out_printf(out, " %*llu", width, (unsigned long long)value);
	else
		out_printf(out, " %*s", width, "-");
}

/* Lines below a recording: what was lost, and why nothing is written */
static void put_troubles(struct ktrace_out *out, const struct ktrace_live *r)
{
	const char *reason;
	__u64 nr;

	for (size_t i = 0; (reason = ktrace_live_loss(r, i, &nr)); i++) {
		if (!i)
			output_line_begin(out);
		ktrace_out_str(out, i ? ", " : "        lost: ");
		ktrace_out_safe(out, reason);
		out_printf(out, " %llu", (unsigned long long)nr);
	}
	if (ktrace_live_loss(r, 0, &nr))
		ktrace_out_char(out, '\n');
	if (!ktrace_live_text(r, "error"))
		return;
	output_line_begin(out);
	put_value(out, r, "        not written: ", "error");
	ktrace_out_char(out, '\n');
}

/* A line below a session: what it is called, its data sources, its producers */
static void put_session(struct ktrace_out *out, const struct ktrace_live *r)
{
	output_line_begin(out);
	out_printf(out, "        pid %u", ktrace_live_pid(r));
	put_value(out, r, ", state ", "state");
	put_value(out, r, ", name ", "name");
	put_value(out, r, ", key ", "key");
	put_value(out, r, ", sources ", "events");
	put_value(out, r, ", disabled ", "disabled");
	put_value(out, r, ", producers ", "producers");
	ktrace_out_char(out, '\n');
}

static void put_recording(const struct ktrace_live *r)
{
	struct ktrace_out *out = output();

	output_line_begin(out);
	out_printf(out, "%-11s ", ktrace_live_name(r));
	if (ktrace_live_error(r)) {
		ktrace_out_str(out, ktrace_live_error(r) != -EREMOTEIO ?
			       "does not answer: is it stopped?\n" :
			       "is of a version that does not tell how it goes\n");
		return;
	}
	out_printf(out, "%-8s", number_of(r, "paused") ? "paused" : "running");
	out_duration(out, number_of(r, "ns"));
	put_number(out, r, "recorded", 12);
	put_number(out, r, "events_s", 9);
	put_number(out, r, "lost", 9);
	out_printf(out, "  %3llu %% ", (unsigned long long)number_of(r, "fill"));
	out_bytes(out, number_of(r, "bytes"));
	ktrace_out_char(out, ' ');
	out_bytes(out, number_of(r, "bytes_s"));
	ktrace_out_char(out, ' ');
	out_bytes(out, number_of(r, "free"));
	out_printf(out, " %8llu", (unsigned long long)number_of(r, "programs"));
	put_value(out, r, "  ", "file");
	put_value(out, r, "  ", "cmd");
	ktrace_out_char(out, '\n');
	if (is_session(r))
		put_session(out, r);
	put_troubles(out, r);
}

/* Writes a member, unless the recording has no such value. */
static void json_said(struct ktrace_out *out, const char *key, const struct ktrace_live *r)
{
	json_str(out, key, ktrace_live_text(r, key));
}

static void json_said_u64(struct ktrace_out *out, const char *key, const struct ktrace_live *r)
{
	__u64 value;

	if (ktrace_live_number(r, key, &value))
		json_u64(out, key, value);
}

static void json_reasons(struct ktrace_out *out, const struct ktrace_live *r)
{
	const char *reason;
	__u64 nr;

	json_open(out, "reasons", '{');
	for (size_t i = 0; (reason = ktrace_live_loss(r, i, &nr)); i++)
		json_u64(out, reason, nr);
	ktrace_out_char(out, '}');
}

static void put_json(const struct ktrace_live *r)
{
	struct ktrace_out *out = output();
	const bool is_ok = !ktrace_live_error(r);

	output_line_begin(out);
	ktrace_out_char(out, '{');
	if (is_ok)
		json_str(out, "kind", is_session(r) ? "session" : "recording");
	json_str(out, "name", ktrace_live_name(r));
	json_u64(out, "pid", ktrace_live_pid(r));
	json_bool(out, "answers", is_ok);
	if (is_ok)
		json_bool(out, "paused", number_of(r, "paused"));
	json_str(out, "unique_name", ktrace_live_text(r, "name"));
	json_said(out, "session", r);
	json_said(out, "backend", r);
	json_said(out, "levels", r);
	json_said(out, "events", r);
	json_said(out, "disabled", r);
	json_said(out, "where", r);
	json_said(out, "file", r);
	json_said(out, "cmd", r);
	json_said(out, "error", r);
	json_said(out, "key", r);
	json_said(out, "state", r);
	json_said(out, "producers", r);
	json_said_u64(out, "uid", r);
	json_said_u64(out, "command", r);
	json_said_u64(out, "ns", r);
	json_said_u64(out, "recorded", r);
	json_said_u64(out, "events_s", r);
	json_said_u64(out, "bytes", r);
	json_said_u64(out, "bytes_s", r);
	json_said_u64(out, "written", r);
	json_said_u64(out, "fill", r);
	json_said_u64(out, "programs", r);
	json_said_u64(out, "free", r);
	json_said_u64(out, "part", r);
	json_said_u64(out, "lost", r);
	json_said_u64(out, "unnamed", r);
	json_reasons(out, r);
	ktrace_out_str(out, "}\n");
}

static void put_list(const struct live_recordings *all, bool is_json)
{
	struct ktrace_out *out = output();
	const struct ktrace_live *r;

	if (!is_json) {
		output_line_begin(out);
		out_printf(out, "%-12s%-8s%9s %12s %9s %9s  %5s %10s %10s %10s %8s  FILE  "
			   "COMMAND\n", "NAME", "STATE", "TIME", "EVENTS", "A SECOND", "LOST",
			   "FULL", "WRITTEN", "A SECOND", "DISK FREE", "PROGRAMS");
	}
	for (size_t i = 0; (r = live_at(all, i)); i++) {
		if (is_json)
			put_json(r);
		else
			put_recording(r);
	}
}

static int pause_recording(struct ktrace_live *r, const char *text)
{
	(void)text;
	return ktrace_live_pause(r);
}

static int resume(struct ktrace_live *r, const char *text)
{
	(void)text;
	return ktrace_live_resume(r);
}

static int rotate(struct ktrace_live *r, const char *text)
{
	(void)text;
	return ktrace_live_rotate(r);
}

static int stop(struct ktrace_live *r, const char *text)
{
	(void)text;
	return ktrace_live_stop(r);
}

/* struct action - what to do with a recording; @value: what follows the word, NULL = nothing */
static const struct action {
	const char *word;
	const char *value;
	int (*run)(struct ktrace_live *r, const char *text);
} actions[] = {
	{ "pause", NULL, pause_recording },
	{ "resume", NULL, resume },
	{ "enable", "EVENTS", ktrace_live_enable },
	{ "disable", "EVENTS", ktrace_live_disable },
	{ "rotate", NULL, rotate },
	{ "mark", "TEXT", ktrace_live_mark },
	{ "stop", NULL, stop },
};

static const struct action *find_action(const char *word)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (!strcmp(word, actions[i].word))
			return &actions[i];
	return NULL;
}

static int act(const struct live_recordings *all, const struct wish *w)
{
	struct ktrace_live *r = live_at(all, 0);
	const int error = w->action->run(r, w->text);
	int status;

	if (error == -E2BIG)
		return command_usage(&cmd_control, "the request is too long");
	status = live_say_answer(all, r);
	if (status == STATUS_OK && w->is_json)
		put_json(r);
	return status;
}

static int serve(const struct wish *w)
{
	struct live_recordings all = { .who = "ktrace control" };
	int status = STATUS_OK;

	if (!live_find(&all, w->name, w->action ? "show" : "status")) {
		fprintf(stderr, "ktrace: out of memory\n");
		return output_end(STATUS_DAMAGED);
	}
	if (!live_at(&all, 0) || (w->action && live_at(&all, 1)))
		status = live_fail(&all, w->name);
	else if (w->action)
		status = act(&all, w);
	else
		put_list(&all, w->is_json);
	live_say_silent(&all);
	live_free(&all);
	return output_end(status);
}

/* The first word is a recording unless it is an action. */
static int take_words(struct wish *w, int nr, char **words)
{
	if (nr && !find_action(words[0])) {
		w->name = *words++;
		nr--;
	}
	if (!nr)
		return STATUS_OK;
	w->action = find_action(words[0]);
	if (!w->action) {
		complain_safely("ktrace control: unknown action '%s'; actions are pause, resume, "
				"enable, disable, rotate, mark, stop", words[0]);
		return STATUS_USAGE;
	}
	if (nr > 2 || (nr == 2 && !w->action->value))
		return command_usage(&cmd_control, "too many words");
	if (nr == 1 && w->action->value) {
		complain_safely("ktrace control: %s needs %s", words[0], w->action->value);
		return STATUS_USAGE;
	}
	w->text = words[1];
	return STATUS_OK;
}

static const struct option_row notes[] = {
	{ .help =
	  "Without ACTION: how each live recording goes. A recording is named by the pid of\n"
	  "its ktraced or of its command, or by its session; a session of ktraced --service\n"
	  "as session:7, or by its name or key. The name is optional if only one recording\n"
	  "runs.\n"
	  "\n"
	  "  pause           record nothing from now on\n"
	  "  resume          record again what was chosen before\n"
	  "  enable EVENTS   add to the list of -e; for a session: data sources\n"
	  "  disable EVENTS  remove from it\n"
	  "  rotate          end the current file, and begin the next one\n"
	  "  mark TEXT       write an event ktrace:mark with this text\n"
	  "  stop            end the recording, and wait until its file is whole\n"
	  "\n" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ notes, 0 },
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

const struct command cmd_control = {
	.name = "control",
	.args = "[OPTION...] [PID | SESSION] [ACTION [TEXT]]",
	.summary = "Show how live recordings go; pause, mark, rotate, end them",
	.options = sets,
	.run = run,
};
