/* SPDX-License-Identifier: LGPL-2.1 */
/* ids.h - which ids processes and threads have in what is recorded */
#ifndef KTRACE_WRITER_IDS_H
#define KTRACE_WRITER_IDS_H

#include <stdbool.h>
#include <linux/types.h>

struct channel;

void ids_init(struct channel *ch, __u64 home);
void ids_after_fork(struct channel *ch);
bool ids_are_foreign(void);
bool ids_have_home(void);
__u32 ids_of(__u32 tid);

#endif
