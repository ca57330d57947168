/* SPDX-License-Identifier: LGPL-2.1 */
/* check.h - check whether a tracefile follows its format */
#ifndef KTRACE_CHECK_H
#define KTRACE_CHECK_H

#include <stdbool.h>
#include <ktrace/damage.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * struct ktrace_check - what was found in a file
 * @bytes:	size of the file
 * @sections:	META, BLOCK and LOST sections
 * @blocks:	BLOCK sections among them
 * @records:	records in them, padding and LOST not counted
 * @lost:	what their last LOST sections and records say, summed over streams
 * @damaged:	calls of the function that reports
 * @is_closed:	the file has its end mark
 */
struct ktrace_check {
	__u64 bytes;
	__u64 sections;
	__u64 blocks;
	__u64 records;
	__u64 lost;
	__u64 damaged;
	bool is_closed;
};

/**
 * ktrace_check_file - check all that a reader relies on, and more
 * @path:	the file
 * @report:	called for each thing that is wrong
 * @arg:	for @report
 * @out:	what was found
 *
 * All sections, one after the other, with their checksums; that headers of blocks say what
 * is in them; that the sections of a stream follow each other, and what is missing between
 * them was reported as lost; that counts of losses do not go down; that the index lists
 * all sections.
 *
 * Return: 0, also for a damaged file; -EBADMSG not a tracefile, -EPROTONOSUPPORT another
 * version or byte order, -ENOMEM, or -errno of open(2) or read(2). All but -ENOMEM have
 * been reported.
 */
int ktrace_check_file(const char *path,
		      void (*report)(void *arg, const struct ktrace_damage *damage), void *arg,
		      struct ktrace_check *out);

/** ktrace_check_fd - the same of a file that is open for reading, and stays open */
int ktrace_check_fd(int fd, void (*report)(void *arg, const struct ktrace_damage *damage),
		    void *arg, struct ktrace_check *out);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
