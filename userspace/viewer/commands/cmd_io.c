// SPDX-License-Identifier: GPL-2.0
/* cmd_io.c - ktrace io: what threads read, wrote and waited for; what block devices did */
#include "analysis/analysis.h"

#include "analysis/block_requests.h"
#include "base/columns.h"

#include <linux/ktrace_events.h>
#include <stdio.h>
#include <string.h>

enum { IO_READ, IO_WRITE, IO_SYNC, IO_NR };

/* Kinds of system calls. They return the number of bytes, except for syncs. */
static const struct {
	const char *name;
	int kind;
} calls[] = {
	{ "read", IO_READ }, { "pread64", IO_READ }, { "readv", IO_READ }, { "preadv", IO_READ },
	{ "preadv2", IO_READ }, { "recvfrom", IO_READ }, { "recvmsg", IO_READ },
	{ "write", IO_WRITE }, { "pwrite64", IO_WRITE }, { "writev", IO_WRITE },
	{ "pwritev", IO_WRITE }, { "pwritev2", IO_WRITE }, { "sendto", IO_WRITE },
	{ "sendmsg", IO_WRITE }, { "sendfile", IO_WRITE }, { "copy_file_range", IO_WRITE },
	{ "splice", IO_WRITE }, { "fsync", IO_SYNC }, { "fdatasync", IO_SYNC }, { "sync", IO_SYNC },
	{ "syncfs", IO_SYNC }, { "sync_file_range", IO_SYNC }, { "msync", IO_SYNC },
};

#define CALL_NR (sizeof(calls) / sizeof(calls[0]))

/* struct amount - calls of one kind */
struct amount {
	__u64 calls;
	__u64 bytes;
	__u64 errors;
	__u64 ns;
};

/* struct user - a thread */
struct user {
	struct thread_row thread;
	struct amount amounts[IO_NR];
	__u64 disk_ns;
};

/**
 * struct io - one run of the command
 * @a:		common part of analyses
 * @users:	threads
 * @disks:	block devices
 * @columns:	of the text
 * @has_histograms: print them
 */
struct io {
	struct analysis a;
	struct hash_table users;
	struct block_requests disks;
	struct columns columns;
	bool has_histograms;
};

static const char *const disk_kinds[DISK_KINDS] = { "read", "write", "other" };

static int kind_of(const struct io *io, const struct ktrace_process *p, __u32 nr)
{
	const char *name = ktrace_mode_sub_name(io->a.state, p->machine, KTRACE_MODE_SYSCALL, nr);
	size_t i;

	for (i = 0; name && i < CALL_NR; i++)
		if (!strcmp(calls[i].name, name))
			return calls[i].kind;
	return -1;
}

static void on_left(void *arg, const struct ktrace_process *p,
		    const struct ktrace_mode_level *level, __u64 until, __s64 value)
{
	struct io *io = arg;
	struct amount *amount;
	struct user *u;
	int kind;

	if (level->mode != KTRACE_MODE_SYSCALL || until < io->a.from || until >= io->a.until_ns ||
	    analysis_inherited(p, level) || !analysis_wants(&io->a, p))
		return;
	kind = kind_of(io, p, level->sub);
	u = kind < 0 ? NULL : analysis_thread(&io->a, &io->users, p);
	if (!u)
		return;
	amount = &u->amounts[kind];
	amount->calls++;
	amount->ns += until > level->since ? until - level->since : 0;
	amount->errors += value < 0;
	if (value > 0 && kind != IO_SYNC)
		amount->bytes += (__u64)value;
}

static void on_span(void *arg, const struct ktrace_process *p, __u64 until)
{
	struct io *io = arg;
	__u64 ns = analysis_ns(&io->a, p->since, until);
	struct user *u;

	if (!ns || p->status != KTRACE_STATUS_WAIT || p->wait != KTRACE_TASK_DISK ||
	    !analysis_wants(&io->a, p))
		return;
	u = analysis_thread(&io->a, &io->users, p);
	if (u)
		u->disk_ns += ns;
}

