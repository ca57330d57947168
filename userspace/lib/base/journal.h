/* SPDX-License-Identifier: LGPL-2.1 */
/* journal.h - priorities of messages for systemd's journal: sd-daemon(3) */
#ifndef KTRACE_BASE_JOURNAL_H
#define KTRACE_BASE_JOURNAL_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Numbers of syslog(3) */
enum journal_priority { JOURNAL_ERROR = 3, JOURNAL_WARNING, JOURNAL_NOTICE, JOURNAL_INFO };

/*
 * Returns what a line on standard error begins with: "<N>" if that is the journal, else "". The
 * variable names the file, because programs inherit it whose standard error is another one.
 */
static inline const char *journal_prefix(enum journal_priority priority)
{
	static const char *const prefixes[] = { "<3>", "<4>", "<5>", "<6>" };
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;
	char end;

	if (!stream || sscanf(stream, "%llu:%llu%c", &device, &inode, &end) != 2 ||
	    fstat(STDERR_FILENO, &st) || st.st_dev != device || st.st_ino != inode)
		return "";
	return prefixes[priority - JOURNAL_ERROR];
}

#endif
