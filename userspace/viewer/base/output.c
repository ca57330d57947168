// SPDX-License-Identifier: GPL-2.0
/*
 * output.c - standard output through one large buffer
 *
 * If the reader of a pipe has gone, as head(1) does, output stops without changing the exit status.
 * Other write failures are errors.
 *
 * output_to() writes to a temporary name beside the file until output_end(): the requested name has
 * its old content or all of the new one, never a part.
 */
#include "viewer.h"

#include "base/decimal.h"
#include "base/disk_room.h"
#include "base/journal.h"
#include "base/output_file.h"
#include "base/replaced_file.h"
#include "pager.h"
#include "progress.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <ktrace/tracefile.h>

static char buffer[1 << 18];
static const char *destination = "standard output";

/*
 * Temporary name until the file is complete, and its final name; empty = there is none. The signal
 * handler reads the first.
 */
static char temporary[PATH_MAX];
static char final[PATH_MAX];
static bool is_void;
/* Names of further files, likewise, see output_another() */
static struct further {
	char temporary[PATH_MAX];
	char final[PATH_MAX];
} further[OUTPUT_FURTHER];
/* --mode, 0 = not given */
static __u32 asked_mode;

int output_room(int fd, __u64 size)
{
	static struct disk_room room;
	static int asked_fd = -1;
	int ret;

	/* Another file may be on another file system. */
	if (fd != asked_fd)
		room = (struct disk_room){ .min_free = ktrace_disk_room_default() };
	asked_fd = fd;
	ret = ktrace_disk_room_ask(&room, fd, size);
	if (!ret)
		ktrace_disk_room_use(&room, size);
	return ret;
}

int output_write(int fd, const void *text, size_t size)
{
	int ret = output_room(fd, size);
	size_t at = 0;
	ssize_t n;

	while (at < size && !ret) {
		n = write(fd, (const char *)text + at, size - at);
		if (n < 0 && errno != EINTR)
			ret = -errno;
		at += n < 0 ? 0 : (size_t)n;
	}
	return ret;
}

static int flush(struct ktrace_out *out)
{
	int ret;

	if (out->len)
		pager_begin();
	ret = output_write(STDOUT_FILENO, out->buf, out->len);
	if (!ret)
		out->len = 0;
	return ret;
}

struct ktrace_out *output(void)
{
	static struct ktrace_out out = { .buf = buffer, .cap = sizeof(buffer), .flush = flush };

	return &out;
}

void output_line_begin(struct ktrace_out *out)
{
	char last;

	if (out != output() || out->cap - out->len >= LINE_ROOM || out->error)
		return;
	/* Keep one byte: json.c looks at it to decide about a comma. */
	last = out->buf[--out->len];
	out->error = flush(out);
	out->buf[0] = last;
	out->len = 1;
}

void output_text(const char *text, size_t size, int error)
{
	struct ktrace_out *out = output(), whole = { .buf = (char *)text, .len = size };

	if (!out->error)
		out->error = flush(out);
	if (!out->error)
		out->error = flush(&whole);
	if (!out->error)
		out->error = error;
}

/* Prints one line, after removing the progress bar. */
static void put_complaint(enum journal_priority priority, const struct ktrace_out *line)
{
	progress_hide();
	fprintf(stderr, "%s%.*s\n", journal_prefix(priority), (int)line->len, line->buf);
}

static void put_safely(enum journal_priority priority, const char *format, va_list ap)
{
	char text[PATH_MAX + 512], line[sizeof(text)];
	struct ktrace_out out = { .buf = line, .cap = sizeof(line) };

	vsnprintf(text, sizeof(text), format, ap);
	ktrace_out_safe(&out, text);
	put_complaint(priority, &out);
}

void complain_safely(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	put_safely(JOURNAL_WARNING, format, ap);
	va_end(ap);
}

void report_safely(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	put_safely(JOURNAL_INFO, format, ap);
	va_end(ap);
}

/* Paths of temporary copies, and the names of their originals */
static struct {
	const char *path;
	const char *name;
} aliases[16];

void complain_as(const char *path, const char *name)
{
	size_t i = 0;

	while (i < sizeof(aliases) / sizeof(aliases[0]) - 1 && aliases[i].path)
		i++;
	aliases[i].path = path;
	aliases[i].name = name;
}

