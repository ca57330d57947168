/* SPDX-License-Identifier: GPL-2.0 */
/* name.h - what a trace is called when nobody says */
#ifndef KTRACED_OUTPUT_NAME_H
#define KTRACED_OUTPUT_NAME_H

/**
 * name_default - a name that is nobody's: COMMAND-DATE-TIME-PID.bin
 * @folder:	what it begins with: "" or a folder and a slash
 * @argv:	the command, NULL = none
 *
 * Return: the name, to be freed; NULL: no memory.
 */
char *name_default(const char *folder, char **argv);

#endif
