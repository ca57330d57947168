// SPDX-License-Identifier: LGPL-2.1
/*
 * dismiss.c - let programs leave a session that is over, <linux/ktrace_board.h>
 *
 * The rings of CPUs are sealed: from then on every event enters the library. A restartable
 * sequence that loaded head before must not store it afterwards. So the ring of a CPU is sealed on
 * that CPU: whatever sequence was under way there has been interrupted, and begins anew. A CPU
 * that the caller may not use (cpusets) is looked at again a moment later: a sequence takes some
 * nanoseconds, unless a hypervisor stops it.
 */
#include "internal.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <signal.h>
#include <time.h>

#include "layout.h"

#define LOOKS 3
#define LOOK_NS 1000000

/* Seals a ring. Returns true if it was not sealed. */
static bool seal(struct ktrace_ring *w)
{
	__u64 head = kt_load(&w->head);

	do {
		if (head == KTRACE_HEAD_SEALED)
			return false;
		kt_store(&w->sealed, head);
	/* ORD(seal:A) pairs ORD(peek:A): the position is there before it is needed */
	} while (!__atomic_compare_exchange_n(&w->head, &head, KTRACE_HEAD_SEALED, false,
					      __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	return true;
}

static void seal_on(__u32 cpu, struct ktrace_ring *w, cpu_set_t *set, size_t size)
{
	static const struct timespec nap = { .tv_nsec = LOOK_NS };

	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	if (!sched_setaffinity(0, size, set)) {
		seal(w);
		return;
	}
	for (int i = 0; i < LOOKS; i++) {
		seal(w);
		nanosleep(&nap, NULL);
	}
	seal(w);
}

static int seal_rings(const struct ktrace_control *c, char *map)
{
	const size_t size = CPU_ALLOC_SIZE(c->cpu_nr > CPU_SETSIZE ? c->cpu_nr : CPU_SETSIZE);
	cpu_set_t *before = calloc(1, size), *set = calloc(1, size);
	const bool is_known = before && !sched_getaffinity(0, size, before);

	for (__u32 cpu = 0; set && cpu < c->cpu_nr; cpu++)
		seal_on(cpu, (struct ktrace_ring *)(map + c->rings_off + cpu * c->ring_stride),
			set, size);
	if (is_known)
		sched_setaffinity(0, size, before);
	free(before);
	free(set);
	return set && before ? 0 : -ENOMEM;
}

/* True if a process lives whose library would not notice, and record for ever. */
static bool has_old_program(const struct ktrace_session *s)
{
	for (__u32 i = 0; i < s->old_nr; i++)
		if (!kill((pid_t)s->old_pids[i], 0) || errno != ESRCH)
			return true;
	return s->old_nr == SESSION_OLD_MAX;
}

/* dismiss_learn - remember a program with a library that does not leave */
void dismiss_learn(struct ktrace_session *s, const struct ktrace_entry_copy *entry)
{
	if (entry->type == KTRACE_ENTRY_PROCESS && !(entry->id & KTRACE_PROCESS_LEAVES) &&
	    s->old_nr < SESSION_OLD_MAX)
		s->old_pids[s->old_nr++] = entry->pid;
}

/* dismiss_all - with a mapping of the user channel that can be written to */
int dismiss_all(struct ktrace_session *s, char *map)
{
	const struct ktrace_control *c = &s->user.control;
	int error;

	kt_store(&channel_control(&s->user)->state, KTRACE_STATE_CLOSED);
	error = seal_rings(c, map);
	if (error)
		return error;
	for (__u32 id = KTRACE_ID_FIRST; id < layout_id_nr(c) && id < KTRACE_ID_ALL; id++)
		kt_store(&s->user.map[c->enable_off + id], 1);
	boards_poke();
	return 0;
}

int ktrace_session_dismiss(struct ktrace_session *s)
{
	if (!s->user.map || !s->backend->dismiss)
		return -ENOENT;
	if (has_old_program(s))
		return -EOPNOTSUPP;
	return s->backend->dismiss(s);
}
