// SPDX-License-Identifier: GPL-2.0
/* cmd_critical_path.c - ktrace critical-path: where a thread's time went, with waits resolved */
#include "critical_path.h"

#include "base/progress.h"
#include "base/search.h"
#include "base/temporary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART_EVENTS 100000u	/* events whose spans are in memory at a time */
/* Packets that were received so long before the window wake nobody in it. */
#define RECEIVE_NS_MAX 1000000000ull
#define PARTS_BACK 16u	/* parts before one that are read again for packets that are under way */

/* Appends an element to an array, whose room is a power of two. NULL: no memory */
static void *append(struct critical_path *path, void *array, size_t *nr, size_t size)
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
static struct wakeup_chain_thread *thread_of(struct critical_path *path,
					     const struct ktrace_process *p)
{
	struct wakeup_chain_thread *t = path->is_back ?
		wakeup_chain_thread(&path->chain, p->serial) :
		analysis_thread(&path->a, &path->chain.threads, p);

	if (t)
		t->machine = p->machine;
	return t;
}

/* Idle tasks wake nobody: the interrupt on their CPU does. */
static void on_woken(void *arg, const struct ktrace_process *p, const struct ktrace_process *by,
		     __u64 time)
{
	struct critical_path *path = arg;
	const struct packet_cause packet = packet_wakeups_cause(&path->chain.packets, p, by);
	struct wakeup_chain_thread *t;

	(void)time;
	by = by && by->tid ? by : NULL;
	if (by)
		thread_of(path, by);
	t = thread_of(path, p);
	if (!t)
		return;
	t->waker = by ? by->serial + 1 : 0;
	t->packet = packet;
}

/*
 * Keeps a packet for the second pass, in a temporary file: there may be many. Notes when it was
 * sent, in the part in which it was received.
 */
static int on_packet(void *arg, const struct packet_trip *trip)
{
	struct critical_path *path = arg;
	const size_t nr = PARTITION_POINT(path->part_nr, i, path->parts[i].from <= trip->received);

	if (trip->received + RECEIVE_NS_MAX < path->a.from)
		return 0;
	if (!path->trips)
		path->trips = temporary_stream();
	if (!path->trips)
		return -EIO;
	if (fwrite(trip, sizeof(*trip), 1, path->trips) != 1) {
		temporary_failed(errno);
		return -EIO;
	}
	path->trip_nr++;
	if (nr && trip->sent < path->parts[nr - 1].sent)
		path->parts[nr - 1].sent = trip->sent;
	return 0;
}

/* Adds packets that the first pass found while it read part @i. Return: 0, -errno. */
static int read_packets(struct critical_path *path, size_t i)
{
	const __u64 from = path->parts[i].trip;
	__u64 left = (i + 1 < path->part_nr ? path->parts[i + 1].trip : path->trip_nr) - from;
	struct packet_trip trip;
	int ret = 0;

	if (!left)
		return 0;
	if (fseeko(path->trips, (off_t)(from * sizeof(trip)), SEEK_SET))
		return -errno;
	for (; left && !ret; left--)
		ret = fread(&trip, sizeof(trip), 1, path->trips) == 1 ?
			packet_wakeups_add(&path->chain.packets, &trip) : -EIO;
	return ret;
}

static int see_event(struct analysis *a, const struct ktrace_trace_event *e)
{
	return packet_wakeups_see(&((struct critical_path *)a)->chain.packets, e);
}

static bool is_wanted(struct critical_path *path, const struct ktrace_process *p)
{
	char name[CRITICAL_PATH_HOST_SIZE];

	if (p->tid != path->a.select.pids[0].id)
		return false;
	path->a.select.pids[0].is_met = true;
	if (path->host) {
		critical_path_host(path, p->machine, name);
		if (strcmp(name, path->host))
			return false;
		path->is_host_met = true;
	}
	path->is_doubtful |= path->serial && path->machine != p->machine;
	return true;
}

/* First pass: finds the thread asked for, and when it existed. */
static void see_thread(struct critical_path *path, const struct ktrace_process *p,
		       const struct wakeup_chain_span *span)
{
	if (!is_wanted(path, p) || (path->serial && p->serial + 1 < path->serial))
		return;
	path->machine = p->machine;
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
	struct critical_path *path = arg;
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
		span.packet = t->packet;
		span.waker_mode = p->waker_mode;
		span.sub = mode->mode == KTRACE_MODE_SYSCALL ? mode->sub + 1 : 0;
		t->waker = 0;
		t->packet.kind = PACKET_CAUSE_NONE;
	}
	wakeup_chain_add(&path->chain, t, &span);
	path->a.error = path->a.error ? path->a.error : path->chain.error;
}

static void on_link(void *arg, const struct wakeup_chain_link *link)
{
	struct critical_path_share key = { .serial = 0 }, *share;
	struct critical_path *path = arg;
	struct wakeup_chain_link *kept;

	critical_path_key(path, link, &key);
	share = hash_table_need(&path->shares, &key, &path->a.error);
	if (!share)
		return;
	share->ns += link->to - link->from;
	share->nr++;
	path->stops[link->stop]++;
	path->all += link->to - link->from;
	if (!path->lists && !path->a.is_json)
		return;
	kept = append(path, &path->links, &path->link_nr, sizeof(*kept));
	if (kept)
		*kept = *link;
}

