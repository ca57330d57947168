/* SPDX-License-Identifier: GPL-2.0 */
/*
 * file.h - a file of trace-cmd: its header, options, and where its parts are
 *
 * Versions 6 and 7, see trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5). In version 6 the descriptions
 * of events follow each other, then come options and the list of CPUs; version 7 has sections that
 * options point to, each of which may be compressed.
 */
#ifndef VIEWER_IMPORT_TRACE_DAT_FILE_H
#define VIEWER_IMPORT_TRACE_DAT_FILE_H

#include "compress.h"

/** FILE_CPUS - a longer list of CPUs is taken for damage */
#define FILE_CPUS 65536u
/** FILE_SECTIONS - kinds of sections, numbered as the options that point to them */
#define FILE_SECTIONS 26

enum file_section {
	FILE_HEADER_INFO = 16, FILE_FTRACE_EVENTS, FILE_EVENT_FORMATS, FILE_KALLSYMS, FILE_PRINTK,
	FILE_CMDLINES,
};

/**
 * struct file_cpu - recorded data of a CPU
 * @cpu:	its number
 * @offset:	position in the file
 * @size:	bytes there
 */
struct file_cpu {
	__u32 cpu;
	__u64 offset;
	__u64 size;
};

/**
 * struct file_buffer - a ring buffer of ftrace
 * @name:	the instance, "" = the top one
 * @clock:	its clock, NULL = that of the file
 * @offset:	position of its section
 * @page_size:	bytes of a page of it
 * @is_text:	holds the text of a latency tracer
 * @is_packed:	its data is compressed
 * @cpus:	CPUs with data
 * @cpu_nr:	number of them
 */
struct file_buffer {
	const char *name;
	const char *clock;
	__u64 offset;
	__u32 page_size;
	bool is_text;
	bool is_packed;
	struct file_cpu *cpus;
	__u32 cpu_nr;
};

/**
 * struct file_sample - difference between the clocks of a guest and its host at a time
 * @time:	guest's clock
 * @offset:	to be added
 * @scaling:	factor of the guest's clock,
 * @fraction:	shifted right by that
 */
struct file_sample {
	__s64 time;
	__s64 offset;
	__u64 scaling;
	__u64 fraction;
};

/**
 * struct file_shift - the samples of a CPU
 * @samples:	sorted by time
 * @nr:		number of them
 */
struct file_shift {
	struct file_sample *samples;
	__u32 nr;
};

/**
 * struct file - a file that is open
 * @path:	its name
 * @all:	its contents
 * @version:	of its format
 * @long_size:	bytes of a long of the machine's programs
 * @page_size:	bytes of a page of the top buffer
 * @codec:	what compressed parts are compressed with
 * @section:	position of each section, 0 = none
 * @buffers:	all buffers, the top one first
 * @buffer_nr:	number of them
 * @cpu_nr:	number of CPUs of the machine
 * @host:	name of the machine; NULL = unknown, as the next two
 * @kernel:	its release
 * @machine:	its kind
 * @clock:	the clock of stamps; NULL = unknown
 * @has_clock_list: version 6: a list of clocks follows the list of CPUs
 * @writer:	version of trace-cmd
 * @date_ns:	time since the epoch when the clock was 0
 * @has_date:	that is known
 * @offset_ns:	added to all stamps
 * @id:		number of the recording
 * @peer:	number of the host's recording, if this is a guest
 * @is_guest:	it has time shifts
 * @is_smooth:	shifts are interpolated
 * @shifts:	by CPU: shifts from a guest's clock to that of its host
 * @shift_nr:	number of CPUs with them
 * @tsc_mult:	multiplier from cycles to ns, 0 = stamps are in ns
 * @tsc_shift:	shift right after that
 * @stats:	statistics of all CPUs of all buffers, as the kernel writes them
 * @stats_size:	bytes of @stats
 * @guests:	names of guests that were recorded with it, one line; NULL = none
 * @guest_ids:	numbers of their recordings, @guest_nr of them
 * @texts:	kept texts
 * @text_nr:	number of them
 * @damaged:	what makes no sense; NULL = nothing is wrong
 * @damage:	its position, 0 = in a part that was compressed
 */
struct file {
	const char *path;
	struct bytes all;
	unsigned int version;
	unsigned int long_size;
	__u32 page_size;
	enum compress_codec codec;
	__u64 section[FILE_SECTIONS];
	struct file_buffer *buffers;
	__u32 buffer_nr;
	__u32 cpu_nr;
	const char *host;
	const char *kernel;
	const char *machine;
	const char *clock;
	bool has_clock_list;
	const char *writer;
	__s64 date_ns;
	bool has_date;
	__s64 offset_ns;
	__u64 id;
	__u64 peer;
	bool is_guest;
	bool is_smooth;
	struct file_shift *shifts;
	__u32 shift_nr;
	__u32 tsc_mult;
	__u32 tsc_shift;
	char *stats;
	size_t stats_size;
	char *guests;
	__u64 *guest_ids;
	size_t guest_nr;
	size_t guest_cap;
	char **texts;
	size_t text_nr;
	const char *damaged;
	__u64 damage;
};

/**
 * file_open - map a file, and read its header, options, and lists of CPUs
 *
 * Return: 0; -ECANCELED after reporting that it is none, or why it cannot be read; -ENOMEM. A file
 * that is damaged after its header is open; @damaged of struct file says so.
 */
int file_open(struct file *f, const char *path);
void file_close(struct file *f);

/**
 * file_open_section - the contents of a section
 * @f:		the file
 * @section:	enum file_section
 * @out:	its contents, or its place if it is damaged; empty if the file has none
 * @memory:	to be freed after use
 *
 * Return: 0, -EBADMSG, -ENOMEM.
 */
int file_open_section(const struct file *f, enum file_section section, struct bytes *out,
		      void **memory);

/**
 * file_read_tail - version 6: read what follows the descriptions of events
 * @f:		the file
 * @b:		it, at the position after them
 *
 * Return: 0, -EBADMSG after file_damage(), -ENOMEM.
 */
int file_read_tail(struct file *f, struct bytes *b);

/**
 * file_damage - keep the first place that makes no sense; returns -EBADMSG
 * @f:		the file
 * @at:		the place in it; outside of its contents: in a part that was compressed
 * @what:	what should be there
 */
int file_damage(struct file *f, const void *at, const char *what);

/** file_keep - a copy of text that lives as long as @f; NULL: out of memory */
const char *file_keep(struct file *f, const char *text, size_t size);

#endif