static const char *known_as(const char *path)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]) && aliases[i].path; i++)
		if (!strcmp(aliases[i].path, path))
			return aliases[i].name;
	return path;
}

void complain_about(const char *path, const char *format, ...)
{
	char name[PATH_MAX], text[512], line[PATH_MAX + sizeof(text) + 16];
	struct ktrace_out out = { .buf = line, .cap = sizeof(line) };
	va_list ap;

	/* Keep the error text after the name, however long the name is. */
	snprintf(name, sizeof(name), "%s", known_as(path));
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	ktrace_out_str(&out, "ktrace: ");
	ktrace_out_safe(&out, name);
	ktrace_out_str(&out, ": ");
	ktrace_out_safe(&out, text);
	put_complaint(JOURNAL_WARNING, &out);
}

/* Called by the signal handler and by exit(), too. */
void output_drop(void)
{
	if (*temporary)
		unlink(temporary);
	*temporary = 0;
	for (int i = 0; i < OUTPUT_FURTHER; i++) {
		if (*further[i].temporary)
			unlink(further[i].temporary);
		*further[i].temporary = 0;
	}
}

void output_void(void)
{
	is_void = true;
}

/* Renames the temporary file to its final name, or removes it. Return: 0, -errno. */
static int name_file(int error)
{
	if (!*temporary)
		return error;
	/* Only now is it known whether the disk has taken everything. */
	if (!error && fsync(STDOUT_FILENO) && errno != EINVAL)
		error = -errno;
	if (!error && !is_void) {
		if (rename(temporary, final))
			error = -errno;
		else
			*temporary = 0;
	}
	output_drop();
	return error;
}

int output_end(int status)
{
	struct ktrace_out *out = output();

	if (!out->error)
		out->error = flush(out);
	out->error = name_file(out->error);
	if (!out->error || out->error == -EPIPE)
		return status;
	complain_about(destination, "%s", ktrace_disk_room_has_refused() ?
		       output_error(out->error) : strerror(-out->error));
	return STATUS_DAMAGED;
}

/* True if @path does not exist but names the parts of an input recording. */
static bool stands_for_parts(const char *path, int nr, char **inputs)
{
	int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(path, inputs[i]) && access(path, F_OK))
			return true;
	return false;
}

static bool is_same(const char *path, const struct stat *file)
{
	struct stat st;

	return !stat(path, &st) && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
}

/* Removes incomplete output. */
static void (*drop)(void);

static void on_signal(int signal_nr)
{
	progress_hide();
	if (drop)
		drop();
	/* SA_RESETHAND: the signal now ends the process, as it would have without us. */
	raise(signal_nr);
}

void output_watch(void (*function)(void))
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ, SIGXCPU };
	struct sigaction new = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND }, old;
	size_t i;

	if (function) {
		drop = function;
		atexit(function);
	}
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &new, NULL);
}

/*
 * Duplicates standard output or error if @file is one of them, as /dev/stdout is. If it was opened
 * for appending, its content is kept. Return: fd, 0 = neither, -errno.
 */
static int open_ours(const struct stat *file)
{
	struct stat ours;
	int fd, copy;

	for (fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fstat(fd, &ours) || ours.st_dev != file->st_dev || ours.st_ino != file->st_ino)
			continue;
		copy = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		return copy < 0 ? -errno : copy;
	}
	return 0;
}

/* Reads the name of the file that @fd has open. */
static int name_of(int fd, char name[PATH_MAX])
{
	char link[40];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, name, PATH_MAX - 1);
	if (n < 0)
		return -errno;
	name[n] = '\0';
	return 0;
}

int output_resolve(const char *path, int flags, char *name)
{
	const char *slash;
	int fd, ret = 0;

	if ((size_t)snprintf(name, PATH_MAX, "%s", path) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (!flags) {	/* the file does not exist: check the links that lead to its folder */
		slash = strrchr(path, '/');
		name[slash ? slash - path + 1 : 0] = '\0';
	}
	fd = ktrace_output_file(*name ? name : ".", flags ? flags : O_PATH | O_DIRECTORY);
	if (fd < 0)
		return fd;
	if (flags)
		ret = name_of(fd, name);
	else
		strcpy(name, path);
	close(fd);
	return ret;
}

/*
 * Makes the temporary file, with the mode of @file or of a new file. If @path is a link, its target
 * is replaced, not the link. Return: fd, -errno.
 */
static int open_temporary(const char *path, const struct stat *file)
{
	int fd = output_resolve(path, file ? O_WRONLY : 0, final);

	if (fd)
		return fd;
	if (snprintf(temporary, sizeof(temporary), "%s.XXXXXX", final) >= (int)sizeof(temporary)) {
		*temporary = 0;
		return -ENAMETOOLONG;
	}
	output_watch(output_drop);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0) {
		*temporary = 0;
		return -errno;
	}
	fchmod(fd, file ? file->st_mode & 0777 : OUTPUT_MODE);
	output_give_mode(fd, false);
	return fd;
}

