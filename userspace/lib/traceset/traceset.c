// SPDX-License-Identifier: LGPL-2.1
/*
 * traceset.c - any number of tracefiles as one sequence of events
 *
 * The files of a set, and what is known about them. iterate.c reads their events.
 */
#include <ktrace/traceset.h>

#include "base/grow.h"
#include "set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct trace *to_trace(const struct ktrace_trace *trace)
{
	return (const struct trace *)trace;
}

static void report(void *arg, const char *path, __u64 offset, const char *message)
{
	struct ktrace_damage damage = { path, offset, message };
	struct ktrace_traceset *set = arg;

	set->stats.damaged++;
	if (set->opts.report)
		set->opts.report(set->opts.arg, &damage);
}

int ktrace_traceset_open(const struct ktrace_traceset_options *opts, struct ktrace_traceset **out)
{
	struct ktrace_traceset *set;
	int ret;

	if (opts && (opts->size != sizeof(*opts) || opts->cores > KTRACE_CORES_TWO))
		return -EINVAL;
	set = calloc(1, sizeof(*set));
	if (!set)
		return -ENOMEM;
	if (opts)
		set->opts = *opts;
	ret = ktrace_lost_type(&set->lost_type);
	if (!ret && set->opts.cores != KTRACE_CORES_ONE)
		ret = ktrace_readahead_new(set->opts.cores, &set->ahead);
	if (ret) {
		ktrace_traceset_close(set);
		return ret;
	}
	set->lost_type->id = KTRACE_ID_LOST;
	*out = set;
	return 0;
}

void ktrace_traceset_close(struct ktrace_traceset *set)
{
	size_t i;

	if (!set)
		return;
	ktrace_readahead_stop(set->ahead);
	for (i = 0; i < set->trace_nr; i++)
		ktrace_trace_free(set->traces[i]);
	free(set->traces);
	ktrace_merge_free(&set->merge);
	ktrace_fragment_drop_all(&set->fragments);
	ktrace_event_type_free(set->lost_type);
	ktrace_readahead_free(set->ahead);
	free(set);
}

/* Sets the offset to time. Traces of one boot share the offset of the first of them. */
static void set_offset(struct ktrace_traceset *set, struct trace *t)
{
	const char *boot = ktrace_meta_fact(t, "host", "boot");
	const struct segment *first = t->clock.segments;
	const char *other;
	size_t i;

	if (t->has_offset || !t->clock.nr)
		return;
	t->offset = first->wall > first->mono ? first->wall - first->mono : 0;
	for (i = 0; i < set->trace_nr && boot && !t->has_offset; i++) {
		other = ktrace_meta_fact(set->traces[i], "host", "boot");
		if (set->traces[i]->has_offset && other && !strcmp(other, boot)) {
			t->offset = set->traces[i]->offset;
			t->has_offset = true;
		}
	}
	t->has_offset = true;
}

/* Adds a file that belongs to a trace already in the set. */
static int add_part(struct ktrace_traceset *set, struct trace *t, struct reader *file)
{
	int ret = ktrace_trace_add_part(t, file);

	if (ret == -EEXIST)
		ktrace_reader_report(file, KTRACE_OFFSET_NONE, file->part ?
				     "another copy of this part is read, this one left out" :
				     "another copy of this file is read, this one left out");
	/* Times of delivered events do not change. */
	if (ret || set->is_begun)
		return ret;
	t->has_offset = false;
	set_offset(set, t);
	return 0;
}

/*
 * True if the file may be added now. While reading, only a later part of the same trace may be
 * added, which is like a growing file; and only on one core: a thread that reads ahead would not
 * know of the part.
 */
static bool may_add(const struct ktrace_traceset *set, size_t trace, const struct reader *file)
{
	if (!set->is_begun)
		return true;
	return set->opts.is_live && set->opts.cores == KTRACE_CORES_ONE && trace < set->trace_nr &&
	       trace_last(set->traces[trace])->part < file->part;
}

static int add_trace(struct ktrace_traceset *set, struct reader *file)
{
	struct trace *t;
	int ret;

	if (!LIST_RESIZE(set->traces, set->trace_nr + 1))
		return -ENOMEM;
	ret = ktrace_trace_new(file, &t);
	if (ret)
		return ret;
	set_offset(set, t);
	t->index = set->trace_nr;
	t->ahead = set->ahead;
	set->traces[set->trace_nr++] = t;
	return 0;
}

