// SPDX-License-Identifier: GPL-2.0
/* pbtxt.c - builds messages from protobuf's text format */
#include "pbtxt.h"

#include "pbtxt_token.h"

#include <errno.h>
#include <ktrace/nearest.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64
#define NUMBER_MAX 64

typedef ProtobufCMessage Message;
typedef const ProtobufCMessageDescriptor MessageType;
typedef const ProtobufCFieldDescriptor FieldType;

struct parser {
	struct token_reader in;
	struct pbtxt_error *error;
	int depth;
};

/* One parsed value, until it is stored in its message */
union value {
	int32_t int32;
	uint32_t uint32;
	int64_t int64;
	uint64_t uint64;
	float number32;
	double number;
	protobuf_c_boolean truth;
	char *string;
	ProtobufCBinaryData bytes;
	Message *message;
};

__attribute__((format(printf, 3, 4)))
static int fail_at(struct parser *p, const struct token *t, const char *format, ...)
{
	va_list args;

	p->error->line = t->line;
	p->error->column = t->column;
	va_start(args, format);
	vsnprintf(p->error->text, sizeof(p->error->text), format, args);
	va_end(args);
	return -EINVAL;
}

/* Returns how many bytes of a word an error message shows: at most 40. */
static int shown(const struct token *t)
{
	return t->size > 40 ? 40 : (int)t->size;
}

static int fail_expected(struct parser *p, const char *what)
{
	const struct token *t = &p->in.token;

	if (t->kind == TOKEN_END)
		return fail_at(p, t, "%s expected, but the text ends here", what);
	if (t->kind == TOKEN_BAD)
		return fail_at(p, t, "this string has no end on its line");
	return fail_at(p, t, "%s expected, not %.*s", what, shown(t), t->text);
}

static size_t value_size(ProtobufCType type)
{
	switch (type) {
	case PROTOBUF_C_TYPE_STRING:
	case PROTOBUF_C_TYPE_MESSAGE:
		return sizeof(void *);
	case PROTOBUF_C_TYPE_BYTES:
		return sizeof(ProtobufCBinaryData);
	case PROTOBUF_C_TYPE_BOOL:
		return sizeof(protobuf_c_boolean);
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_SINT64:
	case PROTOBUF_C_TYPE_SFIXED64:
	case PROTOBUF_C_TYPE_UINT64:
	case PROTOBUF_C_TYPE_FIXED64:
	case PROTOBUF_C_TYPE_DOUBLE:
		return 8;
	default:
		return 4;
	}
}

static void free_value(FieldType *field, union value *v)
{
	if (field->type == PROTOBUF_C_TYPE_STRING)
		free(v->string);
	else if (field->type == PROTOBUF_C_TYPE_BYTES)
		free(v->bytes.data);
	else if (field->type == PROTOBUF_C_TYPE_MESSAGE)
		protobuf_c_message_free_unpacked(v->message, NULL);
}

/* Copies the current token and ends it with a zero; false if it is no word or too long. */
static bool copy_word(const struct token *t, char word[NUMBER_MAX])
{
	if ((t->kind != TOKEN_NUMBER && t->kind != TOKEN_NAME) || t->size >= NUMBER_MAX)
		return false;
	memcpy(word, t->text, t->size);
	word[t->size] = '\0';
	return true;
}

static int parse_signed(struct parser *p, int64_t min, int64_t max, int64_t *value)
{
	const struct token *t = &p->in.token;
	char word[NUMBER_MAX], *end;

	if (t->kind != TOKEN_NUMBER || !copy_word(t, word))
		return fail_expected(p, "an integer");
	errno = 0;
	*value = strtoll(word, &end, 0);
	if (*end)
		return fail_expected(p, "an integer");
	if (errno || *value < min || *value > max)
		return fail_at(p, t, "%s is not between %lld and %lld", word, (long long)min,
			       (long long)max);
	return 0;
}

static int parse_unsigned(struct parser *p, uint64_t max, uint64_t *value)
{
	const struct token *t = &p->in.token;
	char word[NUMBER_MAX], *end;

	if (t->kind != TOKEN_NUMBER || !copy_word(t, word))
		return fail_expected(p, "an integer");
	errno = 0;
	*value = strtoull(word, &end, 0);
	if (*end)
		return fail_expected(p, "an integer");
	if (errno || *word == '-' || *value > max)
		return fail_at(p, t, "%s is not between 0 and %llu", word, (unsigned long long)max);
	return 0;
}

