/* SPDX-License-Identifier: GPL-2.0 */
/* fields.h - fields of a record of ftrace as fields of an event of ktrace */
#ifndef VIEWER_IMPORT_TRACE_DAT_FIELDS_H
#define VIEWER_IMPORT_TRACE_DAT_FIELDS_H

#include "base/viewer.h"
#include "enums.h"
#include "formats.h"
#include "pages.h"

/**
 * struct record - the current record, and what is needed to describe it
 * @f:		the file
 * @m:		its descriptions
 * @desc:	description of the event, <linux/ktrace_events.h>
 * @data:	its payload
 * @text:	room for text
 * @enums:	types of fields whose values have names
 * @pid:	its thread
 * @comm:	name of the thread, NULL = unknown
 * @is_irq:	recorded in an interrupt
 * @is_call:	a system call
 * @bytes:	number of records so far that stayed bytes: they have no description
 * @bytes_type:	number of the first type of these
 */
struct record {
	const struct file *f;
	const struct formats *m;
	struct ktrace_out desc;
	struct ktrace_out data;
	struct ktrace_out text;
	struct enums enums;
	int pid;
	const char *comm;
	bool is_irq;
	bool is_call;
	__u64 bytes;
	unsigned int bytes_type;
};

/** fields_find_number - the value of a number; 0: @field is NULL, or beyond the record's end */
__u64 fields_find_number(const struct pages *p, const struct tep_format_field *field);
/** fields_name - append the name of a field */
void fields_name(struct record *r, const char *name);
/** fields_string - append a field with text, up to its NUL or @size; NULL: empty */
void fields_string(struct record *r, const char *name, const char *text, size_t size);
/** fields_number - append a field with a number of 64 bits */
void fields_number(struct record *r, const char *name, __u64 number);
/** fields_rest - append @field as an array of numbers that goes on to the record's end */
void fields_rest(struct record *r, const struct pages *p, const struct tep_format_field *field,
		 unsigned int each);
/** fields_all - append all fields but one: those of the kernel's description */
void fields_all(struct record *r, const struct pages *p, const struct tep_event *event,
		const struct tep_format_field *except);

#endif
