// SPDX-License-Identifier: GPL-2.0
/*
 * seen.c - files that ktrace load --follow does not look at again
 *
 * Names of files that were removed are forgotten, so that memory does not grow for ever.
 */
#include "seen.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/**
 * struct seen_file - a file
 * @path:	its name, allocated
 * @next:	in the list
 * @look:	number of the last look that found it
 * @is_kept:	it was not loaded
 * @st:		what it was then
 */
struct seen_file {
	char *path;
	struct seen_file *next;
	unsigned int look;
	bool is_kept;
	struct stat st;
};

static int compare(const void *a, const void *b)
{
	const struct seen_file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static bool has_changed(const struct seen_file *file)
{
	const struct stat *a = &file->st;
	struct stat b;

	if (!file->is_kept)
		return false;
	if (stat(file->path, &b))
		memset(&b, 0, sizeof(b));
	return a->st_ino != b.st_ino || a->st_dev != b.st_dev || a->st_size != b.st_size ||
	       timespec_ns(&a->st_mtim) != timespec_ns(&b.st_mtim);
}

/* Removes the file at @at of the list. */
static void forget(struct seen *s, struct seen_file **at)
{
	struct seen_file *file = *at;

	*at = file->next;
	tdelete(file, &s->root, compare);
	free(file->path);
	free(file);
}

void seen_begin(struct seen *s)
{
	s->look++;
}

enum seen_state seen_find(struct seen *s, const char *path)
{
	const struct seen_file key = { .path = (char *)path };
	void *node = tfind(&key, &s->root, compare);
	struct seen_file *file = node ? *(struct seen_file **)node : NULL, **at = &s->list;

	if (!file)
		return SEEN_NEW;
	file->look = s->look;
	if (!has_changed(file))
		return file->is_kept ? SEEN_KEPT : SEEN_LOADED;
	while (*at != file)
		at = &(*at)->next;
	forget(s, at);
	return SEEN_CHANGED;
}

void seen_add(struct seen *s, const char *path, const struct stat *kept)
{
	struct seen_file *file = malloc(sizeof(*file));
	void *node;

	if (!file)
		return;
	*file = (struct seen_file){
		.path = strdup(path), .next = s->list, .look = s->look, .is_kept = kept,
	};
	if (kept)
		file->st = *kept;
	node = file->path ? tsearch(file, &s->root, compare) : NULL;
	if (node && *(struct seen_file **)node == file) {
		s->list = file;
		return;
	}
	free(file->path);
	free(file);
}

unsigned int seen_end(struct seen *s)
{
	struct seen_file **at = &s->list;
	unsigned int nr = 0;

	while (*at) {
		if ((*at)->look == s->look) {
			at = &(*at)->next;
			continue;
		}
		nr += (*at)->is_kept && !(*at)->st.st_ino;
		forget(s, at);
	}
	return nr;
}

void seen_free(struct seen *s)
{
	while (s->list)
		forget(s, &s->list);
}
