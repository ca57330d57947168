/* SPDX-License-Identifier: GPL-2.0 */
/* control_server.h - changes what is recorded while it is being recorded, on request */
#ifndef KTRACED_CONTROL_SERVER_H
#define KTRACED_CONTROL_SERVER_H

#include "recording.h"

/** control_server_open - open a port for the session: descriptor to poll, or -errno */
int control_server_open(struct recording *r);

/** control_server_serve - answer the message that may be waiting at the port */
void control_server_serve(struct recording *r, int fd);

/** control_server_module - record the tracepoints of the new module @name that -e names */
void control_server_module(struct recording *r, const char *name);

#endif
