// SPDX-License-Identifier: GPL-2.0
/*
 * parts.c - the files of a recording that is split into several
 *
 *   -o trace.bin   trace.0001.bin  trace.0002.bin  ...
 *
 * The number is before the last dot of the name. All but the newest @keep are removed. Lines that
 * are needed to read a file alone are kept in memory and written at the beginning of each; they are
 * no more than the session's registry, and what was read from /proc at the start.
 */
#include "parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fnv.h"
#include "base/grow.h"
#include "base/lines.h"
#include "base/peer.h"
#include "base/turn.h"
#include "exited_processes.h"

/* Readings of the clocks, one each second, that the next part repeats: events are seldom older */
#define CLOCKS_MAX 16u
#define DIGITS 4
/* Connections to a name that may wait, and that are closed in one go */
#define NAME_BACKLOG 64
/* Time that an asker waits if others have filled the holder's queue: the holder empties it */
#define NAME_WAIT_S 2

/* Returns the position of the last dot of the name in a path, or its end. */
static size_t number_at(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	return dot && dot > name ? (size_t)(dot - path) : strlen(path);
}

char *parts_name(const char *output, __u32 number)
{
	size_t at = number_at(output);
	char *name;

	return asprintf(&name, "%.*s.%0*u%s", (int)at, output, DIGITS, number, output + at) < 0 ?
	       NULL : name;
}

char *parts_other_name(const char *path, __u32 number, __u32 other)
{
	char digits[16], *name;
	size_t n = (size_t)snprintf(digits, sizeof(digits), ".%0*u", DIGITS, number);
	size_t at = number_at(path);

	/* Without a suffix, the number itself follows the last dot. */
	if (!strcmp(path + at, digits))
		at += n;
	if (at < n || strncmp(path + at - n, digits, n))
		return NULL;
	return asprintf(&name, "%.*s.%0*u%s", (int)(at - n), path, DIGITS, other,
			path + at) < 0 ? NULL : name;
}

char *parts_new_name(const char *path)
{
	char *name;

	return asprintf(&name, "%s.new", path) < 0 ? NULL : name;
}

int parts_init(struct parts *p, const char *output, __u64 max_bytes, __u64 max_ns, __u32 keep)
{
	*p = (struct parts) {
		.output = output,
		.path = parts_name(output, 1),
		.max_bytes = max_bytes,
		.max_ns = max_ns,
		.keep = keep,
		.number = 1,
		.first = 1,
		.begun_ns = now_ns(),
		.name_fd = -1,
		.is_forgetful = true,
	};
	if (p->keep)
		p->ended = calloc(p->keep, sizeof(*p->ended));
	if (p->path && (p->ended || !p->keep))
		return 0;
	parts_free(p);
	return -ENOMEM;
}

/*
 * True if @name is that of a part, or of a new one. @at: position of the number, @tail: text after
 * it
 */
static bool is_part_name(const char *name, const char *stem, size_t at, const char *tail)
{
	size_t digits;

	if (strncmp(name, stem, at) || name[at] != '.')
		return false;
	digits = strspn(name + at + 1, "0123456789");
	name += at + 1 + digits;
	return digits >= DIGITS && !strncmp(name, tail, strlen(tail)) &&
	       (!name[strlen(tail)] || !strcmp(name + strlen(tail), ".new"));
}

/* True for a part of a trace, or for a new part that does not even have a complete header. */
static bool is_part(int fd, const char *name)
{
	struct ktrace_file h = { .part = 0 };
	const char *dot = strrchr(name, '.');
	ssize_t n = read(fd, &h, sizeof(h));

	if (n != sizeof(h))
		return n >= 0 && dot && !strcmp(dot, ".new") &&
		       !memcmp(h.magic, KTRACE_FILE_MAGIC, n < 8 ? (size_t)n : sizeof(h.magic));
	return !memcmp(h.magic, KTRACE_FILE_MAGIC, sizeof(h.magic)) && h.part;
}

/*
 * Checks for a part that no process writes, and removes it if @removes.
 * Return: 1; 0 if it is not a part or does not exist; -EBUSY; -errno.
 */
static int clear_part(int dir, const char *name, bool removes)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW), ret = 0;

	if (fd < 0)
		return errno == ENOENT || errno == ELOOP ? 0 : -errno;
	if (is_part(fd, name)) {
		ret = 1;
		if (flock(fd, LOCK_EX | LOCK_NB))
			ret = errno == EWOULDBLOCK ? -EBUSY : -errno;
		else if (removes && unlinkat(dir, name, 0) && errno != ENOENT)
			ret = -errno;
	}
	close(fd);
	return ret;
}

