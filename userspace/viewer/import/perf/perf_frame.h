/* SPDX-License-Identifier: GPL-2.0 */
/* perf_frame.h - parses an address with what perf knows about its code */
#ifndef VIEWER_IMPORT_PERF_PERF_FRAME_H
#define VIEWER_IMPORT_PERF_PERF_FRAME_H

#include <ktrace/context.h>

/**
 * struct perf_frame - an address
 * @address:	it
 * @code:	its code; texts are in the parsed line
 */
struct perf_frame {
	__u64 address;
	struct ktrace_trace_code code;
};

/* Parses "ADDRESS SYMBOL+OFFSET (FILE)", each but the first optional; cuts @s up. */
bool perf_frame_parse(char *s, struct perf_frame *out);
/* Parses "FILE:LINE" that follows the frame; cuts @s up. */
bool perf_frame_source(char *s, struct perf_frame *frame);
/* True if the frame is in the kernel. */
bool perf_frame_is_kernel(const struct perf_frame *frame);
/*
 * Finds an address in a column of 16 at the end of @s, with a symbol after it. Return: the column's
 * first digit, NULL = none.
 */
char *perf_frame_find(char *s);

#endif
