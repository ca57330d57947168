/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfetto_packet.h - the packet an event was made of, behind the event's last field
 *
 * ktrace import --from perfetto leaves it there, where only code that knows of it looks, so
 * that ktrace export --to perfetto gives the same packets in the same order. Of the events of one
 * packet the first has it.
 */
#ifndef VIEWER_IMPORT_PERFETTO_PACKET_H
#define VIEWER_IMPORT_PERFETTO_PACKET_H

#include <linux/types.h>

#define PERFETTO_PACKET_MAGIC 0x54504650u
/* What such a trace is said to be recorded by */
#define PERFETTO_PACKET_TOOL "perfetto"

/**
 * struct perfetto_packet - what is before the bytes of the packet
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
