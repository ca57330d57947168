// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_match.c - hostile programs of filters, and hostile payloads for them
 *
 * The input is the number of comparisons, the length of the texts, what is known of who runs,
 * the texts, the comparisons, and a payload. If what is known is odd, most of what is wrong
 * with the comparisons is mended, as hardly any would be accepted. All of it lies in memory of
 * just its size. What the check accepts ends
 * with the work that it may do, says the same twice, and looks at nothing beyond.
 */
#include <linux/ktrace_match.h>

#include "fuzz.h"

#include "match/filter_vm.h"

/* What a comparison has begun may take more, but only so much. */
#define OVERRUN 16

/* A copy of the next @n bytes, zeros behind the end, in memory of its own. */
static void *take(struct input *in, size_t n)
{
	const size_t there = n < input_left(in) ? n : input_left(in);
	char *copy = calloc(1, n + !n);

	REQUIRE(copy);
	memcpy(copy, in->at, there);
	in->at += there;
	return copy;
}

static void mend(struct ktrace_match_step *s, __u32 i, __u32 step_nr, __u32 text_size)
{
	const bool is_payload = s->what % KTRACE_MATCH_WHAT_NR <= KTRACE_MATCH_TEXT;
	bool is_text;

	s->what %= KTRACE_MATCH_WHAT_NR;
	is_text = s->what == KTRACE_MATCH_TEXT || s->what == KTRACE_MATCH_COMM;
	s->op = is_text ? (s->op % 3 == 2 ? KTRACE_MATCH_LIKE : s->op % 3) : s->op % 7;
	s->flags &= !is_payload ? (is_text ? 0 : 2) : is_text ? 12 : 3;
	s->reserved = 0;
	s->yes = (__u16)(i + 1 + s->yes % (step_nr + 1 - i));
	s->no = (__u16)(i + 1 + s->no % (step_nr + 1 - i));
	s->off = is_payload ? s->off : 0;
	s->size = !is_payload ? 0 : is_text ? s->size % 64 + 1 : 1u << s->size % 4;
	s->value = is_text ? 0 : s->value;
	s->text_len = is_text ? s->text_len % (text_size + 1) : 0;
	s->text_off = is_text ? s->text_off % (text_size - s->text_len + 1) : 0;
}

static void check_accepted(const struct kt_filter_vm *m)
{
	for (__u32 i = 0; i < m->step_nr; i++) {
		REQUIRE(m->steps[i].yes > i && m->steps[i].yes <= m->step_nr + 1);
		REQUIRE(m->steps[i].no > i && m->steps[i].no <= m->step_nr + 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	const __u32 step_nr = (__u32)input_any(&in) % (KTRACE_MATCH_STEPS_MAX + 2);
	const __u32 text_size = (__u32)input_any(&in) % (KTRACE_MATCH_TEXTS_MAX + 2);
	struct kt_filter_vm_event e = { .comm = "0123456789abcdef" };
	struct ktrace_match_step *steps;
	char *texts, *payload;
	struct kt_filter_vm m;
	__s64 work = KTRACE_MATCH_WORK_MAX, left;
	bool says;

	e.pid = e.tid = e.cpu = e.uid = (__u32)input_any(&in);
	e.cgroup = e.pid;
	e.has_owner = e.pid & 1;
	e.flags = e.pid << 24;
	memset(e.comm, (int)e.pid, e.pid % (sizeof(e.comm) + 1));
	texts = take(&in, text_size);
	steps = take(&in, step_nr * sizeof(*steps));
	for (__u32 i = 0; i < step_nr && e.pid & 1; i++)
		mend(&steps[i], i, step_nr, text_size);
	e.len = (__u32)input_left(&in);
	e.payload = payload = take(&in, e.len);
	m = (struct kt_filter_vm){ steps, step_nr, texts };
	if (kt_filter_vm_check(&m, text_size)) {
		check_accepted(&m);
		says = kt_filter_vm_run(&m, &e, &work);
		left = work;
		REQUIRE(left > -OVERRUN && (left >= 0 || says));
		work = KTRACE_MATCH_WORK_MAX;
		REQUIRE(says == kt_filter_vm_run(&m, &e, &work) && left == work);
		REQUIRE(kt_filter_vm_asks(&m, steps[0].what));
	}
	free(payload);
	free(steps);
	free(texts);
	return 0;
}
