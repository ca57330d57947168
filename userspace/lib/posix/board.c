// SPDX-License-Identifier: LGPL-2.1
/*
 * board.c - the file that all processes of a user share, and places in it
 *
 * A new board appears under its name when it is whole (link), so who opens it never finds
 * half of one. Who comes has a shared lock on the file while he takes a place; the last one to
 * leave removes the board if he has the lock alone, so nobody is just coming.
 */
#include "board.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "ring/port.h"
#include "session/file_limit.h"

#ifndef BOARD_DIR
#define BOARD_DIR "/dev/shm"
#endif

/* Others have the lock for a moment only. One that has been stopped is not waited for. */
#define LOCK_MS 1000
#define NAP_US 1000

static void board_path(char *path, size_t size, uid_t uid)
{
	snprintf(path, size, BOARD_DIR "/ktrace-posix-%u", (unsigned int)uid);
}

static __u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (__u64)t.tv_sec * 1000 + (__u64)t.tv_nsec / 1000000;
}

static int set_up(int fd)
{
	/* A board is more than a thread's stack may have: its first words only */
	struct {
		__u32 magic, version, size, name_nr;
		__u64 inode;
	} head = { POSIX_BOARD_MAGIC, POSIX_BOARD_VERSION, sizeof(struct posix_board), 0, 0 };
	struct stat st;
	int error = may_have_file_of(sizeof(struct posix_board))
		    ? posix_fallocate(fd, 0, sizeof(struct posix_board)) : EFBIG;

	_Static_assert(sizeof(head) == offsetof(struct posix_board, running), "its first words");
	if (error)
		return -error;
	if (fstat(fd, &st))
		return -errno;
	head.inode = st.st_ino;
	return pwrite(fd, &head, sizeof(head), 0) < 0 ? -errno : 0;
}

/* Makes and names the file. Return: descriptor or -errno; -EEXIST somebody else has. */
static int make_file(const char *path, uid_t uid)
{
	int fd = open(BOARD_DIR, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), error;
	char self[32];

	if (fd < 0)
		return -errno;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	error = set_up(fd);
	if (!error && ((uid != geteuid() && fchown(fd, uid, (gid_t)-1)) ||
		       linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW)))
		error = -errno;
	if (error)
		close(fd);
	return error ? error : fd;
}

/* A file that is no board, or not whole, is left alone. */
static bool is_board(const struct stat *st, uid_t uid)
{
	return S_ISREG(st->st_mode) && st->st_uid == uid &&
	       st->st_size == sizeof(struct posix_board);
}

/* Return: the file that has the name, or -errno. */
static int open_file(const char *path, uid_t uid, struct stat *st)
{
	int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), error;

	if (fd < 0)
		return -errno;
	error = fstat(fd, st) ? -errno : is_board(st, uid) ? 0 : -EPERM;
	if (error)
		close(fd);
	return error ? error : fd;
}

static bool is_linked(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_nlink;
}

/* Return: the file that has the name, locked; -ENOENT none has, or not any more. */
static int hold_file(const char *path, uid_t uid, struct stat *st)
{
	int fd = open_file(path, uid, st);

	if (fd < 0)
		return fd;
	for (const __u64 begin = now_ms();
	     flock(fd, LOCK_SH | LOCK_NB) && now_ms() - begin < LOCK_MS;)
		usleep(NAP_US);
	if (is_linked(fd))
		return fd;
	close(fd);
	return -ENOENT;
}

int ktrace_posix_board_hold(const struct posix_board *b, uid_t uid)
{
	char path[64];
	struct stat st;
	int fd;

	board_path(path, sizeof(path), uid);
	fd = hold_file(path, uid, &st);
	if (fd >= 0 && st.st_ino != kt_load(&b->inode)) {
		close(fd);
		return -ENOENT;
	}
	return fd;
}

