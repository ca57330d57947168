// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_control.c - ktrace control: shows how live recordings go, pauses, marks and ends them
 *
 * Which events they record is also the matter of ktrace level; both ask by <ktrace/port.h>.
 */
#include "base/viewer.h"

#include "base/json.h"
#include "base/live_recordings.h"
#include "base/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include <ktrace/tracefile.h>

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

static __u64 number_of(const struct live_recording *r, const char *key)
{
	char *text = live_value(r, key);
	const __u64 value = text ? strtoull(text, NULL, 10) : 0;

	free(text);
	return value;
}

static bool has(const struct live_recording *r, const char *key)
{
	char *text = live_value(r, key);

	free(text);
	return text;
}

static void put_value(struct ktrace_out *out, const struct live_recording *r, const char *before,
		      const char *key)
{
	char *value = live_value(r, key);

	if (value) {
		ktrace_out_str(out, before);
		ktrace_out_safe(out, value);
	}
	free(value);
}

/* Lines below a recording: what was lost, and why nothing is written */
static void put_troubles(struct ktrace_out *out, const struct live_recording *r)
{
	bool has_reasons = false;
	char key[32];

	for (__u32 i = 0; i < KTRACE_LOST_NR; i++) {
		snprintf(key, sizeof(key), "lost_%s", ktrace_lost_name(i));
		if (!has(r, key))
			continue;
		if (!has_reasons)
			output_line_begin(out);
		out_printf(out, "%s%s %llu", has_reasons ? ", " : "        lost: ",
			   ktrace_lost_name(i), (unsigned long long)number_of(r, key));
		has_reasons = true;
	}
	if (has_reasons)
		ktrace_out_char(out, '\n');
	if (!has(r, "error"))
		return;
	output_line_begin(out);
	put_value(out, r, "        not written: ", "error");
	ktrace_out_char(out, '\n');
}

static void put_recording(const struct live_recording *r)
{
	struct ktrace_out *out = output();

	output_line_begin(out);
	out_printf(out, "%-7u ", r->port.pid);
	if (!live_is_ok(r)) {
		ktrace_out_str(out, r->error ? "does not answer: is it stopped?\n" :
			       "is of a version that does not tell how it goes\n");
		return;
	}
	out_printf(out, "%-8s", number_of(r, "paused") ? "paused" : "running");
	out_duration(out, number_of(r, "ns"));
	out_printf(out, " %12llu %9llu %9llu  %3llu %% ",
		   (unsigned long long)number_of(r, "recorded"),
		   (unsigned long long)number_of(r, "events_s"),
		   (unsigned long long)number_of(r, "lost"),
		   (unsigned long long)number_of(r, "fill"));
	out_bytes(out, number_of(r, "bytes"));
	ktrace_out_char(out, ' ');
	out_bytes(out, number_of(r, "free"));
	out_printf(out, " %8llu", (unsigned long long)number_of(r, "programs"));
	put_value(out, r, "  ", "file");
	put_value(out, r, "  ", "cmd");
	ktrace_out_char(out, '\n');
	put_troubles(out, r);
}

/* Members that a recording without such a value does not have */
static void json_said(struct ktrace_out *out, const char *key, const struct live_recording *r)
{
	char *value = live_value(r, key);

	json_str(out, key, value);
	free(value);
}

static void json_said_u64(struct ktrace_out *out, const char *key, const struct live_recording *r)
{
	if (has(r, key))
		json_u64(out, key, number_of(r, key));
}

static void put_json(const struct live_recording *r)
{
	struct ktrace_out *out = output();
	char key[32];

	output_line_begin(out);
	ktrace_out_char(out, '{');
	json_u64(out, "pid", r->port.pid);
	json_bool(out, "answers", live_is_ok(r));
	if (live_is_ok(r))
		json_bool(out, "paused", number_of(r, "paused"));
	json_said(out, "session", r);
	json_said(out, "backend", r);
	json_said(out, "levels", r);
	json_said(out, "events", r);
	json_said(out, "where", r);
	json_said(out, "file", r);
	json_said(out, "cmd", r);
	json_said(out, "error", r);
	json_said_u64(out, "command", r);
	json_said_u64(out, "ns", r);
	json_said_u64(out, "recorded", r);
	json_said_u64(out, "events_s", r);
	json_said_u64(out, "bytes", r);
	json_said_u64(out, "bytes_s", r);
	json_said_u64(out, "fill", r);
	json_said_u64(out, "programs", r);
	json_said_u64(out, "free", r);
	json_said_u64(out, "part", r);
	json_said_u64(out, "lost", r);
	json_open(out, "reasons", '{');
	for (__u32 i = 0; i < KTRACE_LOST_NR; i++) {
		snprintf(key, sizeof(key), "lost_%s", ktrace_lost_name(i));
		if (has(r, key))
			json_u64(out, ktrace_lost_name(i), number_of(r, key));
	}
	ktrace_out_str(out, "}}\n");
}

