// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ktrace import --from trace-dat: reads trace-cmd's recordings
 *
 * Files and pages are read here; libtraceevent parses the kernel's descriptions of events. Stamps
 * stay those of ftrace's clock; the option DATE says what that clock counts from.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "clock.h"
#include "import/import_hosts.h"
#include "import/import_writer.h"
#include "merge.h"
#include "record.h"
#include "stats.h"

/*
 * struct recording - its number, and the time since the epoch when its clock was 0
 * guests: numbers of those that were recorded with it, guest_nr of them
 */
struct recording {
	__u64 id;
	__s64 date_ns;
	bool has_date;
	__u64 *guests;
	size_t guest_nr;
};

/**
 * struct job - one file
 * @x:		options and files
 * @all:	the recordings of all files
 * @all_nr:	number of them
 * @is_first:	the first file
 * @w:		the tracefile being written
 * @file:	the input
 * @formats:	its descriptions
 * @merge:	its events
 * @record:	the current one
 * @bytes:	bytes of events read so far
 * @last_ns:	time of the last one
 * @has_calls:	system calls were recorded
 * @back:	number of events that are earlier than the one before on their CPU
 * @back_cpu:	CPU of the first of these
 * @back_ns:	its time
 */
struct job {
	struct import *x;
	const struct recording *all;
	int all_nr;
	bool is_first;
	struct import_writer *w;
	struct file file;
	struct formats formats;
	struct merge merge;
	struct record record;
	__u64 bytes;
	__s64 last_ns;
	bool has_calls;
	__u64 back;
	__u32 back_cpu;
	__s64 back_ns;
};

/* Files of trace-cmd before 2.6 do not name the machine. */
static const char *machine_of(const struct file *f)
{
	if (f->machine)
		return f->machine;
	if (f->all.is_big)
		return NULL;
	return f->long_size == 8 ? "x86_64" : "i686";
}

static const char *clock_of(const struct file *f)
{
	return f->buffer_nr && f->buffers[0].clock ? f->buffers[0].clock : f->clock;
}

/* Says what is to be known of each clock, and whether buffers have different ones. */
static void note_clocks(const struct file *f)
{
	const char *top = clock_of(f);
	const char *note = clock_note(f, top);

	if (note)
		complain_about(f->path, "its clock %s %s", top, note);
	for (__u32 i = 1; i < f->buffer_nr; i++)
		if (f->buffers[i].clock && top && strcmp(f->buffers[i].clock, top))
			complain_about(f->path, "times of its buffer %s are of another clock, %s: "
				       "they do not compare with those of clock %s",
				       f->buffers[i].name, f->buffers[i].clock, top);
}

/* True if another file says that this one was recorded as a guest. */
static bool was_guest(const struct job *job)
{
	for (int i = 0; i < job->all_nr; i++)
		for (size_t k = 0; k < job->all[i].guest_nr; k++)
			if (job->all[i].guests[k] == job->file.id)
				return true;
	return false;
}

/* Says what is to be known of the times of a guest. */
static void note_guest(const struct job *job)
{
	const struct file *f = &job->file;

	if (f->is_guest)
		complain_about(f->path, "its times are shifted to its host's clock, as trace-cmd "
			       "measured it; how wrong they may be the file does not say");
	else if (was_guest(job))
		complain_about(f->path, "is of a guest, but has no time shifts: its times are of "
			       "its own clock, and do not compare with those of its host");
}

static int begin(struct job *job, __s64 first_ns)
{
	const struct file *f = &job->file;
	struct import_writer_about about = {
		.tool = "ftrace", .machine = machine_of(f), .kernel = f->kernel,
		.host = f->host,
	};
	struct import_clock told;
	int ret = import_clock(job->x, &told);

	if (ret < 0)
		return ret;
	/* The boot of --like is that of the first file. */
	if (!job->is_first)
		*told.boot = *told.host = '\0';
	if (!ret && !f->has_date && !clock_is_wall(clock_of(f), first_ns))
		complain_about(f->path, "%s", IMPORT_NO_CLOCK);
	about.real_ns = ret ? told.real_ns : (__u64)f->date_ns;
	about.boot = *told.boot ? told.boot : NULL;
	if (*told.host)
		about.host = told.host;
	note_clocks(f);
	note_guest(job);
	if (f->guests && job->all_nr == 1)
		complain_about(f->path, "was recorded with guests, each of which has a file of its "
			       "own, to be given beside this one: %.*s",
			       (int)strcspn(f->guests, "\n"), f->guests);
	ret = import_writer_about(job->w, &about);
	if (!ret && job->formats.switch_text)
		import_writer_print_fmt(job->w, job->formats.switch_text);
	return ret;
}

/* Stamps before 0 are negative, see import_writer.h. */
static __u64 stamp(__s64 ns)
{
	return (__u64)ns;
}