/* Adds the open @file, which the set owns from now on, or closes it */
static int add_file(struct ktrace_traceset *set, struct reader *file)
{
	size_t i = 0;
	int ret;

	while (i < set->trace_nr && !ktrace_trace_has_part(set->traces[i], file))
		i++;
	if (!may_add(set, i, file))
		ret = -EBUSY;
	else
		ret = i < set->trace_nr ? add_part(set, set->traces[i], file) :
		      add_trace(set, file);
	if (ret) {
		ktrace_reader_close(file);
		return ret;
	}
	/* The trace owns the file now, whatever happens. */
	return set->is_begun ? ktrace_set_wake(set) : 0;
}

static struct reader new_reader(struct ktrace_traceset *set)
{
	return (struct reader){
		.fd = -1, .is_live = set->opts.is_live, .report = report, .arg = set,
	};
}

int ktrace_traceset_add(struct ktrace_traceset *set, const char *path)
{
	struct reader file = new_reader(set);
	int ret;

	if (set->is_begun && !set->opts.is_live)
		return -EBUSY;
	ret = ktrace_reader_open(&file, path);
	return ret ? ret : add_file(set, &file);
}

int ktrace_traceset_add_fd(struct ktrace_traceset *set, int fd, const char *path)
{
	struct reader file = new_reader(set);
	int ret;

	if (set->is_begun && !set->opts.is_live)
		return -EBUSY;
	ret = ktrace_reader_open_fd(&file, fd, path);
	return ret ? ret : add_file(set, &file);
}

int ktrace_traceset_reopen(const struct ktrace_traceset *set,
			   const struct ktrace_traceset_options *opts,
			   struct ktrace_traceset **out)
{
	const struct reader *file;
	struct ktrace_traceset *new;
	int ret = ktrace_traceset_open(opts, &new);
	size_t i, k;

	if (ret)
		return ret;
	for (i = 0; i < set->trace_nr && !ret; i++) {
		for (k = 0; k < set->traces[i]->part_nr && !ret; k++) {
			file = &set->traces[i]->parts[k];
			ret = ktrace_traceset_add_fd(new, file->fd, file->path);
		}
	}
	if (ret)
		ktrace_traceset_close(new);
	else
		*out = new;
	return ret;
}

bool ktrace_set_may_grow(const struct ktrace_traceset *set)
{
	const struct reader *last;
	size_t i;

	for (i = 0; set->opts.is_live && i < set->trace_nr; i++) {
		last = trace_last(set->traces[i]);
		/* Other parts may follow a part: only the very last one says how it ended. */
		if (!last->is_closed ||
		    (last->part && !ktrace_trace_meta((const void *)set->traces[i], "end",
						      "reason")))
			return true;
	}
	return false;
}

int ktrace_traceset_poll(struct ktrace_traceset *set)
{
	int nr = 0, ret;
	size_t i;

	for (i = 0; i < set->trace_nr; i++) {
		ret = ktrace_trace_grow(set->traces[i]);
		if (ret < 0)
			return ret;
		set_offset(set, set->traces[i]);
		nr += ret;
	}
	if (!nr || !set->is_begun)
		return nr;
	ret = ktrace_set_wake(set);
	return ret ? ret : nr;
}

int ktrace_traceset_span(struct ktrace_traceset *set, __u64 *start, __u64 *end)
{
	const struct stream *s;
	struct stream *last;
	size_t i, j;
	__u64 time;
	int ret = ktrace_set_begin(set);

	*start = ~0ull;
	*end = 0;
	for (i = 0; i < set->trace_nr; i++) {
		for (j = 0; j < set->traces[i]->stream_nr; j++) {
			s = last = set->traces[i]->streams[j];
			if (!s->has_first)
				continue;
			time = ktrace_stream_time(last, s->entries[s->entry_nr - 1].max_raw);
			*start = s->first_time < *start ? s->first_time : *start;
			*end = time > *end ? time : *end;
		}
	}
	if (*start > *end)
		*start = *end;
	return ret;
}

void ktrace_traceset_stats(const struct ktrace_traceset *set,
			   struct ktrace_traceset_stats *stats)
{
	size_t i;

	*stats = set->stats;
	for (i = 0; i < set->trace_nr; i++)
		stats->blocks += set->traces[i]->loads;
}

const struct ktrace_trace *ktrace_traceset_trace(const struct ktrace_traceset *set, size_t i)
{
	return i < set->trace_nr ? (const struct ktrace_trace *)set->traces[i] : NULL;
}

