// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * filter_vm.c - checks filter programs, and evaluates them for an event
 *
 * A program is checked as a whole, once, and then run in any context. Steps only go forwards, so a
 * run does each comparison at most once. It reads nothing beyond the payload's length, which is
 * only known then and not when the program is checked.
 */
#include "filter_vm.h"
#include "glob.h"

static bool is_text(__u32 what)
{
	return what == KTRACE_MATCH_TEXT || what == KTRACE_MATCH_COMM;
}

/* Returns the words that a text of @bytes and its NUL take. */
static __u32 vm_words(__u32 bytes)
{
	return bytes / sizeof(__u64) + 1;
}

static void vm_lift(__u16 *to, __u32 least)
{
	if (*to < least)
		*to = (__u16)least;
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

/*
 * Returns the work that the check counts for a step. A glob counts each byte of its pattern once;
 * what it really takes depends on the text.
 */
static __u32 work_of(const struct ktrace_match_step *s)
{
	__u32 work = KTRACE_MATCH_WORK_STEP;

	if (is_text(s->what))
		work += KTRACE_MATCH_WORK_TEXT +
			(s->op == KTRACE_MATCH_LIKE ?
				 s->text_len * KTRACE_MATCH_WORK_GLOB :
				 vm_words(s->text_len) * KTRACE_MATCH_WORK_WORD);
	return work;
}

/* True if no way through an otherwise valid program takes more than KTRACE_MATCH_WORK_MAX. */
static bool work_is_right(const struct kt_filter_vm *m)
{
	__u16 before[KTRACE_MATCH_STEPS_MAX + 2] = { 0 };
	__u32 i, work;

	for (i = 0; i < m->step_nr; i++) {
		work = before[i] + work_of(&m->steps[i]);
		if (work > KTRACE_MATCH_WORK_MAX)
			return false;
		vm_lift(&before[m->steps[i].yes], work);
		vm_lift(&before[m->steps[i].no], work);
	}
	return true;
}

/**
 * kt_filter_vm_check - check whether a program can be run
 * @m:		the program
 * @text_size:	bytes of its texts
 *
 * Context: any.
 * Return: true if it is as <linux/ktrace_match.h> says.
 */
bool kt_filter_vm_check(const struct kt_filter_vm *m, __u32 text_size)
{
	const struct ktrace_match_step *s = m->steps;
	__u32 i;

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
	}
	return work_is_right(m);
}

/** kt_filter_vm_asks - true if the program asks for @what, of enum ktrace_match_what */
bool kt_filter_vm_asks(const struct kt_filter_vm *m, __u32 what)
{
	__u32 i;

	for (i = 0; i < m->step_nr; i++)
		if (m->steps[i].what == what)
			return true;
	return false;
}

/* ---- text ---- */

static bool has_nul(__u64 word)
{
	const __u64 ones = ~0ull / 0xff;

	return (word - ones) & ~word & ones << 7;
}

static __u32 vm_length(const char *s, __u32 max)
{
	__u32 n = 0;
	__u64 word;

	for (; max - n >= sizeof(word); n += sizeof(word)) {
		kt_memcpy(&word, s + n, sizeof(word));
		if (has_nul(word))
			break;
	}
	while (n < max && s[n])
		n++;
	return n;
}

/* Pays for reading @len bytes; returns false if there is not enough work left for that. */
static bool pay_for(__u32 len, __s64 *work)
{
	*work -= vm_words(len) * KTRACE_MATCH_WORK_WORD;
	return *work >= 0;
}

/* Limits @len to the work left. A text that reaches that limit can no longer be paid for. */
static __u32 vm_affordable(__u32 len, __s64 work)
{
	const __u64 most = (__u64)work / KTRACE_MATCH_WORK_WORD * sizeof(__u64);

	return len < most ? len : (__u32)most;
}

/*
 * Compares the text @s with the step's. One byte too many is enough to tell that they differ.
 * @has_end: a NUL may end @s before @room bytes. The result has no meaning if @work is below 0
 * afterwards.
 */
static bool compare_text(const struct kt_filter_vm *m, const struct ktrace_match_step *step,
			 const char *s, __u32 room, bool has_end, __s64 *work)
{
	const bool is_glob = step->op == KTRACE_MATCH_LIKE;
	const char *text = m->texts + step->text_off;
	__u32 len = room;

	*work -= KTRACE_MATCH_WORK_TEXT;
	if (*work < 0)
		return false;
	if (!is_glob && len > step->text_len)
		len = step->text_len + 1;
	if (has_end)
		len = vm_length(s, vm_affordable(len, *work));
	if ((has_end || !is_glob) && !pay_for(len, work))
		return false;
	if (is_glob)
		return kt_glob_try(s, len, text, step->text_len, work);
	return (len == step->text_len && !memcmp(s, text, len)) == (step->op == KTRACE_MATCH_EQ);
}

