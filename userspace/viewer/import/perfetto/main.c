// SPDX-License-Identifier: GPL-2.0
/* main.c - ktrace import --from perfetto: converts a trace of Perfetto to a tracefile */
#include "import/import.h"

#include "convert.h"
#include "machines.h"
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

/* struct input - the file: its name and content; recorder: known once it is converted */
struct input {
	const char *path;
	const unsigned char *data;
	size_t size;
	struct remote_recorder recorder;
	bool has_recorder;
};

/* Converts the packets of machine @id into @writes. Return: as convert(). */
static int convert_machine(struct import *x, struct input *in, __u32 id, const char *writes)
{
	struct conversion c;
	int ret;

	convert_init(&c, in->path, in->data, in->size);
	c.is_one_machine = x->machine_nr;
	c.machine_id = id;
	c.is_further = x->machine_nr > 1;
	c.recorder = in->has_recorder ? &in->recorder : NULL;
	/* --like and --offset are about the clock of the machine that recorded the trace. */
	ret = id ? 0 : set_clock(x, &c);
	if (!ret)
		ret = convert(&c, writes, x->level);
	x->events = c.events;
	x->lost = c.lost;
	if (ret >= 0 && !id) {
		remote_recorder_of(&c, &in->recorder);
		in->has_recorder = true;
	}
	return ret;
}

/* Writes a tracefile for each machine. Return: the worst status, -errno. */
static int convert_machines(struct import *x, struct input *in, const struct machines *all)
{
	struct import_machine *m;
	int status = 0, ret = 0;

	for (__u32 i = 0; i < all->nr && ret >= 0; i++) {
		ret = import_machine(x, "", all->ids[i], &m);
		if (!ret)
			ret = convert_machine(x, in, all->ids[i], m->writes);
		if (ret < 0)
			break;
		m->events = x->events;
		m->lost = x->lost;
		status = ret > status ? ret : status;
	}
	if (ret < 0)
		return ret;
	if (!all->left_out)
		return status;
	complain_about(in->path, "%llu packets left out: more than %u machines", all->left_out,
		       IMPORT_MACHINES);
	return STATUS_DAMAGED;
}

static int convert_file(struct import *x, const char *path)
{
	struct input in = { .path = path };
	struct machines machines = { 0 };
	struct mapped file;
	int ret = mapped_open(&file, path);

	if (ret)
		return ret;
	in.data = (const unsigned char *)file.data;
	in.size = file.size;
	ret = machines_find(&machines, in.data, in.size);
	if (!ret)
		ret = machines.nr > 1 ? convert_machines(x, &in, &machines) :
		      convert_machine(x, &in, machines.nr ? machines.ids[0] : 0, x->writes);
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
