// SPDX-License-Identifier: GPL-2.0
/* cmd_critical_path.c - ktrace critical-path: what a thread's time went into, waits resolved */
#include "chain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* struct share - one thread's part of the path, in one state */
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
 * @share_nr:	how many
 * @lists:	print each piece
 */
struct path {
	struct analysis a;
	struct chain chain;
	struct share *shares;
	size_t share_nr;
	bool lists;
};

static struct chain_thread *thread_of(struct path *path, const struct ktrace_process *p)
{
	struct chain_thread *t = chain_thread(&path->chain, p->serial);
	const char *comm = ktrace_process_name(path->a.state, p);

	if (!t) {
		path->a.error = -ENOMEM;
		return NULL;
	}
	t->tid = p->tid;
	t->pid = ktrace_process_pid(path->a.state, p);
	analysis_name(&path->a, p, t->name, sizeof(t->name));
	snprintf(t->comm, sizeof(t->comm), "%s", comm ? comm : "");
	return t;
}

/* Idle tasks wake nobody: what interrupted them does. */
static void on_woken(void *arg, const struct ktrace_process *p, const struct ktrace_process *by,
		     __u64 time)
{
	struct path *path = arg;
	struct chain_thread *t = thread_of(path, p);

	(void)time;
	if (t)
		t->waker = by && by->tid ? by->serial + 1 : 0;
}

static void on_span(void *arg, const struct ktrace_process *p, __u64 until)
{
	struct chain_span span = { .from = p->since, .to = until, .status = p->status };
	const struct ktrace_mode_level *mode = ktrace_process_mode(p);
	struct path *path = arg;
	struct chain_thread *t;

	if (!p->tid || !analysis_clip(&path->a, &span.from, &span.to))
		return;
	t = thread_of(path, p);
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
	struct share *shares;
	char what[48];
	size_t i;

	describe(path, link->span, what, sizeof(what));
	for (i = 0; i < path->share_nr; i++)
		if (path->shares[i].serial == link->serial && !strcmp(path->shares[i].what, what))
			break;
	if (i == path->share_nr) {
		shares = realloc(path->shares, (i + 1) * sizeof(*shares));
		if (!shares) {
			path->a.error = -ENOMEM;
			return;
		}
		path->shares = shares;
		shares[i] = (struct share){ .serial = link->serial };
		memcpy(shares[i].what, what, sizeof(what));
		path->share_nr++;
	}
	path->shares[i].ns += link->to - link->from;
	path->shares[i].nr++;
}

static int by_ns(const void *x, const void *y)
{
	const struct share *a = x, *b = y;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return a->serial < b->serial ? -1 : a->serial > b->serial;
}

static void put_links(struct path *path)
{
	struct ktrace_out *out = path->a.out;
	__u64 left = path->a.number;
	char what[48];
	size_t i;

	out_printf(out, "\n%15s %9s  what\n", "time", "for");
	for (i = path->chain.nr; i-- && left; left--) {
		const struct chain_link *link = &path->chain.links[i];

		describe(path, link->span, what, sizeof(what));
		output_line_begin(out);
		out_seconds(out, analysis_since_start(&path->a, link->from), 15);
		ktrace_out_char(out, ' ');
		out_duration(out, link->to - link->from);
		out_printf(out, "  %*s%s: %s\n", 2 * link->depth, "",
			   chain_thread(&path->chain, link->serial)->name, what);
	}
}

static void put_text(struct path *path, __u64 all)
{
	struct ktrace_out *out = path->a.out;
	size_t i;

	analysis_text_window(&path->a);
	out_printf(out, "\n%9s %6s %8s  %-28s %s\n", "time", "%", "pieces", "process/thread",
		   "what");
	for (i = 0; i < path->share_nr && i < path->a.number; i++) {
		const struct share *s = &path->shares[i];

		output_line_begin(out);
		out_duration(out, s->ns);
		ktrace_out_char(out, ' ');
		out_percent(out, s->ns, all);
		out_printf(out, " %8llu  %-28.28s %s\n", s->nr,
			   chain_thread(&path->chain, s->serial)->name, s->what);
	}
	if (path->lists)
		put_links(path);
}

static void put_json_thread(struct path *path, __u64 serial, const char *what)
{
	const struct chain_thread *t = chain_thread(&path->chain, serial);
	struct ktrace_out *out = path->a.out;

	output_line_begin(out);
	json_element(out);
	ktrace_out_char(out, '{');
	json_u64(out, "tid", t->tid);
	json_u64(out, "pid", t->pid);
	json_str(out, "comm", t->comm);
	json_str(out, "what", what);
}

static void put_json(struct path *path)
{
	struct ktrace_out *out = path->a.out;
	char what[48];
	size_t i;

	analysis_json_begin(&path->a);
	json_key(out, "shares");
	ktrace_out_char(out, '[');
	for (i = 0; i < path->share_nr; i++) {
		put_json_thread(path, path->shares[i].serial, path->shares[i].what);
		json_u64(out, "ns", path->shares[i].ns);
		json_u64(out, "pieces", path->shares[i].nr);
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
	json_key(out, "path");
	ktrace_out_char(out, '[');
	for (i = path->chain.nr; i--;) {
		const struct chain_link *link = &path->chain.links[i];

		describe(path, link->span, what, sizeof(what));
		put_json_thread(path, link->serial, what);
		json_u64(out, "from_ns", analysis_since_start(&path->a, link->from));
		json_u64(out, "duration_ns", link->to - link->from);
		json_u64(out, "depth", (__u64)link->depth);
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
	analysis_json_end(&path->a);
}

/* The thread that was asked for; of a process, the one that leads it. Latest of its number */
static const struct chain_thread *find_thread(const struct path *path, __u64 *serial)
{
	const struct chain_thread *t = (const struct chain_thread *)path->chain.threads.at;
	__u64 i = path->chain.threads.nr;

	while (i--)
		if (t[i].nr && t[i].tid == path->a.select.pids[0]) {
			*serial = i;
			return &t[i];
		}
	return NULL;
}

/* From its first span in the window to its death, or the end */
static int make_path(struct path *path)
{
	const struct chain_thread *t;
	__u64 serial, to;
	size_t i;
	int ret;

	t = find_thread(path, &serial);
	if (!t)
		return 0;
	for (i = t->nr; i && (t->spans[i - 1].status == KTRACE_STATUS_ZOMBIE ||
			      t->spans[i - 1].status == KTRACE_STATUS_DEAD);)
		i--;
	to = i ? t->spans[i - 1].to : t->spans[0].from;
	ret = chain_walk(&path->chain, serial, t->spans[0].from, to);
	for (i = 0; i < path->chain.nr; i++)
		add_share(path, &path->chain.links[i]);
	if (path->share_nr)
		qsort(path->shares, path->share_nr, sizeof(*path->shares), by_ns);
	return ret;
}

static void show(struct analysis *a)
{
	struct path *path = (struct path *)a;
	__u64 all = 0;
	size_t i;

	a->error = make_path(path);
	for (i = 0; i < path->share_nr; i++)
		all += path->shares[i].ns;
	if (a->is_json)
		put_json(path);
	else
		put_text(path, all);
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
	};
	int status;

	path.a.watch = (struct ktrace_state_watch){
		.span = on_span, .woken = on_woken, .arg = &path,
	};
	status = analysis_main(&path.a, cmd, argc, argv);
	chain_free(&path.chain);
	free(path.shares);
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
