// SPDX-License-Identifier: GPL-2.0
/* cmd_critical_path.c - ktrace critical-path: where a thread's time went, with waits resolved */
#include "analysis/wakeup_chain.h"

#include "base/progress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART_EVENTS 100000u	/* events whose spans are in memory at a time */

/* struct share - part of the path that one thread spent in one state; these two are the key */
struct share {
	__u64 serial;
	char what[48];
	__u64 ns;
	__u64 nr;
};

/**
 * struct path - one run of the command
 * @a:		common part of analyses
 * @chain:	spans, and the path
 * @serial:	of the thread asked for, the latest with its number, + 1; 0 = none
 * @from:	beginning of its first span in the window
 * @to:		end of its last span, or its death
 * @parts:	beginnings of parts of the window
 * @part_nr:	how many
 * @events:	in the last part
 * @is_back:	second pass: the parts are read again, from the last to the first
 * @shares:	the path, summed up
 * @all:	their sum
 * @links:	its pieces if they are to be printed, the latest first
 * @link_nr:	how many
 * @lists:	print each piece
 */
struct path {
	struct analysis a;
	struct wakeup_chain chain;
	__u64 serial;
	__u64 from;
	__u64 to;
	__u64 *parts;
	size_t part_nr;
	__u64 events;
	bool is_back;
	struct hash_table shares;
	__u64 all;
	struct wakeup_chain_link *links;
	size_t link_nr;
	bool lists;
};

/* Appends an element to an array, whose room is a power of two. NULL: no memory */
static void *append(struct path *path, void *array, size_t *nr, size_t size)
{
	void **at = array;
	void *bigger = *at;

	if (!(*nr & (*nr - 1)))
		bigger = realloc(bigger, (*nr ? 2 * *nr : 1) * size);
	if (!bigger) {
		path->a.error = -ENOMEM;
		return NULL;
	}
	*at = bigger;
	return (char *)bigger + (*nr)++ * size;
}

/* Returns a thread. The second pass leaves it as the first knew it at the end. */
static struct wakeup_chain_thread *thread_of(struct path *path, const struct ktrace_process *p)
{
	return path->is_back ? wakeup_chain_thread(&path->chain, p->serial) :
	       analysis_thread(&path->a, &path->chain.threads, p);
}

/* Idle tasks wake nobody: the interrupt on their CPU does. */
static void on_woken(void *arg, const struct ktrace_process *p, const struct ktrace_process *by,
		     __u64 time)
{
	struct path *path = arg;
	struct wakeup_chain_thread *t;

	(void)time;
	by = by && by->tid ? by : NULL;
	if (by)
		thread_of(path, by);
	t = thread_of(path, p);
	if (t)
		t->waker = by ? by->serial + 1 : 0;
}

/* First pass: finds the thread asked for, and when it existed. */
static void see_thread(struct path *path, const struct ktrace_process *p,
		       const struct wakeup_chain_span *span)
{
	if (p->tid != path->a.select.pids[0] || (path->serial && p->serial + 1 < path->serial))
		return;
	if (path->serial != p->serial + 1) {
		path->serial = p->serial + 1;
		path->from = path->to = span->from;
	}
	if (p->status != KTRACE_STATUS_ZOMBIE && p->status != KTRACE_STATUS_DEAD)
		path->to = span->to;
}

static void on_span(void *arg, const struct ktrace_process *p, __u64 until)
{
	struct wakeup_chain_span span = { .from = p->since, .to = until, .status = p->status };
	const struct ktrace_mode_level *mode = ktrace_process_mode(p);
	struct path *path = arg;
	struct wakeup_chain_thread *t;

	if (!p->tid || !analysis_clip(&path->a, &span.from, &span.to))
		return;
	t = thread_of(path, p);
	if (t && !path->is_back)
		see_thread(path, p, &span);
	if (!t || !path->is_back)
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
	wakeup_chain_add(&path->chain, t, &span);
	path->a.error = path->a.error ? path->a.error : path->chain.error;
}

static void describe(const struct path *path, const struct wakeup_chain_span *span, char *text,
		     size_t size)
{
	char call[KTRACE_MODE_SUB_SIZE] = "";
	const char *by = "";

	if (span->status == KTRACE_STATUS_UNNAMED) {
		snprintf(text, size, "unknown");
		return;
	}
	if (span->status != KTRACE_STATUS_WAIT) {
		snprintf(text, size, "%s", ktrace_status_name(span->status));
		return;
	}
	if (span->sub)
		ktrace_mode_sub_text(path->a.state, 0, KTRACE_MODE_SYSCALL, span->sub - 1, call,
				     sizeof(call));
	if (span->waker_mode)
		by = ktrace_mode_name(span->waker_mode);
	snprintf(text, size, "wait %s%s%s%s%s", ktrace_wait_name(span->wait), *call ? " in " : "",
		 call, *by ? " for " : "", by);
}

static void on_link(void *arg, const struct wakeup_chain_link *link)
{
	struct share key = { .serial = link->serial }, *share;
	struct path *path = arg;
	struct wakeup_chain_link *kept;

	describe(path, &link->span, key.what, sizeof(key.what));
	share = hash_table_need(&path->shares, &key, &path->a.error);
	if (!share)
		return;
	share->ns += link->to - link->from;
	share->nr++;
	path->all += link->to - link->from;
	if (!path->lists && !path->a.is_json)
		return;
	kept = append(path, &path->links, &path->link_nr, sizeof(*kept));
	if (kept)
		*kept = *link;
}

