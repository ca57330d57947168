/* SPDX-License-Identifier: LGPL-2.1 */
/* registry.h - add entries to the session's registry */
#ifndef KTRACE_WRITER_REGISTRY_H
#define KTRACE_WRITER_REGISTRY_H

#include <linux/types.h>

struct channel;

/* How much of the registry an entry may fill: frequent kinds of entries leave half to the rest. */
enum registry_share { REGISTRY_ALL, REGISTRY_HALF };

void registry_add(const struct channel *ch, __u16 type, __u32 tid, const char *text, __u64 ts,
		  enum registry_share share);
__u16 registry_event(struct channel *ch, const char *desc);
__u16 registry_ids(const struct channel *ch, const char *desc);

#endif
