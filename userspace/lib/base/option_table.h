/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * option_table.h - the options of a program as one table: names, values, help, where a value goes
 *
 * getopt's arrays, --help and "did you mean" are made from it, so an option is said once.
 */
#ifndef KTRACE_BASE_OPTION_TABLE_H
#define KTRACE_BASE_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define OPTION_ROWS_MAX 96

enum { OPTION_REFUSED = -2, OPTION_HELP = -3 };

/**
 * struct option_row - one option, or text between options
 * @letter:	its short name, 0 = none
 * @name:	its long name, NULL = @help is printed as it is
 * @value:	what --help calls its value: "SIZE"; "[=LEVEL]" is optional; NULL = it has none
 * @help:	what it does; lines, without indentation
 * @flag:	1 + offset of a bool that becomes true, 0 = none
 * @text:	1 + offset of a const char * that becomes the value, 0 = none
 * @set:	takes the value, NULL = none is needed. Return: -1, or the exit status: the program
 *		ends with it
 */
struct option_row {
	char letter;
	const char *name;
	const char *value;
	const char *help;
	size_t flag;
	size_t text;
	int (*set)(void *to, char *value);
};

#define OPTION_MEMBER(type, member) (offsetof(type, member) + 1)

/**
 * option_table_parse - read a command line up to the first word that is no option
 * @rows:	the table
 * @nr:		rows, at most OPTION_ROWS_MAX
 * @to:		what offsets in the table are of, and what @set gets
 * @argc:	as main() has it
 * @argv:	the same; argv[0] begins messages
 * @complain:	prints a line: what is wrong with an option, or which one may have been meant
 *
 * Return: -1, and optind is the first word; the exit status that @set returned; OPTION_REFUSED for
 * an option that does not exist, or lacks its value, which @complain was told; OPTION_HELP for the
 * row called "help".
 */
int option_table_parse(const struct option_row *rows, size_t nr, void *to, int argc, char **argv,
		       void (*complain)(const char *text));

/** option_table_help - print the table as help: names on the left, @column columns, then text */
void option_table_help(FILE *to, const struct option_row *rows, size_t nr, int column);

#endif
