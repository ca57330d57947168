/* SPDX-License-Identifier: GPL-2.0 */
/* parts.h - a recording in several files: their names, when the next is due, which to keep */
#ifndef KTRACED_OUTPUT_PARTS_H
#define KTRACED_OUTPUT_PARTS_H

#include <stdbool.h>
#include <ktrace/tracefile.h>

/* struct parts_file - content of an ended part */
struct parts_file {
	__u64 events;
	__u64 bytes;
};

/**
 * struct parts - the files of one recording
 * @output:	name that their names are made from
 * @name_fd:	a listening socket that holds the name; -1 = none
 * @path:	path of the current part
 * @max_bytes:	size after which a part ends, 0 = no limit
 * @max_ns:	time after which a part ends, 0 = no limit
 * @keep:	number of parts to keep, 0 = all
 * @number:	number of the current part, from 1 on; 0 = there is none yet
 * @first:	number of the oldest part that is kept
 * @begin_bytes: size of the current part's beginning, which does not count; 0 in the first
 * @begun_ns:	CLOCK_MONOTONIC at the start of the current part
 * @retry_ns:	after a failed change: earliest time of the next attempt
 * @has_blocks:	the current part is not empty
 * @is_full:	new data goes into the next part
 * @was_told:	the failure to create a new part has been reported
 * @events_before: events recorded before the current part
 * @bytes:	size of all ended parts
 * @ended:	content of the kept parts, by number modulo @keep; NULL = all are kept
 * @removed:	content of the removed parts
 * @removed_nr:	number of these
 * @is_shipped:	another process removes parts, oldest first, that are stored elsewhere
 * @waiting:	with @is_shipped: sizes of ended parts from @first on
 * @waiting_cap: room in @waiting
 * @is_unsized:	there was no memory for @waiting: sizes are not known any more
 * @shipped_nr:	number of parts that this process has removed
 * @shipped_bytes: their size
 * @begin:	META: beginning of each file; lines without a newline at the end, as below
 * @clocks:	the latest readings of the clocks
 * @clock_nr:	number of @clocks
 * @sources:	the latest line of each time source
 * @facts:	all other lines that are needed to read a file alone
 * @is_forgetful: lines about ended processes may be dropped
 * @turn:	held by whoever uses this and does not wait for the disk; NULL = one thread only
 * @away_ns:	since when this thread waits for the disk, without its turn; 0 = it does not
 * @attached:	processes that wrote their own lines: their pids may be of another PID namespace
 */
struct parts {
	const char *output;
	int name_fd;
	char *path;
	__u64 max_bytes;
	__u64 max_ns;
	__u32 keep;
	__u32 number;
	__u32 first;
	__u64 begin_bytes;
	__u64 begun_ns;
	__u64 retry_ns;
	bool has_blocks;
	bool is_full;
	bool was_told;
	__u64 events_before;
	__u64 bytes;
	struct parts_file *ended;
	struct parts_file removed;
	__u32 removed_nr;
	bool is_shipped;
	__u64 *waiting;
	__u32 waiting_cap;
	bool is_unsized;
	__u32 shipped_nr;
	__u64 shipped_bytes;
	struct ktrace_text begin;
	struct ktrace_text clocks;
	struct ktrace_text sources;
	unsigned int clock_nr;
	struct ktrace_text facts;
	bool is_forgetful;
	struct turn *turn;
	__u64 away_ns;
	struct pids *attached;
};

/* Returns the name of part @number of @output, to be freed; NULL: out of memory. */
char *parts_name(const char *output, __u32 number);
/* Returns the name of part @other if @path is part @number; NULL: it is not named like a part. */
char *parts_other_name(const char *path, __u32 number, __u32 other);
/* Returns the name of a part that has no beginning yet, to be freed; NULL: out of memory. */
char *parts_new_name(const char *path);

/*
 * Removes a part of a trace that no process writes. Return: 0, also if it is not a part or does not
 * exist; -EBUSY; -errno.
 */
int parts_remove(const char *path);

/* @max_bytes, @max_ns, @keep: as in struct parts. 0 or -ENOMEM; creates no file. */
int parts_init(struct parts *p, const char *output, __u64 max_bytes, __u64 max_ns, __u32 keep);
/*
 * Takes the name. Return: 0; 1 if an older recording has left parts: the first new part is called
 * parts_new_name() until they are replaced; -EBUSY if another recording is running; -EEXIST if the
 * name of the first part belongs to another file; -errno.
 */
int parts_claim(struct parts *p);
/* Removes older parts; then the first new part, already begun, gets its name. 0 or -errno. */
int parts_replace(struct parts *p);
/* Renames a part; never replaces a file that has the name @to meanwhile. 0, -EEXIST, -errno. */
int parts_rename(const char *from, const char *to);
/*
 * Closes some connections to @name_fd: being able to connect is all that an asker needs.
 * Return: 0, or why there are no more: -EAGAIN none is waiting, -EMFILE and others as accept(2).
 */
int parts_answer(struct parts *p);
/* Takes META text that was written: a newline ends each line. */
void parts_remember(struct parts *p, const char *text, size_t size);
/* Notes that a process has registered itself. */
void parts_attached(struct parts *p, __u32 pid);
/* Returns the ended processes, to be freed; forget them only after reading their last reports. */
struct pids *parts_find_gone(const struct parts *p);
/*
 * Called before the last data of the current part is read: the next part omits processes in @gone.
 * Return: the bytes of lines about code that it repeats, ~0 = unknown.
 */
__u64 parts_forget_gone(struct parts *p, const struct pids *gone);
/* Returns when the current part ends if it is not empty: CLOCK_MONOTONIC, ~0 = never. */
__u64 parts_end_ns(const struct parts *p);
/* True if it is time for the next part. @size: size of the current part */
bool parts_is_due(const struct parts *p, __u64 size);
/* Goes on with the next part, @path. @events: recorded so far, @size: size of the ended part. */
void parts_step(struct parts *p, char *path, __u64 events, __u64 size);
/* Forgets parts that were shipped, and are gone. Returns false if there are none. */
bool parts_skip_shipped(struct parts *p);
/* Removes the oldest ended part. Returns false if there is none, or all are to be kept. */
bool parts_drop(struct parts *p);
/* Returns the size of the ended parts that still exist. */
__u64 parts_kept(struct parts *p);
/*
 * Adds the line that ends the beginning of part @number, which is the next or the current one;
 * @events: recorded so far.
 */
void parts_line(const struct parts *p, struct ktrace_text *t, __u32 number, __u64 events);
/* Writes ended parts to disk: 0 or -errno. */
int parts_sync(const struct parts *p);
void parts_free(struct parts *p);

#endif
