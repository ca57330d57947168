/* SPDX-License-Identifier: GPL-2.0 */
/* default_path.h - chooses the name of a trace if none was given */
#ifndef KTRACED_OUTPUT_DEFAULT_PATH_H
#define KTRACED_OUTPUT_DEFAULT_PATH_H

/**
 * default_path - a name that no file has: COMMAND-DATE-TIME-PID.bin
 * @folder:	beginning of the name: "" or a folder and a slash
 * @argv:	the command, NULL = none
 *
 * Return: the name, to be freed; NULL if out of memory.
 */
char *default_path(const char *folder, char **argv);

#endif
