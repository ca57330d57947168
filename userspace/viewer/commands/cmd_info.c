// SPDX-License-Identifier: GPL-2.0
/* cmd_info.c - ktrace info: contents of files */
#include "base/lost_events.h"
#include "base/viewer.h"

#include "base/clock_ties.h"
#include "base/clock_warnings.h"
#include "base/event_counts.h"
#include "base/json.h"
#include "base/when.h"
#include "base/parts.h"
#include "base/rings.h"
#include "base/table.h"
#include "base/twice.h"
#include "events/posix_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ktrace/tracefile.h>

#define SIGNAL_MAX 64u

/**
 * struct info - results of reading everything
 * @set:	the files
 * @census:	events by name
 * @stats:	of reading
 * @start:	time of the first event
 * @end:	time of the last event
 */
struct info {
	struct ktrace_traceset *set;
	struct event_counts census;
	struct ktrace_traceset_stats stats;
	__u64 start;
	__u64 end;
};

/* Returns the number of streams of @kind; sets @blocks to the number of blocks of all streams. */
static __u64 count_streams(const struct ktrace_trace *trace, __u32 kind, __u64 *blocks)
{
	const struct ktrace_trace_stream *s;
	__u64 nr = 0;
	size_t i;

	*blocks = 0;
	for (i = 0; (s = ktrace_trace_stream(trace, i)); i++) {
		nr += s->kind == kind;
		*blocks += s->blocks;
	}
	return nr;
}

static int read_all(struct info *info)
{
	struct ktrace_trace_event e;
	int ret;

	info->start = ~0ull;
	while ((ret = ktrace_traceset_next(info->set, &e)) == 1) {
		info->start = e.time < info->start ? e.time : info->start;
		info->end = e.time > info->end ? e.time : info->end;
		if (e.id == KTRACE_ID_LOST)
			continue;
		ret = event_counts_add(&info->census, &e);
		if (ret)
			break;
	}
	if (info->start > info->end)
		info->start = info->end;
	event_counts_sort(&info->census);
	ktrace_traceset_stats(info->set, &info->stats);
	return ret;
}

static void put_fact(struct ktrace_out *out, const struct ktrace_trace *t, const char *keyword,
		     const char *key)
{
	const char *value = ktrace_trace_meta(t, keyword, key);

	ktrace_out_safe(out, value ? value : "?");
}

static void put_label(struct ktrace_out *out, const char *label)
{
	size_t from;

	output_line_begin(out);
	from = out->len;
	ktrace_out_str(out, "  ");
	ktrace_out_str(out, label);
	ktrace_out_pad(out, from, 12);
}

/* Returns what the machine of the file calls its cycle counter; other clocks keep their name. */
static const char *clock_name(const struct ktrace_trace *t, const char *clock)
{
	const char *machine = ktrace_trace_meta(t, "host", "machine");

	if (!clock || strcmp(clock, "tsc") || !machine)
		return clock ? clock : "?";
	if (!strcmp(machine, "aarch64"))
		return "cntvct";
	return !strcmp(machine, "riscv64") ? "time" : clock;
}

/* Times cannot be told apart within a tick, which is long where the counter is slow. */
static void put_file_clock(struct ktrace_out *out, const struct ktrace_trace *t)
{
	struct ktrace_clock_info clock;

	ktrace_trace_clock(t, &clock);
	put_label(out, "clock");
	ktrace_out_safe(out, clock_name(t, clock.clock));
	out_printf(out, ", %llu Hz", clock.hz);
	if (clock.hz && clock.hz < 999000000)
		out_printf(out, ", a tick is %.1f ns", 1e9 / (double)clock.hz);
	out_printf(out, ", %llu readings\n", clock.readings);
}

static void put_file_host(struct ktrace_out *out, const struct ktrace_trace *t)
{
	put_label(out, "host");
	put_fact(out, t, "host", "name");
	ktrace_out_str(out, ", kernel ");
	put_fact(out, t, "host", "kernel");
	ktrace_out_str(out, ", ");
	put_fact(out, t, "host", "machine");
	ktrace_out_str(out, ", ");
	put_fact(out, t, "host", "cpus");
	ktrace_out_str(out, " cpus\n");
}

/* Prints " (118.0 MiB)" after a long number of bytes. */
static void put_rounded(struct ktrace_out *out, __u64 bytes)
{
	const bool is_huge = bytes >> 30;

	if (bytes >> 20)
		out_printf(out, " (%.1f %s)", (double)bytes / (is_huge ? 1 << 30 : 1 << 20),
			   is_huge ? "GiB" : "MiB");
}

