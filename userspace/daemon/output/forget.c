// SPDX-License-Identifier: GPL-2.0
/*
 * forget.c - what the next part of a recording can do without: the code of processes that are gone
 *
 * A process may fork at any time, and end: its child has its code, which must not be forgotten.
 *
 *	gone?			news of forks			forgotten
 *	| it was there: it stays
 *			| it was gone: all its forks are told
 *
 * News that were read before the question would not have the forks between the two.
 */
#include "forget.h"

#include <stdlib.h>

#include "capture_file.h"
#include "context/context.h"
#include "parts.h"

/* Rings that are overwritten hold events of processes that are gone, until the end. */
void capture_forget(struct capture *c)
{
	struct pids *gone;

	for (__u32 i = 0; i < c->stream_nr; i++)
		if (c->streams[i].info.policy == KTRACE_POLICY_OVERWRITE)
			return;
	if (c->parts->is_full || c->write_error || capture_flush_meta(c))
		return;
	gone = parts_find_gone(c->parts);
	/* Whose code do the processes have that stay? After this all forks of @gone are known. */
	context_drain(c->context, c->session, &c->meta);
	if (!capture_flush_meta(c))
		context_kept(c->context, parts_forget_gone(c->parts, gone));
	free(gone);
}
