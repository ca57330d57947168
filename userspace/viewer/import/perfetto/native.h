/* SPDX-License-Identifier: GPL-2.0 */
/*
 * native.h - recordings of ktrace found in the packets of a trace
 *
 * ktrace session produce sends each part of its recording first as events that any reader
 * understands, then the tracefile in pieces. If all pieces of a part have arrived, its events are
 * ignored and the part is merged; otherwise they are all that is left of it.
 */
#ifndef VIEWER_IMPORT_PERFETTO_NATIVE_H
#define VIEWER_IMPORT_PERFETTO_NATIVE_H

#include "base/hash_table.h"
#include "packets.h"

#include "perfetto.pb-c.h"

#include <ktrace/traceset.h>

/**
 * struct natives - parts by writer and number
 * @parts:	table of parts
 * @files:	number of files open for them
 * @whole:	number of complete parts, all of one boot
 * @boot:	id of that boot
 * @host:	name of the machine
 * @left:	bytes that further pieces may have
 */
struct natives {
	struct hash_table parts;
	size_t files;
	size_t whole;
	char boot[64];
	char host[64];
	__u64 left;
};

/* @most: limit on the bytes of all pieces */
void natives_init(struct natives *n, __u64 most);
/* Reads a packet's field about a part, perhaps with a piece. Return: 0, -errno. */
int natives_take(struct natives *n, const struct packet_field *f, __u32 sequence);
/* Called after all pieces: checks which parts are complete and of one boot. */
void natives_end(struct natives *n);
/* Ignores all parts from now on. */
void natives_drop(struct natives *n);
/* True if the packet is a piece, or belongs to a part that is merged. */
bool natives_have(const struct natives *n, const Perfetto__Protos__TracePacket *p);
/* True if all recordings of a writer are complete, and there is one. */
bool natives_are_whole(const struct natives *n, __u32 sequence);
/* Returns the paths of all parts, with @first in front; to be freed. NULL: out of memory */
char **natives_paths(const struct natives *n, const char *first);
void natives_free(struct natives *n);

#endif