/* Prints a line for each kind of ring: recordings of a merged file had their own. */
static void put_file_rings(struct ktrace_out *out, const struct ktrace_trace *t)
{
	struct hash_table kinds = rings_find(t);
	const struct rings *rings;

	hash_table_for_each(rings, &kinds) {
		put_label(out, "rings");
		if (kinds.nr > 1)
			out_printf(out, "%llu of ", rings->nr);
		rings_put(out, rings);
		ktrace_out_char(out, '\n');
	}
	hash_table_free(&kinds);
}

/* Reads a fact that is a number; anything else counts as missing. */
static bool get_number(const struct ktrace_trace *t, const char *keyword, const char *key,
		       __u64 *number)
{
	const char *value = ktrace_trace_meta(t, keyword, key);

	return value && number_parse(value, 0, ~0ull, number);
}

/* Returns the command, NULL if the recording had none. */
static const char *command_of(const struct ktrace_trace *t)
{
	const char *cmd = ktrace_trace_meta(t, "trace", "cmd");

	return cmd && *cmd ? cmd : NULL;
}

/* Prints an exit status as shells report it. */
static void put_status(struct ktrace_out *out, __u64 status)
{
	if (status > 128 && status <= 128 + SIGNAL_MAX)
		out_printf(out, "killed by signal %llu (status %llu)", status - 128, status);
	else
		out_printf(out, "status %llu", status);
}

static bool ends_with(const char *text, const char *tail)
{
	size_t len = strlen(text), n = strlen(tail);

	return len >= n && !strcmp(text + len - n, tail);
}

/* Prints how the command ended, and why the recording ended if for another reason. */
static void put_file_end(struct ktrace_out *out, const struct ktrace_trace *t)
{
	const char *reason = ktrace_trace_meta(t, "end", "reason");
	bool has_status;
	__u64 status;

	has_status = get_number(t, "end", "status", &status);
	if (has_status && reason && !strcmp(reason, "command ended"))
		reason = NULL;
	if (!has_status && !reason)
		return;
	put_label(out, "ended");
	if (has_status)
		put_status(out, status);
	if (has_status && reason)
		ktrace_out_str(out, ", ");
	if (reason && !ends_with(reason, " ended") && !ends_with(reason, " failed") &&
	    strcmp(reason, "recovered") != 0)
		ktrace_out_str(out, "stopped by ");
	if (reason)
		ktrace_out_safe(out, reason);
	ktrace_out_char(out, '\n');
}

/* Prints how full the registry became, and what is missing for want of room. */
static void put_file_registry(struct ktrace_out *out, const struct ktrace_trace *t)
{
	__u64 used, most, reused, missing;

	if (!get_number(t, "registry", "used", &used) ||
	    !get_number(t, "registry", "most", &most) ||
	    !get_number(t, "registry", "reused", &reused) ||
	    !get_number(t, "registry", "missing", &missing))
		return;
	put_label(out, "registry");
	out_printf(out, "%llu of %llu KiB", used >> 10, most >> 10);
	if (reused)
		out_printf(out, ", %llu entries in room used again", reused);
	if (missing)
		out_printf(out, ", %llu entries are missing: no room, or not completed", missing);
	ktrace_out_char(out, '\n');
}

/* For a file with compressed blocks, prints how many, and how much that saved. */
static void put_file_storage(struct ktrace_out *out, const struct ktrace_trace *t)
{
	struct ktrace_storage s;

	ktrace_trace_storage(t, &s);
	if (!s.compressed)
		return;
	put_label(out, "storage");
	out_printf(out, "%llu blocks compressed, %llu of %llu bytes (%.1f %%)\n", s.compressed,
		   s.stored, s.bytes, s.bytes ? 100.0 * (double)s.stored / (double)s.bytes : 0.0);
}

/* Prints which events were chosen, and when that changed. */
static void put_file_choices(struct ktrace_out *out, const struct ktrace_trace *t)
{
	struct ktrace_choice c;

	for (size_t i = 0; ktrace_trace_choice(t, i, &c); i++) {
		put_label(out, "choice");
		out_date(out, ktrace_trace_wall(t, c.raw));
		if (c.levels)
			ktrace_out_str(out, ", levels ");
		ktrace_out_safe(out, c.levels ? c.levels : "");
		ktrace_out_str(out, ", events ");
		ktrace_out_safe(out, c.events ? c.events : "default");
		ktrace_out_str(out, c.filters ? ", of them " : "");
		ktrace_out_safe(out, c.filters ? c.filters : "");
		ktrace_out_str(out, c.where ? ", where " : "");
		ktrace_out_safe(out, c.where ? c.where : "");
		ktrace_out_char(out, '\n');
	}
}

