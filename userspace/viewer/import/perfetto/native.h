/* SPDX-License-Identifier: GPL-2.0 */
/*
 * native.h - recordings of ktrace among the packets of a trace
 *
 * ktrace session produce sends each part of its recording as events that others understand, and
 * then as it is, in pieces. Of a part that has come whole the former are left out, as it is merged
 * with all else; of one that is not, they are all that there is.
 */
#ifndef VIEWER_IMPORT_PERFETTO_NATIVE_H
#define VIEWER_IMPORT_PERFETTO_NATIVE_H

#include "base/hash_table.h"
#include "packets.h"

#include "perfetto.pb-c.h"

#include <ktrace/traceset.h>

/**
 * struct natives - parts by writer and number
 * @parts:	rows
 * @files:	open for them
 * @whole:	how many have come whole, and are of one boot
 * @boot:	of which
 * @host:	name of the machine
 * @left:	bytes that pieces may have yet
 */
struct natives {
	struct hash_table parts;
	size_t files;
	size_t whole;
	char boot[64];
	char host[64];
	__u64 left;
};

/* @most: bytes of all pieces */
void natives_init(struct natives *n, __u64 most);
/* Takes in what a packet's field says of a part, perhaps a piece of it. Return: 0, -errno. */
int natives_take(struct natives *n, const struct packet_field *f, __u32 sequence);
/* All have come: finds out which boot they are of. */
void natives_end(struct natives *n);
/* From now on they are as if there were none. */
void natives_drop(struct natives *n);
/* Is what the packet says in a part that is merged, or a piece of one? */
bool natives_have(const struct natives *n, const Perfetto__Protos__TracePacket *p);
/* Their names, and before them @first; to be freed. NULL: no memory */
char **natives_paths(const struct natives *n, const char *first);
void natives_free(struct natives *n);

#endif
