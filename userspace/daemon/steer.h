/* SPDX-License-Identifier: GPL-2.0 */
/* steer.h - changes what is recorded while it is being recorded, for who asks */
#ifndef KTRACED_STEER_H
#define KTRACED_STEER_H

#include "recording.h"

/** steer_open - a port for the session: descriptor to poll, or -errno */
int steer_open(struct recording *r);

/** steer_serve - a message may be waiting at the port: answer it */
void steer_serve(struct recording *r, int fd);

/** steer_module - module @name was loaded: record those of its tracepoints that -e names */
void steer_module(struct recording *r, const char *name);

#endif
