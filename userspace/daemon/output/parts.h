/* SPDX-License-Identifier: GPL-2.0 */
/* parts.h - a recording in several files: their names, when the next is due, which are kept */
#ifndef KTRACED_OUTPUT_PARTS_H
#define KTRACED_OUTPUT_PARTS_H

#include <stdbool.h>
#include <ktrace/tracefile.h>

/* struct parts_file - what is in an ended part */
struct parts_file {
	__u64 events;
	__u64 bytes;
};

/**
 * struct parts - the files of one recording
 * @output:	name they are made from
 * @name_fd:	a socket that listens, as long as the name is taken; -1 = none
 * @path:	of the present one
 * @max_bytes:	a part is long enough then, 0 = never
 * @max_ns:	or is old enough, 0 = never
 * @keep:	how many are kept, 0 = all
 * @number:	of the present one, from 1 on; 0 = there is none yet
 * @first:	of the oldest one that is kept
 * @begin_bytes: of what the present one begins with, which does not count; 0 in the first
 * @begun_ns:	CLOCK_MONOTONIC when it began
 * @retry_ns:	not to be changed before: it has failed
 * @has_blocks:	it is not to be left empty
 * @is_full:	what comes next goes into the next one
 * @was_told:	the user knows that a new one could not be made
 * @events_before: recorded before it
 * @bytes:	of all that were ended
 * @ended:	what is in those that are kept, by number modulo @keep; NULL = all are kept
 * @removed:	what was in those that were removed
 * @begin:	META: how each file begins; lines without a newline at the end, as below
 * @clocks:	the latest readings
 * @clock_nr:	how many
 * @facts:	all else that is known and needed to read a file alone
 * @is_forgetful: of processes that are gone nothing need be known
 * @attached:	processes whose facts are their own: numbers may be those of another name space
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
	struct ktrace_text begin;
	struct ktrace_text clocks;
	unsigned int clock_nr;
	struct ktrace_text facts;
	bool is_forgetful;
	struct pids *attached;
};

/* Name of part @number of @output, to be freed; NULL: no memory. */
char *parts_name(const char *output, __u32 number);
/* Name of part @other, where @path is part @number; NULL: it is not named so. */
char *parts_other_name(const char *path, __u32 number, __u32 other);
/* What a part is called until it has its beginning; to be freed, NULL: no memory. */
char *parts_new_name(const char *path);

/*
 * Removes a part of a trace that nobody writes. Return: 0, also if it is none or not there;
 * -EBUSY, -errno.
 */
int parts_remove(const char *path);

/* @max_bytes, @max_ns, @keep: as in struct parts. 0 or -ENOMEM; nothing is made yet. */
int parts_init(struct parts *p, const char *output, __u64 max_bytes, __u64 max_ns, __u32 keep);
/*
 * Takes the name. Return: 0; 1 an older recording has left parts, and the first new one is called
 * parts_new_name() until they are replaced; -EBUSY another one goes on; -EEXIST the name of the
 * first one is something else's; -errno.
 */
int parts_claim(struct parts *p);
/* Removes older parts; the first new one, which has been begun, gets its name. 0 or -errno. */
int parts_replace(struct parts *p);
/* What has the name @to meanwhile is something else, and stays: 0, -EEXIST, -errno. */
int parts_rename(const char *from, const char *to);
/*
 * Closes some of the connections to @name_fd: that there was one is all that an asker needs.
 * Return: 0, or why there is no other one: -EAGAIN nobody waits, -EMFILE and others as accept(2).
 */
int parts_answer(struct parts *p);
/* Takes META text that was written: a newline ends each line. */
void parts_remember(struct parts *p, const char *text, size_t size);
/* A process has told of itself. */
void parts_attached(struct parts *p, __u32 pid);
/* Processes that are gone, to be freed; what they did last is told before they are forgotten. */
struct pids *parts_find_gone(const struct parts *p);
/*
 * Called before the last of the present part is read: processes in @gone have no place in the
 * next one. Return: the bytes of code that are told in that, ~0 = not known.
 */
__u64 parts_forget_gone(struct parts *p, const struct pids *gone);
/* When the present one is old enough, if it has anything: CLOCK_MONOTONIC, ~0 = never */
__u64 parts_end_ns(const struct parts *p);
/* Is it time for the next one? @size: of the present one */
bool parts_is_due(const struct parts *p, __u64 size);
/* The present one has ended: @events recorded so far, @size its bytes; @path is the next one. */
void parts_step(struct parts *p, char *path, __u64 events, __u64 size);
/* Removes the oldest one that has ended. Return: false: there is none, or all are to be kept. */
bool parts_drop(struct parts *p);
/* Bytes of those that have ended and are there */
__u64 parts_kept(const struct parts *p);
/*
 * The line that ends the beginning of part @number, which is the next one or the present one,
 * @events having been recorded.
 */
void parts_line(const struct parts *p, struct ktrace_text *t, __u32 number, __u64 events);
/* Ended parts on the disk: 0 or -errno. */
int parts_sync(const struct parts *p);
void parts_free(struct parts *p);

#endif
