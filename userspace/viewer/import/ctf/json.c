// SPDX-License-Identifier: GPL-2.0
/*
 * json.c - reads the metadata of CTF 2: a sequence of JSON objects, the fragments
 *
 * A field class can be shared by name, so classes form a graph without cycles; its depth is
 * limited. Drafts of CTF 2 had separate types for enums, and locations as a plain array; both are
 * accepted. json_class.c reads the field classes.
 */
#include "json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/viewer.h"
#include "json_class.h"

bool json_fail(struct json_parser *p, const char *format, ...)
{
	va_list args;

	if (p->error[0])
		return false;
	va_start(args, format);
	vsnprintf(p->error, sizeof(p->error), format, args);
	va_end(args);
	return false;
}

bool json_number(struct json_parser *p, const json_t *object, const char *key, __s64 *number)
{
	const json_t *v = json_object_get(object, key);

	if (v && !json_is_integer(v))
		return json_fail(p, "\"%s\" is not an integer", key);
	if (v)
		*number = json_integer_value(v);
	return true;
}

/* Copies a text that may be missing. */
static bool take_text(struct json_parser *p, const json_t *object, const char *key, char **text)
{
	const json_t *v = json_object_get(object, key);

	if (!v)
		return true;
	if (!json_is_string(v))
		return json_fail(p, "\"%s\" is not text", key);
	free(*text);
	*text = strdup(json_string_value(v));
	return *text || json_fail(p, "out of memory");
}

/* Reads 16 numbers. */
static bool take_uuid(struct json_parser *p, const json_t *array)
{
	if (!array)
		return true;
	if (json_array_size(array) != 16)
		return json_fail(p, "\"uuid\" does not have 16 numbers");
	for (size_t i = 0; i < 16; i++)
		p->schema->uuid[i] =
			(unsigned char)json_integer_value(json_array_get(array, i));
	p->schema->has_uuid = true;
	return true;
}

static bool take_preamble(struct json_parser *p, const json_t *f)
{
	const json_t *extensions = json_object_get(f, "extensions");
	__s64 version = 0;

	if (!json_number(p, f, "version", &version))
		return false;
	if (version != 2)
		return json_fail(p, "version %" PRId64 " of CTF is unknown", (int64_t)version);
	if (json_object_size(extensions))
		return json_fail(p, "needs the extension \"%s\", which ktrace does not know",
				 json_object_iter_key(json_object_iter((json_t *)extensions)));
	return take_uuid(p, json_object_get(f, "uuid"));
}

static bool take_alias(struct json_parser *p, const json_t *f)
{
	const char *name = json_string_value(json_object_get(f, "name"));
	struct ctf_class *class = json_class(p, json_object_get(f, "field-class"), 0);
	struct json_alias *alias;

	if (!class || !name)
		return json_fail(p, "an alias without a name");
	alias = calloc(1, sizeof(*alias));
	if (!alias || !(alias->name = strdup(name))) {
		free(alias);
		return json_fail(p, "out of memory");
	}
	alias->class = class;
	alias->next = p->aliases;
	p->aliases = alias;
	return true;
}

static bool add_env(struct json_parser *p, const char *key, const json_t *value)
{
	struct ctf_env *env = calloc(1, sizeof(*env));

	if (!env)
		return json_fail(p, "out of memory");
	env->next = p->schema->env;
	p->schema->env = env;
	env->key = strdup(key);
	if (json_is_string(value))
		env->text = strdup(json_string_value(value));
	else
		env->number = json_integer_value(value);
	return (env->key && (env->text || !json_is_string(value))) ||
	       json_fail(p, "out of memory");
}

/* Reads a class that must be a struct and may be missing. */
static bool take_struct(struct json_parser *p, const json_t *f, const char *key,
			struct ctf_class **class)
{
	const json_t *v = json_object_get(f, key);

	if (!v)
		return true;
	*class = json_class(p, v, 0);
	if (*class && (*class)->kind != CTF_STRUCT) {
		*class = NULL;
		return json_fail(p, "\"%s\" is not a structure", key);
	}
	return *class;
}

