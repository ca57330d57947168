// SPDX-License-Identifier: LGPL-2.1
/*
 * board.c - the file that all processes of a user share, and places in it
 *
 * A new board appears under its name when it is whole (link), so who opens it never finds
 * half of one. The last process removes it: it closes the board, looks once more whether it
 * is alone, and opens it again if not. Whoever takes a place looks afterwards whether the
 * board is closed; so at least one of the two sees the other.
 */
#include "board.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ring/port.h"

/* So often, with a nap in between, a board is found closed before its closer is taken for dead. */
#define CLOSED_LOOKS 100
#define NAP_US 1000

static void board_path(char *path, size_t size, uid_t uid)
{
	snprintf(path, size, "/dev/shm/ktrace-posix-%u", (unsigned int)uid);
}

/* Makes and names the file. Return: descriptor or -errno; -EEXIST somebody else has. */
static int make_file(const char *path, uid_t uid)
{
	/* A board is more than a thread's stack may have: magic, version, size, is_closed */
	static const __u32 head[] = { POSIX_BOARD_MAGIC, POSIX_BOARD_VERSION,
				      sizeof(struct posix_board), 0 };
	int fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), error;
	char self[32];

	if (fd < 0)
		return -errno;
	error = posix_fallocate(fd, 0, sizeof(struct posix_board));
	if (error) {
		close(fd);
		return -error;
	}
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	_Static_assert(sizeof(head) == offsetof(struct posix_board, running), "its first words");
	if (pwrite(fd, head, sizeof(head), 0) < 0 ||
	    (uid != geteuid() && fchown(fd, uid, (gid_t)-1)) ||
	    linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW)) {
		error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

static bool is_board(int fd, uid_t uid)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == uid &&
	       st.st_size == sizeof(struct posix_board);
}

static int open_file(const char *path, uid_t uid)
{
	for (int i = 0; i < CLOSED_LOOKS; i++) {
		int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

		if (fd < 0 && errno == ENOENT)
			fd = make_file(path, uid);
		else if (fd < 0)
			return -errno;
		if (fd == -EEXIST)
			continue;
		if (fd >= 0 && !is_board(fd, uid)) {
			close(fd);
			return -EPERM;
		}
		return fd;
	}
	return -EAGAIN;
}

int ktrace_posix_board_map(uid_t uid, struct posix_board **out)
{
	struct posix_board *b;
	char path[64];
	int fd;

	board_path(path, sizeof(path), uid);
	fd = open_file(path, uid);
	if (fd < 0)
		return fd;
	b = mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (b == MAP_FAILED)
		return -errno;
	if (kt_load(&b->magic) != POSIX_BOARD_MAGIC ||
	    kt_load(&b->version) != POSIX_BOARD_VERSION || kt_load(&b->size) != sizeof(*b)) {
		munmap(b, sizeof(*b));
		return -EPROTONOSUPPORT;
	}
	*out = b;
	return 0;
}

/* Whether the file under the board's name is the one that we have mapped. */
bool ktrace_posix_board_is_current(const struct posix_board *b)
{
	for (int i = 0; i < CLOSED_LOOKS; i++) {
		/* ORD(board_is_current:A) pairs ORD(board_remove:A): our place can be seen */
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (!kt_load(&b->is_closed))
			return true;
		if (kt_load(&b->is_closed) == 2)
			return false;
		usleep(NAP_US);
	}
	kt_store((__u32 *)&b->is_closed, 0);
	return true;
}

__u64 ktrace_posix_start_time(pid_t pid, char *state, uid_t *uid)
{
	char path[32], text[1024], *at;
	unsigned long long start = 0;
	struct stat st;
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (!fstat(fd, &st))
		n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	at = strrchr(text, ')');
	if (!at || sscanf(at, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
			  "%*d %*d %*d %llu", state, &start) != 2)
		return 0;
	*uid = st.st_uid;
	return start ? start : 1;
}

bool ktrace_posix_owner_lives(const struct posix_owner *o)
{
	char state;
	uid_t uid;

	return ktrace_posix_start_time(o->pid, &state, &uid) == o->start && state != 'Z' &&
	       state != 'X';
}

struct posix_board_process *ktrace_posix_board_find(struct posix_board *b, pid_t pid,
						    __u64 start)
{
	for (__u32 i = 0; i < POSIX_PROCESS_NR; i++) {
		struct posix_board_process *p = &b->process[i];

		/* ORD(process_find:A) pairs ORD(process_claim:A): start time before the pid */
		if (kt_load_acquire(&p->pid) == pid && kt_load(&p->start) == start)
			return p;
	}
	return NULL;
}

