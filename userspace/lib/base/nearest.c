// SPDX-License-Identifier: LGPL-2.1
/* nearest.c - the name nearest to a mistyped one: optimal string alignment */
#include <ktrace/nearest.h>

#include <stdio.h>
#include <string.h>

static unsigned int min(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * Returns the distance of two short names. The table has three rows: of the letter before last, of
 * the last one, and of this one.
 */
static unsigned int distance(const char *a, size_t an, const char *b, size_t bn)
{
	unsigned int rows[3][KTRACE_NEAREST_MAX], *before = rows[0], *last = rows[1];
	unsigned int *row = rows[2], *spare;
	size_t i, j;

	for (j = 0; j <= bn; j++)
		last[j] = (unsigned int)j;
	for (i = 1; i <= an; i++) {
		row[0] = (unsigned int)i;
		for (j = 1; j <= bn; j++) {
			row[j] = min(min(last[j], row[j - 1]) + 1,
				     last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = min(row[j], before[j - 2] + 1);
		}
		spare = before;
		before = last;
		last = row;
		row = spare;
	}
	return last[bn];
}

void ktrace_nearest_init(struct ktrace_nearest *n, const char *wanted)
{
	const size_t size = strlen(wanted);

	*n = (struct ktrace_nearest){ .wanted = wanted };
	if (size < KTRACE_NEAREST_MAX)
		n->distance = (size < 6 ? 1 : (unsigned int)size / 3) + 1;
}

void ktrace_nearest_try(struct ktrace_nearest *n, const char *name)
{
	const size_t size = strlen(name);
	size_t family = 0, i;
	unsigned int d;

	if (!n->distance || size >= KTRACE_NEAREST_MAX)
		return;
	d = distance(n->wanted, strlen(n->wanted), name, size);
	for (i = 0; name[i] && name[i] == n->wanted[i]; i++)
		if (name[i] == '.' || name[i] == ':')
			family = i + 1;
	/* A name that shares no letter after its family is not near, however short it is. */
	if (d >= n->distance || d >= size - family)
		return;
	n->distance = d;
	memcpy(n->name, name, size + 1);
}

const char *ktrace_nearest_hint(struct ktrace_nearest *n)
{
	char *c;

	n->hint[0] = '\0';
	if (*n->name)
		snprintf(n->hint, sizeof(n->hint), " (did you mean '%s'?)", n->name);
	for (c = n->hint; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return n->hint;
}
