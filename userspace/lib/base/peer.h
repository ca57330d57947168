/* SPDX-License-Identifier: LGPL-2.1 */
/* peer.h - who is at the other end of a local socket */
#ifndef KTRACE_BASE_PEER_H
#define KTRACE_BASE_PEER_H

#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * True if it is root or our user: others may have taken the name of the socket, and what they say
 * or ask for does not count. @cred: who it is (of a listener, who it was when it began to listen);
 * user id -1 if that cannot be determined.
 */
static inline bool peer_is_trusted(int fd, struct ucred *cred)
{
	socklen_t size = sizeof(*cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, cred, &size))
		cred->uid = (uid_t)-1;
	return cred->uid == geteuid() || !cred->uid;
}

#endif
