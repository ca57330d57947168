/* SPDX-License-Identifier: GPL-2.0 */
/* guard.h - lives on when somebody takes the session's memory away */
#ifndef KTRACED_GUARD_H
#define KTRACED_GUARD_H

#include <ktrace/session.h>

/** guard_session - from now on a missing page of @s is an empty one */
void guard_session(struct ktrace_session *s);

/** guard_end - the session has been destroyed */
void guard_end(void);

#endif
