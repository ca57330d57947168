/* SPDX-License-Identifier: GPL-2.0 */
/* recovery_note.h - a session's note for its recovery */
#ifndef KTRACED_OUTPUT_RECOVERY_NOTE_H
#define KTRACED_OUTPUT_RECOVERY_NOTE_H

#include <ktrace/session.h>
#include <ktrace/tracefile.h>

/**
 * recovery_note_set - note the file that the session goes to, and the beginning of its trace
 * @s:		the session
 * @path:	path of the file, which exists
 * @file:	the open file
 * @begin:	META lines
 *
 * Return: 0 or -errno; on failure the session cannot be recovered, or not correctly.
 */
int recovery_note_set(struct ktrace_session *s, const char *path,
		      const struct ktrace_tracefile *file,
		      const char *begin);

/* Same when the recording goes on in @file; reports a failure. */
void recovery_note_change(struct ktrace_session *s, const char *path,
			  const struct ktrace_tracefile *file,
			  const char *begin);

#endif