static bool take_trace(struct json_parser *p, const json_t *f)
{
	json_t *env = json_object_get(f, "environment"), *value;
	const char *key;

	json_object_foreach(env, key, value)
		if (!add_env(p, key, value))
			return false;
	/* Drafts had the UUID here. */
	return take_uuid(p, json_object_get(f, "uuid")) &&
	       take_struct(p, f, "packet-header-field-class", &p->schema->packet_header);
}

/* Makes the text of a clock's UUID in drafts, so that it compares with that of other traces. */
static bool take_clock_uuid(struct ctf_clock *clock, const json_t *array)
{
	char text[37];

	if (clock->uid || json_array_size(array) != 16)
		return true;
	for (int i = 0, at = 0; i < 16; i++)
		at += sprintf(text + at, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
			      (unsigned char)json_integer_value(json_array_get(array, (size_t)i)));
	clock->uid = strdup(text);
	return clock->uid;
}

static bool fill_clock(struct json_parser *p, const json_t *f, struct ctf_clock *clock)
{
	const json_t *origin = json_object_get(f, "origin");
	const json_t *offset = json_object_get(f, "offset-from-origin");
	__s64 hz = 0, cycles = 0;

	if (!take_text(p, f, "id", &clock->id) || !take_text(p, f, "name", &clock->name) ||
	    !take_text(p, f, "uid", &clock->uid) || !json_number(p, f, "frequency", &hz) ||
	    !json_number(p, offset, "seconds", &clock->seconds) ||
	    !json_number(p, offset, "cycles", &cycles) ||
	    !take_clock_uuid(clock, json_object_get(f, "uuid")))
		return false;
	if (!clock->id && clock->name)
		clock->id = strdup(clock->name);
	if (!clock->id || !hz)
		return json_fail(p, "a clock without an id or a frequency");
	clock->hz = (__u64)hz;
	clock->cycles = (__u64)cycles;
	clock->is_epoch = origin && json_is_string(origin) &&
			  !strcmp(json_string_value(origin), "unix-epoch");
	return true;
}

static bool take_clock(struct json_parser *p, const json_t *f)
{
	struct ctf_clock *clock = calloc(1, sizeof(*clock));

	if (!clock)
		return json_fail(p, "out of memory");
	if (!fill_clock(p, f, clock)) {
		free(clock->id);
		free(clock->name);
		free(clock->uid);
		free(clock);
		return false;
	}
	clock->next = p->schema->clocks;
	p->schema->clocks = clock;
	return true;
}

static bool find_clock(struct json_parser *p, const json_t *f, struct ctf_stream_class *s)
{
	const json_t *id = json_object_get(f, "default-clock-class-id");
	const struct ctf_clock *c = p->schema->clocks;

	if (!id)
		id = json_object_get(f, "default-clock-class-name");
	if (!id)
		return true;
	while (c && json_is_string(id) && strcmp(c->id, json_string_value(id)))
		c = c->next;
	s->clock = c;
	return (c && json_is_string(id)) || json_fail(p, "the clock of a stream is not described");
}

static bool take_stream(struct json_parser *p, const json_t *f)
{
	struct ctf_stream_class *s = calloc(1, sizeof(*s));
	__s64 id = 0;

	if (!s)
		return json_fail(p, "out of memory");
	if (!json_number(p, f, "id", &id) || !find_clock(p, f, s) ||
	    !take_struct(p, f, "packet-context-field-class", &s->packet_context) ||
	    !take_struct(p, f, "event-record-header-field-class", &s->event_header) ||
	    !take_struct(p, f, "event-record-common-context-field-class", &s->common)) {
		free(s);
		return false;
	}
	s->id = (__u64)id;
	s->next = p->schema->streams;
	p->schema->streams = s;
	return true;
}

static bool take_event(struct json_parser *p, const json_t *f)
{
	struct ctf_event_class *e = calloc(1, sizeof(*e));
	__s64 id = 0, stream = 0;

	if (!e)
		return json_fail(p, "out of memory");
	if (!json_number(p, f, "id", &id) || !take_text(p, f, "name", &e->name) ||
	    !json_number(p, f, "data-stream-class-id", &stream) ||
	    !take_struct(p, f, "specific-context-field-class", &e->specific) ||
	    !take_struct(p, f, "payload-field-class", &e->payload)) {
		free(e->name);
		free(e);
		return false;
	}
	e->id = (__u64)id;
	e->stream = (__u64)stream;
	ctf_schema_add_event(p->schema, e);
	return true;
}

