/* SPDX-License-Identifier: LGPL-2.1 */
/* registry.h - add entries to the session's registry */
#ifndef KTRACE_WRITER_REGISTRY_H
#define KTRACE_WRITER_REGISTRY_H

#include <linux/types.h>

void registry_add(__u16 type, __u32 tid, const char *text, __u64 ts);
__u16 registry_event(const char *desc);

#endif
