// SPDX-License-Identifier: LGPL-2.1
/*
 * member.c - this process on the board of its user
 *
 * The place is found by pid and start time, which stay the same over exec: a traced process
 * goes on being traced. A forked child takes its own place, with those of its parent's streams
 * that are inherited. The image of a posix_spawn() has not forked through this library: it
 * looks for its parent's place when it starts.
 */
#include "member.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "names.h"
#include "ring/port.h"

static const __u64 no_streams;

struct posix_member ktrace_posix_member = {
	.streams = &no_streams,
	.opened = { 1ull << POSIX_ID_USER },
};

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Streams of a process that its child is to be in, too. */
static __u64 inherited(const struct posix_board *b, const struct posix_board_process *parent)
{
	return parent ? kt_load(&parent->streams) & kt_load(&b->inherit) : 0;
}

static const struct posix_board_process *find_parent(struct posix_board *b)
{
	const pid_t pid = getppid();
	char state;
	uid_t uid;
	__u64 start = ktrace_posix_start_time(pid, &state, &uid);

	return start ? ktrace_posix_board_find(b, pid, start) : NULL;
}

/* Takes the process's place. A stream of all that comes meanwhile is in the second look. */
static bool take_place(struct posix_board *b, __u64 streams)
{
	struct posix_member *m = &ktrace_posix_member;
	bool is_new;

	m->process = ktrace_posix_board_process(b, m->owner.pid, m->owner.start, &is_new);
	if (!m->process)
		return false;
	/* ORD(take_place:A) pairs ORD(trace_all:A): either sees the other */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_fetch_or(&m->process->streams, (is_new ? streams : 0) | kt_load(&b->all),
			  __ATOMIC_RELAXED);
	kt_store(&m->streams, &m->process->streams);
	ktrace_posix_names_place(b);
	return true;
}

static void learn_owner(void)
{
	struct posix_owner *o = &ktrace_posix_member.owner;
	char state;
	uid_t uid;

	o->pid = getpid();
	o->start = ktrace_posix_start_time(o->pid, &state, &uid);
}

static void leave(struct posix_board *b)
{
	struct posix_member *m = &ktrace_posix_member;

	kt_store(&m->streams, &no_streams);
	if (m->process && kt_load(&m->process->pid) == m->owner.pid)
		kt_store(&m->process->pid, 0);
	m->process = NULL;
	ktrace_posix_board_remove(b, geteuid());
}

static void join(void)
{
	struct posix_member *m = &ktrace_posix_member;
	struct posix_board *b;
	int saved = errno;

	learn_owner();
	for (int i = 0; i < 8 && !m->board && !ktrace_posix_board_map(geteuid(), &b); i++) {
		if (!take_place(b, inherited(b, find_parent(b))))
			munmap(b, sizeof(*b));
		else if (ktrace_posix_board_is_current(b))
			m->board = b;
		else
			leave(b);
	}
	errno = saved;
}

struct posix_board *ktrace_posix_board(void)
{
	pthread_once(&once, join);
	return ktrace_posix_member.board;
}

static void after_fork_in_child(void)
{
	struct posix_member *m = &ktrace_posix_member;
	const __u64 streams = m->board ? inherited(m->board, m->process) : 0;
	int saved = errno;

	ktrace_posix_emit_after_fork();
	ktrace_posix_trid_after_fork();
	kt_store(&m->streams, &no_streams);
	m->process = NULL;
	learn_owner();
	if (m->board)
		take_place(m->board, streams);
	errno = saved;
}

/* 101: before constructors that record events. */
static __attribute__((constructor(101))) void join_at_load(void)
{
	ktrace_posix_board();
	pthread_atfork(NULL, NULL, after_fork_in_child);
}

/* Last, so that destructors can record. */
static __attribute__((destructor(101))) void leave_at_exit(void)
{
	if (ktrace_posix_member.board && getpid() == ktrace_posix_member.owner.pid)
		leave(ktrace_posix_member.board);
}
