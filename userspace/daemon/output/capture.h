/* SPDX-License-Identifier: GPL-2.0 */
/* capture.h - moves what the rings hold into the tracefile */
#ifndef KTRACED_OUTPUT_CAPTURE_H
#define KTRACED_OUTPUT_CAPTURE_H

#include <stdbool.h>
#include <ktrace/session.h>
#include <ktrace/tracefile.h>

#include "capture_file.h"

/** struct capture_fill - what a drain has found: fullest ring in 1/8, more to do at once */
struct capture_fill {
	unsigned int eighths;
	bool more;
};

/** capture_init - 0 or -ENOMEM; takes the file over, not its path */
int capture_init(struct capture *c, struct ktrace_session *s, struct ktrace_tracefile *file,
		 const char *path);

/**
 * capture_resume - go on with a file whose writer died
 *
 * What the file has is not read from the rings again.
 */
void capture_resume(struct capture *c);

/**
 * capture_drain - write what is there, a bounded amount
 * @c:		the capture
 * @partial:	also blocks that are not full yet
 *
 * Rings with the overwrite policy are left alone.
 */
struct capture_fill capture_drain(struct capture *c, bool partial);

/** capture_finish - after the session was stopped: write all that is left */
void capture_finish(struct capture *c);

/** capture_exit - end the file; 0 or -errno of what could not be written */
int capture_exit(struct capture *c);

/** capture_free - the same without the file, which the caller keeps */
void capture_free(struct capture *c);

#endif
