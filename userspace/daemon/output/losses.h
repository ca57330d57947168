/* SPDX-License-Identifier: GPL-2.0 */
/* losses.h - sums up the losses of a session by reason */
#ifndef KTRACED_OUTPUT_LOSSES_H
#define KTRACED_OUTPUT_LOSSES_H

#include <ktrace/session.h>

/* Returns the losses that the reader or the file counts, not the writers of a ring. */
__u64 losses_by_reader(const struct ktrace_lost *sum);
/* Sums up the losses so far in all streams. */
void losses_of(struct ktrace_session *s, struct ktrace_lost *sum);

#endif
