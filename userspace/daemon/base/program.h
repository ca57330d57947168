/* SPDX-License-Identifier: GPL-2.0 */
/* program.h - what can be told of a program by its file */
#ifndef KTRACED_BASE_PROGRAM_H
#define KTRACED_BASE_PROGRAM_H

#include <stdbool.h>

/**
 * program_find - whether there is such a program
 * @command:	its name, to be looked for as execvp(3) does
 *
 * Return: 0, -errno of execvp(3), as far as that can be told before.
 */
int program_find(const char *command);

/**
 * program_obstacle - why a library could not be preloaded into a program
 * @command:	its name, as above
 * @has_narrow:	the library is there for programs of 32 bits, too
 *
 * Return: the reason, to follow "COMMAND ", or NULL: none is known.
 */
const char *program_obstacle(const char *command, bool has_narrow);

/**
 * program_mentions - whether a program's file has these bytes
 * @command:	its name, as above
 * @text:	what to look for, at most 256 bytes
 */
bool program_mentions(const char *command, const char *text);

#endif
