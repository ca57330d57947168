/* SPDX-License-Identifier: LGPL-2.1 */
/* caller.h - what functions of <trace.h> preserve: errno and the cancellation state */
#ifndef KTRACE_POSIX_API_CALLER_H
#define KTRACE_POSIX_API_CALLER_H

#include <errno.h>
#include <pthread.h>

struct posix_caller {
	int saved_errno;
	int cancel_state;
};

/** posix_caller_enter - save errno and disable cancellation */
static inline void posix_caller_enter(struct posix_caller *c)
{
	c->saved_errno = errno;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &c->cancel_state);
}

/** posix_caller_leave - restore both. Return: @error */
static inline int posix_caller_leave(const struct posix_caller *c, int error)
{
	pthread_setcancelstate(c->cancel_state, NULL);
	errno = c->saved_errno;
	return error;
}

#endif
