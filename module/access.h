/* SPDX-License-Identifier: GPL-2.0 */
/* access.h - whether the kernel and its security modules allow looking into a process */
#ifndef KT_ACCESS_H
#define KT_ACCESS_H

#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/types.h>

void kt_access_init(void);
void kt_access_exit(void);

bool kt_access_may(const struct cred *cred, struct task_struct *task);

#endif
