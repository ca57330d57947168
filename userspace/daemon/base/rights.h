/* SPDX-License-Identifier: GPL-2.0 */
/* rights.h - opens files of another user with that user's rights */
#ifndef KTRACED_BASE_RIGHTS_H
#define KTRACED_BASE_RIGHTS_H

#include <stddef.h>
#include <sys/types.h>

/**
 * rights_take - give this thread a user's rights to files, for good
 * @uid:	the user
 * @gid:	its group
 * @groups:	its other groups
 * @nr:		number of @groups
 *
 * Only root can take the rights of another user. Its thread then has no capabilities, unless
 * @uid is root.
 *
 * Return: 0 or -errno; on failure the thread has no more rights than before.
 */
int rights_take(uid_t uid, gid_t gid, const gid_t *groups, size_t nr);

/** rights_take_user - same with the groups from the user database; -ENXIO: no such user */
int rights_take_user(uid_t uid);

#endif
