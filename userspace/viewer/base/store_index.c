// SPDX-License-Identifier: GPL-2.0
/* store_index.c - lines about the files in a folder of ktrace store */
#include "store_index.h"

#include "base/clock.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <ktrace/traceset.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* Digits of the checksum and the blank after it */
#define CRC_WIDTH 9

void store_line_put(char text[STORE_LINE_MAX], const struct store_line *line)
{
	char crc[CRC_WIDTH + 1];
	uLong sum;
	int n = snprintf(text + CRC_WIDTH, STORE_LINE_MAX - CRC_WIDTH, "%llu %llu %llu %llu %s",
			 line->first, line->last, line->size, line->mtime_ns, line->name);

	if (n >= STORE_LINE_MAX - CRC_WIDTH)
		n = STORE_LINE_MAX - CRC_WIDTH - 1;
	sum = crc32(crc32(0, NULL, 0), (const Bytef *)text + CRC_WIDTH, (uInt)n);
	snprintf(crc, sizeof(crc), "%08lx ", sum);
	memcpy(text, crc, CRC_WIDTH);
}

bool store_line_parse(const char *text, struct store_line *line)
{
	char again[STORE_LINE_MAX];
	int name = 0;

	if (strlen(text) <= CRC_WIDTH)
		return false;
	if (sscanf(text + CRC_WIDTH, "%llu %llu %llu %llu %n", &line->first, &line->last,
		   &line->size, &line->mtime_ns, &name) != 4 || !name)
		return false;
	line->name = text + CRC_WIDTH + name;
	/* Also compares the checksum. */
	store_line_put(again, line);
	return !strcmp(text, again) && line->first <= line->last;
}

void store_line_stat(struct store_line *line, const struct stat *st)
{
	line->size = (__u64)st->st_size;
	line->mtime_ns = timespec_ns(&st->st_mtim);
}

int store_line_look(struct store_line *line, int fd)
{
	const struct ktrace_traceset_options opts = {
		.size = sizeof(opts), .cores = KTRACE_CORES_ONE,
	};
	struct ktrace_traceset *set;
	int ret = ktrace_traceset_open(&opts, &set);

	if (ret)
		return ret;
	ret = ktrace_traceset_add_fd(set, fd, line->name);
	if (!ret)
		ret = ktrace_traceset_span(set, &line->first, &line->last);
	ktrace_traceset_close(set);
	return ret;
}

unsigned int store_names(int fd)
{
	const int again = fd < 0 ? -1 : openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = again < 0 ? NULL : fdopendir(again);
	unsigned int nr = 0;
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		nr += e->d_name[0] != '.';
	if (dir)
		closedir(dir);
	else if (again >= 0)
		close(again);
	return nr;
}