static void add_part(struct critical_path *path, __u64 from)
{
	struct critical_path_part *part = append(path, &path->parts, &path->part_nr,
						 sizeof(*part));

	if (part)
		*part = (struct critical_path_part){ from, from, path->trip_nr };
}

static int begin(struct analysis *a)
{
	struct critical_path *path = (struct critical_path *)a;
	struct packet_wakeups *packets = &path->chain.packets;

	packets->found = on_packet;
	packets->arg = path;
	path->has_hosts = hosts_count(a->set) > 1;
	add_part(path, a->from);
	return a->error ? a->error : packet_wakeups_init(packets, a->set, a->state);
}

/* Counts an event. A part begins where time rises, so that no earlier event belongs to it. */
static int count_event(struct analysis *a, const struct ktrace_trace_event *e)
{
	struct critical_path *path = (struct critical_path *)a;

	if (++path->events < PART_EVENTS || e->time <= path->parts[path->part_nr - 1].from)
		return 0;
	path->events = 0;
	add_part(path, e->time);
	return a->error;
}

/*
 * Returns where to begin reading a part: where the packets that were received in it were sent. As
 * far again before that, for packets that these answered; but at most PARTS_BACK parts before.
 */
static __u64 first_needed(const struct critical_path *path, size_t i)
{
	const struct critical_path_part *part = &path->parts[i];
	const __u64 back = 2 * (part->from - part->sent);
	const __u64 limit = i > PARTS_BACK ? path->parts[i - PARTS_BACK].from : path->a.start;
	const __u64 from = back < part->from ? part->from - back : 0;

	return from > limit || limit > part->from ? from : limit;
}

/* Reads a part again and goes back through it. Return: 0, -errno. */
static int walk_part(struct critical_path *path, size_t i, __u64 until, __u64 end)
{
	const struct critical_path_part *part = &path->parts[i];
	struct wakeup_chain *c = &path->chain;
	int ret;

	wakeup_chain_clear(c);
	ret = analysis_repeat(&path->a, path->has_hosts ? first_needed(path, i) : part->from,
			      until, end);
	wakeup_chain_walk(c, i ? part->from : 0);
	return ret;
}

/* Walks all parts from the last to the first. Return: 0, -errno. */
static int walk_parts(struct critical_path *path)
{
	__u64 from, until = path->a.until_ns, end = path->a.to;
	size_t i = path->part_nr;
	int ret = 0;

	while (!ret && i--) {
		from = path->parts[i].from;
		packet_wakeups_again(&path->chain.packets, until);
		ret = read_packets(path, i);
		if (!ret && i)	/* a packet of the part before may wake a thread in this one */
			ret = read_packets(path, i - 1);
		if (!ret && wakeup_chain_goes_before(&path->chain, from) && from < end)
			ret = walk_part(path, i, until, end);
		until = end = from;
	}
	return ret;
}

/* Finds the path, from the thread's first span in the window to its last. Return: 0, -errno. */
static int make_path(struct critical_path *path)
{
	struct wakeup_chain *c = &path->chain;
	int ret = packet_wakeups_end(&c->packets);

	if (ret || !path->serial)
		return ret;
	path->is_back = true;
	wakeup_chain_begin(c, path->serial - 1, path->from, path->to);
	progress_begin(path->a.start, path->a.end);
	ret = walk_parts(path);
	progress_end();
	wakeup_chain_end(c);
	return ret ? ret : c->error ? c->error : path->a.error;
}

/* Says on standard error what of --pid and --host was not clear. */
static void complain(const struct critical_path *path)
{
	char name[CRITICAL_PATH_HOST_SIZE];

	if (path->host && !path->is_host_met) {
		complain_safely("ktrace: --host: no thread %u on '%s'", path->a.select.pids[0].id,
				path->host);
	} else if (path->is_doubtful) {
		critical_path_host(path, path->machine, name);
		complain_safely("ktrace: several hosts have a thread %u: this is that of '%s'; "
				"--host chooses another", path->a.select.pids[0].id, name);
	}
}

static void show(struct analysis *a)
{
	struct critical_path *path = (struct critical_path *)a;

	a->error = make_path(path);
	critical_path_show(path);
	complain(path);
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
	{ .name = "host", .value = "NAME", .text = OPTION_MEMBER(struct critical_path, host),
	  .help = "its host, if several have a thread of this number" },
	{ .name = "list", .flag = OPTION_MEMBER(struct critical_path, lists),
	  .help = "also print each piece of the path; what was waited for\n"
		  "is further right" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ pid_rows, offsetof(struct critical_path, a.select) },
	{ rows, 0 },
	ANALYSIS_WINDOW_SETS,
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct critical_path path = {
		.a = {
			.check = check, .begin = begin, .early = see_event,
			.event = count_event, .show = show,
			.needs.providers = "sched",
		},
		.chain.threads = HASH_TABLE_INIT(struct wakeup_chain_thread, thread.serial),
		.shares = HASH_TABLE_INIT(struct critical_path_share, what),
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
	if (path.trips)
		fclose(path.trips);
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
