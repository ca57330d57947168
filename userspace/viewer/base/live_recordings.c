// SPDX-License-Identifier: GPL-2.0
/*
 * live_recordings.c - live recordings of ktraced, found by their ports, and what they answer
 *
 * Answers are printed with control characters escaped.
 */
#include "live_recordings.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <ktrace/session.h>

#include "base/descriptors.h"
#include "viewer.h"

/* Recordings without an answer that are listed; of further ones only the number is printed. */
#define SILENT_MAX 8u
#define STALE_MAX 64u

void live_ask(struct live_recording *r, const char *text)
{
	free(r->says);
	ktrace_port_ask_all(&r->port, 1, text, &r->says, &r->error);
}

bool live_is_ok(const struct live_recording *r)
{
	return r->says && !r->error && !strncmp(r->says, "ok ", 3);
}

char *live_value(const struct live_recording *r, const char *key)
{
	return live_is_ok(r) ? ktrace_port_value(r->says, key) : NULL;
}

static bool may_ask(const struct ktrace_port *port)
{
	return !geteuid() || port->uid == geteuid();
}

/* True if @name is the pid of ktraced or the command, or the session as --recover prints it. */
static bool is_named(const struct live_recording *r, const char *name)
{
	char text[64], *session, *command;
	bool is;

	snprintf(text, sizeof(text), "%u", r->port.pid);
	if (!strcmp(name, text))
		return true;
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)r->port.id);
	if (!strcmp(name, text))
		return true;
	if (!live_is_ok(r))
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

