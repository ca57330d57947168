/* SPDX-License-Identifier: GPL-2.0 */
/* capture.h - moves the content of the rings into the trace file */
#ifndef KTRACED_OUTPUT_CAPTURE_H
#define KTRACED_OUTPUT_CAPTURE_H

#include <stdbool.h>
#include <ktrace/session.h>
#include <ktrace/tracefile.h>

#include "capture_file.h"

/** struct capture_fill - result of a drain: fill of the fullest ring in 1/8, more to do at once */
struct capture_fill {
	unsigned int eighths;
	bool more;
};

/** capture_init - 0 or -ENOMEM; takes over the file, but not its path */
int capture_init(struct capture *c, struct ktrace_session *s, struct ktrace_tracefile *file,
		 const char *path);

/**
 * capture_resume - go on with a file whose writer died
 *
 * Does not read data from the rings again that is in the file.
 */
void capture_resume(struct capture *c);

/**
 * capture_listen - take what programs and the kernel say besides events
 *
 * Writes nothing, so it is also for a thread that does not wait for the disk. Return: true if there
 * is more.
 */
bool capture_listen(struct capture *c);

/**
 * capture_drain - write the data that is available, a bounded amount
 * @c:		the capture
 * @partial:	also write blocks that are not full yet
 *
 * Ignores rings with the overwrite policy.
 */
struct capture_fill capture_drain(struct capture *c, bool partial);

/** capture_next_part - end the current part, even an empty one, with all that was recorded */
void capture_next_part(struct capture *c);

/** capture_fill_percent - how full the fullest ring is now */
unsigned int capture_fill_percent(const struct capture *c);

/** capture_finish - write all remaining data after the session was stopped */
void capture_finish(struct capture *c);

/**
 * capture_share - let other threads use capture and session whenever this one waits for the disk
 * @turn:	held by the caller; NULL = there are no others any more
 */
void capture_share(struct capture *c, struct turn *turn);

/** capture_exit - end the file; 0 or -errno of the last META or of closing */
int capture_exit(struct capture *c);

/** capture_free - same, but without the file, which the caller keeps */
void capture_free(struct capture *c);

#endif
