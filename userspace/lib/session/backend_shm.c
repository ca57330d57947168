// SPDX-License-Identifier: LGPL-2.1
/*
 * backend_shm.c - a user channel in shared memory, for systems without the module
 *
 *   /dev/shm/ktrace-<uid>-<16 hex digits>/	0700
 *     user					0600, laid out as <linux/ktrace.h> says
 *
 * The file's memory is allocated when the file is made, so a full /dev/shm is an error here and
 * never a SIGBUS in a traced program. Only after the registry is there a hole; the registry grows
 * into it once the memory has been allocated. The magic is stored last: a file without it was never
 * finished.
 *
 * A thread of the owner holds control.reader for as long as the session lives, see
 * owner_liveness.c. However the owner dies, the kernel then sets FUTEX_OWNER_DIED in that word, and
 * writers stop waiting for a reader.
 *
 * The owner also holds a lock on the file (flock), which only the kernel can take from it:
 * a session whose lock is free is stale. A process that adopts the session takes the lock and
 * leaves control.reader unchanged, because no writer should wait for room any more.
 */
#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file_limit.h"
#include "base/proc_stat.h"
#include "layout.h"

#define SHM_DIR "/dev/shm"
#define SHM_PREFIX "ktrace-"
#define SHM_FILE "user"
/*
 * A folder without a finished session is kept for this long: its session may still be in the
 * making.
 */
#define UNFINISHED_S 10
/* A registry of at least this size can grow up to this many times. */
#define GROWS_FROM (1u << 20)
#define GROWTH_MAX 16u

/* Makes the session's folder. The owner can use it and its file whatever the umask is. */
static int make_dir(struct ktrace_session *s, __u64 *id)
{
	if (getrandom(id, sizeof(*id), 0) != sizeof(*id))
		return session_fail(s, -EIO, "random number");
	snprintf(s->dir, sizeof(s->dir), SHM_DIR "/" SHM_PREFIX "%u-%016llx",
		 (unsigned int)geteuid(), (unsigned long long)*id);
	if (mkdir(s->dir, 0700)) {
		int error = -errno;

		session_fail(s, error, "%s", s->dir);
		s->dir[0] = '\0';
		return error;
	}
	return chmod(s->dir, 0700) ? session_fail(s, -errno, "%s", s->dir) : 0;
}

/*
 * Maps the file. From here on ktrace_session_mend() can help if another process truncates the file:
 * none of the memory has been touched yet.
 */
static int map_file(struct ktrace_session *s, size_t size)
{
	char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	s->user.map = map;
	s->user.map_size = size;
	kt_barrier();	/* a SIGBUS handler finds this mapping */
	return 0;
}

/*
 * Allocates all but the hole. Returns 0 or an errno. The caller has checked the limit on file
 * sizes.
 */
static int allocate(int fd, const struct ktrace_control *c, __u64 hole)
{
	const __u64 hole_off = c->registry_off + c->registry_size, end = hole_off + hole;
	int error = c->map_size - hole > ktrace_memory_available() ? ENOMEM :
		    posix_fallocate(fd, 0, (off_t)hole_off);

	return error || end == c->map_size ? error :
	       posix_fallocate(fd, (off_t)end, (off_t)(c->map_size - end));
}

static int make_file(struct ktrace_session *s, const struct ktrace_control *c, __u64 hole)
{
	const __u64 size = c->map_size;
	char path[96];
	int error;

	snprintf(path, sizeof(path), "%s/" SHM_FILE, s->dir);
	s->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	/* A process that looks for stale sessions may hold the lock for a moment. */
	if (s->fd < 0 || fchmod(s->fd, 0600) || flock(s->fd, LOCK_EX))
		return session_fail(s, -errno, "%s", path);
	error = !may_have_file_of(size) ? EFBIG : allocate(s->fd, c, hole);
	if (error)
		return session_fail(s, -error, "%llu MiB of shared memory for the buffers",
				    (unsigned long long)((size - hole) >> 20));
	error = map_file(s, size);
	return error ? session_fail(s, error, "%s", path) : 0;
}

/*
 * Slots take half as much as the registry at first: the more of them, the longer the owner may be
 * kept from saving what it has read.
 */
static __u32 slot_nr(__u64 registry_size)
{
	__u32 nr = 1;

	while (nr * 2ull * KTRACE_SLOT_SIZE <= registry_size / 2 && nr < KTRACE_SLOT_NR_MAX)
		nr *= 2;
	return nr;
}

static int describe(struct ktrace_session *s, const struct ktrace_session_options *opts,
		    struct ktrace_control *c)
{
	__u32 cpu_nr = cpus_present();