/* Prints which ids are not from the recording's own pid namespace. */
static void put_file_ids(struct ktrace_out *out, const struct ktrace_trace *t)
{
	struct ktrace_trace_ids ids;
	size_t i;

	for (i = 0; ktrace_trace_ids(t, i, &ids); i++) {
		put_label(out, "ids");
		out_printf(out, "%u to %u: processes and threads %u to %u of ", ids.first,
			   ids.first + ids.nr - 1, ids.inner, ids.inner + ids.nr - 1);
		if (ids.space)
			out_printf(out, "pid namespace %llu\n", ids.space);
		else
			out_printf(out, "a pid namespace whose number is not known\n");
	}
}

static void put_file(struct ktrace_out *out, const struct ktrace_trace *t)
{
	__u64 blocks, kernel, user;

	output_line_begin(out);
	ktrace_out_safe(out, ktrace_trace_path(t));
	out_printf(out, ": %llu bytes", ktrace_trace_size(t));
	put_rounded(out, ktrace_trace_size(t));
	ktrace_out_str(out, ktrace_trace_is_closed(t) ? ", closed\n" :
		       ", not closed: still being written, or truncated\n");
	if (command_of(t)) {
		put_label(out, "command");
		ktrace_out_safe(out, command_of(t));
		ktrace_out_char(out, '\n');
	}
	if (ktrace_trace_meta(t, "trace", "cut")) {
		put_label(out, "cut");
		put_fact(out, t, "trace", "cut");
		ktrace_out_char(out, '\n');
	}
	if (parts_any(t)) {
		put_label(out, "parts");
		parts_put(out, t);
		ktrace_out_char(out, '\n');
	}
	put_file_end(out, t);
	put_file_registry(out, t);
	if (posix_log_is(t)) {
		put_label(out, "posix");
		posix_log_put(out, t);
		ktrace_out_char(out, '\n');
	}
	put_file_host(out, t);
	put_label(out, "backend");
	put_fact(out, t, "trace", "backend");
	ktrace_out_char(out, '\n');
	put_file_clock(out, t);
	clock_ties_put(out, t, put_label);
	kernel = count_streams(t, KTRACE_CHANNEL_KERNEL, &blocks);
	user = count_streams(t, KTRACE_CHANNEL_USER, &blocks);
	put_label(out, "streams");
	out_printf(out, "%llu kernel, %llu user, %llu blocks\n", kernel, user, blocks);
	put_file_rings(out, t);
	put_file_storage(out, t);
	put_file_ids(out, t);
	put_file_choices(out, t);
}

static void put_lost(struct ktrace_out *out, const __u64 *lost)
{
	out_printf(out, "lost        %llu\n", lost_total(lost));
	for (__u32 i = 0; i < KTRACE_LOST_NR; i++)
		if (lost[i])
			out_printf(out, "%14llu %s\n", lost[i], ktrace_lost_name(i));
}

static void put_text(struct ktrace_out *out, const struct info *info)
{
	const struct ktrace_trace *t;
	size_t i;

	for (i = 0; (t = ktrace_traceset_trace(info->set, i)); i++)
		put_file(out, t);
	output_line_begin(out);
	ktrace_out_str(out, "begin       ");
	if (info->stats.events)
		out_date(out, info->start);
	else
		ktrace_out_char(out, '-');
	ktrace_out_str(out, "\nduration    ");
	out_seconds(out, info->end - info->start, 0);
	out_printf(out, " s\nevents      %llu\n", info->stats.events);
	for (i = 0; i < info->census.nr; i++) {
		output_line_begin(out);
		out_printf(out, "%14llu ", info->census.counts[i].events);
		ktrace_out_str(out, info->census.counts[i].name);
		ktrace_out_char(out, '\n');
	}
	put_lost(out, info->stats.lost);
	if (info->stats.backwards)
		out_printf(out, "backwards   %llu\n", info->stats.backwards);
}

static void json_number(struct ktrace_out *out, const struct ktrace_trace *t,
			const char *keyword, const char *key)
{
	__u64 number;

	if (get_number(t, keyword, key, &number))
		json_u64(out, key, number);
}

static void json_registry(struct ktrace_out *out, const struct ktrace_trace *t)
{
	if (!ktrace_trace_meta(t, "registry", "used"))
		return;
	json_open(out, "registry", '{');
	json_number(out, t, "registry", "used");
	json_number(out, t, "registry", "size");
	json_number(out, t, "registry", "most");
	json_number(out, t, "registry", "slots");
	json_number(out, t, "registry", "reused");
	json_number(out, t, "registry", "missing");
	ktrace_out_char(out, '}');
}

