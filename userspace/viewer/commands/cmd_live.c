// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_live.c - ktrace live: events, or tables of them, while they are recorded
 *
 * Reads files to their present end, then looks at them again a few times a second, until they have
 * their end mark. Events that ktraced has not written yet cannot be seen.
 */
#include "base/viewer.h"

#include "base/clock.h"
#include "base/when.h"
#include "base/progress.h"
#include "events/line.h"
#include "live.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define LOOK_MS 100u	/* between two looks at files */

/**
 * struct live - one run of the command
 * @scope:	which events
 * @lines:	how they are printed
 * @top:	the tables
 * @has_top:	print tables instead of events
 * @has_all:	begin at the first event instead of now
 * @left:	lines that may still be printed; tables, with @has_top
 * @interval_ms: between two prints of the tables
 * @next_ms:	when the next print is due
 * @signal_fd:	descriptor of the signals that end the command
 * @is_over:	stop reading
 */
struct live {
	struct time_range scope;
	struct lines lines;
	struct live_top top;
	bool has_top;
	bool has_all;
	__u64 left;
	__u64 interval_ms;
	__s64 next_ms;
	int signal_fd;
	bool is_over;
};

static int learn(void *arg, const struct ktrace_trace_event *e)
{
	struct live *l = arg;

	return live_top_learn(&l->top, e);
}

static void show_tables(struct live *l, bool is_last)
{
	live_top_show(&l->top, is_last);
	if (!is_last && l->left != ~0ull && !--l->left)
		l->is_over = true;
	output_end(STATUS_OK);
}

/* Reads all events so far. Return: 0, -errno. */
static int read_all(struct live *l)
{
	const struct ktrace_trace_event *e;
	int ret = 0;

	while (!l->is_over && !output()->error && (ret = time_range_next(&l->scope, &e)) == 1) {
		if (l->has_top) {
			ret = live_top_add(&l->top, e);
			if (ret)
				return ret;
			continue;
		}
		line_put(&l->lines, e);
		if (!--l->left)
			l->is_over = true;
	}
	if (l->scope.is_over)
		l->is_over = true;
	return ret < 0 ? ret : 0;
}

/* Waits until the next look, or until a signal has come. */
static void wait_a_little(struct live *l)
{
	struct pollfd fd = { .fd = l->signal_fd, .events = POLLIN };

	if (poll(&fd, 1, LOOK_MS) > 0)
		l->is_over = true;
	if (output()->error)
		l->is_over = true;
}

/* Skips all events so far. Return: 0, -errno. */
static int skip_all(struct live *l)
{
	const struct ktrace_trace_event *e;
	int ret = 0;

	if (!l->scope.state && !event_select_uses_past(&l->scope.select))
		ret = ktrace_traceset_seek(l->scope.set, l->scope.end);
	while (!ret && (ret = time_range_next(&l->scope, &e)) == 1)
		ret = 0;
	memset(l->scope.lost, 0, sizeof(l->scope.lost));
	return ret;
}

static int begin(struct live *l, struct ktrace_traceset *set)
{
	int ret = time_range_begin(&l->scope, set);

	progress_end();
	lines_begin(&l->lines, set, l->scope.start);
	l->lines.out = output();
	if (!ret && !l->has_all && !l->scope.since.is_set)
		ret = skip_all(l);
	if (ret || !l->has_top)
		return ret;
	l->scope.watch = learn;
	l->scope.watcher = l;
	l->next_ms = now_ms() + (__s64)l->interval_ms;
	return live_top_begin(&l->top, &l->scope, l->has_all || l->scope.since.is_set ?
			      l->scope.from : l->scope.end);
}

/* Finds the window of a trace that had no event before. Return: 0, -errno. */
static int find_window(struct live *l)
{
	int ret = time_range_find_window(&l->scope);

	lines_begin(&l->lines, l->scope.set, l->scope.start);
	l->top.begin = l->top.from = l->top.to = l->scope.from;
	return ret;
}

