/* SPDX-License-Identifier: GPL-2.0 */
/* lock_symbol.h - names of the program variables that are mutexes and other objects */
#ifndef VIEWER_PTHREAD_LOCK_SYMBOL_H
#define VIEWER_PTHREAD_LOCK_SYMBOL_H

#include "model/pthread_model.h"
#include "symbols/symbols.h"

/*
 * Finds the variable of an object. @s: may be NULL; @raw: stamp of an event in @trace. NULL: it has
 * no name.
 */
const struct symbol *lock_symbol_of(struct symbols *s, const struct ktrace_trace *trace,
				    const struct model_object *o, __u64 raw);
/* Writes " (queue)" or " (queue+0x28)"; nothing for NULL. */
void lock_symbol_put(struct ktrace_out *out, const struct symbol *variable);
/* Writes the same as members variable and variable_offset of a JSON object. */
void lock_symbol_json(struct ktrace_out *out, const struct symbol *variable);

#endif
