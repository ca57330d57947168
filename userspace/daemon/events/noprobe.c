// SPDX-License-Identifier: GPL-2.0
/*
 * noprobe.c - explains why the kernel allows no probe on a function
 *
 * The kernel says "Failed to register probe event" for any reason. Finds the reason in the data
 * that the kernel decides by: its symbols, its list of functions that probes themselves need,
 * and the functions that its function tracer can reach.
 */
#include "noprobe.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/nearest.h>

#include "base/lockdown.h"
#include "tracefs.h"

#define BLACKLIST "/sys/kernel/debug/kprobes/blacklist"
#define NAME_SIZE 512

/**
 * struct symbol - a function according to the kernel's symbols
 * @name:	its name
 * @is_there:	a symbol has that name
 * @is_code:	that symbol is a function
 * @address:	its start, 0 = hidden
 * @init_from:	start of code that is freed after booting
 * @init_to:	end of that code
 * @near:	the nearest name
 */
struct symbol {
	char name[NAME_SIZE];
	bool is_there;
	bool is_code;
	unsigned long long address;
	unsigned long long init_from;
	unsigned long long init_to;
	struct ktrace_nearest near;
};

/* Copies the word of the line after @skip words; false if there is none. */
static bool take_word(const char *line, unsigned int skip, char word[NAME_SIZE])
{
	while (skip--) {
		line += strcspn(line, " \t");
		line += strspn(line, " \t");
	}
	snprintf(word, NAME_SIZE, "%.*s", (int)strcspn(line, " \t\n"), line);
	return *word;
}

static void see_symbol(struct symbol *s, unsigned long long address, char type, const char *name)
{
	const bool is_code = strchr("tTwW", type);
	const size_t len = strlen(name), wanted = strlen(s->name);

	if (!strcmp(name, "_sinittext"))
		s->init_from = address;
	if (!strcmp(name, "_einittext"))
		s->init_to = address;
	/* Compares only names of similar length, because there are many. */
	if (is_code && !s->is_there &&
	    (len > wanted ? len - wanted : wanted - len) < s->near.distance)
		ktrace_nearest_try(&s->near, name);
	if (strcmp(name, s->name) || (s->is_code && !is_code))
		return;
	s->is_there = true;
	s->is_code = is_code;
	s->address = address;
}

static void read_symbols(struct symbol *s)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char *line = NULL, *at, name[NAME_SIZE];
	unsigned long long address;
	size_t size = 0;

	/* "ffffffff81000000 T _text" */
	while (f && getline(&line, &size, f) > 0) {
		address = strtoull(line, &at, 16);
		if (*at == ' ' && at[1] && take_word(at + 1, 1, name))
			see_symbol(s, address, at[1], name);
	}
	free(line);
	if (f)
		fclose(f);
}

/* Checks if a list names the function after @skip words of a line: 1, 0, or -1 if unreadable. */
static int is_listed(const char *path, unsigned int skip, const char *function)
{
	FILE *f = fopen(path, "re");
	char *line = NULL, name[NAME_SIZE];
	size_t size = 0;
	int is = 0;

	if (!f)
		return -1;
	while (!is && getline(&line, &size, f) > 0)
		is = take_word(line, skip, name) && !strcmp(name, function);
	free(line);
	fclose(f);
	return is;
}

static bool is_without_tracing(const char *function)
{
	const char *dir = tracefs_dir();
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/available_filter_functions", dir ? dir : "");
	return dir && !is_listed(path, 0, function);
}

/* Returns NULL if the reason is unknown. */
static const char *find_reason(const struct symbol *s)
{
	if (!s->is_there)
		return NULL;
	if (!s->is_code)
		return "this is data, not a function";
	if (s->address && s->address >= s->init_from && s->address < s->init_to)
		return "this code ran at boot only and is no longer in memory";
	if (is_listed(BLACKLIST, 1, s->name) > 0)
		return "the kernel allows no probe in this function, because probes use it "
		       "themselves (" BLACKLIST ")";
	if (is_without_tracing(s->name))
		return "the kernel allows no probe in this function, because it is compiled "
		       "without tracing (notrace)";
	return NULL;
}

void noprobe_why(const char *probe, int error, char *reason, size_t size)
{
	const size_t len = strcspn(probe, "+ ");
	const char *colon = memchr(probe, ':', len), *why;
	const char *name = colon ? colon + 1 : probe;
	struct symbol s = { .is_there = false };

	if (error == -EPERM && lockdown_is_on()) {
		snprintf(reason, size, "%s", LOCKDOWN_WHY);
		return;
	}
	snprintf(s.name, sizeof(s.name), "%.*s", (int)(probe + len - name), name);
	if (isdigit((unsigned char)*s.name)) {
		snprintf(reason, size, "the kernel allows no probe there: %s", strerror(-error));
		return;
	}
	ktrace_nearest_init(&s.near, s.name);
	read_symbols(&s);
	why = find_reason(&s);
	if (why)
		snprintf(reason, size, "%s", why);
	else if (!s.is_there)
		snprintf(reason, size, "the kernel has no such function%s",
			 ktrace_nearest_hint(&s.near));
	else
		snprintf(reason, size, "the kernel allows no probe there: %s", strerror(-error));
}
