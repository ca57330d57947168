// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ktrace import --from trace-dat: reads trace-cmd's recordings with libtracecmd
 *
 * The library returns records in order of time, and fields as it parses the kernel's descriptions.
 * The position of a field is checked before it is read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <trace-cmd.h>

#include "base/progress.h"
#include "import/import.h"
#include "import/import_writer.h"

/* A clock beyond this is the wall clock: trace-cmd record --date */
#define WALL_CLOCK_NS 1000000000000000000ull
#define FLAG_HARDIRQ 8
#define FLAG_SOFTIRQ 16

/**
 * struct job - one run
 * @x:		options and files
 * @f:		the tracefile being written
 * @path:	the input file
 * @desc:	description of the current event
 * @data:	its payload
 * @bytes:	bytes of records read so far
 */
struct job {
	struct import *x;
	struct import_writer *f;
	const char *path;
	struct ktrace_out desc;
	struct ktrace_out data;
	__u64 bytes;
};

static int begin(struct job *job, __u64 ts)
{
	struct import_writer_about about = { .tool = "ftrace", .machine = "x86_64" };
	struct import_clock told;
	int ret = import_clock(job->x, &told);

	if (ret < 0)
		return ret;
	if (!ret && ts < WALL_CLOCK_NS)
		complain_about(job->path, "%s", IMPORT_NO_CLOCK);
	about.real_ns = told.real_ns;
	about.boot = *told.boot ? told.boot : NULL;
	about.host = *told.host ? told.host : NULL;
	return import_writer_about(job->f, &about);
}

static const char *scalar_of(const struct tep_format_field *field, unsigned int size)
{
	static const char *const names[2][4] = {
		{ "u8", "u16", "u32", "u64" }, { "s8", "s16", "s32", "s64" },
	};
	const bool is_signed = field->flags & TEP_FIELD_IS_SIGNED;

	if (field->flags & TEP_FIELD_IS_POINTER && size == 8)
		return "x64";
	for (int i = 0; i < 4; i++)
		if (size == 1u << i)
			return names[is_signed][i];
	return NULL;
}

/*
 * struct place - where the value of a field is
 * data: its bytes; NULL = beyond the record's end
 * size: number of them
 */
struct place {
	const char *data;
	size_t size;
};

/* Finds a field's value; only as far as the record goes. */
static struct place find(const struct tep_record *record, const struct tep_format_field *field)
{
	const char *base = record->data;
	const size_t end = record->size > 0 ? (size_t)record->size : 0;
	size_t at = (size_t)field->offset, size = (size_t)field->size;
	__u32 where;

	if (field->offset < 0 || field->size < 0 || at > end)
		return (struct place){ NULL, 0 };
	if (field->flags & TEP_FIELD_IS_DYNAMIC) {
		if (end - at < sizeof(where))
			return (struct place){ NULL, 0 };
		memcpy(&where, base + at, sizeof(where));
		at = (where & 0xffff) +
		     (field->flags & TEP_FIELD_IS_RELATIVE ? at + sizeof(where) : 0);
		size = where >> 16;
	} else if (!size) {
		size = end - at;		/* "char buf[]": the rest of the record */
	}
	if (at > end || size > end - at)
		return (struct place){ NULL, 0 };
	return (struct place){ base + at, size };
}

static void put_name(struct job *job, const char *name)
{
	ktrace_out_char(&job->desc, ' ');
	import_writer_name(&job->desc, name);
	ktrace_out_char(&job->desc, ';');
}

static void put_text(struct job *job, const struct tep_format_field *field, struct place at)
{
	ktrace_out_str(&job->desc, "string");
	put_name(job, field->name);
	if (at.data)
		ktrace_out_bytes(&job->data, at.data, strnlen(at.data, at.size));
	ktrace_out_char(&job->data, 0);
}

/* Writes an array; elements of any other size become bytes. */
static void put_array(struct job *job, const struct tep_format_field *field, struct place at)
{
	unsigned int each = field->elementsize ? field->elementsize : 1;
	const char *scalar = scalar_of(field, each);
	const bool is_fixed = !(field->flags & TEP_FIELD_IS_DYNAMIC) && field->size > 0;
	__u32 count;

	if (!scalar || at.size % each)
		each = 1;
	count = (__u32)(at.size / each);
	ktrace_out_str(&job->desc, each == 1 && (!scalar || !strchr(scalar, '8')) ? "x8" : scalar);
	ktrace_out_char(&job->desc, '[');
	if (is_fixed && count)
		ktrace_out_u64(&job->desc, count);
	else
		ktrace_out_bytes(&job->data, (const char *)&count, sizeof(count));
	ktrace_out_char(&job->desc, ']');
	put_name(job, field->name);
	if (count)
		ktrace_out_bytes(&job->data, at.data, at.size);
}

static void put_field(struct job *job, const struct tep_record *record,
		      const struct tep_format_field *field)
{
	const struct place at = find(record, field);
	const char *scalar = scalar_of(field, (unsigned int)field->size);

	if (field->flags & TEP_FIELD_IS_STRING) {
		put_text(job, field, at);
	} else if (field->flags & TEP_FIELD_IS_ARRAY || !scalar) {
		put_array(job, field, at);
	} else {
		ktrace_out_str(&job->desc, scalar);
		put_name(job, field->name);
		for (int i = 0; i < field->size; i++)
			ktrace_out_char(&job->data, at.data ? at.data[i] : 0);
	}
}

