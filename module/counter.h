/* SPDX-License-Identifier: GPL-2.0 */
/* counter.h - a performance counter of each CPU */
#ifndef KT_COUNTER_H
#define KT_COUNTER_H

#include <linux/types.h>

struct kt_counter;
struct ktrace_counter;

int kt_counter_new(const struct ktrace_counter *spec, struct kt_counter **out);
void kt_counter_free(struct kt_counter *c);
void kt_counter_reopen(int cpu);
u32 kt_counter_item(const struct kt_counter *c);
bool kt_counter_read(const struct kt_counter *c, u64 *value);

#endif
