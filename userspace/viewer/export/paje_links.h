/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paje_links.h - which thread let another go on: create and start, unlock and lock, post and wait
 *
 * A trace must not contain the beginning of a link without its end. So the files are read twice:
 * the first reading numbers each event that may let others go on, and counts those it did; the
 * second one begins that many links there.
 */
#ifndef VIEWER_EXPORT_PAJE_LINKS_H
#define VIEWER_EXPORT_PAJE_LINKS_H

#include "base/hash_table.h"

#include <stdbool.h>

#define PAJE_SOURCES 8u

/**
 * struct paje_source - an event that may let threads go on
 * @time:	its time
 * @number:	its number among all sources, from 0
 * @used:	links from it that have ended so far
 * @thread:	serial number of the thread that did it
 * @is_many:	lets all waiting threads go on, not only one
 * @is_only:	replaces all earlier sources of its place
 * @is_shown:	links may begin here
 */
struct paje_source {
	__u64 time;
	__u64 number;
	__u32 used;
	__u32 thread;
	bool is_many;
	bool is_only;
	bool is_shown;
};

/* struct paje_sources - sources of one place (object, creation, thread), oldest first */
struct paje_sources {
	__u64 place;
	__u32 nr;
	struct paje_source at[PAJE_SOURCES];
};

/**
 * struct paje_links - the links of all places
 * @places:	table of struct paje_sources
 * @nr:		number of sources so far
 * @ends:	by source, number of links from it that end
 * @cap:	room in @ends
 * @is_second:	second reading: @ends is complete
 */
struct paje_links {
	struct hash_table places;
	__u64 nr;
	__u32 *ends;
	__u64 cap;
	bool is_second;
};

void paje_links_init(struct paje_links *l);
void paje_links_free(struct paje_links *l);
/* Starts the second reading. */
void paje_links_again(struct paje_links *l);
/*
 * Adds @source as the latest of @place and numbers it.
 * Return: number of links that begin there, in the second reading; -ENOMEM.
 */
__s64 paje_links_begin(struct paje_links *l, __u64 place, struct paje_source *source);
/*
 * Finds the source that let @thread go on, which had waited for @place since @since; @is_wanted: a
 * link may end here. Return: true if a link ends here; @used of @source counts the links ended
 * before.
 */
bool paje_links_end(struct paje_links *l, __u64 place, __u32 thread, __u64 since, bool is_wanted,
		    struct paje_source *source);
/* Uses up a source of @place for a thread that did not have to wait. */
void paje_links_use(struct paje_links *l, __u64 place);

#endif
