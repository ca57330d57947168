// SPDX-License-Identifier: GPL-2.0
/*
 * show.c - rows as a table, CSV, JSON objects and others
 *
 * The first rows of a table are kept to find the widths of its columns; later rows use the same.
 */
#include "ask.h"

#include "base/csv.h"
#include "base/progress.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS_KEPT 200u
#define WIDTH_MAX 60u

const char *const show_names[] = {
	[SHOW_TABLE] = "table", [SHOW_CSV] = "csv", [SHOW_JSON] = "json", [SHOW_LIST] = "list",
	[SHOW_LINE] = "line", NULL,
};

/**
 * struct rows - rows of one query
 * @a:		the run
 * @from:	where they come from
 * @nr:		columns
 * @widths:	of the columns of a table
 * @cells:	texts of the kept rows, row by row
 * @kept:	number of kept rows
 * @is_terminal: output goes to a terminal: CSV is made safe, too
 * @is_right:	columns that begin with a number
 */
struct rows {
	struct ask *a;
	struct row_source *from;
	int nr;
	size_t *widths;
	char **cells;
	size_t kept;
	bool is_terminal;
	bool *is_right;
};

static void put_hex(struct ktrace_out *out, const struct ktrace_sql_value *v)
{
	size_t i;

	for (i = 0; i < v->len; i++)
		ktrace_out_hex(out, (unsigned char)v->bytes[i], 2);
}

static void put_real(struct ktrace_out *out, double real)
{
	char text[40];

	snprintf(text, sizeof(text), "%.15g", real);
	if (strtod(text, NULL) != real)
		snprintf(text, sizeof(text), "%.17g", real);
	ktrace_out_str(out, text);
}

/* Writes a value for people or CSV: NULL is nothing, a BLOB hexadecimal. */
static void put_plain(struct ktrace_out *out, const struct ktrace_sql_value *v)
{
	switch (v->type) {
	case KTRACE_SQL_INTEGER:
		ktrace_out_s64(out, v->integer);
		break;
	case KTRACE_SQL_REAL:
		put_real(out, v->real);
		break;
	case KTRACE_SQL_TEXT:
		ktrace_out_bytes(out, v->bytes, v->len);
		break;
	case KTRACE_SQL_BLOB:
		put_hex(out, v);
		break;
	default:
		break;
	}
}

static void put_json(struct ktrace_out *out, const struct ktrace_sql_value *v)
{
	if (v->type == KTRACE_SQL_NULL || (v->type == KTRACE_SQL_REAL && !isfinite(v->real))) {
		ktrace_out_str(out, "null");
	} else if (v->type == KTRACE_SQL_TEXT) {
		ktrace_out_json(out, v->bytes, v->len);
	} else if (v->type == KTRACE_SQL_BLOB) {
		ktrace_out_char(out, '"');
		put_hex(out, v);
		ktrace_out_char(out, '"');
	} else {
		put_plain(out, v);
	}
}

static void put_json_row(struct rows *r)
{
	struct ktrace_out *out = r->a->out;
	struct ktrace_sql_value v;
	const char *name;
	int i;

	for (i = 0; i < r->nr; i++) {
		ktrace_out_char(out, i ? ',' : '{');
		name = r->from->column(r->from, i);
		ktrace_out_json(out, name, strlen(name));
		ktrace_out_char(out, ':');
		r->from->value(r->from, i, &v);
		put_json(out, &v);
	}
	ktrace_out_str(out, "}\n");
}

/* Makes the text of a value, safe for people. NULL: no memory. */
static char *cell_text(struct rows *r, int i)
{
	struct ktrace_out out = { .flush = output_grow };
	struct ktrace_sql_value v;

	r->from->value(r->from, i, &v);
	if (output_grow(&out))
		return NULL;
	if (v.type == KTRACE_SQL_TEXT && (r->is_terminal || r->a->mode != SHOW_CSV))
		ktrace_out_safe(&out, v.bytes);
	else
		put_plain(&out, &v);
	if (v.type == KTRACE_SQL_INTEGER || v.type == KTRACE_SQL_REAL)
		r->is_right[i] = true;
	ktrace_out_char(&out, '\0');
	if (!out.error)
		return out.buf;
	free(out.buf);
	return NULL;
}

static void put_csv_row(struct rows *r, bool is_head)
{
	struct ktrace_out *out = r->a->out;
	const char *name;
	char *text;
	int i;

	for (i = 0; i < r->nr; i++) {
		name = r->from->column(r->from, i);
		text = is_head ? strdup(name) : cell_text(r, i);
		if (i)
			ktrace_out_char(out, ',');
		if (text)
			csv_put(out, text, strlen(text));
		else
			out->error = -ENOMEM;
		free(text);
	}
	ktrace_out_str(out, "\r\n");
}

static void put_list_row(struct rows *r, bool is_head)
{
	struct ktrace_out *out = r->a->out;
	char *text;
	int i;

	for (i = 0; i < r->nr; i++) {
		text = is_head ? strdup(r->from->column(r->from, i)) : cell_text(r, i);
		if (i)
			ktrace_out_char(out, '|');
		if (text)
			ktrace_out_str(out, text);
		else
			out->error = -ENOMEM;
		free(text);
	}
	ktrace_out_char(out, '\n');
}

