/* SPDX-License-Identifier: LGPL-2.1 */
/* control.h - an active stream, seen from its controller */
#ifndef KTRACE_POSIX_CONTROL_H
#define KTRACE_POSIX_CONTROL_H

#include "board.h"

struct posix_control;

/**
 * ktrace_posix_control_place - the place of the stream on the board of its processes
 * @c:		the stream
 * @board:	out: the board
 */
struct posix_board_stream *ktrace_posix_control_place(const struct posix_control *c,
						      struct posix_board **board);

/** ktrace_posix_control_interrupt - who waits for events of the stream returns with EINVAL */
void ktrace_posix_control_interrupt(struct posix_control *c);

/** ktrace_posix_control_forget - in a forked child: free what it has of its parent's stream */
void ktrace_posix_control_forget(struct posix_control *c);

#endif
