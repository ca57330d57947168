/* SPDX-License-Identifier: GPL-2.0 */
/* import.h - import formats of ktrace import: one table row and one file each */
#ifndef VIEWER_IMPORT_IMPORT_H
#define VIEWER_IMPORT_IMPORT_H

#include "base/viewer.h"

struct import_writer;

/** IMPORT_MACHINES - machines that a trace may have; more are left out, and told */
#define IMPORT_MACHINES 64u

/**
 * struct import_machine - the tracefile of one of several machines
 * @path:	its name
 * @writes:	name it is written under until all are complete
 * @events:	as in struct import; likewise @lost and @skipped
 */
struct import_machine {
	char *path;
	const char *writes;
	__u64 events;
	__u64 lost;
	__u64 skipped;
};

/**
 * struct import - one run of the command
 * @format:	input format
 * @path:	the tracefile
 * @writes:	name it is written under until it is complete
 * @level:	compression level of its blocks
 * @ticks:	shark: ticks per millisecond
 * @is_raw:	shark: count a tick as a nanosecond
 * @offset_ns:	added to times of an unknown origin
 * @has_offset:	--offset
 * @like:	a tracefile of the same boot, whose clock is that of the input; NULL = none
 * @is_json:	print the result as one JSON object
 * @is_damaged:	an input file could not be uncompressed completely, as already reported
 * @events:	number of events written
 * @lost:	number of lost events according to the input
 * @skipped:	number of events left out because they cannot be described
 * @inputs:	names of the input files, @input_nr of them
 * @machines:	tracefiles of several machines, by import_machine(), instead of @path
 * @machine_nr:	number of @machines
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
	bool is_damaged;
	__u64 events;
	__u64 lost;
	__u64 skipped;
	char **inputs;
	int input_nr;
	struct import_machine *machines[IMPORT_MACHINES];
	__u32 machine_nr;
};

/**
 * struct import_format - one format
 * @name:	name for --from
 * @convert:	reads the files and writes @writes; returns the exit status, or -errno for @writes,
 *		-ECANCELED if already reported. NULL: @program does it
 * @program:	the program that the command hands over to, see command_program()
 * @has_zstd:	@convert reads frames of zstd itself
 * @has_ticks:	stamps need --ticks-per-ms or --raw-ticks; other formats know their unit
 */
struct import_format {
	const char *name;
	int (*convert)(struct import *x, int nr, char **paths);
	const char *program;
	bool has_zstd;
	bool has_ticks;
};

#define IMPORT_NO_CLOCK "does not say what its clock counts from: --like, --offset"

extern const struct import_format import_shark;
extern const struct import_format import_perf;

/* Runs such a program with its @convert, see struct import_format. */
int import_main(int argc, char **argv, int (*convert)(struct import *x, int nr, char **paths));

/**
 * import_machine - add the tracefile of one of several machines, NAME.HOST.bin
 * @x:		the run
 * @host:	name of the machine, "" = unknown
 * @number:	number of the machine, which stands for an unknown name
 * @out:	out: the file, whose counters the caller sets
 *
 * Return: 0, -ENOMEM; -ECANCELED: it cannot be written, as already reported.
 */
int import_machine(struct import *x, const char *host, __u32 number, struct import_machine **out);

/*
 * Begin and end a converter that uses import_writer.h; -errno concerns the tracefile.
 * import_close() takes the result of the converter.
 */
int import_open(struct import *x, struct import_writer **out);
int import_close(struct import *x, struct import_writer *f, int ret);
struct import_writer_event;
/*
 * Writes an event of the type in @desc. Leaves out an event whose description is too long, or for
 * whose type no number is left; import_close() reports them. Return: 0, -errno.
 */
int import_event(struct import *x, struct import_writer *f, __u32 kind, const char *desc,
		 struct import_writer_event *e);

/**
 * struct import_clock - relates CLOCK_MONOTONIC, or the input's clock, to time
 * @real_ns:	time since the epoch when the clock was 0
 * @boot:	boot id, "" = unknown
 * @host:	name of the machine, "" = unknown
 */
struct import_clock {
	__u64 real_ns;
	char boot[64];
	char host[64];
};

/* Reads --like and --offset. Return: 1, 0: neither is given, -errno after reporting the error. */
int import_clock(const struct import *x, struct import_clock *clock);

#endif
