/* SPDX-License-Identifier: LGPL-2.1 */
/* counts.h - counts the records of a file by stream and type, for its COUNTS section */
#ifndef KTRACE_TRACEFILE_COUNTS_H
#define KTRACE_TRACEFILE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/ktrace_file.h>

/**
 * struct counts - numbers of records; all zero to begin with
 * @is_void:	they are not those of the file: some of it was not counted, or removed
 * @now:	of the current block, by id; NULL = not allocated yet
 * @met:	ids in it
 * @met_nr:	their number
 * @slots:	struct ktrace_count, a hash table; @records 0 = free
 * @nr:		used ones
 * @cap:	size of the table, a power of two
 */
struct counts {
	bool is_void;
	__u32 *now;
	__u16 *met;
	size_t met_nr;
	struct ktrace_count *slots;
	size_t nr;
	size_t cap;
};

/* Adds the records of a BLOCK body. */
void ktrace_counts_block(struct counts *c, __u32 stream, __u64 pos, const void *body, size_t size);
/*
 * Makes the body of a COUNTS section, to be freed. Returns its number of entries, -ENOENT if the
 * counts are void, -ENOMEM.
 */
long ktrace_counts_sorted(const struct counts *c, struct ktrace_count **out);
/* True if the entries are in order, each with a number of records. */
bool ktrace_counts_are_possible(const struct ktrace_count *list, size_t nr);
void ktrace_counts_free(struct counts *c);

#endif