static bool test_text(const struct kt_filter_vm *m, const struct ktrace_match_step *step,
		      const struct kt_filter_vm_event *e, __s64 *work)
{
	__u32 off = step->off, room = step->size, place;

	if (step->flags & KTRACE_MATCH_FAR) {
		if (e->len < sizeof(place) || off > e->len - sizeof(place))
			return false;
		off = kt_nospec(off, e->len - sizeof(place) + 1);
		kt_memcpy(&place, e->payload + off, sizeof(place));
		off = place & 0xffff;
		if (step->flags & KTRACE_MATCH_REL)
			off += step->off + sizeof(place);
		room = place >> 16 < room ? place >> 16 : room;
	}
	/* An empty text may be anywhere: none of its bytes can be missing. */
	if (!room)
		return compare_text(m, step, "", 0, false, work);
	if (off >= e->len)
		return false;
	off = kt_nospec(off, e->len);
	if (room > e->len - off)
		room = e->len - off;
	return compare_text(m, step, e->payload + off, room,
			    !(step->flags & KTRACE_MATCH_WHOLE), work);
}

/* ---- numbers ---- */

/* struct number - an integer of 65 bits: @bits, minus 2^64 if @is_negative */
struct number {
	__u64 bits;
	bool is_negative;
};

static bool take_number(const struct ktrace_match_step *step, const struct kt_filter_vm_event *e,
			struct number *n)
{
	const __u32 unused = 64 - 8 * step->size;
	const char *at;

	if (e->len < step->size || step->off > e->len - step->size)
		return false;
	at = e->payload + kt_nospec(step->off, e->len - step->size + 1);
	n->bits = 0;
	switch (step->size) {
	case 1: {
		__u8 v;

		kt_memcpy(&v, at, sizeof(v));
		n->bits = v;
		break;
	}
	case 2: {
		__u16 v;

		kt_memcpy(&v, at, sizeof(v));
		n->bits = v;
		break;
	}
	case 4: {
		__u32 v;

		kt_memcpy(&v, at, sizeof(v));
		n->bits = v;
		break;
	}
	default:
		kt_memcpy(&n->bits, at, sizeof(n->bits));
	}
	if (step->flags & KTRACE_MATCH_SIGNED) {
		n->bits = (__u64)((__s64)(n->bits << unused) >> unused);
		n->is_negative = (__s64)n->bits < 0;
	}
	return true;
}

static bool find_number(const struct ktrace_match_step *step, const struct kt_filter_vm_event *e,
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

static bool test_number(const struct ktrace_match_step *step, const struct kt_filter_vm_event *e)
{
	enum { LESS = 1, EQUAL = 2, MORE = 4 };
	static const __u8 orders[] = {
		[KTRACE_MATCH_EQ] = EQUAL, [KTRACE_MATCH_NE] = LESS | MORE,
		[KTRACE_MATCH_LT] = LESS, [KTRACE_MATCH_LE] = LESS | EQUAL,
		[KTRACE_MATCH_GT] = MORE, [KTRACE_MATCH_GE] = EQUAL | MORE,
	};
	const bool below = step->flags & KTRACE_MATCH_NEGATIVE;
	struct number n = { 0, false };
	bool is_less, is_equal;

	if (!find_number(step, e, &n))
		return false;
	if (step->op == KTRACE_MATCH_HAS)
		return n.bits & step->value;
	is_equal = n.is_negative == below && n.bits == step->value;
	is_less = n.is_negative != below ? n.is_negative : n.bits < step->value;
	return orders[step->op] & (is_equal ? EQUAL : is_less ? LESS : MORE);
}

/* Evaluates a step. The result has no meaning if @work is below 0 afterwards. */
static bool test_step(const struct kt_filter_vm *m, const struct ktrace_match_step *step,
		      const struct kt_filter_vm_event *e, __s64 *work)
{
	*work -= KTRACE_MATCH_WORK_STEP;
	if (step->what == KTRACE_MATCH_TEXT)
		return test_text(m, step, e, work);
	if (step->what == KTRACE_MATCH_COMM)
		return compare_text(m, step, e->comm, KTRACE_MATCH_COMM_LEN, true, work);
	return test_number(step, e);
}

/**
 * kt_filter_vm_run - evaluate a program for an event
 * @m:		the program, checked
 * @e:		the event
 * @work:	work it may do, in units of KTRACE_MATCH_WORK_MAX; reduced by what it did
 *
 * Context: any.
 * Return: true if the program wants it, and if @work was not enough, which is then below 0.
 */
bool kt_filter_vm_run(const struct kt_filter_vm *m, const struct kt_filter_vm_event *e, __s64 *work)
{
	bool is_true;
	__u32 i = 0;

	while (i < m->step_nr && *work >= 0) {
		is_true = test_step(m, &m->steps[i], e, work);
		i = is_true ? m->steps[i].yes : m->steps[i].no;
	}
	return i == m->step_nr || *work < 0;
}
