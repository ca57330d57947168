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
 * struct ktrace_check - results of checking a file
 * @bytes:	size of the file
 * @sections:	META, BLOCK and LOST sections
 * @blocks:	BLOCK sections among them
 * @records:	records in them, padding and LOST not counted
 * @lost:	lost records according to the last LOST sections and records, summed over streams
 * @damaged:	number of calls of the @report function
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
 * ktrace_check_file - check everything a reader relies on, and more
 * @path:	the file
 * @report:	called for each defect
 * @arg:	for @report
 * @out:	out: the results
 *
 * Checks all sections in order, with their checksums; that block headers match their contents; that
 * the sections of a stream follow each other, and that everything missing between them was reported
 * as lost; that loss counts never decrease; that the index lists all sections.
 *
 * Return: 0, also for a damaged file; -EBADMSG not a tracefile, -EPROTONOSUPPORT another version or
 * byte order, -ENOMEM, or -errno of open(2) or read(2). All errors but -ENOMEM have been reported.
 */
int ktrace_check_file(const char *path,
		      void (*report)(void *arg, const struct ktrace_damage *damage), void *arg,
		      struct ktrace_check *out);

/** ktrace_check_fd - check a file that is open for reading; the file stays open */
int ktrace_check_fd(int fd, void (*report)(void *arg, const struct ktrace_damage *damage),
		    void *arg, struct ktrace_check *out);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