int parts_remove(const char *path)
{
	int ret = clear_part(AT_FDCWD, path, true);

	return ret < 0 ? ret : 0;
}

/*
 * True if this user, root, or the folder's owner, who can remove the files anyway, holds the name.
 * Any user can take the name of a socket: other users must not keep us from recording. If one
 * does, only clear_parts() sees parts that are being written.
 */
static bool is_believed(const struct sockaddr_un *addr, socklen_t size, uid_t owner)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const struct timeval wait = { .tv_sec = NAME_WAIT_S };
	struct ucred holder;
	bool is;

	is = fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait)) &&
	     !connect(fd, (const struct sockaddr *)addr, size) &&
	     (peer_is_trusted(fd, &holder) || holder.uid == owner);
	if (fd >= 0)
		close(fd);
	return is;
}

/*
 * Takes the name itself, with a socket, which needs no cleanup: parts come and go while another
 * recording writes them, so a search for a locked one could miss it.
 */
static int take_name(struct parts *p, int dir, const char *name)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	const __u64 hash = fnv(FNV_BASIS, name, strlen(name));
	struct stat st;
	socklen_t size;

	p->name_fd = fstat(dir, &st) ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC |
						   SOCK_NONBLOCK, 0);
	if (p->name_fd < 0)
		return 0;
	/* An abstract socket name begins with a NUL. */
	size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1);
	size += (socklen_t)snprintf(addr.sun_path + 1, sizeof(addr.sun_path) - 1,
				    "ktraced-parts-%llx-%llx-%llx", (unsigned long long)st.st_dev,
				    (unsigned long long)st.st_ino, (unsigned long long)hash);
	if (!bind(p->name_fd, (struct sockaddr *)&addr, size) &&
	    !listen(p->name_fd, NAME_BACKLOG))
		return 0;
	close(p->name_fd);
	p->name_fd = -1;
	return errno == EADDRINUSE && is_believed(&addr, size, st.st_uid) ? -EBUSY : 0;
}

