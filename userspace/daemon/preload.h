/* SPDX-License-Identifier: GPL-2.0 */
/* preload.h - put libktrace-pthread in front of the C library of the command */
#ifndef KTRACED_PRELOAD_H
#define KTRACED_PRELOAD_H

#include <stdbool.h>

/**
 * struct preload - variables that the command is to be given
 * @libraries:	LD_PRELOAD: ours, and what was there before
 * @asan:	ASAN_OPTIONS: a program that has ASan is to bear it, and what was there before
 * @has_narrow:	ours is there for programs of 32 bits, too
 */
struct preload {
	char *libraries;
	char *asan;
	bool has_narrow;
};

/**
 * preload_prepare - what the variables have to be
 * @command:	argv[0] of the command
 * @p:		out, to be freed by preload_free(). NULLs: the command cannot be helped, which
 *		has been said
 *
 * Return: -1 to go on, or the exit status after a failure, which has been said.
 */
int preload_prepare(const char *command, struct preload *p);

/** preload_free - free the values */
void preload_free(struct preload *p);

#endif