static int put_lost(struct job *job, const struct merge_stream *s, __s64 ns)
{
	struct ktrace_lost lost = { 0 };

	if (!s->pages.lost)
		return 0;
	lost.count[KTRACE_LOST_FULL] = s->pages.lost == PAGES_LOST_SOME ? 1 : s->pages.lost;
	return import_writer_lost(job->w, KTRACE_CHANNEL_KERNEL, (int)s->pages.cpu->cpu, stamp(ns),
				  &lost);
}

static void note_back(struct job *job, const struct merge_stream *s)
{
	if (s->ns >= 0 && (!s->has_last || s->ns >= s->last_ns))
		return;
	if (!job->back++) {
		job->back_cpu = s->pages.cpu->cpu;
		job->back_ns = s->ns;
	}
}

static int put_event(struct job *job, const struct merge_stream *s)
{
	struct record *r = &job->record;
	int ret = record_describe(r, &s->pages, s->buffer->name);
	struct import_writer_event e = {
		.cpu = (int)s->pages.cpu->cpu, .ts = stamp(s->ns), .tid = (__u32)r->pid,
		.comm = r->comm, .flags = r->is_irq ? KTRACE_REC_IRQ : 0,
		.data = r->data.buf, .len = r->data.len,
	};

	job->has_calls |= r->is_call;
	return ret ? ret : import_event(job->x, job->w, KTRACE_CHANNEL_KERNEL, r->desc.buf, &e);
}

static int put_events(struct job *job)
{
	const struct merge_stream *s;
	int ret = 0;

	while (!ret && (s = merge_first(&job->merge))) {
		note_back(job, s);
		ret = put_lost(job, s, s->ns);
		if (!ret)
			ret = put_event(job, s);
		job->last_ns = s->ns;
		job->bytes += s->pages.size;
		progress_at(job->bytes);
		if (!ret)
			ret = merge_next(&job->merge);
	}
	return ret;
}

/*
 * Adds losses that the kernel counted but that have no place in the pages. Those that have one are
 * among the overwritten and the dropped. Events that trace-cmd read but did not keep are unwritten.
 * @placed, @events: numbers of losses in the pages of the CPU, and of events
 */
static int put_rest(struct job *job, struct stats *s, __u64 placed, __u64 events, __s64 ns)
{
	struct ktrace_lost lost = { 0 };
	bool is_any = false;

	s->is_used = true;
	lost.count[KTRACE_LOST_OVERWRITTEN] = s->overwritten > placed ? s->overwritten - placed : 0;
	placed -= s->overwritten < placed ? s->overwritten : placed;
	lost.count[KTRACE_LOST_FULL] = s->dropped > placed ? s->dropped - placed : 0;
	lost.count[KTRACE_LOST_NESTED] = s->nested;
	/* trace-cmd record -m keeps the newest; some in the buffer may be later than its end. */
	if (events < s->read)
		lost.count[KTRACE_LOST_UNWRITTEN] = s->read - events + s->left;
	for (int i = 0; i < KTRACE_LOST_NR && !is_any; i++)
		is_any = lost.count[i];
	if (!is_any)
		return 0;
	return import_writer_lost(job->w, KTRACE_CHANNEL_KERNEL, (int)s->cpu, stamp(ns), &lost);
}

/* Losses after the last event of a CPU, and those without a place, also of CPUs without data */
static int put_late_losses(struct job *job)
{
	struct stats_list list;
	int ret = stats_read(&list, &job->file);

	for (__u32 i = 0; i < job->merge.nr && !ret; i++) {
		const struct merge_stream *s = &job->merge.all[i];
		struct stats *stats = stats_find(&list, s->buffer->name, s->pages.cpu->cpu);

		if (!s->pages.data)
			ret = put_lost(job, s, s->last_ns);
		if (!ret && stats)
			ret = put_rest(job, stats, s->pages.counted, s->pages.events, s->last_ns);
	}
	for (size_t i = 0; i < list.nr && !ret; i++)
		if (!list.all[i].is_used)
			ret = put_rest(job, &list.all[i], 0, 0, job->last_ns);
	stats_free(&list);
	return ret;
}

/* Reports what could not be read. Return: true: something was left out. */
static bool report_damage(const struct job *job)
{
	const struct file *f = &job->file;
	bool is_damaged = f->damaged;

	if (f->damaged && f->damage)
		complain_about(f->path, "damaged or truncated at byte %llu: %s cannot be read",
			       (unsigned long long)f->damage, f->damaged);
	else if (f->damaged)
		complain_about(f->path, "damaged: %s cannot be read", f->damaged);
	for (__u32 i = 0; i < f->buffer_nr; i++)
		if (f->buffers[i].is_text) {
			complain_about(f->path, "the text of a latency tracer is left out; "
				       "'trace-cmd report' prints it");
			is_damaged = true;
		}
	return is_damaged;
}

