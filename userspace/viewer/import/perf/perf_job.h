/* SPDX-License-Identifier: GPL-2.0 */
/* perf_job.h - writes events of perf: each with the frames that follow it */
#ifndef VIEWER_IMPORT_PERF_PERF_JOB_H
#define VIEWER_IMPORT_PERF_PERF_JOB_H

#include "import/import.h"
#include "import/import_stacks.h"
#include "import/import_writer.h"
#include "perf_frame.h"
#include "perf_line.h"

/**
 * struct perf_layout - what is in lines besides their beginning
 * @is_known:	perf was told what to print, by this program; the rest is false otherwise
 * @has_addr:	the address of the data
 * @has_weight:	the weight
 * @has_phys:	the physical address of the data
 */
struct perf_layout {
	bool is_known;
	bool has_addr;
	bool has_weight;
	bool has_phys;
};

/* struct perf_loss - a loss that perf script does not print; @cpu: -1 = unknown */
struct perf_loss {
	__u64 ns;
	int cpu;
	enum ktrace_lost_reason reason;
	__u64 count;
};

/**
 * struct perf_job - one run
 * @x:		options and files
 * @f:		the tracefile being written
 * @stacks:	stacks of events
 * @path:	the current file
 * @nr:		number of the current line
 * @bad:	number of invalid lines
 * @untimed:	number of events without a time
 * @early:	number of records with time 0 in front of the first event
 * @last_ns:	time of the event before
 * @host:	name of the machine, "" = unknown; @kernel, @machine: likewise
 * @has_told_machine:	it has been said that @machine is unknown
 * @zero_ns:	time when the clock was 0, 0 = unknown
 * @layout:	what lines have
 * @losses:	losses to be recorded between the events, by time; @loss_nr: how many
 * @loss_at:	number of those recorded
 * @has_event:	@event, described by @desc, with payload @data, is still to be written
 * @comm:	its thread's name
 * @name:	its name
 * @text:	its text as read
 * @extra:	lines that follow its stack
 * @has_frame:	@frame, whose texts are in @frame_line, is still to be added to its stack
 * @is_guess:	the frame is from the event's own line, whose form is not known
 * @is_program:	the frame before is of a program
 * @chain:	names of the frames
 */
struct perf_job {
	struct import *x;
	struct import_writer *f;
	struct import_stacks *stacks;
	const char *path;
	__u64 nr;
	__u64 bad;
	__u64 untimed;
	__u64 early;
	__u64 last_ns;
	char host[64];
	char kernel[128];
	char machine[64];
	bool has_told_machine;
	__u64 zero_ns;
	struct perf_layout layout;
	struct perf_loss *losses;
	size_t loss_nr;
	size_t loss_at;
	bool has_event;
	struct import_writer_event event;
	struct ktrace_out desc;
	struct ktrace_out data;
	struct ktrace_out name;
	struct ktrace_out text;
	struct ktrace_out extra;
	struct ktrace_out chain;
	char comm[64];
	bool has_frame;
	bool is_guess;
	bool is_program;
	struct perf_frame frame;
	char *frame_line;
	char *source_line;
};

void perf_job_init(struct perf_job *job);
void perf_job_free(struct perf_job *job);
/* Reports a line that is not understood: the first ones with their numbers; counts all. */
void perf_job_complain(struct perf_job *job, __u64 nr, const char *what);

/* Writes the facts about the trace, at the first event. Return: 0, -errno, like all below. */
int perf_job_begin(struct perf_job *job);
/* Takes an event, whose frames may follow; the one before is complete. Changes the texts. */
int perf_job_event(struct perf_job *job, const struct perf_line *line);
/* Takes a line that follows the event; *@is_known becomes false if it is not understood. */
int perf_job_more(struct perf_job *job, const char *line, bool *is_known);
/* Takes a frame of the event. */
int perf_job_frame(struct perf_job *job, const struct perf_frame *frame);
/* Takes a decoder's complaint, "instruction trace error ... time 1.5 cpu 2 ...": a loss. */
int perf_job_error(struct perf_job *job, const char *line);
/* Adds the frame to the event's stack: its texts need not stay any longer. */
int perf_job_end_frame(struct perf_job *job);
/* Writes the event. */
int perf_job_end(struct perf_job *job);
/* The same, at the end of the file. */
int perf_job_finish(struct perf_job *job);

#endif
