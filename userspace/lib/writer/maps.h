/* SPDX-License-Identifier: LGPL-2.1 */
/* maps.h - tell the session which code this process has, and where */
#ifndef KTRACE_WRITER_MAPS_H
#define KTRACE_WRITER_MAPS_H

struct channel;

void maps_announce(const struct channel *ch);
void maps_after_fork(void);

#endif