static int parse_float(struct parser *p, double *value)
{
	const struct token *t = &p->in.token;
	char word[NUMBER_MAX], *end;

	if (!copy_word(t, word))
		return fail_expected(p, "a number");
	*value = strtod(word, &end);
	if (end == word || (*end && strcmp(end, "f")))
		return fail_expected(p, "a number");
	return 0;
}

static int parse_truth(struct parser *p, protobuf_c_boolean *value)
{
	static const char *const words[2][4] = {
		{ "false", "False", "f", "0" }, { "true", "True", "t", "1" },
	};
	char word[NUMBER_MAX];

	if (copy_word(&p->in.token, word))
		for (int i = 0; i < 8; i++)
			if (!strcmp(word, words[i / 4][i % 4])) {
				*value = i / 4;
				return 0;
			}
	return fail_expected(p, "true or false");
}

/* Fails with "no such name"; all valid names have been tried with @near. */
static int fail_name(struct parser *p, const struct token *t, const char *type, const char *what,
		     struct ktrace_nearest *near)
{
	return fail_at(p, t, "%s has no %s %.*s%s", type, what, shown(t), t->text,
		       ktrace_nearest_hint(near));
}

static int fail_value(struct parser *p, const struct token *t, const char *word,
		      const ProtobufCEnumDescriptor *type)
{
	struct ktrace_nearest near;

	ktrace_nearest_init(&near, word);
	for (unsigned int i = 0; i < type->n_values; i++)
		ktrace_nearest_try(&near, type->values[i].name);
	return fail_name(p, t, type->short_name, "value", &near);
}

static int fail_field(struct parser *p, const struct token *t, const char *word, MessageType *type)
{
	struct ktrace_nearest near;

	ktrace_nearest_init(&near, word);
	for (unsigned int i = 0; i < type->n_fields; i++)
		ktrace_nearest_try(&near, type->fields[i].name);
	return fail_name(p, t, type->short_name, "field", &near);
}

static int parse_enum(struct parser *p, const ProtobufCEnumDescriptor *type, uint32_t *value)
{
	const struct token *t = &p->in.token;
	const ProtobufCEnumValue *found = NULL;
	char word[NUMBER_MAX] = "";
	int64_t number;
	int r;

	if (t->kind == TOKEN_NUMBER) {
		r = parse_signed(p, INT32_MIN, INT32_MAX, &number);
		*value = (uint32_t)number;
		return r;
	}
	if (t->kind != TOKEN_NAME)
		return fail_expected(p, "a name");
	if (copy_word(t, word))
		found = protobuf_c_enum_descriptor_get_value_by_name(type, word);
	if (!found)
		return fail_value(p, t, word, type);
	*value = (uint32_t)found->value;
	return 0;
}

/* Joins adjacent strings into one. Moves past the last of them. */
static int parse_string(struct parser *p, char **out, size_t *size)
{
	char *string = NULL, *end;

	*size = 0;
	do {
		const struct token t = p->in.token;
		char *longer;

		if (t.kind != TOKEN_STRING) {
			free(string);
			return fail_expected(p, "a string in quotes");
		}
		longer = realloc(string, *size + t.size + 1);
		if (!longer) {
			free(string);
			return -ENOMEM;
		}
		string = longer;
		end = token_string(&t, string + *size);
		if (!end) {
			free(string);
			return fail_at(p, &t, "this string has an escape that there is not");
		}
		*size = (size_t)(end - string);
		*end = '\0';
		token_next(&p->in);
	} while (p->in.token.kind == TOKEN_STRING || p->in.token.kind == TOKEN_BAD);
	*out = string;
	return 0;
}

static int parse_text(struct parser *p, bool is_text, union value *v)
{
	const struct token begin = p->in.token;
	char *string = NULL;
	size_t size = 0;
	int r = parse_string(p, &string, &size);

	if (r)
		return r;
	if (is_text && memchr(string, '\0', size)) {
		free(string);
		return fail_at(p, &begin, "this string has a zero byte in it");
	}
	if (is_text)
		v->string = string;
	else
		v->bytes = (ProtobufCBinaryData){ size, (uint8_t *)string };
	return 0;
}

