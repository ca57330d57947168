// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_level.c - ktrace level: shows and changes which events live recordings record
 *
 * Live recordings are found by their ports, <ktrace/port.h>; their answers tell what they record.
 * Answers are printed with control characters escaped.
 */
#include "base/viewer.h"

#include "base/descriptors.h"
#include "base/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ktrace/level.h>
#include <ktrace/port.h>
#include <ktrace/session.h>
#include <ktrace/tracefile.h>

/* Recordings without an answer that are listed; of further ones only the number is printed. */
#define SILENT_MAX 8u
#define STALE_MAX 64u

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

/* struct recording - a live one: its port and its answer; @says is to be freed */
struct recording {
	struct ktrace_port port;
	char *says;
	int error;
};

static void ask(struct recording *r, const char *text)
{
	free(r->says);
	ktrace_port_ask_all(&r->port, 1, text, &r->says, &r->error);
}

static bool is_ok(const struct recording *r)
{
	return r->says && !r->error && !strncmp(r->says, "ok ", 3);
}

static bool may_ask(const struct ktrace_port *port)
{
	return !geteuid() || port->uid == geteuid();
}

/* True if @name is the pid of ktraced or the command, or the session as --recover prints it. */
static bool is_named(const struct recording *r, const char *name)
{
	char text[64], *session, *command;
	bool is;

	snprintf(text, sizeof(text), "%u", r->port.pid);
	if (!strcmp(name, text))
		return true;
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)r->port.id);
	if (!strcmp(name, text))
		return true;
	if (!is_ok(r))
		return false;
	session = ktrace_port_value(r->says, "session");
	command = ktrace_port_value(r->says, "command");
	is = (command && !strcmp(name, command)) ||
	     (session && (!strcmp(name, session) || (!strncmp(session, "shm:", 4) &&
		!strncmp(session + 4, name, strlen(name)) && *name == '/' &&
		(!session[4 + strlen(name)] || !strcmp(session + 4 + strlen(name), "/user")))));
	free(session);
	free(command);
	return is;
}

static void put_value(struct ktrace_out *out, const struct recording *r, const char *key,
		      const char *missing, size_t width)
{
	char *value = ktrace_port_value(r->says, key);
	const size_t from = out->len;

	ktrace_out_safe(out, value ? value : missing);
	if (width)
		ktrace_out_pad(out, from, width);
	if (width)
		ktrace_out_char(out, ' ');
	free(value);
}

static void put_recording(const struct recording *r)
{
	struct ktrace_out *out = output();
	char *pthread, pid[16];
	size_t from;

	output_line_begin(out);
	from = out->len;
	snprintf(pid, sizeof(pid), "%u", r->port.pid);
	ktrace_out_str(out, pid);
	ktrace_out_pad(out, from, 8);
	if (!is_ok(r)) {
		ktrace_out_str(out, "does not answer: is it stopped?\n");
		return;
	}
	pthread = ktrace_port_value(r->says, "pthread");
	put_value(out, r, "levels", pthread && !strcmp(pthread, "1") ? "all" : "-", 12);
	free(pthread);
	put_value(out, r, "events", "default", 12);
	put_value(out, r, "file", "?", 0);
	ktrace_out_str(out, "  ");
	put_value(out, r, "cmd", "", 0);
	ktrace_out_char(out, '\n');
}

/* Prints a recording. If it does not answer, only the pid is known. */
static void put_json(const struct recording *r)
{
	static const char *const keys[] = { "session", "levels", "events", "where", "file", "cmd" };
	struct ktrace_out *out = output();
	char *said[sizeof(keys) / sizeof(keys[0])];
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		said[i] = is_ok(r) ? ktrace_port_value(r->says, keys[i]) : NULL;
	output_line_begin(out);
	ktrace_out_char(out, '{');
	json_u64(out, "pid", r->port.pid);
	json_u64(out, "answers", is_ok(r));
	json_str(out, "session", said[0]);
	json_str(out, "levels", said[1]);
	json_str(out, "events", said[2]);
	json_str(out, "where", said[3]);
	json_str(out, "file", said[4]);
	json_str(out, "cmd", said[5]);
	ktrace_out_str(out, "}\n");
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		free(said[i]);
}

static void put_list(const struct recording *list, size_t nr, bool is_json)
{
	struct ktrace_out *out = output();

	for (size_t i = 0; is_json && i < nr; i++)
		put_json(&list[i]);
	if (is_json)
		return;
	output_line_begin(out);
	ktrace_out_str(out, "PID     LEVELS       EVENTS       FILE  COMMAND\n");
	for (size_t i = 0; i < nr; i++)
		put_recording(&list[i]);
}

/**
 * struct recordings - live recordings that the user may mean
 * @list:	the recordings, with their answers
 * @nr:		their number
 * @silent_nr:	how many did not answer, including those that are not in @list
 * @is_others:	the name belongs to a recording of another user
 */
struct recordings {
	struct recording *list;
	size_t nr, silent_nr;
	bool is_others;
};

