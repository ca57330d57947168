/* SPDX-License-Identifier: LGPL-2.1 */
/* process.h - tell the session who records */
#ifndef KTRACE_WRITER_PROCESS_H
#define KTRACE_WRITER_PROCESS_H

#include <linux/types.h>

struct channel;

void process_announce(const struct channel *ch, const char *maps, __u64 ts);
void process_announce_thread(const struct channel *ch, __u32 tid, __u64 ts);
void process_announce_name(const struct channel *ch, __u32 tid, const char *name);

#endif
