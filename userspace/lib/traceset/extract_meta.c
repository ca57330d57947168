// SPDX-License-Identifier: LGPL-2.1
/*
 * extract_meta.c - META text of a file that is made from others
 *
 * From one file: its text as it is. From several, whose host and boot are the same: facts of the
 * host, commands and back ends of all, readings of all clocks, new numbers of streams and user
 * events, and stamps of CLOCK_MONOTONIC, so that all share one clock and the times they had in the
 * traceset.
 */
#include "extract.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_MAX 65536u

/**
 * struct copying - META sections being copied
 * @reader:	the file, opened once more
 * @x:		where they go
 * @from:	the file in the traceset
 * @loaded:	the current section
 * @is_repeated: it continues another part, and repeats the text of that part
 */
struct copying {
	const struct reader *reader;
	struct ktrace_extract *x;
	struct source *from;
	struct section_buf loaded;
	bool is_repeated;
};

__u16 ktrace_extract_id(struct ktrace_extract *x, struct source *from, __u32 id)
{
	if (!from->ids)
		return (__u16)id;
	if (!from->ids[id & 0xffff] && x->next_id <= 0xffff)
		from->ids[id & 0xffff] = (__u16)x->next_id++;
	return from->ids[id & 0xffff];
}

/* The ids of the kernel's own events differ between recordings. */
__u16 ktrace_extract_kernel_id(struct ktrace_extract *x, struct source *from, __u32 id)
{
	__u16 *to = &from->kernel_ids[id & 0xffff];

	if (!from->ids || id < KTRACE_EV_DYNAMIC)
		return (__u16)id;
	if (!*to && x->next_kernel_id <= 0xffff)
		*to = (__u16)x->next_kernel_id++;
	return *to;
}

/* Like takes_event(), for a kernel event that other files have under other numbers */
static bool takes_format(struct copying *c, const char *line, __u64 *id)
{
	const char *number = strstr(line, " id=");
	__u64 old = number ? strtoull(number + 4, NULL, 10) : 0;
	bool is_known;

	if (old < KTRACE_EV_DYNAMIC || old > 0xffff)
		return false;
	is_known = c->from->kernel_ids[old];
	*id = ktrace_extract_kernel_id(c->x, c->from, (__u32)old);
	return *id && !is_known;
}

/* True if the line is the first to describe the event. Sets @id to its id in the new file. */
static bool takes_event(struct copying *c, const char *line, __u64 *id)
{
	const char *number = strstr(line, " id=");
	struct ktrace_extract *x = c->x;
	__u64 old = number ? strtoull(number + 4, NULL, 10) : 0;
	bool is_known;

	if (old < KTRACE_ID_FIRST || old > 0xffff)
		return false;
	if (strstr(line, " kind=kernel") && old >= KTRACE_EV_DYNAMIC)
		return takes_format(c, line, id);
	if (strstr(line, " kind=kernel")) {
		is_known = x->kernel_ids[old / 8] & 1u << old % 8;
		x->kernel_ids[old / 8] |= (unsigned char)(1u << old % 8);
		*id = old;
		return !is_known;
	}
	is_known = c->from->ids[old];
	*id = ktrace_extract_id(x, c->from, (__u32)old);
	return *id && !is_known;
}

/* Adds the line, with another number after the first @key, which it must contain. */
static void put_changed(struct ktrace_text *text, const char *line, const char *key, __u64 value)
{
	const char *at = strstr(line, key) + strlen(key);
	char *changed;

	if (asprintf(&changed, "%.*s%llu%s", (int)(at - line), line, value,
		     at + strspn(at, "0123456789")) < 0) {
		text->error = -ENOMEM;
		return;
	}
	ktrace_text_line(text, changed);
	free(changed);
}

/* Adds a line that tells what a time source said, or a ping: with other stamps of this host. */
static void merge_tie(struct copying *c, struct ktrace_text *text, const char *line)
{
	static const char *const keys[] = { " ts=", " sent=", " received=" };
	struct ktrace_text changed = { 0 };
	const char *at;
	size_t i;

	ktrace_text_line(&changed, line);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]) && !changed.error; i++) {
		char *from = changed.buf;

		at = strstr(from, keys[i]);
		if (!at)
			continue;
		changed = (struct ktrace_text){ 0 };
		put_changed(&changed, from, keys[i],
			    extract_stamp(c->x, c->from,
					  strtoull(at + strlen(keys[i]), NULL, 10)));
		free(from);
	}
	if (changed.error)
		text->error = changed.error;
	else
		ktrace_text_line(text, changed.buf);
	ktrace_text_free(&changed);
}