static void put_line_row(struct rows *r)
{
	struct ktrace_out *out = r->a->out;
	char *text;
	int i;

	for (i = 0; i < r->nr; i++) {
		text = cell_text(r, i);
		ktrace_out_str(out, r->from->column(r->from, i));
		ktrace_out_str(out, " = ");
		if (text)
			ktrace_out_str(out, text);
		else
			out->error = -ENOMEM;
		free(text);
		ktrace_out_char(out, '\n');
	}
	ktrace_out_char(out, '\n');
}

/* Counts the characters of UTF-8, all as wide as one. */
static size_t width_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static void put_padded(struct rows *r, int i, const char *text, bool is_right)
{
	struct ktrace_out *out = r->a->out;
	const size_t width = width_of(text);
	size_t blanks = r->widths[i] > width ? r->widths[i] - width : 0;

	if (i)
		ktrace_out_str(out, "  ");
	for (; is_right && blanks; blanks--)
		ktrace_out_char(out, ' ');
	ktrace_out_str(out, text);
	for (; i < r->nr - 1 && blanks; blanks--)
		ktrace_out_char(out, ' ');
}

static void put_table_row(struct rows *r, char **cells)
{
	int i;

	for (i = 0; i < r->nr; i++) {
		if (cells[i])
			put_padded(r, i, cells[i], r->is_right[i]);
		else
			r->a->out->error = -ENOMEM;
		free(cells[i]);
		cells[i] = NULL;
	}
	ktrace_out_char(r->a->out, '\n');
}

/* Prints the head and the kept rows, whose widths are those of all. */
static void put_kept(struct rows *r)
{
	size_t i, width;
	int k;

	for (i = 0; i < r->kept * (size_t)r->nr; i++) {
		width = r->cells[i] ? width_of(r->cells[i]) : 0;
		width = width < WIDTH_MAX ? width : WIDTH_MAX;
		k = (int)(i % (size_t)r->nr);
		r->widths[k] = width > r->widths[k] ? width : r->widths[k];
	}
	for (k = 0; k < r->nr && r->a->has_heads; k++)
		put_padded(r, k, r->from->column(r->from, k), r->is_right[k]);
	if (r->a->has_heads)
		ktrace_out_char(r->a->out, '\n');
	for (i = 0; i < r->kept; i++)
		put_table_row(r, &r->cells[i * (size_t)r->nr]);
}

static void take_table_row(struct rows *r, size_t row)
{
	char **cells = &r->cells[(row < ROWS_KEPT ? row : 0) * (size_t)r->nr];
	int i;

	if (row == ROWS_KEPT)
		put_kept(r);
	for (i = 0; i < r->nr; i++)
		cells[i] = cell_text(r, i);
	if (row < ROWS_KEPT)
		r->kept++;
	else
		put_table_row(r, cells);
}

static void put_row(struct rows *r, size_t row)
{
	switch (r->a->mode) {
	case SHOW_JSON:
		put_json_row(r);
		break;
	case SHOW_CSV:
		put_csv_row(r, false);
		break;
	case SHOW_LIST:
		put_list_row(r, false);
		break;
	case SHOW_LINE:
		put_line_row(r);
		break;
	default:
		take_table_row(r, row);
	}
}

static void put_head(struct rows *r)
{
	if (r->a->mode == SHOW_CSV)
		put_csv_row(r, true);
	if (r->a->mode == SHOW_LIST && r->a->has_heads)
		put_list_row(r, true);
}

static int begin_rows(struct rows *r)
{
	const size_t nr = (size_t)r->nr;
	int i;

	r->widths = calloc(nr + 1, sizeof(*r->widths));
	r->is_right = calloc(nr + 1, sizeof(*r->is_right));
	r->cells = calloc(nr * ROWS_KEPT + 1, sizeof(*r->cells));
	if (!r->widths || !r->is_right || !r->cells)
		return -ENOMEM;
	for (i = 0; i < r->nr; i++)
		r->widths[i] = width_of(r->from->column(r->from, i));
	if (r->nr)
		put_head(r);
	return 0;
}

static void end_rows(struct rows *r)
{
	size_t i;

	for (i = 0; r->cells && i < (size_t)r->nr * ROWS_KEPT; i++)
		free(r->cells[i]);
	free(r->cells);
	free(r->widths);
	free(r->is_right);
}

/* True if output and the progress line are on one terminal, where they disturb each other. */
static bool is_disturbed(const struct rows *r)
{
	return r->is_terminal && r->a->mode != SHOW_TABLE;
}

int show_rows(struct ask *a, struct row_source *from)
{
	struct rows r = {
		.a = a, .from = from, .nr = from->columns(from),
		.is_terminal = isatty(STDOUT_FILENO),
	};
	size_t row = 0;
	int ret = begin_rows(&r);

	while (!ret && !a->out->error && (ret = from->step(from)) == 1) {
		if (is_disturbed(&r) || row == ROWS_KEPT)
			progress_end();
		put_row(&r, row++);
		ret = 0;
	}
	if (a->mode == SHOW_TABLE && row <= ROWS_KEPT && r.nr)
		put_kept(&r);
	end_rows(&r);
	return a->out->error ? a->out->error : ret;
}
