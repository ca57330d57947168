// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * match.c - programs of filters: check them, and evaluate them for an event
 *
 * A program is checked as a whole, once, and then run in any context. Steps only go forwards,
 * so a run does each comparison at most once. It reads nothing of a payload beyond the payload's
 * length, which is only known then and not when the program is checked.
 */
#include "match.h"
#include "pattern.h"

static bool is_text(__u32 what)
{
	return what == KTRACE_MATCH_TEXT || what == KTRACE_MATCH_COMM;
}

/* ---- checking ---- */

static bool number_is_right(const struct ktrace_match_step *s)
{
	const bool is_payload = s->what == KTRACE_MATCH_NUMBER;
	const __u32 flags = KTRACE_MATCH_NEGATIVE | (is_payload ? KTRACE_MATCH_SIGNED : 0);

	if (s->op > KTRACE_MATCH_HAS || s->flags & ~flags || s->text_off || s->text_len)
		return false;
	if (!is_payload)
		return !s->off && !s->size;
	return s->size == 1 || s->size == 2 || s->size == 4 || s->size == 8;
}

static bool text_is_right(const struct ktrace_match_step *s, __u32 text_size)
{
	const bool is_payload = s->what == KTRACE_MATCH_TEXT;
	const __u32 far = KTRACE_MATCH_FAR | KTRACE_MATCH_REL;
	const __u32 flags = is_payload ? KTRACE_MATCH_WHOLE | far : 0;

	if (s->op != KTRACE_MATCH_EQ && s->op != KTRACE_MATCH_NE && s->op != KTRACE_MATCH_LIKE)
		return false;
	if (s->flags & ~flags || s->value || (s->flags & far) == KTRACE_MATCH_REL)
		return false;
	if (s->text_len > text_size || s->text_off > text_size - s->text_len)
		return false;
	if (!is_payload)
		return !s->off && !s->size;
	return s->size && s->size <= KTRACE_MATCH_SIZE_MAX;
}

/* At most; a "[" that is not closed has its pattern looked through to the end. */
static __u32 work_of(const struct ktrace_match_step *s, const char *texts)
{
	const __u32 room = s->what == KTRACE_MATCH_COMM ? KTRACE_MATCH_COMM_LEN : s->size;
	__u32 i, work = s->text_len;

	for (i = 0; i < s->text_len; i++)
		if (texts[s->text_off + i] == '[')
			work = s->text_len * s->text_len;
	return work > KTRACE_MATCH_WORK_MAX / room ? KTRACE_MATCH_WORK_MAX + 1 : work * room;
}

/**
 * kt_match_check - can the program be run?
 * @m:		the program
 * @text_size:	bytes of its texts
 *
 * Context: any.
 * Return: whether it is as <linux/ktrace_match.h> has it.
 */
bool kt_match_check(const struct kt_match *m, __u32 text_size)
{
	const struct ktrace_match_step *s = m->steps;
	__u32 i, work = 0;

	if (!m->step_nr || m->step_nr > KTRACE_MATCH_STEPS_MAX ||
	    text_size > KTRACE_MATCH_TEXTS_MAX)
		return false;
	for (i = 0; i < m->step_nr; i++, s++) {
		if (s->what >= KTRACE_MATCH_WHAT_NR || s->op >= KTRACE_MATCH_OP_NR || s->reserved)
			return false;
		if (s->yes <= i || s->no <= i || s->yes > m->step_nr + 1 ||
		    s->no > m->step_nr + 1)
			return false;
		if (!(is_text(s->what) ? text_is_right(s, text_size) : number_is_right(s)))
			return false;
		if (s->op == KTRACE_MATCH_LIKE)
			work += work_of(s, m->texts);
		if (work > KTRACE_MATCH_WORK_MAX)
			return false;
	}
	return true;
}

/** kt_match_asks - does the program ask for that? @what: enum ktrace_match_what */
bool kt_match_asks(const struct kt_match *m, __u32 what)
{
	__u32 i;

	for (i = 0; i < m->step_nr; i++)
		if (m->steps[i].what == what)
			return true;
	return false;
}

/* ---- text ---- */

static __u32 length(const char *s, __u32 max)
{
	__u32 n = 0;

	while (n < max && s[n])
		n++;
	return n;
}

static bool compare_text(const struct kt_match *m, const struct ktrace_match_step *step,
			 const char *s, __u32 len)
{
	const char *text = m->texts + step->text_off;

	if (step->op == KTRACE_MATCH_LIKE)
		return kt_pattern_matches(s, len, text, step->text_len);
	return (len == step->text_len && !memcmp(s, text, len)) == (step->op == KTRACE_MATCH_EQ);
}