static const struct {
	const char *type;
	bool (*take)(struct json_parser *p, const json_t *fragment);
} fragments[] = {
	{ "preamble", take_preamble },
	{ "field-class-alias", take_alias },
	{ "trace-class", take_trace },
	{ "clock-class", take_clock },
	{ "data-stream-class", take_stream },
	{ "event-record-class", take_event },
};

static bool take_fragment(struct json_parser *p, const json_t *fragment)
{
	const char *type = json_string_value(json_object_get(fragment, "type"));

	for (size_t i = 0; type && i < sizeof(fragments) / sizeof(fragments[0]); i++)
		if (!strcmp(fragments[i].type, type))
			return fragments[i].take(p, fragment);
	return json_fail(p, "no fragment of CTF 2 has the type \"%s\"", type ? type : "");
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns the length of an integer at @text, 0 = it is no integer from 2^63 to 2^64 - 1. */
static size_t large_number(const char *text, __u64 *number)
{
	__uint128_t v = 0;
	size_t n = 0;

	for (; is_digit(text[n]) && n <= 20; n++)
		v = v * 10 + (unsigned int)(text[n] - '0');
	*number = (__u64)v;
	return n < 19 || n > 20 || v <= INT64_MAX || v > UINT64_MAX || is_digit(text[n]) ||
	       (text[n] && strchr(".eE", text[n])) ? 0 : n;
}

/* Appends one character or number of @text, and returns its length there. */
static size_t fold_one(struct ktrace_out *out, const char *text, bool *is_text)
{
	size_t n = 1;
	__u64 v;

	if (*is_text && *text == '\\' && text[1]) {
		n = 2;
	} else if (*text == '"') {
		*is_text = !*is_text;
	} else if (!*is_text && is_digit(*text)) {
		n = large_number(text, &v);
		if (n) {
			ktrace_out_s64(out, (__s64)v);
			return n;
		}
		n = strspn(text, "0123456789");
	}
	ktrace_out_bytes(out, text, n);
	return n;
}

/*
 * Copies the text, with integers from 2^63 to 2^64 - 1, which jansson refuses, as the negative
 * number with the same bits. NULL: out of memory.
 */
static char *fold_numbers(const char *text, size_t size, size_t *folded)
{
	struct ktrace_out out = { .flush = output_grow };
	bool is_text = false;

	for (size_t i = 0; i < size && !out.error;)
		i += fold_one(&out, text + i, &is_text);
	*folded = out.len;
	ktrace_out_char(&out, 0);
	if (!out.error)
		return out.buf;
	free(out.buf);
	return NULL;
}

static void free_aliases(struct json_alias *a)
{
	struct json_alias *next;

	for (; a; a = next) {
		next = a->next;
		free(a->name);
		free(a);
	}
}

/* Reads the fragment at *@at and moves it behind that; false: the rest is unreadable. */
static bool next_fragment(struct json_parser *p, const char *text, size_t size, size_t *at)
{
	json_error_t error;
	json_t *fragment = json_loadb(text + *at, size - *at, JSON_DISABLE_EOF_CHECK, &error);

	if (!fragment) {
		complain_about(p->path, "fragment %u at offset %zu: %s", p->nr, *at, error.text);
		return false;
	}
	*at += (size_t)error.position;
	p->error[0] = 0;
	if (!take_fragment(p, fragment)) {
		complain_about(p->path, "fragment %u: %s", p->nr, p->error);
		p->is_damaged = true;
	}
	json_decref(fragment);
	return true;
}

bool json_parse(struct ctf_schema *schema, const char *path, const char *metadata, size_t size)
{
	struct json_parser p = { .schema = schema, .path = path };
	size_t at = 0;
	char *text = fold_numbers(metadata, size, &size);

	p.is_refused = !text;
	while (!p.is_refused) {
		while (at < size && text[at] && strchr("\x1e \t\r\n", text[at]))
			at++;
		if (at >= size)
			break;
		p.nr++;
		if (!next_fragment(&p, text, size, &at))
			p.is_refused = true;
		/* Without a valid preamble, nothing is known about the rest. */
		else if (p.nr == 1 && p.is_damaged)
			p.is_refused = true;
	}
	free_aliases(p.aliases);
	free(text);
	return !p.is_damaged && !p.is_refused;
}
