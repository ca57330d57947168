// SPDX-License-Identifier: LGPL-2.1
/*
 * live.c - live recordings: finds their ports, sends messages, keeps the answers
 *
 * An answer is cut into its values when it arrives, so that they can be returned as they are.
 */
#include <ktrace/live.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktrace/port.h>
#include <ktrace/tracefile.h>

#include "base/libexec.h"
#include "base/percent.h"

extern char **environ;

/* Recordings without an answer that are listed; further ones are only counted. */
#define SILENT_MAX 8u
#define VALUES_MAX 64u
/* Bytes of a variable that names a session */
#define VARIABLE_MAX 512u
/* Time between two questions whether a session has ended */
#define ENDING_MS 20

struct value {
	const char *key;
	char *text;
};

/**
 * struct ktrace_live - a recording
 * @port:	its port
 * @says:	its answer, cut into @values; NULL = none
 * @error:	as ktrace_live_error()
 * @is_ok:	it has done what was asked
 * @nr:		number of @values
 * @name:	as ktrace_live_name()
 * @is_twin:	a session of another service has the same number: named by its port
 */
struct ktrace_live {
	struct ktrace_port port;
	char *says;
	int error;
	bool is_ok;
	size_t nr;
	struct value values[VALUES_MAX];
	char name[64];
	bool is_twin;
};

struct ktrace_live_list {
	struct ktrace_live *list;
	size_t nr, silent_nr;
	bool is_others;
};

static void cut_values(struct ktrace_live *r)
{
	char *rest = r->says, *word;

	r->nr = 0;
	rest[strcspn(rest, "\n")] = '\0';
	strsep(&rest, " ");
	while (r->nr < VALUES_MAX && (word = strsep(&rest, " "))) {
		char *is = strchr(word, '=');

		if (!is)
			continue;
		*is = '\0';
		if (percent_decode(is + 1))
			r->values[r->nr++] = (struct value){ word, is + 1 };
	}
}

static const char *value_of(const struct ktrace_live *r, const char *key)
{
	for (size_t i = 0; i < r->nr; i++)
		if (!strcmp(r->values[i].key, key))
			return r->values[i].text;
	return NULL;
}

/* Who answers may be anybody's process: its names get no further than this. */
static bool is_session_name(const char *text)
{
	const char *number = text + strlen("session:");

	return !strncmp(text, "session:", strlen("session:")) && *number && strlen(text) < 32 &&
	       !number[strspn(number, "0123456789")];
}

static void name_it(struct ktrace_live *r)
{
	const char *session = ktrace_live_text(r, "session");

	if (r->is_twin)
		snprintf(r->name, sizeof(r->name), "%016llx", (unsigned long long)r->port.id);
	else if (session && ktrace_live_kind(r) == KTRACE_LIVE_SESSION && is_session_name(session))
		snprintf(r->name, sizeof(r->name), "%s", session);
	else if (!*r->name)
		snprintf(r->name, sizeof(r->name), "%u", r->port.pid);
}

/* Takes @says, the answer, and @error, as from ktrace_port_ask_all(). */
static void take_answer(struct ktrace_live *r, char *says, int error)
{
	free(r->says);
	r->says = error ? NULL : says;
	r->error = error;
	r->is_ok = false;
	r->nr = 0;
	if (r->says) {
		r->is_ok = !strncmp(r->says, "ok ", 3);
		if (!r->is_ok)
			r->error = strncmp(r->says, "refused ", 8) ? -EPROTO : -EREMOTEIO;
		cut_values(r);
	}
	name_it(r);
}

int ktrace_live_ask(struct ktrace_live *r, const char *text)
{
	char *says;
	int error;

	ktrace_port_ask_all(&r->port, 1, text, &says, &error);
	take_answer(r, says, error);
	return r->error;
}

/* True if @name is that of a session in shared memory, without what ktraced adds to it. */
static bool is_shm(const char *session, const char *name)
{
	const size_t len = strlen(name);

	return !strncmp(session, "shm:", 4) && !strncmp(session + 4, name, len) && *name == '/' &&
	       (!session[4 + len] || !strcmp(session + 4 + len, "/user"));
}

