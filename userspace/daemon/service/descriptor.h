/* SPDX-License-Identifier: GPL-2.0 */
/*
 * descriptor.h - descriptors that peers have sent
 *
 * To close one may take as long as its file system likes, which may be a peer's program: a thread
 * does it, unless it is one of memory. A user may have so many on their way to where they are used
 * or closed; with as many, a peer of his that sends another waits. A connection with
 * something unread, which may be descriptors, is closed as they are.
 */
#ifndef KTRACED_SERVICE_DESCRIPTOR_H
#define KTRACED_SERVICE_DESCRIPTOR_H

#include <stdbool.h>
#include <sys/types.h>

struct service;

bool descriptor_may_come(const struct service *s, uid_t uid);
/* One has come. Return: false: no memory to count it. */
bool descriptor_came(struct service *s, uid_t uid);
/* One that was counted is used from now on, by what has bounds of its own. */
void descriptor_went(struct service *s, uid_t uid);
/* Nobody wants it. */
void descriptor_close(struct service *s, uid_t uid, int fd);
/* Those of users who have none; at the end. */
void descriptors_forget(struct service *s);

#endif