static const char *set_mode(void *to, const char *text)
{
	(void)to;
	return output_mode_parse(text, &asked_mode) ? NULL :
	       option_wrong(OUTPUT_MODE_WRONG " '%s'", text);
}

/* The environment passes the limit on to programs that are started from here. */
static const char *set_min_free(void *to, const char *text)
{
	__u64 size;

	(void)to;
	if (decimal_size(text, &size) && !setenv("KTRACE_MIN_FREE", text, 1))
		return NULL;
	return option_wrong("--min-free needs a size such as 0, 512M or 1.5G, not '%s'", text);
}

const struct option_row output_options[] = {
	{ .name = "mode", .value = "MODE", .set = set_mode,
	  .help = "permissions of the file, octal: 0640 (default: 0600,\n"
		  "or those of the file that is replaced)" },
	{ .name = "min-free", .value = "SIZE", .set = set_min_free,
	  .help = "leave SIZE bytes of the file system free, 0 = off\n"
		  "(default: the smaller of 5 % and 1 GiB)" },
	{ .help = NULL },
};

static const char *set_compress(void *to, const char *text)
{
	return ktrace_compress_level(text, to) ? NULL :
	       "--compress: not a level from -50 to 19, or none";
}

const struct option_row compress_options[] = {
	{ .name = "compress", .value = "[=LEVEL]", .set = set_compress,
	  .help = "compress blocks: -50 (fastest) to 19, 1 without LEVEL;\n"
		  "0 or none: do not (default)" },
	{ .help = NULL },
};

const char *output_error(int error)
{
	return error == -ENOSPC && ktrace_disk_room_default() ?
	       "No space left on device, except what --min-free keeps free" : strerror(-error);
}

int output_give_mode(int fd, bool is_folder)
{
	mode_t mode = asked_mode;

	if (is_folder)	/* whoever may read the files may search the folder */
		mode |= (mode & 0444) >> 2;
	return asked_mode && fchmod(fd, mode) ? -errno : 0;
}

