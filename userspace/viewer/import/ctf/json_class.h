/* SPDX-License-Identifier: GPL-2.0 */
/* json_class.h - reads field classes of CTF 2 */
#ifndef VIEWER_IMPORT_CTF_JSON_CLASS_H
#define VIEWER_IMPORT_CTF_JSON_CLASS_H

#include <jansson.h>

#include "schema.h"

/** struct json_alias - a class with a name */
struct json_alias {
	char *name;
	struct ctf_class *class;
	struct json_alias *next;
};

/**
 * struct json_parser - state while reading metadata
 * @schema:	what was read
 * @path:	name of the file
 * @nr:		number of the current fragment, from 1
 * @aliases:	classes with names
 * @error:	first error of the fragment, "" = none
 * @is_damaged:	a fragment had an error
 * @is_refused:	the rest is not read
 */
struct json_parser {
	struct ctf_schema *schema;
	const char *path;
	unsigned int nr;
	struct json_alias *aliases;
	char error[256];
	bool is_damaged;
	bool is_refused;
};

/* Keeps the first error of a fragment; always returns false. */
__attribute__((format(printf, 2, 3)))
bool json_fail(struct json_parser *p, const char *format, ...);
/* Reads an integer that may be missing. */
bool json_number(struct json_parser *p, const json_t *object, const char *key, __s64 *number);
/* Reads a class, or finds it by name; NULL: json_fail(). @depth: number of classes around it */
struct ctf_class *json_class(struct json_parser *p, const json_t *json, unsigned int depth);

#endif
