/* SPDX-License-Identifier: GPL-2.0 */
/* forget.h - what the next part of a recording can do without */
#ifndef KTRACED_OUTPUT_FORGET_H
#define KTRACED_OUTPUT_FORGET_H

struct capture;

/* Before the last of a part is drained: forgets the code of processes that are gone. */
void capture_forget(struct capture *c);

#endif
