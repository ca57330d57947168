// SPDX-License-Identifier: GPL-2.0
/*
 * control_server.c - changes what is recorded while it is being recorded, on request
 *
 * Takes each message from the port as a whole, checks it, and executes or refuses it before the
 * next one; <ktrace/port.h> defines the words. Levels, -e and --filter are independent choices: a
 * message changes some of them, the others stay. When the answer is sent, programs find the new
 * choice in the session's memory, and the file says since when it holds.
 */
#include "control_server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/level.h>
#include <ktrace/port.h>

#include "base/log.h"
#include "events/kernel_filter.h"
#include "named.h"
#include "output/meta.h"

#define NAMES_SIZE 256

int control_server_open(struct recording *r)
{
	return ktrace_port_open(ktrace_session_id(r->session));
}

static void answer(int fd, const struct ktrace_port_sender *to, struct ktrace_text *t)
{
	if (!t->error && t->buf)
		ktrace_port_answer(fd, to, t->buf);
	ktrace_text_free(t);
}

static void refuse(int fd, const struct ktrace_port_sender *to, const char *reason)
{
	struct ktrace_text t = { 0 };

	ktrace_text_line(&t, "refused");
	ktrace_text_str(&t, "reason", reason);
	answer(fd, to, &t);
}

static void show(struct recording *r, int fd, const struct ktrace_port_sender *to,
		 const char *note)
{
	const struct options *o = r->options;
	char *path = realpath(r->capture.path, NULL);
	struct ktrace_session_info info;
	struct ktrace_text t = { 0 };

	ktrace_session_info(r->session, &info);
	ktrace_text_line(&t, "ok");
	ktrace_text_u64(&t, "pid", (__u64)getpid());
	if (r->command.pid)
		ktrace_text_u64(&t, "command", (__u64)r->command.pid);
	ktrace_text_str(&t, "session", info.env);
	ktrace_text_str(&t, "backend", info.backend);
	ktrace_text_str(&t, "file", path ? path : r->capture.path);
	ktrace_text_u64(&t, "pthread", o->is_pthread);
	meta_choice_pairs(&t, &r->choice);
	if (o->argv)
		meta_cmd(&t, o->argv);
	if (note)
		ktrace_text_str(&t, "note", note);
	free(path);
	answer(fd, to, &t);
}

/* struct words - the values in a message; NULL: the message does not name it */
struct words {
	char *levels;
	char *events;
	char *where;
};

static void free_words(struct words *w)
{
	free(w->levels);
	free(w->events);
	free(w->where);
}

/* Parses a request; returns false and the reason if it is invalid. */
static bool read_choice(const struct recording *r, const struct words *w, struct choice *wanted,
			char reason[NAMES_SIZE])
{
	const char *levels = w->levels;
	char filter[KTRACE_FILTER_SIZE], bad[32];
	struct kernel_filter_error wrong = { .option = "-e", .message = "no memory" };

	*wanted = r->choice;
	if (w->events)
		wanted->events = *w->events ? w->events : NULL;
	if (w->where)
		wanted->where = *w->where ? w->where : NULL;
	if (levels && !r->options->is_pthread) {
		snprintf(reason, NAMES_SIZE, "it was started without --pthread: only pthread "
			 "events have levels");
		return false;
	}
	if (levels && !ktrace_level_parse(levels, &wanted->levels, bad, sizeof(bad))) {
		snprintf(reason, NAMES_SIZE, "unknown level '%s'; levels are %s", bad,
			 ktrace_level_choices());
		return false;
	}
	if (wanted->events && !wanted->events[strspn(wanted->events, ",")]) {
		snprintf(reason, NAMES_SIZE, "the list of events is empty");
		return false;
	}
	if (w->events && named_is_wrong(wanted->events, reason, NAMES_SIZE))
		return false;
	if (kernel_filter_is_used(wanted) && kernel_filter_set(NULL, NULL, wanted, &wrong)) {
		kernel_filter_reason(&wrong, reason, NAMES_SIZE);
		return false;
	}
	wanted->has_levels |= levels != NULL;
	if (select_filter(wanted, filter)) {
		snprintf(reason, NAMES_SIZE, "the list is too long");
		return false;
	}
	return true;
}

/* Sets the context of events that will be switched on; that of events that are on cannot change. */
static int set_contexts(struct recording *r)
{
	int error = 0;

	for (size_t i = 0; i < r->dynamic.nr && !error; i++) {
		const struct dynamic_event *e = &r->dynamic.events[i];

		if (e->is_wanted && !e->is_on)
			error = context_event(&r->context, r->session, e->id, e->name);
	}
	return error;
}

