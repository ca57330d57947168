/* SPDX-License-Identifier: LGPL-2.1 */
/* readahead.h - a second thread loads the sections that will be read next */
#ifndef KTRACE_TRACESET_READAHEAD_H
#define KTRACE_TRACESET_READAHEAD_H

#include <ktrace/traceset.h>

#include "tracefile/read.h"

struct entry;
struct stream;

#define AHEAD_MAX 8u

/**
 * enum slot_state - which thread may touch a slot's section, and which changes the state under the
 * lock
 *
 *            reader                helper                helper
 *   SLOT_FREE ----> SLOT_WANTED ---------> SLOT_BUSY -----------> SLOT_DONE
 *       ^               |  reader, itself                             |
 *       +---------------+------------------------------------<--------+ reader
 *
 * In SLOT_BUSY the helper may touch the section, else the reader.
 */
enum slot_state { SLOT_FREE, SLOT_WANTED, SLOT_BUSY, SLOT_DONE };

/**
 * struct slot - a section being loaded
 * @state:	under the lock, like the next two
 * @is_queued:	in the helper's queue, perhaps no longer wanted
 * @next:	in the queue
 * @reader:	file and size at the time of the request
 * @offset:	of the section in the file
 * @end:	that it must not exceed
 * @buf:	the section, once it is loaded
 * @error:	result of loading it
 */
struct slot {
	enum slot_state state;
	bool is_queued;
	struct slot *next;
	struct reader reader;
	__u64 offset;
	__u64 end;
	struct section_buf buf;
	int error;
};

/**
 * struct lane - sections of a stream that are loaded ahead; used only by the reader
 * @slots:	a ring of them
 * @first:	the one that is read next
 * @nr:		number of slots wanted or loaded
 * @entry:	the section to request next
 */
struct lane {
	struct slot slots[AHEAD_MAX];
	__u32 first;
	__u32 nr;
	size_t entry;
};

struct ahead;

int ktrace_readahead_new(enum ktrace_cores cores, struct ahead **out);
void ktrace_readahead_stop(struct ahead *a);
void ktrace_readahead_free(struct ahead *a);
void ktrace_readahead_free_lane(struct lane *lane);
int ktrace_readahead_load(struct stream *s, const struct entry *e);
void ktrace_readahead_want(struct stream *s);
void ktrace_readahead_share(struct ahead *a, size_t nr);
void ktrace_readahead_turn(struct ahead *a);

#endif
