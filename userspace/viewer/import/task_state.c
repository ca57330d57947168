// SPDX-License-Identifier: GPL-2.0
/*
 * task_state.c - converts task states of sched_switch
 *
 * Bits up to 32 never changed, apart from those of dead threads. Above them, each numbering has
 * its own; Documentation/formats.md has the table.
 */
#include "task_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/ktrace_events.h>

#define VERSION(major, minor) ((major) << 8 | (minor))
#define ONLY(numbering) (1u << (numbering))

/* Bits that all numberings but the index have in common */
enum { SLEEP = 1, DISK = 2, STOPPED = 4, TRACED = 8, EXITED = 16 | 32 };
/* Before 4.14; the bit above the last one of a release stands for preempted. */
enum { RAW_DEAD = 64, RAW_WAKEKILL = 128, RAW_WAKING = 256, RAW_PARKED = 512, RAW_NOLOAD = 1024,
       RAW_NEW = 2048 };
/* In tasks since 4.14 */
enum { LATER_PARKED = 64, LATER_DEAD = 128, LATER_WAKEKILL = 256, LATER_WAKING = 512,
       LATER_NOLOAD = 1024, LATER_NEW = 2048, LATER_PREEMPTED = 4096 };
/* As reported since 4.14 */
enum { REPORT_PARKED = 64, REPORT_IDLE = 128, REPORT_PREEMPTED = 256 };
/* Largest index, of REPORT_IDLE; the bit that 4.14 adds for preempted */
enum { INDEX_IDLE = 8, INDEX_PREEMPTED = 4096 };

/* True if the name is that of a kernel thread that waits in state idle. */
static bool is_idle_waiter(const char *comm)
{
	return !strncmp(comm, "kworker/", 8) || !strncmp(comm, "rcu_", 4) ||
	       !strncmp(comm, "rcuo", 4);
}

/* True if the name is that of a kernel thread of one CPU, "ksoftirqd/1": only such are parked. */
static bool is_of_cpu(const char *comm)
{
	const char *slash = strrchr(comm, '/');

	return slash && slash[1] >= '0' && slash[1] <= '9' && strncmp(comm, "kworker/", 8);
}

static __u32 low_state(__s64 bits)
{
	if (bits & EXITED)
		return KTRACE_TASK_DEAD;
	if (bits & TRACED)
		return KTRACE_TASK_TRACED;
	if (bits & STOPPED)
		return KTRACE_TASK_STOPPED;
	if (bits & SLEEP)
		return KTRACE_TASK_SLEEP;
	return bits & DISK ? KTRACE_TASK_DISK : KTRACE_TASK_RUNNABLE;
}

/* Returns the bit for a preempted thread, 0 = depends on what is set with it. */
static __s64 raw_preempted(const struct task_states *t)
{
	if (!t->version)
		return 0;
	if (t->version < VERSION(3, 9))
		return 512;
	if (t->version < VERSION(4, 2))
		return 1024;
	return t->version < VERSION(4, 8) ? 2048 : 4096;
}

/*
 * True if the thread was preempted. Of an unknown release, a single high bit means that, except
 * the bit of parked threads for those that can be parked.
 */
static bool is_raw_preempted(const struct task_states *t, __s64 bits, const char *comm)
{
	const __s64 preempted = raw_preempted(t);

	if (preempted)
		return bits & preempted;
	return bits > RAW_PARKED ? !(bits & (bits - 1)) : bits == RAW_PARKED && !is_of_cpu(comm);
}

static __u32 raw_state(const struct task_states *t, __s64 bits, const char *comm)
{
	if (is_raw_preempted(t, bits, comm))
		return KTRACE_TASK_RUNNABLE;
	if (bits & (EXITED | RAW_DEAD))
		return KTRACE_TASK_DEAD;
	if (bits & RAW_PARKED)
		return KTRACE_TASK_PARKED;
	if (bits & RAW_NOLOAD && !(bits & (SLEEP | STOPPED | TRACED)))
		return KTRACE_TASK_IDLE;
	if (low_state(bits) == KTRACE_TASK_RUNNABLE && bits & RAW_WAKEKILL)
		return KTRACE_TASK_DISK;
	return low_state(bits);
}

