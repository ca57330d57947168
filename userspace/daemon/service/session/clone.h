/* SPDX-License-Identifier: GPL-2.0 */
/* clone.h - copies another session's buffers, to be read while that session goes on (PFT-83) */
#ifndef KTRACED_SERVICE_SESSION_CLONE_H
#define KTRACED_SERVICE_SESSION_CLONE_H

#include "consumer.h"

/*
 * Flushes the session, copies its buffers and answers @call; then @c owns the copy.
 * @fd: file for what the original has written into its own file, -1: none. Taken in any case.
 */
void clone_session(struct consumer *c, struct call *call, const Pft__CloneSessionRequest *request,
		   int fd);
/* Called when all data of @session, a copy, is in its file. */
void clone_written(struct session *session);
/* Called when a copy is freed, perhaps before that. */
void clone_freed(struct session *session);
/* Called when the consumer disconnects. */
void clone_forget(struct consumer *c);

#endif
