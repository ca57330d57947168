/* SPDX-License-Identifier: GPL-2.0 */
/* clone.h - a copy of another session's buffers, to be read while that one goes on (PFT-83) */
#ifndef KTRACED_SERVICE_SESSION_CLONE_H
#define KTRACED_SERVICE_SESSION_CLONE_H

#include "consumer.h"

/*
 * Flushes the session, copies its buffers and answers @call; then the copy is @c's session.
 * @fd: takes what the original has written into its file already, -1: none. Taken in any case.
 */
void clone_session(struct consumer *c, struct call *call, const Pft__CloneSessionRequest *request,
		   int fd);
/* What @session, a copy, had is in its file. */
void clone_written(struct session *session);
/* It is freed, perhaps before that. */
void clone_freed(struct session *session);
/* The consumer goes. */
void clone_forget(struct consumer *c);

#endif
