/* SPDX-License-Identifier: GPL-2.0 */
/* rights.h - files of another user, opened with that user's rights */
#ifndef KTRACED_BASE_RIGHTS_H
#define KTRACED_BASE_RIGHTS_H

#include <stddef.h>
#include <sys/types.h>

/**
 * rights_take - give this thread a user's rights to files, for good
 * @uid:	the user
 * @gid:	its group
 * @groups:	its other groups
 * @nr:		how many
 *
 * Only root can take those of others. Its thread has no capabilities from then on, unless @uid is
 * root.
 *
 * Return: 0 or -errno; the thread's rights are no more than before.
 */
int rights_take(uid_t uid, gid_t gid, const gid_t *groups, size_t nr);

/** rights_take_user - the same with the groups that the system knows; -ENXIO: no such user */
int rights_take_user(uid_t uid);

#endif
