/* SPDX-License-Identifier: GPL-2.0 */
/* listen.h - a socket that peers connect to: made here, or handed over by systemd */
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
	struct timer pause;	/* set: nobody is accepted for a while */
	bool was_told;		/* the log says that peers wait for a descriptor */
	const char *path;	/* to be removed at the end, NULL: none */
};

/*
 * The socket's name: @variable of the environment, or else @file in /run/perfetto, or else @spare
 * in /tmp; "@NAME" is one without a file.
 * @inherited: a listening socket from systemd, -1: make one. @mode: of the file.
 * Return: 0 or -errno, having said what went wrong.
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
