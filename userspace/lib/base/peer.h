/* SPDX-License-Identifier: LGPL-2.1 */
/* peer.h - the process at the other end of a local socket */
#ifndef KTRACE_BASE_PEER_H
#define KTRACE_BASE_PEER_H

#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * True if the peer is root or our user. Others may have taken the name of the socket; ignore their
 * messages and requests. @cred: of the peer (for a listener, from when it began to listen); user
 * id -1 if that cannot be determined.
 */
static inline bool peer_is_trusted(int fd, struct ucred *cred)
{
	socklen_t size = sizeof(*cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, cred, &size))
		cred->uid = (uid_t)-1;
	return cred->uid == geteuid() || !cred->uid;
}

#endif