	*c = (struct ktrace_control) {
		.version = KTRACE_ABI_VERSION,
		.size = sizeof(*c),
		.kind = KTRACE_CHANNEL_USER,
		.ring_nr = cpu_nr + opts->thread_nr,
		.cpu_nr = cpu_nr,
		.block_size = opts->block_size,
		.policy = opts->policy,
		.ring_size = opts->ring_size,
		.thread_size = opts->thread_size,
		.registry_size = opts->registry_size,
		.slot_size = KTRACE_SLOT_SIZE,
		.id_nr = KTRACE_ID_NR,
		.id_all = opts->registry_size < GROWS_FROM ? 0 : KTRACE_ID_ALL,
		.filter_size = KTRACE_FILTER_SIZE,
		.note_size = KTRACE_NOTE_SIZE,
		.clock = clock_choose(),
		.timeout_ms = opts->timeout_ms,
		.state = KTRACE_STATE_SUSPENDED,
	};
	if (layout_compute(c))
		return session_fail(s, -EINVAL, "buffer, block and ring sizes");
	return 0;
}

/* Adds slots, unless there is too little room for them: then names go to the list only. */
static void add_slots(struct ktrace_control *c)
{
	struct ktrace_control larger = *c;

	larger.slot_nr = slot_nr(c->registry_size);
	if (c->registry_size >= GROWS_FROM && !layout_compute(&larger) &&
	    may_have_file_of(larger.map_size) && larger.map_size <= ktrace_memory_available())
		*c = larger;
}

/*
 * Leaves a hole after the registry for it to grow into. The hole takes address space of programs,
 * so there is none if that is limited. Returns its bytes.
 */
static __u64 leave_hole(struct ktrace_control *c)
{
	struct ktrace_control larger = *c;
	struct rlimit limit;

	if (c->registry_size < GROWS_FROM ||
	    (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY) ||
	    __builtin_mul_overflow(c->registry_size, GROWTH_MAX, &larger.registry_size) ||
	    layout_compute(&larger) || !may_have_file_of(larger.map_size))
		return 0;
	larger.registry_size = c->registry_size;
	*c = larger;
	return c->registry_size * (GROWTH_MAX - 1);
}

/*
 * Grows long before the registry is full, because processes make entries meanwhile: those about
 * mappings leave half of it to others. A writer that sees the new size finds the memory allocated
 * by the kernel: no ordering is needed.
 */
void shm_grow_registry(struct ktrace_session *s)
{
	struct registry *r = &s->registry;

	if (r->size >= s->registry_most || r->off < r->size / 4)
		return;
	if (r->size > ktrace_memory_available() ||
	    !may_have_file_of(s->user.control.map_size) ||
	    posix_fallocate(s->fd, (off_t)(s->user.control.registry_off + r->size),
			    (off_t)r->size)) {
		s->registry_most = r->size;
		return;
	}
	r->size *= 2;
	kt_store(&channel_control(&s->user)->registry_size, r->size);
}

/* Fills in everything, the magic last, which tells writers that the file is complete. */
static int fill(struct ktrace_session *s, char *map, struct ktrace_control *c,
		const char *filter)
{
	struct ktrace_registry *registry = (struct ktrace_registry *)(map + c->registry_off);
	struct ktrace_control *control = (struct ktrace_control *)map;
	int error;

	memcpy(control, c, offsetof(struct ktrace_control, reader));
	session_fill_user(map, c, filter);
	registry_slots_fill(map, c);
	if (c->registry_off) {
		registry->next_on = KTRACE_ID_FIRST;
		registry->next_off = KTRACE_ID_OFF;
		registry->more_on = KTRACE_ID_MORE;
		registry->more_off = KTRACE_ID_MORE_OFF;
		registry->hint = sizeof(*registry);
	}
	error = owner_liveness_start(&s->keeper, &control->reader);
	if (error)
		return session_fail(s, error, "owner's thread");
	c->magic = KTRACE_CONTROL_MAGIC;
	/* Programs learn the file's name later, by fork and exec: no ordering is needed. */
	kt_store(&control->magic, c->magic);
	return 0;
}

static int shm_open_session(struct ktrace_session *s, const struct ktrace_session_options *opts)
{
	struct ktrace_control c;
	int error = describe(s, opts, &c);
	__u64 hole = 0;

	if (!error) {
		add_slots(&c);
		hole = leave_hole(&c);
	}
	if (!error)
		error = make_dir(s, &c.session);
	if (!error)
		error = make_file(s, &c, hole);
	if (!error)
		error = fill(s, s->user.map, &c, opts->filter);
	if (error)
		return error;
	error = channel_take(&s->user, s->user.map, c.map_size);
	if (error)
		return session_fail(s, error, "%s", s->dir);
	s->registry_most = c.registry_size + hole;
	if (opts->kernel)
		s->kernel_error = -EOPNOTSUPP;
	snprintf(s->env, sizeof(s->env), "shm:%s/" SHM_FILE, s->dir);
	clock_init(&s->clock, c.clock, 0);
	return 0;
}

