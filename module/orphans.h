/* SPDX-License-Identifier: GPL-2.0 */
/* orphans.h - sessions whose owner is gone, kept until a process saves their events */
#ifndef KT_ORPHANS_H
#define KT_ORPHANS_H

#include <linux/ktrace.h>

struct kt_session;

void kt_orphans_close(struct kt_session *s);
int kt_orphans_adopt(struct ktrace_adopt *adopt, struct kt_session **out);
int kt_orphans_describe(struct ktrace_kept *kept);
void kt_orphans_info(struct ktrace_info *info);
int kt_orphans_init(void);
void kt_orphans_exit(void);

#endif
