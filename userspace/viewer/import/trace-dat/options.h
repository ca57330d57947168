/* SPDX-License-Identifier: GPL-2.0 */
/* options.h - the options of a trace.dat file: facts about the recording */
#ifndef VIEWER_IMPORT_TRACE_DAT_OPTIONS_H
#define VIEWER_IMPORT_TRACE_DAT_OPTIONS_H

#include "file.h"

/**
 * options_read - read a list of options
 * @f:		takes the facts
 * @b:		at the first option, then after the last
 * @next:	version 7: position of the next list, 0 = none
 *
 * Return: 0, -EBADMSG if the list is damaged, -ENOMEM.
 */
int options_read(struct file *f, struct bytes *b, __u64 *next);

/** options_clock - the name in brackets of ftrace's list of clocks, kept by @f; NULL: none */
const char *options_clock(struct file *f, const char *text, size_t size);

#endif
