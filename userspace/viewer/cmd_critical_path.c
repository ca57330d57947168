// SPDX-License-Identifier: GPL-2.0
/* cmd_critical_path.c - ktrace critical-path: what a thread's time went into, waits resolved */
#include "chain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* struct share - one thread's part of the path, in one state; these two are the key */
struct share {
	__u64 serial;
	char what[48];
	__u64 ns;
	__u64 nr;
};

/**
 * struct path - one run of the command
 * @a:		what analyses have in common
 * @chain:	spans, and the path
 * @shares:	the path, summed up
 * @all:	their sum
 * @lists:	print each piece
 */
struct path {
	struct analysis a;
	struct chain chain;
	struct rows shares;
	__u64 all;
	bool lists;
};

/* Idle tasks wake nobody: what interrupted them does. */
static void on_woken(void *arg, const struct ktrace_process *p, const struct ktrace_process *by,
		     __u64 time)
{
	struct path *path = arg;
	struct chain_thread *t;

	(void)time;
	by = by && by->tid ? by : NULL;
	if (by)
		analysis_thread(&path->a, &path->chain.threads, by);
	t = analysis_thread(&path->a, &path->chain.threads, p);
	if (t)
		t->waker = by ? by->serial + 1 : 0;
}

static void on_span(void *arg, const struct ktrace_process *p, __u64 until)
{
	struct chain_span span = { .from = p->since, .to = until, .status = p->status };
	const struct ktrace_mode_level *mode = ktrace_process_mode(p);
	struct path *path = arg;
	struct chain_thread *t;

	if (!p->tid || !analysis_clip(&path->a, &span.from, &span.to))
		return;
	t = analysis_thread(&path->a, &path->chain.threads, p);
	if (!t)
		return;
	if (p->status == KTRACE_STATUS_EXIT)
		span.status = KTRACE_STATUS_RUN;
	if (p->status == KTRACE_STATUS_WAIT) {
		span.wait = p->wait;
		span.waker = t->waker;
		span.waker_mode = p->waker_mode;
		span.sub = mode->mode == KTRACE_MODE_SYSCALL ? mode->sub + 1 : 0;
		t->waker = 0;
	}
	chain_add(&path->chain, t, &span);
	path->a.error = path->a.error ? path->a.error : path->chain.error;
}

static void describe(const struct path *path, const struct chain_span *span, char *text,
		     size_t size)
{
	const char *call = NULL, *by = "";

	if (!span || span->status == KTRACE_STATUS_UNNAMED) {
		snprintf(text, size, "unknown");
		return;
	}
	if (span->status != KTRACE_STATUS_WAIT) {
		snprintf(text, size, "%s", ktrace_status_name(span->status));
		return;
	}
	if (span->sub)
		call = ktrace_mode_sub_name(path->a.state, 0, KTRACE_MODE_SYSCALL, span->sub - 1);
	if (span->waker_mode)
		by = ktrace_mode_name(span->waker_mode);
	snprintf(text, size, "wait %s%s%s%s%s", ktrace_wait_name(span->wait), call ? " in " : "",
		 call ? call : "", *by ? " for " : "", by);
}

static void add_share(struct path *path, const struct chain_link *link)
{
	struct share key = { .serial = link->serial }, *share;

	describe(path, link->span, key.what, sizeof(key.what));
	share = rows_get(&path->shares, &key);
	if (!share) {
		path->a.error = -ENOMEM;
		return;
	}
	share->ns += link->to - link->from;
	share->nr++;
	path->all += link->to - link->from;
}

static int by_ns(const void *x, const void *y)
{
	const struct share *a = x, *b = y;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	if (a->serial != b->serial)
		return a->serial < b->serial ? -1 : 1;
	return strcmp(a->what, b->what);
}

/* What a thread of the path is called */
static const struct who *who_of(struct path *path, __u64 serial)
{
	return &chain_thread(&path->chain, serial)->thread.who;
}

static void put_links(struct path *path)
{
	struct ktrace_out *out = path->a.out;
	__u64 left = path->a.number;
	char what[48], name[48];
	size_t i;

	out_printf(out, "\n%15s %9s  what\n", "time", "for");
	for (i = path->chain.nr; i-- && left; left--) {
		const struct chain_link *link = &path->chain.links[i];

		describe(path, link->span, what, sizeof(what));
		output_line_begin(out);
		out_seconds(out, analysis_since_start(&path->a, link->from), 15);
		ktrace_out_char(out, ' ');
		out_duration(out, link->to - link->from);
		who_name(who_of(path, link->serial), name, sizeof(name));
		out_printf(out, "  %*s%s: %s\n", 2 * link->depth, "", name, what);
	}
}

static void put_head(struct analysis *a)
{
	out_printf(a->out, "\n%9s %6s %8s  %-28s %s\n", "time", "%", "pieces", "process/thread",
		   "what");
}

