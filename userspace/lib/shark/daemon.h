/* SPDX-License-Identifier: LGPL-2.1 */
/* daemon.h - have ktraced send what a chunk holds */
#ifndef KTRACE_SHARK_DAEMON_H
#define KTRACE_SHARK_DAEMON_H

#include <ktrace/shark_port.h>

#include "content.h"

/* Does one send for us? */
bool daemon_is_there(void);

/*
 * Waits until all is out. @request lacks magic, size and bytes.
 * Return: 0; -ENOTCONN there is none that sends for us; -errno it could not.
 */
int daemon_send(struct ktrace_shark_request *request, const struct content *content);

#endif