/* Return: 0, -errno. */
static int follow(struct live *l, int nr, char **paths)
{
	struct ktrace_traceset *set = l->scope.set;
	bool is_ended;
	int ret = 0;

	while (ret >= 0 && !l->is_over) {
		/* Events written just before the end mark must still be read. */
		is_ended = files_are_over(set);
		ret = read_all(l);
		if (ret < 0 || is_ended)
			break;
		if (!l->has_top)
			output_end(STATUS_OK);
		else if (now_ms() >= l->next_ms) {
			l->next_ms = now_ms() + (__s64)l->interval_ms;
			show_tables(l, false);
		}
		if (!l->is_over)
			wait_a_little(l);
		ret = files_grow(set, nr, paths);
		if (ret >= 0 && !l->scope.start)
			ret = find_window(l);
	}
	if (ret >= 0 && l->has_top)
		show_tables(l, true);
	return ret < 0 ? ret : 0;
}

static int open_signals(struct live *l)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	l->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
	return l->signal_fd < 0 ? -errno : 0;
}

static int run_live(struct live *l, int nr, char **paths)
{
	struct ktrace_traceset *set;
	int status, ret;

	set = open_growing_files(nr, paths, &status);
	if (!set)
		return status;
	ret = open_signals(l);
	if (!ret)
		ret = begin(l, set);
	if (!ret)
		ret = follow(l, nr, paths);
	if (ret)
		fprintf(stderr, "ktrace: %s\n", strerror(-ret));
	event_select_complain(&l->scope.select, set);
	event_select_complain_pids(&l->scope.select);
	status = ret ? STATUS_DAMAGED : files_status(set, status);
	status = output_end(status);
	time_range_warn_lost(&l->scope);
	live_top_free(&l->top);
	ktrace_traceset_close(set);
	return status;
}

static const char *set_by(void *to, const char *list)
{
	struct live *l = to;

	return live_take_by(&l->top, list);
}

static const char *set_interval(void *to, const char *text)
{
	struct live *l = to;

	return when_parse_wait(text, &l->interval_ms) && l->interval_ms >= 100 ? NULL :
	       "--interval: " NO_WAIT("100ms");
}

static const char *set_number(void *to, const char *text)
{
	struct live *l = to;

	return number_parse(text, 1, ~0ull, &l->left) ? NULL : "-n: not a number from 1 on";
}

static const char *set_json(void *to, const char *value)
{
	struct live *l = to;

	(void)value;
	l->lines.is_json = l->top.is_json = true;
	return NULL;
}

#define MEMBER(member) OPTION_MEMBER(struct live, member)

static const struct option_row rows[] = {
	{ .name = "all", .flag = MEMBER(has_all),
	  .help = "from the beginning on, not only what comes from now on" },
	{ .name = "top", .flag = MEMBER(has_top),
	  .help = "print tables instead of events: who records how much" },
	{ .name = "by", .value = "WHAT[,WHAT...]", .set = set_by,
	  .help = "tables by process, thread, type, cpu (default:\n"
		  "thread,type,cpu)" },
	{ .name = "interval", .value = "TIME", .set = set_interval,
	  .help = "time between two tables (default: 1s)" },
	{ .letter = 'n', .name = "number", .value = "N", .set = set_number,
	  .help = "stop after N events; with --top, after N tables" },
	{ .name = "json", .set = set_json,
	  .help = "one JSON object an event; with --top, one for each\n"
		  "set of tables" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ time_options, offsetof(struct live, lines.time) },
	TIME_RANGE_SETS(offsetof(struct live, scope)),
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct live l = {
		.scope = { .prints = true }, .left = ~0ull, .interval_ms = 1000,
		.top = { .by = { [LIVE_THREAD] = true, [LIVE_TYPE] = true, [LIVE_CPU] = true },
			 .number = 10 },
	};
	int status = command_parse(cmd, &l, argc, argv);

	if (status < 0)
		status = command_check(cmd, time_range_wrong(&l.scope));
	if (status < 0)
		status = run_live(&l, argc - optind, argv + optind);
	time_range_free(&l.scope);
	return status;
}

const struct command cmd_live = {
	.name = "live",
	.args = "[OPTION...] FILE...",
	.summary = "Show events, or tables of them, while they are recorded",
	.options = sets,
	.needs_files = true,
	.lacks_store = true,
	.is_live = true,
	.run = run,
};