static __u32 raw_later_state(__s64 bits)
{
	if (bits & LATER_PREEMPTED)
		return KTRACE_TASK_RUNNABLE;
	if (bits & (EXITED | LATER_DEAD))
		return KTRACE_TASK_DEAD;
	if (bits & LATER_PARKED)
		return KTRACE_TASK_PARKED;
	if (bits & LATER_NOLOAD && !(bits & (SLEEP | STOPPED | TRACED)))
		return KTRACE_TASK_IDLE;
	if (low_state(bits) == KTRACE_TASK_RUNNABLE && bits & LATER_WAKEKILL)
		return KTRACE_TASK_DISK;
	return low_state(bits);
}

static __u32 report_state(__s64 bits)
{
	if (bits & REPORT_PREEMPTED)
		return KTRACE_TASK_RUNNABLE;
	if (bits & REPORT_IDLE)
		return KTRACE_TASK_IDLE;
	return bits & REPORT_PARKED ? KTRACE_TASK_PARKED : low_state(bits);
}

/* Idle, shifted, is the bit of preempted: the name decides. */
static __u32 shifted_state(__s64 bits, const char *comm)
{
	if (bits & REPORT_PREEMPTED)
		return is_idle_waiter(comm) ? KTRACE_TASK_IDLE : KTRACE_TASK_RUNNABLE;
	return report_state(bits >> 1);
}

static __u32 index_state(__s64 bits)
{
	if (bits & INDEX_PREEMPTED || bits <= 0 || bits > INDEX_IDLE)
		return KTRACE_TASK_RUNNABLE;
	return report_state(1ll << (bits - 1));
}

static __u32 state_by(const struct task_states *t, enum task_numbering by, __s64 bits,
		      const char *comm)
{
	switch (by) {
	case TASK_RAW:
		return raw_state(t, bits, comm);
	case TASK_RAW_LATER:
		return raw_later_state(bits);
	case TASK_SHIFTED:
		return shifted_state(bits, comm);
	case TASK_INDEX:
		return index_state(bits);
	default:
		return report_state(bits);
	}
}

/* Reads "4.14.336-x"; 0: it does not begin with two numbers. */
static __u32 version_of(const char *release)
{
	unsigned int major, minor;

	if (!release || sscanf(release, "%3u.%3u", &major, &minor) != 2)
		return 0;
	return VERSION(major, minor < 255 ? minor : 255);
}

static bool is_lttng(const char *tool)
{
	return tool && !strncmp(tool, "lttng", 5);
}

void task_states_init(struct task_states *t, const char *release, const char *tool)
{
	const __u32 version = version_of(release);

	*t = (struct task_states){ .likely = TASK_REPORT, .version = version };
	if (version)
		snprintf(t->release, sizeof(t->release), "%s", release);
	if (version && version < VERSION(4, 14))
		t->likely = TASK_RAW;
	t->possible = ONLY(t->likely);
	/* LTTng-modules read the state themselves, and had a fault of their own. */
	if (is_lttng(tool)) {
		if (!version || (version >= VERSION(4, 14) && version < VERSION(5, 4)))
			t->possible |= ONLY(TASK_RAW_LATER) | (version ? 0 : ONLY(TASK_RAW));
		return;
	}
	if (!version)
		t->possible |= ONLY(TASK_RAW);
	if (version == VERSION(4, 14))
		t->possible |= ONLY(TASK_RAW) | ONLY(TASK_INDEX) | ONLY(TASK_SHIFTED);
	if (version > VERSION(4, 14) && version < VERSION(5, 0))
		t->possible |= ONLY(TASK_SHIFTED);
	/* Stable kernels of 4.19, and those after it, have it right. */
	if (version > VERSION(4, 14) && version < VERSION(4, 19))
		t->likely = TASK_SHIFTED;
}

static void rule_out(struct task_states *t, __u32 numberings)
{
	if (t->possible & ~numberings)
		t->possible &= ~numberings;
	while (!(t->possible & ONLY(t->likely)))
		t->likely = (t->likely + 1) % TASK_NUMBERING_NR;
}

/* Finds the letter that a description gives to a bit, as in { 0x0040, "P" }; 0: none */
static char letter_of(const char *print_fmt, unsigned long bit)
{
	const char *at = strstr(print_fmt, "prev_state &");
	unsigned long value;
	char *end;

	while (at && (at = strchr(at, '{'))) {
		value = strtoul(++at, &end, 0);
		end += strspn(end, " ,");
		if (end != at && value == bit && *end == '"')
			return end[1];
	}
	return 0;
}

