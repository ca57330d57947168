// SPDX-License-Identifier: LGPL-2.1
/* option_table.c - the options of a program as one table: names, values, help, targets */
#include "option_table.h"

#include <getopt.h>
#include <string.h>
#include <ktrace/nearest.h>

#include "option_text.h"

/* The value that getopt_long() returns for a row; no letter is as large. */
#define ROW_BASE 256

/* struct arrays - a table as getopt_long() needs it */
struct arrays {
	struct option longs[OPTION_ROWS_MAX + 1];
	char letters[2 * OPTION_ROWS_MAX + 2];
};

static int value_kind(const struct option_row *row)
{
	return !row->value ? no_argument : *row->value == '[' ? optional_argument :
	       required_argument;
}

static void fill(struct arrays *a, const struct option_row *rows, size_t nr)
{
	struct option *o = a->longs;
	char *letter = a->letters;

	*letter++ = '+';
	for (size_t i = 0; i < nr; i++) {
		if (!rows[i].name)
			continue;
		*o++ = (struct option) { rows[i].name, value_kind(&rows[i]), NULL,
					 ROW_BASE + (int)i };
		if (!rows[i].letter)
			continue;
		*letter++ = rows[i].letter;
		if (rows[i].value)
			*letter++ = ':';
	}
	*o = (struct option) { NULL, 0, NULL, 0 };
	*letter = '\0';
}

static const struct option_row *find(const struct option_row *rows, size_t nr, int found)
{
	if (found >= ROW_BASE)
		return &rows[found - ROW_BASE];
	for (size_t i = 0; i < nr; i++)
		if (rows[i].letter && rows[i].letter == found)
			return &rows[i];
	return NULL;
}

/* Suggests a name for an unknown long option, after getopt's message. */
static void suggest(const struct arrays *a, const char *word, void (*complain)(const char *text))
{
	struct ktrace_nearest near;
	char name[KTRACE_NEAREST_MAX], text[KTRACE_NEAREST_MAX + 32];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	ktrace_nearest_init(&near, name);
	for (const struct option *o = a->longs; o->name; o++)
		ktrace_nearest_try(&near, o->name);
	if (!*near.name)
		return;
	snprintf(text, sizeof(text), "did you mean '--%s'?", near.name);
	complain(text);
}

static void complain_about(const struct arrays *a, char **argv, void (*complain)(const char *text))
{
	char fault[3], text[256];

	if (!opterr) {
		snprintf(text, sizeof(text), OPTION_FAULT,
			 option_at_fault(optopt, fault, argv[optind - 1]));
		complain(text);
	} else if (!optopt && !strncmp(argv[optind - 1], "--", 2)) {
		suggest(a, argv[optind - 1] + 2, complain);
	}
}

static int apply(const struct option_row *row, void *to)
{
	if (row->flag)
		*(bool *)((char *)to + row->flag - 1) = true;
	if (row->text)
		*(const char **)((char *)to + row->text - 1) = optarg;
	return row->set ? row->set(to, optarg) : -1;
}

int option_table_parse(const struct option_row *rows, size_t nr, void *to, int argc, char **argv,
		       void (*complain)(const char *text))
{
	struct arrays a;
	int found, status;

	fill(&a, rows, nr);
	opterr = option_is_printable(argv);
	while ((found = getopt_long(argc, argv, a.letters, a.longs, NULL)) != -1) {
		const struct option_row *row = find(rows, nr, found);

		if (!row) {
			complain_about(&a, argv, complain);
			return OPTION_REFUSED;
		}
		if (!strcmp(row->name, "help"))
			return OPTION_HELP;
		status = apply(row, to);
		if (status >= 0)
			return status;
	}
	return -1;
}

static void put_row(FILE *to, const struct option_row *row, int column)
{
	const char *line = row->help, *end;
	int n;

	n = row->letter ? fprintf(to, "  -%c, --%s", row->letter, row->name) :
	    fprintf(to, "      --%s", row->name);
	if (row->value)
		n += fprintf(to, "%s%s", *row->value == '[' ? "" : " ", row->value);
	fprintf(to, "%*s", n < column ? column - n : 2, "");
	while ((end = strchr(line, '\n'))) {
		fprintf(to, "%.*s\n%*s", (int)(end - line), line, column, "");
		line = end + 1;
	}
	fprintf(to, "%s\n", line);
}

void option_table_help(FILE *to, const struct option_row *rows, size_t nr, int column)
{
	for (size_t i = 0; i < nr; i++) {
		if (rows[i].name)
			put_row(to, &rows[i], column);
		else
			fputs(rows[i].help, to);
	}
}
