// SPDX-License-Identifier: GPL-2.0
/*
 * functions.c - finds the kernel functions that a pattern matches and that can be probed
 *
 * The kernel has three lists: all its symbols, the functions that its function tracer reaches,
 * and those that probes themselves need. The second list approximates what can be probed; the
 * kernel reports the remaining exceptions when a probe is created.
 */
#include "functions.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "tracefs.h"

#define BARRED "/sys/kernel/debug/kprobes/blacklist"
#define NAME_SIZE 512

/* struct names - a list of names, sorted once it is complete */
struct names {
	char **list;
	size_t nr;
	size_t cap;
};

static int add(struct names *n, const char *name)
{
	if (!LIST_GROW(n->list, n->nr, n->cap))
		return -ENOMEM;
	n->list[n->nr] = strdup(name);
	return n->list[n->nr] ? (n->nr++, 0) : -ENOMEM;
}

static void free_names(struct names *n)
{
	while (n->nr)
		free(n->list[--n->nr]);
	free(n->list);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort(struct names *n)
{
	if (n->nr)
		qsort(n->list, n->nr, sizeof(*n->list), compare);
}

static bool has(const struct names *n, const char *name)
{
	return n->nr && bsearch(&name, n->list, n->nr, sizeof(*n->list), compare);
}

/* Copies a word that ends at one of @ends; returns its end. */
static const char *take_word(const char *at, const char *ends, char word[NAME_SIZE])
{
	const size_t n = strcspn(at, ends), len = n < NAME_SIZE ? n : NAME_SIZE - 1;

	memcpy(word, at, len);
	word[len] = '\0';
	return at + n;
}

/* Splits a line of a list: the name is word @skip, and "[MODULE]" may follow it. */
static void take_name(const char *line, unsigned int skip, const char *pattern, size_t literal,
		      char *name, char *module)
{
	*name = *module = '\0';
	while (skip--) {
		line += strcspn(line, " \t");
		line += strspn(line, " \t");
	}
	/* Skips most lines early: their names do not begin like the pattern. */
	if (strncmp(line, pattern, literal))
		return;
	line = take_word(line, " \t\n", name);
	line += strspn(line, " \t");
	if (*line == '[')
		take_word(line + 1, "]\n", module);
}

/* True for names that compilers and the kernel give to parts of functions and to padding. */
static bool is_part(const char *name)
{
	return strstr(name, ".cold") || !strncmp(name, "__pfx_", 6) ||
	       !strncmp(name, "__cfi_", 6);
}

/* Adds the names of a list that the pattern matches. @is_code: only symbols that are code */
static int read_list(const char *path, unsigned int skip, bool is_code, const char *pattern,
		     struct names *n)
{
	char name[NAME_SIZE], module[NAME_SIZE], full[2 * NAME_SIZE];
	const bool has_module = strchr(pattern, ':');
	const size_t literal = has_module ? 0 : strcspn(pattern, "*?[\\");
	FILE *f = fopen(path, "re");
	char *line = NULL, *blank;
	size_t size = 0;
	int error = 0;

	if (!f)
		return -errno;
	while (!error && getline(&line, &size, f) > 0) {
		blank = is_code ? strchr(line, ' ') : NULL;
		if (is_code && (!blank || !blank[1] || !strchr("tTwW", blank[1])))
			continue;
		take_name(line, skip, pattern, literal, name, module);
		if (!*name || (has_module && !*module) || is_part(name))
			continue;
		snprintf(full, sizeof(full), "%s%s%s", has_module ? module : "",
			 has_module ? ":" : "", name);
		if (!fnmatch(pattern, full, 0))
			error = add(n, full);
	}
	free(line);
	fclose(f);
	sort(n);
	return error;
}

static int read_reached(const char *pattern, struct names *n)
{
	const char *dir = tracefs_dir();
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/available_filter_functions", dir ? dir : "");
	return read_list(path, 0, false, pattern, n);
}

static void bar(struct functions *f, const char *name)
{
	if (!f->barred++)
		snprintf(f->example, sizeof(f->example), "%s", name);
}

/* True if the name at @i occurs more than once: equal names are neighbours. */
static bool is_ambiguous(const struct names *n, size_t i)
{
	return (i && !strcmp(n->list[i], n->list[i - 1])) ||
	       (i + 1 < n->nr && !strcmp(n->list[i], n->list[i + 1]));
}

/* Divides all functions into those that can be probed and those that cannot. */
static int divide(struct functions *f, const struct names *all, const struct names *reached,
		  const struct names *barred)
{
	struct names names = { 0 };
	int error = 0;
	size_t i;

	for (i = 0; i < all->nr && !error; i++) {
		const char *name = all->list[i];

		if (is_ambiguous(all, i) || has(barred, name) || (reached && !has(reached, name)))
			bar(f, name);
		else
			error = add(&names, name);
	}
	f->names = names.list;
	f->nr = names.nr;
	return error;
}

int functions_find(const char *pattern, struct functions *f)
{
	struct names all = { 0 }, reached = { 0 }, barred = { 0 };
	int error, lacks;

	*f = (struct functions){ 0 };
	error = read_list("/proc/kallsyms", 2, true, pattern, &all);
	lacks = error ? error : read_reached(pattern, &reached);
	if (!error && lacks != -ENOMEM)
		error = read_list(BARRED, 1, false, pattern, &barred);
	/* Without this list, the kernel refuses each such function when it is probed. */
	if (error != -ENOMEM && all.nr)
		error = divide(f, &all, lacks ? NULL : &reached, &barred);
	free_names(&all);
	free_names(&reached);
	free_names(&barred);
	if (error == -ENOMEM)
		functions_free(f);
	return error == -ENOMEM ? error : 0;
}

void functions_free(struct functions *f)
{
	while (f->nr)
		free(f->names[--f->nr]);
	free(f->names);
	f->names = NULL;
}
