// SPDX-License-Identifier: GPL-2.0
/* json.c - reads JSON in memory */
#include "json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/viewer.h"

#define NUMBER_MAX 400		/* bytes of a number; more precision than any program has */

const char *json_skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
		at++;
	return at;
}

/* Moves *@at from a string's first character behind its closing quote. */
static int skip_string(const char **at, const char *end)
{
	const char *s = *at;

	while (s < end && *s != '"')
		s += *s == '\\' && s + 1 < end ? 2 : 1;
	*at = s < end ? s + 1 : end;
	return s < end ? 0 : -ENODATA;
}

static int skip_word(const char **at, const char *end, const char *word)
{
	for (; *word; word++, (*at)++) {
		if (*at == end)
			return -ENODATA;
		if (**at != *word)
			return -EINVAL;
	}
	return 0;
}

static bool is_of_number(char c)
{
	return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

static int skip_number(const char **at, const char *end)
{
	const char *s = *at;

	if (*s == '-' && s + 1 < end && s[1] == 'I') {
		*at = s + 1;
		return skip_word(at, end, "Infinity");
	}
	while (*at < end && is_of_number(**at))
		(*at)++;
	if (*at == end)
		return -ENODATA;
	return *at > s && *at - s < NUMBER_MAX ? 0 : -EINVAL;
}

/* Moves *@at over brackets with their contents, of which only brackets and strings are checked. */
static int skip_nested(const char **at, const char *end)
{
	unsigned char is_array[JSON_DEPTH];
	int depth = 0, ret = 0;

	do {
		if (*at == end)
			return -ENODATA;
		switch (*(*at)++) {
		case '"':
			ret = skip_string(at, end);
			break;
		case '{':
		case '[':
			if (depth == JSON_DEPTH)
				return -EINVAL;
			is_array[depth++] = (*at)[-1] == '[';
			break;
		case '}':
		case ']':
			if (is_array[--depth] != ((*at)[-1] == ']'))
				return -EINVAL;
		}
	} while (!ret && depth);
	return ret;
}

int json_value(const char **at, const char *end, struct json_value *out)
{
	int ret;

	*at = json_skip_blanks(*at, end);
	out->at = *at;
	if (*at == end)
		return -ENODATA;
	switch (**at) {
	case '{':
	case '[':
		out->kind = **at == '{' ? JSON_OBJECT : JSON_ARRAY;
		ret = skip_nested(at, end);
		break;
	case '"':
		out->kind = JSON_STRING;
		out->at = ++*at;
		ret = skip_string(at, end);
		out->size = ret ? 0 : (size_t)(*at - out->at) - 1;
		return ret;
	case 't':
		out->kind = JSON_TRUE;
		ret = skip_word(at, end, "true");
		break;
	case 'f':
		out->kind = JSON_FALSE;
		ret = skip_word(at, end, "false");
		break;
	case 'n':
		out->kind = JSON_NULL;
		ret = skip_word(at, end, "null");
		break;
	case 'N':
		out->kind = JSON_NUMBER;
		ret = skip_word(at, end, "NaN");
		break;
	case 'I':
		out->kind = JSON_NUMBER;
		ret = skip_word(at, end, "Infinity");
		break;
	default:
		out->kind = JSON_NUMBER;
		ret = skip_number(at, end);
	}
	out->size = (size_t)(*at - out->at);
	return ret;
}

void json_begin(struct json_iterator *it, const char *text, const char *end)
{
	*it = (struct json_iterator){ .at = text + 1, .end = end, .is_object = *text == '{' };
}

void json_enter(struct json_iterator *it, const struct json_value *v)
{
	json_begin(it, v->at, v->at + v->size);
}

int json_next_key(struct json_iterator *it, struct json_value *key)
{
	int ret;

	/* Commas are not counted: some programs write one too many, or none. */
	while ((it->at = json_skip_blanks(it->at, it->end)) < it->end && *it->at == ',')
		it->at++;
	if (it->at == it->end)
		return -ENODATA;
	if (*it->at == (it->is_object ? '}' : ']')) {
		it->at++;
		return 0;
	}
	if (it->is_object) {
		if (*it->at != '"')
			return -EINVAL;
		ret = json_value(&it->at, it->end, key);
		it->at = json_skip_blanks(it->at, it->end);
		if (ret || it->at == it->end)
			return -ENODATA;
		if (*it->at != ':')
			return -EINVAL;
		it->at++;
	}
	it->at = json_skip_blanks(it->at, it->end);
	return 1;
}

int json_next(struct json_iterator *it, struct json_value *key, struct json_value *value)
{
	int ret = json_next_key(it, key);

	if (ret != 1)
		return ret;
	ret = json_value(&it->at, it->end, value);
	return ret ? ret : 1;
}

bool json_is(const struct json_value *v, const char *text)
{
	const size_t n = strlen(text);

	return v->kind == JSON_STRING && v->size == n && !memcmp(v->at, text, n);
}

struct json_value json_member(const struct json_value *object, const char *name)
{
	struct json_value key, value;
	struct json_iterator it;

	if (object->at && object->kind == JSON_OBJECT) {
		json_enter(&it, object);
		while (json_next(&it, &key, &value) == 1)
			if (json_is(&key, name))
				return value;
	}
	return (struct json_value){ 0 };
}

static bool take_hex(const char *at, const char *end, unsigned int *out)
{
	*out = 0;
	if (end - at < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		const char c = at[i] | 0x20;

		if (at[i] >= '0' && at[i] <= '9')
			*out = *out << 4 | (unsigned int)(at[i] - '0');
		else if (c >= 'a' && c <= 'f')
			*out = *out << 4 | (unsigned int)(c - 'a' + 10);
		else
			return false;
	}
	return true;
}

static void put_utf8(struct ktrace_out *out, unsigned int c)
{
	if (c < 0x80) {
		ktrace_out_char(out, (char)c);
		return;
	}
	if (c < 0x800) {
		ktrace_out_char(out, (char)(0xc0 | c >> 6));
	} else if (c < 0x10000) {
		ktrace_out_char(out, (char)(0xe0 | c >> 12));
		ktrace_out_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
	} else {
		ktrace_out_char(out, (char)(0xf0 | c >> 18));
		ktrace_out_char(out, (char)(0x80 | (c >> 12 & 0x3f)));
		ktrace_out_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	ktrace_out_char(out, (char)(0x80 | (c & 0x3f)));
}

/* Appends the character of "\uXXXX", whose digits are at @at. Return: what follows. */
static const char *put_unicode(struct ktrace_out *out, const char *at, const char *end)
{
	unsigned int c, low;

	if (!take_hex(at, end, &c)) {
		ktrace_out_str(out, "\\u");
		return at;
	}
	at += 4;
	if (c >= 0xd800 && c < 0xdc00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u' &&
	    take_hex(at + 2, end, &low) && low >= 0xdc00 && low < 0xe000) {
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		at += 6;
	}
	if (!c)
		ktrace_out_str(out, "\\u0000");
	else
		put_utf8(out, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
	return at;
}

static const char *put_escape(struct ktrace_out *out, const char *at, const char *end)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *known = strchr(from, *at);

	if (*at == 'u')
		return put_unicode(out, at + 1, end);
	ktrace_out_char(out, *at && known ? to[known - from] : *at ? *at : '?');
	return at + 1;
}

void json_text(struct ktrace_out *out, const struct json_value *v)
{
	const char *at = v->at, *end = v->at + v->size, *run;

	while (at < end) {
		for (run = at; at < end && *at && (*at != '\\' || v->kind != JSON_STRING);)
			at++;
		if (at > run)
			ktrace_out_bytes(out, run, (size_t)(at - run));
		if (at < end && !*at) {
			ktrace_out_str(out, "\\u0000");
			at++;
		} else if (at < end) {
			at = at + 1 < end ? put_escape(out, at + 1, end) : end;
		}
	}
}

void json_copy(const struct json_value *v, char *to, size_t size)
{
	struct ktrace_out out = { .flush = output_grow };
	const char *from = v->at;
	size_t n = v->size;

	if (v->kind == JSON_STRING && memchr(v->at, '\\', v->size)) {
		json_text(&out, v);
		from = out.buf;
		n = out.len;
	}
	n = n < size ? n : size - 1;
	if (n)
		memcpy(to, from, n);
	memset(to + n, 0, size - n);
	free(out.buf);
}

/* The parts of a number: digits without leading zeros, times 10^exponent */
struct number {
	bool is_negative;
	char digits[NUMBER_MAX];
	int nr;
	int exponent;
};

static bool take_number(const struct json_value *v, struct number *n)
{
	const char *at = v->at, *end = v->at + v->size;
	bool has_point = false;
	char exponent[8] = "";
	size_t i;

	*n = (struct number){ .is_negative = at < end && *at == '-' };
	if (v->size >= NUMBER_MAX || (v->kind != JSON_NUMBER && v->kind != JSON_STRING))
		return false;
	at += n->is_negative;
	if (at == end || *at < '0' || *at > '9')
		return false;
	for (; at < end && ((*at >= '0' && *at <= '9') || (*at == '.' && !has_point)); at++) {
		if (*at == '.') {
			has_point = true;
			continue;
		}
		n->exponent -= has_point;
		if (n->nr || *at != '0')
			n->digits[n->nr++] = *at;
	}
	if (at < end && (*at == 'e' || *at == 'E')) {
		for (i = 0, at++; at < end && i + 1 < sizeof(exponent); i++)
			exponent[i] = *at++;
		n->exponent += atoi(exponent);
	}
	return at == end;
}

bool json_scaled(const struct json_value *v, int digits, __s64 *out)
{
	struct number n;
	__u64 sum = 0;
	int keep;

	if (!take_number(v, &n))
		return false;
	keep = n.nr + n.exponent + digits;
	if (!n.nr)
		keep = 0;
	if (keep > 19)
		return false;
	for (int i = 0; i < keep; i++)
		sum = sum * 10 + (i < n.nr ? (__u64)(n.digits[i] - '0') : 0);
	sum += keep >= 0 && keep < n.nr && n.digits[keep] >= '5';
	if (sum > INT64_MAX)
		return false;
	*out = n.is_negative ? -(__s64)sum : (__s64)sum;
	return true;
}

bool json_integer(const struct json_value *v, __u64 *out, bool *is_big)
{
	char text[24], *end;

	*is_big = false;
	if (v->kind != JSON_NUMBER || v->size >= sizeof(text))
		return false;
	json_copy(v, text, sizeof(text));
	if (text[strspn(text, "-0123456789")])
		return false;
	errno = 0;
	if (*text == '-') {
		*out = (__u64)strtoll(text, &end, 10);
	} else {
		*out = strtoull(text, &end, 10);
		*is_big = *out >> 63;
	}
	return !errno && !*end && end != text;
}

double json_double(const struct json_value *v)
{
	char text[NUMBER_MAX];

	if (*v->at == 'N')
		return NAN;
	if (*v->at == 'I')
		return INFINITY;
	if (v->size > 1 && v->at[1] == 'I')
		return -INFINITY;
	json_copy(v, text, sizeof(text));
	return strtod(text, NULL);
}
