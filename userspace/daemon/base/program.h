/* SPDX-License-Identifier: GPL-2.0 */
/* program.h - facts about a program that its file shows */
#ifndef KTRACED_BASE_PROGRAM_H
#define KTRACED_BASE_PROGRAM_H

#include <stdbool.h>

/**
 * program_find - check that a program exists
 * @command:	its name, looked up like execvp(3) does
 *
 * Return: 0, or the -errno of execvp(3) as far as it can be predicted.
 */
int program_find(const char *command);

/**
 * program_obstacle - why a library could not be preloaded into a program
 * @command:	its name, as above
 * @has_narrow:	the library is also installed for 32-bit programs
 *
 * Return: the reason, to follow "COMMAND ", or NULL if none is known.
 */
const char *program_obstacle(const char *command, bool has_narrow);

/**
 * program_mentions - true if a program's file contains these bytes
 * @command:	its name, as above
 * @text:	bytes to look for, at most 256 bytes
 */
bool program_mentions(const char *command, const char *text);

#endif
