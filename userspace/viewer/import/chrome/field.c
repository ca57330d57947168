// SPDX-License-Identifier: GPL-2.0
/* field.c - members of JSON objects as fields of events */
#include "chrome.h"

#include <errno.h>
#include <stdlib.h>

#define NAME_SIZE 256
/* Number of callers that are followed */
#define STACK_MAX 256

/* Appends @v to the description as an array, if it has only integers. */
static bool put_array(struct chrome *c, const char *name, const struct json_value *v)
{
	struct ktrace_out *to = &c->b.payload;
	const size_t begin = to->len;
	struct json_iterator it;
	struct json_value key, one;
	__u32 nr = 0;
	__u64 number;
	bool is_big;
	int ret;

	json_enter(&it, v);
	ktrace_out_bytes(to, (const char *)&nr, sizeof(nr));
	while ((ret = json_next(&it, &key, &one)) == 1) {
		if (!json_integer(&one, &number, &is_big) || is_big)
			break;
		ktrace_out_bytes(to, (const char *)&number, sizeof(number));
		nr++;
	}
	/* An empty array may be one of anything, unless it is ktrace's. */
	if (ret || (!nr && !c->is_own) || to->error) {
		to->len = begin;
		return false;
	}
	memcpy(to->buf + begin, &nr, sizeof(nr));
	ktrace_out_str(&c->b.desc, "s64[] ");
	import_writer_name(&c->b.desc, name);
	ktrace_out_char(&c->b.desc, ';');
	return true;
}

static void put_number(struct chrome *c, const char *name, const struct json_value *v)
{
	bool is_big;
	__u64 n;

	if (!json_integer(v, &n, &is_big))
		builder_double(&c->b, name, json_double(v));
	else
		builder_u64(&c->b, is_big ? "u64" : "s64", name, n);
}

static void put_text(struct chrome *c, const char *name, const struct json_value *v)
{
	c->text.len = 0;
	json_text(&c->text, v);
	builder_text(&c->b, name, c->text.buf, c->text.len);
}

/* Integers that JavaScript cannot represent, and hexadecimal ones, are text in ktrace's exports. */
static bool put_own_text(struct chrome *c, const char *name, const struct json_value *v)
{
	struct json_value number = *v;
	bool is_big, is_hex = v->size > 2 && !memcmp(v->at, "0x", 2);
	char text[24], *end;
	__u64 n;

	if (v->size >= sizeof(text) || (!is_hex && v->size < 16))
		return false;
	number.kind = JSON_NUMBER;
	if (!is_hex && json_integer(&number, &n, &is_big)) {
		builder_u64(&c->b, is_big ? "u64" : "s64", name, n);
		return true;
	}
	json_copy(v, text, sizeof(text));
	n = strtoull(text, &end, 16);
	if (!is_hex || *end)
		return false;
	builder_u64(&c->b, "x64", name, n);
	return true;
}

void chrome_put_named(struct chrome *c, const char *name, const struct json_value *v)
{
	if (!v->at)
		return;
	switch (v->kind) {
	case JSON_NUMBER:
		put_number(c, name, v);
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		builder_u64(&c->b, "u8", name, v->kind == JSON_TRUE);
		break;
	case JSON_STRING:
		if (!c->is_own || !put_own_text(c, name, v))
			put_text(c, name, v);
		break;
	case JSON_ARRAY:
		if (put_array(c, name, v))
			break;
		/* fallthrough */
	default:
		put_text(c, name, v);
	}
}

void chrome_put_field(struct chrome *c, const struct json_value *key, const struct json_value *v)
{
	char name[NAME_SIZE];

	json_copy(key, name, sizeof(name));
	chrome_put_named(c, name, v);
}

void chrome_put_args(struct chrome *c, const struct json_value *args)
{
	struct json_value key, value;
	struct json_iterator it;
	int ret;

	if (!args->at)
		return;
	if (args->kind != JSON_OBJECT) {
		chrome_put_named(c, "args", args);
		return;
	}
	json_enter(&it, args);
	while ((ret = json_next(&it, &key, &value)) == 1)
		chrome_put_field(c, &key, &value);
	if (ret)
		chrome_put_named(c, "args", args);
}

static const struct chrome_frame *frame_of(const struct chrome *c, const struct json_value *id)
{
	struct chrome_frame key;

	json_copy(id, key.id, sizeof(key.id));
	return hash_table_find(&c->frames, &key);
}

/* Appends the name of a frame; returns its caller's id in @parent. */
static void put_frame(struct chrome *c, const struct chrome_frame *frame, struct json_value *parent)
{
	const struct json_value object = { JSON_OBJECT, frame->at, frame->size };
	struct json_value key, value;
	struct json_iterator it;

	*parent = (struct json_value){ 0 };
	json_enter(&it, &object);
	while (json_next(&it, &key, &value) == 1)
		if (json_is(&key, "name"))
			json_text(&c->text, &value);
		else if (json_is(&key, "parent"))
			*parent = value;
}

void chrome_put_stack(struct chrome *c, const struct json_value *id)
{
	struct json_value next = *id;
	const struct chrome_frame *frame;

	c->text.len = 0;
	for (int i = 0; i < STACK_MAX && next.at && (frame = frame_of(c, &next)); i++) {
		if (i)
			ktrace_out_char(&c->text, ';');
		put_frame(c, frame, &next);
	}
	if (c->text.len)
		builder_text(&c->b, "callchain", c->text.buf, c->text.len);
	else
		chrome_put_named(c, "sf", id);
}
