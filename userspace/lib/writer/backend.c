// SPDX-License-Identifier: LGPL-2.1
/*
 * backend.c - open a session's channel: a device or a file
 *
 * A file is used only if it is regular, belongs to this user or to root, and is not writable for
 * any other user: a user who can change it can see what is recorded.
 */
#include "backend.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <linux/ktrace.h>

#include "system.h"

/* Attaches as a writer; retries without the thread word, which older modules reject. */
static int become_writer(int fd, struct ktrace_attach *attach)
{
	if (!ioctl(fd, KTRACE_IOC_ATTACH, attach))
		return 0;
	if (errno != EINVAL || !attach->thread_word)
		return -errno;
	attach->thread_word = 0;
	return ioctl(fd, KTRACE_IOC_ATTACH, attach) ? -errno : 0;
}

static int open_device(const char *where, __s32 thread_word, struct backend_channel *c)
{
	struct ktrace_attach attach = { .size = sizeof(attach), .thread_word = thread_word };
	char *end;
	int fd, err;

	attach.session = strtoull(where, &end, 16);
	if (end == where || *end)
		return -EINVAL;
	fd = system_open("/dev/ktrace", O_RDWR);
	if (fd < 0)
		return fd;
	err = become_writer(fd, &attach);
	if (err) {
		system_close(fd);
		return err;
	}
	*c = (struct backend_channel){ fd, attach.map_off, attach.map_size };
	return 0;
}

static bool is_trusted(const struct stat *st)
{
	return S_ISREG(st->st_mode) && (st->st_uid == geteuid() || st->st_uid == 0) &&
	       !(st->st_mode & (S_IWGRP | S_IWOTH)) && st->st_size > 0;
}

static int open_file(const char *where, __s32 thread_word, struct backend_channel *c)
{
	struct stat st;
	int fd = system_open(where, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

	(void)thread_word;	/* no kernel module watches this session's children being made */
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) || !is_trusted(&st)) {
		system_close(fd);
		return -EPERM;
	}
	*c = (struct backend_channel){ fd, 0, (__u64)st.st_size };
	return 0;
}

static const struct backend backends[] = {
	{ "dev", false, open_device },
	{ "shm", true, open_file },
};

/**
 * backend_find - which back end a session name belongs to
 * @session:	value of KTRACE_SESSION
 * @where:	out: the part after the colon
 *
 * Return: the back end, NULL if none has that name.
 */
const struct backend *backend_find(const char *session, const char **where)
{
	size_t i, len;

	for (i = 0; i < sizeof(backends) / sizeof(backends[0]); i++) {
		len = strlen(backends[i].name);
		if (!strncmp(session, backends[i].name, len) && session[len] == ':') {
			*where = session + len + 1;
			return &backends[i];
		}
	}
	return NULL;
}
