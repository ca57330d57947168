// SPDX-License-Identifier: GPL-2.0
/*
 * control_server.c - changes what is recorded while it is being recorded, on request
 *
 * Takes each message from the port as a whole, checks it, and executes or refuses it before the
 * next one; <ktrace/port.h> defines the words. Levels, -e and --filter are independent choices: a
 * message changes some of them, the others stay. When the answer is sent, programs find the new
 * choice in the session's memory, and the file says since when it holds. A pause is a choice of
 * nothing, but for marks.
 */
#include "control_server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/level.h>
#include <ktrace/port.h>
#include <ktrace/traceset.h>

#include "base/clock.h"
#include "base/kernel_clock.h"
#include "base/log.h"
#include "base/lost.h"
#include "base/pidspace.h"
#include "events/event_rules.h"
#include "events/kernel_filter.h"
#include "named.h"
#include "output/meta.h"
#include "recording_status.h"

#define NAMES_SIZE 256
#define PROGRAMS_MAX 1000u

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

static void put_losses(const struct ktrace_lost *lost, struct ktrace_text *t)
{
	char key[32];

	ktrace_text_u64(t, "lost", lost_total(lost->count));
	for (__u32 i = 0; i < KTRACE_LOST_NR; i++) {
		snprintf(key, sizeof(key), "lost_%s", ktrace_lost_name(i));
		if (lost->count[i])
			ktrace_text_u64(t, key, lost->count[i]);
	}
}

static void put_uuid(const struct recording *r, struct ktrace_text *t)
{
	char hex[33];
	__u8 uuid[16];

	ktrace_tracefile_uuid(r->capture.file, uuid);
	for (size_t i = 0; i < sizeof(uuid); i++)
		snprintf(hex + 2 * i, 3, "%02x", uuid[i]);
	ktrace_text_str(t, "uuid", hex);
}

/* The kernel's numbers mean nothing if nobody synchronises its clock. */
static void put_clock(struct ktrace_text *t)
{
	struct kernel_clock clock;

	if (!kernel_clock_read(&clock))
		return;
	ktrace_text_u64(t, "clock_synced", clock.is_synced);
	if (!clock.is_synced)
		return;
	ktrace_text_u64(t, "clock_max_ns", clock.max_error_ns);
	ktrace_text_u64(t, "clock_est_ns", clock.est_error_ns);
}

static void put_waiting(struct recording *r, struct ktrace_text *t)
{
	struct recording_waiting w;

	if (!recording_waiting_get(r, &w))
		return;
	ktrace_text_u64(t, "waiting", w.parts);
	if (w.has_bytes)
		ktrace_text_u64(t, "waiting_bytes", w.bytes);
	ktrace_text_u64(t, "lag_ns", w.lag_ns);
}

/* How the recording goes, for the word "status" */
static void put_status(struct recording *r, struct ktrace_text *t)
{
	struct recording_status s;

	recording_status_get(r, PROGRAMS_MAX, &s);
	ktrace_text_u64(t, "paused", r->is_paused);
	ktrace_text_u64(t, "ns", s.ns);
	ktrace_text_u64(t, "recorded", s.events);
	ktrace_text_u64(t, "events_s", r->pace.events_s);
	ktrace_text_u64(t, "bytes", s.bytes);
	ktrace_text_u64(t, "bytes_s", r->pace.bytes_s);
	ktrace_text_u64(t, "fill", capture_fill_percent(&r->capture));
	put_losses(&s.lost, t);
	if (s.has_programs)
		ktrace_text_u64(t, "programs", s.programs);
	if (s.has_free)
		ktrace_text_u64(t, "free", s.free);
	if (s.part)
		ktrace_text_u64(t, "part", s.part);
	put_uuid(r, t);
	put_clock(t);
	put_waiting(r, t);
	if (s.error)
		ktrace_text_str(t, "error", s.error);
	else if (s.disk_wait_ns >= DISK_PATIENCE_NS)
		ktrace_text_str(t, "error", "the disk does not answer; events wait in the buffer");
}

static void show(struct recording *r, int fd, const struct ktrace_port_sender *to,
		 const char *note, bool has_status)
{
	const struct options *o = r->options;
	const __u64 space = pidspace_own();
	struct ktrace_session_info info;
	struct ktrace_text t = { 0 };

	ktrace_session_info(r->session, &info);
	ktrace_text_line(&t, "ok");
	ktrace_text_u64(&t, "pid", (__u64)getpid());
	if (r->command.pid)
		ktrace_text_u64(&t, "command", (__u64)r->command.pid);
	ktrace_text_str(&t, "session", info.env);
	if (space)
		ktrace_text_u64(&t, "pidns", space);
	ktrace_text_str(&t, "backend", info.backend);
	ktrace_text_str(&t, "file", recording_file(r));
	ktrace_text_u64(&t, "pthread", o->is_pthread);
	meta_choice_pairs(&t, r->is_paused ? &r->resumed : &r->choice);
	if (has_status)
		put_status(r, &t);
	if (o->argv)
		meta_cmd(&t, o->argv);
	if (note)
		ktrace_text_str(&t, "note", note);
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

	if (r->is_paused) {
		refuse(fd, to, "it is paused: resume it first");
		return;
	}
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
	show(r, fd, to, note, false);
}

/* True if an entry of a list of -e has the same glob as one of those in @names. */
static bool is_named(const struct wanted_entry *e, const char *names)
{
	struct wanted_entry one;

	while (event_rules_next(&names, &one))
		if (one.glob_len == e->glob_len && !memcmp(one.glob, e->glob, e->glob_len))
			return true;
	return false;
}