static void json_choices(struct ktrace_out *out, const struct ktrace_trace *t)
{
	struct ktrace_choice c;

	json_open(out, "choices", '[');
	for (size_t i = 0; ktrace_trace_choice(t, i, &c); i++) {
		json_item(out);
		json_seconds(out, "time", ktrace_trace_wall(t, c.raw));
		json_str(out, "levels", c.levels);
		json_str(out, "events", c.events);
		json_str(out, "filters", c.filters);
		json_str(out, "where", c.where);
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
}

static void json_file(struct ktrace_out *out, const struct ktrace_trace *t)
{
	struct ktrace_clock_info clock;
	struct ktrace_storage storage;
	__u64 blocks;

	ktrace_trace_storage(t, &storage);
	json_item(out);
	json_str(out, "file", ktrace_trace_path(t));
	json_u64(out, "bytes", ktrace_trace_size(t));
	json_bool(out, "closed", ktrace_trace_is_closed(t));
	json_str(out, "cmd", command_of(t));
	json_str(out, "cut", ktrace_trace_meta(t, "trace", "cut"));
	if (parts_any(t))
		parts_json(out, t);
	json_number(out, t, "end", "status");
	json_str(out, "reason", ktrace_trace_meta(t, "end", "reason"));
	json_str(out, "name", ktrace_trace_meta(t, "host", "name"));
	json_str(out, "kernel", ktrace_trace_meta(t, "host", "kernel"));
	json_str(out, "machine", ktrace_trace_meta(t, "host", "machine"));
	json_number(out, t, "host", "cpus");
	json_str(out, "backend", ktrace_trace_meta(t, "trace", "backend"));
	json_str(out, "clock", ktrace_trace_meta(t, "trace", "clock"));
	ktrace_trace_clock(t, &clock);
	json_u64(out, "hz", clock.hz);
	json_u64(out, "readings", clock.readings);
	clock_ties_json(out, t);
	json_u64(out, "kernel_streams", count_streams(t, KTRACE_CHANNEL_KERNEL, &blocks));
	json_u64(out, "user_streams", count_streams(t, KTRACE_CHANNEL_USER, &blocks));
	rings_json(out, t);
	json_u64(out, "blocks", blocks);
	json_u64(out, "compressed_blocks", storage.compressed);
	json_u64(out, "ring_bytes", storage.bytes);
	json_u64(out, "stored_bytes", storage.stored);
	json_registry(out, t);
	posix_log_json(out, t);
	json_choices(out, t);
	ktrace_out_char(out, '}');
}

static void put_json(struct ktrace_out *out, const struct info *info)
{
	const struct ktrace_trace *t;
	size_t i;

	ktrace_out_str(out, "{\"files\":[");
	for (i = 0; (t = ktrace_traceset_trace(info->set, i)); i++)
		json_file(out, t);
	ktrace_out_char(out, ']');
	if (info->stats.events)
		json_seconds(out, "begin", info->start);
	else
		ktrace_out_str(out, ",\"begin\":null");
	json_u64(out, "duration_ns", info->end - info->start);
	json_u64(out, "events", info->stats.events);
	json_u64(out, "backwards", info->stats.backwards);
	json_u64(out, "damaged", info->stats.damaged);
	json_open(out, "counts", '{');
	for (i = 0; i < info->census.nr; i++) {
		output_line_begin(out);
		json_u64(out, info->census.counts[i].name, info->census.counts[i].events);
	}
	ktrace_out_char(out, '}');
	lost_events_json(out, info->stats.lost);
	ktrace_out_str(out, "}\n");
}

static int describe_files(int nr, char **paths, bool is_json)
{
	struct info *info = calloc(1, sizeof(*info));
	int status, ret;

	if (!info) {
		fprintf(stderr, "ktrace: out of memory\n");
		return STATUS_DAMAGED;
	}
	info->set = open_files(nr, paths, &status);
	if (!info->set)
		goto out_free;
	ret = read_all(info);
	if (ret)
		fprintf(stderr, "ktrace: %s\n", strerror(-ret));
	else if (is_json)
		put_json(output(), info);
	else
		put_text(output(), info);
	clock_warnings_complain(info->set);
	twice_complain(info->set);
	status = output_end(ret ? STATUS_DAMAGED : files_status(info->set, status));
	event_counts_free(&info->census);
	ktrace_traceset_close(info->set);
out_free:
	free(info);
	return status;
}

static const struct option_set sets[] = {
	{ json_options, 0 },
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	bool is_json = false;
	int status = command_parse(cmd, &is_json, argc, argv);

	return status < 0 ? describe_files(argc - optind, argv + optind, is_json) : status;
}

const struct command cmd_info = {
	.name = "info",
	.args = "[OPTION...] FILE...",
	.summary = "Describe files: origin, streams, clock, events by name, losses",
	.options = sets,
	.needs_files = true,
	.run = run,
};