void task_states_print_fmt(struct task_states *t, const char *print_fmt)
{
	switch (letter_of(print_fmt, 64)) {
	case 'x':
		rule_out(t, ~ONLY(TASK_RAW));
		break;
	case 'P':
		rule_out(t, ONLY(TASK_RAW));
		break;
	}
}

static bool has(const __u32 *list, __u32 nr, __u32 tid)
{
	for (__u32 i = 0; i < nr && i < TASK_STATES_ENDED; i++)
		if (list[i] == tid)
			return true;
	return false;
}

static void add(__u32 *list, __u32 *nr, __u32 tid)
{
	list[(*nr)++ % TASK_STATES_ENDED] = tid;
	if (*nr == 2 * TASK_STATES_ENDED)
		*nr = TASK_STATES_ENDED;
}

/* Returns numberings that cannot have this number, whatever the thread. */
static __u32 of_number(__s64 bits)
{
	const bool is_one = !(bits & (bits - 1));

	if (bits == INDEX_PREEMPTED)
		return ONLY(TASK_REPORT) | ONLY(TASK_SHIFTED);
	if (bits > REPORT_PREEMPTED || !is_one)
		return ONLY(TASK_REPORT) | ONLY(TASK_SHIFTED) | ONLY(TASK_INDEX);
	/* A task has bits of exit_state, WAKEKILL and WAKING alone at no switch. */
	if (bits == 16 || bits == 32 || bits == REPORT_PREEMPTED)
		return ONLY(TASK_RAW) | ONLY(TASK_RAW_LATER) | ONLY(TASK_INDEX);
	if (bits == REPORT_IDLE)
		return ONLY(TASK_RAW) | ONLY(TASK_INDEX);
	if (bits > INDEX_IDLE)
		return ONLY(TASK_INDEX);
	return bits ? 0 : ONLY(TASK_SHIFTED);
}

static __u32 of_thread(const struct task_states *t, const struct task_switch *s)
{
	const bool has_ended = has(t->ended, t->ended_nr, s->prev_tid);

	if (has_ended && s->bits == 64)
		return ONLY(TASK_REPORT) | ONLY(TASK_RAW_LATER) | ONLY(TASK_INDEX);
	if (has_ended && s->bits == 128)
		return ~ONLY(TASK_RAW_LATER);
	if (is_idle_waiter(s->prev_comm) && s->bits == REPORT_IDLE)
		return ~ONLY(TASK_REPORT);
	return 0;
}

/*
 * Finds what only one of the faulty numberings has: the idle thread, which is always runnable, as
 * sleeping; two bits at once that no task has; a worker that is traced. Of kernels whose release
 * says that they are right, nothing is searched for.
 */
static void find_fault(struct task_states *t, const struct task_switch *s)
{
	const __u32 all = ONLY(TASK_SHIFTED) | ONLY(TASK_INDEX);
	enum task_numbering found = TASK_REPORT;

	if (t->version && !(t->possible & all))
		return;
	if (!s->prev_tid && s->bits == 1 && !strncmp(s->prev_comm, "swapper", 7))
		found = TASK_SHIFTED;
	else if (s->bits == 3 || (s->bits > 4 && s->bits < INDEX_IDLE) ||
		 (s->bits == INDEX_IDLE && is_idle_waiter(s->prev_comm)))
		found = TASK_INDEX;
	if (found == TASK_REPORT || t->possible == ONLY(found))
		return;
	if (task_states_is_known(t))
		t->guessed += t->converted;
	t->possible = ONLY(found);
	t->likely = found;
}

void task_states_switch(struct task_states *t, const struct task_switch *s)
{
	/* It was parked, so it had not ended. */
	if (has(t->waiting, t->waiting_nr, s->next_tid))
		rule_out(t, ONLY(TASK_RAW) | ONLY(TASK_SHIFTED));
	if (!s->is_bits)
		return;
	find_fault(t, s);
	rule_out(t, of_number(s->bits));
	rule_out(t, of_thread(t, s));
	if (s->prev_tid && s->bits == 64)
		add(t->waiting, &t->waiting_nr, s->prev_tid);
}

