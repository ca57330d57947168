/* SPDX-License-Identifier: GPL-2.0 */
/* variable.h - which variables of a program its mutexes and so on are */
#ifndef VIEWER_VARIABLE_H
#define VIEWER_VARIABLE_H

#include "symbols/symbols.h"
#include "sync.h"

/* @s: NULL is allowed; @raw: stamp of an event in @trace. NULL: it has no name. */
const struct symbol *variable_of(struct symbols *s, const struct ktrace_trace *trace,
				 const struct sync_object *o, __u64 raw);
/* " (queue)", " (queue+0x28)"; nothing for NULL */
void variable_put(struct ktrace_out *out, const struct symbol *variable);
/* The same as a member, without parentheses */
void variable_json(struct ktrace_out *out, const struct symbol *variable);

#endif
