// SPDX-License-Identifier: LGPL-2.1
/*
 * registry_file.c - the file shared by all processes of a user: create, map, remove
 *
 * A new registry gets its name (by link) only when it is complete, so no process opens an
 * incomplete one. A process holds a shared lock on the file while it takes a slot. The last one to
 * leave removes the registry if it gets the lock exclusively: then no other process is about to
 * take a slot.
 *
 * Any user can create files in /dev/shm, so another user may own the registry's name. Then the
 * registry gets a name with a random end, which nobody can have taken before, and is identified by
 * its owner. It stays in use even if the other user removes the first name.
 */
#include "registry_shm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/pid_namespace.h"
#include "base/clock.h"
#include "base/file_limit.h"
#include "ring/port.h"

#ifndef BOARD_DIR
#define BOARD_DIR "/dev/shm"
#endif

/* Others hold the lock only briefly. Does not wait longer for a process that is stopped. */
#define LOCK_NS NS_PER_S
#define NAP_US 1000
/* Attempts, in case other processes remove registries before we have them */
#define TRIES 100

#define PATH_ROOM 128
#define RANDOM_DIGITS 16

/*
 * Returns the usual path. Process ids differ between PID namespaces, where our processes would seem
 * to be dead, so each namespace has its own registries.
 */
static void usual_path(char *path, uid_t uid)
{
	const __u64 ns = pid_namespace();
	const int n = snprintf(path, PATH_ROOM, BOARD_DIR "/ktrace-posix-%u", (unsigned int)uid);

	if (ns && ns != PID_NAMESPACE_FIRST)
		snprintf(path + n, PATH_ROOM - (size_t)n, "-%llu", (unsigned long long)ns);
}

/* An entry of a folder as returned by the kernel */
struct entry {
	__u64 inode;
	__s64 next;
	__u16 size;
	__u8 type;
	char name[];
};

static bool is_spare(int dir, const char *name, const char *usual, uid_t uid)
{
	const size_t n = strlen(usual);
	struct stat st;

	return !strncmp(name, usual, n) && name[n] == '.' &&
	       strlen(name + n + 1) == RANDOM_DIGITS &&
	       !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
	       st.st_uid == uid;
}

/*
 * Extends @path, the usual one, to that of the user's registry with a random end: the first by
 * name, so that all processes choose the same. Allocates nothing, because signal handlers record
 * events too. Returns false if there is none.
 */
static bool find_spare(char *path, uid_t uid)
{
	const int dir = open(BOARD_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *usual = path + strlen(BOARD_DIR "/");
	char buf[2048] __attribute__((aligned(8))), found[RANDOM_DIGITS + 2] = "";
	const size_t n = strlen(usual);
	const struct entry *e;
	long size;

	while (dir >= 0 && (size = syscall(SYS_getdents64, dir, buf, sizeof(buf))) > 0)
		for (long at = 0; at < size; at += e->size) {
			e = (const struct entry *)(buf + at);
			if (is_spare(dir, e->name, usual, uid) &&
			    (!*found || strcmp(e->name + n, found) < 0))
				memcpy(found, e->name + n, sizeof(found));
		}
	if (dir >= 0)
		close(dir);
	memcpy(path + strlen(path), found, sizeof(found));
	return *found;
}

/* Returns the path of the user's registry, or of the one to create. */
static void registry_path(char *path, uid_t uid)
{
	struct stat st;
	__u64 number;
	bool is_there;

	usual_path(path, uid);
	is_there = !lstat(path, &st);
	if ((is_there && st.st_uid == uid) || find_spare(path, uid) || !is_there)
		return;
	if (getrandom(&number, sizeof(number), 0) == sizeof(number))
		snprintf(path + strlen(path), RANDOM_DIGITS + 2, ".%016llx",
			 (unsigned long long)number);
}

static int set_up(int fd)
{
	/* Write only the first words: a registry may be larger than a thread's stack. */
	struct {
		__u32 magic, version, size, name_nr;
		__u64 inode;
	} head = { POSIX_REGISTRY_MAGIC, POSIX_REGISTRY_VERSION, sizeof(struct posix_registry), 0,
		  0 };
	struct stat st;
	int error = may_have_file_of(sizeof(struct posix_registry))
		    ? posix_fallocate(fd, 0, sizeof(struct posix_registry)) : EFBIG;

	_Static_assert(sizeof(head) == offsetof(struct posix_registry, running), "its first words");
	if (error)
		return -error;
	if (fstat(fd, &st))
		return -errno;
	head.inode = st.st_ino;
	return pwrite(fd, &head, sizeof(head), 0) < 0 ? -errno : 0;
}

/* Creates and names the file. Returns a descriptor or -errno; -EEXIST if the name exists. */
static int make_file(const char *path, uid_t uid)
{
	int fd = open(BOARD_DIR, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), error;
	char self[32];

	if (fd < 0)
		return -errno;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	error = set_up(fd);
	if (!error && (fchmod(fd, 0600) || (uid != geteuid() && fchown(fd, uid, (gid_t)-1)) ||
		       linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW)))
		error = -errno;
	if (error)
		close(fd);
	return error ? error : fd;
}