static __u64 bytes_of(const struct user *u)
{
	return u->amounts[IO_READ].bytes + u->amounts[IO_WRITE].bytes;
}

static int by_bytes(const void *x, const void *y)
{
	const struct user *a = x, *b = y;

	return ORDER(bytes_of(b), bytes_of(a)) ?: ORDER(b->disk_ns, a->disk_ns) ?:
	       ORDER(a->thread.who.tid, b->thread.who.tid);
}

static void put_head(struct analysis *a)
{
	static const struct column columns[] = {
		{ "process/thread", 24, 20, 0, 24 }, { "reads", 8, 6, 0, 0 },
		{ "bytes", 10, 8, 0, 0 }, { "time", 9, 7, 3, 0 }, { "writes", 8, 6, 0, 0 },
		{ "bytes", 10, 8, 0, 0 }, { "time", 9, 7, 3, 0 }, { "syncs", 8, 5, 1, 0 },
		{ "time", 9, 7, 1, 0 }, { "disk wait", 9, 9, 2, 0 }, { .head = NULL },
	};
	struct io *io = (struct io *)a;

	columns_begin(&io->columns, a->out, columns);
	ktrace_out_char(a->out, '\n');
	columns_head(&io->columns);
}

static void put_user(struct analysis *a, const void *row)
{
	struct columns *t = &((struct io *)a)->columns;
	const struct user *u = row;
	char name[48];
	int i;

	thread_label_name(&u->thread.who, name, sizeof(name));
	cell(t, "%s", name);
	for (i = 0; i < IO_NR; i++) {
		cell(t, "%llu", u->amounts[i].calls);
		if (i != IO_SYNC)
			cell_bytes(t, u->amounts[i].bytes);
		cell_duration(t, u->amounts[i].ns);
	}
	cell_duration(t, u->disk_ns);
	cells_end(t);
}

static void put_sums(struct columns *t, const struct disk_sums *sums)
{
	cell(t, "%llu", sums->requests);
	cell_bytes(t, sums->bytes);
	cell_duration(t, sums->times.sum);
	cell_duration(t, sums->times.nr ? histogram_percentile(&sums->times, 50) : 0);
	cell_duration(t, sums->times.nr ? histogram_percentile(&sums->times, 99) : 0);
	cell_duration(t, sums->times.max);
	cell(t, "%llu", sums->errors);
	cells_end(t);
}

static void put_disk(const struct disk *d, void *arg)
{
	struct io *io = arg;
	struct ktrace_out *out = io->a.out;
	char name[32];
	int i;

	snprintf(name, sizeof(name), "%u:%u", d->number >> 20, d->number & 0xfffff);
	for (i = 0; i < DISK_KINDS; i++) {
		if (!d->sums[i].requests && !d->sums[i].bytes)
			continue;
		output_line_begin(out);
		cell(&io->columns, "%-12s %s", name, disk_kinds[i]);
		put_sums(&io->columns, &d->sums[i]);
	}
	output_line_begin(out);
	out_printf(out, "%-12s busy", name);
	out_percent(out, d->busy_ns, io->a.to - io->a.from);
	out_printf(out, " %%, %llu requests at most, %llu at the end, %llu given back\n", d->most,
		   d->under_way, d->requeues);
}

static void put_histograms(const struct disk *d, void *arg)
{
	struct io *io = arg;
	int i;

	for (i = 0; i < DISK_KINDS; i++) {
		if (!d->sums[i].times.nr)
			continue;
		output_line_begin(io->a.out);
		out_printf(io->a.out, "\n%u:%u %s, from issue to end\n", d->number >> 20,
			   d->number & 0xfffff, disk_kinds[i]);
		histogram_show(&d->sums[i].times, io->a.out, 2);
	}
}

