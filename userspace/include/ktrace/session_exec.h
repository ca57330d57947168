/* SPDX-License-Identifier: LGPL-2.1 */
/* session_exec.h - list the programs executed while a session records, and what they lack */
#ifndef KTRACE_SESSION_EXEC_H
#define KTRACE_SESSION_EXEC_H

#include <linux/ktrace_exec.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

struct ktrace_session;

/**
 * ktrace_session_exec - get the next program that a descendant of this process has executed
 * @s:		the session
 * @next:	out: the program; flag KTRACE_EXEC_NONE: no further one so far
 *
 * Programs are noted from the first call on.
 *
 * Return: 0, -EOPNOTSUPP without the module, -ENOTTY if the module is too old, or the error of
 * KTRACE_IOC_EXEC.
 */
int ktrace_session_exec(struct ktrace_session *s, struct ktrace_exec *next);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