size_t ktrace_traceset_host(const struct ktrace_traceset *set, size_t i)
{
	const char *boot, *other;
	size_t first;

	boot = i < set->trace_nr ? ktrace_meta_fact(set->traces[i], "host", "boot") : NULL;
	for (first = 0; boot && first < i; first++) {
		other = ktrace_meta_fact(set->traces[first], "host", "boot");
		if (other && !strcmp(other, boot))
			return first;
	}
	return i;
}

const char *ktrace_trace_path(const struct ktrace_trace *trace)
{
	return to_trace(trace)->parts[0].path;
}

size_t ktrace_trace_index(const struct ktrace_trace *trace)
{
	return to_trace(trace)->index;
}

__u64 ktrace_trace_size(const struct ktrace_trace *trace)
{
	const struct trace *t = to_trace(trace);
	__u64 sum = 0;
	size_t i;

	for (i = 0; i < t->part_nr; i++)
		sum += t->parts[i].size - t->parts[i].base;
	return sum;
}

bool ktrace_trace_part(const struct ktrace_trace *trace, size_t i, struct ktrace_part *part)
{
	const struct trace *t = to_trace(trace);

	if (i >= t->part_nr)
		return false;
	*part = (struct ktrace_part){
		.path = t->parts[i].path, .number = t->parts[i].part,
		.size = t->parts[i].size - t->parts[i].base, .is_closed = t->parts[i].is_closed,
	};
	return true;
}

static void add_storage(const struct stream *s, struct ktrace_storage *sum)
{
	struct ktrace_section sec;
	__u64 at;
	size_t i;

	for (i = 0; i < s->entry_nr; i++) {
		at = entry_offset(&s->entries[i]);
		if (s->entries[i].place & (ENTRY_LOST | ENTRY_BAD) ||
		    ktrace_reader_header(trace_reader(s->trace, at), at, &sec))
			continue;
		sum->blocks++;
		sum->compressed += ktrace_section_is_compressed(&sec);
		sum->bytes += sec.raw_size;
		sum->stored += sec.size;
	}
}

void ktrace_trace_storage(const struct ktrace_trace *trace, struct ktrace_storage *out)
{
	const struct trace *t = to_trace(trace);
	size_t i;

	*out = (struct ktrace_storage){ 0 };
	for (i = 0; i < t->stream_nr; i++)
		add_storage(t->streams[i], out);
}

bool ktrace_trace_is_closed(const struct ktrace_trace *trace)
{
	const struct trace *t = to_trace(trace);
	size_t i = 0;

	while (i < t->part_nr && t->parts[i].is_closed)
		i++;
	return i == t->part_nr;
}

const char *ktrace_trace_meta(const struct ktrace_trace *trace, const char *keyword,
			      const char *key)
{
	return ktrace_meta_fact(to_trace(trace), keyword, key);
}

const struct ktrace_trace_stream *ktrace_trace_stream(const struct ktrace_trace *trace, size_t i)
{
	const struct trace *t = to_trace(trace);

	return i < t->stream_nr ? &t->streams[i]->pub : NULL;
}

__u32 ktrace_trace_types(const struct ktrace_trace *trace, __u32 kind)
{
	return kind < 2 ? to_trace(trace)->types[kind].nr : 0;
}

const struct ktrace_event_type *ktrace_trace_type(const struct ktrace_trace *trace, __u32 kind,
						  __u32 id)
{
	const struct type_table types = types_of(to_trace(trace), kind);

	return type_of(&types, id);
}

const char *ktrace_trace_thread(const struct ktrace_trace *trace, __u32 tid, __u64 raw,
				__u32 *pid)
{
	const struct name *name = ktrace_names_find(&to_trace(trace)->names, tid, raw);

	*pid = name ? name->pid : 0;
	return name && name->comm[0] ? name->comm : NULL;
}

const char *ktrace_trace_comm(const struct ktrace_trace *trace, __u32 tid, __u64 raw)
{
	__u32 pid;

	return ktrace_trace_thread(trace, tid, raw, &pid);
}

__u32 ktrace_trace_pid(const struct ktrace_trace *trace, __u32 tid, __u64 raw)
{
	__u32 pid;

	ktrace_trace_thread(trace, tid, raw, &pid);
	return pid;
}

void ktrace_trace_image(const struct ktrace_trace *trace, __u32 tid, __u64 raw,
			struct ktrace_image *out)
{
	const struct names *names = &to_trace(trace)->names;
	const struct name *name = ktrace_names_find(names, tid, raw);
	__u64 until = ~0ull;

