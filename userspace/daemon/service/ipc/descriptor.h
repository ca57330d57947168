/* SPDX-License-Identifier: GPL-2.0 */
/*
 * descriptor.h - descriptors that peers have sent
 *
 * To close one may take as long as its file system likes, which may be a peer's program: threads
 * of its user do it, of which there are few, unless it is one of memory. A user may have so many
 * on their way to where they are used or closed; with as many, a peer of that user that sends
 * another waits. A connection with something unread, which may be descriptors, is closed like
 * them.
 */
#ifndef KTRACED_SERVICE_IPC_DESCRIPTOR_H
#define KTRACED_SERVICE_IPC_DESCRIPTOR_H

#include <stdbool.h>

struct user;

bool descriptor_may_come(struct user *u);
/* One has come. */
void descriptor_came(struct user *u);
/* One that was counted is used from now on, by what has bounds of its own. */
void descriptor_went(struct user *u);
/* Nobody wants it. */
void descriptor_close(struct user *u, int fd);

#endif
