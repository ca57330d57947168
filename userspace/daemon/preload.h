/* SPDX-License-Identifier: GPL-2.0 */
/* preload.h - puts libktrace-pthread in front of the C library of the command */
#ifndef KTRACED_PRELOAD_H
#define KTRACED_PRELOAD_H

#include <stdbool.h>

/**
 * struct preload - variables for the command's environment
 * @libraries:	LD_PRELOAD: our library, followed by the old value
 * @asan:	ASAN_OPTIONS: makes ASan tolerate that, followed by the old value
 * @has_narrow:	our library is also installed for 32-bit programs
 * @is_unfit:	the command's file shows that it cannot load our library
 */
struct preload {
	char *libraries;
	char *asan;
	bool has_narrow;
	bool is_unfit;
};

/**
 * preload_prepare - choose the values of the variables
 * @command:	argv[0] of the command
 * @p:		out, to be freed by preload_free(). NULLs: the command cannot be helped, which
 *		has been reported
 *
 * Return: -1 to go on, or the exit status after a failure, which has been reported.
 */
int preload_prepare(const char *command, struct preload *p);

/** preload_print - print a line for the environment of programs; returns the exit status */
int preload_print(void);

/** preload_free - free the values */
void preload_free(struct preload *p);

#endif
