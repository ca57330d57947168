/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * option_table.h - the options of a program as one table: names, values, help, where a value goes
 *
 * getopt's arrays, --help and "did you mean" are made from it, so each option is written once.
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
 * @value:	name of its value in --help: "SIZE"; "[=LEVEL]" is optional; NULL = no value
 * @help:	what it does; lines without indentation
 * @flag:	1 + offset of a bool that becomes true, 0 = none
 * @text:	1 + offset of a const char * that becomes the value, 0 = none
 * @set:	takes the value, NULL = not needed. Return: -1, or the exit status with which the
 *		program ends
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
 * option_table_parse - read a command line up to the first word that is not an option
 * @rows:	the table
 * @nr:		rows, at most OPTION_ROWS_MAX
 * @to:		the struct to which offsets in the table refer; argument of @set
 * @argc:	of main()
 * @argv:	of main(); argv[0] begins messages
 * @complain:	prints a line: what is wrong with an option, or which one may have been meant
 *
 * Return: -1, and optind is the first word; the exit status that @set returned; OPTION_REFUSED for
 * an option that does not exist or lacks its value, after a message; OPTION_HELP for the row called
 * "help".
 */
int option_table_parse(const struct option_row *rows, size_t nr, void *to, int argc, char **argv,
		       void (*complain)(const char *text));

/** option_table_help - print the table as help: names on the left, @column columns, then text */
void option_table_help(FILE *to, const struct option_row *rows, size_t nr, int column);

#endif
