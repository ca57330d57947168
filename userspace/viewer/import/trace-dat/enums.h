/* SPDX-License-Identifier: GPL-2.0 */
/* enums.h - names of a field's values, which the kernel's description prints instead of them */
#ifndef VIEWER_IMPORT_TRACE_DAT_ENUMS_H
#define VIEWER_IMPORT_TRACE_DAT_ENUMS_H

#include <event-parse.h>
#include <stddef.h>

/**
 * struct enums - types of fields with such names
 * @entries:	hash table by field
 * @size:	its size
 * @nr:		number of fields in it
 */
struct enums {
	struct enums_entry *entries;
	size_t size;
	size_t nr;
};

/**
 * enums_find - "enum<u32>(A=0,B=1)" for a field
 * @e:		keeps it
 * @event:	event of the field
 * @field:	the field
 * @scalar:	its type
 *
 * Return: NULL if values have no names, or if memory is out.
 */
const char *enums_find(struct enums *e, const struct tep_event *event,
		       const struct tep_format_field *field, const char *scalar);
void enums_free(struct enums *e);

#endif
