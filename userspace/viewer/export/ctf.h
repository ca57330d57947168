/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ctf.h - a folder of the Common Trace Format, version 1.8, being written
 *
 * One stream of packets for each ring of the files, and one clock. An event's class is its type and
 * what there is of it: a payload that ends early, or has a context, has a class of its own with the
 * same name. What classes there are is known at the end, and so "metadata" is written last.
 */
#ifndef VIEWER_EXPORT_CTF_H
#define VIEWER_EXPORT_CTF_H

#include "base/hash_table.h"
#include "export.h"

/**
 * struct ctf_class - layout of an event; what makes it one of its own comes first
 * @type:	its type; NULL: the file does not describe it
 * @first:	its first field, if it is not the type's: its names may depend on the ABI
 * @kinds:	items of its context: bit by enum ktrace_item_kind
 * @kind:	enum ktrace_channel_kind
 * @id:		as in the file
 * @fields:	so many are there; CTF_BYTES: the payload is bytes
 * @is_cut:	of the last of them, an array, not all elements
 * @is_late:	the clock says another time: the true one is with it
 * @number:	in "metadata", + 1
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
 * struct ctf_stream - what is written of a ring
 * @ring:	the ring
 * @number:	its place in the order of streams whose events have the same time
 * @has_packet:	there is a packet before
 * @first:	time of the first event in the packet at hand
 * @last:	and of the last; of the packet before, if there is none
 * @packets:	packets so far
 * @lost:	events lost so far
 * @body:	events of the packet at hand
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
 * @x:		what was asked for
 * @uuid:	of the trace
 * @classes:	of events met
 * @streams:	of all rings, in their order
 * @start:	time at which the clock is 0
 * @last:	time of the event before, and @before its stream's number
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

/* Appends an event at time @time of the clock; its class may be a new one. */
void ctf_put_event(struct ctf *c, struct ctf_stream *s, const struct ktrace_trace_event *e,
		   __u64 time);
/* All of "metadata" */
void ctf_put_metadata(struct ktrace_out *out, const struct ctf *c);

#endif
