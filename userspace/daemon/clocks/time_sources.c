// SPDX-License-Identifier: GPL-2.0
/* time_sources.c - META lines of what chrony and ptp4l say about the clocks of this host */
#include "time_sources.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "source_facts.h"

#define PERIOD_MS 16000u

/**
 * kinds - each source
 * @name:	in --clock-sources and META
 * @program:	its name
 * @argv:	its path is put before these
 * @socket:	exists where the source runs
 * @is_for_root: only root can ask
 * @parse:	takes what it prints
 */
static const struct {
	const char *name;
	const char *program;
	const char *argv[8];
	const char *socket;
	bool is_for_root;
	bool (*parse)(const char *text, struct source_facts *f);
} kinds[TIME_SOURCES] = {
	[TIME_SOURCE_CHRONY] = {
		.name = "chrony",
		.program = "chronyc",
		.argv = { "-n", "-c", "tracking" },
		.socket = "/run/chrony/chronyd.sock",
		.parse = chrony_parse,
	},
	[TIME_SOURCE_PTP4L] = {
		.name = "ptp4l",
		.program = "pmc",
		.argv = { "-u", "-b", "0", "GET CURRENT_DATA_SET", "GET TIME_STATUS_NP",
			  "GET PORT_DATA_SET" },
		.socket = "/run/ptp4l",
		.is_for_root = true,
		.parse = ptp4l_parse,
	},
};

bool time_sources_parse(const char *text, struct time_source_choice *choice)
{
	char copy[64], *rest = copy, *name;

	*choice = (struct time_source_choice){ .is_given = true };
	if (!strcmp(text, "none"))
		return true;
	if (strlen(text) >= sizeof(copy))
		return false;
	strcpy(copy, text);
	while ((name = strsep(&rest, ","))) {
		int kind = 0;

		while (kind < TIME_SOURCES && strcmp(name, kinds[kind].name))
			kind++;
		if (kind == TIME_SOURCES)
			return false;
		choice->wants[kind] = true;
	}
	return true;
}

/* Reports the first failure of each source; without --clock-sources, only if it runs at all. */
static void complain(struct time_source *s, const char *what)
{
	if (!s->was_told)
		log_note("what %s says about the clock is not recorded: %s", kinds[s->kind].name,
			 what);
	s->was_told = true;
}

/* Adds a line if it says something else than the last one, apart from its stamp. */
static void put_line(struct time_source *s, const struct source_facts *f)
{
	struct ktrace_text t = { 0 };

	source_facts_put(f, &t);
	if (t.error || !t.buf || (s->last && !strcmp(s->last, t.buf))) {
		ktrace_text_free(&t);
		return;
	}
	ktrace_text_line(s->all->meta, "timesource");
	ktrace_text_u64(s->all->meta, "ts", s->asked_raw);
	ktrace_text_str(s->all->meta, "name", kinds[s->kind].name);
	source_facts_put(f, s->all->meta);
	free(s->last);
	s->last = t.buf;
}

static void answered(void *arg, const char *text, const char *why)
{
	struct time_source *s = arg;
	struct source_facts facts;

	/* A program that cannot reach its daemon says so, in another form. */
	if (text && kinds[s->kind].parse(text, &facts)) {
		put_line(s, &facts);
		return;
	}
	facts = (struct source_facts){ 0 };
	snprintf(facts.state, sizeof(facts.state), text ? "unknown-answer" : "no-answer");
	put_line(s, &facts);
	complain(s, text ? "its answer is not in a known form" : why);
}

/* Finds a program where only the administrator can put one. */
static bool find_program(const char *name, char *path, size_t size)
{
	static const char *const folders[] = { "/usr/bin", "/usr/sbin" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, size, "%s/%s", folders[i], name);
		if (!access(path, X_OK))
			return true;
	}
	return false;
}

/* True if the source seems to run. Its folder may be closed to us: chrony answers nevertheless. */
static bool is_running(enum time_source_kind kind)
{
	return !access(kinds[kind].socket, F_OK) || errno == EACCES;
}

static void ask(struct time_source *s)
{
	const bool is_given = s->all->choice->is_given;
	const char *argv[sizeof(kinds[0].argv) / sizeof(kinds[0].argv[0]) + 1];
	char path[64], reason[96];
	int error;

	if (s->query.pid)
		return;
	if (!is_running(s->kind)) {
		snprintf(reason, sizeof(reason), "%s does not exist", kinds[s->kind].socket);
		if (is_given || s->last)
			complain(s, reason);
		return;
	}
	if (kinds[s->kind].is_for_root && geteuid()) {
		complain(s, "only root can ask");
		return;
	}
	if (!find_program(kinds[s->kind].program, path, sizeof(path))) {
		snprintf(reason, sizeof(reason), "%s is neither in /usr/bin nor in /usr/sbin",
			 kinds[s->kind].program);
		complain(s, reason);
		return;
	}
	argv[0] = path;
	memcpy(argv + 1, kinds[s->kind].argv, sizeof(kinds[0].argv));
	s->asked_raw = ktrace_session_stamp(s->all->session);
	error = query_begin(&s->query, argv);
	if (error)
		complain(s, strerror(-error));
}

static void ask_all(void *arg)
{
	struct time_sources *s = arg;

	for (int i = 0; i < TIME_SOURCES; i++)
		if (!s->choice->is_given || s->choice->wants[i])
			ask(&s->list[i]);
	timer_set(s->timers, &s->tick, PERIOD_MS);
}

void time_sources_begin(struct time_sources *s, struct loop *loop, struct timers *timers)
{
	s->timers = timers;
	s->tick.fire = ask_all;
	s->tick.arg = s;
	for (int i = 0; i < TIME_SOURCES; i++) {
		struct time_source *one = &s->list[i];

		one->all = s;
		one->kind = (enum time_source_kind)i;
		one->query = (struct query){
			.loop = loop, .timers = timers, .done = answered, .arg = one,
		};
	}
	ask_all(s);
}

void time_sources_end(struct time_sources *s)
{
	if (!s->timers)
		return;
	timer_stop(s->timers, &s->tick);
	for (int i = 0; i < TIME_SOURCES; i++) {
		query_end(&s->list[i].query);
		free(s->list[i].last);
		s->list[i].last = NULL;
	}
}

pid_t time_sources_pid(const struct time_sources *s, enum time_source_kind kind)
{
	return s->list[kind].query.pid;
}
