/* SPDX-License-Identifier: LGPL-2.1 */
/* control.h - an active stream, seen from its controller */
#ifndef KTRACE_POSIX_CONTROL_H
#define KTRACE_POSIX_CONTROL_H

struct posix_control;

/** ktrace_posix_control_interrupt - who waits for events of the stream returns with EINVAL */
void ktrace_posix_control_interrupt(struct posix_control *c);

/** ktrace_posix_control_forget - in a forked child: free what it has of its parent's stream */
void ktrace_posix_control_forget(struct posix_control *c);

#endif
