/* SPDX-License-Identifier: GPL-2.0 */
/* config.h - configurations of sessions, as text or as a message */
#ifndef VIEWER_SESSION_CONFIG_H
#define VIEWER_SESSION_CONFIG_H

#include "service.pb-c.h"

/*
 * Reads a file, "-" = standard input; a file with bytes that no text has is a packed message. NULL
 * on failure, after reporting it.
 */
Pft__TraceConfig *config_read(const char *path);
void config_free(Pft__TraceConfig *config);

#endif
