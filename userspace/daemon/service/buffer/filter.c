// SPDX-License-Identifier: GPL-2.0
/*
 * filter.c - a session's trace_filter
 *
 * The byte code is a sequence of varints, the last of which is a checksum. It lists, message by
 * message, the fields that may pass, as field << 3 | code: 1 as it is, 2 a range (its length
 * follows), 3 a message (its index follows), 4 a text, 5 a text of a kind (the kind follows); 0
 * ends the message. Message 0 is Trace. Texts pass as they are: the byte code has no rules for
 * them.
 */
#include "filter.h"

#include "base/fnv.h"
#include "service/ipc/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64
#define NOT_NESTED UINT32_MAX

enum {
	CODE_END,
	CODE_FIELD,
	CODE_RANGE,
	CODE_NESTED,
	CODE_TEXT,
	CODE_TEXT_OF_KIND,
};

/* Fields [first, first + nr) of a message may pass. */
struct row {
	uint32_t first;
	uint32_t nr;
	uint32_t nested;	/* index of the message in the field */
};

struct filter {
	struct row *rows;
	uint32_t row_nr;
	uint32_t *begins;	/* first row of each message; ends with the row count */
	uint32_t message_nr;
	uint32_t root;		/* TracePacket */
};

static const char no_memory[] = "out of memory";

struct words {
	uint32_t *at;
	size_t nr;
	size_t next;
};

/* Returns the lower half of FNV-1a over the bytes of the words. */
static uint32_t checksum(const uint32_t *words, size_t nr)
{
	uint64_t hash = FNV_BASIS;

	for (size_t i = 0; i < nr; i++) {
		const uint32_t word = htole32(words[i]);

		hash = fnv(hash, &word, sizeof(word));
	}
	return (uint32_t)hash;
}

static const char *read_words(struct words *w, const uint8_t *bytecode, size_t size)
{
	struct wire in = { bytecode, bytecode + size };

	w->at = calloc(size ? size : 1, sizeof(*w->at));
	if (!w->at)
		return no_memory;
	while (in.at < in.end) {
		uint64_t value;

		if (!wire_varint(&in, &value))
			return "a number is truncated";
		w->at[w->nr++] = (uint32_t)value;
	}
	if (!w->nr || checksum(w->at, w->nr - 1) != w->at[w->nr - 1])
		return "wrong checksum";
	w->nr--;
	return NULL;
}

/* Reads a field or range of the message whose first row is @begin. */
static const char *read_row(struct filter *f, struct words *w, uint32_t begin)
{
	const uint32_t code = w->at[w->next] & 7;
	struct row row = { w->at[w->next++] >> 3, 1, NOT_NESTED };
	const struct row *before = f->row_nr > begin ? &f->rows[f->row_nr - 1] : NULL;

	if (code > CODE_TEXT_OF_KIND)
		return "unknown code";
	if (!row.first)
		return "field 0";
	if (code == CODE_RANGE || code == CODE_NESTED || code == CODE_TEXT_OF_KIND) {
		if (w->next == w->nr)
			return "it ends in the middle of a field";
		if (code == CODE_RANGE)
			row.nr = w->at[w->next];
		if (code == CODE_NESTED)
			row.nested = w->at[w->next];
		w->next++;
	}
	if (before && row.first < before->first + before->nr)
		return "fields are not in ascending order";
	if (row.nr > UINT32_MAX - row.first)
		return "a range is too long";
	f->rows[f->row_nr++] = row;
	return NULL;
}

static const char *read_messages(struct filter *f, struct words *w)
{
	const char *error = NULL;
	uint32_t begin = 0;

	while (!error && w->next < w->nr) {
		if (w->at[w->next] == CODE_END) {
			f->begins[f->message_nr++] = begin;
			begin = f->row_nr;
			w->next++;
		} else {
			error = read_row(f, w, begin);
		}
	}
	if (error)
		return error;
	if (begin != f->row_nr || !f->message_nr)
		return "the last message has no end";
	f->begins[f->message_nr] = begin;
	for (uint32_t i = 0; i < f->row_nr; i++)
		if (f->rows[i].nested != NOT_NESTED && f->rows[i].nested >= f->message_nr)
			return "a field refers to a message that does not exist";
	return NULL;
}

