/* SPDX-License-Identifier: GPL-2.0 */
/* field.h - converts a field of a CTF event to fields of ours */
#ifndef VIEWER_IMPORT_CTF_FIELD_H
#define VIEWER_IMPORT_CTF_FIELD_H

#include <babeltrace2/babeltrace.h>
#include <ktrace/decode.h>

/**
 * struct record - an event being built
 * @desc:	its description
 * @data:	its payload
 * @name:	name of the next field, with the names of structs around it
 * @depth:	number of structs around it
 */
struct record {
	struct ktrace_out desc;
	struct ktrace_out data;
	struct ktrace_out name;
	unsigned int depth;
};

/* Appends the field as @name; a field with members becomes these. */
void field_put(struct record *r, const char *name, const bt_field *field);
/* Appends all members of a struct. */
void field_put_members(struct record *r, const bt_field *field);
/* Reads an integer; false if the field is none. */
bool field_number(const bt_field *field, __s64 *value);
/* Returns text; NULL if the field is none. */
const char *field_text(const bt_field *field);

#endif
