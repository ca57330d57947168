/* SPDX-License-Identifier: LGPL-2.1 */
/* daemon.h - asks ktraced to send the content of a chunk */
#ifndef KTRACE_SHARK_DAEMON_H
#define KTRACE_SHARK_DAEMON_H

#include <ktrace/shark_port.h>

#include "content.h"

/* True if a ktraced can send for this program. */
bool daemon_is_there(void);

/*
 * Waits until everything is sent. Fills in magic, size and bytes of @request.
 * Return: 0; -ENOTCONN = no ktraced sends for this program; -errno = it failed.
 */
int daemon_send(struct ktrace_shark_request *request, const struct content *content);

#endif
