// SPDX-License-Identifier: GPL-2.0
/*
 * import_machines.c - the tracefiles of a trace of several machines
 *
 * A tracefile has one host and one clock, so each machine gets a file. They appear together, when
 * all are complete.
 */
#include "import_machines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HOST_MAX 64u

/* Stores the host as a part of a file's name. */
static void make_safe(const char *host, __u32 number, char name[HOST_MAX])
{
	size_t n = 0;

	for (; host[n] && n < HOST_MAX - 1; n++) {
		const char c = host[n];
		const bool is_fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
				     (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';

		name[n] = is_fine ? c : '_';
	}
	name[n] = '\0';
	if (!name[strspn(name, "._")])
		snprintf(name, HOST_MAX, "%u", number);
}

static bool is_taken(const struct import *x, const char *path)
{
	for (__u32 i = 0; i < x->machine_nr; i++)
		if (!strcmp(x->machines[i]->path, path))
			return true;
	return false;
}

/* Returns NAME.HOST.bin, or NAME.HOST-2.bin if another machine has that; NULL: out of memory. */
static char *path_of(const struct import *x, const char *host)
{
	const char *slash = strrchr(x->path, '/'), *name = slash ? slash + 1 : x->path;
	const char *dot = strrchr(name, '.');
	const size_t stem = dot && dot != name ? (size_t)(dot - x->path) : strlen(x->path);
	const size_t size = strlen(x->path) + HOST_MAX + 16;
	char *path = malloc(size), again[16] = "";

	for (unsigned int i = 2; path; i++) {
		snprintf(path, size, "%.*s.%s%s%s", (int)stem, x->path, host, again,
			 x->path + stem);
		if (!is_taken(x, path))
			break;
		snprintf(again, sizeof(again), "-%u", i);
	}
	return path;
}

int import_machine(struct import *x, const char *host, __u32 number, struct import_machine **out)
{
	struct import_machine *m;
	char name[HOST_MAX];
	struct stat st;

	*out = NULL;
	if (x->machine_nr == IMPORT_MACHINES)
		return -ECANCELED;
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	make_safe(host, number, name);
	/* A device, /dev/null, stands for all of them. */
	if (!stat(x->path, &st) && !S_ISREG(st.st_mode)) {
		m->writes = x->writes;
		m->path = strdup(x->path);
	} else {
		m->path = path_of(x, name);
	}
	if (!m->path) {
		free(m);
		return -ENOMEM;
	}
	*out = x->machines[x->machine_nr++] = m;
	if (!m->writes)
		m->writes = output_another(m->path, x->input_nr, x->inputs);
	return m->writes ? 0 : -ECANCELED;
}

void import_machines_sum(struct import *x)
{
	if (x->machine_nr)
		x->events = x->lost = x->skipped = 0;
	for (__u32 i = 0; i < x->machine_nr; i++) {
		x->events += x->machines[i]->events;
		x->lost += x->machines[i]->lost;
		x->skipped += x->machines[i]->skipped;
	}
}

void import_machines_print(const struct import *x, struct ktrace_out *out,
			   void (*print)(const struct import *x, struct ktrace_out *out))
{
	struct import one = *x;

	for (__u32 i = 0; i < x->machine_nr; i++) {
		one.path = x->machines[i]->path;
		one.events = x->machines[i]->events;
		one.lost = x->machines[i]->lost;
		one.skipped = x->machines[i]->skipped;
		if (i && x->is_json)
			ktrace_out_char(out, ',');
		print(&one, out);
	}
}

void import_machines_free(struct import *x)
{
	for (__u32 i = 0; i < x->machine_nr; i++) {
		free(x->machines[i]->path);
		free(x->machines[i]);
	}
	x->machine_nr = 0;
}