/* True if @name is the pid of ktraced or the command, or the session as --recover prints it. */
static bool is_named(const struct ktrace_live *r, const char *name)
{
	static const char *const keys[] = { "session", "command", "name", "key" };
	const char *session = ktrace_live_text(r, "session");
	char text[32];

	/* Several sessions have the process of the service. */
	snprintf(text, sizeof(text), "%u", r->port.pid);
	if (!strcmp(name, text) && ktrace_live_kind(r) != KTRACE_LIVE_SESSION)
		return true;
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)r->port.id);
	if (!strcmp(name, text))
		return true;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *value = ktrace_live_text(r, keys[i]);

		if (value && !strcmp(value, name))
			return true;
	}
	return session && is_shm(session, name);
}

static bool may_ask(const struct ktrace_port *port)
{
	return !geteuid() || port->uid == geteuid();
}

/* Keeps the ports that this user may ask and may mean. Returns their number. */
static size_t choose_ports(struct ktrace_port *ports, size_t found, const char *name,
			   bool *is_others)
{
	bool is_known = false;
	size_t nr = 0;

	for (size_t i = 0; name && i < found; i++)
		is_known |= is_named(&(struct ktrace_live){ .port = ports[i] }, name);
	for (size_t i = 0; i < found; i++) {
		const struct ktrace_live r = { .port = ports[i] };

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

/* Keeps a recording, unless its socket has just gone or is not its user's, or its name differs. */
static void keep(struct ktrace_live_list *l, struct ktrace_live *r, const char *name)
{
	const bool is_none = r->error == -ECONNREFUSED || r->error == -EACCES ||
			     (name && !is_named(r, name));

	l->silent_nr += !is_none && !r->says;
	if (is_none || (!r->says && l->silent_nr > SILENT_MAX))
		free(r->says);
	else
		l->list[l->nr++] = *r;
}

/* Each service numbers its own sessions: gives those of a number names that differ. */
static void part_twins(struct ktrace_live_list *l)
{
	for (size_t i = 0; i < l->nr; i++)
		for (size_t k = 0; k < l->nr; k++)
			l->list[i].is_twin |= i != k &&
				ktrace_live_kind(&l->list[i]) == KTRACE_LIVE_SESSION &&
				!strcmp(l->list[i].name, l->list[k].name);
	for (size_t i = 0; i < l->nr; i++)
		name_it(&l->list[i]);
}

int ktrace_live_find(struct ktrace_live_list **list, const char *name, const char *word)
{
	size_t found = 0;
	struct ktrace_live_list *l = calloc(1, sizeof(*l));
	struct ktrace_port *ports = l ? ktrace_port_list_all(&found) : NULL;
	const size_t nr = ports ? choose_ports(ports, found, name, &l->is_others) : 0;
	char **answers = calloc(nr + 1, sizeof(*answers));
	int *errors = calloc(nr + 1, sizeof(*errors));
	bool is_done;

	if (l)
		l->list = calloc(nr + 1, sizeof(*l->list));
	is_done = ports && answers && errors && l->list;
	if (is_done)
		ktrace_port_ask_all(ports, nr, word, answers, errors);
	for (size_t i = 0; is_done && i < nr; i++) {
		struct ktrace_live r = { .port = ports[i] };

		take_answer(&r, answers[i], errors[i]);
		keep(l, &r, name);
	}
	if (is_done)
		part_twins(l);
	free(ports);
	free(answers);
	free(errors);
	if (is_done)
		*list = l;
	else
		ktrace_live_free(l);
	return is_done ? 0 : -ENOMEM;
}

int ktrace_live_open(struct ktrace_live_list **list, const struct ktrace_port *port)
{
	struct ktrace_live_list *l = calloc(1, sizeof(*l));

	if (l)
		l->list = calloc(1, sizeof(*l->list));
	if (!l || !l->list) {
		ktrace_live_free(l);
		return -ENOMEM;
	}
	l->nr = 1;
	l->list->port = *port;
	name_it(l->list);
	*list = l;
	return 0;
}

void ktrace_live_free(struct ktrace_live_list *list)
{
	for (size_t i = 0; list && i < list->nr; i++)
		free(list->list[i].says);
	if (list)
		free(list->list);
	free(list);
}

size_t ktrace_live_nr(const struct ktrace_live_list *list)
{
	return list->nr;
}

struct ktrace_live *ktrace_live_at(struct ktrace_live_list *list, size_t i)
{
	return i < list->nr ? &list->list[i] : NULL;
}

size_t ktrace_live_silent(const struct ktrace_live_list *list)
{
	return list->silent_nr;
}

bool ktrace_live_is_others(const struct ktrace_live_list *list)
{
	return list->is_others;
}

enum ktrace_live_kind ktrace_live_kind(const struct ktrace_live *r)
{
	const char *kind = ktrace_live_text(r, "kind");

	if (!r->is_ok)
		return KTRACE_LIVE_UNKNOWN;
	/* ktraced says nothing of a kind. */
	return kind && !strcmp(kind, "session") ? KTRACE_LIVE_SESSION : KTRACE_LIVE_RECORDING;
}

const char *ktrace_live_name(const struct ktrace_live *r)
{
	return r->name;
}

__u32 ktrace_live_pid(const struct ktrace_live *r)
{
	return r->port.pid;
}

int ktrace_live_error(const struct ktrace_live *r)
{
	return r->error;
}

const char *ktrace_live_reason(const struct ktrace_live *r)
{
	return r->error == -EREMOTEIO ? value_of(r, "reason") : NULL;
}

const char *ktrace_live_text(const struct ktrace_live *r, const char *key)
{
	return r->is_ok ? value_of(r, key) : NULL;
}

bool ktrace_live_number(const struct ktrace_live *r, const char *key, __u64 *value)
{
	const char *text = ktrace_live_text(r, key);

	*value = text ? strtoull(text, NULL, 10) : 0;
	return text;
}

const char *ktrace_live_loss(const struct ktrace_live *r, size_t i, __u64 *nr)
{
	static const char before[] = "lost_";

	for (size_t k = 0; r->is_ok && k < r->nr; k++) {
		if (strncmp(r->values[k].key, before, strlen(before)) || i--)
			continue;
		*nr = strtoull(r->values[k].text, NULL, 10);
		return r->values[k].key + strlen(before);
	}
	return NULL;
}

/* Sends a word, with @value as the value of @key; @key: NULL = without */
static int send_word(struct ktrace_live *r, const char *word, const char *key, const char *value)
{
	struct ktrace_text t = { 0 };
	int error;

	ktrace_text_line(&t, word);
	if (key)
		ktrace_text_str(&t, key, value);
	error = t.error ? t.error : t.len >= KTRACE_PORT_MESSAGE ? -E2BIG : 0;
	if (error)
		take_answer(r, NULL, error);
	else
		ktrace_live_ask(r, t.buf);
	ktrace_text_free(&t);
	return r->error;
}

int ktrace_live_status(struct ktrace_live *r)
{
	return send_word(r, "status", NULL, NULL);
}

int ktrace_live_pause(struct ktrace_live *r)
{
	return send_word(r, "pause", NULL, NULL);
}

int ktrace_live_resume(struct ktrace_live *r)
{
	return send_word(r, "resume", NULL, NULL);
}

int ktrace_live_enable(struct ktrace_live *r, const char *events)
{
	return send_word(r, "enable", "events", events);
}

int ktrace_live_disable(struct ktrace_live *r, const char *events)
{
	return send_word(r, "disable", "events", events);
}

int ktrace_live_rotate(struct ktrace_live *r)
{
	return send_word(r, "rotate", NULL, NULL);
}

static bool is_recordings_own(const char *variable_text)
{
	static const char *const names[] = { "KTRACE_SESSION=", "KTRACE_PIDNS=", "KTRACE_BOARD=" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(variable_text, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Its standard input may be one that others wait for. */
static int spawn_mark(pid_t *pid, const char *path, const char *text, char **env)
{
	char *argv[] = { (char *)"ktrace-mark", (char *)text, NULL };
	posix_spawn_file_actions_t files;
	int error = posix_spawn_file_actions_init(&files);

	if (error)
		return -error;
	error = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!error)
		error = posix_spawn(pid, path, &files, NULL, argv, env);
	posix_spawn_file_actions_destroy(&files);
	return -error;
}

/* Runs the program @path with the caller's environment, but in recording @r alone. */
static int run_mark(const struct ktrace_live *r, const char *path, const char *text, int *status)
{
	const char *session = value_of(r, "session"), *space = value_of(r, "pidns");
	char own_session[VARIABLE_MAX], own_space[VARIABLE_MAX], **env;
	int ret = session ? 0 : -ENOENT;
	size_t nr = 0, own = 0;
	pid_t pid;

	while (environ && environ[nr])
		nr++;
	env = calloc(nr + 4, sizeof(*env));
	if (!env)
		ret = -ENOMEM;
	for (size_t i = 0; !ret && i < nr; i++)
		if (!is_recordings_own(environ[i]))
			env[own++] = environ[i];
	if (!ret) {
		snprintf(own_session, VARIABLE_MAX, "KTRACE_SESSION=%s", session);
		snprintf(own_space, VARIABLE_MAX, "KTRACE_PIDNS=%s", space ? space : "");
		env[own++] = (char *)"KTRACE_BOARD=none";
		env[own++] = own_session;
		env[own] = space ? own_space : NULL;
		ret = spawn_mark(&pid, path, text, env);
	}
	while (!ret && waitpid(pid, status, 0) < 0)
		ret = errno == EINTR ? 0 : -errno;
	free(env);
	return ret;
}

/* A program that takes part in the recording writes the mark, so that it is in order. */
static int mark_recording(struct ktrace_live *r, const char *text)
{
	static const char why[] = "refused reason=it%20takes%20no%20events%20of%20programs,%20or%20"
				  "is%20older%20than%20this%20program";
	char path[PATH_MAX];
	int status = 0, ret = -ENOENT;

	if (libexec_find(path, "mark", (void *)mark_recording))
		ret = run_mark(r, path, text, &status);
	if (ret)
		take_answer(r, NULL, ret);
	else if (status)
		take_answer(r, strdup(why), 0);
	return r->error;
}

int ktrace_live_mark(struct ktrace_live *r, const char *text)
{
	if (!r->is_ok && ktrace_live_ask(r, "show"))
		return r->error;
	if (ktrace_live_kind(r) == KTRACE_LIVE_SESSION)
		return send_word(r, "mark", "text", text);
	return mark_recording(r, text);
}

/* Waits until the file is whole: then ktraced gives up its lock. */
static void await_file(const struct ktrace_live *r)
{
	const char *path = ktrace_live_text(r, "file");
	const int fd = path ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	flock(fd, LOCK_SH);
	close(fd);
}

/* Waits until the session has no port any more. Return: 0 or -errno */
static int await_end(const struct ktrace_live *r)
{
	char *says;
	int error;

	for (;;) {
		ktrace_port_ask_all(&r->port, 1, "show", &says, &error);
		free(says);
		/* Another user's process may have its name by now. */
		if (error == -ECONNREFUSED || error == -EACCES)
			return 0;
		if (error && error != -ETIMEDOUT)
			return error;
		poll(NULL, 0, ENDING_MS);
	}
}

int ktrace_live_stop(struct ktrace_live *r)
{
	const int error = send_word(r, "stop", NULL, NULL);

	if (!error && ktrace_live_kind(r) == KTRACE_LIVE_SESSION)
		r->error = await_end(r);
	/* Root must not open what another user names, or wait for a lock of that user. */
	else if (!error && r->port.uid == geteuid())
		await_file(r);
	return r->error;
}
