/* SPDX-License-Identifier: GPL-2.0 */
/* control_server.h - changes what is recorded while it is being recorded, for who asks */
#ifndef KTRACED_CONTROL_SERVER_H
#define KTRACED_CONTROL_SERVER_H

#include "recording.h"

/** control_server_open - a port for the session: descriptor to poll, or -errno */
int control_server_open(struct recording *r);

/** control_server_serve - a message may be waiting at the port: answer it */
void control_server_serve(struct recording *r, int fd);

/** control_server_module - module @name was loaded: record its tracepoints that -e names */
void control_server_module(struct recording *r, const char *name);

#endif
