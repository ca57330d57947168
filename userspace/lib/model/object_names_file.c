// SPDX-License-Identifier: LGPL-2.1
/* object_names_file.c - reads a file with names of addresses */
#include "object_names_file.h"

#include <errno.h>
#include <linux/ktrace_ring.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n"

/* Cuts off the next word of @rest; empty: there is none. */
static char *take_word(char **rest)
{
	char *word = *rest + strspn(*rest, BLANKS);
	size_t n = strcspn(word, BLANKS);

	*rest = word[n] ? word + n + 1 : word + n;
	word[n] = '\0';
	return word;
}

static bool is_number(const char *word, int base, unsigned long long max, __u64 *value)
{
	char *end;

	errno = 0;
	*value = strtoull(word, &end, base);
	return *word >= '0' && *word <= '9' && !*end && !errno && *value <= max;
}

/* Parses a line that is not empty or a comment. Returns an error message, or NULL. */
static const char *parse(char *text, struct object_name_line *l)
{
	char *rest = text, *word = take_word(&rest);
	__u64 pid = 0;
	size_t n;

	if (strncmp(word, "0x", 2)) {
		if (!is_number(word, 10, KTRACE_TID_MASK, &pid) || !pid)
			return "neither a process id nor an address such as 0x55ae0d796200";
		word = take_word(&rest);
	}
	if (strncmp(word, "0x", 2) || !is_number(word, 16, ~0ull, &l->address))
		return "not an address such as 0x55ae0d796200";
	rest += strspn(rest, BLANKS);
	for (n = strlen(rest); n && strchr(BLANKS, rest[n - 1]); n--)
		rest[n - 1] = '\0';
	if (!n)
		return "no name";
	l->pid = (__u32)pid;
	l->name = rest;
	return NULL;
}

static const char *add(struct object_name_file *f, char *text)
{
	struct object_name_line line, *lines;
	const char *wrong = parse(text, &line);

	if (wrong)
		return wrong;
	lines = realloc(f->lines, (f->nr + 1) * sizeof(*lines));
	if (lines)
		f->lines = lines;
	line.name = strdup(line.name);
	if (!lines || !line.name) {
		free(line.name);
		return "out of memory";
	}
	lines[f->nr++] = line;
	return NULL;
}

const char *object_name_file_read(struct object_name_file *f, const char *path)
{
	static char message[4096];
	FILE *file = fopen(path, "re");
	const char *wrong = NULL;
	char *line = NULL, *text;
	unsigned int number = 0;
	size_t cap = 0;

	while (file && !wrong && getline(&line, &cap, file) > 0) {
		number++;
		text = line + strspn(line, BLANKS);
		if (*text && *text != '#')
			wrong = add(f, text);
	}
	if (wrong)
		snprintf(message, sizeof(message), "%s:%u: %s", path, number, wrong);
	else if (!file || ferror(file))
		snprintf(message, sizeof(message), "%s: %s", path, strerror(errno));
	else
		message[0] = '\0';
	free(line);
	if (file)
		fclose(file);
	return message[0] ? message : NULL;
}

void object_name_file_free(struct object_name_file *f)
{
	while (f->nr)
		free(f->lines[--f->nr].name);
	free(f->lines);
}
