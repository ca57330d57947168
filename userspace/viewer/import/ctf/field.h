/* SPDX-License-Identifier: GPL-2.0 */
/* field.h - converts a field of a CTF event to fields of ours */
#ifndef VIEWER_IMPORT_CTF_FIELD_H
#define VIEWER_IMPORT_CTF_FIELD_H

#include <ktrace/decode.h>

#include "value.h"

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
void field_put(struct record *r, const char *name, const struct ctf_value *value);
/* Appends all members of a struct. */
void field_put_members(struct record *r, const struct ctf_value *value);

#endif
