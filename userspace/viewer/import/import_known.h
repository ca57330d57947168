/* SPDX-License-Identifier: GPL-2.0 */
/* import_known.h - events of other tracers that are events of ktrace under another name */
#ifndef VIEWER_IMPORT_IMPORT_KNOWN_H
#define VIEWER_IMPORT_IMPORT_KNOWN_H

#include "import_writer.h"

/* Computes a field of ours from a value of the event */
typedef __s64 (*import_convert_fn)(const struct import_writer *f, const struct ktrace_value *v);

/**
 * struct import_source - the source of a field
 * @to:		the field of ours
 * @from:	possible names of its source, separated by '|'; NULL: the field is 0
 * @convert:	NULL = take the value as it is
 */
struct import_source {
	const char *to;
	const char *from;
	import_convert_fn convert;
};

/**
 * struct import_known - an event of another tracer
 * @name:	its name; a '*' at the end stands for the name of a system call
 * @id:		enum ktrace_kernel_id of our event
 * @sources:	sources of fields with another name or encoding
 */
struct import_known {
	const char *name;
	__u16 id;
	struct import_source sources[7];
};

/** import_known - entry @i of the table, NULL after the last one */
const struct import_known *import_known(size_t i);

/** import_known_state - convert letters of a task state; import_map_switch() is for numbers */
__s64 import_known_state(const struct import_writer *f, const struct ktrace_value *v);

/** import_known_is_text - true if the value is text */
bool import_known_is_text(const struct ktrace_value *v);

#endif
