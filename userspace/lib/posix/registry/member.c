// SPDX-License-Identifier: LGPL-2.1
/*
 * member.c - this process in the registry of its user
 *
 * The slot is identified by pid and start time, which exec preserves: a traced process stays
 * traced. A forked child takes its own slot, with the inherited streams of its parent. The image of
 * a posix_spawn() has not forked through this library: it looks up its parent's slot when it
 * starts.
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

static const unsigned long long no_streams;

/** ktrace_posix_streams - this process's mask in the registry, or a zero word without one */
const volatile unsigned long long *ktrace_posix_streams = &no_streams;

struct posix_member ktrace_posix_member = {
	.opened = { 1ull << POSIX_ID_USER },
};

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Returns the streams of a process that its child inherits. */
static __u64 inherited(const struct posix_registry *b, const struct posix_registry_process *parent)
{
	return parent ? kt_load(&parent->streams) & kt_load(&b->inherit) : 0;
}

static const struct posix_registry_process *find_parent(struct posix_registry *b)
{
	const pid_t pid = getppid();
	uid_t uid;
	__u64 start = ktrace_posix_start_time(pid, &uid);

	return start ? ktrace_posix_registry_find(b, pid, start) : NULL;
}

/* Takes a slot for the process. Reading `all` afterwards catches streams started meanwhile. */
static bool take_place(struct posix_registry *b, __u64 streams)
{
	struct posix_member *m = &ktrace_posix_member;
	bool is_new;

	m->process = ktrace_posix_registry_process(b, m->owner.pid, m->owner.start, &is_new);
	if (!m->process)
		return false;
	/* ORD(take_place:A) pairs ORD(trace_all:A): at least one side sees the other's store */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_fetch_or(&m->process->streams, (is_new ? streams : 0) | kt_load(&b->all),
			  __ATOMIC_RELAXED);
	kt_store(&ktrace_posix_streams, &m->process->streams);
	ktrace_posix_names_place(b);
	return true;
}

static void learn_owner(void)
{
	struct posix_owner *o = &ktrace_posix_member.owner;
	uid_t uid;

	o->pid = getpid();
	o->start = ktrace_posix_start_time(o->pid, &uid);
}

static void leave(struct posix_registry *b)
{
	struct posix_member *m = &ktrace_posix_member;

	kt_store(&ktrace_posix_streams, &no_streams);
	m->process = NULL;
	ktrace_posix_registry_leave(b, &m->owner);
	ktrace_posix_registry_remove(b, ktrace_posix_registry_uid);
}

static void join(void)
{
	struct posix_member *m = &ktrace_posix_member;
	struct posix_registry *b;
	int saved = errno, fd;

	learn_owner();
	fd = ktrace_posix_registry_map(geteuid(), &b);
	if (fd >= 0) {
		ktrace_posix_registry_disown(b, &m->owner);
		if (take_place(b, inherited(b, find_parent(b))))
			m->registry = b;
		else
			munmap(b, sizeof(*b));
		ktrace_posix_registry_let_go(fd);
	}
	errno = saved;
}

struct posix_registry *ktrace_posix_registry(void)
{
	pthread_once(&once, join);
	return ktrace_posix_member.registry;
}

/* Registry lock held by the forking thread */
static __thread int hold_fd __attribute__((tls_model("initial-exec"))) = -1;

/*
 * Holds the registry in parent and child: the parent may end as its last user before the child has
 * a slot.
 */
static void before_fork(void)
{
	const struct posix_member *m = &ktrace_posix_member;
	int saved = errno;

	hold_fd = m->registry ? ktrace_posix_registry_hold(m->registry,
							   ktrace_posix_registry_uid) : -1;
	errno = saved;
}

static void after_fork(void)
{
	int saved = errno;

	if (hold_fd >= 0)
		close(hold_fd);
	hold_fd = -1;
	errno = saved;
}

static void after_fork_in_child(void)
{
	struct posix_member *m = &ktrace_posix_member;
	const __u64 streams = m->registry ? inherited(m->registry, m->process) : 0;
	int saved = errno;

	ktrace_posix_sinks_after_fork();
	ktrace_posix_trid_after_fork();
	kt_store(&ktrace_posix_streams, &no_streams);
	m->process = NULL;
	learn_owner();
	if (m->registry)
		take_place(m->registry, streams);
	after_fork();
	errno = saved;
}

/* 101: before constructors that may record events. */
static __attribute__((constructor(101))) void join_at_load(void)
{
	ktrace_posix_registry();
	pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

/* Runs last, so that destructors can record. */
static __attribute__((destructor(101))) void leave_at_exit(void)
{
	if (ktrace_posix_member.registry && getpid() == ktrace_posix_member.owner.pid)
		leave(ktrace_posix_member.registry);
}
