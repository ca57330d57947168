/* SPDX-License-Identifier: GPL-2.0 */
/*
 * html_span.h - spans: pairs of a program's events that begin and end something
 *
 * Names of events tell the pairs: see slices.h. A thread's spans nest; each depth has a row.
 */
#ifndef VIEWER_HTML_HTML_SPAN_H
#define VIEWER_HTML_HTML_SPAN_H

#include "html_model.h"

void html_spans_init(struct html_model *f);
void html_spans_free(struct html_model *f);
/* Begins or ends a span of its thread if the current event does so. */
void html_span_event(struct html_model *f);
/* Ends all spans of a thread that is gone. */
void html_spans_end(struct html_model *f, __u32 thread);

#endif
