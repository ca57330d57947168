/* SPDX-License-Identifier: LGPL-2.1 */
/* attach.h - find the session that the environment or the board names, and map it */
#ifndef KTRACE_WRITER_ATTACH_H
#define KTRACE_WRITER_ATTACH_H

#include <stdbool.h>

struct channel;

bool attach_once(void);
struct channel *attach_again(void);
void attach_after_fork(void);
bool attach_try_lock(void);
void attach_lock(void);
void attach_unlock(void);

#endif
