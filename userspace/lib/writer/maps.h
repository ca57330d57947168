/* SPDX-License-Identifier: LGPL-2.1 */
/* maps.h - tell the session which code this process has, and where */
#ifndef KTRACE_WRITER_MAPS_H
#define KTRACE_WRITER_MAPS_H

void maps_announce(void);
void maps_after_fork(void);

#endif
