/* SPDX-License-Identifier: GPL-2.0 */
/* enable.h - EnableTracing: from a configuration to a session */
#ifndef KTRACED_SERVICE_SESSION_ENABLE_H
#define KTRACED_SERVICE_SESSION_ENABLE_H

#include <stdbool.h>

#include "session.h"

/*
 * Takes @config and @fd (-1: none) in any case. If a file has to be opened first, the consumer is
 * told of later errors.
 * Return: true if it works so far; otherwise @error (SESSION_ERROR_MAX) says why, and nothing is
 * left.
 */
bool enable_session(struct consumer *c, Pft__TraceConfig *config, int fd, char *error);
/* Continues when @disk is open; NULL: no file is wanted. Takes @config and @disk. */
bool enable_with(struct consumer *c, Pft__TraceConfig *config, struct disk *disk, char *error);

#endif
