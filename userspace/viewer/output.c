// SPDX-License-Identifier: GPL-2.0
/*
 * output.c - standard output through one large buffer
 *
 * When the reader of a pipe has gone, as head(1) does, output stops and the exit status
 * stays what it is. Other failures are an error.
 */
#include "viewer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char buffer[1 << 18];
static const char *destination = "standard output";

static int flush(struct ktrace_out *out)
{
	size_t at = 0;
	ssize_t n;

	while (at < out->len) {
		n = write(STDOUT_FILENO, out->buf + at, out->len - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += (size_t)n;
	}
	out->len = 0;
	return 0;
}

struct ktrace_out *output(void)
{
	static struct ktrace_out out = { .buf = buffer, .cap = sizeof(buffer), .flush = flush };

	return &out;
}

void output_line_begin(struct ktrace_out *out)
{
	char last;

	if (out->cap - out->len >= LINE_ROOM || out->error)
		return;
	/* One byte stays: json.c looks at it to know whether a comma is due. */
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

void complain_about(const char *path, const char *format, ...)
{
	char name[PATH_MAX], text[512], line[PATH_MAX + sizeof(text) + 16];
	struct ktrace_out out = { .buf = line, .cap = sizeof(line) };
	va_list ap;

	/* What went wrong stands behind the name, however long it is. */
	snprintf(name, sizeof(name), "%s", path);
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	ktrace_out_str(&out, "ktrace: ");
	ktrace_out_safe(&out, name);
	ktrace_out_str(&out, ": ");
	ktrace_out_safe(&out, text);
	fprintf(stderr, "%.*s\n", (int)out.len, line);
}

int output_end(int status)
{
	struct ktrace_out *out = output();

	if (!out->error)
		out->error = flush(out);
	if (!out->error || out->error == -EPIPE)
		return status;
	complain_about(destination, "%s", strerror(-out->error));
	return STATUS_DAMAGED;
}

/* The name of a recording that is there in parts only is one of a file to read. */
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

int output_to(const char *path, int nr, char **inputs)
{
	struct stat file;
	int fd, i, ret = 0;

	if (!strcmp(path, "-"))
		return 0;
	if (stands_for_parts(path, nr, inputs)) {
		complain_about(path, "is to be read");
		return -EEXIST;
	}
	inputs = files_expand(nr, inputs, &nr);
	if (!inputs)
		return -ENOMEM;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0 || fstat(fd, &file))
		ret = -errno;
	for (i = 0; i < nr && !ret; i++)
		if (is_same(inputs[i], &file))
			ret = -EEXIST;
	if (!ret && S_ISREG(file.st_mode) && ftruncate(fd, 0))
		ret = -errno;
	if (!ret && dup2(fd, STDOUT_FILENO) < 0)
		ret = -errno;
	if (ret)
		complain_about(path, "%s", ret == -EEXIST ? "is to be read" : strerror(-ret));
	if (fd >= 0)
		close(fd);
	files_free(inputs);
	destination = path;
	return ret;
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
