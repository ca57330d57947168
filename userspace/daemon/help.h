/* SPDX-License-Identifier: GPL-2.0 */
/* help.h - what ktraced --help prints */
#ifndef KTRACED_HELP_H
#define KTRACED_HELP_H

extern const char help_text[];

#endif
