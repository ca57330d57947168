// SPDX-License-Identifier: LGPL-2.1
/* option_table.c - the options of a program as tables: names, values, help, targets */
#include "option_table.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>
#include <ktrace/nearest.h>

#include "option_text.h"

#define HELP_COLUMN 25
/* The value that getopt_long() returns for an option; no letter is as large. */
#define FOUND_BASE 256

/* struct place - an option: its row, and the offset to which that refers */
struct place {
	const struct option_row *row;
	size_t at;
	bool is_old;
};

/* struct arrays - tables as getopt_long() needs them; @places has the options in the same order */
struct arrays {
	struct option longs[OPTION_ROWS_MAX + 1];
	struct place places[OPTION_ROWS_MAX];
	char letters[2 * OPTION_ROWS_MAX + 2];
	int nr;
};

const char *option_wrong(const char *format, ...)
{
	static char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return text;
}

static int value_kind(const struct option_row *row)
{
	return !row->value ? no_argument : *row->value == '[' ? optional_argument :
	       required_argument;
}

static void add_name(struct arrays *a, const char *name, const struct place *place)
{
	assert(a->nr < OPTION_ROWS_MAX);
	a->longs[a->nr] = (struct option) { name, value_kind(place->row), NULL,
					    FOUND_BASE + a->nr };
	a->places[a->nr++] = *place;
}

static void add_rows(struct arrays *a, const struct option_set *set)
{
	char *letter = a->letters + strlen(a->letters);

	for (const struct option_row *row = set->rows; row->name || row->help; row++) {
		if (!row->name)
			continue;
		add_name(a, row->name, &(struct place) { row, set->at, false });
		if (row->old)
			add_name(a, row->old, &(struct place) { row, set->at, true });
		if (!row->letter)
			continue;
		*letter++ = row->letter;
		if (row->value)
			*letter++ = ':';
	}
	*letter = '\0';
}

static const struct place *find(const struct arrays *a, int found)
{
	if (found >= FOUND_BASE)
		return &a->places[found - FOUND_BASE];
	for (int i = 0; i < a->nr; i++)
		if (a->places[i].row->letter && a->places[i].row->letter == found)
			return &a->places[i];
	return NULL;
}

/* Suggests a name for an unknown long option, after getopt's message. */
static void suggest(const struct arrays *a, const char *word, void (*complain)(const char *text))
{
	struct ktrace_nearest near;
	char name[KTRACE_NEAREST_MAX];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	ktrace_nearest_init(&near, name);
	for (int i = 0; i < a->nr; i++)
		if (!a->places[i].is_old)
			ktrace_nearest_try(&near, a->longs[i].name);
	if (*near.name)
		complain(option_wrong("did you mean '--%s'?", near.name));
}

static void complain_about(const struct arrays *a, char **argv, void (*complain)(const char *text))
{
	char fault[3];

	if (!opterr)
		complain(option_wrong(OPTION_FAULT,
				      option_at_fault(optopt, fault, argv[optind - 1])));
	else if (!optopt && !strncmp(argv[optind - 1], "--", 2))
		suggest(a, argv[optind - 1] + 2, complain);
}

/* Return: 0, OPTIONS_HELP, OPTIONS_VERSION, OPTIONS_WRONG. */
static int take(const struct option_parser *p, const struct place *place, void *to)
{
	const struct option_row *row = place->row;
	char *base = (char *)to + place->at;
	const char *wrong;

	if (!strcmp(row->name, "help"))
		return OPTIONS_HELP;
	if (!strcmp(row->name, "version"))
		return OPTIONS_VERSION;
	if (place->is_old)
		p->complain(option_wrong("--%s is deprecated, use --%s", row->old, row->name));
	if (row->flag)
		*(bool *)(base + row->flag - 1) = true;
	if (row->text)
		*(const char **)(base + row->text - 1) = optarg;
	wrong = row->set ? row->set(base, optarg) : NULL;
	if (wrong) {
		p->complain(wrong);
		return OPTIONS_WRONG;
	}
	if (p->note)
		p->note(to, row, optarg);
	return 0;
}

int option_table_parse(const struct option_parser *p, void *to, int argc, char **argv)
{
	struct arrays a = { .letters = "+" };
	const char *letters = p->stops ? a.letters : a.letters + 1;
	int found, ret = 0;

	for (const struct option_set *set = p->sets; set->rows; set++)
		add_rows(&a, set);
	opterr = option_is_printable(argv);
	while (!ret && (found = getopt_long(argc, argv, letters, a.longs, NULL)) != -1) {
		const struct place *place = find(&a, found);

		if (place) {
			ret = take(p, place, to);
		} else {
			complain_about(&a, argv, p->complain);
			ret = OPTIONS_REFUSED;
		}
	}
	return ret;
}

static void put_row(FILE *to, const struct option_row *row)
{
	const char *line = row->help, *end;
	int n;

	n = row->letter ? fprintf(to, "  -%c, --%s", row->letter, row->name) :
	    fprintf(to, "      --%s", row->name);
	if (row->value)
		n += fprintf(to, "%s%s", *row->value == '[' ? "" : " ", row->value);
	if (n + 1 < HELP_COLUMN)
		fprintf(to, "%*s", HELP_COLUMN - n, "");
	else
		fprintf(to, "\n%*s", HELP_COLUMN, "");
	while ((end = strchr(line, '\n'))) {
		fprintf(to, "%.*s\n%*s", (int)(end - line), line, HELP_COLUMN, "");
		line = end + 1;
	}
	fprintf(to, "%s\n", line);
}

void option_table_help(FILE *to, const struct option_set *sets)
{
	for (; sets->rows; sets++) {
		for (const struct option_row *row = sets->rows; row->help; row++) {
			if (row->name)
				put_row(to, row);
			else
				fputs(row->help, to);
		}
	}
}

const char *option_unreadable(const char *option, const char *path)
{
	return path && access(path, R_OK) ?
	       option_wrong("%s: %s: %s", option, path, strerror(errno)) : NULL;
}
