/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ctf.h - writes a folder of the Common Trace Format, version 1.8
 *
 * Writes one stream of packets per ring, with one clock for all. The class of an event depends on
 * its type and on its contents: truncated payloads, and each set of context items, have classes of
 * their own with the same name. As all classes are known only at the end, "metadata" is written
 * last.
 */
#ifndef VIEWER_EXPORT_CTF_H
#define VIEWER_EXPORT_CTF_H

#include "base/hash_table.h"
#include "export.h"

/**
 * struct ctf_class - layout of an event; members up to @is_late are the key
 * @type:	its type; NULL: the file does not describe it
 * @first:	its first field, if not the type's: names of its values may depend on the ABI
 * @kinds:	kinds of its context items: a bit per enum ktrace_item_kind
 * @kind:	enum ktrace_channel_kind
 * @id:		id in the file
 * @fields:	number of fields present; CTF_BYTES: the payload is bytes
 * @is_cut:	the last field is an array with elements missing
 * @is_late:	its stamp is not its true time, which is stored in addition
 * @number:	number in "metadata", + 1
 */
struct ctf_class {
	const struct ktrace_event_type *type;
	const struct ktrace_field *first;
	__u64 kinds;
	__u32 kind;
	__u32 id;
	__u32 fields;
	__u16 is_cut;
	__u16 is_late;
	__u32 number;
};

#define CTF_BYTES (~0u)

/**
 * struct ctf_stream - the output stream of a ring
 * @ring:	the ring
 * @number:	number of the stream, which orders events with the same time
 * @has_packet:	a packet has been written
 * @first:	time of the first event in the current packet
 * @last:	time of the last one; if empty, of the previous packet's last
 * @packets:	packets so far
 * @lost:	events lost so far
 * @body:	events of the current packet
 */
struct ctf_stream {
	const struct ktrace_trace_stream *ring;
	__u32 number;
	bool has_packet;
	__u64 first;
	__u64 last;
	__u64 packets;
	__u64 lost;
	struct ktrace_out body;
};

/**
 * struct ctf - one run
 * @x:		options and files
 * @uuid:	identifies the trace
 * @classes:	classes of the events written
 * @streams:	streams of all rings, in order
 * @start:	time at which the clock is 0
 * @last:	time of the previous event, and @before the number of its stream
 * @error:	0, -errno
 */
struct ctf {
	struct export *x;
	unsigned char uuid[16];
	struct hash_table classes;
	struct hash_table streams;
	__u64 start;
	__u64 last;
	__u32 before;
	int error;
};

/* Appends an event with clock value @time; adds its class if it is new. */
void ctf_put_event(struct ctf *c, struct ctf_stream *s, const struct ktrace_trace_event *e,
		   __u64 time);
/* Writes all of "metadata". */
void ctf_put_metadata(struct ktrace_out *out, const struct ctf *c);

#endif