static const struct row *find(const struct filter *f, uint32_t message, uint32_t field)
{
	uint32_t low = f->begins[message], high = f->begins[message + 1];

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		const struct row *row = &f->rows[middle];

		if (field < row->first)
			high = middle;
		else if (field - row->first >= row->nr)
			low = middle + 1;
		else
			return row;
	}
	return NULL;
}

static const char *load(struct filter *f, struct words *w)
{
	const struct row *packet;
	const char *error;

	f->rows = calloc(w->nr + 1, sizeof(*f->rows));
	f->begins = calloc(w->nr + 1, sizeof(*f->begins));
	if (!f->rows || !f->begins)
		return no_memory;
	error = read_messages(f, w);
	if (error)
		return error;
	packet = find(f, 0, 1);
	if (!packet || packet->nested == NOT_NESTED)
		return "it lets no packets pass";
	f->root = packet->nested;
	return NULL;
}

int filter_load(struct filter **out, const uint8_t *bytecode, size_t size, const char **error)
{
	struct filter *f = calloc(1, sizeof(*f));
	struct words w = { 0 };
	const char *why = no_memory;

	if (f)
		why = read_words(&w, bytecode, size);
	if (f && !why)
		why = load(f, &w);
	free(w.at);
	if (why) {
		filter_free(f);
		*error = why;
		return why == no_memory ? -ENOMEM : -EINVAL;
	}
	*out = f;
	return 0;
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	free(f->rows);
	free(f->begins);
	free(f);
}

/* Writes a size in exactly @room bytes, however small it is. */
static void put_size(uint8_t *to, size_t room, size_t size)
{
	for (; room > 1; room--, size >>= 7)
		*to++ = (uint8_t)(size | 0x80);
	*to = (uint8_t)size;
}

static uint8_t *filter_message(const struct filter *f, uint32_t message, struct wire w,
			       uint8_t *out, int depth);

/* Filters a message in @field: the result is not longer, so its size fits. */
static uint8_t *filter_nested(const struct filter *f, uint32_t message,
			      const struct wire_field *field, uint8_t *out, int depth)
{
	const struct wire w = { field->data, field->data + field->size };
	uint8_t *size, *begin, *end;

	size = wire_put_varint(out, (uint64_t)field->number << 3 | WIRE_BYTES);
	begin = wire_put_varint(size, field->size);
	end = filter_message(f, message, w, begin, depth);
	if (end)
		put_size(size, (size_t)(begin - size), (size_t)(end - begin));
	return end;
}

static uint8_t *filter_message(const struct filter *f, uint32_t message, struct wire w,
			       uint8_t *out, int depth)
{
	struct wire_field field;

	if (depth > DEPTH_MAX)
		return NULL;
	while (out && w.at < w.end) {
		const struct row *row;

		if (!wire_next(&w, &field))
			return NULL;
		row = find(f, message, field.number);
		if (!row || (row->nested != NOT_NESTED && field.type != WIRE_BYTES))
			continue;
		if (row->nested != NOT_NESTED) {
			out = filter_nested(f, row->nested, &field, out, depth + 1);
		} else {
			memcpy(out, field.begin, (size_t)(w.at - field.begin));
			out += w.at - field.begin;
		}
	}
	return out;
}

ptrdiff_t filter_packet(struct filter *f, const uint8_t *packet, size_t size, uint8_t *out)
{
	const struct wire w = { packet, packet + size };
	const uint8_t *end = filter_message(f, f->root, w, out, 0);

	return end ? end - out : -EINVAL;
}