/* True if a recorder has locked the file. */
static bool is_recorded(int fd)
{
	if (flock(fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK;
	flock(fd, LOCK_UN);
	return false;
}

static bool is_busy(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is = fd >= 0 && is_recorded(fd);

	if (fd >= 0)
		close(fd);
	return is;
}

int output_empty(int fd)
{
	struct stat file;

	if (fstat(fd, &file))
		return -errno;
	if (!S_ISREG(file.st_mode))
		return 0;
	if (is_recorded(fd))
		return -EBUSY;
	return ftruncate(fd, 0) ? -errno : output_give_mode(fd, false);
}

int output_in_place(const char *path, int flags)
{
	int fd = ktrace_output_file(path, flags | O_CREAT);
	int ret = fd < 0 ? fd : output_empty(fd);

	if (ret && fd >= 0)
		close(fd);
	return ret ? ret : fd;
}

/*
 * Opens the output; writes to existing files that are not regular ones as they are. Return: fd,
 * -errno.
 */
static int open_output(const char *path, int nr, char **inputs)
{
	struct stat file, link;
	bool is_there = !stat(path, &file);
	int fd, i;

	if (!is_there && errno != ENOENT)	/* the kernel may refuse to follow links, too */
		return -errno;
	if (!is_there && !lstat(path, &link))
		return -ENOLINK;
	for (i = 0; i < nr && is_there; i++)
		if (is_same(inputs[i], &file))
			return -EEXIST;
	if (is_there && access(path, W_OK))
		return -errno;
	fd = is_there && S_ISREG(file.st_mode) ? open_ours(&file) : 0;
	if (fd)
		return fd;
	/* A file without a name cannot be replaced. */
	if (is_there && S_ISREG(file.st_mode) && !file.st_nlink)
		return output_in_place(path, O_RDWR);
	if (is_there && S_ISREG(file.st_mode) && is_busy(path))
		return -EBUSY;
	if (is_there && S_ISREG(file.st_mode) && is_program(path))
		return -ENOEXEC;
	if (!is_there || S_ISREG(file.st_mode))
		return open_temporary(path, is_there ? &file : NULL);
	return ktrace_output_file(path, O_WRONLY);
}

/*
 * Like open_output(), but expands @inputs, which may name recordings in several parts. Return: also
 * -ECANCELED: there are no inputs, as already reported.
 */
static int open_unread(const char *path, int nr, char **inputs)
{
	char **all;
	int fd;

	if (stands_for_parts(path, nr, inputs))
		return -EEXIST;
	if (!has_files(nr))
		return open_output(path, 0, NULL);
	all = files_expand(nr, inputs, &nr);
	if (!all)
		return -ECANCELED;
	fd = open_output(path, nr, all);
	files_free(all);
	return fd;
}

static const char *what_is_wrong(int error)
{
	switch (error) {
	case -ECANCELED:
		return "not written";
	case -EEXIST:
		return "is to be read";
	case -ENOLINK:
		return "a link to what is not there";
	case -ENOEXEC:
		return "is a program: the option names the file to write";
	case -ESPIPE:
		return "is standard output or error: this needs a file of its own";
	case -ENXIO:
		return "has no name: this needs a file of its own";
	default:
		return strerror(-error);
	}
}

int output_to(const char *path, int nr, char **inputs)
{
	int fd, ret = 0;

	if (!strcmp(path, "-"))
		return 0;
	fd = open_unread(path, nr, inputs);
	if (fd < 0)
		ret = fd;
	else if (dup2(fd, STDOUT_FILENO) < 0)
		ret = -errno;
	if (ret)
		complain_about(path, "%s", what_is_wrong(ret));
	if (fd >= 0)
		close(fd);
	destination = path;
	return ret;
}

const char *output_path(void)
{
	return *temporary ? temporary : NULL;
}

int output_grow(struct ktrace_out *out)
{
	size_t cap = out->cap ? 2 * out->cap : 1 << 17;
	char *buf = realloc(out->buf, cap);

	if (!buf)
		return -ENOMEM;
	out->buf = buf;
	out->cap = cap;
	return 0;
}

const char *output_name(const char *path, int nr, char **inputs)
{
	int fd = strcmp(path, "-") ? open_unread(path, nr, inputs) : -ESPIPE;
	struct stat file;

	if (fd >= 0) {
		close(fd);
		if (*temporary)
			return temporary;
		/* Opening it by its name would overwrite it. */
		if (stat(path, &file) || !S_ISREG(file.st_mode))
			return path;
		fd = file.st_nlink ? -ESPIPE : -ENXIO;
	}
	complain_about(path, "%s", what_is_wrong(fd));
	return NULL;
}

const char *output_another(const char *path, int nr, char **inputs)
{
	struct further *to = further;
	struct further first;

	while (to < further + OUTPUT_FURTHER && *to->temporary)
		to++;
	if (to == further + OUTPUT_FURTHER)
		return NULL;
	memcpy(first.temporary, temporary, sizeof(temporary));
	memcpy(first.final, final, sizeof(final));
	*temporary = 0;
	if (output_name(path, nr, inputs) && *temporary) {
		memcpy(to->final, final, sizeof(final));
		memcpy(to->temporary, temporary, sizeof(temporary));
	}
	memcpy(temporary, first.temporary, sizeof(temporary));
	memcpy(final, first.final, sizeof(final));
	return *to->temporary ? to->temporary : NULL;
}

void output_name_skip(void)
{
	if (*temporary)
		unlink(temporary);
	*temporary = 0;
}

/* Gives the further files their names. Return: 0, -errno. */
static int name_further(void)
{
	for (int i = 0; i < OUTPUT_FURTHER; i++) {
		if (*further[i].temporary && rename(further[i].temporary, further[i].final))
			return -errno;
		*further[i].temporary = 0;
	}
	return 0;
}

int output_name_end(int ret)
{
	const int error = ret >= 0 ? name_further() : 0;

	ret = error ? error : ret;
	if (*temporary && ret >= 0) {
		if (rename(temporary, final))
			return -errno;
		*temporary = 0;
	}
	output_drop();
	return ret;
}