/* Ignores files that are not a complete registry. */
static bool is_registry(const struct stat *st, uid_t uid)
{
	return S_ISREG(st->st_mode) && st->st_uid == uid &&
	       st->st_size == sizeof(struct posix_registry);
}

/* Returns a descriptor of the file with this name, or -errno. */
static int open_file(const char *path, uid_t uid, struct stat *st)
{
	int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), error;

	if (fd < 0)
		return -errno;
	error = fstat(fd, st) ? -errno : is_registry(st, uid) ? 0 : -EPERM;
	if (error)
		close(fd);
	return error ? error : fd;
}

static bool is_linked(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_nlink;
}

/* Returns the file with this name, locked; -ENOENT if there is none, or it was removed. */
static int hold_file(const char *path, uid_t uid, struct stat *st)
{
	const __u64 begin = now_ns();
	int fd;

	/* "ktraced --recover" is removing it, because it is unused. */
	while ((fd = open_file(path, uid, st)) == -EWOULDBLOCK && now_ns() - begin < LOCK_NS)
		usleep(NAP_US);
	if (fd < 0)
		return fd;
	while (flock(fd, LOCK_SH | LOCK_NB) && now_ns() - begin < LOCK_NS)
		usleep(NAP_US);
	if (is_linked(fd))
		return fd;
	close(fd);
	return -ENOENT;
}

int ktrace_posix_registry_hold(const struct posix_registry *b, uid_t uid)
{
	char path[PATH_ROOM];
	struct stat st;
	int fd;

	registry_path(path, uid);
	fd = hold_file(path, uid, &st);
	if (fd >= 0 && st.st_ino != kt_load(&b->inode)) {
		close(fd);
		return -ENOENT;
	}
	return fd;
}

/* Creates the registry if there is none, then opens it like any other. */
static int hold_or_make(uid_t uid)
{
	char path[PATH_ROOM], made[PATH_ROOM] = "";
	struct stat st;
	int fd;

	for (int i = 0; i < TRIES; i++) {
		registry_path(path, uid);
		/*
		 * Another process has created one at the same time, whose random end sorts first.
		 */
		if (*made && strcmp(made, path))
			unlink(made);
		*made = '\0';
		fd = hold_file(path, uid, &st);
		if (fd != -ENOENT)
			return fd;
		fd = make_file(path, uid);
		if (fd < 0 && fd != -EEXIST)
			return fd;
		if (fd < 0)
			continue;
		memcpy(made, path, sizeof(made));
		close(fd);
	}
	return -EBUSY;
}

uid_t ktrace_posix_registry_uid;

int ktrace_posix_registry_map(uid_t uid, struct posix_registry **out)
{
	struct posix_registry *b;
	int fd = hold_or_make(uid), error = 0;

	if (fd < 0)
		return fd;
	b = mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (b == MAP_FAILED)
		error = -errno;
	else if (kt_load(&b->magic) != POSIX_REGISTRY_MAGIC ||
		 kt_load(&b->version) != POSIX_REGISTRY_VERSION || kt_load(&b->size) != sizeof(*b))
		error = -EPROTONOSUPPORT;
	if (error) {
		if (b != MAP_FAILED)
			munmap(b, sizeof(*b));
		ktrace_posix_registry_let_go(fd);
		return error;
	}
	ktrace_posix_registry_uid = uid;
	*out = b;
	return fd;
}

void ktrace_posix_registry_let_go(int fd)
{
	flock(fd, LOCK_UN);	/* the mapping keeps the file open, and thus the lock */
	close(fd);
}

/* Waits while others attach or detach, until one has a slot or none is left. */
static bool is_last(const struct posix_registry *b, int fd)
{
	const __u64 begin = now_ns();

	for (;;) {
		const bool is_locked = !flock(fd, LOCK_EX | LOCK_NB);

		if (ktrace_posix_registry_is_used(b))
			return false;
		if (is_locked || now_ns() - begin >= LOCK_NS)
			return is_locked;
		usleep(NAP_US);
	}
}

/* New processes hold the lock while they take a slot, so with the lock we see all of them. */
void ktrace_posix_registry_remove(struct posix_registry *b, uid_t uid)
{
	char path[PATH_ROOM];
	struct stat st;
	int fd;

	ktrace_posix_registry_sweep(b);
	if (ktrace_posix_registry_is_used(b))
		return;
	registry_path(path, uid);
	fd = open_file(path, uid, &st);
	if (fd < 0)
		return;
	if (st.st_ino == kt_load(&b->inode) && is_last(b, fd) && is_linked(fd))
		unlink(path);
	close(fd);
}