static void shm_leave(struct ktrace_session *s)
{
	if (s->user.map)
		kt_store(&channel_control(&s->user)->state, KTRACE_STATE_CLOSED);
	owner_liveness_stop(s->keeper);
	s->keeper = NULL;
	channel_exit(&s->user);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

static int remove_dir(const char *dir)
{
	char path[96 + sizeof(SHM_FILE)];

	snprintf(path, sizeof(path), "%s/" SHM_FILE, dir);
	if (unlink(path) && errno != ENOENT)
		return -errno;
	return rmdir(dir) ? -errno : 0;
}

/* Removes the file first: while it is locked, no process takes the session for stale. */
static void shm_close(struct ktrace_session *s)
{
	if (s->dir[0])
		remove_dir(s->dir);
	s->dir[0] = '\0';
	shm_leave(s);
}

static int shm_set_running(struct ktrace_session *s, bool running)
{
	kt_store(&channel_control(&s->user)->state,
		 running ? KTRACE_STATE_RUNNING : KTRACE_STATE_SUSPENDED);
	return 0;
}

static int shm_reclaim(struct ktrace_session *s)
{
	return (int)channel_free_dead(&s->user, s->user.map);
}

static int shm_dismiss(struct ktrace_session *s)
{
	return dismiss_all(s, s->user.map);
}

/* True if a process runs as our user: no other user can have opened the buffer. */
static bool is_our_users(__u32 pid)
{
	unsigned int real, effective, own = (unsigned int)geteuid();
	char path[48], line[256];
	bool is = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Uid: %u %u", &real, &effective) == 2)
			is = real == own || effective == own;
	if (f)
		fclose(f);
	return is;
}

/*
 * True if a process whose mappings we may not read can have the buffer. A writer in a PID namespace
 * of its own may give a number that belongs to another process here: one older than we are is
 * ignored.
 */
static bool may_hold(__u32 pid)
{
	struct proc_stat other, own;

	proc_stat_of(pid, &other);
	proc_stat_of((unsigned long)getpid(), &own);
	return is_our_users(pid) && other.start >= own.start;
}

/*
 * True if a process listed as a writer has the buffer mapped. If its mappings may not be read, it
 * counts for as long as it lives, provided that it is our user's and not older than we are; a
 * reused pid does not have the buffer. We have it mapped, too, but do not write: if our own pid is
 * listed, the entry is forged.
 */
static bool holds(const struct ktrace_session *s, __u32 pid)
{
	const char *name = s->dir + strlen(SHM_DIR);
	char path[48], *line = NULL;
	size_t cap = 0;
	bool found = false;
	FILE *f;

	if (pid == (__u32)getpid())
		return false;
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return errno != ENOENT && errno != ESRCH && may_hold(pid);
	while (!found && getline(&line, &cap, f) > 0)
		found = strstr(line, name);
	/* Read errors: the process has ended, or we may not read its mappings. */
	if (ferror(f))
		found = errno != ESRCH && may_hold(pid);
	free(line);
	fclose(f);
	return found;
}

static int shm_holders(struct ktrace_session *s, __u32 limit, struct ktrace_holders *h)
{
	for (__u32 i = 0; i < s->registry.pid_nr && h->nr < limit;) {
		__u32 pid = s->registry.pids[i];

		if (!holds(s, pid)) {
			registry_forget(&s->registry, i);
			continue;
		}
		h->nr++;
		h->pid = pid;
		i++;
	}
	return 0;
}

/* True if the session's reader lives although the lock is free. */
static bool has_reader(int fd)
{
	__u32 reader = 0;
	pid_t tid;

	if (pread(fd, &reader, sizeof(reader), offsetof(struct ktrace_control, reader)) !=
	    sizeof(reader) || (reader & FUTEX_OWNER_DIED))
		return false;
	tid = (pid_t)(reader & FUTEX_TID_MASK);
	return tid && (!kill(tid, 0) || errno != ESRCH);
}

/*
 * Opens the file of a session of user @uid; the file may belong to another user by now: a stream of
 * <trace.h> of that user's process. Any user may make files of any name and kind in /dev/shm: the
 * folder has to be the user's, so that no other user can have put the file there. Never waits.
 * Returns as lock_stale().
 */
static int open_file_of(const char *path, uid_t uid, struct stat *st)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), fd = -ENOENT;

	if (dir < 0)
		return -ENOENT;
	if (!fstat(dir, st) && S_ISDIR(st->st_mode) && st->st_uid == uid) {
		fd = openat(dir, SHM_FILE, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (fd < 0)
			fd = errno == ENOENT ? -ENODATA : -ENOENT;
	}
	close(dir);
	if (fd >= 0 && (fstat(fd, st) || !S_ISREG(st->st_mode))) {
		close(fd);
		fd = -ENOENT;
	}
	return fd;
}

