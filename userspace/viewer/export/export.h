/* SPDX-License-Identifier: GPL-2.0 */
/* export.h - formats of other tools, as ktrace export writes them: one row and one file each */
#ifndef VIEWER_EXPORT_EXPORT_H
#define VIEWER_EXPORT_EXPORT_H

#include "events/time_range.h"
#include "symbols/symbols.h"

/* Options that not all formats have */
enum export_option { EXPORT_COLUMNS = 1, EXPORT_BY = 2, EXPORT_SYMBOLS = 4, EXPORT_APART = 8 };

/* What a stack's number is: time of threads, events, or time that threads waited for locks */
enum export_by { EXPORT_BY_TIME, EXPORT_BY_EVENTS, EXPORT_BY_LOCKS };

/**
 * struct export - one run of the command
 * @scope:	which events
 * @format:	what is written
 * @path:	where to, NULL = standard output
 * @given:	options that not all formats have, enum export_option
 * @has_columns: each field has a column of its own
 * @by:		by what stacks are weighed
 * @is_apart:	what is written is to lie among what others have written
 * @where:	whether to look symbols up, and where
 * @set:	the files; stands at their beginning
 */
struct export {
	struct time_range scope;
	const struct export_format *format;
	const char *path;
	unsigned int given;
	bool has_columns;
	enum export_by by;
	bool is_apart;
	struct symbols_where where;
	struct ktrace_traceset *set;
};

/**
 * struct export_format - one format
 * @name:	as in --to
 * @is_single:	stamps are written as they are, so they must be of one recording
 * @is_folder:	writes a folder, called @path of struct export, not to output()
 * @takes:	options that it has, enum export_option
 * @program:	a program of its own writes it, as command_program() finds it; NULL = none
 * @write:	reads the files and writes. Returns 0, -errno, EXPORT_SAID: failed, and complained.
 */
struct export_format {
	const char *name;
	bool is_single;
	bool is_folder;
	unsigned int takes;
	const char *program;
	int (*write)(struct export *x);
};

#define EXPORT_SAID 1

/* What a program does that writes @own: the command, whose options say the same. */
int export_main(const struct export_format *own, int argc, char **argv);

extern const struct export_format export_paje;
extern const struct export_format export_shark;
extern const struct export_format export_shark_text;
extern const struct export_format export_kiwi;
extern const struct export_format export_csv;
extern const struct export_format export_folded;
extern const struct export_format export_ctf;
extern const struct export_format export_chrome;

#endif
