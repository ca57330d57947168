/* SPDX-License-Identifier: GPL-2.0 */
/* default_path.h - what a trace is called when nobody says */
#ifndef KTRACED_OUTPUT_DEFAULT_PATH_H
#define KTRACED_OUTPUT_DEFAULT_PATH_H

/**
 * default_path - a name that is nobody's: COMMAND-DATE-TIME-PID.bin
 * @folder:	what it begins with: "" or a folder and a slash
 * @argv:	the command, NULL = none
 *
 * Return: the name, to be freed; NULL: no memory.
 */
char *default_path(const char *folder, char **argv);

#endif
