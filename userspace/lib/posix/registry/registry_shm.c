// SPDX-License-Identifier: LGPL-2.1
/* registry_shm.c - slots in the registry: of processes, and of streams */
#include "registry_shm.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/proc_stat.h"
#include "ring/port.h"

__u64 ktrace_posix_start_time(pid_t pid, uid_t *uid)
{
	struct proc_stat stat;
	bool is_there;
	char path[32];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	/* No descriptor is left, or /proc hides the process: it may be alive. */
	if (fd < 0)
		return kill(pid, 0) && errno == ESRCH ? 0 : POSIX_START_UNKNOWN;
	is_there = !fstat(fd, &st) && proc_stat_get(fd, &stat);
	close(fd);
	/* A zombie with threads is a live process whose first thread has ended. */
	if (!is_there || stat.state == 'X' || (stat.state == 'Z' && stat.threads < 2))
		return 0;
	*uid = st.st_uid;
	return stat.start ? stat.start : 1;
}

bool ktrace_posix_owner_lives(const struct posix_owner *o)
{
	uid_t uid;
	const __u64 start = o->pid > 0 ? ktrace_posix_start_time(o->pid, &uid) : 0;

	return start && (start == o->start || start == POSIX_START_UNKNOWN);
}

/* True if a process has ended. It existed a moment ago, so its start time does not matter. */
static bool has_ended(pid_t pid)
{
	uid_t uid;

	return pid <= 0 || !ktrace_posix_start_time(pid, &uid);
}

static bool is_place_of(const struct posix_registry_process *p, pid_t pid, __u64 start)
{
	/*
	 * ORD(process_find:A) pairs ORD(process_claim:A): the start time is stored before the pid
	 */
	return kt_load_acquire(&p->pid) == pid && kt_load(&p->start) == start;
}

struct posix_registry_process *ktrace_posix_registry_find(struct posix_registry *b, pid_t pid,
							  __u64 start)
{
	for (__u32 i = 0; i < POSIX_PROCESS_NR; i++)
		if (is_place_of(&b->process[i], pid, start))
			return &b->process[i];
	return NULL;
}

