// SPDX-License-Identifier: LGPL-2.1
/* result.c - values of columns; text is made UTF-8, which SQLite requires but does not check */
#include "table.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sql.h"

static int grow(struct ktrace_out *out)
{
	const size_t cap = out->cap ? 2 * out->cap : 1024;
	char *bigger = realloc(out->buf, cap);

	if (!bigger)
		return -ENOMEM;
	out->buf = bigger;
	out->cap = cap;
	return 0;
}

int ktrace_cell_init(struct ktrace_out *cell)
{
	cell->flush = grow;
	return cell->buf ? 0 : grow(cell);
}

void ktrace_result_time(sqlite3_context *to, __u64 time)
{
	sqlite3_result_int64(to, time > INT64_MAX ? INT64_MAX : (sqlite3_int64)time);
}

void ktrace_result_cell(sqlite3_context *to, struct ktrace_out *cell)
{
	if (cell->error)
		sqlite3_result_error_nomem(to);
	else
		sqlite3_result_text64(to, cell->buf, cell->len, SQLITE_TRANSIENT, SQLITE_UTF8);
	cell->len = 0;
}

void ktrace_result_text(sqlite3_context *to, struct ktrace_out *cell, const char *text, size_t n)
{
	ktrace_out_utf8(cell, text, n);
	ktrace_result_cell(to, cell);
}

void ktrace_result_string(sqlite3_context *to, struct ktrace_out *cell, const char *text)
{
	if (text)
		ktrace_result_text(to, cell, text, strlen(text));
}