/* Makes the board if there is none. It is opened then like any other. */
static int hold_or_make(uid_t uid)
{
	char path[64];
	struct stat st;
	int fd;

	board_path(path, sizeof(path), uid);
	for (;;) {
		fd = hold_file(path, uid, &st);
		if (fd != -ENOENT)
			return fd;
		fd = make_file(path, uid);
		if (fd < 0 && fd != -EEXIST)
			return fd;
		if (fd >= 0)
			close(fd);
	}
}

/* Whose board is mapped: a process has one, its own or, a keeper, another user's. */
static uid_t board_uid;

int ktrace_posix_board_map(uid_t uid, struct posix_board **out)
{
	struct posix_board *b;
	int fd = hold_or_make(uid), error = 0;

	if (fd < 0)
		return fd;
	b = mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (b == MAP_FAILED)
		error = -errno;
	else if (kt_load(&b->magic) != POSIX_BOARD_MAGIC ||
		 kt_load(&b->version) != POSIX_BOARD_VERSION || kt_load(&b->size) != sizeof(*b))
		error = -EPROTONOSUPPORT;
	if (error) {
		if (b != MAP_FAILED)
			munmap(b, sizeof(*b));
		ktrace_posix_board_let_go(fd);
		return error;
	}
	board_uid = uid;
	*out = b;
	return fd;
}

void ktrace_posix_board_let_go(int fd)
{
	flock(fd, LOCK_UN);	/* what is mapped keeps the file open, and its lock */
	close(fd);
}

__u64 ktrace_posix_start_time(pid_t pid, uid_t *uid)
{
	char path[32], text[1024], *at, state;
	unsigned long long start = 0;
	long threads;
	struct stat st;
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	/* No descriptor left, or /proc hides it: that is not to be taken for its end. */
	if (fd < 0)
		return kill(pid, 0) && errno == ESRCH ? 0 : POSIX_START_UNKNOWN;
	if (!fstat(fd, &st))
		n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	at = strrchr(text, ')');
	if (!at || sscanf(at, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
			  "%*d %ld %*d %llu", &state, &threads, &start) != 3)
		return 0;
	/* A zombie with threads is a process that goes on without its first one. */
	if (state == 'X' || (state == 'Z' && threads < 2))
		return 0;
	*uid = st.st_uid;
	return start ? start : 1;
}

bool ktrace_posix_owner_lives(const struct posix_owner *o)
{
	uid_t uid;
	const __u64 start = o->pid > 0 ? ktrace_posix_start_time(o->pid, &uid) : 0;

	return start && (start == o->start || start == POSIX_START_UNKNOWN);
}

/* Whether a process has ended; it was there a moment ago, so its start time does not matter. */
static bool has_ended(pid_t pid)
{
	uid_t uid;

	return pid <= 0 || !ktrace_posix_start_time(pid, &uid);
}

static bool is_place_of(const struct posix_board_process *p, pid_t pid, __u64 start)
{
	/* ORD(process_find:A) pairs ORD(process_claim:A): start time before the pid */
	return kt_load_acquire(&p->pid) == pid && kt_load(&p->start) == start;
}

struct posix_board_process *ktrace_posix_board_find(struct posix_board *b, pid_t pid,
						    __u64 start)
{
	for (__u32 i = 0; i < POSIX_PROCESS_NR; i++)
		if (is_place_of(&b->process[i], pid, start))
			return &b->process[i];
	return NULL;
}

