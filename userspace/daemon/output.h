/* SPDX-License-Identifier: GPL-2.0 */
/* output.h - the file of a recording, or the first of its parts */
#ifndef KTRACED_OUTPUT_H
#define KTRACED_OUTPUT_H

#include "recording.h"

bool output_is_split(const struct recording *r);
/* Returns the path of the file being written. */
const char *output_path(const struct recording *r);
/*
 * Opens the file; an existing file of that name stays unchanged until output_begin().
 * Return: -1, or the exit status after reporting the error, with nothing open.
 */
int output_open(struct recording *r, struct ktrace_tracefile **file);
/* Replaces an existing file, once the recording has begun. */
void output_begin(struct recording *r);
/* Closes the file of a recording that has not begun; removes it unless it existed before. */
void output_drop(const struct recording *r, struct ktrace_tracefile *file);

#endif
