// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_live.c - ktrace live: events, or tables of them, while they are recorded
 *
 * Reads files to their present end, then looks at them again a few times a second, until they have
 * their end mark. Events that ktraced has not written yet cannot be seen.
 */
#include "base/now.h"
#include "base/viewer.h"

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
	l->lines.has_many_files = ktrace_traceset_trace(set, 1);
	l->lines.start = l->lines.before = l->scope.start;
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

	l->lines.start = l->lines.before = l->scope.start;
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
	status = ret ? STATUS_DAMAGED : files_status(set, status);
	status = output_end(status);
	time_range_warn_lost(&l->scope);
	live_top_free(&l->top);
	ktrace_traceset_close(set);
	return status;
}

enum { OPTION_ALL = 300, OPTION_TOP, OPTION_BY, OPTION_INTERVAL };

static const struct option options[] = {
	TIME_RANGE_OPTIONS,
	{ "all", no_argument, NULL, OPTION_ALL },
	{ "top", no_argument, NULL, OPTION_TOP },
	{ "by", required_argument, NULL, OPTION_BY },
	{ "interval", required_argument, NULL, OPTION_INTERVAL },
	{ "number", required_argument, NULL, 'n' },
	{ "time", required_argument, NULL, 't' },
	{ "json", no_argument, NULL, 'j' },
	COMMON_OPTIONS
};

static const char *take_interval(struct live *l, const char *text)
{
	return when_parse_wait(text, &l->interval_ms) && l->interval_ms >= 100 ? NULL :
	       "--interval: " NO_WAIT("100ms");
}

static const char *take_option(struct live *l, int option)
{
	switch (option) {
	case OPTION_ALL:
		l->has_all = true;
		return NULL;
	case OPTION_TOP:
		l->has_top = true;
		return NULL;
	case OPTION_BY:
		return live_take_by(&l->top, optarg);
	case OPTION_INTERVAL:
		return take_interval(l, optarg);
	case 'n':
		return number_parse(optarg, 1, ~0ull, &l->left) ? NULL :
		       "-n: not a number from 1 on";
	case 't':
		return line_take_time_format(optarg, &l->lines.time);
	case 'j':
		l->lines.is_json = l->top.is_json = true;
		return NULL;
	default:
		return time_range_option(&l->scope, option);
	}
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct live l = {
		.scope = { .prints = true }, .left = ~0ull, .interval_ms = 1000,
		.top = { .by = { [LIVE_THREAD] = true, [LIVE_TYPE] = true, [LIVE_CPU] = true },
			 .number = 10 },
	};
	const char *wrong = NULL;
	int option, status = -1;

	while (!wrong && status < 0 &&
	       (option = command_option(argc, argv, "e:n:p:", options)) != -1) {
		if (option == '?' || option >= OPTION_HELP)
			status = command_common_option(cmd, option);
		else
			wrong = take_option(&l, option);
	}
	if (status < 0 && !wrong)
		wrong = time_range_wrong(&l.scope);
	if (status < 0 && !wrong && optind == argc)
		wrong = "no file";
	if (wrong)
		status = command_usage(cmd, wrong);
	if (status < 0)
		status = run_live(&l, argc - optind, argv + optind);
	time_range_free(&l.scope);
	return status;
}

const struct command cmd_live = {
	.name = "live",
	.args = "[OPTION...] FILE...",
	.summary = "Show events, or tables of them, while they are recorded",
	.help =
"  --all              from the beginning on, not only what comes from now on\n"
"  --top              tables of who records how much, every second\n"
"  --by WHAT[,WHAT...]  tables by process, thread, type, cpu (default:\n"
"                     thread,type,cpu)\n"
"  --interval TIME    between two tables (default: 1s)\n"
"  -n, --number N     stop after N events; with --top, after N times\n"
"  --time rel|wall|raw|delta  of events: see ktrace help list\n"
"  --json             one JSON object an event; with --top, one each time\n"
TIME_RANGE_HELP
"  -h, --help, --version\n"
"\n"
"Ends when the recording does, or by SIGINT or SIGTERM. A recording in several\n"
"parts is followed from part to part: name the file as it was given to ktraced.\n"
"Lines are those of ktrace list. Events of one CPU come in order; those of\n"
"several as ktraced has written them, and so those of one may come behind later\n"
"ones of another, by a fraction of a second.\n"
"\n"
"Tables say, for the time of the trace since the last ones: events in a second,\n"
"events, and in all; and, where sched events tell, for how much of that time it\n"
"ran on a CPU. Each has the 10 rows with most of it. Losses are those of all the\n"
"time. The last tables, when it ends, are about all that was read. On a terminal\n"
"they are shown in place.\n"
"\n"
"Example: who makes system calls now\n"
"  ktrace live --top -e syscall --by thread trace.bin\n",
	.is_live = true,
	.run = run,
};
