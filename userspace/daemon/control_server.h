/* SPDX-License-Identifier: GPL-2.0 */
/* control_server.h - changes what is recorded while it is being recorded, on request */
#ifndef KTRACED_CONTROL_SERVER_H
#define KTRACED_CONTROL_SERVER_H

#include "recording.h"

/** control_server_open - open a port for the session: descriptor to poll, or -errno */
int control_server_open(struct recording *r);

/**
 * struct control_actions - what the loop of a recording does on request
 * @arg:	for both
 * @rotate:	end the current file and go on with the next one; returns NULL, or why not
 * @stop:	end the recording
 */
struct control_actions {
	void *arg;
	const char *(*rotate)(void *arg);
	void (*stop)(void *arg);
};

/** control_server_serve - answer the message that may be waiting at the port */
void control_server_serve(struct recording *r, int fd, const struct control_actions *actions);

/**
 * control_server_begin_paused - record nothing but marks from the start on, for --paused
 *
 * Called before the session starts, after the file says what was chosen. Return: 0, or -errno,
 * which was reported.
 */
int control_server_begin_paused(struct recording *r);

/** control_server_module - record the tracepoints of the new module @name that -e names */
void control_server_module(struct recording *r, const char *name);

#endif
