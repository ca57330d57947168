// SPDX-License-Identifier: GPL-2.0
/*
 * fold.c - folded stacks: lines "a;b;c NUMBER" for flame graphs
 *
 * Sums are kept by stack numbers. At the end each number is translated to names once, and lines
 * that have become equal are merged.
 */
#include "fold.h"

#include "base/json.h"
#include "base/viewer.h"
#include "context.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* struct sum - the sum of a key; @raw: stamp of the first event that had it */
struct sum {
	struct fold_key key;
	__u64 raw;
	__u64 number;
};

/* struct folded - a line of output */
struct folded {
	char *text;
	__u64 number;
};

void fold_init(struct fold *f)
{
	*f = (struct fold){ .rows = HASH_TABLE_INIT(struct sum, key) };
}

void fold_frame(struct fold_key *key, const char *name)
{
	size_t n = strlen(key->head);

	if (n && n < sizeof(key->head) - 1)
		key->head[n++] = ';';
	for (; *name && n < sizeof(key->head) - 1; name++)
		key->head[n++] = (char)(*name == ';' ? ':' : *name);
}

int fold_add(struct fold *f, const struct fold_key *key, __u64 raw, __u64 number)
{
	const size_t nr = f->rows.nr;
	struct sum *sum = hash_table_get(&f->rows, key);

	if (!sum)
		return -ENOMEM;
	if (f->rows.nr > nr)
		sum->raw = raw;
	sum->number += number;
	return 0;
}

bool fold_stacks(const struct fold *f, struct fold_key *key, const struct ktrace_trace_event *e)
{
	key->trace = e->stream->trace;
	if (!f->no_kernel)
		ktrace_event_find_item(e, KTRACE_ITEM_KSTACK, &key->kernel);
	if (!f->no_user)
		ktrace_event_find_item(e, KTRACE_ITEM_USTACK, &key->user);
	return key->kernel || key->user;
}

int fold_event(struct fold *f, const struct ktrace_trace_event *e)
{
	struct fold_key key = { .trace = NULL };
	const char *comm;

	if (!fold_stacks(f, &key, e)) {
		f->without += e->id != KTRACE_ID_LOST;
		return 0;
	}
	comm = e->tid ? ktrace_trace_comm(key.trace, e->tid, e->raw) : "swapper";
	fold_frame(&key, comm && *comm ? comm : "?");
	return fold_add(f, &key, e->raw, 1);
}

void fold_complain(const struct fold *f)
{
	if (f->without)
		fprintf(stderr, "ktrace: %llu events had no stack%s\n",
			(unsigned long long)f->without, f->rows.nr ? "" :
			": 'ktraced --context kstack,ustack' records them");
}

/* Writes a stack, outermost frame first. */
static void put_stack(struct fold *f, struct ktrace_out *out, const struct sum *sum, __u64 number)
{
	struct frame frame = { .trace = sum->key.trace, .raw = sum->raw };

	frame.stack = number ? ktrace_trace_stack(frame.trace, number) : NULL;
	if (number && !frame.stack)
		ktrace_out_str(out, ";[unknown]");
	for (frame.i = frame.stack ? frame.stack->nr : 0; frame.i--;) {
		ktrace_out_char(out, ';');
		context_put_function(out, f->symbols, &frame);
	}
}

static int fold_line(struct fold *f, const struct sum *sum, struct folded *to)
{
	struct ktrace_out out = { .flush = output_grow };
	char head[FOLD_HEAD];

	out.error = output_grow(&out);
	memcpy(head, sum->key.head, sizeof(head));
	ktrace_out_safe(&out, head);
	put_stack(f, &out, sum, sum->key.user);
	put_stack(f, &out, sum, sum->key.kernel);
	ktrace_out_char(&out, '\0');
	to->text = out.error ? NULL : strdup(out.buf);
	to->number = sum->number;
	free(out.buf);
	return to->text ? 0 : -ENOMEM;
}

static int by_text(const void *x, const void *y)
{
	return strcmp(((const struct folded *)x)->text, ((const struct folded *)y)->text);
}

static int by_number(const void *x, const void *y)
{
	const struct folded *a = x, *b = y;

	return a->number != b->number ? (a->number < b->number ? 1 : -1) : by_text(x, y);
}

/* Merges lines with the same text. Return: the number of lines left. */
static size_t join(struct folded *lines, size_t nr)
{
	size_t i, left = 0;

	qsort(lines, nr, sizeof(*lines), by_text);
	for (i = 0; i < nr; i++) {
		if (left && !strcmp(lines[left - 1].text, lines[i].text)) {
			lines[left - 1].number += lines[i].number;
			free(lines[i].text);
		} else {
			lines[left++] = lines[i];
		}
	}
	qsort(lines, left, sizeof(*lines), by_number);
	return left;
}

static void print_text(struct ktrace_out *out, const struct folded *line)
{
	output_line_begin(out);
	ktrace_out_str(out, line->text);
	ktrace_out_char(out, ' ');
	ktrace_out_u64(out, line->number);
	ktrace_out_char(out, '\n');
}

/* Splits at semicolons; names contain none, see fold_frame(). */
static void print_json(struct ktrace_out *out, const struct folded *line)
{
	const char *at = line->text;
	size_t len;

	output_line_begin(out);
	ktrace_out_char(out, '{');
	json_u64(out, "events", line->number);
	json_open(out, "stack", '[');
	for (; *at; at += len + (at[len] == ';')) {
		len = strcspn(at, ";");
		output_line_begin(out);
		json_element(out);
		ktrace_out_json(out, at, len);
	}
	ktrace_out_str(out, "]}\n");
}

int fold_print(struct fold *f)
{
	struct folded *lines = calloc(f->rows.nr + 1, sizeof(*lines));
	struct ktrace_out *out = output();
	size_t nr = 0, i;
	int ret = lines ? 0 : -ENOMEM;

	for (i = 0; i < f->rows.nr && !ret; i++) {
		ret = fold_line(f, hash_table_at(&f->rows, i), &lines[nr]);
		nr += !ret;
	}
	if (!ret)
		nr = join(lines, nr);
	for (i = 0; i < nr; i++) {
		if (!ret)
			(f->is_json ? print_json : print_text)(out, &lines[i]);
		free(lines[i].text);
	}
	free(lines);
	return ret;
}

void fold_free(struct fold *f)
{
	symbols_free(f->symbols);
	hash_table_free(&f->rows);
}
