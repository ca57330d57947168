// SPDX-License-Identifier: GPL-2.0
/* main.c - ktrace import --from perfetto: converts a trace of Perfetto to a tracefile */
#include "import/import.h"

#include "convert.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int map(const char *path, const unsigned char **data, size_t *size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *at = NULL;
	struct stat st;
	int error = 0;

	if (fd < 0 || fstat(fd, &st))
		error = errno;
	else if (!S_ISREG(st.st_mode))
		error = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
	*size = error ? 0 : (size_t)st.st_size;
	if (*size) {
		at = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
		error = at == MAP_FAILED ? errno : 0;
	}
	if (fd >= 0)
		close(fd);
	*data = at;
	if (!error)
		return 0;
	complain_about(path, "%s", strerror(error));
	return -ECANCELED;
}

/* Sets the clock as given on the command line. */
static int set_clock(const struct import *x, struct conversion *c)
{
	struct import_clock told;
	const int ret = import_clock(x, &told);

	if (ret <= 0)
		return ret;
	snprintf(c->boot, sizeof(c->boot), "%s", told.boot);
	snprintf(c->host, sizeof(c->host), "%s", told.host);
	c->offset_ns = told.real_ns;
	c->has_offset = true;
	return 0;
}

static int convert_file(struct import *x, const char *path)
{
	const unsigned char *data;
	struct conversion c;
	size_t size;
	int ret = map(path, &data, &size);

	if (ret)
		return ret;
	convert_init(&c, path, data, size);
	ret = set_clock(x, &c);
	if (!ret)
		ret = convert(&c, x->writes, x->level);
	x->events = c.events;
	x->lost = c.lost;
	if (size)
		munmap((void *)data, size);
	return ret;
}

static int convert_one(struct import *x, int nr, char **paths)
{
	if (nr == 1)
		return convert_file(x, paths[0]);
	complain_about(paths[1], "one file at a time, as each has a clock of its own");
	return -ECANCELED;
}

static int run(int argc, char **argv)
{
	return import_main(argc, argv, convert_one);
}

int main(int argc, char **argv)
{
	return command_main(run, argc, argv);
}