static bool claim(struct posix_board_process *p, pid_t old, pid_t pid, __u64 start)
{
	if (!__atomic_compare_exchange_n(&p->pid, &old, -1, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return false;
	kt_store(&p->start, start);
	kt_store(&p->streams, 0);
	memset(p->opened, 0, sizeof(p->opened));
	/* ORD(process_claim:A) pairs ORD(process_find:A): start time before the pid */
	kt_store_release(&p->pid, pid);
	return true;
}

/* A place that is free, or whose process has died. */
static struct posix_board_process *claim_process(struct posix_board *b, pid_t pid, __u64 start)
{
	for (__u32 i = 0; i < POSIX_PROCESS_NR; i++)
		if (!kt_load(&b->process[i].pid) && claim(&b->process[i], 0, pid, start))
			return &b->process[i];
	for (__u32 i = 0; i < POSIX_PROCESS_NR; i++) {
		const struct posix_owner o = { .pid = kt_load(&b->process[i].pid),
					       .start = kt_load(&b->process[i].start) };

		if (o.pid > 0 && !ktrace_posix_owner_lives(&o) &&
		    claim(&b->process[i], o.pid, pid, start))
			return &b->process[i];
	}
	return NULL;
}

/* Controller and target may both be making a place: the first one of them counts. */
struct posix_board_process *ktrace_posix_board_process(struct posix_board *b, pid_t pid,
						       __u64 start, bool *is_new)
{
	struct posix_board_process *p = ktrace_posix_board_find(b, pid, start), *mine;

	*is_new = !p;
	if (p)
		return p;
	mine = claim_process(b, pid, start);
	if (!mine)
		return NULL;
	/* ORD(board_process:A) pairs ORD(board_process:A): of two that look now, one sees both */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	p = ktrace_posix_board_find(b, pid, start);
	if (p && p < mine) {
		__atomic_fetch_or(&p->streams, kt_load(&mine->streams), __ATOMIC_RELAXED);
		kt_store(&mine->pid, 0);
		*is_new = false;
		return p;
	}
	return mine;
}

void ktrace_posix_board_forget(struct posix_board *b, __u32 stream)
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
static void remove_session(const char *where)
{
	char path[sizeof(((struct posix_board_stream *)0)->where)];
	char *slash;

	snprintf(path, sizeof(path), "%s", where);
	if (strncmp(path, "shm:/dev/shm/ktrace-", 20) || strstr(path, "/.."))
		return;
	slash = strrchr(path, '/');
	unlink(path + 4);
	*slash = '\0';
	rmdir(path + 4);
}

static void free_place(struct posix_board_stream *s)
{
	/* ORD(free_place:A) pairs ORD(claim_stream:A): nothing is stored to it any more */
	kt_store_release(&s->state, POSIX_PLACE_FREE);
}

/* Frees the place of a stream whose controller is gone. */
void ktrace_posix_board_bury(struct posix_board *b, __u32 stream, __u32 generation)
{
	struct posix_board_stream *s = &b->stream[stream];
	char where[sizeof(s->where)];
	__u32 ready = POSIX_PLACE_READY;

	if (kt_load(&s->generation) != generation ||
	    !__atomic_compare_exchange_n(&s->state, &ready, POSIX_PLACE_CLOSING, false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	memcpy(where, s->where, sizeof(where));
	where[sizeof(where) - 1] = '\0';
	ktrace_posix_board_forget(b, stream);
	remove_session(where);
	free_place(s);
}

static void sweep(struct posix_board *b)
{
	for (__u32 i = 0; i < POSIX_STREAM_NR; i++) {
		const struct posix_board_stream *s = &b->stream[i];
		const struct posix_owner owner = s->owner;
		const __u32 generation = kt_load(&s->generation);

		if (kt_load(&s->state) && !ktrace_posix_owner_lives(&owner)) {
			__u32 claimed = POSIX_PLACE_CLAIMED;

			/* One that died while it made the stream. */
			__atomic_compare_exchange_n((__u32 *)&s->state, &claimed,
						    POSIX_PLACE_READY, false, __ATOMIC_RELAXED,
						    __ATOMIC_RELAXED);
			ktrace_posix_board_bury(b, i, generation);
		}
	}
}

static bool has_streams(const struct posix_board *b)
{
	for (__u32 i = 0; i < POSIX_STREAM_NR; i++)
		if (kt_load(&b->stream[i].state) != POSIX_PLACE_FREE)
			return true;
	return false;
}

static bool has_processes(const struct posix_board *b)
{
	for (__u32 i = 0; i < POSIX_PROCESS_NR; i++) {
		const pid_t pid = kt_load(&b->process[i].pid);

		if (pid && (!kill(pid, 0) || errno != ESRCH))
			return true;
	}
	return false;
}

void ktrace_posix_board_remove(struct posix_board *b, uid_t uid)
{
	char path[64];
	__u32 open_state = 0;

	sweep(b);
	if (has_processes(b) || has_streams(b) ||
	    !__atomic_compare_exchange_n(&b->is_closed, &open_state, 1, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return;
	/* ORD(board_remove:A) pairs ORD(board_is_current:A): closed before the second look */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (has_processes(b) || has_streams(b)) {
		kt_store(&b->is_closed, 0);
		return;
	}
	board_path(path, sizeof(path), uid);
	unlink(path);
	kt_store(&b->is_closed, 2);
}

static int claim_stream(struct posix_board *b, const struct posix_owner *owner)
{
	for (__u32 i = 0; i < POSIX_STREAM_NR; i++) {
		struct posix_board_stream *s = &b->stream[i];
		__u32 state = POSIX_PLACE_FREE;

		/* ORD(claim_stream:A) pairs ORD(free_place:A): nothing is stored to it any more */
		if (!__atomic_compare_exchange_n(&s->state, &state, POSIX_PLACE_CLAIMED, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		s->owner = *owner;
		s->where[0] = '\0';
		memset(s->filter, 0, sizeof(s->filter));
		memset(s->types, 0, sizeof(s->types));
		kt_store(&s->is_waiting, 0);
		kt_store(&s->generation, kt_load(&s->generation) + 1);
		ktrace_posix_board_forget(b, i);
		return (int)i;
	}
	return -EAGAIN;
}

int ktrace_posix_board_stream(struct posix_board *b, const struct posix_owner *owner)
{
	sweep(b);
	return claim_stream(b, owner);
}

void ktrace_posix_board_release(struct posix_board *b, __u32 stream)
{
	ktrace_posix_board_forget(b, stream);
	free_place(&b->stream[stream]);
}