static void report(const struct job *job)
{
	const struct file *f = &job->file;
	const struct record *r = &job->record;

	if (r->bytes)
		complain_about(f->path, "%llu events stay bytes (ftrace:unknown): the file has no "
			       "readable description of them, of type %u first",
			       (unsigned long long)r->bytes, r->bytes_type);
	if (job->formats.failed)
		complain_about(f->path, "%u descriptions of events cannot be read, %s first",
			       job->formats.failed, job->formats.first);
	if (job->back)
		complain_about(f->path, "%llu times time goes back, first on CPU %u to %lld ns",
			       (unsigned long long)job->back, job->back_cpu,
			       (long long)job->back_ns);
	if (job->has_calls && !f->machine)
		complain_about(f->path, "does not say what machine it is of: system calls have %s",
			       machine_of(f) ? "the names of those of x86" : "numbers only");
}

static int read_events(struct job *job)
{
	const struct merge_stream *first;
	int ret = merge_open(&job->merge, &job->file, job->formats.page_long);

	first = merge_first(&job->merge);
	if (!ret)
		ret = begin(job, first ? first->ns : 0);
	progress_begin_bytes(job->file.all.size);
	if (!ret)
		ret = put_events(job);
	progress_end();
	if (!ret)
		ret = put_late_losses(job);
	return ret;
}

static int read_file(struct job *job)
{
	int ret = formats_read(&job->formats, &job->file);

	record_init(&job->record, &job->file, &job->formats);
	if (!ret && !job->file.buffer_nr && job->file.damaged) {
		report_damage(job);
		ret = -ECANCELED;
	}
	if (!ret)
		ret = read_events(job);
	if (!ret) {
		report(job);
		ret = report_damage(job) ? STATUS_DAMAGED : 0;
	}
	merge_close(&job->merge);
	record_free(&job->record);
	formats_free(&job->formats);
	return ret;
}

/* Opens the tracefile of the file's machine; another machine may have the same name. */
static int open_host(struct import_hosts *hosts, const struct file *f, struct import_writer **out)
{
	const __u32 nr = hosts->nr;
	struct import_host *host;
	char name[48];
	int ret;

	snprintf(name, sizeof(name), "%.32s", f->host ? f->host : "1");
	for (__u32 i = 0; i < nr; i++)
		if (!strcmp(hosts->at[i].name, name)) {
			snprintf(name, sizeof(name), "%.32s-%u", f->host ? f->host : "", nr + 1);
			break;
		}
	ret = import_hosts_get(hosts, name, &host);
	*out = ret ? NULL : host->f;
	return ret;
}

/* Times of a guest are on the clock of its host, whose file says what that counts from. */
static void take_date(struct job *job)
{
	struct file *f = &job->file;

	for (int i = 0; i < job->all_nr && f->is_guest && !f->has_date; i++) {
		f->has_date = job->all[i].has_date && job->all[i].id == f->peer;
		if (f->has_date)
			f->date_ns = job->all[i].date_ns;
	}
}

static int convert_file(struct job *job, struct import_hosts *hosts, const char *path)
{
	int ret = file_open(&job->file, path);

	if (ret)
		return ret;
	take_date(job);
	ret = open_host(hosts, &job->file, &job->w);
	if (!ret)
		ret = read_file(job);
	file_close(&job->file);
	return ret;
}

/* Learns what files say of each other. Return: 0, -errno. */
static int learn(struct recording *all, int nr, char **paths)
{
	struct file f;
	int ret = 0;

	for (int i = 0; i < nr && !ret; i++) {
		ret = file_open(&f, paths[i]);
		if (ret)
			break;
		all[i] = (struct recording){ f.id, f.date_ns, f.has_date, f.guest_ids, f.guest_nr };
		f.guest_ids = NULL;
		file_close(&f);
	}
	return ret;
}

static int convert(struct import *x, int nr, char **paths)
{
	struct recording *all = calloc((size_t)nr, sizeof(*all));
	struct import_hosts hosts = { .x = x };
	int ret = all ? 0 : -ENOMEM, status = 0;

	if (!ret && nr > 1)
		ret = learn(all, nr, paths);
	for (int i = 0; i < nr && ret >= 0; i++) {
		struct job job = { .x = x, .all = all, .all_nr = nr, .is_first = !i };

		ret = convert_file(&job, &hosts, paths[i]);
		status = ret > status ? ret : status;
	}
	for (int i = 0; all && i < nr; i++)
		free(all[i].guests);
	free(all);
	return import_hosts_close(&hosts, ret < 0 ? ret : status);
}

static int run(int argc, char **argv)
{
	return import_main(argc, argv, convert);
}

int main(int argc, char **argv)
{
	return command_main(run, argc, argv);
}
