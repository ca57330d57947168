/* SPDX-License-Identifier: LGPL-2.1 */
/* own.h - the recording that this process takes part in */
#ifndef KTRACE_WRITER_OWN_H
#define KTRACE_WRITER_OWN_H

#include <stdbool.h>
#include <stdint.h>

#include "channel.h"

/* The process's channel, NULL = none. Dereference it only between own_enter() and own_exit(). */
extern struct channel *own_channel;

/* True if the process takes part in a recording. */
static inline bool own_is_there(void)
{
	return __atomic_load_n(&own_channel, __ATOMIC_RELAXED);
}

struct channel *own_enter(uintptr_t frame);
struct channel *own_again(void);
bool own_is_outermost(uintptr_t frame);
void own_exit(uintptr_t frame);
struct channel *own_known(void);

struct channel *own_alloc(void);
void own_free(struct channel *ch);
void own_publish(struct channel *ch);
void own_leave(struct channel *ch);
void own_pin(void);
void own_forget(void);
void own_after_fork(void);
void own_thread_ends(void);
void own_note_thread(void);

#endif
