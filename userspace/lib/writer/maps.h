/* SPDX-License-Identifier: LGPL-2.1 */
/* maps.h - tell the sessions which code this process has, and where */
#ifndef KTRACE_WRITER_MAPS_H
#define KTRACE_WRITER_MAPS_H

#include <stdint.h>

void maps_announce(uintptr_t frame);
void maps_after_fork(void);

#endif