static int by_ns(const void *x, const void *y)
{
	const struct share *a = x, *b = y;

	return ORDER(b->ns, a->ns) ?: ORDER(a->serial, b->serial) ?: strcmp(a->what, b->what);
}

/* Returns the names of a thread of the path. */
static const struct thread_label *who_of(struct path *path, __u64 serial)
{
	return &wakeup_chain_thread(&path->chain, serial)->thread.who;
}

static void put_links(struct path *path)
{
	struct ktrace_out *out = path->a.out;
	__u64 left = path->a.number;
	char what[48], name[48];
	size_t i;

	out_printf(out, "\n%15s %9s  what\n", "time", "for");
	for (i = path->link_nr; i-- && left; left--) {
		const struct wakeup_chain_link *link = &path->links[i];

		describe(path, &link->span, what, sizeof(what));
		output_line_begin(out);
		out_seconds(out, analysis_since_start(&path->a, link->from), 15);
		ktrace_out_char(out, ' ');
		out_duration(out, link->to - link->from);
		thread_label_name(who_of(path, link->serial), name, sizeof(name));
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

	thread_label_name(who_of(path, s->serial), name, sizeof(name));
	out_duration(a->out, s->ns);
	ktrace_out_char(a->out, ' ');
	out_percent(a->out, s->ns, path->all);
	out_printf(a->out, " %8llu  %-28.28s %s\n", s->nr, name, s->what);
}

static void put_json_share(struct analysis *a, const void *row)
{
	const struct share *s = row;

	thread_label_json(who_of((struct path *)a, s->serial), a->out);
	json_str(a->out, "what", s->what);
	json_u64(a->out, "ns", s->ns);
	json_u64(a->out, "pieces", s->nr);
}

static void put_json_links(struct path *path)
{
	struct ktrace_out *out = path->a.out;
	char what[48];
	size_t i;

	json_open(out, "path", '[');
	for (i = path->link_nr; i--;) {
		const struct wakeup_chain_link *link = &path->links[i];

		describe(path, &link->span, what, sizeof(what));
		json_item(out);
		thread_label_json(who_of(path, link->serial), out);
		json_str(out, "what", what);
		json_u64(out, "from_ns", analysis_since_start(&path->a, link->from));
		json_u64(out, "duration_ns", link->to - link->from);
		json_u64(out, "depth", (__u64)link->depth);
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
}

static int begin(struct analysis *a)
{
	struct path *path = (struct path *)a;
	__u64 *first = append(path, &path->parts, &path->part_nr, sizeof(*first));

	if (first)
		*first = a->from;
	return a->error;
}

/* Counts an event. A part begins where time rises, so that no earlier event belongs to it. */
static int count_event(struct analysis *a, const struct ktrace_trace_event *e)
{
	struct path *path = (struct path *)a;
	__u64 *part;

	if (++path->events < PART_EVENTS || e->time <= path->parts[path->part_nr - 1])
		return 0;
	path->events = 0;
	part = append(path, &path->parts, &path->part_nr, sizeof(*part));
	if (part)
		*part = e->time;
	return a->error;
}

/* Finds the path, from the thread's first span in the window to its last. Return: 0, -errno. */
static int make_path(struct path *path)
{
	struct wakeup_chain *c = &path->chain;
	size_t i = path->part_nr;
	__u64 from, until = path->a.until_ns, end = path->a.to;
	int ret = 0;

	if (!path->serial)
		return 0;
	path->is_back = true;
	wakeup_chain_begin(c, path->serial - 1, path->from, path->to);
	progress_begin(path->a.start, path->a.end);
	while (!ret && i--) {
		from = path->parts[i];
		if (wakeup_chain_goes_before(c, from) && from < end) {
			wakeup_chain_clear(c);
			ret = analysis_repeat(&path->a, from, until, end);
			wakeup_chain_walk(c, i ? from : 0);
		}
		until = end = from;
	}
	progress_end();
	wakeup_chain_end(c);
	return ret ? ret : c->error ? c->error : path->a.error;
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

static const char *check(struct analysis *a)
{
	return a->select.pid_nr == 1 ? NULL : "--pid: name the one thread it is about";
}

static const struct option_row pid_rows[] = {
	{ .letter = 'p', .name = "pid", .value = "N", .set = event_select_add_pids,
	  .help = "the thread; a process stands for its first thread" },
	{ .help = NULL },
};

static const struct option_row rows[] = {
	{ .name = "list", .flag = OPTION_MEMBER(struct path, lists),
	  .help = "also print each piece of the path; what was waited for\n"
		  "is further right" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ pid_rows, offsetof(struct path, a.select) },
	{ rows, 0 },
	ANALYSIS_WINDOW_SETS,
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct path path = {
		.a = {
			.check = check, .begin = begin,
			.event = count_event, .show = show,
			.needs.providers = "sched",
		},
		.chain.threads = HASH_TABLE_INIT(struct wakeup_chain_thread, thread.serial),
		.shares = HASH_TABLE_INIT(struct share, what),
	};
	int status;

	path.chain.found = on_link;
	path.chain.arg = &path;
	path.a.watch = (struct ktrace_state_watch){
		.span = on_span, .woken = on_woken, .arg = &path,
	};
	status = analysis_main(&path.a, cmd, argc, argv);
	wakeup_chain_free(&path.chain);
	hash_table_free(&path.shares);
	free(path.parts);
	free(path.links);
	return status;
}

const struct command cmd_critical_path = {
	.name = "critical-path",
	.args = "--pid N [OPTION...] FILE...",
	.summary = "Show what a thread waited for, and what that waited for",
	.options = sets,
	.needs_files = true,
	.run = run,
};