static bool claim(struct posix_registry_process *p, pid_t old, pid_t pid, __u64 start)
{
	if (!__atomic_compare_exchange_n(&p->pid, &old, -getpid(), false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return false;
	kt_store(&p->start, start);
	kt_store(&p->streams, 0);
	memset(p->opened, 0, sizeof(p->opened));
	/*
	 * ORD(process_claim:A) pairs ORD(process_find:A): the start time is stored before the pid
	 */
	kt_store_release(&p->pid, pid);
	return true;
}

/* True if the slot is free, or its process, or the process claiming it, has died. */
static bool is_abandoned(const struct posix_registry_process *p, pid_t pid)
{
	const struct posix_owner o = { .pid = pid, .start = kt_load(&p->start) };

	return pid < 0 ? has_ended(-pid) : !ktrace_posix_owner_lives(&o);
}

static struct posix_registry_process *claim_process(struct posix_registry *b, pid_t pid,
						    __u64 start)
{
	for (__u32 i = 0; i < POSIX_PROCESS_NR; i++)
		if (!kt_load(&b->process[i].pid) && claim(&b->process[i], 0, pid, start))
			return &b->process[i];
	for (__u32 i = 0; i < POSIX_PROCESS_NR; i++) {
		const pid_t old = kt_load(&b->process[i].pid);

		if (is_abandoned(&b->process[i], old) && claim(&b->process[i], old, pid, start))
			return &b->process[i];
	}
	return NULL;
}

struct posix_registry_process *ktrace_posix_registry_process(struct posix_registry *b, pid_t pid,
							     __u64 start, bool *is_new)
{
	struct posix_registry_process *p = ktrace_posix_registry_find(b, pid, start);
	__u64 streams = 0;

	*is_new = !p;
	if (!p)
		p = claim_process(b, pid, start);
	if (!p)
		return NULL;
	/*
	 * A controller may have taken a slot for us at the same time.
	 * ORD(registry_process:A) pairs ORD(registry_trace:A): at least one side sees the other's
	 * slot
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (__u32 i = 0; i < POSIX_PROCESS_NR; i++)
		if (&b->process[i] != p && is_place_of(&b->process[i], pid, start)) {
			streams |= kt_load(&b->process[i].streams);
			*is_new = false;
		}
	__atomic_fetch_or(&p->streams, streams, __ATOMIC_RELAXED);
	return p;
}

bool ktrace_posix_registry_trace(struct posix_registry *b, pid_t pid, __u64 start, __u64 streams)
{
	struct posix_registry_process *p = ktrace_posix_registry_find(b, pid, start);

	if (!p)
		p = claim_process(b, pid, start);
	if (!p)
		return false;
	__atomic_fetch_or(&p->streams, streams, __ATOMIC_RELAXED);
	/*
	 * ORD(registry_trace:A) pairs ORD(registry_process:A): at least one side sees the other's
	 * slot
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (__u32 i = 0; i < POSIX_PROCESS_NR; i++)
		if (is_place_of(&b->process[i], pid, start))
			__atomic_fetch_or(&b->process[i].streams, streams, __ATOMIC_RELAXED);
	return true;
}

void ktrace_posix_registry_leave(struct posix_registry *b, const struct posix_owner *o)
{
	for (__u32 i = 0; i < POSIX_PROCESS_NR; i++) {
		pid_t pid = o->pid;

		if (is_place_of(&b->process[i], pid, o->start))
			__atomic_compare_exchange_n(&b->process[i].pid, &pid, 0, false,
						    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
}

/* Removes the stream from all processes. */
static void forget(struct posix_registry *b, __u32 stream)
{
	const __u64 bit = 1ull << stream;

	posix_halt(b, bit);
	__atomic_fetch_and(&b->full, ~bit, __ATOMIC_RELAXED);
	__atomic_fetch_and(&b->inherit, ~bit, __ATOMIC_RELAXED);
	__atomic_fetch_and(&b->all, ~bit, __ATOMIC_RELAXED);
	for (__u32 i = 0; i < POSIX_PROCESS_NR; i++)
		if (kt_load(&b->process[i].streams) & bit)
			__atomic_fetch_and(&b->process[i].streams, ~bit, __ATOMIC_RELAXED);
}

/*
 * True if the file may be removed: a process that can write to the registry could remove it anyway,
 * or the folder is ours.
 */
static bool may_remove(int dir, const char *name)
{
	struct stat folder, file;

	if (fstat(dir, &folder) || fstatat(dir, name, &file, AT_SYMLINK_NOFOLLOW))
		return false;
	return file.st_uid == ktrace_posix_registry_uid &&
	       (folder.st_uid == ktrace_posix_registry_uid || folder.st_uid == geteuid());
}

/*
 * Removes the files of an orphaned session in shared memory. @where comes from the registry: if
 * that is another user's, only that user's files may be removed.
 */
static void remove_session(const char *where)
{
	char path[POSIX_WHERE_SIZE];
	char *slash;
	int dir;

	snprintf(path, sizeof(path), "%s", where);
	slash = strncmp(path, "shm:/dev/shm/ktrace-", 20) ? NULL : strchr(path + 20, '/');
	if (!slash || !slash[1] || strchr(slash + 1, '/'))
		return;
	*slash = '\0';
	dir = open(path + 4, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return;
	if (may_remove(dir, slash + 1) && !unlinkat(dir, slash + 1, 0))
		rmdir(path + 4);
	close(dir);
}

bool ktrace_posix_place_where(const struct posix_registry_stream *s, char where[POSIX_WHERE_SIZE])
{
	for (size_t i = 0; i < POSIX_WHERE_SIZE; i++)
		where[i] = kt_load(&s->where[i]);
	return memchr(where, '\0', POSIX_WHERE_SIZE);
}

static void empty(struct posix_registry *b, __u32 stream)
{
	char where[POSIX_WHERE_SIZE];

	if (ktrace_posix_place_where(&b->stream[stream], where))
		remove_session(where);
	ktrace_posix_registry_release(b, stream);
}

bool ktrace_posix_registry_close(struct posix_registry *b, __u32 stream, __u64 word)
{
	const __u64 mine = posix_place_word(POSIX_PLACE_CLOSING, getpid(), word >> 32);

	if (!__atomic_compare_exchange_n(&b->stream[stream].word, &word, mine, false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return false;
	forget(b, stream);
	return true;
}

void ktrace_posix_registry_release(struct posix_registry *b, __u32 stream)
{
	struct posix_registry_stream *s = &b->stream[stream];

	s->where[0] = '\0';
	/* ORD(free_place:A) pairs ORD(claim_stream:A): all stores to the slot are done */
	kt_store_release(&s->word, posix_place_word(POSIX_PLACE_FREE, 0, kt_load(&s->word) >> 32));
}

void ktrace_posix_registry_bury(struct posix_registry *b, __u32 stream, __u64 word)
{
	if (ktrace_posix_registry_close(b, stream, word))
		empty(b, stream);
}

/* True if the slot's process is gone: its controller, or a process filling it in or emptying it. */
static bool is_orphan(const struct posix_registry_stream *s, __u64 word)
{
	const struct posix_owner owner = s->owner;

	switch (posix_place_state(word)) {
	case POSIX_PLACE_FREE:
		return false;
	case POSIX_PLACE_READY:
		return !ktrace_posix_owner_lives(&owner);
	default:
		return has_ended(posix_place_pid(word));
	}
}

static __u64 word_of(const struct posix_registry_stream *s)
{
	/* ORD(sweep:A) pairs ORD(posix_stream_ready:B): a READY slot is complete */
	return kt_load_acquire(&s->word);
}

void ktrace_posix_registry_sweep(struct posix_registry *b)
{
	for (__u32 i = 0; i < POSIX_STREAM_NR; i++) {
		const __u64 word = word_of(&b->stream[i]);

		if (is_orphan(&b->stream[i], word))
			ktrace_posix_registry_bury(b, i, word);
	}
}

void ktrace_posix_registry_disown(struct posix_registry *b, const struct posix_owner *o)
{
	for (__u32 i = 0; i < POSIX_STREAM_NR; i++) {
		const struct posix_registry_stream *s = &b->stream[i];
		const __u64 word = word_of(s);

		if (posix_place_state(word) == POSIX_PLACE_READY
		    ? s->owner.pid == o->pid && s->owner.start == o->start
		    : posix_place_state(word) && posix_place_pid(word) == o->pid)
			ktrace_posix_registry_bury(b, i, word);
	}
}

static bool has_streams(const struct posix_registry *b)
{
	for (__u32 i = 0; i < POSIX_STREAM_NR; i++)
		if (posix_place_state(kt_load(&b->stream[i].word)) != POSIX_PLACE_FREE)
			return true;
	return false;
}

static bool has_processes(const struct posix_registry *b)
{
	for (__u32 i = 0; i < POSIX_PROCESS_NR; i++) {
		const pid_t pid = kt_load(&b->process[i].pid);

		if (pid && !has_ended(pid < 0 ? -pid : pid))
			return true;
	}
	return false;
}

bool ktrace_posix_registry_is_used(const struct posix_registry *b)
{
	return has_processes(b) || has_streams(b);
}

static int claim_stream(struct posix_registry *b, const struct posix_owner *owner)
{
	for (__u32 i = 0; i < POSIX_STREAM_NR; i++) {
		struct posix_registry_stream *s = &b->stream[i];
		__u64 word = kt_load(&s->word);

		/* ORD(claim_stream:A) pairs ORD(free_place:A): all stores to the slot are done */
		if (posix_place_state(word) != POSIX_PLACE_FREE ||
		    !__atomic_compare_exchange_n(&s->word, &word,
						 posix_place_word(POSIX_PLACE_CLAIMED, getpid(),
								  (word >> 32) + 1),
						 false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		s->owner = *owner;
		memset(s->filter, 0, sizeof(s->filter));
		memset(s->types, 0, sizeof(s->types));
		kt_store(&s->is_waiting, 0);
		kt_store(&s->missed, 0);
		forget(b, i);
		return (int)i;
	}
	return -EAGAIN;
}

int ktrace_posix_registry_stream(struct posix_registry *b, const struct posix_owner *owner)
{
	ktrace_posix_registry_sweep(b);
	return claim_stream(b, owner);
}

__u64 ktrace_posix_registry_publish(struct posix_registry *b, __u32 stream)
{
	struct posix_registry_stream *s = &b->stream[stream];
	const __u64 word = posix_place_word(POSIX_PLACE_READY, 0, kt_load(&s->word) >> 32);

	/*
	 * ORD(posix_stream_ready:A) pairs ORD(posix_attach:A): a READY slot is complete
	 * ORD(posix_stream_ready:B) pairs ORD(sweep:A): including its owner
	 */
	kt_store_release(&s->word, word);
	return word;
}