/* Sets filters before events are switched on: none runs without its filter or with an old one. */
static int switch_kernel(struct recording *r, const struct choice *wanted,
			 char reason[KPROBE_REASON_MAX])
{
	struct kernel_filter_error wrong;
	int error = dynamic_choose(&r->dynamic, r->session, wanted->events, reason);

	if (error)
		return error;
	dynamic_meta(&r->dynamic, &r->capture.meta);
	error = kernel_filter_set(r->session, &r->dynamic, wanted, &wrong);
	if (error == -EINVAL)
		kernel_filter_reason(&wrong, reason, KPROBE_REASON_MAX);
	else
		snprintf(reason, KPROBE_REASON_MAX, "%s", strerror(-error));
	if (error)
		return error;
	error = set_contexts(r);
	if (!error)
		error = select_change(r->session, r->choice.events, wanted->events);
	if (error)
		snprintf(reason, KPROBE_REASON_MAX, "%s", strerror(-error));
	else
		dynamic_switch(&r->dynamic, r->session);
	return error;
}

/* Restores events that are on after switch_kernel() has failed. */
static void switch_back(struct recording *r, const struct choice *wanted)
{
	char reason[KPROBE_REASON_MAX];
	struct kernel_filter_error wrong;

	select_change(r->session, wanted->events, r->choice.events);
	dynamic_choose(&r->dynamic, r->session, r->choice.events, reason);
	kernel_filter_set(r->session, &r->dynamic, &r->choice, &wrong);
}

/* Switches kernel events first, because they can fail. */
static int switch_events(struct recording *r, const struct choice *wanted, const char **note,
			 char reason[KPROBE_REASON_MAX])
{
	char filter[KTRACE_FILTER_SIZE];
	struct ktrace_session_info info;
	int error;

	ktrace_session_info(r->session, &info);
	if (info.has_kernel) {
		error = switch_kernel(r, wanted, reason);
		if (error) {
			switch_back(r, wanted);
			return error;
		}
	} else if (wanted->events && select_wants_kernel(wanted->events)) {
		*note = "this recording has no kernel events";
	}
	select_filter(wanted, filter);
	error = ktrace_session_select(r->session, filter);
	if (error)
		snprintf(reason, KPROBE_REASON_MAX, "%s", strerror(-error));
	return error;
}

void control_server_module(struct recording *r, const char *name)
{
	const size_t before = r->dynamic.nr;
	char reason[KPROBE_REASON_MAX];
	size_t nr;

	if (!dynamic_wants(r->choice.events))
		return;
	r->dynamic.is_again = true;
	if (switch_kernel(r, &r->choice, reason)) {
		log_error("module %s was loaded, but its tracepoints cannot be recorded: "
			  "%.*s", name,
			  (int)strcspn(reason, "\n"), reason);
		switch_back(r, &r->choice);
	}
	r->dynamic.is_again = false;
	nr = r->dynamic.nr - before;
	if (nr)
		log_note("module %s was loaded: %zu tracepoint%s recorded from now on", name, nr,
			 nr == 1 ? " is" : "s are");
}

static void note_choice(struct recording *r)
{
	struct ktrace_reading now;

	ktrace_session_clock(r->session, &now);
	meta_choice(&r->capture.meta, &r->choice, now.raw);
}

/* Moves @text to @place, so that the recording owns what its choice points to. */
static void keep(char **place, char **text)
{
	if (!*text)
		return;
	free(*place);
	*place = *text;
	*text = NULL;
}

static void set(struct recording *r, int fd, const struct ktrace_port_sender *to,
		struct words *w)
{
	char reason[KPROBE_REASON_MAX];
	const char *note = NULL;
	struct choice wanted;
	int error;

	if (!read_choice(r, w, &wanted, reason)) {
		refuse(fd, to, reason);
		return;
	}
	error = switch_events(r, &wanted, &note, reason);
	if (error) {
		reason[strcspn(reason, "\n")] = '\0';
		refuse(fd, to, reason);
		return;
	}
	r->choice = wanted;
	if (w->events) {
		/* Patterns without a match are reported for the command line's choice only. */
		free(r->capture.unmet);
		r->capture.unmet = NULL;
	}
	keep(&r->events, &w->events);
	keep(&r->where, &w->where);
	note_choice(r);
	show(r, fd, to, note);
}

void control_server_serve(struct recording *r, int fd)
{
	char message[KTRACE_PORT_MESSAGE];
	struct ktrace_port_sender from;
	struct words words;

	if (!ktrace_port_receive(fd, message, &from))
		return;
	if (!from.may) {
		refuse(fd, &from, "only the owner of the recording and root may do that");
	} else if (!strcmp(message, "show")) {
		show(r, fd, &from, NULL);
	} else if (!strncmp(message, "set ", 4)) {
		words = (struct words){
			.levels = ktrace_port_value(message, "levels"),
			.events = ktrace_port_value(message, "events"),
			.where = ktrace_port_value(message, "where"),
		};
		set(r, fd, &from, &words);
		free_words(&words);
	} else {
		refuse(fd, &from, "this ktraced does not support the request");
	}
}
