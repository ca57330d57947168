/* SPDX-License-Identifier: GPL-2.0 */
/* table.h - what tables of text are made of */
#ifndef VIEWER_BASE_TABLE_H
#define VIEWER_BASE_TABLE_H

#include <ktrace/state.h>

/*
 * Formats as printf(3) does, at most 500 bytes. Replaces by '?' what a terminal would obey, and
 * newlines that are not the format's: no name begins a row of a table.
 */
__attribute__((format(printf, 2, 3)))
void out_printf(struct ktrace_out *out, const char *format, ...);

#define DURATION_WIDTH 9

/* A duration for people, DURATION_WIDTH characters: "  12.3 us"; 0 is "-" */
void out_duration(struct ktrace_out *out, __u64 ns);
/* Bytes for people: "  12.3 KiB", 10 characters; 0 is "-" */
void out_bytes(struct ktrace_out *out, __u64 bytes);
/* @part of @whole in percent, 6 characters: "  12.3" */
void out_percent(struct ktrace_out *out, __u64 part, __u64 whole);
/* A title, underlined */
void out_title(struct ktrace_out *out, const char *title);

#endif
