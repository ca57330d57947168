/* SPDX-License-Identifier: GPL-2.0 */
/* listen.h - a socket for peers to connect to: made here, or passed by systemd */
#ifndef KTRACED_SERVICE_IPC_LISTEN_H
#define KTRACED_SERVICE_IPC_LISTEN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/loop.h"
#include "base/timer.h"
#include "connection.h"

struct listener {
	struct connections *peers;
	const struct port *port;
	struct loop_source source;
	struct timer pause;	/* set: accepts nobody for a while */
	bool was_told;		/* it was logged that peers wait for a descriptor */
	const char *path;	/* removed at the end, NULL = none */
};

/*
 * The socket's name: from the environment's @variable, else @file in /run/perfetto, else @spare in
 * /tmp; "@NAME" has no file.
 * @inherited: a listening socket from systemd, -1: make one. @mode: of the file.
 * Return: 0 or -errno, after reporting the error.
 */
struct address {
	const char *variable;
	const char *file;
	const char *spare;
	mode_t mode;
};

const char *address_name(const struct address *a);
int listener_open(struct listener *l, struct connections *peers, const struct port *port,
		  const struct address *a, int inherited);
void listener_close(struct listener *l);

#endif