static void put_share(struct analysis *a, const void *row)
{
	struct path *path = (struct path *)a;
	const struct share *s = row;
	char name[48];

	who_name(who_of(path, s->serial), name, sizeof(name));
	out_duration(a->out, s->ns);
	ktrace_out_char(a->out, ' ');
	out_percent(a->out, s->ns, path->all);
	out_printf(a->out, " %8llu  %-28.28s %s\n", s->nr, name, s->what);
}

static void put_json_share(struct analysis *a, const void *row)
{
	const struct share *s = row;

	who_json(who_of((struct path *)a, s->serial), a->out);
	json_str(a->out, "what", s->what);
	json_u64(a->out, "ns", s->ns);
	json_u64(a->out, "pieces", s->nr);
}

static void put_json_links(struct path *path)
{
	struct ktrace_out *out = path->a.out;
	char what[48];
	size_t i;

	json_key(out, "path");
	ktrace_out_char(out, '[');
	for (i = path->chain.nr; i--;) {
		const struct chain_link *link = &path->chain.links[i];

		describe(path, link->span, what, sizeof(what));
		output_line_begin(out);
		json_element(out);
		ktrace_out_char(out, '{');
		who_json(who_of(path, link->serial), out);
		json_str(out, "what", what);
		json_u64(out, "from_ns", analysis_since_start(&path->a, link->from));
		json_u64(out, "duration_ns", link->to - link->from);
		json_u64(out, "depth", (__u64)link->depth);
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
}

/* The thread that was asked for; of a process, the one that leads it. Latest of its number */
static const struct chain_thread *find_thread(const struct path *path)
{
	const struct chain_thread *t, *latest = NULL;
	size_t i;

	for (i = 0; i < path->chain.threads.nr; i++) {
		t = rows_at(&path->chain.threads, i);
		if (t->nr && t->thread.who.tid == path->a.select.pids[0] &&
		    (!latest || t->thread.serial > latest->thread.serial))
			latest = t;
	}
	return latest;
}

/* From its first span in the window to its death, or the end */
static int make_path(struct path *path)
{
	const struct chain_thread *t = find_thread(path);
	__u64 to;
	size_t i;
	int ret;

	if (!t)
		return 0;
	for (i = t->nr; i && (t->spans[i - 1].status == KTRACE_STATUS_ZOMBIE ||
			      t->spans[i - 1].status == KTRACE_STATUS_DEAD);)
		i--;
	to = i ? t->spans[i - 1].to : t->spans[0].from;
	ret = chain_walk(&path->chain, t->thread.serial, t->spans[0].from, to);
	for (i = 0; i < path->chain.nr; i++)
		add_share(path, &path->chain.links[i]);
	return ret ? ret : path->a.error;
}

static void show(struct analysis *a)
{
	static const struct sheet sheet = { "shares", by_ns, put_head, put_share, put_json_share };
	struct path *path = (struct path *)a;

	a->error = make_path(path);
	analysis_rows(a, &path->shares, &sheet);
	if (a->is_json)
		put_json_links(path);
	else if (path->lists)
		put_links(path);
}

static const char *own_option(struct analysis *a, int option)
{
	(void)option;
	((struct path *)a)->lists = true;
	return NULL;
}

static const struct option options[] = {
	ANALYSIS_OPTIONS,
	{ "list", no_argument, NULL, 'L' },
	COMMON_OPTIONS
};

static const char *check(struct analysis *a)
{
	return a->select.pid_nr == 1 ? NULL : "--pid: name the one thread it is about";
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct path path = {
		.a = { .options = options, .option = own_option, .check = check, .show = show },
		.chain.threads = ROWS_INIT(struct chain_thread, thread.serial),
		.shares = ROWS_INIT(struct share, what),
	};
	int status;

	path.a.watch = (struct ktrace_state_watch){
		.span = on_span, .woken = on_woken, .arg = &path,
	};
	status = analysis_main(&path.a, cmd, argc, argv);
	chain_free(&path.chain);
	rows_free(&path.shares);
	return status;
}

const struct command cmd_critical_path = {
	.name = "critical-path",
	.args = "--pid N [OPTION...] FILE...",
	.summary = "Show what a thread waited for, and what that waited for",
	.help =
"  -p, --pid N        the thread; a process stands for its first thread\n"
"  --list             print each piece of the path, too; what is further right was\n"
"                     waited for\n"
ANALYSIS_SINCE_HELP
ANALYSIS_OUTPUT_HELP
"\n"
ANALYSIS_TIMES
"\n"
"Needs events of family sched. From its end back to its begin, the thread's time goes to\n"
"itself while it runs or waits for a CPU. While it is blocked, it goes to the thread that\n"
"woke it at last, for what that did meanwhile, and so on; or to the wait itself, if an\n"
"interrupt ended it. Keep the window short for large traces: every change of every thread\n"
"in it is kept in memory, some 48 bytes each.\n"
"\n"
"Example: why the command took so long\n"
"  ktrace critical-path --pid 187 trace.bin\n",
	.run = run,
};
