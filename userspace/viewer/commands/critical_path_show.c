// SPDX-License-Identifier: GPL-2.0
/* critical_path_show.c - table and JSON of ktrace critical-path */
#include "critical_path.h"

#include <stdio.h>
#include <string.h>

static const char *const stop_texts[WAKEUP_CHAIN_STOP_NR] = {
	[WAKEUP_CHAIN_GOES_ON] = "",
	[WAKEUP_CHAIN_AMBIGUOUS] = " for one of several packets",
	[WAKEUP_CHAIN_NO_MESSAGE] = " for a packet from elsewhere",
	[WAKEUP_CHAIN_CLOCKS] = " for a packet from the future",
	[WAKEUP_CHAIN_INTERRUPT] = " for a packet of an interrupt",
};

static const char *const stop_names[WAKEUP_CHAIN_STOP_NR] = {
	[WAKEUP_CHAIN_AMBIGUOUS] = "ambiguous",
	[WAKEUP_CHAIN_NO_MESSAGE] = "no_message",
	[WAKEUP_CHAIN_CLOCKS] = "clocks",
	[WAKEUP_CHAIN_INTERRUPT] = "interrupt",
};

static void describe(const struct critical_path *path, const struct wakeup_chain_link *link,
		     char *text, size_t size)
{
	static const char *const kinds[] = {
		[WAKEUP_CHAIN_RECEIVE] = "receive", [WAKEUP_CHAIN_NETWORK] = "network",
		[WAKEUP_CHAIN_SEND] = "send",
	};
	const struct wakeup_chain_span *span = &link->span;
	char call[KTRACE_MODE_SUB_SIZE] = "";
	const char *by = "";

	if (link->kind != WAKEUP_CHAIN_THREAD) {
		snprintf(text, size, "%s", kinds[link->kind]);
		return;
	}
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
	if (span->waker_mode && !link->stop)
		by = ktrace_mode_name(span->waker_mode);
	snprintf(text, size, "wait %s%s%s%s%s%s", ktrace_wait_name(span->wait),
		 *call ? " in " : "", call, *by ? " for " : "", by, stop_texts[link->stop]);
}

static const struct wakeup_chain_thread *thread_of(const struct critical_path *path, __u64 serial)
{
	return hash_table_find(&path->chain.threads, &serial);
}

void critical_path_key(const struct critical_path *path, const struct wakeup_chain_link *link,
		       struct critical_path_share *key)
{
	const struct wakeup_chain_thread *t = thread_of(path, link->serial);

	key->serial = CRITICAL_PATH_NO_THREAD;
	key->machine = key->to_machine = link->machine;
	if (link->kind == WAKEUP_CHAIN_THREAD) {
		key->serial = link->serial;
		key->machine = key->to_machine = t ? t->machine : 0;
	} else if (link->kind == WAKEUP_CHAIN_NETWORK) {
		key->machine = link->trip.from_machine;
		key->to_machine = link->trip.to_machine;
	}
	describe(path, link, key->what, sizeof(key->what));
}

static int by_ns(const void *x, const void *y)
{
	const struct critical_path_share *a = x, *b = y;

	return ORDER(b->ns, a->ns) ?: ORDER(a->serial, b->serial) ?:
	       ORDER(a->machine, b->machine) ?: ORDER(a->to_machine, b->to_machine) ?:
	       strcmp(a->what, b->what);
}

void critical_path_host(const struct critical_path *path, __u32 machine, char *text)
{
	char room[KTRACE_OUT_MIN];
	struct ktrace_out out = { .buf = room, .cap = sizeof(room) };

	hosts_put_name(&out, path->a.set, machine);
	snprintf(text, CRITICAL_PATH_HOST_SIZE, "%.*s", (int)out.len, room);
}

