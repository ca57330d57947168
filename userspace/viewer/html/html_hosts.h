/* SPDX-License-Identifier: GPL-2.0 */
/*
 * html_hosts.h - what a page has of several hosts: messages between them, and errors of times
 *
 * Some messages are found only long after they were received. So all are found when the files are
 * read for the first time, and put into the page in order of time when they are read again.
 */
#ifndef VIEWER_HTML_HTML_HOSTS_H
#define VIEWER_HTML_HTML_HOSTS_H

#include <ktrace/messages.h>

#include "base/hosts.h"

#define HTML_MESSAGES_MAX (1u << 18)	/* 24 MiB */
#define HTML_ERRORS_MAX 4096u	/* of a file */

/* struct html_error - error of the times of a file from @time on, since the page's beginning */
struct html_error {
	__u64 time;
	struct time_error error;
};

/* struct html_errors - of one file */
struct html_errors {
	struct html_error *at;
	size_t nr;
	size_t cap;
};

/**
 * struct html_hosts - hosts of a page
 * @set:	the files
 * @has_several: there are several hosts; otherwise there is nothing else
 * @pairs:	pairs packets, while the files are read for the first time
 * @messages:	found; afterwards sorted by the times of their receptions
 * @nr:		how many
 * @cap:	room for this many
 * @next:	number of the next one to put into the page
 * @left_out:	messages beyond HTML_MESSAGES_MAX
 * @errors:	of times, by file
 * @file_nr:	number of files
 * @error:	0, -ENOMEM
 */
struct html_hosts {
	const struct ktrace_traceset *set;
	bool has_several;
	struct ktrace_messages *pairs;
	struct ktrace_message *messages;
	size_t nr;
	size_t cap;
	size_t next;
	__u64 left_out;
	struct html_errors *errors;
	size_t file_nr;
	int error;
};

/* Return: 0, -ENOMEM. */
int html_hosts_init(struct html_hosts *h, const struct ktrace_traceset *set);
void html_hosts_free(struct html_hosts *h);
/* Finds messages; called for all events in order. Return: 0, -ENOMEM. */
int html_hosts_count(struct html_hosts *h, const struct ktrace_trace_event *e);
/* Ends the first reading. */
void html_hosts_sort(struct html_hosts *h);
/* Returns the next message that was received by @time, NULL = there is none. */
const struct ktrace_message *html_hosts_next(struct html_hosts *h, __u64 time);
/*
 * Keeps the error of an event's time @now, since the page's beginning, unless the latest one that
 * was kept holds for it. Return: 0, -ENOMEM.
 */
int html_hosts_error(struct html_hosts *h, const struct ktrace_trace_event *e, __u64 now);

#endif
