/* SPDX-License-Identifier: LGPL-2.1 */
/* board.h - this program's slot on its user's board */
#ifndef KTRACE_WRITER_BOARD_H
#define KTRACE_WRITER_BOARD_H

#include <stdbool.h>
#include <linux/ktrace_board.h>

/**
 * struct board_wish - a recording that wants this process
 * @bit:	its bit in the slot's byte
 * @pidns:	as in struct ktrace_board_want
 * @session:	likewise, NUL-terminated
 */
struct board_wish {
	__u8 bit;
	__u64 pidns;
	char session[KTRACE_BOARD_SESSION];
};

void board_take_slot(void);
const char *board_problem(void);
const __u8 *board_byte(void);
bool board_wish(struct board_wish *wish);
void board_joined(void);
void board_refused(__u8 bits, int error);
void board_left(void);
void board_after_fork(void);

#endif
