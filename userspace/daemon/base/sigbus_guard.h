/* SPDX-License-Identifier: GPL-2.0 */
/* sigbus_guard.h - survives when another process truncates the session's memory */
#ifndef KTRACED_BASE_SIGBUS_GUARD_H
#define KTRACED_BASE_SIGBUS_GUARD_H

#include <ktrace/session.h>

/**
 * sigbus_guard_session - from now on replace missing pages of *@s by empty ones
 * @s:	where the session is or will be: it needs the guard while it is being created
 */
void sigbus_guard_session(struct ktrace_session *const *s);

/** sigbus_guard_end - stop after the session was destroyed or could not be created */
void sigbus_guard_end(void);

#endif
