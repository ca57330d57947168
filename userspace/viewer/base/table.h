/* SPDX-License-Identifier: GPL-2.0 */
/* table.h - building blocks of text tables */
#ifndef VIEWER_BASE_TABLE_H
#define VIEWER_BASE_TABLE_H

#include <ktrace/state.h>

/*
 * Formats like printf(3), at most 500 bytes. Prints newlines that do not come from the format,
 * and what else ktrace_out_safe() keeps back, as '?': no name can start a row of a table.
 */
__attribute__((format(printf, 2, 3)))
void out_printf(struct ktrace_out *out, const char *format, ...);

#define DURATION_WIDTH 9

/* Prints a readable duration, DURATION_WIDTH characters: "  12.3 us"; 0 is "-". */
void out_duration(struct ktrace_out *out, __u64 ns);
/* Prints a readable number of bytes, 10 characters: "  12.3 KiB"; 0 is "-". */
void out_bytes(struct ktrace_out *out, __u64 bytes);
/* Prints @part of @whole in percent, 6 characters: "  12.3". */
void out_percent(struct ktrace_out *out, __u64 part, __u64 whole);
/* Prints a title, bold if the terminal has colours. */
void out_title(struct ktrace_out *out, const char *title);

#endif