/* Keeps the ports that this user may ask and may mean. Returns their number. */
static size_t choose_ports(struct ktrace_port *ports, size_t found, const char *name,
			   bool *is_others)
{
	bool is_known = false;
	size_t nr = 0;

	for (size_t i = 0; name && i < found; i++)
		is_known |= is_named(&(struct live_recording) { .port = ports[i] }, name);
	for (size_t i = 0; i < found; i++) {
		const struct live_recording r = { .port = ports[i] };

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
static void keep(struct live_recordings *all, const struct live_recording *r, const char *name)
{
	const bool is_none = r->error == -ECONNREFUSED || r->error == -EACCES ||
			     (name && !is_named(r, name));

	all->silent_nr += !is_none && r->error;
	if (is_none || (r->error && all->silent_nr > SILENT_MAX))
		free(r->says);
	else
		all->list[all->nr++] = *r;
}

bool live_find(struct live_recordings *all, const char *name, const char *word)
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
		ktrace_port_ask_all(ports, nr, word, answers, errors);
	for (size_t i = 0; is_done && i < nr; i++)
		keep(all, &(struct live_recording) { ports[i], answers[i], errors[i] }, name);
	free(ports);
	free(answers);
	free(errors);
	return is_done;
}

static int fail_none(const struct live_recordings *all, const char *name)
{
	struct ktrace_stale list[STALE_MAX];
	const size_t nr = ktrace_session_list_stale(list, STALE_MAX);
	size_t stale = 0;

	/* Nothing can be saved from sessions that were never completely set up. */
	for (size_t i = 0; i < nr && i < STALE_MAX; i++)
		if (!list[i].is_unfinished)
			list[stale++] = list[i];
	if (all->is_others)
		complain_safely("%s: %s is another user's recording: only its user and root may "
				"ask for it", all->who, name);
	else if (name)
		complain_safely("%s: no live recording %s", all->who, name);
	else
		complain_safely("%s: nothing is being recorded", all->who);
	if (stale && !all->is_others)
		complain_safely("%s: %zu session%s left behind by a ktraced that died, e.g. %s; "
				"ktraced --recover saves what %s", all->who, stale,
				stale == 1 ? "" : "s", list[0].where,
				stale == 1 ? "it holds" : "they hold");
	return STATUS_DAMAGED;
}

int live_fail(const struct live_recordings *all, const char *name)
{
	if (!all->nr)
		return fail_none(all, name);
	fprintf(stderr, "%s: %zu live recordings, say which:", all->who, all->nr);
	for (size_t i = 0; i < all->nr; i++)
		fprintf(stderr, " %u", all->list[i].port.pid);
	fprintf(stderr, "; %s lists them\n", all->who);
	return STATUS_USAGE;
}

int live_say_answer(const struct live_recordings *all, const struct live_recording *r)
{
	const bool is_ok = live_is_ok(r);
	char *text = r->error ? NULL : ktrace_port_value(r->says, is_ok ? "note" : "reason");

	if (r->error == -ETIMEDOUT)
		complain_safely("%s: ktraced %u does not answer: is it stopped?", all->who,
				r->port.pid);
	else if (r->error)
		complain_safely("%s: ktraced %u: %s", all->who, r->port.pid, strerror(-r->error));
	else if (text)
		complain_about(is_ok ? "note" : "refused", "%s", text);
	else if (!is_ok)
		complain_safely("%s: ktraced %u answers in words not known here", all->who,
				r->port.pid);
	free(text);
	return is_ok ? STATUS_OK : STATUS_DAMAGED;
}

void live_say_silent(const struct live_recordings *all)
{
	if (all->silent_nr > SILENT_MAX)
		complain_safely("%s: %zu more do not answer: they are stopped, or no recordings",
				all->who, all->silent_nr - SILENT_MAX);
}

/* struct mark_env - variables of the program that writes a mark, of which some are our own */
struct mark_env {
	char *own[4];
	char **all;
};

/* The environment without the variables of @e->own, then these */
static int mark_env_join(struct mark_env *e)
{
	size_t nr = 0, own;

	while (environ[nr])
		nr++;
	e->all = calloc(nr + sizeof(e->own) / sizeof(e->own[0]) + 1, sizeof(*e->all));
	if (!e->all)
		return -ENOMEM;
	nr = 0;
	for (char **at = environ; *at; at++) {
		const size_t name = strcspn(*at, "=") + 1;

		for (own = 0; e->own[own] && strncmp(e->own[own], *at, name); own++)
			;
		if (!e->own[own])
			e->all[nr++] = *at;
	}
	for (own = 0; e->own[own]; own++)
		e->all[nr++] = e->own[own];
	return 0;
}

static int mark_env_init(struct mark_env *e, const struct live_recording *r)
{
	char *session = live_value(r, "session"), *space = live_value(r, "pidns");
	const bool is_made = session &&
		asprintf(&e->own[0], "KTRACE_SESSION=%s", session) >= 0 &&
		asprintf(&e->own[1], "KTRACE_BOARD=%s", "none") >= 0 &&
		(!space || asprintf(&e->own[2], "KTRACE_PIDNS=%s", space) >= 0);
	const int error = session ? -ENOMEM : -ENOENT;

	free(session);
	free(space);
	return is_made ? mark_env_join(e) : error;
}

/* Its standard input may be one that others wait for. */
static int spawn_mark(pid_t *pid, const char *program, const char *text, char **env)
{
	char *argv[] = { (char *)"ktrace-mark", (char *)text, NULL };
	posix_spawn_file_actions_t files;
	int error = posix_spawn_file_actions_init(&files);

	if (error)
		return -error;
	error = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!error)
		error = posix_spawn(pid, program, &files, NULL, argv, env);
	posix_spawn_file_actions_destroy(&files);
	return -error;
}

int live_mark(const struct live_recording *r, const char *program, const char *text)
{
	struct mark_env env = { .all = NULL };
	int status = 0, ret = mark_env_init(&env, r);
	pid_t pid;

	if (!ret)
		ret = spawn_mark(&pid, program, text, env.all);
	while (!ret && waitpid(pid, &status, 0) < 0)
		ret = errno == EINTR ? 0 : -errno;
	for (size_t i = 0; env.own[i]; i++)
		free(env.own[i]);
	free(env.all);
	return ret || !status ? ret : -EOPNOTSUPP;
}

void live_free(struct live_recordings *all)
{
	for (size_t i = 0; i < all->nr; i++)
		free(all->list[i].says);
	free(all->list);
}
