/* SPDX-License-Identifier: GPL-2.0 */
/* debug_server.h - limits on downloads from servers of debug information */
#ifndef VIEWER_SYMBOLS_DEBUG_SERVER_H
#define VIEWER_SYMBOLS_DEBUG_SERVER_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

/**
 * debug_server_begin - limit the downloads through @dwfl from now on
 *
 * Return: false: do not ask servers, one has exceeded the limits.
 */
bool debug_server_begin(Dwfl *dwfl);

#endif
