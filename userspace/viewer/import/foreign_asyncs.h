/* SPDX-License-Identifier: GPL-2.0 */
/*
 * foreign_asyncs.h - tracks of asynchronous events
 *
 * Events with the same id, and category or name, are nested, so they get a track of their own. Once
 * nothing is open on it, another id of the same kind reuses it.
 */
#ifndef VIEWER_IMPORT_FOREIGN_ASYNCS_H
#define VIEWER_IMPORT_FOREIGN_ASYNCS_H

#include "foreign_threads.h"

/**
 * struct async_key - identifies asynchronous events that belong together
 * @pid:	process that the id belongs to, 0 = all
 * @id:		number, or digest of text
 * @kind:	digest of what else distinguishes ids: category or name, scope
 */
struct async_key {
	__s64 pid;
	__u64 id;
	__u64 kind;
};

/**
 * struct foreign_asyncs - ids and tracks
 * @ids:	by struct async_key: its track, while something is open
 * @lanes:	by process and kind: free tracks
 * @made:	number of tracks so far
 */
struct foreign_asyncs {
	struct hash_table ids;
	struct hash_table lanes;
	__u64 made;
};

void asyncs_init(struct foreign_asyncs *a);
void asyncs_free(struct foreign_asyncs *a);
/*
 * Returns the track for the next event, of process @pid and named @name if new; NULL: out of memory
 */
struct foreign_thread *asyncs_track(struct foreign_asyncs *a, struct foreign_threads *t,
				   const struct async_key *key, __s64 pid, const char *name);
/* Called after that event; frees the track if nothing is open on it. Return: 0, -ENOMEM. */
int asyncs_done(struct foreign_asyncs *a, const struct async_key *key,
		const struct foreign_thread *track);

#endif
