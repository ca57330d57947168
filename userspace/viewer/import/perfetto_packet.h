/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfetto_packet.h - the packet that an event was made from, after the event's last field
 *
 * ktrace import --from perfetto stores it where only code that knows it looks, so that ktrace
 * export --to perfetto writes the same packets in the same order. Of the events of one packet only
 * the first has it.
 */
#ifndef VIEWER_IMPORT_PERFETTO_PACKET_H
#define VIEWER_IMPORT_PERFETTO_PACKET_H

#include <linux/types.h>

#define PERFETTO_PACKET_MAGIC 0x54504650u
/* Recording tool of such a trace in its metadata */
#define PERFETTO_PACKET_TOOL "perfetto"

/**
 * struct perfetto_packet - header in front of the packet's bytes
 * @magic:	PERFETTO_PACKET_MAGIC
 * @size:	bytes of the packet
 * @number:	its place in the trace
 */
struct perfetto_packet {
	__u32 magic;
	__u32 size;
	__u64 number;
};

#endif