static bool test_text(const struct kt_match *m, const struct ktrace_match_step *step,
		      const struct kt_match_event *e)
{
	__u32 off = step->off, room = step->size, place;

	if (step->flags & KTRACE_MATCH_FAR) {
		if (e->len < sizeof(place) || off > e->len - sizeof(place))
			return false;
		kt_memcpy(&place, e->payload + off, sizeof(place));
		off = place & 0xffff;
		if (step->flags & KTRACE_MATCH_REL)
			off += step->off + sizeof(place);
		room = place >> 16 < room ? place >> 16 : room;
	}
	/* Empty, wherever it is: no bytes could be missing. */
	if (!room)
		return compare_text(m, step, "", 0);
	if (off >= e->len)
		return false;
	if (room > e->len - off)
		room = e->len - off;
	if (!(step->flags & KTRACE_MATCH_WHOLE))
		room = length(e->payload + off, room);
	return compare_text(m, step, e->payload + off, room);
}

/* ---- numbers ---- */

/* struct number - an integer of 65 bits: @bits, and if @is_negative minus 2^64 */
struct number {
	__u64 bits;
	bool is_negative;
};

static bool take_number(const struct ktrace_match_step *step, const struct kt_match_event *e,
			struct number *n)
{
	const __u32 unused = 64 - 8 * step->size;

	if (e->len < step->size || step->off > e->len - step->size)
		return false;
	n->bits = 0;
	switch (step->size) {
	case 1: {
		__u8 v;

		kt_memcpy(&v, e->payload + step->off, sizeof(v));
		n->bits = v;
		break;
	}
	case 2: {
		__u16 v;

		kt_memcpy(&v, e->payload + step->off, sizeof(v));
		n->bits = v;
		break;
	}
	case 4: {
		__u32 v;

		kt_memcpy(&v, e->payload + step->off, sizeof(v));
		n->bits = v;
		break;
	}
	default:
		kt_memcpy(&n->bits, e->payload + step->off, sizeof(n->bits));
	}
	if (step->flags & KTRACE_MATCH_SIGNED) {
		n->bits = (__u64)((__s64)(n->bits << unused) >> unused);
		n->is_negative = (__s64)n->bits < 0;
	}
	return true;
}

static bool find_number(const struct ktrace_match_step *step, const struct kt_match_event *e,
			struct number *n)
{
	switch (step->what) {
	case KTRACE_MATCH_NUMBER:
		return take_number(step, e, n);
	case KTRACE_MATCH_PID:
		n->bits = e->pid;
		return true;
	case KTRACE_MATCH_TID:
		n->bits = e->tid;
		return true;
	case KTRACE_MATCH_CPU:
		n->bits = e->cpu;
		return true;
	case KTRACE_MATCH_FLAGS:
		n->bits = e->flags;
		return true;
	case KTRACE_MATCH_UID:
		n->bits = e->uid;
		return e->has_owner;
	default:
		n->bits = e->cgroup;
		return e->has_owner;
	}
}

static bool test_number(const struct ktrace_match_step *step, const struct kt_match_event *e)
{
	const bool below = step->flags & KTRACE_MATCH_NEGATIVE;
	struct number n = { 0, false };
	bool is_less, is_equal;

	if (!find_number(step, e, &n))
		return false;
	is_equal = n.is_negative == below && n.bits == step->value;
	is_less = n.is_negative != below ? n.is_negative : n.bits < step->value;
	switch (step->op) {
	case KTRACE_MATCH_EQ:
		return is_equal;
	case KTRACE_MATCH_NE:
		return !is_equal;
	case KTRACE_MATCH_LT:
		return is_less;
	case KTRACE_MATCH_LE:
		return is_less || is_equal;
	case KTRACE_MATCH_GT:
		return !is_less && !is_equal;
	case KTRACE_MATCH_GE:
		return !is_less;
	default:
		return n.bits & step->value;
	}
}

/**
 * kt_match_run - does a program want an event?
 * @m:		the program, checked
 * @e:		the event
 *
 * Context: any.
 */
bool kt_match_run(const struct kt_match *m, const struct kt_match_event *e)
{
	const struct ktrace_match_step *step;
	bool is_true;
	__u32 i = 0;

	while (i < m->step_nr) {
		step = &m->steps[i];
		if (step->what == KTRACE_MATCH_TEXT)
			is_true = test_text(m, step, e);
		else if (step->what == KTRACE_MATCH_COMM)
			is_true = compare_text(m, step, e->comm,
					       length(e->comm, KTRACE_MATCH_COMM_LEN));
		else
			is_true = test_number(step, e);
		i = is_true ? step->yes : step->no;
	}
	return i == m->step_nr;
}
