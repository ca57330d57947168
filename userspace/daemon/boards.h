/* SPDX-License-Identifier: GPL-2.0 */
/* boards.h - what programs with <trace.h> have left behind in shared memory */
#ifndef KTRACED_BOARDS_H
#define KTRACED_BOARDS_H

#include <stdbool.h>

/** boards_sweep - remove boards that no process uses; @all: as root, those of other users, too */
void boards_sweep(bool all);

#endif
