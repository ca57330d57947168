/* SPDX-License-Identifier: GPL-2.0 */
/* kept.h - sessions whose owner is gone, kept until somebody saves their events */
#ifndef KT_KEPT_H
#define KT_KEPT_H

#include <linux/ktrace.h>

struct kt_session;

void kt_kept_close(struct kt_session *s);
int kt_kept_adopt(struct ktrace_adopt *adopt, struct kt_session **out);
int kt_kept_describe(struct ktrace_kept *kept);
void kt_kept_info(struct ktrace_info *info);
int kt_kept_init(void);
void kt_kept_exit(void);

#endif
