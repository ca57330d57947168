/* SPDX-License-Identifier: GPL-2.0 */
/* forget.h - drops the code of ended processes */
#ifndef KTRACED_OUTPUT_FORGET_H
#define KTRACED_OUTPUT_FORGET_H

struct capture;

/* Forgets the code of ended processes, before the last data of a part is drained. */
void capture_forget(struct capture *c);

#endif
