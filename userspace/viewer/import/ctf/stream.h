/* SPDX-License-Identifier: GPL-2.0 */
/* stream.h - reads the packets and events of a CTF data stream */
#ifndef VIEWER_IMPORT_CTF_STREAM_H
#define VIEWER_IMPORT_CTF_STREAM_H

#include "decode.h"

/**
 * struct ctf_trace - a folder with a file "metadata"
 * @folder:	its path
 * @schema:	what the metadata says
 * @is_damaged:	something was left out, as reported
 * @next:	next trace
 */
struct ctf_trace {
	char *folder;
	struct ctf_schema schema;
	bool is_damaged;
	struct ctf_trace *next;
};

/** enum ctf_message - what ctf_stream_next() has found */
enum ctf_message {
	CTF_EVENT,
	CTF_LOST_EVENTS,
	CTF_LOST_PACKETS,
	CTF_LOST_DAMAGED,
	CTF_END,
};

/**
 * struct ctf_file - a file of a stream
 * @path:	its path
 * @data:	its bytes
 * @size:	number of bytes
 * @class:	number of its type of streams
 * @stream:	number of its stream
 * @has_stream:	the stream has a number: others of it are the same stream
 * @begin:	clock at its first packet
 * @trace:	its trace: several folders can be parts of one recording
 */
struct ctf_file {
	struct ctf_trace *trace;
	char *path;
	const unsigned char *data;
	__u64 size;
	__u64 class;
	__u64 stream;
	bool has_stream;
	__u64 begin;
};

/**
 * struct ctf_stream - a stream: one file, or several that follow each other
 * @trace:	trace of the current file
 * @class:	its type, NULL = none before its first packet
 * @files:	its files in order of time
 * @file:	number of the current one
 * @packet:	offset of the current packet
 * @packet_end:	offset of the next packet, 0 = unknown
 * @at:		offset of the current event
 * @cursor:	place in the current packet, and its values
 * @message:	what was found
 * @event:	CTF_EVENT: its type
 * @time:	value of the clock
 * @count:	number of lost events or packets
 */
struct ctf_stream {
	struct ctf_trace *trace;
	const struct ctf_stream_class *class;
	struct ctf_file *files;
	size_t file_nr;
	size_t file;
	__u64 packet;
	__u64 packet_end;
	__u64 at;
	struct ctf_cursor cursor;
	enum ctf_message message;
	const struct ctf_event_class *event;
	__u64 time;
	__u64 count;

	/* Private: packets and files before, losses and faults to tell, stamps that went back */
	struct ctf_arena packet_values;
	struct ctf_arena event_values;
	bool is_open;
	__u64 content;
	bool has_sequence;
	bool has_end_time;
	__u64 sequence;
	__u64 discarded;
	__u64 end_time;
	__u64 lost_events;
	__u64 lost_packets;
	__u64 damaged;
	__u64 faults;
	__u64 done;
	bool has_time;
	__u64 last_time;
	__u64 backwards;
	__u64 backwards_at;
	const char *backwards_path;
};

/**
 * ctf_stream_probe - read the first packet of a file, to learn which stream it is of
 *
 * Return: false if there is none.
 */
bool ctf_stream_probe(struct ctf_file *file);

/**
 * ctf_stream_next - go to the next event or loss
 *
 * Reports damage with its place, and goes on with the next packet if its place is known.
 */
void ctf_stream_next(struct ctf_stream *s);

/** ctf_stream_read - bytes of the stream that were read so far */
__u64 ctf_stream_read(const struct ctf_stream *s);

/** ctf_stream_exit - free what reading needed */
void ctf_stream_exit(struct ctf_stream *s);

#endif