static int parse_number(struct parser *p, FieldType *field, union value *v)
{
	double number = 0;
	int64_t s = 0;
	uint64_t u = 0;
	int r;

	switch (field->type) {
	case PROTOBUF_C_TYPE_INT32:
	case PROTOBUF_C_TYPE_SINT32:
	case PROTOBUF_C_TYPE_SFIXED32:
		r = parse_signed(p, INT32_MIN, INT32_MAX, &s);
		v->int32 = (int32_t)s;
		break;
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_SINT64:
	case PROTOBUF_C_TYPE_SFIXED64:
		r = parse_signed(p, INT64_MIN, INT64_MAX, &v->int64);
		break;
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_FIXED32:
		r = parse_unsigned(p, UINT32_MAX, &u);
		v->uint32 = (uint32_t)u;
		break;
	case PROTOBUF_C_TYPE_UINT64:
	case PROTOBUF_C_TYPE_FIXED64:
		r = parse_unsigned(p, UINT64_MAX, &v->uint64);
		break;
	case PROTOBUF_C_TYPE_FLOAT:
		r = parse_float(p, &number);
		v->number32 = (float)number;
		break;
	case PROTOBUF_C_TYPE_DOUBLE:
		r = parse_float(p, &v->number);
		break;
	case PROTOBUF_C_TYPE_BOOL:
		r = parse_truth(p, &v->truth);
		break;
	default:
		r = parse_enum(p, field->descriptor, &v->uint32);
	}
	if (!r)
		token_next(&p->in);
	return r;
}

static int parse_message(struct parser *p, MessageType *type, Message **out);

static int parse_nested(struct parser *p, MessageType *type, Message **out)
{
	const struct token open = p->in.token;
	const char close = token_is(&open, '<') ? '>' : '}';
	int r;

	if (!token_is(&open, '{') && !token_is(&open, '<'))
		return fail_expected(p, "{");
	if (p->depth == DEPTH_MAX)
		return fail_at(p, &open, "messages are nested more than %d times", DEPTH_MAX);
	p->depth++;
	token_next(&p->in);
	r = parse_message(p, type, out);
	p->depth--;
	if (r)
		return r;
	if (token_is(&p->in.token, close)) {
		token_next(&p->in);
		return 0;
	}
	protobuf_c_message_free_unpacked(*out, NULL);
	if (p->in.token.kind == TOKEN_END)
		return fail_at(p, &open, "this %c is not closed", *open.text);
	return fail_expected(p, close == '}' ? "a field or }" : "a field or >");
}

static int parse_value(struct parser *p, FieldType *field, union value *v)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_MESSAGE:
		return parse_nested(p, field->descriptor, &v->message);
	case PROTOBUF_C_TYPE_STRING:
		return parse_text(p, true, v);
	case PROTOBUF_C_TYPE_BYTES:
		return parse_text(p, false, v);
	default:
		return parse_number(p, field, v);
	}
}

static void *member(Message *m, unsigned int offset)
{
	return (char *)m + offset;
}

static int add_value(Message *m, FieldType *field, const union value *v)
{
	const size_t size = value_size(field->type);
	size_t *nr = member(m, field->quantifier_offset);
	char **array = member(m, field->offset);
	char *longer = realloc(*array, (*nr + 1) * size);

	if (!longer)
		return -ENOMEM;
	memcpy(longer + *nr * size, v, size);
	*array = longer;
	(*nr)++;
	return 0;
}

/* Points to the id of the oneof field that is set, 0 = none; NULL: @field is in no oneof. */
static uint32_t *choice_of(Message *m, FieldType *field)
{
	const bool is_choice = field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF;

	return is_choice ? member(m, field->quantifier_offset) : NULL;
}

static bool is_set(Message *m, FieldType *field)
{
	const uint32_t *choice = choice_of(m, field);

	if (choice)
		return *choice;
	if (field->type == PROTOBUF_C_TYPE_MESSAGE || field->type == PROTOBUF_C_TYPE_STRING)
		return *(void **)member(m, field->offset);
	return *(protobuf_c_boolean *)member(m, field->quantifier_offset);
}

