/* SPDX-License-Identifier: GPL-2.0 */
/* special.h - ftrace's own events: functions, calls, stacks and trace_printk() with their text */
#ifndef VIEWER_IMPORT_TRACE_DAT_SPECIAL_H
#define VIEWER_IMPORT_TRACE_DAT_SPECIAL_H

#include "fields.h"

/** special_describe - append name and fields of a record, as they are if it is not ftrace's own */
void special_describe(struct record *r, const struct pages *p, struct tep_event *event);

#endif
