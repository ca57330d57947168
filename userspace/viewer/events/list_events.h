/* SPDX-License-Identifier: GPL-2.0 */
/* list_events.h - prints the events of files as lines, for ktrace list and ktrace grep */
#ifndef VIEWER_EVENTS_LIST_EVENTS_H
#define VIEWER_EVENTS_LIST_EVENTS_H

#include "line.h"
#include "time_range.h"

/**
 * struct list_events - one run of the command
 * @scope:	which events
 * @lines:	how they are printed
 * @left:	number of lines that may still be printed; ~0 to begin with
 * @counts:	print only the number of lines
 * @where:	whether to look symbols up, and where
 * @aliases:	names of addresses, NULL = not needed
 */
struct list_events {
	struct time_range scope;
	struct lines lines;
	__u64 left;
	bool counts;
	struct symbols_where where;
	struct object_names *aliases;
};

#define LIST_EVENTS_OPTIONS \
	TIME_RANGE_OPTIONS, \
	{ "json", no_argument, NULL, 'j' }, \
	{ "time", required_argument, NULL, 't' }, \
	{ "alias", required_argument, NULL, 'a' }, \
	{ "number", required_argument, NULL, 'n' }, \
	{ "count", no_argument, NULL, 'c' }, \
	{ "from-position", required_argument, NULL, OPTION_FROM_POSITION }, \
	{ "print-position", no_argument, NULL, OPTION_PRINT_POSITION }, \
	{ "stacks", no_argument, NULL, OPTION_STACKS }, \
	SYMBOLS_OPTIONS
enum { OPTION_FROM_POSITION = 950, OPTION_PRINT_POSITION, OPTION_STACKS };

#define LIST_EVENTS_HELP \
	TIME_RANGE_HELP \
"  -a, --alias FILE   names of addresses, a line each: [PID] 0xADDRESS NAME\n" \
"  -n, --number N     stop after N events\n" \
"  -c, --count        print the number of events only\n" \
"  --from-position POSITION  from where another list has ended\n" \
"  --print-position   behind the events, print the position to go on from\n" \
"  --time rel|wall|raw|delta  rel (default): seconds since the first event\n" \
"  --json             one JSON object a line\n" \
"  --stacks           behind events the stacks that were recorded with them\n" \
	SYMBOLS_HELP \
"  -h, --help, --version\n"

/* Handles an option of those above. Returns an error message, NULL = none. */
const char *list_events_option(struct list_events *p, int option);
/* Prints the events of all files. Return: the exit status. */
int list_events_files(struct list_events *p, int nr, char **paths);
void list_events_free(struct list_events *p);

#endif
