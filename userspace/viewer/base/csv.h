/* SPDX-License-Identifier: GPL-2.0 */
/* csv.h - cells of CSV, RFC 4180 */
#ifndef VIEWER_BASE_CSV_H
#define VIEWER_BASE_CSV_H

#include <ktrace/decode.h>

/* Writes a cell, in quotes if it needs them. */
void csv_put(struct ktrace_out *out, const char *s, size_t n);

#endif
