/* SPDX-License-Identifier: GPL-2.0 */
/*
 * json.h - reads JSON in memory, member by member, without building a tree
 *
 * The text may be a whole file of any size: an iterator needs no end of its object or array before
 * it reaches it, so that what precedes a damage can be used. Beyond the standard, it accepts a
 * comma before the end of an object or array, and NaN and Infinity, which many programs write.
 */
#ifndef VIEWER_IMPORT_CHROME_JSON_H
#define VIEWER_IMPORT_CHROME_JSON_H

#include <ktrace/decode.h>

enum json_kind {
	JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_NUMBER, JSON_TRUE, JSON_FALSE, JSON_NULL,
};

/**
 * struct json_value - a value's text; for strings without the quotes
 * @kind:	its kind
 * @at:		beginning
 * @size:	bytes
 */
struct json_value {
	enum json_kind kind;
	const char *at;
	size_t size;
};

/**
 * struct json_iterator - goes through an object or array
 * @at:		next byte
 * @end:	end of the text
 * @is_object:	values have keys
 */
struct json_iterator {
	const char *at;
	const char *end;
	bool is_object;
};

/* Deepest nesting of a value */
#define JSON_DEPTH 512

/*
 * json_value() reads the value at *@at and moves *@at behind it. Return: 0, -EINVAL: not JSON,
 * or nested too deep; -ENODATA: the text ends in it. *@at is where reading stopped.
 */
int json_value(const char **at, const char *end, struct json_value *out);
/* Begins with an object or array; @text: its first byte is the bracket. */
void json_begin(struct json_iterator *it, const char *text, const char *end);
void json_enter(struct json_iterator *it, const struct json_value *v);
/*
 * Reads the next value, with its key if it is in an object. Return: 1, 0: the end, which is behind
 * @it->at; -EINVAL, -ENODATA as above.
 */
int json_next(struct json_iterator *it, struct json_value *key, struct json_value *value);
/* The same for the key only; the value begins at @it->at, and is to be skipped. */
int json_next_key(struct json_iterator *it, struct json_value *key);
const char *json_skip_blanks(const char *at, const char *end);

/* Returns a member of an object; its @at is NULL if there is none. */
struct json_value json_member(const struct json_value *object, const char *name);

/* True if it is this string, written without escapes. */
bool json_is(const struct json_value *v, const char *text);
/*
 * Appends a string's text; that of any other value as it is. NUL becomes \u0000, half a surrogate
 * pair U+FFFD.
 */
void json_text(struct ktrace_out *out, const struct json_value *v);
/* The same into a buffer of @size bytes, cut to fit. */
void json_copy(const struct json_value *v, char *to, size_t size);

/*
 * Reads a number, or a string that is one, times 10^@digits, rounded. False: not a number, or too
 * large
 */
bool json_scaled(const struct json_value *v, int digits, __s64 *out);
/* Reads an integer without fraction or exponent. False: not one; @is_big: above the signed ones */
bool json_integer(const struct json_value *v, __u64 *out, bool *is_big);
double json_double(const struct json_value *v);

#endif
