/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paje_links.h - which thread let another go on: create and start, unlock and lock, post and wait
 *
 * A trace must not have the beginning of a link without its end. So all is read twice: the
 * first time, each event that may let others go on gets a number, and it is counted how many
 * it does; the second time, as many links begin there.
 */
#ifndef VIEWER_EXPORT_PAJE_LINKS_H
#define VIEWER_EXPORT_PAJE_LINKS_H

#include "base/hash_table.h"

#include <stdbool.h>

#define PAJE_SOURCES 8u

/**
 * struct paje_source - what may let a thread go on
 * @time:	when
 * @number:	of all of them, from 0
 * @used:	links that have ended so far
 * @thread:	that did it: serial
 * @is_many:	all that wait then go on, not one of them
 * @is_only:	those before it let nobody go on any more
 * @is_shown:	links begin here
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

/* struct paje_sources - those of one place (object, creation, thread), oldest first */
struct paje_sources {
	__u64 place;
	__u32 nr;
	struct paje_source at[PAJE_SOURCES];
};

/**
 * struct paje_links - all links
 * @places:	of struct paje_sources
 * @nr:		sources so far
 * @ends:	of each, how many links end that begin there
 * @cap:	room in @ends
 * @is_second:	@ends is known
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
/* From the beginning again. */
void paje_links_again(struct paje_links *l);
/*
 * @source is the latest of @place; it is given a number.
 * Return: how many links begin there, in the second reading; -ENOMEM.
 */
__s64 paje_links_begin(struct paje_links *l, __u64 place, struct paje_source *source);
/*
 * What let @thread go on, which had waited for @place since @since, into @source; is_wanted if a
 * link is to end here. Return: whether one does; @used counts those before it.
 */
bool paje_links_end(struct paje_links *l, __u64 place, __u32 thread, __u64 since, bool is_wanted,
		    struct paje_source *source);
/* One of @place was used by a thread that had not waited. */
void paje_links_use(struct paje_links *l, __u64 place);

#endif
