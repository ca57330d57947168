/* SPDX-License-Identifier: GPL-2.0 */
/*
 * descriptor.h - descriptors sent by peers
 *
 * Closing a descriptor may take as long as its file system likes, which may be a peer's program:
 * so a few threads per user do it, except for memory. A user may have a limited number of
 * descriptors that are not in use or closed yet; at the limit, a peer of that user that sends
 * another one waits. A connection with unread data, which may have descriptors, is closed in the
 * same way.
 */
#ifndef KTRACED_SERVICE_IPC_DESCRIPTOR_H
#define KTRACED_SERVICE_IPC_DESCRIPTOR_H

#include <stdbool.h>

struct user;

bool descriptor_may_come(struct user *u);
/* Counts a descriptor that has arrived. */
void descriptor_came(struct user *u);
/* Called when one is used: from then on it has limits of its own. */
void descriptor_went(struct user *u);
/* Closes one that is not used. */
void descriptor_close(struct user *u, int fd);

#endif
