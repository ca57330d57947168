/* SPDX-License-Identifier: GPL-2.0 */
/* dev_actors.h - for dev_rights.c and dev_passed.c: users, and what lets them in */
#ifndef TESTS_DEV_ACTORS_H
#define TESTS_DEV_ACTORS_H

#include <grp.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "dev.h"

enum { OWNER = 1234, MEMBER = 4321, STRANGER = 5555, MEMBERS = 777 };

static inline void become(unsigned int uid, unsigned int group)
{
	const gid_t groups[] = { group };

	EXPECT_ERRNO(setgroups(1, groups), 0);
	EXPECT_ERRNO(setresgid(uid, uid, uid), 0);
	EXPECT_ERRNO(setresuid(uid, uid, uid), 0);
}

static inline void keep_capabilities(__u64 caps)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = {
		{ (__u32)caps, (__u32)caps, 0 }, { (__u32)(caps >> 32), (__u32)(caps >> 32), 0 },
	};

	EXPECT_ERRNO(syscall(SYS_capset, &header, data), 0);
}

static inline void set_group_kernel(char value)
{
	int fd = open("/sys/module/ktrace/parameters/group_kernel", O_WRONLY);

	EXPECT(fd >= 0);
	EXPECT_EQ(write(fd, &value, 1), 1);
	close(fd);
}

/* Whoever is in @group may open the device. */
static inline void give_device(gid_t group)
{
	EXPECT_ERRNO(chown("/dev/ktrace", 0, group), 0);
	EXPECT_ERRNO(chmod("/dev/ktrace", 0660), 0);
}

#endif
