/* SPDX-License-Identifier: GPL-2.0 */
/* output.h - the file of a recording, or the first of its parts */
#ifndef KTRACED_OUTPUT_H
#define KTRACED_OUTPUT_H

#include "recording.h"

bool output_is_split(const struct recording *r);
/* The file that is written now */
const char *output_path(const struct recording *r);
/*
 * Opens the file; what has its name is there, and as it was, until output_begin().
 * Return: -1, or the exit status: then it was said why not, and nothing is open.
 */
int output_open(struct recording *r, struct ktrace_tracefile **file);
/* The recording has begun: its file replaces what had the name. */
void output_begin(struct recording *r);
/* The recording has not begun: the file is closed, and goes unless it was there before. */
void output_drop(const struct recording *r, struct ktrace_tracefile *file);

#endif
