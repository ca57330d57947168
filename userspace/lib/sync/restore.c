// SPDX-License-Identifier: LGPL-2.1
/*
 * restore.c - corrects a traceset by a result that was kept
 *
 * The file may be damaged or forged: all of it is checked before anything is corrected.
 */
#include "kept.h"

#include <errno.h>
#include <stdlib.h>

#include "base/fnv.h"

/**
 * struct found - a trace of the set
 * @is_kept:	it is in the file
 * @kept:	what that says
 * @knots:	its knots
 */
struct found {
	bool is_kept;
	struct kept_trace kept;
	struct ktrace_correction *knots;
};

/**
 * struct restoring - a file being read
 * @at:		where
 * @end:	end of the text, without its sum
 * @line:	number of the line
 * @set:	the traceset
 * @wants:	if @is_exact, the options that it must be made with
 * @is_exact:	only what would be found again is accepted
 * @found:	for each trace of the set
 * @nr:		how many
 * @place:	number of the trace or line that is wrong
 */
struct restoring {
	const char *at;
	const char *end;
	__u64 line;
	struct ktrace_traceset *set;
	__u64 wants;
	bool is_exact;
	struct found *found;
	size_t nr;
	__u64 *place;
};

/* Returns @error of a trace of the set. */
static int wrong_trace(struct restoring *r, size_t i, int error)
{
	*r->place = i;
	return error;
}

static bool take(struct restoring *r, const char *text)
{
	const size_t size = strlen(text);

	if ((size_t)(r->end - r->at) < size || memcmp(r->at, text, size))
		return false;
	r->at += size;
	r->line += text[size - 1] == '\n';
	return true;
}

/* Takes a text, and a number of up to 64 bits after it. */
static bool take_number(struct restoring *r, const char *text, __u64 *out)
{
	const char *first;
	__u64 n = 0;

	if (!take(r, text))
		return false;
	for (first = r->at; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (__u64)(*r->at - '0'), &n))
			return false;
	}
	*out = n;
	return r->at > first;
}

static bool take_hex(struct restoring *r, const char *text, __u64 *out)
{
	__u64 n = 0;
	int i;

	if (!take(r, text) || r->end - r->at < 16)
		return false;
	for (i = 0; i < 16; i++, r->at++) {
		if (*r->at >= '0' && *r->at <= '9')
			n = n << 4 | (__u64)(*r->at - '0');
		else if (*r->at >= 'a' && *r->at <= 'f')
			n = n << 4 | (__u64)(*r->at - 'a' + 10);
		else
			return false;
	}
	*out = n;
	return true;
}

static bool take_bool(struct restoring *r, const char *text, __u64 *out)
{
	return take_number(r, text, out) && *out <= 1;
}

static bool take_error(struct restoring *r, __u64 *out)
{
	if (take(r, " -")) {
		*out = ~0ull;
		return true;
	}
	return take_number(r, " ", out);
}

static bool take_trace(struct restoring *r, struct kept_trace *t)
{
	return take_hex(r, "trace uuid=", &t->uuid[0]) && take_hex(r, " ", &t->uuid[1]) &&
	       take_hex(r, " who=", &t->who) && take_number(r, " end=", &t->end) &&
	       take_number(r, " parts=", &t->parts) &&
	       take_bool(r, " reference=", &t->is_reference) && take_number(r, " at=", &t->at) &&
	       take_number(r, " time=", &t->time) && take_number(r, " knots=", &t->knots) &&
	       take(r, "\n") && t->parts && t->parts <= KEPT_PARTS_MAX && t->knots != 1 &&
	       t->knots <= KEPT_KNOTS_MAX && !(t->knots && t->is_reference);
}

static bool take_part(struct restoring *r, struct kept_part *p)
{
	return take_number(r, "part number=", &p->number) && take_number(r, " size=", &p->size) &&
	       take_number(r, " mtime=", &p->mtime) && take_bool(r, " closed=", &p->is_closed) &&
	       take(r, "\n");
}

/* Takes a knot, which must be after @last, unless that is NULL, but not before it in time. */
static bool take_knot(struct restoring *r, const struct ktrace_correction *last,
		      struct ktrace_correction *knot)
{
	if (!take_number(r, "knot ", &knot->raw) || !take_number(r, " ", &knot->time) ||
	    !take_error(r, &knot->early_ns) || !take_error(r, &knot->late_ns) || !take(r, "\n"))
		return false;
	return !last || (knot->raw && !__builtin_add_overflow(knot->raw, last->raw, &knot->raw) &&
			 !__builtin_add_overflow(knot->time, last->time, &knot->time));
}

/* Takes the knots of a trace; @knots is NULL if they are not wanted. */
static int take_knots(struct restoring *r, __u64 nr, struct ktrace_correction *knots)
{
	struct ktrace_correction last, knot;
	__u64 i;

	for (i = 0; i < nr; i++) {
		if (!take_knot(r, i ? &last : NULL, &knot))
			return -EBADMSG;
		if (knots)
			knots[i] = knot;
		last = knot;
	}
	return 0;
}

static const struct trace *trace_at(const struct restoring *r, size_t i)
{
	return (const struct trace *)ktrace_traceset_trace(r->set, i);
}