/* Formats "host 100/101 name", "host -> host" or "host"; with one host only the thread. */
static void name_who(const struct critical_path *path, const struct critical_path_share *s,
		     char *text, size_t size)
{
	const struct wakeup_chain_thread *t = thread_of(path, s->serial);
	char from[CRITICAL_PATH_HOST_SIZE] = "", to[CRITICAL_PATH_HOST_SIZE] = "", name[48] = "";

	if (path->has_hosts)
		critical_path_host(path, s->machine, from);
	if (s->to_machine != s->machine)
		critical_path_host(path, s->to_machine, to);
	if (t)
		thread_label_name(&t->thread.who, name, sizeof(name));
	else if (s->serial != CRITICAL_PATH_NO_THREAD)
		snprintf(name, sizeof(name), "?");
	snprintf(text, size, "%s%s%s%s%s", from, *from && *name ? " " : "", name,
		 *to ? " -> " : "", to);
}

/* Prints the error of the time that a packet took, and what the clocks say of the order. */
static void put_trip(struct ktrace_out *out, const struct packet_trip *trip)
{
	const bool is_back = trip->sent > trip->received;

	ktrace_out_char(out, ' ');
	out_time_error(out, &trip->error);
	if (is_back)
		out_printf(out, ", received before it was sent by the clocks");
	else if (trip->error.is_known && trip->received - trip->sent < trip->error.early_ns)
		out_printf(out, ", shorter than its error");
	if (trip->is_retransmitted)
		out_printf(out, ", sent several times");
}

static void put_link(struct critical_path *path, const struct wakeup_chain_link *link)
{
	struct critical_path_share key = { .serial = 0 };
	struct ktrace_out *out = path->a.out;
	char who[256];

	critical_path_key(path, link, &key);
	name_who(path, &key, who, sizeof(who));
	output_line_begin(out);
	out_seconds(out, analysis_since_start(&path->a, link->from), 15);
	ktrace_out_char(out, ' ');
	out_duration(out, link->to - link->from);
	out_printf(out, "  %*s%s: %s", 2 * link->depth, "", who, key.what);
	if (link->kind == WAKEUP_CHAIN_NETWORK)
		put_trip(out, &link->trip);
	ktrace_out_char(out, '\n');
}

static void put_links(struct critical_path *path)
{
	__u64 left = path->a.number;
	size_t i;

	out_printf(path->a.out, "\n%15s %9s  what\n", "time", "for");
	for (i = path->link_nr; i-- && left; left--)
		put_link(path, &path->links[i]);
}

static void put_head(struct analysis *a)
{
	out_printf(a->out, "\n%9s %6s %8s  %-28s %s\n", "time", "%", "pieces",
		   ((struct critical_path *)a)->has_hosts ? "host process/thread" :
		   "process/thread", "what");
}

static void put_share(struct analysis *a, const void *row)
{
	struct critical_path *path = (struct critical_path *)a;
	const struct critical_path_share *s = row;
	char who[256];

	name_who(path, s, who, sizeof(who));
	out_duration(a->out, s->ns);
	ktrace_out_char(a->out, ' ');
	out_percent(a->out, s->ns, path->all);
	out_printf(a->out, path->has_hosts ? " %8llu  %-28s %s\n" : " %8llu  %-28.28s %s\n", s->nr,
		   who, s->what);
}

/* Writes the host, or both hosts of the network, and the thread if it is one. */
static void put_json_who(const struct critical_path *path, const struct critical_path_share *s)
{
	static const struct thread_label unknown;
	const struct wakeup_chain_thread *t = thread_of(path, s->serial);
	struct ktrace_out *out = path->a.out;
	char name[CRITICAL_PATH_HOST_SIZE];

	if (s->serial != CRITICAL_PATH_NO_THREAD)
		thread_label_json(t ? &t->thread.who : &unknown, out);
	if (!path->has_hosts)
		return;
	critical_path_host(path, s->machine, name);
	json_str(out, "host", name);
	if (s->to_machine == s->machine)
		return;
	critical_path_host(path, s->to_machine, name);
	json_str(out, "to_host", name);
}

static void put_json_share(struct analysis *a, const void *row)
{
	const struct critical_path_share *s = row;

	put_json_who((struct critical_path *)a, s);
	json_str(a->out, "what", s->what);
	json_u64(a->out, "ns", s->ns);
	json_u64(a->out, "pieces", s->nr);
}

static void put_json_trip(struct ktrace_out *out, const struct packet_trip *trip)
{
	json_s64(out, "trip_ns", (__s64)(trip->received - trip->sent));
	json_time_error(out, &trip->error);
	json_bool(out, "is_retransmitted", trip->is_retransmitted);
}

