/* SPDX-License-Identifier: LGPL-2.1 */
/* board.h - this program's slot on its user's board */
#ifndef KTRACE_WRITER_BOARD_H
#define KTRACE_WRITER_BOARD_H

#include <stdbool.h>
#include <linux/ktrace_board.h>

/**
 * struct board_wish - a recording that wants this process
 * @number:	its number on the board
 * @seq:	of the want, tells it from a later one
 * @pidns:	as in struct ktrace_board_want
 * @session:	likewise, NUL-terminated
 */
struct board_wish {
	__u32 number;
	__u32 seq;
	__u64 pidns;
	char session[KTRACE_BOARD_SESSION];
};

/* What the events of the program test, see linux/ktrace_board.h */
enum board_use { BOARD_ALONE, BOARD_MANY, BOARD_DIRECT };

void board_take_slot(void);
const char *board_problem(void);
const __u8 *board_off(void);
const __u8 *board_on(void);
bool board_is_poked(void);
void board_use(enum board_use use);
void board_has_old(void);
void board_look(enum board_use use);
bool board_wish(struct board_wish *wish);
void board_joined(void);
void board_fulfilled(const struct board_wish *wish);
void board_refused(const struct board_wish *wish, int error);
void board_refuse_all(int error);
void board_left(void);
void board_after_fork(void);
void board_hide(void);
void board_give_back(void);

#endif
