/* SPDX-License-Identifier: GPL-2.0 */
/* posix_registries.h - removes what programs with <trace.h> have left in shared memory */
#ifndef KTRACED_POSIX_REGISTRIES_H
#define KTRACED_POSIX_REGISTRIES_H

#include <stdbool.h>

/**
 * registries_sweep - remove registries that no process uses; @all: as root, also those of other
 * users
 */
void registries_sweep(bool all);

#endif