static bool claim(struct posix_board_process *p, pid_t old, pid_t pid, __u64 start)
{
	if (!__atomic_compare_exchange_n(&p->pid, &old, -getpid(), false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return false;
	kt_store(&p->start, start);
	kt_store(&p->streams, 0);
	memset(p->opened, 0, sizeof(p->opened));
	/* ORD(process_claim:A) pairs ORD(process_find:A): start time before the pid */
	kt_store_release(&p->pid, pid);
	return true;
}

/* Whether nobody has the place, or its process, or who was taking it, has died. */
static bool is_abandoned(const struct posix_board_process *p, pid_t pid)
{
	const struct posix_owner o = { .pid = pid, .start = kt_load(&p->start) };

	return pid < 0 ? has_ended(-pid) : !ktrace_posix_owner_lives(&o);
}

static struct posix_board_process *claim_process(struct posix_board *b, pid_t pid, __u64 start)
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

struct posix_board_process *ktrace_posix_board_process(struct posix_board *b, pid_t pid,
						       __u64 start, bool *is_new)
{
	struct posix_board_process *p = ktrace_posix_board_find(b, pid, start);
	__u64 streams = 0;

	*is_new = !p;
	if (!p)
		p = claim_process(b, pid, start);
	if (!p)
		return NULL;
	/*
	 * A controller may have taken a place for us at the same time.
	 * ORD(board_process:A) pairs ORD(board_trace:A): one of both sees the other's place
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

bool ktrace_posix_board_trace(struct posix_board *b, pid_t pid, __u64 start, __u64 streams)
{
	struct posix_board_process *p = ktrace_posix_board_find(b, pid, start);

	if (!p)
		p = claim_process(b, pid, start);
	if (!p)
		return false;
	__atomic_fetch_or(&p->streams, streams, __ATOMIC_RELAXED);
	/* ORD(board_trace:A) pairs ORD(board_process:A): one of both sees the other's place */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (__u32 i = 0; i < POSIX_PROCESS_NR; i++)
		if (is_place_of(&b->process[i], pid, start))
			__atomic_fetch_or(&b->process[i].streams, streams, __ATOMIC_RELAXED);
	return true;
}

void ktrace_posix_board_leave(struct posix_board *b, const struct posix_owner *o)
{
	for (__u32 i = 0; i < POSIX_PROCESS_NR; i++) {
		pid_t pid = o->pid;

		if (is_place_of(&b->process[i], pid, o->start))
			__atomic_compare_exchange_n(&b->process[i].pid, &pid, 0, false,
						    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
}

/* Nobody is traced into the stream any more. */
static void forget(struct posix_board *b, __u32 stream)
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

/* The files of a session in shared memory that nobody owns any more. */
/* Whether who can write to the board could remove that himself, or we have made it for him. */
static bool may_remove(int dir, const char *name)
{
	struct stat folder, file;

	if (fstat(dir, &folder) || fstatat(dir, name, &file, AT_SYMLINK_NOFOLLOW))
		return false;
	return file.st_uid == board_uid &&
	       (folder.st_uid == board_uid || folder.st_uid == geteuid());
}

/* @where is from the board: of another user's, nothing may be removed but what is his. */
static void remove_session(const char *where)
{
	char path[sizeof(((struct posix_board_stream *)0)->where)];
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

static void empty(struct posix_board *b, __u32 stream)
{
	struct posix_board_stream *s = &b->stream[stream];
	char where[sizeof(s->where)];

	memcpy(where, s->where, sizeof(where));
	where[sizeof(where) - 1] = '\0';
	remove_session(where);
	ktrace_posix_board_release(b, stream);
}

bool ktrace_posix_board_close(struct posix_board *b, __u32 stream, __u64 word)
{
	const __u64 mine = posix_place_word(POSIX_PLACE_CLOSING, getpid(), word >> 32);

	if (!__atomic_compare_exchange_n(&b->stream[stream].word, &word, mine, false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return false;
	forget(b, stream);
	return true;
}

void ktrace_posix_board_release(struct posix_board *b, __u32 stream)
{
	struct posix_board_stream *s = &b->stream[stream];

	s->where[0] = '\0';
	/* ORD(free_place:A) pairs ORD(claim_stream:A): nothing is stored to it any more */
	kt_store_release(&s->word, posix_place_word(POSIX_PLACE_FREE, 0, kt_load(&s->word) >> 32));
}

void ktrace_posix_board_bury(struct posix_board *b, __u32 stream, __u64 word)
{
	if (ktrace_posix_board_close(b, stream, word))
		empty(b, stream);
}

/* Who took the place is gone: its controller, or who was about to fill in or to empty it. */
static bool is_orphan(const struct posix_board_stream *s, __u64 word)
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

static __u64 word_of(const struct posix_board_stream *s)
{
	/* ORD(sweep:A) pairs ORD(posix_stream_ready:B): all that a READY one has */
	return kt_load_acquire(&s->word);
}

static void sweep(struct posix_board *b)
{
	for (__u32 i = 0; i < POSIX_STREAM_NR; i++) {
		const __u64 word = word_of(&b->stream[i]);

		if (is_orphan(&b->stream[i], word))
			ktrace_posix_board_bury(b, i, word);
	}
}

void ktrace_posix_board_disown(struct posix_board *b, const struct posix_owner *o)
{
	for (__u32 i = 0; i < POSIX_STREAM_NR; i++) {
		const struct posix_board_stream *s = &b->stream[i];
		const __u64 word = word_of(s);

		if (posix_place_state(word) == POSIX_PLACE_READY
		    ? s->owner.pid == o->pid && s->owner.start == o->start
		    : posix_place_state(word) && posix_place_pid(word) == o->pid)
			ktrace_posix_board_bury(b, i, word);
	}
}

static bool has_streams(const struct posix_board *b)
{
	for (__u32 i = 0; i < POSIX_STREAM_NR; i++)
		if (posix_place_state(kt_load(&b->stream[i].word)) != POSIX_PLACE_FREE)
			return true;
	return false;
}

static bool has_processes(const struct posix_board *b)
{
	for (__u32 i = 0; i < POSIX_PROCESS_NR; i++) {
		const pid_t pid = kt_load(&b->process[i].pid);

		if (pid && (!kill(pid < 0 ? -pid : pid, 0) || errno != ESRCH))
			return true;
	}
	return false;
}

/* Waits for those who are coming or leaving, too, until one has a place or all are gone. */
static bool is_last(const struct posix_board *b, int fd)
{
	const __u64 begin = now_ms();

	for (;;) {
		const bool is_locked = !flock(fd, LOCK_EX | LOCK_NB);

		if (has_processes(b) || has_streams(b))
			return false;
		if (is_locked || now_ms() - begin >= LOCK_MS)
			return is_locked;
		usleep(NAP_US);
	}
}

/* Who comes has the lock while he takes his place, so he is seen when we have it. */
void ktrace_posix_board_remove(struct posix_board *b, uid_t uid)
{
	struct stat st;
	char path[64];
	int fd;

	sweep(b);
	if (has_processes(b) || has_streams(b))
		return;
	board_path(path, sizeof(path), uid);
	fd = open_file(path, uid, &st);
	if (fd < 0)
		return;
	if (st.st_ino == kt_load(&b->inode) && is_last(b, fd) && is_linked(fd))
		unlink(path);
	close(fd);
}

static int claim_stream(struct posix_board *b, const struct posix_owner *owner)
{
	for (__u32 i = 0; i < POSIX_STREAM_NR; i++) {
		struct posix_board_stream *s = &b->stream[i];
		__u64 word = kt_load(&s->word);

		/* ORD(claim_stream:A) pairs ORD(free_place:A): nothing is stored to it any more */
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

int ktrace_posix_board_stream(struct posix_board *b, const struct posix_owner *owner)
{
	sweep(b);
	return claim_stream(b, owner);
}

__u64 ktrace_posix_board_publish(struct posix_board *b, __u32 stream)
{
	struct posix_board_stream *s = &b->stream[stream];
	const __u64 word = posix_place_word(POSIX_PLACE_READY, 0, kt_load(&s->word) >> 32);

	/*
	 * ORD(posix_stream_ready:A) pairs ORD(posix_attach:A): all that a READY one has
	 * ORD(posix_stream_ready:B) pairs ORD(sweep:A): its owner
	 */
	kt_store_release(&s->word, word);
	return word;
}
