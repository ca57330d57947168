/* SPDX-License-Identifier: GPL-2.0 */
/* input.h - finds CTF traces and merges their streams by time */
#ifndef VIEWER_IMPORT_CTF_INPUT_H
#define VIEWER_IMPORT_CTF_INPUT_H

#include "stream.h"

/**
 * struct ctf_lane - a stream, and its place in the order of all
 * @stream:	the stream
 * @ns:		time of its current message, which never goes back
 * @nr:		orders streams with the same time
 */
struct ctf_lane {
	struct ctf_stream stream;
	__s64 ns;
	size_t nr;
};

/**
 * struct ctf_input - all that is read
 * @traces:	the traces, the last one first
 * @files:	all files of streams
 * @file_nr:	number of @files
 * @lanes:	all streams
 * @lane_nr:	number of @lanes
 * @heap:	streams that have not ended, the one with the earliest message first
 * @heap_nr:	number of @heap
 * @bytes:	size of all files
 * @read:	bytes read so far
 * @is_damaged:	a trace is left out
 */
struct ctf_input {
	struct ctf_trace *traces;
	struct ctf_file *files;
	size_t file_nr;
	struct ctf_lane *lanes;
	size_t lane_nr;
	struct ctf_lane **heap;
	size_t heap_nr;
	__u64 bytes;
	__u64 read;
	bool is_damaged;
};

/**
 * ctf_input_add - find all traces in a folder
 *
 * Return: false, after a message, if there is none that can be read.
 */
bool ctf_input_add(struct ctf_input *in, const char *path);
/** ctf_input_begin - make streams of the files, and read their first messages; false: no memory */
bool ctf_input_begin(struct ctf_input *in);
/** ctf_input_now - stream with the earliest message, NULL = all have ended */
struct ctf_stream *ctf_input_now(const struct ctf_input *in);
/** ctf_input_next - go on in the stream of ctf_input_now() */
void ctf_input_next(struct ctf_input *in);
/** ctf_input_is_damaged - true if something was left out, as reported */
bool ctf_input_is_damaged(const struct ctf_input *in);
/** ctf_input_exit - free everything */
void ctf_input_exit(struct ctf_input *in);

#endif
