// SPDX-License-Identifier: GPL-2.0
/* progress.c - how far a long command has got, on a terminal */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define WIDTH 40u
#define PERIOD_MS 100u

static __u64 now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (__u64)ts.tv_sec * 1000 + (__u64)ts.tv_nsec / 1000000;
}

void progress_begin(struct progress *p, bool prints_meanwhile)
{
	p->is_on = isatty(STDERR_FILENO) && !(prints_meanwhile && isatty(STDOUT_FILENO));
	p->is_shown = false;
	p->next = now_ms() + 5 * PERIOD_MS;
}

static void draw(unsigned int percent)
{
	static const char full[WIDTH + 1] = "########################################";
	unsigned int n = percent * WIDTH / 100;

	fprintf(stderr, "\r[%.*s%*s] %3u %%", (int)n, full, (int)(WIDTH - n), "", percent);
}

void progress_set(struct progress *p, __u64 done, __u64 all)
{
	__u64 now;

	if (!p->is_on)
		return;
	now = now_ms();
	if (now < p->next)
		return;
	p->next = now + PERIOD_MS;
	p->is_shown = true;
	draw(all && done < all ? (unsigned int)((double)done * 100 / (double)all) : 100);
}

void progress_end(struct progress *p)
{
	if (p->is_shown)
		fprintf(stderr, "\r%*s\r", (int)WIDTH + 8, "");
	p->is_shown = false;
}