/* Adds a line that differs in a merged file: streams, clocks and facts are written separately. */
static void merge_line(struct copying *c, struct ktrace_text *text, const char *line)
{
	const char *ts;
	__u64 id;

	if (!strncmp(line, "timesource ", 11) || !strncmp(line, "ping ", 5)) {
		merge_tie(c, text, line);
		return;
	}
	if (!strncmp(line, "event ", 6) && takes_event(c, line, &id))
		put_changed(text, line, " id=", id);
	if (!strncmp(line, "format ", 7) && takes_format(c, line, &id))
		put_changed(text, line, " id=", id);
	if (strncmp(line, "process ", 8) && strncmp(line, "thread ", 7) &&
	    strncmp(line, "map ", 4) && strncmp(line, "choice ", 7) &&
	    strncmp(line, "stack ", 6) && strncmp(line, "origin ", 7)) {
		if (!strncmp(line, "cgroup ", 7) || !strncmp(line, "symbol ", 7) ||
		    !strncmp(line, "image ", 6) || !strncmp(line, "code ", 5))
			ktrace_text_line(text, line);
		return;
	}
	ts = strstr(line, " ts=");
	if (ts)
		put_changed(text, line, " ts=",
			    extract_stamp(c->x, c->from, strtoull(ts + 4, NULL, 10)));
}

static int merge_text(struct copying *c, char *lines)
{
	struct ktrace_text text = { 0 };
	char *line;
	int ret;

	while ((line = strsep(&lines, "\n")))
		merge_line(c, &text, line);
	ret = ktrace_text_flush(&text, c->x->tf);
	ktrace_text_free(&text);
	return ret;
}

static int copy_meta(void *arg, const struct ktrace_index *e, __u64 end)
{
	struct copying *c = arg;
	const struct ktrace_section *s = &c->loaded.section;
	char *text;
	int ret;

	if (e->type != KTRACE_SECTION_META)
		return 0;
	ret = ktrace_reader_load_next(c->reader, e->offset, end, &c->loaded);
	if (ret == -EBADMSG || ret == -EILSEQ || ret == -EPROTONOSUPPORT ||
	    (!ret && (s->type != KTRACE_SECTION_META || !s->size)))
		return 0;	/* already reported when the traceset was opened */
	if (ret)
		return ret;
	text = c->loaded.body;
	if (s->size >= 5 && !memcmp(text, "part ", 5)) {
		c->is_repeated = false;
		return 0;
	}
	if (c->is_repeated)
		return 0;
	if (!extract_merges(c->x)) {
		text[s->size - 1] = '\n';
		return ktrace_tracefile_meta(c->x->tf, text, (size_t)s->size);
	}
	text[s->size - 1] = '\0';
	return merge_text(c, text);
}

/*
 * Copies the META text of a file, section by section; @follows: the part before it was copied. Uses
 * the open file: another file may have its name by now.
 */
static int copy_file_meta(struct ktrace_extract *x, struct source *from, const struct reader *file,
			  bool follows)
{
	struct reader r = { 0 };
	struct copying c = { .reader = &r, .x = x, .from = from, .is_repeated = follows };
	struct ktrace_section s;
	struct ktrace_index e = { 0 };
	int ret = ktrace_reader_open_fd(&r, file->fd, file->path);

	if (ret)
		return ret;
	ret = ktrace_reader_index(&r, copy_meta, &c);
	while (ret >= 0 && (ret = ktrace_reader_walk(&r, &s, &e.offset)) == 1) {
		e.type = s.type;
		ret = copy_meta(&c, &e, r.next);
	}
	ktrace_section_buf_free(&c.loaded);
	ktrace_reader_close(&r);
	return ret < 0 ? ret : 0;
}

static int copy_all_meta(struct ktrace_extract *x, struct source *from)
{
	const struct trace *t = from->trace;
	bool follows = false;
	int ret = 0;
	size_t i;

	for (i = 0; i < t->part_nr && !ret; i++) {
		follows = i && t->parts[i].part == t->parts[i - 1].part + 1;
		ret = copy_file_meta(x, from, &t->parts[i], follows);
	}
	return ret;
}