static void put_list(const struct live_recordings *all, bool is_json)
{
	struct ktrace_out *out = output();

	if (!is_json) {
		output_line_begin(out);
		out_printf(out, "%-8s%-8s%9s %12s %9s %9s  %5s %10s %10s %8s  FILE  COMMAND\n",
			   "PID", "STATE", "TIME", "EVENTS", "A SECOND", "LOST", "FULL", "WRITTEN",
			   "DISK FREE", "PROGRAMS");
	}
	for (size_t i = 0; i < all->nr; i++) {
		if (is_json)
			put_json(&all->list[i]);
		else
			put_recording(&all->list[i]);
	}
}

/* Sends a word of <ktrace/port.h>, with @text as the value of @key. */
static int send_word(const struct live_recordings *all, const struct wish *w, const char *word,
		     const char *key)
{
	struct ktrace_text t = { 0 };
	int status;

	ktrace_text_line(&t, word);
	if (key)
		ktrace_text_str(&t, key, w->text);
	if (t.error || t.len >= KTRACE_PORT_MESSAGE) {
		ktrace_text_free(&t);
		return command_usage(&cmd_control, "the request is too long");
	}
	live_ask(all->list, t.buf);
	ktrace_text_free(&t);
	status = live_say_answer(all, all->list);
	if (status == STATUS_OK && w->is_json)
		put_json(all->list);
	return status;
}

static int pause_recording(const struct live_recordings *all, const struct wish *w)
{
	return send_word(all, w, "pause", NULL);
}

static int resume(const struct live_recordings *all, const struct wish *w)
{
	return send_word(all, w, "resume", NULL);
}

static int enable(const struct live_recordings *all, const struct wish *w)
{
	return send_word(all, w, "enable", "events");
}

static int disable(const struct live_recordings *all, const struct wish *w)
{
	return send_word(all, w, "disable", "events");
}

static int rotate(const struct live_recordings *all, const struct wish *w)
{
	return send_word(all, w, "rotate", NULL);
}

/* Waits until the file is whole: then ktraced gives up its lock. */
static void await_file(const struct live_recording *r)
{
	char *path = live_value(r, "file");
	const int fd = path ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;

	free(path);
	if (fd < 0)
		return;
	flock(fd, LOCK_SH);
	close(fd);
}

static int stop(const struct live_recordings *all, const struct wish *w)
{
	const int status = send_word(all, w, "stop", NULL);

	/* Root must not open what another user names, or wait for a lock of that user. */
	if (status == STATUS_OK && all->list->port.uid == geteuid())
		await_file(all->list);
	return status;
}

static int mark(const struct live_recordings *all, const struct wish *w)
{
	char path[4096];
	int ret = command_part(path, sizeof(path), "mark");

	if (!ret)
		ret = live_mark(all->list, path, w->text);
	if (ret == -EOPNOTSUPP)
		complain_safely("ktrace control: no mark was written: the recording %u takes no "
				"events of programs, or is older than this program",
				all->list->port.pid);
	else if (ret)
		complain_safely("ktrace control: no mark was written: %s", strerror(-ret));
	return ret ? STATUS_DAMAGED : STATUS_OK;
}

/* struct action - what to do with a recording; @value: what follows the word, NULL = nothing */
static const struct action {
	const char *word;
	const char *value;
	int (*run)(const struct live_recordings *all, const struct wish *w);
} actions[] = {
	{ "pause", NULL, pause_recording },
	{ "resume", NULL, resume },
	{ "enable", "EVENTS", enable },
	{ "disable", "EVENTS", disable },
	{ "rotate", NULL, rotate },
	{ "mark", "TEXT", mark },
	{ "stop", NULL, stop },
};

static const struct action *find_action(const char *word)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (!strcmp(word, actions[i].word))
			return &actions[i];
	return NULL;
}

static int serve(const struct wish *w)
{
	struct live_recordings all = { .who = "ktrace control" };
	int status = STATUS_OK;

	if (!live_find(&all, w->name, w->action ? "show" : "status")) {
		fprintf(stderr, "ktrace: out of memory\n");
		status = STATUS_DAMAGED;
	} else if (!all.nr || (w->action && all.nr > 1)) {
		status = live_fail(&all, w->name);
	} else if (w->action) {
		status = w->action->run(&all, w);
	} else {
		put_list(&all, w->is_json);
	}
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
	  "its ktraced or of its command, or by its session; the name is optional if only\n"
	  "one recording runs.\n"
	  "\n"
	  "  pause           record nothing from now on\n"
	  "  resume          record again what was chosen before\n"
	  "  enable EVENTS   add to the list of -e\n"
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
