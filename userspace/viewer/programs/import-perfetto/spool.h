/* SPDX-License-Identifier: GPL-2.0 */
/* spool.h - events in memory until all are known, then in the order of time */
#ifndef IMPORT_PERFETTO_SPOOL_H
#define IMPORT_PERFETTO_SPOOL_H

#include "foreign.h"

#include <linux/ktrace_events.h>

/*
 * struct spooled - an event. type: NULL = something was lost; at: of its payload; order: of coming
 */
struct spooled {
	__u64 ts;
	__u64 order;
	const struct foreign_type *type;
	size_t at;
	__u32 len;
	__u32 tid;
	__u32 pid;
	char comm[KTRACE_COMM_LEN];
};

struct spool {
	struct spooled *events;
	size_t nr;
	size_t cap;
	struct ktrace_out payloads;
};

/* Takes an event in; @data is copied, and order set. Return: 0, -ENOMEM. */
int spool_add(struct spool *s, struct spooled e, const void *data);
/* Writes all of them. Return: 0, -errno. */
int spool_write(struct spool *s, struct foreign *f);
void spool_free(struct spool *s);

#endif