static void put_json_link(const struct critical_path *path, const struct wakeup_chain_link *link)
{
	struct critical_path_share key = { .serial = 0 };
	struct ktrace_out *out = path->a.out;

	critical_path_key(path, link, &key);
	json_item(out);
	put_json_who(path, &key);
	json_str(out, "what", key.what);
	json_u64(out, "from_ns", analysis_since_start(&path->a, link->from));
	json_u64(out, "duration_ns", link->to - link->from);
	json_u64(out, "depth", (__u64)link->depth);
	if (link->kind == WAKEUP_CHAIN_NETWORK)
		put_json_trip(out, &link->trip);
	ktrace_out_char(out, '}');
}

static void put_json_crossings(const struct critical_path *path)
{
	const struct wakeup_chain_crossings *all = &path->chain.crossings;
	struct ktrace_out *out = path->a.out;
	size_t i;

	json_open(out, "packets", '{');
	json_u64(out, "followed", all->nr);
	json_u64(out, "error_max_ns", all->error_ns);
	json_u64(out, "without_error", all->without_error);
	json_u64(out, "overlapping", all->overlapping);
	json_u64(out, "negative", all->negative);
	json_u64(out, "retransmitted", all->retransmitted);
	for (i = WAKEUP_CHAIN_AMBIGUOUS; i < WAKEUP_CHAIN_STOP_NR; i++)
		json_u64(out, stop_names[i], path->stops[i]);
	json_u64(out, "connections_left_out", path->chain.packets.flows_over);
	ktrace_out_char(out, '}');
}

static void put_json(struct critical_path *path)
{
	struct ktrace_out *out = path->a.out;
	size_t i;

	json_open(out, "path", '[');
	for (i = path->link_nr; i--;)
		put_json_link(path, &path->links[i]);
	ktrace_out_char(out, ']');
	if (path->has_hosts)
		put_json_crossings(path);
}

/* Prints a line if it is about anything. */
static void put_count(struct ktrace_out *out, __u64 nr, const char *what)
{
	if (nr)
		out_printf(out, "  %llu %s\n", nr, what);
}

static void put_crossings(const struct critical_path *path)
{
	static const char *const stops[WAKEUP_CHAIN_STOP_NR] = {
		[WAKEUP_CHAIN_AMBIGUOUS] = "waits end by one of several packets: not followed",
		[WAKEUP_CHAIN_NO_MESSAGE] = "waits end by a packet that no trace has as sent",
		[WAKEUP_CHAIN_CLOCKS] = "waits end by a packet that was sent later, by clocks "
					"whose error does not allow that: not followed",
		[WAKEUP_CHAIN_INTERRUPT] = "waits end by a packet that an interrupt sent, for an "
					   "unknown thread",
	};
	const struct wakeup_chain_crossings *all = &path->chain.crossings;
	struct ktrace_out *out = path->a.out;
	size_t i;

	out_printf(out, "\n%llu packets between hosts are followed", all->nr);
	if (all->nr > all->without_error)
		out_printf(out, "; the error of their trips is at most %llu ns", all->error_ns);
	out_printf(out, "\n");
	put_count(out, all->without_error, "with unknown error: the clocks are not synchronised");
	put_count(out, all->overlapping, "whose trip is shorter than its error");
	put_count(out, all->negative, "received before they were sent, within the error");
	put_count(out, all->retransmitted, "sent several times");
	for (i = WAKEUP_CHAIN_AMBIGUOUS; i < WAKEUP_CHAIN_STOP_NR; i++)
		put_count(out, path->stops[i], stops[i]);
	put_count(out, path->chain.packets.flows_over,
		  "packets of connections beyond those remembered");
}

void critical_path_show(struct critical_path *path)
{
	static const struct sheet sheet = { "shares", by_ns, put_head, put_share, put_json_share };

	analysis_rows(&path->a, &path->shares, &sheet);
	if (path->a.is_json) {
		put_json(path);
		return;
	}
	if (path->has_hosts)
		put_crossings(path);
	if (path->lists)
		put_links(path);
}