/* Returns a list without the entries that @names has, to be freed; the first that it has not. */
static char *without(const char *list, const char *names, struct wanted_entry *missing)
{
	char *rest = calloc(1, strlen(list) + 1), *to = rest;
	const char *at = list, *name = names;
	struct wanted_entry e;

	while (event_rules_next(&name, missing))
		if (!is_named(missing, list))
			return rest;
	missing->glob_len = 0;
	while (rest && event_rules_next(&at, &e)) {
		const char *end = e.expr ? e.expr + e.expr_len : e.glob + e.glob_len;

		if (is_named(&e, names))
			continue;
		if (to != rest)
			*to++ = ',';
		to = mempcpy(to, e.glob, (size_t)(end + (*end == '}') - e.glob));
	}
	return rest;
}

/* Adds events to those that are recorded, or removes some: "enable", "disable". */
static void change_events(struct recording *r, int fd, const struct ktrace_port_sender *to,
			  const char *names, bool is_more)
{
	const char *list = r->is_paused ? NULL : r->choice.events;
	struct words w = { .events = NULL };
	struct wanted_entry missing = { .glob_len = 0 };
	char reason[NAMES_SIZE];

	if (!list && !r->is_paused)
		refuse(fd, to, "it was started without -e, so there is no list to change: name all "
		       "its events with ktrace level -e");
	else if (!list)
		refuse(fd, to, "it is paused: resume it first");
	else if (is_more && asprintf(&w.events, "%s,%s", list, names) < 0)
		w.events = NULL;
	else if (!is_more)
		w.events = without(list, names, &missing);
	if (w.events && missing.glob_len) {
		snprintf(reason, sizeof(reason), "'%.*s' is not in its list of events",
			 (int)missing.glob_len, missing.glob);
		refuse(fd, to, reason);
	} else if (w.events && !*w.events) {
		refuse(fd, to, "no event would be left: pause it, or stop it");
	} else if (w.events) {
		set(r, fd, to, &w);
	}
	free_words(&w);
}

/* Chooses nothing but marks, or what was chosen before that. Return: 0, or -errno and @reason */
static int choose_pause(struct recording *r, bool is_pause, const char **note,
			char reason[KPROBE_REASON_MAX])
{
	const struct choice nothing = { .events = SELECT_MARK };
	const struct choice wanted = is_pause ? nothing : r->resumed;
	const int error = switch_events(r, &wanted, note, reason);

	reason[error ? strcspn(reason, "\n") : 0] = '\0';
	if (error)
		return error;
	if (is_pause)
		r->resumed = r->choice;
	r->choice = wanted;
	r->is_paused = is_pause;
	note_choice(r);
	return 0;
}

int control_server_begin_paused(struct recording *r)
{
	char reason[KPROBE_REASON_MAX];
	const char *note = NULL;
	const int error = choose_pause(r, true, &note, reason);

	if (error)
		log_error("--paused: %s", reason);
	return error;
}

/* Records nothing but marks from now on, or what was chosen before that. */
static void pause_or_resume(struct recording *r, int fd, const struct ktrace_port_sender *to,
			    bool is_pause)
{
	char reason[KPROBE_REASON_MAX];
	const char *note = NULL;

	if (is_pause == r->is_paused) {
		refuse(fd, to, is_pause ? "it is paused already" : "it is not paused");
		return;
	}
	if (choose_pause(r, is_pause, &note, reason)) {
		refuse(fd, to, reason);
		return;
	}
	show(r, fd, to, note, true);
}

static void act(struct recording *r, int fd, const struct ktrace_port_sender *to,
		const char *wrong)
{
	if (wrong)
		refuse(fd, to, wrong);
	else
		show(r, fd, to, NULL, true);
}

static void serve(struct recording *r, int fd, const struct ktrace_port_sender *from,
		  const char *message, const struct control_actions *actions)
{
	struct words words;

	if (!strcmp(message, "show")) {
		show(r, fd, from, NULL, false);
	} else if (!strcmp(message, "status")) {
		show(r, fd, from, NULL, true);
	} else if (!strcmp(message, "pause") || !strcmp(message, "resume")) {
		pause_or_resume(r, fd, from, *message == 'p');
	} else if (!strcmp(message, "rotate")) {
		act(r, fd, from, actions->rotate(actions->arg));
	} else if (!strcmp(message, "stop")) {
		actions->stop(actions->arg);
		act(r, fd, from, NULL);
	} else if (!strncmp(message, "enable ", 7) || !strncmp(message, "disable ", 8)) {
		char *names = ktrace_port_value(message, "events");

		if (names && *names)
			change_events(r, fd, from, names, *message == 'e');
		else
			refuse(fd, from, "the list of events is empty");
		free(names);
	} else if (!strncmp(message, "set ", 4)) {
		words = (struct words){
			.levels = ktrace_port_value(message, "levels"),
			.events = ktrace_port_value(message, "events"),
			.where = ktrace_port_value(message, "where"),
		};
		set(r, fd, from, &words);
		free_words(&words);
	} else {
		refuse(fd, from, "this ktraced does not support the request");
	}
}

void control_server_serve(struct recording *r, int fd, const struct control_actions *actions)
{
	char message[KTRACE_PORT_MESSAGE];
	struct ktrace_port_sender from;

	if (!ktrace_port_receive(fd, message, &from))
		return;
	if (from.may)
		serve(r, fd, &from, message, actions);
	else
		refuse(fd, &from, "only the owner of the recording and root may do that");
}
