// SPDX-License-Identifier: GPL-2.0
/* foreign_asyncs.c - tracks of asynchronous events */
#include "foreign_asyncs.h"

#include "base/grow.h"

#include <errno.h>
#include <stdio.h>

/* struct async_row - an id, the process that began it, and its track; 0: nothing is open */
struct async_row {
	struct async_key key;
	__s64 pid;
	__u64 track;
};

/* struct lane_row - tracks on which nothing is open */
struct lane_row {
	__s64 pid;
	__u64 kind;
	__u64 *free;
	size_t nr;
	size_t cap;
};

void asyncs_init(struct foreign_asyncs *a)
{
	*a = (struct foreign_asyncs){
		.ids = HASH_TABLE_INIT(struct async_row, key),
		.lanes = HASH_TABLE_INIT(struct lane_row, kind),
	};
}

void asyncs_free(struct foreign_asyncs *a)
{
	hash_table_free(&a->ids);
	hash_table_free_with(&a->lanes, offsetof(struct lane_row, free));
}

static struct lane_row *lane_of(struct foreign_asyncs *a, __s64 pid, __u64 kind)
{
	const struct { __s64 pid; __u64 kind; } lane = { pid, kind };

	return hash_table_get(&a->lanes, &lane);
}

struct foreign_thread *asyncs_track(struct foreign_asyncs *a, struct foreign_threads *t,
				   const struct async_key *key, __s64 pid, const char *name)
{
	struct async_row *row = hash_table_get(&a->ids, key);
	struct lane_row *lane = lane_of(a, pid, key->kind);
	struct foreign_thread *track;
	bool is_new = false;

	if (!row || !lane)
		return NULL;
	if (!row->track) {
		is_new = !lane->nr;
		row->pid = pid;
		row->track = lane->nr ? lane->free[--lane->nr] : ++a->made;
	}
	track = threads_track(t, row->pid, row->track);
	if (track && is_new)
		snprintf(track->comm, sizeof(track->comm), "%.*s", KTRACE_COMM_LEN - 1, name);
	return track;
}

int asyncs_done(struct foreign_asyncs *a, const struct async_key *key,
		const struct foreign_thread *track)
{
	struct async_row *row = hash_table_find(&a->ids, key);
	struct lane_row *lane = row ? lane_of(a, row->pid, key->kind) : NULL;

	if (!lane)
		return -ENOMEM;
	if (track->slices.depth)
		return 0;
	if (!LIST_GROW(lane->free, lane->nr, lane->cap))
		return -ENOMEM;
	lane->free[lane->nr++] = row->track;
	row->track = 0;
	return 0;
}
