/* SPDX-License-Identifier: GPL-2.0 */
/* recovery_note.h - what a session says to who recovers it */
#ifndef KTRACED_OUTPUT_RECOVERY_NOTE_H
#define KTRACED_OUTPUT_RECOVERY_NOTE_H

#include <ktrace/session.h>
#include <ktrace/tracefile.h>

/**
 * recovery_note_set - which file the session goes to, and what its trace begins with
 * @s:		the session
 * @path:	of the file, which is there
 * @file:	the same
 * @begin:	META lines
 *
 * Return: 0 or -errno; the session cannot be recovered then, or not as it should.
 */
int recovery_note_set(struct ktrace_session *s, const char *path,
		      const struct ktrace_tracefile *file,
		      const char *begin);

/* The same when the recording goes on in @file: says so if it fails. */
void recovery_note_change(struct ktrace_session *s, const char *path,
			  const struct ktrace_tracefile *file,
			  const char *begin);

#endif
