/* SPDX-License-Identifier: GPL-2.0 */
/* field.h - a field of a CTF event as fields of ours */
#ifndef VIEWER_IMPORT_CTF_FIELD_H
#define VIEWER_IMPORT_CTF_FIELD_H

#include <babeltrace2/babeltrace.h>
#include <ktrace/decode.h>

/**
 * struct record - an event being put together
 * @desc:	its description
 * @data:	its payload
 * @name:	of the field that is next, with the names around it
 * @depth:	of structs around it
 */
struct record {
	struct ktrace_out desc;
	struct ktrace_out data;
	struct ktrace_out name;
	unsigned int depth;
};

/* Appends the field, which is called @name; one that has fields becomes those. */
void field_put(struct record *r, const char *name, const bt_field *field);
/* All of a struct */
void field_put_members(struct record *r, const bt_field *field);
/* The value of a whole number. */
bool field_number(const bt_field *field, __s64 *value);
/* Text; NULL = it is none. */
const char *field_text(const bt_field *field);

#endif
