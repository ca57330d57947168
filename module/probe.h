/* SPDX-License-Identifier: GPL-2.0 */
/* probe.h - the table of probes: which kernel events exist and what produces them */
#ifndef KT_PROBE_H
#define KT_PROBE_H

#include <linux/types.h>

struct static_key_false;
struct tracepoint;

/**
 * struct kt_probe - one row: something that produces event @id
 * @id:		event; several rows may produce the same
 * @tracks:	also keeps the process filters right, so it runs in every session
 * @tracepoint:	name of the tracepoint that @func hooks, or
 * @key:	static key to switch
 * @func:	the function, a tracepoint's callback
 * @tp:		the tracepoint, found at init
 * @users:	running sessions that need it, under the table's lock
 */
struct kt_probe {
	u16 id;
	bool tracks;
	const char *tracepoint;
	struct static_key_false *key;
	void *func;
	struct tracepoint *tp;
	unsigned int users;
};

/* One array a family, one file each. An empty row ends it. */
extern struct kt_probe kt_probe_log[];
extern struct kt_probe kt_probe_sched[];
extern struct kt_probe kt_probe_syscall[];
extern struct kt_probe kt_probe_irq[];
extern struct kt_probe kt_probe_softirq[];

int kt_probe_init(void);
void kt_probe_exit(void);

int kt_probe_check(u16 id);
int kt_probe_get(u16 id);
void kt_probe_put(u16 id);
int kt_probe_get_tracking(void);
void kt_probe_put_tracking(void);
void kt_probe_quiesce(void);

#endif