static void put_stream(struct ktrace_text *text, const struct out_stream *o, bool merges)
{
	const struct ktrace_trace_stream *from = o->from;
	const char *policy = ktrace_policy_name(from->policy);

	if (!merges && from->kind != KTRACE_KIND_UNKNOWN)
		return;
	ktrace_text_line(text, "stream");
	ktrace_text_u64(text, "id", o->block.stream);
	if (from->kind == KTRACE_KIND_UNKNOWN)
		return;
	ktrace_text_str(text, "kind", from->kind == KTRACE_CHANNEL_KERNEL ? "kernel" : "user");
	if (from->cpu >= 0)
		ktrace_text_u64(text, "cpu", (__u64)from->cpu);
	ktrace_text_u64(text, "ring", from->ring_size);
	ktrace_text_u64(text, "block", from->block_size);
	if (policy)
		ktrace_text_str(text, "policy", policy);
}

/* struct reading - a reading in a file; @tie: NULL = with nothing else */
struct reading {
	const struct segment *segment;
	const struct ktrace_clock_tie *tie;
};

static int by_mono(const void *a, const void *b)
{
	const struct segment *x = ((const struct reading *)a)->segment;
	const struct segment *y = ((const struct reading *)b)->segment;

	return (x->mono > y->mono) - (x->mono < y->mono);
}

/* Writes what the kernel said about its clock, at the end of a line. */
static void put_tie(struct ktrace_text *text, const struct ktrace_clock_tie *tie)
{
	if (tie->has_error) {
		ktrace_text_u64(text, "max_error_ns", tie->max_error_ns);
		ktrace_text_u64(text, "est_error_ns", tie->est_error_ns);
		ktrace_text_s64(text, "freq_ppb", tie->freq_ppb);
		ktrace_text_u64(text, "synced", tie->is_synced);
	}
	if (tie->raw_mono_ns)
		ktrace_text_u64(text, "raw_mono_ns", tie->raw_mono_ns);
}

static void put_clock(struct ktrace_text *text, __u64 mono, __u64 wall)
{
	ktrace_text_line(text, "clock");
	ktrace_text_u64(text, "raw", mono);
	ktrace_text_u64(text, "mono_ns", mono);
	ktrace_text_u64(text, "real_ns", wall);
}

static struct reading reading_of(const struct trace *t, size_t i)
{
	const struct segment *s = &t->clock.segments[i];

	return (struct reading){
		.segment = s, .tie = s->is_asleep ? NULL : ktrace_ties_clock_at(&t->ties, s->raw),
	};
}

/*
 * Writes the readings of all files. A first one defines the zero of CLOCK_MONOTONIC, as in the
 * traceset.
 */
