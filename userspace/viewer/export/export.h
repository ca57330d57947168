/* SPDX-License-Identifier: GPL-2.0 */
/* export.h - export formats of ktrace export: one table row and one file each */
#ifndef VIEWER_EXPORT_EXPORT_H
#define VIEWER_EXPORT_EXPORT_H

#include "events/time_range.h"
#include "symbols/symbols.h"

/* Options that only some formats accept */
enum export_option { EXPORT_COLUMNS = 1, EXPORT_BY = 2, EXPORT_SYMBOLS = 4, EXPORT_APART = 8 };

/* Weight of a stack: time of threads, number of events, or time that threads waited for locks */
enum export_by { EXPORT_BY_TIME, EXPORT_BY_EVENTS, EXPORT_BY_LOCKS };

/**
 * struct export - one run of the command
 * @scope:	events to export
 * @format:	output format
 * @path:	output file or folder, NULL = standard output
 * @has_columns: each field gets its own column
 * @has_by:	@by was given
 * @by:		weight of stacks
 * @is_apart:	the packets will be mixed with those of other writers
 * @where:	whether and where to look up symbols
 * @set:	the files, positioned at their beginning
 */
struct export {
	struct time_range scope;
	const struct export_format *format;
	const char *path;
	bool has_columns;
	bool has_by;
	enum export_by by;
	bool is_apart;
	struct symbols_where where;
	struct ktrace_traceset *set;
};

/**
 * struct export_format - one format
 * @name:	name for --to
 * @is_single:	writes stamps unchanged, so all files must be of one recording
 * @is_folder:	writes a folder, @path of struct export, instead of output()
 * @takes:	options it accepts, enum export_option
 * @program:	program that writes it, found by command_program(); NULL = none
 * @write:	reads the files and writes. Returns 0, -errno, EXPORT_SAID: failed, already
 *		reported.
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

/* Runs a program that writes @own: like the command, with the same options. */
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