	*out = (struct ktrace_image){ .pid = name ? name->pid : 0,
				      .until = ktrace_names_until(names, tid, raw) };
	if (out->pid && out->pid != tid) {
		name = ktrace_names_find(names, out->pid, raw);
		until = ktrace_names_until(names, out->pid, raw);
	}
	out->begin = name && name->begin <= raw ? name->begin : 0;
	out->until = until < out->until ? until : out->until;
}

const struct ktrace_trace_process *ktrace_trace_process(const struct ktrace_trace *trace, size_t i)
{
	const struct trace *t = to_trace(trace);

	return i < t->process_nr ? &t->processes[i] : NULL;
}

bool ktrace_trace_choice(const struct ktrace_trace *trace, size_t i, struct ktrace_choice *out)
{
	const struct trace *t = to_trace(trace);

	if (i >= t->choice_nr)
		return false;
	*out = (struct ktrace_choice){ t->choices[i].raw, t->choices[i].levels,
				       t->choices[i].events, t->choices[i].filters,
				       t->choices[i].where };
	return true;
}

bool ktrace_trace_ids(const struct ktrace_trace *trace, size_t i, struct ktrace_trace_ids *out)
{
	const struct trace *t = to_trace(trace);

	if (i >= t->ids_nr)
		return false;
	*out = t->ids[i];
	return true;
}

__u64 ktrace_trace_time(const struct ktrace_trace *trace, __u64 raw)
{
	__u64 ns, offset;
	const struct segment *seg = trace_segment(to_trace(trace), raw, &offset);

	if (!seg)
		return raw;
	ns = raw < seg->raw ? ktrace_segment_before(seg, raw) : ktrace_segment_ns(seg, raw);
	return ns > ~0ull - offset ? ~0ull : ns + offset;
}

__u64 ktrace_trace_wall(const struct ktrace_trace *trace, __u64 raw)
{
	const struct segment *seg = ktrace_clock_segment(&to_trace(trace)->clock, raw);
	__u64 mono;

	if (!seg)
		return raw;
	if (to_trace(trace)->correction.clock.nr)
		return ktrace_trace_time(trace, raw);
	mono = raw < seg->raw ? ktrace_segment_before(seg, raw) : ktrace_segment_ns(seg, raw);
	return mono - seg->mono + seg->wall;
}

int ktrace_traceset_correct(struct ktrace_traceset *set, size_t trace,
			    const struct ktrace_correction *knots, size_t nr)
{
	if (set->is_begun)
		return -EBUSY;
	return trace < set->trace_nr ?
		ktrace_correction_set(&set->traces[trace]->correction, knots, nr) : -EINVAL;
}

int ktrace_traceset_set_reference(struct ktrace_traceset *set, size_t trace)
{
	if (trace >= set->trace_nr)
		return -EINVAL;
	set->traces[trace]->correction.is_reference = true;
	return 0;
}

int ktrace_traceset_correct_as(struct ktrace_traceset *set, const struct ktrace_traceset *other)
{
	int ret = set->is_begun ? -EBUSY : set->trace_nr != other->trace_nr ? -EINVAL : 0;
	size_t i;

	for (i = 0; i < set->trace_nr && !ret; i++)
		ret = ktrace_correction_copy(&set->traces[i]->correction,
					     &other->traces[i]->correction);
	return ret;
}

bool ktrace_trace_error(const struct ktrace_trace *trace, __u64 raw, struct ktrace_time_error *out)
{
	*out = (struct ktrace_time_error){ 0 };
	return ktrace_correction_error(&to_trace(trace)->correction, raw, out);
}

bool ktrace_trace_has_errors(const struct ktrace_trace *trace)
{
	return ktrace_correction_has_errors(&to_trace(trace)->correction);
}

bool ktrace_trace_is_corrected(const struct ktrace_trace *trace)
{
	return to_trace(trace)->correction.clock.nr;
}

void ktrace_trace_clock(const struct ktrace_trace *trace, struct ktrace_clock_info *info)
{
	const struct trace *t = to_trace(trace);

	info->readings = t->clock.readings;
	info->hz = t->clock.hz;
	info->clock = ktrace_meta_fact(t, "trace", "clock");
	info->rejected = t->clock.rejected;
	info->sets = ktrace_clock_sets(&t->clock, &info->set_ns);
	info->zero_ns = t->has_offset ? t->offset : 0;
}
