// SPDX-License-Identifier: GPL-2.0
/* owner.c - a session around a program that measures itself */
#include "owner.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>

#include "../userspace/lib/session/internal.h"

/* Descriptors of the program: it asks, and gets an answer. */
#define ASK_FD 100
#define ANSWER_FD 101

bool owner_is_there(void)
{
	return getenv("BENCH_OWNED");
}

/* What a daemon does to writers when it keeps up. False: events were lost. */
static bool consume(struct channel *ch)
{
	const struct ktrace_control *c = &ch->control;
	bool is_whole = true;
	__u32 i, k;

	for (i = 0; i < c->ring_nr; i++) {
		const struct ktrace_ring *w = ch->readers[i].ring.w;
		struct ktrace_tail *tails = (struct ktrace_tail *)(ch->map + c->tail_off);

		tails[i].tail = w->head;
		for (k = 0; k < KTRACE_LOST_NR; k++)
			is_whole &= !w->lost.count[k];
	}
	return is_whole;
}

static void serve(struct ktrace_session *s, int ask, int answer)
{
	char c;

	while (read(ask, &c, 1) == 1) {
		c = consume(&s->user) ? 'y' : 'n';
		if (write(answer, &c, 1) != 1)
			return;
	}
}

void owner_consume(void)
{
	char c = 0;

	if (write(ASK_FD, &c, 1) != 1 || read(ANSWER_FD, &c, 1) != 1 || c != 'y') {
		fprintf(stderr, "bench: events were lost\n");
		exit(1);
	}
}

static int run(struct ktrace_session *s, const char *env, char **argv)
{
	int ask[2], answer[2], status = 1;

	if (pipe(ask) || pipe(answer))
		return 1;
	if (!fork()) {
		setenv("KTRACE_SESSION", env, 1);
		setenv("BENCH_OWNED", "1", 1);
		dup2(ask[1], ASK_FD);
		dup2(answer[0], ANSWER_FD);
		close(ask[1]);
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	close(ask[1]);
	serve(s, ask[0], answer[1]);
	wait(&status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int owner_run(int backend, unsigned int ring_size, const char *events, char **argv)
{
	const struct ktrace_session_options opts = {
		.size = sizeof(opts), .backend = backend, .policy = KTRACE_POLICY_DROP,
		.ring_size = ring_size, .thread_size = ring_size, .registry_size = 65536,
		.block_size = 1 << 16, .thread_nr = 16, .filter = events,
	};
	char reason[KTRACE_REASON_SIZE];
	struct ktrace_session_info info;
	struct ktrace_session *s;
	int status;

	if (ktrace_session_create(&opts, &s, reason)) {
		fprintf(stderr, "bench: %s\n", reason);
		return 1;
	}
	ktrace_session_info(s, &info);
	ktrace_session_start(s);
	status = run(s, info.env, argv);
	ktrace_session_destroy(s);
	return status;
}
