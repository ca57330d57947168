// SPDX-License-Identifier: GPL-2.0
/*
 * forget.c - drops the code of ended processes, which the next part of a recording can omit
 *
 * A process may fork and end at any time: its child has its code, which must not be forgotten.
 *
 *	gone?			reports of forks			forgotten
 *	| still running: stays
 *			| had ended: all its forks are reported
 *
 * Reports that were read before the check would lack the forks between the two.
 */
#include "forget.h"

#include <stdlib.h>

#include "capture_file.h"
#include "context/context.h"
#include "parts.h"

/* Does nothing with overwriting rings: they hold events of ended processes until the end. */
void capture_forget(struct capture *c)
{
	struct pids *gone;

	for (__u32 i = 0; i < c->stream_nr; i++)
		if (c->streams[i].info.policy == KTRACE_POLICY_OVERWRITE)
			return;
	if (c->parts->is_full || c->write_error || capture_flush_meta(c))
		return;
	gone = parts_find_gone(c->parts);
	/*
	 * Reads reports again, to find processes that have code of @gone: all its forks are known
	 * now.
	 */
	context_drain(c->context, c->session, &c->meta);
	if (!capture_flush_meta(c))
		context_kept(c->context, parts_forget_gone(c->parts, gone));
	free(gone);
}
