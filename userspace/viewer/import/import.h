/* SPDX-License-Identifier: GPL-2.0 */
/* import.h - formats of other tools, as ktrace import reads them: one row and one file each */
#ifndef VIEWER_IMPORT_IMPORT_H
#define VIEWER_IMPORT_IMPORT_H

#include "base/viewer.h"

struct import_writer;

/**
 * struct import - one run of the command
 * @format:	what is read
 * @path:	the tracefile
 * @writes:	where it is written until it is whole
 * @level:	how its blocks are compressed
 * @ticks:	shark: of a millisecond
 * @is_raw:	shark: a tick is to be a nanosecond
 * @offset_ns:	added to times that do not say what they count from
 * @has_offset:	--offset
 * @like:	a tracefile of the same boot, whose clock is that of the input; NULL = none
 * @is_json:	one object
 * @events:	written
 * @lost:	that were lost, as the input says
 * @skipped:	left out, as they cannot be described
 */
struct import {
	const struct import_format *format;
	const char *path;
	const char *writes;
	int level;
	__u64 ticks;
	bool is_raw;
	__u64 offset_ns;
	bool has_offset;
	const char *like;
	bool is_json;
	__u64 events;
	__u64 lost;
	__u64 skipped;
};

/**
 * struct import_format - one format
 * @name:	as in --from
 * @convert:	reads the files and writes @writes; returns the exit status, or -errno of what went
 *		wrong with that, -ECANCELED if it has said so. NULL: @program does it
 * @program:	the program that the command hands over to, see command_program()
 * @has_ticks:	--ticks-per-ms and --raw-ticks say what a stamp is; other formats know it
 */
struct import_format {
	const char *name;
	int (*convert)(struct import *x, int nr, char **paths);
	const char *program;
	bool has_ticks;
};

#define IMPORT_NO_CLOCK "does not say what its clock counts from: --like, --offset"

extern const struct import_format import_shark;
extern const struct import_format import_perf;

/* What main() of such a program calls with its own @convert; see struct import_format. */
int import_main(int argc, char **argv, int (*convert)(struct import *x, int nr, char **paths));

/*
 * What converters of import_writer.h begin and end with: -errno is that of the tracefile. The
 * latter takes what the converter returned.
 */
int import_open(struct import *x, struct import_writer **out);
int import_close(struct import *x, struct import_writer *f, int ret);
struct import_writer_event;
/*
 * Puts an event of the type that @desc says. One whose description is too long, or for whose type
 * there is no number left, is left out, which import_close() says. Return: 0, -errno.
 */
int import_event(struct import *x, struct import_writer *f, __u32 kind, const char *desc,
		 struct import_writer_event *e);

/**
 * struct import_clock - how CLOCK_MONOTONIC, or what counts as the input does, becomes time
 * @real_ns:	time since the epoch at 0
 * @boot:	boot id, "" = not known
 * @host:	name of the machine, "" = not known
 */
struct import_clock {
	__u64 real_ns;
	char boot[64];
	char host[64];
};

/* What --like and --offset say; false: nothing. Return: also -errno, which was complained about. */
int import_clock(const struct import *x, struct import_clock *clock);

#endif
