/* SPDX-License-Identifier: GPL-2.0 */
/* seen.h - files that ktrace load --follow does not look at again */
#ifndef VIEWER_FLEET_LOAD_SEEN_H
#define VIEWER_FLEET_LOAD_SEEN_H

#include <stdbool.h>
#include <sys/stat.h>

/**
 * struct seen - names of files, in a tree for tsearch(3) and a list
 * @root:	the tree
 * @list:	the list
 * @look:	number of looks at the folder so far
 */
struct seen {
	void *root;
	struct seen_file *list;
	unsigned int look;
};

/* SEEN_KEPT: not all of it was loaded; SEEN_CHANGED: so it was, and then it changed */
enum seen_state { SEEN_NEW, SEEN_LOADED, SEEN_KEPT, SEEN_CHANGED };

/* Begins to look at all files. */
void seen_begin(struct seen *s);
/* Looks for a file; one that has changed is forgotten. */
enum seen_state seen_find(struct seen *s, const char *path);
/*
 * Adds a file. @kept: it was not loaded when it was like this, so it may change; NULL = it was
 * loaded. Without memory, it stays new.
 */
void seen_add(struct seen *s, const char *path, const struct stat *kept);
/*
 * Ends a look at all files: forgets those that it did not find. Returns how many of these were kept
 * and never existed: names of recordings whose parts came later.
 */
unsigned int seen_end(struct seen *s);
void seen_free(struct seen *s);

#endif
