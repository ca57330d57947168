/* SPDX-License-Identifier: GPL-2.0 */
/* program.h - what can be told of a program by its file */
#ifndef KTRACED_PROGRAM_H
#define KTRACED_PROGRAM_H

/**
 * program_obstacle - why a library could not be preloaded into a program
 * @command:	its name, to be looked for as execvp(3) does
 *
 * Return: the reason, to follow "COMMAND ", or NULL: none is known.
 */
const char *program_obstacle(const char *command);

#endif
