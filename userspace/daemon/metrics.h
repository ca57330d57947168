/* SPDX-License-Identifier: GPL-2.0 */
/* metrics.h - --metrics: how a recording goes, for programs that collect metrics */
#ifndef KTRACED_METRICS_H
#define KTRACED_METRICS_H

#include <linux/types.h>

#include "base/option_table.h"

struct metrics_server;
struct recording;

/* struct metrics_options - --metrics PLACE, NULL = not given */
struct metrics_options {
	const char *place;
};

/**
 * struct metrics - state
 * @server:	NULL = there is none
 * @start_real_ns: CLOCK_REALTIME at the start
 */
struct metrics {
	struct metrics_server *server;
	__u64 start_real_ns;
};

/* Refer to a struct metrics_options. */
extern const struct option_row metrics_options[];

/* Listens, if --metrics was given, and tells where. Return: 0 or -errno, which was reported. */
int metrics_open(struct metrics *m, const struct metrics_options *o);
/* Serves from now on, what metrics_second() collects. */
void metrics_begin(struct recording *r);
/* Once a second: collects the metrics. */
void metrics_second(struct recording *r);
void metrics_close(struct metrics *m);

#endif
