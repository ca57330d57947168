// SPDX-License-Identifier: GPL-2.0
/* hosts.c - when hosts were last heard of */
#include "hosts.h"

#include <string.h>

/* Returns the place of a host that is in the list, or may be put there. */
static struct host *place_of(struct hosts *h, const char *name)
{
	struct host *oldest = &h->list[0];

	for (unsigned int i = 0; i < h->nr; i++) {
		if (!strcmp(h->list[i].name, name))
			return &h->list[i];
		if (h->list[i].last_ns < oldest->last_ns)
			oldest = &h->list[i];
	}
	return h->nr < HOSTS_MAX ? &h->list[h->nr++] : oldest;
}

void hosts_see(struct hosts *h, const char *name, __u64 now_ns)
{
	struct host *host = place_of(h, name);

	strcpy(host->name, name);
	host->last_ns = now_ns;
}
