/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * option_table.h - the options of a program as tables: names, values, help, where a value goes
 *
 * getopt's arrays, --help and "did you mean" are made from them, so each option is written once.
 * Programs that have options in common share the table of these.
 */
#ifndef KTRACE_BASE_OPTION_TABLE_H
#define KTRACE_BASE_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define OPTION_ROWS_MAX 96

enum { OPTIONS_REFUSED = -2, OPTIONS_HELP = -3, OPTIONS_VERSION = -4, OPTIONS_WRONG = -5 };

/**
 * struct option_row - one option, or text between options
 * @letter:	its short name, 0 = none
 * @name:	its long name, NULL = @help is printed as it is
 * @old:	a deprecated long name, still accepted; NULL = none
 * @value:	name of its value in --help: "SIZE"; "[=LEVEL]" is optional; NULL = no value
 * @help:	what it does; lines without indentation. The last row of a table has none
 * @flag:	1 + offset of a bool that becomes true, 0 = none
 * @text:	1 + offset of a const char * that becomes the value, 0 = none
 * @set:	takes the value, NULL = not needed. Return: NULL, or what is wrong with it
 */
struct option_row {
	char letter;
	const char *name;
	const char *old;
	const char *value;
	const char *help;
	size_t flag;
	size_t text;
	const char *(*set)(void *to, const char *value);
};

#define OPTION_MEMBER(type, member) (offsetof(type, member) + 1)
/* For rows of a set that refers to a bool or a const char * itself */
#define OPTION_SELF 1

/**
 * struct option_set - a table that is part of a program's options
 * @rows:	the table; the last set of an array has none
 * @at:		offset, in the program's struct, of the one that offsets in @rows refer to
 */
struct option_set {
	const struct option_row *rows;
	size_t at;
};

/**
 * struct option_parser - how a program takes its options
 * @sets:	its options
 * @stops:	options end at the first word that is none: what follows is a command line
 * @complain:	prints a line: what is wrong with an option, or which one may have been meant
 * @note:	told each option that was taken; may be NULL
 */
struct option_parser {
	const struct option_set *sets;
	bool stops;
	void (*complain)(const char *text);
	void (*note)(void *to, const struct option_row *row, const char *value);
};

/**
 * option_table_parse - read a command line
 * @p:		how
 * @to:		the struct to which the sets refer
 * @argc:	of main()
 * @argv:	of main(); argv[0] begins messages of getopt
 *
 * Return: 0, and optind is the first word that is no option; OPTIONS_REFUSED for an option that
 * does not exist or lacks its value, OPTIONS_WRONG for a wrong value, each after a message;
 * OPTIONS_HELP or OPTIONS_VERSION for the rows called "help" and "version".
 */
int option_table_parse(const struct option_parser *p, void *to, int argc, char **argv);

/** option_table_help - print tables as help: names on the left, text from column 25 on */
void option_table_help(FILE *to, const struct option_set *sets);

/** option_wrong - format a message for struct option_row's @set; valid until the next call */
__attribute__((format(printf, 1, 2)))
const char *option_wrong(const char *format, ...);

/** option_unreadable - say that an option's file cannot be read; NULL: it can, or @path is NULL */
const char *option_unreadable(const char *option, const char *path);

#endif
