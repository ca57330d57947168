// SPDX-License-Identifier: LGPL-2.1
/* kept.c - which files a result is about, and writes it */
#include "kept.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/fnv.h"
#include "base/write_all.h"
#include "sync.h"

static __u64 add_text(__u64 hash, const char *text)
{
	return text ? fnv(hash, text, strlen(text) + 1) : fnv(hash, "\xff", 1);
}

/* Fills in what identifies a trace; not @is_reference and @knots. Its times are its own. */
void ktrace_kept_trace(const struct trace *t, struct kept_trace *out)
{
	const struct ktrace_trace *trace = (const struct ktrace_trace *)t;
	const struct segment *first = t->clock.nr ? t->clock.segments : NULL;
	const struct stream *s;
	struct ktrace_clock_info clock;
	size_t i;

	*out = (struct kept_trace){ .who = FNV_BASIS, .parts = t->part_nr };
	memcpy(out->uuid, t->parts[0].uuid, sizeof(out->uuid));
	ktrace_trace_clock(trace, &clock);
	out->who = add_text(out->who, ktrace_trace_meta(trace, "host", "name"));
	out->who = add_text(out->who, ktrace_trace_meta(trace, "host", "boot"));
	out->who = add_text(out->who, clock.clock);
	for (i = 0; i < t->stream_nr; i++) {
		s = t->streams[i];
		if (s->entry_nr && s->entries[s->entry_nr - 1].max_raw > out->end)
			out->end = s->entries[s->entry_nr - 1].max_raw;
	}
	out->at = first ? first->raw : 0;
	out->time = first ? first->mono + t->offset : 0;
}

void ktrace_kept_part(const struct reader *file, struct kept_part *out)
{
	struct stat st;

	*out = (struct kept_part){
		.number = file->part, .size = file->size - file->base,
		.is_closed = file->is_closed,
	};
	if (!fstat(file->fd, &st))
		out->mtime = (__u64)st.st_mtim.tv_sec * NS_PER_S + (__u64)st.st_mtim.tv_nsec;
}

/* Returns a hash of all that a result depends on besides the files. */
__u64 ktrace_kept_options(const struct ktrace_sync_options *opts)
{
	const struct ktrace_sync_options none = { 0 };
	const struct ktrace_sync_options *o = opts ? opts : &none;
	const __u32 numbers[] = {
		KEPT_METHOD, o->analysis, o->wander_ppb ? o->wander_ppb : KTRACE_SYNC_WANDER_PPB,
		o->without_messages,
	};

	return add_text(add_text(fnv(FNV_BASIS, numbers, sizeof(numbers)), o->reference),
			KTRACE_VERSION);
}

/**
 * struct writing - a file being written
 * @out:	text not written yet
 * @fd:		the file
 * @sum:	of all that has been written
 */
struct writing {
	struct ktrace_out out;
	int fd;
	__u64 sum;
};

static int flush(struct ktrace_out *out)
{
	struct writing *w = out->arg;
	const size_t size = out->len;

	w->sum = fnv(w->sum, out->buf, size);
	out->len = 0;
	return write_all(w->fd, out->buf, size);
}

static void put(struct writing *w, const char *name, __u64 value)
{
	ktrace_out_str(&w->out, name);
	ktrace_out_u64(&w->out, value);
}

static void put_error(struct writing *w, __u64 ns)
{
	if (ns == ~0ull)
		ktrace_out_str(&w->out, " -");
	else
		put(w, " ", ns);
}

static void write_parts(struct writing *w, const struct trace *t)
{
	struct kept_part part;
	size_t i;

	for (i = 0; i < t->part_nr; i++) {
		ktrace_kept_part(&t->parts[i], &part);
		put(w, "part number=", part.number);
		put(w, " size=", part.size);
		put(w, " mtime=", part.mtime);
		put(w, " closed=", part.is_closed);
		ktrace_out_char(&w->out, '\n');
	}
}

static void write_knots(struct writing *w, const struct correction *c)
{
	struct segment last = { 0 };
	size_t i;

	for (i = 0; i < c->clock.nr; i++) {
		const struct segment *knot = &c->clock.segments[i];

		put(w, "knot ", knot->raw - last.raw);
		put(w, " ", knot->mono - last.mono);
		put_error(w, c->errors[i].early_ns);
		put_error(w, c->errors[i].late_ns);
		ktrace_out_char(&w->out, '\n');
		last = *knot;
	}
}

static void write_trace(struct writing *w, const struct trace *t)
{
	struct kept_trace kept;

	ktrace_kept_trace(t, &kept);
	ktrace_out_str(&w->out, "trace uuid=");
	ktrace_out_hex(&w->out, kept.uuid[0], 16);
	ktrace_out_char(&w->out, ' ');
	ktrace_out_hex(&w->out, kept.uuid[1], 16);
	ktrace_out_str(&w->out, " who=");
	ktrace_out_hex(&w->out, kept.who, 16);
	put(w, " end=", kept.end);
	put(w, " parts=", kept.parts);
	put(w, " reference=", t->correction.is_reference);
	put(w, " at=", kept.at);
	put(w, " time=", kept.time);
	put(w, " knots=", t->correction.clock.nr);
	ktrace_out_char(&w->out, '\n');
	write_parts(w, t);
	write_knots(w, &t->correction);
}

static const struct trace *trace_at(const struct ktrace_traceset *set, size_t i)
{
	return (const struct trace *)ktrace_traceset_trace(set, i);
}

int ktrace_sync_save(const struct ktrace_sync *sync, const struct ktrace_traceset *set, int fd)
{
	char buf[4096];
	struct writing w = {
		.out = { .buf = buf, .cap = sizeof(buf), .flush = flush, .arg = &w },
		.fd = fd, .sum = FNV_BASIS,
	};
	size_t i;

	put(&w, "ktrace-clocks ", KEPT_FORMAT);
	ktrace_out_str(&w.out, "\nmade options=");
	ktrace_out_hex(&w.out, sync->made, 16);
	put(&w, " traces=", sync->machines.trace_nr);
	ktrace_out_char(&w.out, '\n');
	for (i = 0; trace_at(set, i); i++)
		write_trace(&w, trace_at(set, i));
	if (!w.out.error)
		w.out.error = flush(&w.out);
	ktrace_out_str(&w.out, KEPT_SUM);
	ktrace_out_hex(&w.out, w.sum, 16);
	ktrace_out_char(&w.out, '\n');
	return w.out.error ? w.out.error : flush(&w.out);
}

__u64 ktrace_sync_key(const struct ktrace_traceset *set, const struct ktrace_sync_options *opts)
{
	const struct trace *t;
	struct kept_trace kept;
	struct kept_part part;
	__u64 key = ktrace_kept_options(opts);
	size_t i, k;

	if ((opts && opts->without_messages) || !ktrace_sync_has_packets(set))
		return 0;
	for (i = 0; (t = trace_at(set, i)); i++) {
		ktrace_kept_trace(t, &kept);
		key = fnv(key, &kept, sizeof(kept));
		for (k = 0; k < t->part_nr; k++) {
			ktrace_kept_part(&t->parts[k], &part);
			key = fnv(key, &part, sizeof(part));
			if (!part.is_closed)
				return 0;
		}
	}
	return key ? key : 1;
}
