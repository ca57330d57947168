/* SPDX-License-Identifier: GPL-2.0 */
/* sigbus_guard.h - lives on when somebody takes the session's memory away */
#ifndef KTRACED_BASE_SIGBUS_GUARD_H
#define KTRACED_BASE_SIGBUS_GUARD_H

#include <ktrace/session.h>

/**
 * sigbus_guard_session - from now on a missing page of *@s is an empty one
 * @s:	where the session is or will be: it needs this while it is being made
 */
void sigbus_guard_session(struct ktrace_session *const *s);

/** sigbus_guard_end - the session has been destroyed, or could not be made */
void sigbus_guard_end(void);

#endif
