// SPDX-License-Identifier: GPL-2.0
/* import_hosts.c - tracefiles of machines that are known as their events come */
#include "import_hosts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "import_writer.h"

static struct import_host *find(struct import_hosts *h, const char *name)
{
	if (h->nr && !*name)
		return &h->at[0];
	/* The first one, without a name so far, has this one. */
	if (h->nr == 1 && !*h->at[0].name)
		snprintf(h->at[0].name, sizeof(h->at[0].name), "%s", name);
	for (__u32 i = 0; i < h->nr; i++)
		if (!strncmp(h->at[i].name, name, sizeof(h->at[i].name) - 1))
			return &h->at[i];
	return NULL;
}

static int add(struct import_hosts *h, const char *name, struct import_host **out)
{
	struct import_host *host = &h->at[h->nr];
	int ret = 0;

	if (h->nr == IMPORT_MACHINES) {
		complain_about(h->x->path, "more than %u machines", IMPORT_MACHINES);
		return -ECANCELED;
	}
	snprintf(host->name, sizeof(host->name), "%s", name);
	if (h->nr == 1)
		ret = import_machine(h->x, h->at[0].name, 0, &h->at[0].machine);
	if (!ret && h->nr)
		ret = import_machine(h->x, name, h->nr, &host->machine);
	if (!ret)
		ret = import_writer_open(host->machine ? host->machine->writes : h->x->writes,
					 h->x->level, &host->f);
	if (ret)
		return ret;
	host->is_new = true;
	h->nr++;
	*out = host;
	return 0;
}

int import_hosts_get(struct import_hosts *h, const char *name, struct import_host **out)
{
	int ret = 0;

	*out = find(h, name ? name : "");
	if (!*out)
		ret = add(h, name ? name : "", out);
	if (ret)
		return ret;
	if (h->now)
		h->now->skipped += h->x->skipped - h->skipped;
	h->skipped = h->x->skipped;
	h->now = *out;
	return 0;
}

static int close_one(struct import_host *host, const char *path)
{
	int ret = import_writer_end(host->f, path), error;

	host->machine->events = import_writer_events(host->f);
	host->machine->lost = import_writer_losses(host->f);
	host->machine->skipped = host->skipped;
	error = import_writer_close(host->f);
	return ret ? ret : error;
}

/* Closes the files of several machines; the first one was written under the name of --output. */
static int close_several(struct import_hosts *h)
{
	int ret = 0, error;

	for (__u32 i = 0; i < h->nr; i++) {
		error = close_one(&h->at[i], h->at[i].machine->path);
		ret = ret ? ret : error;
	}
	if (!ret && strcmp(h->x->writes, h->at[0].machine->writes) &&
	    rename(h->x->writes, h->at[0].machine->writes))
		ret = -errno;
	return ret;
}

int import_hosts_close(struct import_hosts *h, int ret)
{
	int error = 0;

	if (h->nr && h->at[h->nr - 1].machine) {
		h->now->skipped += h->x->skipped - h->skipped;
		error = close_several(h);
		return import_close(h->x, NULL, ret < 0 || !error ? ret : error);
	}
	/* The second machine's file could not be opened. */
	return import_close(h->x, h->nr ? h->at[0].f : NULL, ret);
}