static void put_unknown(struct job *job, const struct tep_record *record)
{
	const __u32 count = record->size > 0 ? (__u32)record->size : 0;

	ktrace_out_str(&job->desc, "ftrace:unknown{x8[] record;");
	ktrace_out_bytes(&job->data, (const char *)&count, sizeof(count));
	if (count)
		ktrace_out_bytes(&job->data, record->data, count);
}

static int describe(struct job *job, struct tep_handle *tep, struct tep_record *record)
{
	const struct tep_event *event = tep_find_event_by_record(tep, record);

	job->desc.len = job->data.len = 0;
	if (!event) {
		put_unknown(job, record);
	} else {
		import_writer_name(&job->desc, event->system);
		ktrace_out_char(&job->desc, ':');
		import_writer_name(&job->desc, event->name);
		ktrace_out_char(&job->desc, '{');
		for (const struct tep_format_field *f = event->format.fields; f; f = f->next)
			put_field(job, record, f);
	}
	ktrace_out_bytes(&job->desc, "}", 2);
	return job->desc.error ? job->desc.error : job->data.error;
}

/* A count of -1 means that the kernel does not know how many. */
static int put_lost(struct job *job, const struct tep_record *record)
{
	struct ktrace_lost lost = { 0 };

	if (!record->missed_events)
		return 0;
	lost.count[KTRACE_LOST_FULL] = record->missed_events < 0 ? 1 :
				       (__u64)record->missed_events;
	return import_writer_lost(job->f, KTRACE_CHANNEL_KERNEL, record->cpu, record->ts, &lost);
}

static int put_event(struct job *job, struct tep_handle *tep, struct tep_record *record)
{
	const int flags = tep_data_flags(tep, record), pid = tep_data_pid(tep, record);
	struct import_writer_event e = {
		.cpu = record->cpu, .ts = record->ts, .tid = (__u32)pid,
		.comm = pid ? tep_data_comm_from_pid(tep, pid) : NULL,
		.flags = flags & (FLAG_HARDIRQ | FLAG_SOFTIRQ) ? KTRACE_REC_IRQ : 0,
	};
	int ret = describe(job, tep, record);

	e.data = job->data.buf;
	e.len = job->data.len;
	return ret ? ret : import_event(job->x, job->f, KTRACE_CHANNEL_KERNEL, job->desc.buf, &e);
}

/* Called by the library; a value other than 0 ends reading. */
static int take(struct tracecmd_input *handle, struct tep_record *record, int cpu, void *arg)
{
	struct job *job = arg;
	int ret = import_writer_has_about(job->f) ? 0 : begin(job, record->ts);

	(void)cpu;
	if (!ret)
		ret = put_lost(job, record);
	if (!ret)
		ret = put_event(job, tracecmd_get_tep(handle), record);
	job->bytes += (__u64)record->record_size;
	progress_at(job->bytes);
	return ret;
}

/* Reads the main buffer, and those of instances. */
static int read_buffers(struct job *job, struct tracecmd_input *handle)
{
	const int instances = tracecmd_buffer_instances(handle);
	struct tracecmd_input **all = calloc((size_t)instances + 1, sizeof(handle));
	int nr = 1, ret;

	if (!all)
		return -ENOMEM;
	all[0] = handle;
	for (int i = 0; i < instances; i++) {
		all[nr] = tracecmd_buffer_instance_handle(handle, i);
		if (all[nr])
			nr++;
		else
			complain_about(job->path, "buffer %d of it cannot be read", i + 1);
	}
	ret = nr > 1 ? tracecmd_iterate_events_multi(all, nr, take, job) :
	      tracecmd_iterate_events(handle, NULL, 0, take, job);
	while (nr > 1)
		tracecmd_close(all[--nr]);
	free(all);
	return ret;
}

static int read_file(struct job *job)
{
	struct tracecmd_input *handle;
	struct stat st;
	int ret;

	if (stat(job->path, &st)) {
		complain_about(job->path, "%s", strerror(errno));
		return -ECANCELED;
	}
	handle = tracecmd_open(job->path, TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!handle) {
		complain_about(job->path, "damaged, or not a file of trace-cmd");
		return -ECANCELED;
	}
	progress_begin_bytes((__u64)st.st_size);
	ret = read_buffers(job, handle);
	progress_end();
	tracecmd_close(handle);
	if (!ret && !import_writer_has_about(job->f))
		ret = begin(job, WALL_CLOCK_NS);
	return ret;
}

static int convert(struct import *x, int nr, char **paths)
{
	struct job job = {
		.x = x, .path = paths[0], .desc.flush = output_grow, .data.flush = output_grow,
	};
	int ret;

	if (nr > 1) {
		complain_about(paths[1], "one file at a time, as each has a clock of its own");
		return -ECANCELED;
	}
	ret = import_open(x, &job.f);
	if (ret)
		return ret;
	ret = import_close(x, job.f, read_file(&job));
	free(job.desc.buf);
	free(job.data.buf);
	return ret;
}

static int run(int argc, char **argv)
{
	return import_main(argc, argv, convert);
}

int main(int argc, char **argv)
{
	return command_main(run, argc, argv);
}