void task_states_exit(struct task_states *t, __u32 tid)
{
	add(t->ended, &t->ended_nr, tid);
}

bool task_states_is_known(const struct task_states *t)
{
	return !(t->possible & (t->possible - 1));
}

bool task_states_agree(const struct task_states *t, __s64 bits, const char *comm)
{
	const __u32 state = state_by(t, t->likely, bits, comm);

	for (int i = 0; i < TASK_NUMBERING_NR; i++)
		if (t->possible & ONLY(i) && state_by(t, i, bits, comm) != state)
			return false;
	return true;
}

__u32 task_states_convert(struct task_states *t, __s64 bits, const char *comm)
{
	const __u32 state = state_by(t, t->likely, bits, comm);

	t->converted++;
	if (!task_states_agree(t, bits, comm))
		t->guessed++;
	else if (!t->version && (state != report_state(bits) || state != raw_state(t, bits, comm)))
		t->settled++;
	return state;
}

/*
 * What each letter means; the first ones in the list win. R, W (waking) and what is preempted can
 * run. Before 3.13, the kernel printed W for K.
 */
static const struct letter {
	char letter;
	__u32 state;
} letters[] = {
	{ '+', KTRACE_TASK_RUNNABLE },
	{ 'x', KTRACE_TASK_DEAD }, { 'X', KTRACE_TASK_DEAD }, { 'Z', KTRACE_TASK_DEAD },
	{ 'P', KTRACE_TASK_PARKED }, { 't', KTRACE_TASK_TRACED }, { 'T', KTRACE_TASK_STOPPED },
	{ 'S', KTRACE_TASK_SLEEP }, { 'I', KTRACE_TASK_IDLE }, { 'N', KTRACE_TASK_IDLE },
	{ 'D', KTRACE_TASK_DISK }, { 'K', KTRACE_TASK_DISK }, { 'R', KTRACE_TASK_RUNNABLE },
	{ 'W', KTRACE_TASK_RUNNABLE },
};

/* Returns the place in letters[] of a word such as D or R+, or of a bit without a letter, 0x400. */
static size_t place_of(const char *word, size_t len)
{
	const size_t nr = sizeof(letters) / sizeof(letters[0]);
	size_t i = 0;

	if (len && word[0] >= '0' && word[0] <= '9') {
		/* Linux 4.2 to 4.4 has no letter for no-load. */
		word = len == 5 && !memcmp(word, "0x400", 5) ? "N" : "?";
		len = 1;
	}
	while (i < nr && !memchr(word, letters[i].letter, len))
		i++;
	return i;
}

__u32 task_state_letters(const char *text, size_t len)
{
	const size_t nr = sizeof(letters) / sizeof(letters[0]);
	size_t first = nr, place, n;

	for (; len; text += n, len -= n) {
		n = 0;
		while (n < len && text[n] != '|')
			n++;
		place = place_of(text, n);
		first = place < first ? place : first;
		n += n < len;
	}
	return first < nr ? letters[first].state : KTRACE_TASK_DISK;
}

static const char *name_of(enum task_numbering numbering)
{
	static const char *const names[] = {
		[TASK_RAW] = "Linux before 4.14", [TASK_RAW_LATER] = "LTTng-modules before 2.10.12",
		[TASK_REPORT] = "Linux 4.14 and later", [TASK_SHIFTED] = "Linux 4.15 to 4.19",
		[TASK_INDEX] = "early Linux 4.14",
	};

	return names[numbering];
}

bool task_states_say(const struct task_states *t, struct ktrace_out *out)
{
	if (!t->guessed && !t->settled)
		return false;
	if (t->version) {
		ktrace_out_str(out, "the kernel's release ");
		ktrace_out_str(out, t->release);
		ktrace_out_str(out, " does not tell how it numbers task states");
	} else {
		ktrace_out_str(out, "the kernel's release is unknown");
	}
	ktrace_out_str(out, ": task states are read as those of ");
	ktrace_out_str(out, name_of(t->likely));
	if (t->guessed) {
		ktrace_out_str(out, "; ");
		ktrace_out_u64(out, t->guessed);
		ktrace_out_str(out, " switches may have another state");
	} else {
		ktrace_out_str(out, ", as the switches show");
	}
	return true;
}