int parts_answer(struct parts *p)
{
	for (int i = 0, fd; i < NAME_BACKLOG; i++) {
		fd = accept4(p->name_fd, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			return -errno;
		close(fd);
	}
	return 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Handles all parts of that name but @own like clear_part(): returns 1 if there are any. */
static int clear_parts(DIR *dir, const char *name, const char *own, bool removes)
{
	size_t at = number_at(name);
	struct dirent *e;
	int ret = 0, any = 0;

	rewinddir(dir);
	while (ret >= 0 && (e = readdir(dir))) {
		if (!is_part_name(e->d_name, name, at, name + at) || !strcmp(e->d_name, own))
			continue;
		ret = clear_part(dirfd(dir), e->d_name, removes);
		any |= ret > 0;
	}
	return ret < 0 ? ret : any;
}

static int open_folder(const struct parts *p, DIR **dir)
{
	const char *name = base_name(p->output);
	char *folder = name > p->output ? strndup(p->output, (size_t)(name - p->output))
					: strdup(".");
	int error = folder ? 0 : -ENOMEM;

	*dir = folder ? opendir(folder) : NULL;
	if (folder && !*dir)
		error = -errno;
	free(folder);
	return error;
}

/* Gives the first part another name until the older parts are replaced. */
static int name_first(struct parts *p)
{
	char *name = parts_new_name(p->path);
	int error = name ? parts_remove(name) : -ENOMEM;

	/* A file that is not a part is not replaced. */
	if (!error && !access(p->path, F_OK) && !clear_part(AT_FDCWD, p->path, false))
		error = -EEXIST;
	if (error) {
		free(name);
		return error;
	}
	free(p->path);
	p->path = name;
	return 1;
}

int parts_claim(struct parts *p)
{
	DIR *dir;
	int ret = open_folder(p, &dir);

	if (ret)
		return ret;
	ret = take_name(p, dirfd(dir), base_name(p->output));
	if (!ret)
		ret = clear_parts(dir, base_name(p->output), "", false);
	closedir(dir);
	return ret > 0 ? name_first(p) : ret;
}

int parts_rename(const char *from, const char *to)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* Not every file system supports RENAME_NOREPLACE. */
	return rename(from, to) ? -errno : 0;
}

int parts_replace(struct parts *p)
{
	char *path = parts_name(p->output, 1);
	DIR *dir = NULL;
	int ret = path ? open_folder(p, &dir) : -ENOMEM;

	if (!ret)
		ret = clear_parts(dir, base_name(p->output), base_name(p->path), true);
	if (ret >= 0)
		ret = parts_rename(p->path, path);
	if (dir)
		closedir(dir);
	if (ret) {
		free(path);
		return ret;
	}
	free(p->path);
	p->path = path;
	return 0;
}

static void remember_clock(struct parts *p, const char *line)
{
	size_t first;

	/* Each part has the first reading anyway. */
	if (p->begin.buf && strstr(p->begin.buf, line))
		return;
	ktrace_text_line(&p->clocks, line);
	if (p->clocks.error || ++p->clock_nr <= CLOCKS_MAX)
		return;
	first = strcspn(p->clocks.buf, "\n") + 1;
	p->clocks.len -= first;
	memmove(p->clocks.buf, p->clocks.buf + first, p->clocks.len + 1);
	p->clock_nr--;
}

/* True unless both lines are of the same time source. */
static bool is_other_source(const char *line, const void *arg)
{
	const char *name = strstr(arg, " name="), *known = strstr(line, " name=");
	const size_t n = name ? strcspn(name + 1, " ") + 1 : 0;

	return !known || strncmp(known, name ? name : "", n) || !strchr(" \n", known[n]);
}

static void remember_source(struct parts *p, const char *line)
{
	lines_keep(&p->sources, is_other_source, line);
	ktrace_text_line(&p->sources, line);
}

/* Keeps a line for later parts, except lines that are in @begin or written anew for each part. */
static void remember_line(struct parts *p, const char *line)
{
	static const char *const others[] = { "trace", "host", "stream", "part", "registry", "end",
					      "ping" };

	if (line_is(line, "clock")) {
		remember_clock(p, line);
		return;
	}
	if (line_is(line, "timesource")) {
		remember_source(p, line);
		return;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (line_is(line, others[i]))
			return;
	if (*line)
		ktrace_text_line(&p->facts, line);
}

void parts_remember(struct parts *p, const char *text, size_t size)
{
	char *copy = strndup(text, size), *rest = copy, *line;

	while (copy && (line = strsep(&rest, "\n")))
		remember_line(p, line);
	if (!copy)
		p->facts.error = -ENOMEM;
	free(copy);
}

void parts_attached(struct parts *p, __u32 pid)
{
	if (!p->attached)
		p->attached = calloc(1, sizeof(*p->attached));
	if (p->attached)
		pids_set(p->attached, pid, true);
	else
		p->is_forgetful = false;
}

struct pids *parts_find_gone(const struct parts *p)
{
	return p->is_forgetful ? exited_find(&p->facts) : NULL;
}

__u64 parts_forget_gone(struct parts *p, const struct pids *gone)
{
	return p->is_forgetful ? exited_forget(&p->facts, gone, p->attached) : ~0ull;
}

__u64 parts_end_ns(const struct parts *p)
{
	__u64 end;

	if (!p->max_ns || p->number == KTRACE_PART_MAX ||
	    __builtin_add_overflow(p->begun_ns, p->max_ns, &end))
		return ~0ull;
	return end > p->retry_ns ? end : p->retry_ns;
}

bool parts_is_due(const struct parts *p, __u64 size)
{
	const bool is_large = p->max_bytes && size >= p->max_bytes;
	__u64 now;

	if (!p->has_blocks || p->number == KTRACE_PART_MAX || (!is_large && !p->max_ns))
		return false;
	now = now_ns();
	return now >= (is_large ? p->retry_ns : parts_end_ns(p));
}

static void add_file(struct parts_file *sum, const struct parts_file *file)
{
	sum->events += file->events;
	sum->bytes += file->bytes;
}

/* Called before @number becomes the next part's. */
static void remember_waiting(struct parts *p, __u64 size)
{
	const __u32 nr = p->number - p->first;

	if (!p->is_shipped || p->is_unsized)
		return;
	p->is_unsized = !LIST_GROW(p->waiting, nr, p->waiting_cap);
	if (!p->is_unsized)
		p->waiting[nr] = size;
}

/* Forgets the @nr parts before @first; @is_shipped: they are stored elsewhere. */
static void forget_waiting(struct parts *p, __u32 nr, bool is_shipped)
{
	if (!p->is_shipped || !nr)
		return;
	p->shipped_nr += is_shipped ? nr : 0;
	if (p->is_unsized)
		return;
	for (__u32 i = 0; i < nr && is_shipped; i++)
		p->shipped_bytes += p->waiting[i];
	memmove(p->waiting, p->waiting + nr, (p->number - p->first) * sizeof(*p->waiting));
}

/* Gives the turn away before waiting for the disk. */
static void leave(struct parts *p)
{
	p->away_ns = now_ns();
	turn_give(p->turn);
}

static void back(struct parts *p)
{
	turn_take(p->turn);
	p->away_ns = 0;
}

static bool is_gone(struct parts *p, __u32 number)
{
	char *name = parts_name(p->output, number);
	bool is;

	leave(p);
	is = name && access(name, F_OK) && errno == ENOENT;
	back(p);
	free(name);
	return is;
}

bool parts_skip_shipped(struct parts *p)
{
	const __u32 before = p->first;

	while (p->is_shipped && p->first < p->number && is_gone(p, p->first))
		p->first++;
	forget_waiting(p, p->first - before, true);
	return p->first != before;
}

bool parts_drop(struct parts *p)
{
	struct parts_file file;
	bool is_shipped;
	char *name;

	if (!p->keep || p->first == p->number)
		return false;
	name = parts_name(p->output, p->first);
	file = p->ended[p->first++ % p->keep];
	leave(p);
	/* What has just been shipped is not lost. */
	is_shipped = name && unlink(name) && p->is_shipped && errno == ENOENT;
	back(p);
	if (!is_shipped) {
		add_file(&p->removed, &file);
		p->removed_nr++;
	}
	forget_waiting(p, 1, is_shipped);
	free(name);
	return true;
}

/* Returns the size of ended parts that another process removes one by one. */
static __u64 unshipped(struct parts *p)
{
	__u64 sum = 0;

	for (__u32 i = p->first; i < p->number; i++) {
		char *name = parts_name(p->output, i);
		struct stat st;

		leave(p);
		if (name && !stat(name, &st))
			sum += (__u64)st.st_size;
		back(p);
		free(name);
	}
	return sum;
}

__u64 parts_kept(struct parts *p)
{
	return p->is_shipped ? unshipped(p) : p->bytes - p->removed.bytes;
}

void parts_step(struct parts *p, char *path, __u64 events, __u64 size)
{
	const struct parts_file file = { events - p->events_before, size };

	if (p->keep)
		p->ended[p->number % p->keep] = file;
	remember_waiting(p, size);
	p->number++;
	p->bytes += size;
	parts_skip_shipped(p);
	if (p->number - p->first == p->keep)
		parts_drop(p);
	free(p->path);
	p->path = path;
	p->events_before = events;
	p->begun_ns = now_ns();
	p->has_blocks = p->is_full = false;
	p->was_told = false;
}

void parts_line(const struct parts *p, struct ktrace_text *t, __u32 number, __u64 events)
{
	const bool drops = p->keep && number - p->first == p->keep;
	struct parts_file removed = p->removed;

	ktrace_text_line(t, "part");
	ktrace_text_u64(t, "number", number);
	if (!p->keep)
		return;
	ktrace_text_u64(t, "keep", p->keep);
	if (p->first + drops == 1)
		return;
	if (drops && p->first == p->number)
		removed.events += events - p->events_before;
	else if (drops)
		add_file(&removed, &p->ended[p->first % p->keep]);
	ktrace_text_u64(t, "removed", p->first + drops - 1);
	ktrace_text_u64(t, "removed_events", removed.events);
}

/* Costs little: older parts were written long ago. */
int parts_sync(const struct parts *p)
{
	int error = 0, fd;
	char *name;

	for (__u32 i = p->first; i < p->number && !error; i++) {
		name = parts_name(p->output, i);
		fd = name ? open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
		if (fd >= 0) {
			error = fsync(fd) ? -errno : 0;
			close(fd);
		}
		free(name);
	}
	return error;
}

void parts_free(struct parts *p)
{
	if (p->output && p->name_fd >= 0)
		close(p->name_fd);
	free(p->path);
	free(p->ended);
	free(p->waiting);
	ktrace_text_free(&p->begin);
	ktrace_text_free(&p->clocks);
	ktrace_text_free(&p->sources);
	ktrace_text_free(&p->facts);
	free(p->attached);
	*p = (struct parts) { .output = NULL };
}
