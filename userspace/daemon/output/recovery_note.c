// SPDX-License-Identifier: GPL-2.0
/* recovery_note.c - a session's note for its recovery: META lines, the first names the file */
#include "recovery_note.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "meta.h"

int recovery_note_set(struct ktrace_session *s, const char *path,
		      const struct ktrace_tracefile *file,
		      const char *begin)
{
	char *real = realpath(path, NULL), *text = NULL;
	struct ktrace_text line = { 0 };
	size_t len = strlen(begin);
	__u8 uuid[16];
	int error;

	len -= len && begin[len - 1] == '\n';
	ktrace_tracefile_uuid(file, uuid);
	meta_file(&line, real ? real : path, uuid);
	ktrace_text_line(&line, "");
	if (line.error || asprintf(&text, "%s%.*s\n", line.buf, (int)len, begin) < 0)
		error = -ENOMEM;
	else
		error = ktrace_session_set_note(s, text);
	/* The note is too long: leaves out the command line. */
	if (error == -E2BIG)
		error = ktrace_session_set_note(s, line.buf);
	free(text);
	free(real);
	ktrace_text_free(&line);
	return error;
}

void recovery_note_change(struct ktrace_session *s, const char *path,
			  const struct ktrace_tracefile *file,
			  const char *begin)
{
	int error = recovery_note_set(s, path, file, begin);

	if (error)
		log_note("this session cannot be recovered if ktraced dies: %s", strerror(-error));
}
