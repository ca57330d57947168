// SPDX-License-Identifier: GPL-2.0
/* main.c - ktrace import --from perfetto: converts a trace of Perfetto to a tracefile */
#include "import/import.h"

#include "convert.h"
#include "import/mapped.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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
	struct conversion c;
	struct mapped file;
	int ret = mapped_open(&file, path);

	if (ret)
		return ret;
	convert_init(&c, path, (const unsigned char *)file.data, file.size);
	ret = set_clock(x, &c);
	if (!ret)
		ret = convert(&c, x->writes, x->level);
	x->events = c.events;
	x->lost = c.lost;
	mapped_close(&file);
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
