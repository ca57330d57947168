/* SPDX-License-Identifier: LGPL-2.1 */
/* meta_ties.h - META lines that tie the stamps of a trace to other clocks */
#ifndef KTRACE_TRACESET_META_TIES_H
#define KTRACE_TRACESET_META_TIES_H

#include "meta_line.h"
#include "trace.h"

/* All return 0, -EINVAL or -ENOMEM. @reading: what the line clock says, and was accepted */
int ktrace_meta_add_tie(struct trace *t, const struct line *l, const struct segment *reading);
int ktrace_meta_add_source(struct trace *t, const struct line *l);
int ktrace_meta_add_ping(struct trace *t, const struct line *l);

#endif
