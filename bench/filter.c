// SPDX-License-Identifier: GPL-2.0
/*
 * filter.c - what the worst filter that a user can load takes for an event
 *
 *   filter          samples of bench/run: filter.worst, out of the kernel
 *   filter kernel   in a guest with ktrace.ko and kbench.ko: ticks of 1000 events with the worst
 *
 * Programs that are made to be slow: each step goes on to the next, so that they end when the work
 * is used up. Some are longer than may be loaded, because how they end is the same. Each kind is
 * tried; the worst one counts, of which the least of many runs is taken.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <ktrace/device.h>
#include <linux/ktrace.h>
#include <linux/ktrace_events.h>

#include "match/filter_vm.h"

#define NELEM(a) (sizeof(a) / sizeof((a)[0]))
#define KBENCH "/sys/module/kbench/parameters/"

enum { REPETITIONS = 10, ROUNDS = 100, RUNS = 1000, ROOM = 4096, LOGEVENT_ROOM = 8 };

/**
 * struct bad - a kind of program
 * @what:	enum ktrace_match_what, of each step
 * @size:	of what it looks at; 0 = the largest there is room for
 * @text:	that it is compared with: a pattern, or a letter that is repeated @size times
 * @is_mixed:	numbers of all sizes, and user ids, in no order
 */
struct bad {
	__u8 what;
	__u32 size;
	const char *text;
	bool is_mixed;
};

static const struct bad all[] = {
	{ KTRACE_MATCH_NUMBER, 8, NULL, false },
	{ KTRACE_MATCH_NUMBER, 8, NULL, true },
	{ KTRACE_MATCH_COMM, 15, "a", false },
	{ KTRACE_MATCH_COMM, 1, "a", false },
	{ KTRACE_MATCH_TEXT, 1, "a", false },
	{ KTRACE_MATCH_TEXT, 7, "a", false },
	{ KTRACE_MATCH_TEXT, 8, "a", false },
	{ KTRACE_MATCH_TEXT, 30, "a", false },
	{ KTRACE_MATCH_TEXT, 100, "a", false },
	{ KTRACE_MATCH_TEXT, 1000, "a", false },
	{ KTRACE_MATCH_TEXT, 3900, "a", false },
	{ KTRACE_MATCH_COMM, 0, "*a*a*a*b", false },
	{ KTRACE_MATCH_TEXT, 0, "*a*a*a*b", false },
	{ KTRACE_MATCH_COMM, 0, "*[a-z][a-z][!b]x", false },
	{ KTRACE_MATCH_TEXT, 0, "*[a-z][a-z][!b]x", false },
	{ KTRACE_MATCH_COMM, 0, "[a-bc-de-fg-hi-jk-la]*b", false },
	{ KTRACE_MATCH_TEXT, 0, "[a-bc-de-fg-hi-jk-la]*b", false },
	{ KTRACE_MATCH_COMM, 0, "*aaaaaaab", false },
	{ KTRACE_MATCH_TEXT, 0, "*aaaaaaab", false },
	{ KTRACE_MATCH_COMM, 0, "[bcdefghijklmnopqrstuvwxyza]*[bcdefghijklmnopqrstuvwxyz]", false },
	{ KTRACE_MATCH_TEXT, 0, "[bcdefghijklmnopqrstuvwxyza]*[bcdefghijklmnopqrstuvwxyz]", false },
	{ KTRACE_MATCH_COMM, 0, "????????????????", false },
	{ KTRACE_MATCH_TEXT, 0, "????????????????", false },
	{ KTRACE_MATCH_COMM, 0, "*\\a\\a\\b", false },
	{ KTRACE_MATCH_TEXT, 0, "*\\a\\a\\b", false },
};

static const char name[] = "aaaaaaaaaaaaaaa";

struct program {
	struct ktrace_match_step steps[KTRACE_MATCH_STEPS_MAX];
	char texts[KTRACE_MATCH_TEXTS_MAX];
	__u32 step_nr;
};

