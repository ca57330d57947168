// SPDX-License-Identifier: LGPL-2.1
/*
 * backend_shm.c - a user channel in shared memory, where there is no module
 *
 *   /dev/shm/ktrace-<uid>-<16 hex digits>/	0700
 *     user					0600, laid out as <linux/ktrace.h> says
 *
 * The file's memory is allocated when it is made, so a full /dev/shm is an error
 * here and never a SIGBUS in a traced program. The magic is stored last: a file
 * without it was never finished.
 *
 * control.reader is kept by a thread of the owner for as long as the session lives,
 * keeper.c. If the owner dies in whatever way, the kernel sets FUTEX_OWNER_DIED in that
 * word, and writers stop waiting for a reader.
 */
#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "layout.h"

#define SHM_DIR "/dev/shm"
#define SHM_PREFIX "ktrace-"
#define SHM_FILE "user"

static __u64 available_memory(void)
{
	unsigned long long kib = 0;
	char line[128];
	FILE *f = fopen("/proc/meminfo", "re");

	if (!f)
		return ~0ull;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
			break;
	fclose(f);
	return kib ? kib * 1024 : ~0ull;
}

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
	return 0;
}

static int make_file(struct ktrace_session *s, __u64 size, char **map)
{
	char path[96];
	int error;

	snprintf(path, sizeof(path), "%s/" SHM_FILE, s->dir);
	s->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (s->fd < 0)
		return session_fail(s, -errno, "%s", path);
	error = size > available_memory() ? ENOMEM : posix_fallocate(s->fd, 0, (off_t)size);
	if (error)
		return session_fail(s, -error, "%llu MiB of shared memory for the buffers",
				    (unsigned long long)(size >> 20));
	*map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (*map == MAP_FAILED)
		return session_fail(s, -errno, "%s", path);
	return 0;
}

static __u32 possible_cpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	return n > 0 ? (__u32)n : 1;
}

static int describe(struct ktrace_session *s, const struct ktrace_session_options *opts,
		    struct ktrace_control *c)
{
	__u32 cpu_nr = possible_cpus();

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
		.id_nr = KTRACE_ID_NR,
		.filter_size = KTRACE_FILTER_SIZE,
		.clock = clock_choose(),
		.timeout_ms = opts->timeout_ms,
		.state = KTRACE_STATE_SUSPENDED,
	};
	if (layout_compute(c))
		return session_fail(s, -EINVAL, "buffer, block and ring sizes");
	return 0;
}

/* Everything but the magic, which tells writers that it is all there. */
static int fill(struct ktrace_session *s, char *map, struct ktrace_control *c,
		const char *filter)
{
	struct ktrace_registry *registry = (struct ktrace_registry *)(map + c->registry_off);
	struct ktrace_control *control = (struct ktrace_control *)map;
	int error;

	memcpy(control, c, offsetof(struct ktrace_control, reader));
	session_fill_user(map, c, filter);
	if (c->registry_off) {
		registry->next_on = KTRACE_ID_FIRST;
		registry->next_off = KTRACE_ID_OFF;
		registry->hint = sizeof(*registry);
	}
	error = keeper_start(&s->keeper, &control->reader);
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
	char *map = NULL;
	int error = describe(s, opts, &c);

	if (!error)
		error = make_dir(s, &c.session);
	if (!error)
		error = make_file(s, c.map_size, &map);
	if (error)
		return error;
	error = fill(s, map, &c, opts->filter);
	if (!error)
		error = channel_init(&s->user, map, c.map_size);
	if (error) {
		keeper_stop(s->keeper);
		s->keeper = NULL;
		munmap(map, c.map_size);
		return error;
	}
	if (opts->kernel)
		s->kernel_error = -EOPNOTSUPP;
	snprintf(s->env, sizeof(s->env), "shm:%s/" SHM_FILE, s->dir);
	clock_init(&s->clock, c.clock, 0);
	return 0;
}

static void shm_close(struct ktrace_session *s)
{
	char path[96];

	if (s->user.map)
		kt_store(&channel_control(&s->user)->state, KTRACE_STATE_CLOSED);
	keeper_stop(s->keeper);
	s->keeper = NULL;
	channel_exit(&s->user);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	if (!s->dir[0])
		return;
	snprintf(path, sizeof(path), "%s/" SHM_FILE, s->dir);
	unlink(path);
	rmdir(s->dir);
	s->dir[0] = '\0';
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

/* Whether a process runs as our user, who alone can have opened the buffer. */
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
 * Whether a process that is said to write has the buffer mapped. One of our user's whose
 * mappings may not be looked at counts for as long as it lives; a reused pid does not
 * have the buffer. We have it, too, but do not write: somebody is telling lies.
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
		return errno != ENOENT && errno != ESRCH && is_our_users(pid);
	while (!found && getline(&line, &cap, f) > 0)
		found = strstr(line, name);
	/* Read errors: no such process any more, or not ours to look at. */
	if (ferror(f))
		found = errno != ESRCH && is_our_users(pid);
	free(line);
	fclose(f);
	return found;
}

static int shm_holders(struct ktrace_session *s, struct ktrace_holders *h)
{
	for (__u32 i = 0; i < s->registry.pid_nr;) {
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

const struct session_backend session_backend_shm = {
	.name = "shm",
	.open = shm_open_session,
	.close = shm_close,
	.set_running = shm_set_running,
	.reclaim = shm_reclaim,
	.holders = shm_holders,
};

/* Everybody may make files of any name and kind in /dev/shm: only our own count. */
static bool is_ours(int fd, mode_t type)
{
	struct stat st;

	return !fstat(fd, &st) && (st.st_mode & S_IFMT) == type && st.st_uid == geteuid();
}

/* The file of a session of ours, for reading; -errno. Never waits for anybody. */
static int open_own(const char *name)
{
	char path[sizeof(SHM_DIR) + 256];
	int dir, fd = -ENOENT;

	snprintf(path, sizeof(path), SHM_DIR "/%s", name);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	if (is_ours(dir, S_IFDIR)) {
		fd = openat(dir, SHM_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
			    O_CLOEXEC);
		if (fd < 0)
			fd = -errno;
	}
	close(dir);
	if (fd >= 0 && !is_ours(fd, S_IFREG)) {
		close(fd);
		fd = -EPERM;
	}
	return fd;
}

static bool owner_is_dead(const char *name)
{
	struct ktrace_control c;
	int fd = open_own(name);
	bool dead;

	if (fd < 0)
		return false;
	dead = pread(fd, &c, sizeof(c), 0) == sizeof(c) && c.magic == KTRACE_CONTROL_MAGIC &&
	       (c.reader & FUTEX_OWNER_DIED);
	close(fd);
	return dead;
}

__u32 ktrace_session_stale(char *first)
{
	char prefix[32];
	DIR *dir = opendir(SHM_DIR);
	struct dirent *e;
	__u32 nr = 0;

	if (!dir)
		return 0;
	snprintf(prefix, sizeof(prefix), SHM_PREFIX "%u-", (unsigned int)geteuid());
	while ((e = readdir(dir))) {
		if (strncmp(e->d_name, prefix, strlen(prefix)))
			continue;
		if (!owner_is_dead(e->d_name))
			continue;
		if (!nr++ && first)
			snprintf(first, KTRACE_REASON_SIZE, SHM_DIR "/%.200s", e->d_name);
	}
	closedir(dir);
	return nr;
}