static bool is_finished(int fd)
{
	__u32 magic = 0;

	return pread(fd, &magic, sizeof(magic), 0) == sizeof(magic) &&
	       magic == KTRACE_CONTROL_MAGIC;
}

/*
 * Opens the file of a session of user @uid and locks it, if its owner is dead. Returns the
 * descriptor; -EBUSY: it has an owner; -ENODATA: no file, only part of one, or another user's;
 * -ENOENT: no session, or none of that user.
 */
static int lock_stale(const char *dir, uid_t uid, struct stat *st)
{
	int fd = open_file_of(dir, uid, st);

	if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) || has_reader(fd))) {
		close(fd);
		return -EBUSY;
	}
	/* A file that another user can truncate is not read: it can only be removed. */
	if (fd >= 0 && (!is_finished(fd) || st->st_uid != uid)) {
		close(fd);
		fd = -ENODATA;
	}
	if (fd == -ENODATA && time(NULL) - st->st_mtime < UNFINISHED_S)
		return -ENOENT;
	return fd;
}

/* Parses the name of a session's folder. Only root sees the sessions of other users. */
static bool parse_name(const char *name, struct ktrace_stale *stale)
{
	char again[64];
	unsigned long long id;
	unsigned int uid;

	if (sscanf(name, SHM_PREFIX "%u-%llx", &uid, &id) != 2)
		return false;
	snprintf(again, sizeof(again), SHM_PREFIX "%u-%016llx", uid, id);
	stale->uid = uid;
	stale->id = id;
	return !strcmp(name, again) && (uid == geteuid() || !geteuid());
}

static void shm_list(struct ktrace_stale *list, size_t max, size_t *nr)
{
	DIR *dir = opendir(SHM_DIR);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		struct ktrace_stale stale = { .backend = KTRACE_BACKEND_SHM };
		struct stat st;
		int fd;

		if (!parse_name(e->d_name, &stale))
			continue;
		snprintf(stale.where, sizeof(stale.where), SHM_DIR "/%.40s", e->d_name);
		fd = lock_stale(stale.where, stale.uid, &st);
		if (fd < 0 && fd != -ENODATA)
			continue;
		stale.bytes = (__u64)st.st_blocks * 512;
		stale.is_unfinished = fd < 0;
		if (fd >= 0)
			close(fd);
		if (*nr < max)
			list[*nr] = stale;
		++*nr;
	}
	if (dir)
		closedir(dir);
}

/* Retries: a process that looks for stale sessions holds the lock for a moment. */
static int lock_patiently(const struct ktrace_stale *which, struct stat *st)
{
	static const struct timespec nap = { .tv_nsec = 2000000 };
	int fd = lock_stale(which->where, which->uid, st);

	for (int i = 0; i < 100 && fd == -EBUSY; i++) {
		nanosleep(&nap, NULL);
		fd = lock_stale(which->where, which->uid, st);
	}
	return fd;
}

static int shm_adopt(struct ktrace_session *s, const struct ktrace_stale *which)
{
	struct stat st;
	int error;

	s->fd = lock_patiently(which, &st);
	if (s->fd < 0)
		return session_fail(s, s->fd, "%s", which->where);
	error = (size_t)st.st_size < sizeof(struct ktrace_control) ? -EBADMSG
		: map_file(s, (size_t)st.st_size);
	if (!error)
		error = channel_take(&s->user, s->user.map, s->user.map_size);
	if (error) {
		channel_exit(&s->user);		/* nothing is stored to an invalid file */
		return session_fail(s, error, "%s", which->where);
	}
	snprintf(s->dir, sizeof(s->dir), "%.63s", which->where);
	snprintf(s->env, sizeof(s->env), "shm:%s/" SHM_FILE, s->dir);
	kt_store(&channel_control(&s->user)->state, KTRACE_STATE_CLOSED);
	clock_init(&s->clock, s->user.control.clock, 0);
	return 0;
}

static int shm_discard(const struct ktrace_stale *which)
{
	struct stat st;
	int fd = lock_patiently(which, &st), error;

	if (fd < 0 && fd != -ENODATA)
		return fd;
	error = remove_dir(which->where);
	if (fd >= 0)
		close(fd);
	return error;
}

const struct session_backend session_backend_shm = {
	.name = "shm",
	.open = shm_open_session,
	.close = shm_close,
	.leave = shm_leave,
	.list = shm_list,
	.adopt = shm_adopt,
	.discard = shm_discard,
	.set_running = shm_set_running,
	.reclaim = shm_reclaim,
	.holders = shm_holders,
	.dismiss = shm_dismiss,
};
