/* SPDX-License-Identifier: GPL-2.0 */
/* debug_server.h - bounds for what servers of debug information send */
#ifndef VIEWER_SYMBOLS_DEBUG_SERVER_H
#define VIEWER_SYMBOLS_DEBUG_SERVER_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

/**
 * debug_server_begin - whatever servers are asked for through @dwfl is bounded from now on
 *
 * Return: false: they are not to be asked, as one has gone beyond the bounds.
 */
bool debug_server_begin(Dwfl *dwfl);

#endif