/* Returns the number of the trace of the set with this uuid; their number if there is none. */
static size_t find_trace(const struct restoring *r, const __u64 *uuid)
{
	size_t i = 0;

	while (i < r->nr && memcmp(trace_at(r, i)->parts[0].uuid, uuid, 16))
		i++;
	return i;
}

/* True if a trace is the one that a result is about. */
static bool is_same_trace(const struct restoring *r, size_t i, const struct kept_trace *kept)
{
	struct kept_trace now;

	ktrace_kept_trace(trace_at(r, i), &now);
	return now.who == kept->who && now.end == kept->end && now.parts == kept->parts &&
	       now.at == kept->at && (now.time == kept->time || !kept->is_reference);
}

static bool is_same_part(const struct restoring *r, const struct reader *file,
			 const struct kept_part *kept)
{
	struct kept_part now;

	ktrace_kept_part(file, &now);
	return now.number == kept->number && now.size == kept->size &&
	       (!r->is_exact || (now.mtime == kept->mtime && now.is_closed && kept->is_closed));
}

/* Takes trace number @n of the file, which may be none of the set. */
static int restore_trace(struct restoring *r, size_t n)
{
	struct kept_trace kept;
	struct kept_part part;
	struct found *f;
	bool is_same;
	size_t i;
	__u64 k;

	if (!take_trace(r, &kept))
		return -EBADMSG;
	i = find_trace(r, kept.uuid);
	f = i < r->nr ? &r->found[i] : NULL;
	if (f && f->is_kept)
		return -EBADMSG;
	if (r->is_exact && i != n)
		return wrong_trace(r, n, -ENOENT);
	is_same = f && is_same_trace(r, i, &kept);
	for (k = 0; k < kept.parts; k++) {
		if (!take_part(r, &part))
			return -EBADMSG;
		is_same = is_same && is_same_part(r, &trace_at(r, i)->parts[k], &part);
	}
	if (!f)
		return take_knots(r, kept.knots, NULL);
	if (!is_same)
		return wrong_trace(r, i, -ESTALE);
	/* Each knot is a line of at least 13 bytes: no file claims more memory than it has. */
	if (kept.knots > (size_t)(r->end - r->at) / 13)
		return -EBADMSG;
	f->knots = calloc(kept.knots + 1, sizeof(*f->knots));
	if (!f->knots)
		return -ENOMEM;
	f->is_kept = true;
	f->kept = kept;
	return take_knots(r, kept.knots, f->knots);
}

/* Checks that the text, from @begin on, is whole; @r then ends before its sum. */
static bool check_sum(struct restoring *r, const char *begin)
{
	struct restoring end = *r;
	__u64 sum;

	if ((size_t)(r->end - r->at) < KEPT_SUM_SIZE)
		return false;
	end.at = r->end - KEPT_SUM_SIZE;
	r->end = end.at;
	return take_hex(&end, KEPT_SUM, &sum) && take(&end, "\n") &&
	       sum == fnv(FNV_BASIS, begin, (size_t)(r->end - begin));
}

static int restore_traces(struct restoring *r)
{
	const char *const begin = r->at;
	__u64 format, options, traces;
	size_t i;
	int ret = 0;

	if (!take_number(r, "ktrace-clocks ", &format))
		return -EBADMSG;
	if (format != KEPT_FORMAT)
		return -EPROTONOSUPPORT;
	if (!check_sum(r, begin) || !take(r, "\n") || !take_hex(r, "made options=", &options) ||
	    !take_number(r, " traces=", &traces) || !take(r, "\n") || !traces ||
	    traces > KEPT_TRACES_MAX)
		return -EBADMSG;
	if (r->is_exact && (options != r->wants || traces != r->nr))
		return wrong_trace(r, 0, -ESTALE);
	for (i = 0; i < traces && !ret; i++)
		ret = restore_trace(r, i);
	if (!ret && r->at != r->end)
		ret = -EBADMSG;
	for (i = 0; i < r->nr && !ret; i++)
		if (!r->found[i].is_kept)
			ret = wrong_trace(r, i, -ENOENT);
	return ret;
}

/* Corrects all traces, or none. */
static int apply(struct restoring *r)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < r->nr && !ret; i++)
		if (r->found[i].kept.knots)
			ret = ktrace_traceset_correct(r->set, i, r->found[i].knots,
						      r->found[i].kept.knots);
	if (ret) {
		while (i--)
			ktrace_traceset_correct(r->set, i, NULL, 0);
		return ret;
	}
	for (i = 0; i < r->nr && !ret; i++)
		if (r->found[i].kept.is_reference)
			ret = ktrace_traceset_set_reference(r->set, i);
	return ret;
}

int ktrace_sync_restore(struct ktrace_traceset *set, const struct ktrace_sync_options *opts,
			const char *text, size_t size, __u64 *place)
{
	struct restoring r = {
		.at = text, .end = text + size, .line = 1, .set = set, .is_exact = opts,
		.wants = ktrace_kept_options(opts), .place = place,
	};
	int ret;
	size_t i;

	*place = 0;
	while (ktrace_traceset_trace(set, r.nr))
		r.nr++;
	r.found = calloc(r.nr + 1, sizeof(*r.found));
	ret = r.found ? restore_traces(&r) : -ENOMEM;
	if (ret == -EBADMSG)
		*place = r.line;
	if (!ret)
		ret = apply(&r);
	for (i = 0; r.found && i < r.nr; i++)
		free(r.found[i].knots);
	free(r.found);
	return ret;
}
