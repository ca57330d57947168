/* SPDX-License-Identifier: GPL-2.0 */
/* lock_symbol.h - which variables of a program its mutexes and so on are */
#ifndef VIEWER_PTHREAD_LOCK_SYMBOL_H
#define VIEWER_PTHREAD_LOCK_SYMBOL_H

#include "model.h"
#include "symbols/symbols.h"

/* @s: NULL is allowed; @raw: stamp of an event in @trace. NULL: it has no name. */
const struct symbol *lock_symbol_of(struct symbols *s, const struct ktrace_trace *trace,
				    const struct model_object *o, __u64 raw);
/* " (queue)", " (queue+0x28)"; nothing for NULL */
void lock_symbol_put(struct ktrace_out *out, const struct symbol *variable);
/* The same as a member, without parentheses */
void lock_symbol_json(struct ktrace_out *out, const struct symbol *variable);

#endif
