/* SPDX-License-Identifier: GPL-2.0 */
/* online.h - renews perf events on a CPU that comes online */
#ifndef KTRACE_ONLINE_H
#define KTRACE_ONLINE_H

int kt_online_init(void);
void kt_online_exit(void);

#endif