static void put_disks(struct io *io)
{
	static const struct column columns[] = {
		{ "block device", 24, 18, 0, 24 }, { "requests", 8, 8, 0, 0 },
		{ "bytes", 10, 8, 0, 0 }, { "time", 9, 7, 0, 0 }, { "p50", 9, 7, 2, 0 },
		{ "p99", 9, 7, 1, 0 }, { "max", 9, 7, 0, 0 }, { "errors", 8, 6, 3, 0 },
		{ .head = NULL },
	};

	columns_end(&io->columns);
	if (!io->disks.by_number)
		return;
	output_line_begin(io->a.out);
	columns_begin(&io->columns, io->a.out, columns);
	ktrace_out_char(io->a.out, '\n');
	columns_head(&io->columns);
	block_requests_each(&io->disks, put_disk, io);
	columns_end(&io->columns);
	if (io->has_histograms)
		block_requests_each(&io->disks, put_histograms, io);
}

static void put_json_user(struct analysis *a, const void *row)
{
	static const char *const kinds[IO_NR] = { "read", "write", "sync" };
	struct ktrace_out *out = a->out;
	const struct user *u = row;
	int i;

	thread_label_json(&u->thread.who, out);
	for (i = 0; i < IO_NR; i++) {
		json_open(out, kinds[i], '{');
		json_u64(out, "calls", u->amounts[i].calls);
		json_u64(out, "bytes", u->amounts[i].bytes);
		json_u64(out, "errors", u->amounts[i].errors);
		json_u64(out, "ns", u->amounts[i].ns);
		ktrace_out_char(out, '}');
	}
	json_u64(out, "disk_wait_ns", u->disk_ns);
}

static void put_json_disk(const struct disk *d, void *arg)
{
	struct ktrace_out *out = ((struct io *)arg)->a.out;
	int i;

	json_item(out);
	json_u64(out, "major", d->number >> 20);
	json_u64(out, "minor", d->number & 0xfffff);
	json_u64(out, "busy_ns", d->busy_ns);
	json_u64(out, "most", d->most);
	json_u64(out, "under_way", d->under_way);
	json_u64(out, "requeues", d->requeues);
	for (i = 0; i < DISK_KINDS; i++) {
		json_open(out, disk_kinds[i], '{');
		json_u64(out, "requests", d->sums[i].requests);
		json_u64(out, "bytes", d->sums[i].bytes);
		json_u64(out, "errors", d->sums[i].errors);
		histogram_json(&d->sums[i].times, out);
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, '}');
}

static int take_request(struct analysis *a, const struct ktrace_trace_event *e)
{
	return block_requests_event(&((struct io *)a)->disks, a, e);
}

static void show(struct analysis *a)
{
	static const struct sheet sheet = {
		"threads", by_bytes, put_head, put_user, put_json_user,
	};
	struct io *io = (struct io *)a;

	block_requests_end(&io->disks, a, a->to);
	analysis_rows(a, &io->users, &sheet);
	if (!a->is_json) {
		put_disks(io);
		return;
	}
	json_open(a->out, "devices", '[');
	block_requests_each(&io->disks, put_json_disk, io);
	ktrace_out_char(a->out, ']');
}

#define MEMBER(member) OPTION_MEMBER(struct io, member)

static const struct option_row rows[] = {
	{ .name = "histograms", .flag = MEMBER(has_histograms),
	  .help = "also print how times of block devices are distributed" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	ANALYSIS_SETS,
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct io io = {
		.a = {
			.early = take_request,
			.show = show,
			.needs.providers = "syscall,block",
		},
		.users = HASH_TABLE_INIT(struct user, thread.serial),
	};
	int status;

	io.a.watch = (struct ktrace_state_watch){
		.span = on_span, .left = on_left, .arg = &io,
	};
	status = analysis_main(&io.a, cmd, argc, argv);
	hash_table_free(&io.users);
	block_requests_free(&io.disks);
	return status;
}

const struct command cmd_io = {
	.name = "io",
	.args = "[OPTION...] FILE...",
	.summary = "Show what threads read and wrote, and how long that took",
	.options = sets,
	.needs_files = true,
	.run = run,
};