static void set_value(Message *m, FieldType *field, const union value *v)
{
	uint32_t *choice = choice_of(m, field);

	memcpy(member(m, field->offset), v, value_size(field->type));
	if (choice)
		*choice = field->id;
	else if (field->type != PROTOBUF_C_TYPE_MESSAGE && field->type != PROTOBUF_C_TYPE_STRING)
		*(protobuf_c_boolean *)member(m, field->quantifier_offset) = true;
}

static int parse_one(struct parser *p, Message *m, FieldType *field)
{
	union value v = { 0 };
	int r = parse_value(p, field, &v);

	if (r)
		return r;
	if (field->label == PROTOBUF_C_LABEL_REPEATED) {
		r = add_value(m, field, &v);
		if (r)
			free_value(field, &v);
		return r;
	}
	set_value(m, field, &v);
	return 0;
}

/* [ value, value ] */
static int parse_list(struct parser *p, Message *m, FieldType *field)
{
	int r;

	token_next(&p->in);
	if (token_is(&p->in.token, ']')) {
		token_next(&p->in);
		return 0;
	}
	for (;;) {
		r = parse_one(p, m, field);
		if (r)
			return r;
		if (token_is(&p->in.token, ']'))
			break;
		if (!token_is(&p->in.token, ','))
			return fail_expected(p, ", or ]");
		token_next(&p->in);
	}
	token_next(&p->in);
	return 0;
}

static FieldType *field_by_id(Message *m, uint32_t id)
{
	return protobuf_c_message_descriptor_get_field(m->descriptor, id);
}

static int check_twice(struct parser *p, Message *m, FieldType *field, const struct token *name)
{
	const uint32_t *choice = choice_of(m, field);

	if (field->label == PROTOBUF_C_LABEL_REPEATED || !is_set(m, field))
		return 0;
	if (choice && *choice != field->id)
		return fail_at(p, name, "%s and %s exclude each other",
			       field_by_id(m, *choice)->name, field->name);
	return fail_at(p, name, "%s is given twice", field->name);
}

static int parse_field(struct parser *p, Message *m)
{
	const struct token name = p->in.token;
	FieldType *field = NULL;
	char word[NUMBER_MAX] = "";
	int r;

	if (copy_word(&name, word))
		field = protobuf_c_message_descriptor_get_field_by_name(m->descriptor, word);
	if (!field)
		return fail_field(p, &name, word, m->descriptor);
	r = check_twice(p, m, field, &name);
	if (r)
		return r;
	token_next(&p->in);
	if (token_is(&p->in.token, ':'))
		token_next(&p->in);
	else if (field->type != PROTOBUF_C_TYPE_MESSAGE)
		return fail_expected(p, ":");
	if (field->label == PROTOBUF_C_LABEL_REPEATED && token_is(&p->in.token, '['))
		r = parse_list(p, m, field);
	else
		r = parse_one(p, m, field);
	if (!r && (token_is(&p->in.token, ',') || token_is(&p->in.token, ';')))
		token_next(&p->in);
	return r;
}

/* Reads fields up to the first token that is not a name. */
static int parse_message(struct parser *p, MessageType *type, Message **out)
{
	Message *m = malloc(type->sizeof_message);
	int r = 0;

	if (!m)
		return -ENOMEM;
	protobuf_c_message_init(type, m);
	while (!r && p->in.token.kind == TOKEN_NAME)
		r = parse_field(p, m);
	if (r)
		protobuf_c_message_free_unpacked(m, NULL);
	else
		*out = m;
	return r;
}

int pbtxt_parse(const ProtobufCMessageDescriptor *type, const char *text, size_t size,
		ProtobufCMessage **out, struct pbtxt_error *error)
{
	struct parser p = { .error = error };
	int r;

	token_begin(&p.in, text, size);
	r = parse_message(&p, type, out);
	if (r || p.in.token.kind == TOKEN_END)
		return r;
	protobuf_c_message_free_unpacked(*out, NULL);
	return fail_expected(&p, "the name of a field");
}
