/* SPDX-License-Identifier: GPL-2.0 */
/* execs.h - programs that the descendants of a process execute */
#ifndef KT_EXECS_H
#define KT_EXECS_H

#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/ktrace_exec.h>

struct kt_execs;

void kt_execs_init(void);
u32 kt_execs_bytes(void);

int kt_execs_watch(kuid_t owner, bool for_all, struct kt_execs **out);
void kt_execs_attached(struct kt_execs *w);
void kt_execs_next(struct kt_execs *w, struct ktrace_exec *out);
void kt_execs_end(struct kt_execs *w);

#endif
