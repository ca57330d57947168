// SPDX-License-Identifier: GPL-2.0
/* import_stamps.c - places stamps on the time line of a tracefile */
#include "import_stamps.h"

/* The latest time that a tracefile may have: all calculations with it stay below 2^64. */
#define LAST_NS (~0ull - (1ull << 32))
/* How far before zero a clock may begin whose zero is at no known time */
#define EARLY_NS (1ull << 62)

static bool is_negative(__u64 ns)
{
	return ns >> 63;
}

__u64 import_stamps_zero(const struct import_stamps *s)
{
	if (is_negative(s->real_ns) || (!is_negative(s->raw) && s->real_ns < s->raw))
		return 0;
	return s->real_ns - s->raw;
}

void import_stamps_begin(struct import_stamps *s, __u64 first)
{
	const __u64 zero = import_stamps_zero(s), before = is_negative(first) ? -first : 0;
	const __u64 most = s->keeps_zero ? 0 : zero ? zero : EARLY_NS;

	s->is_begun = true;
	s->first = first;
	s->shift = before < most ? before : most;
	s->first_at = before > most ? 0 : first + s->shift;
	s->last_at = LAST_NS - zero + (zero ? s->shift : 0);
	if (s->first_at > s->last_at)
		s->last_at = s->first_at;
	/* So that place() counts the first stamp, too */
	if (before > most)
		s->first = -most;
}

__u64 import_stamps_place(struct import_stamps *s, __u64 ts)
{
	const __u64 later = ts - s->first, earlier = s->first - ts;
	/* A clock may pass 2^63, and the whole range of one may be longer than that. */
	const bool is_later = !is_negative(later) || (__s64)ts >= (__s64)s->first;

	if (!is_later && earlier > s->first_at) {
		s->early++;
		return 0;
	}
	if (is_later && later > s->last_at - s->first_at) {
		s->late++;
		return s->last_at;
	}
	return s->first_at + later;
}

bool import_stamps_say(const struct import_stamps *s, struct ktrace_out *out)
{
	const bool is_old = is_negative(s->real_ns);

	if (is_old)
		ktrace_out_str(out, "its clock begins before 1970: times count from its zero");
	if (is_old && (s->early || s->late))
		ktrace_out_str(out, "; ");
	if (s->early || s->late) {
		ktrace_out_u64(out, s->early + s->late);
		ktrace_out_str(out, " stamps are too ");
		ktrace_out_str(out, !s->late ? "early" : s->early ? "early or too late" : "late");
		ktrace_out_str(out, " for a tracefile, and have the nearest time that it can have");
	}
	return is_old || s->early || s->late;
}
