// SPDX-License-Identifier: GPL-2.0
/*
 * rights.c - opens files of another user with that user's rights
 *
 * Changes only the file system ids, so that the user can neither signal nor trace the thread.
 * The functions of the C library would change those of all threads.
 */
#include "rights.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A raw system call, because setgroups() of the C library changes all threads. */
#ifdef SYS_setgroups32
#define SYS_SET_GROUPS SYS_setgroups32
#else
#define SYS_SET_GROUPS SYS_setgroups
#endif

/* The limit of Linux */
#define GROUPS_MAX 65536

/* For this thread only: root's capabilities bypass quotas and file system reserves for root. */
static int drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return syscall(SYS_capset, &head, none) ? -errno : 0;
}

int rights_take(uid_t uid, gid_t gid, const gid_t *groups, size_t nr)
{
	if (geteuid())
		return uid == geteuid() ? 0 : -EPERM;
	if (syscall(SYS_SET_GROUPS, nr, groups))
		return -errno;
	setfsgid(gid);
	setfsuid(uid);
	if ((uid_t)setfsuid((uid_t)-1) != uid || (gid_t)setfsgid((gid_t)-1) != gid)
		return -EPERM;
	return uid ? drop_capabilities() : 0;
}

int rights_take_user(uid_t uid)
{
	const struct passwd *user = getpwuid(uid);
	gid_t *groups = user ? malloc(GROUPS_MAX * sizeof(*groups)) : NULL;
	int nr = GROUPS_MAX, error;

	if (!user)
		return -ENXIO;
	if (!groups)
		return -ENOMEM;
	if (getgrouplist(user->pw_name, user->pw_gid, groups, &nr) < 0)
		error = -E2BIG;
	else
		error = rights_take(uid, user->pw_gid, groups, (size_t)nr);
	free(groups);
	return error;
}
