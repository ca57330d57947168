// SPDX-License-Identifier: GPL-2.0
/* html_hosts.c - what a page has of several hosts: messages between them, and errors of times */
#include "html_hosts.h"

#include "base/grow.h"
#include "base/hash_table.h"

#include <errno.h>
#include <stdlib.h>

int html_hosts_init(struct html_hosts *h, const struct ktrace_traceset *set)
{
	*h = (struct html_hosts){ .set = set, .has_several = hosts_count(set) > 1 };
	if (!h->has_several)
		return 0;
	while (ktrace_traceset_trace(set, h->file_nr))
		h->file_nr++;
	h->errors = calloc(h->file_nr, sizeof(*h->errors));
	return h->errors ? ktrace_messages_open(set, &h->pairs) : -ENOMEM;
}

void html_hosts_free(struct html_hosts *h)
{
	size_t i;

	for (i = 0; h->errors && i < h->file_nr; i++)
		free(h->errors[i].at);
	free(h->errors);
	free(h->messages);
	ktrace_messages_close(h->pairs);
	*h = (struct html_hosts){ 0 };
}

static void on_message(void *arg, const struct ktrace_message *message)
{
	struct html_hosts *h = arg;

	if (h->nr >= HTML_MESSAGES_MAX)
		h->left_out++;
	else if (!LIST_GROW(h->messages, h->nr, h->cap))
		h->error = -ENOMEM;
	else
		h->messages[h->nr++] = *message;
}

int html_hosts_count(struct html_hosts *h, const struct ktrace_trace_event *e)
{
	const int ret = h->pairs ? ktrace_messages_add(h->pairs, e, on_message, h) : 0;

	return ret ? ret : h->error;
}

static int by_end(const void *x, const void *y)
{
	const struct ktrace_message *a = x, *b = y;

	return ORDER(a->to.time, b->to.time) ?: ORDER(a->from.time, b->from.time);
}

void html_hosts_sort(struct html_hosts *h)
{
	if (h->pairs)
		ktrace_messages_end(h->pairs, on_message, h);
	ktrace_messages_close(h->pairs);
	h->pairs = NULL;
	if (h->nr)
		qsort(h->messages, h->nr, sizeof(*h->messages), by_end);
}

const struct ktrace_message *html_hosts_next(struct html_hosts *h, __u64 time)
{
	return h->next < h->nr && h->messages[h->next].to.time <= time ?
	       &h->messages[h->next++] : NULL;
}

/* True if one side of an error that was kept holds for another one, and is not far too large. */
static bool side_holds(__u64 kept, __u64 side)
{
	return kept >= side && kept / 2 <= side;
}

static bool holds(const struct time_error *kept, const struct time_error *error)
{
	return kept->is_known == error->is_known &&
	       (!error->is_known || (side_holds(kept->early_ns, error->early_ns) &&
				     side_holds(kept->late_ns, error->late_ns)));
}

static void enlarge(__u64 *side)
{
	*side += *side < 1ull << 62 ? *side / 16 : 0;
}

int html_hosts_error(struct html_hosts *h, const struct ktrace_trace_event *e, __u64 now)
{
	const size_t file = ktrace_trace_index(e->stream->trace);
	struct time_error error;
	struct html_errors *l;

	if (!h->has_several || file >= h->file_nr)
		return 0;
	l = &h->errors[file];
	error = time_error_of(e->stream->trace, e->raw);
	if (l->nr && holds(&l->at[l->nr - 1].error, &error))
		return 0;
	if (l->nr == HTML_ERRORS_MAX) {
		/* No room: from the last one on, the error is not known. */
		l->at[l->nr - 1].error.is_known = false;
		return 0;
	}
	if (!LIST_GROW(l->at, l->nr, l->cap))
		return -ENOMEM;
	enlarge(&error.early_ns);
	enlarge(&error.late_ns);
	l->at[l->nr++] = (struct html_error){ now, error };
	return 0;
}
