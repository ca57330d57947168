/* SPDX-License-Identifier: GPL-2.0 */
/* hosts.h - when hosts were last heard of, for metrics: of a bounded number of them */
#ifndef VIEWER_FLEET_STORE_HOSTS_H
#define VIEWER_FLEET_STORE_HOSTS_H

#include "fleet/message.h"

/* Each becomes a time series in whatever collects the metrics. */
#define HOSTS_MAX 100u

/**
 * struct host - a host
 * @name:	as in messages
 * @last_ns:	CLOCK_REALTIME when its last file was complete
 */
struct host {
	char name[MESSAGE_HOST_MAX + 1];
	__u64 last_ns;
};

/**
 * struct hosts - those with the latest files
 * @nr:		number of @list
 * @list:	in no order
 */
struct hosts {
	unsigned int nr;
	struct host list[HOSTS_MAX];
};

/* Notes that a file of a host is complete now; if there are too many, forgets the oldest host. */
void hosts_see(struct hosts *h, const char *name, __u64 now_ns);

#endif