/* Keeps the ports that this user may ask and may mean. Returns their number. */
static size_t choose_ports(struct ktrace_port *ports, size_t found, const char *name,
			   bool *is_others)
{
	bool is_known = false;
	size_t nr = 0;

	for (size_t i = 0; name && i < found; i++)
		is_known |= is_named(&(struct recording) { .port = ports[i] }, name);
	for (size_t i = 0; i < found; i++) {
		const struct recording r = { .port = ports[i] };

		/* Recordings may be slow to answer: ask only those whose names must be known. */
		if (is_known && !is_named(&r, name))
			continue;
		if (may_ask(&r.port))
			ports[nr++] = r.port;
		else
			*is_others |= name && is_named(&r, name);
	}
	return nr;
}

/* Adds a recording, unless its socket has just gone or is not its user's, or its name differs. */
static void keep(struct recordings *all, const struct recording *r, const char *name)
{
	const bool is_none = r->error == -ECONNREFUSED || r->error == -EACCES ||
			     (name && !is_named(r, name));

	all->silent_nr += !is_none && r->error;
	if (is_none || (r->error && all->silent_nr > SILENT_MAX))
		free(r->says);
	else
		all->list[all->nr++] = *r;
}

/* Returns false if there is no memory. */
static bool find_recordings(struct recordings *all, const char *name)
{
	size_t found = 0;
	struct ktrace_port *ports = ktrace_port_list_all(&found);
	const size_t nr = ports ? choose_ports(ports, found, name, &all->is_others) : 0;
	char **answers = calloc(nr + 1, sizeof(*answers));
	int *errors = calloc(nr + 1, sizeof(*errors));
	bool is_done;

	all->list = calloc(nr + 1, sizeof(*all->list));
	is_done = ports && answers && errors && all->list;
	/* Ask all at once if possible, so that each has the full time to answer. */
	descriptors_allow_all();
	if (is_done)
		ktrace_port_ask_all(ports, nr, "show", answers, errors);
	for (size_t i = 0; is_done && i < nr; i++)
		keep(all, &(struct recording) { ports[i], answers[i], errors[i] }, name);
	free(ports);
	free(answers);
	free(errors);
	return is_done;
}

static int fail_none(const char *name, bool is_others)
{
	struct ktrace_stale list[STALE_MAX];
	const size_t all = ktrace_session_list_stale(list, STALE_MAX);
	size_t stale = 0;

	/* Nothing can be saved from sessions that were never completely set up. */
	for (size_t i = 0; i < all && i < STALE_MAX; i++)
		if (!list[i].is_unfinished)
			list[stale++] = list[i];
	if (is_others)
		complain_safely("ktrace level: %s is another user's recording: only its user and "
				"root may ask for it", name);
	else if (name)
		complain_safely("ktrace level: no live recording %s", name);
	else
		fprintf(stderr, "ktrace level: nothing is being recorded\n");
	if (stale && !is_others)
		fprintf(stderr, "ktrace level: %zu session%s left behind by a ktraced that died, "
			"e.g. %s; ktraced --recover saves what %s\n", stale,
			stale == 1 ? "" : "s", list[0].where,
			stale == 1 ? "it holds" : "they hold");
	return STATUS_DAMAGED;
}

static int fail_several(const struct recording *list, size_t nr)
{
	fprintf(stderr, "ktrace level: %zu live recordings, say which:", nr);
	for (size_t i = 0; i < nr; i++)
		fprintf(stderr, " %u", list[i].port.pid);
	fprintf(stderr, "; ktrace level lists them\n");
	return STATUS_USAGE;
}

static int say_answer(const struct recording *r)
{
	char *text = r->error ? NULL
		: ktrace_port_value(r->says, is_ok(r) ? "note" : "reason");

	if (r->error == -ETIMEDOUT)
		fprintf(stderr, "ktrace level: ktraced %u does not answer: is it stopped?\n",
			r->port.pid);
	else if (r->error)
		fprintf(stderr, "ktrace level: ktraced %u: %s\n", r->port.pid,
			strerror(-r->error));
	else if (text)
		complain_about(is_ok(r) ? "note" : "refused", "%s", text);
	else if (!is_ok(r))
		fprintf(stderr, "ktrace level: ktraced %u answers in words not known here\n",
			r->port.pid);
	free(text);
	return is_ok(r) ? STATUS_OK : STATUS_DAMAGED;
}

static int change(struct recording *r, const struct wish *w)
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
	ask(r, t.buf);
	ktrace_text_free(&t);
	return say_answer(r);
}

static int act(struct recording *list, size_t nr, const struct wish *w)
{
	if (!w->levels && !w->events && !w->where) {
		put_list(list, nr, w->is_json);
		return STATUS_OK;
	}
	if (w->is_json)
		return command_usage(&cmd_level, "--json lists recordings, and changes none");
	return nr > 1 ? fail_several(list, nr) : change(&list[0], w);
}

static int serve(const struct wish *w)
{
	struct recordings all = { .list = NULL };
	int status = STATUS_DAMAGED;

	if (!find_recordings(&all, w->name))
		fprintf(stderr, "ktrace: out of memory\n");
	else
		status = all.nr ? act(all.list, all.nr, w) : fail_none(w->name, all.is_others);
	if (all.silent_nr > SILENT_MAX)
		fprintf(stderr, "ktrace level: %zu more do not answer: they are stopped, or no "
			"recordings\n", all.silent_nr - SILENT_MAX);
	for (size_t i = 0; i < all.nr; i++)
		free(all.list[i].says);
	free(all.list);
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
			strncmp(words[0], "dev:", 4) && strncmp(words[0], "shm:", 4))) {
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
