/* SPDX-License-Identifier: GPL-2.0 */
/* record.h - describes a record of ftrace as an event of ktrace */
#ifndef VIEWER_IMPORT_TRACE_DAT_RECORD_H
#define VIEWER_IMPORT_TRACE_DAT_RECORD_H

#include "fields.h"

void record_init(struct record *r, const struct file *f, const struct formats *m);
/**
 * record_describe - describe the current event of a CPU
 * @r:		takes the description
 * @p:		the CPU
 * @buffer:	name of its buffer, "" = the top one
 *
 * Return: 0, -ENOMEM.
 */
int record_describe(struct record *r, const struct pages *p, const char *buffer);
void record_free(struct record *r);

#endif