static int put_clocks(struct ktrace_extract *x, struct ktrace_text *text)
{
	struct reading *all;
	size_t nr = 0, i, k;
	__u64 last = 0;

	for (i = 0; i < x->source_nr; i++)
		nr += x->sources[i].trace->clock.nr;
	all = calloc(nr + 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (nr = i = 0; i < x->source_nr; i++)
		for (k = 0; k < x->sources[i].trace->clock.nr; k++)
			all[nr++] = reading_of(x->sources[i].trace, k);
	qsort(all, nr, sizeof(*all), by_mono);
	put_clock(text, 0, x->sources[0].trace->offset);
	for (i = 0; i < nr; i++) {
		if (all[i].segment->mono > last) {
			put_clock(text, all[i].segment->mono, all[i].segment->wall);
			if (all[i].tie)
				put_tie(text, all[i].tie);
		}
		last = all[i].segment->mono;
	}
	free(all);
	return 0;
}

static const char *trace_fact(const struct ktrace_extract *x, size_t i, const char *key)
{
	return ktrace_meta_fact(x->sources[i].trace, "trace", key);
}

/*
 * Writes the different values of a key of "trace" in all files: "first; second", with "..." at the
 * end if a line has no room for more.
 */
static void put_values(const struct ktrace_extract *x, struct ktrace_text *text, const char *key)
{
	char *values = NULL, *longer;
	const char *value;
	bool is_full = false;
	size_t i, k;

	for (i = 0; i < x->source_nr && !is_full; i++) {
		value = trace_fact(x, i, key);
		for (k = 0; value && k < i; k++)
			if (trace_fact(x, k, key) && !strcmp(value, trace_fact(x, k, key)))
				value = NULL;
		if (!value || !*value)
			continue;
		is_full = values && strlen(values) + strlen(value) > VALUES_MAX;
		if (is_full)
			value = "...";
		if (asprintf(&longer, "%s%s%s", values ? values : "", values ? "; " : "",
			     value) < 0) {
			text->error = -ENOMEM;
			break;
		}
		free(values);
		values = longer;
	}
	if (values)
		ktrace_text_str(text, key, values);
	free(values);
}

/* Writes the value of the key in the first of @nr files that has it */
static void put_fact(const struct ktrace_extract *x, size_t nr, struct ktrace_text *text,
		     const char *keyword, const char *key)
{
	const char *value = NULL;
	size_t i;

	for (i = 0; i < nr && !value; i++)
		value = ktrace_meta_fact(x->sources[i].trace, keyword, key);
	if (value)
		ktrace_text_str(text, key, value);
}

static bool has_kernel(const struct trace *t)
{
	size_t i;

	for (i = 0; i < t->stream_nr; i++)
		if (t->streams[i]->pub.kind == KTRACE_CHANNEL_KERNEL)
			return true;
	return false;
}

/*
 * Writes the scope: kernel events are limited to followed processes if they are in each file with
 * some.
 */
static void put_scope(const struct ktrace_extract *x, struct ktrace_text *text)
{
	const char *value, *scope = NULL;
	size_t i;

	for (i = 0; i < x->source_nr; i++) {
		if (!has_kernel(x->sources[i].trace))
			continue;
		value = ktrace_meta_fact(x->sources[i].trace, "trace", "scope");
		if (!value)
			return;
		scope = value;
	}
	if (scope)
		ktrace_text_str(text, "scope", scope);
}

/*
 * Writes the facts. All files are from one machine; each fact is from the first file that has it.
 */
static void put_facts(const struct ktrace_extract *x, struct ktrace_text *text)
{
	static const char *const keys[] = { "name", "kernel", "machine", "cpus", "boot" };
	size_t i;

	ktrace_text_line(text, "trace");
	put_fact(x, 1, text, "trace", "version");
	put_fact(x, 1, text, "trace", "start_ns");
	put_values(x, text, "backend");
	put_values(x, text, "cmd");
	put_scope(x, text);
	ktrace_text_str(text, "clock", "monotonic");
	ktrace_text_line(text, "host");
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		put_fact(x, x->source_nr, text, "host", keys[i]);
}

/* Writes the META text that is not from the old files */
static int write_own(struct ktrace_extract *x, const char *what)
{
	struct ktrace_text text = { 0 };
	const struct source *from;
	size_t i, k;
	int ret = 0;

	if (extract_merges(x)) {
		put_facts(x, &text);
		ret = put_clocks(x, &text);
	}
	if (what && *what) {
		ktrace_text_line(&text, "trace");
		ktrace_text_str(&text, "cut", what);
	}
	for (i = 0; i < x->source_nr; i++) {
		from = &x->sources[i];
		for (k = 0; k < from->trace->stream_nr; k++)
			put_stream(&text, &from->streams[k], extract_merges(x));
	}
	if (!ret)
		ret = ktrace_text_flush(&text, x->tf);
	ktrace_text_free(&text);
	return ret;
}

/* Writes all META text that comes first. Returns 0, -errno. */
int ktrace_extract_meta(struct ktrace_extract *x, const char *what)
{
	size_t i;
	int ret = extract_merges(x) ? write_own(x, what) : 0;

	for (i = 0; i < x->source_nr && !ret; i++)
		ret = copy_all_meta(x, &x->sources[i]);
	return ret || extract_merges(x) ? ret : write_own(x, what);
}

/* Writes all known names of a thread */
static void put_names(const struct ktrace_extract *x, const struct source *from,
		      const struct thread *thread, struct ktrace_text *text)
{
	__u32 i;

	for (i = 0; i < thread->nr; i++) {
		ktrace_text_line(text, "thread");
		ktrace_text_u64(text, "tid", thread->tid);
		if (thread->names[i].pid)
			ktrace_text_u64(text, "pid", thread->names[i].pid);
		ktrace_text_u64(text, "ts", extract_stamp(x, from, thread->names[i].raw));
		if (thread->names[i].comm[0])
			ktrace_text_str(text, "comm", thread->names[i].comm);
	}
}

/* Writes the names of the threads that have events in the new file. Returns 0, -errno. */
int ktrace_extract_names(struct ktrace_extract *x)
{
	struct ktrace_text text = { 0 };
	const struct thread *thread;
	size_t i, k;
	int ret;

	for (i = 0; i < x->source_nr; i++) {
		const struct names *names = &x->sources[i].trace->names;

		for (k = 0; k < names->slot_nr; k++) {
			thread = &names->slots[k];
			if (thread->nr && x->seen[thread->tid / 8] & 1u << thread->tid % 8)
				put_names(x, &x->sources[i], thread, &text);
		}
	}
	ret = ktrace_text_flush(&text, x->tf);
	ktrace_text_free(&text);
	return ret;
}