static void die(const char *what)
{
	fprintf(stderr, "filter: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void set_number(struct ktrace_match_step *s, const struct bad *b, __u32 room)
{
	const bool is_uid = b->is_mixed && rand() % 2;

	s->what = is_uid ? KTRACE_MATCH_UID : KTRACE_MATCH_NUMBER;
	s->op = b->is_mixed && rand() % 2 ? KTRACE_MATCH_EQ : KTRACE_MATCH_LT;
	s->size = is_uid ? 0 : b->is_mixed ? 1u << rand() % 4 : b->size;
	s->flags = is_uid ? 0 : KTRACE_MATCH_SIGNED | KTRACE_MATCH_NEGATIVE;
	s->off = is_uid || room < 16 ? 0 : 3;
	s->value = 77;
}

static void set_text(struct ktrace_match_step *s, const struct bad *b, __u32 text_len, __u32 room)
{
	s->what = b->what;
	s->op = b->size ? KTRACE_MATCH_EQ : KTRACE_MATCH_LIKE;
	s->text_len = text_len;
	if (b->what != KTRACE_MATCH_TEXT)
		return;
	s->off = room < 16 ? 0 : 3;
	s->size = b->size ? b->size : room - s->off;
}

/* False: there is no room for it in the payload. */
static bool make(struct program *p, const struct bad *b, __u32 room)
{
	const __u32 text_len = !b->text ? 0 : b->size ? b->size : (__u32)strlen(b->text);

	if (b->what != KTRACE_MATCH_COMM && b->size > room - (room < 16 ? 0 : 3))
		return false;
	memset(p, 0, sizeof(*p));
	p->step_nr = KTRACE_MATCH_STEPS_MAX;
	for (__u32 i = 0; i < p->step_nr; i++) {
		struct ktrace_match_step *s = &p->steps[i];

		s->yes = s->no = (__u16)(i + 1 < p->step_nr ? i + 1 : p->step_nr + 1);
		if (b->text)
			set_text(s, b, text_len, room);
		else
			set_number(s, b, room);
	}
	if (b->size && b->text) {
		memset(p->texts, 'a', text_len);
		p->texts[text_len - 1] = 'b';
	} else if (b->text) {
		memcpy(p->texts, b->text, text_len);
	}
	return true;
}

/* ---- out of the kernel ---- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double measure(const struct program *p)
{
	static char payload[ROOM];
	struct kt_filter_vm_event e = { .payload = payload, .len = ROOM, .has_owner = true };
	const struct kt_filter_vm m = { p->steps, p->step_nr, p->texts };
	double best = 1e18, begin, ns;
	volatile bool is_wanted;

	memset(payload, 'a', sizeof(payload));
	memcpy(e.comm, name, sizeof(name));
	for (int round = 0; round < ROUNDS; round++) {
		begin = now();
		for (int i = 0; i < RUNS; i++) {
			__s64 work = KTRACE_MATCH_WORK_MAX;

			is_wanted = kt_filter_vm_run(&m, &e, &work);
		}
		ns = (now() - begin) / RUNS;
		best = ns < best ? ns : best;
	}
	(void)is_wanted;
	return best;
}

static void measure_all(void)
{
	const int repetitions = getenv("BENCH_QUICK") ? 2 : REPETITIONS;
	static struct program p;
	double worst, ns;
	size_t which, i;

	for (int r = 0; r < repetitions; r++) {
		worst = 0;
		which = 0;
		for (i = 0; i < NELEM(all); i++) {
			if (!make(&p, &all[i], ROOM))
				continue;
			ns = measure(&p);
			which = ns > worst ? i : which;
			worst = ns > worst ? ns : worst;
		}
		printf("filter.worst\tktrace\tns\t%.1f\n", worst);
		fflush(stdout);
		fprintf(stderr, "filter: worst is %s of %u, %.1f ns\n",
			all[which].text ? all[which].text : "numbers", all[which].size, worst);
	}
}

/* ---- in the kernel ---- */

static int begin_recording(void)
{
	struct ktrace_channel_spec spec = {
		.size = sizeof(spec), .kind = KTRACE_CHANNEL_KERNEL, .ring_size = 1 << 16,
		.block_size = 1 << 12, .policy = KTRACE_POLICY_OVERWRITE,
	};
	struct ktrace_enable enable = { .id = KTRACE_EV_LOGEVENT, .on = 1 };
	__s32 everybody = KTRACE_FOLLOW_ALL;
	int fd = open(KTRACE_DEVICE, O_RDWR);

	if (fd < 0 || ioctl(fd, KTRACE_IOC_CHANNEL, &spec) ||
	    ioctl(fd, KTRACE_IOC_ENABLE, &enable) || ioctl(fd, KTRACE_IOC_FOLLOW, &everybody) ||
	    ioctl(fd, KTRACE_IOC_START))
		die(KTRACE_DEVICE);
	return fd;
}

static unsigned long count(void)
{
	int run = open(KBENCH "run", O_WRONLY);
	FILE *ticks = fopen(KBENCH "ticks", "r");
	unsigned long n;

	if (run < 0 || !ticks || write(run, "logevent", 8) != 8 || fscanf(ticks, "%lu", &n) != 1)
		die(KBENCH);
	close(run);
	fclose(ticks);
	return n;
}

/* As many steps as may be loaded. */
static void load(int fd, struct program *p)
{
	struct ktrace_kernel_filter f = {
		.size = sizeof(f), .id = KTRACE_EV_LOGEVENT, .text_size = sizeof(p->texts),
		.steps = (uintptr_t)p->steps, .texts = (uintptr_t)p->texts,
	};

	do {
		if (!p->step_nr)
			die("no program is short enough");
		for (__u32 i = p->step_nr - 1; i < p->step_nr; i++)
			p->steps[i].yes = p->steps[i].no = (__u16)(p->step_nr + 1);
		f.step_nr = (__u16)p->step_nr--;
	} while (ioctl(fd, KTRACE_IOC_FILTER, &f));
}

static void measure_in_kernel(void)
{
	static struct program p;
	const int fd = begin_recording();
	unsigned long worst = 0, n;

	prctl(PR_SET_NAME, name);
	for (size_t i = 0; i < NELEM(all); i++) {
		if (!make(&p, &all[i], LOGEVENT_ROOM))
			continue;
		load(fd, &p);
		n = count();
		worst = n > worst ? n : worst;
	}
	printf("%lu\n", worst);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "kernel"))
		measure_in_kernel();
	else
		measure_all();
	return 0;
}
