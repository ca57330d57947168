/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paje_text.h - writes the lines of a Paje trace
 *
 * A line is the number of a definition and the fields that it names. Strings have no escapes, so
 * characters that would end a string or the line are replaced.
 */
#ifndef VIEWER_EXPORT_PAJE_TEXT_H
#define VIEWER_EXPORT_PAJE_TEXT_H

#include <ktrace/decode.h>

/* Kinds of lines, numbered as the header defines them */
enum paje_line {
	PAJE_CONTAINER_TYPE,
	PAJE_STATE_TYPE,
	PAJE_EVENT_TYPE,
	PAJE_VARIABLE_TYPE,
	PAJE_LINK_TYPE,
	PAJE_VALUE,
	PAJE_CREATE,
	PAJE_DESTROY,
	PAJE_THREAD_STATE,
	PAJE_OBJECT_STATE,
	PAJE_EVENT,
	PAJE_VARIABLE,
	PAJE_START_LINK,
	PAJE_END_LINK,
	PAJE_LINE_NR,
};

/* Writes the definitions of all kinds. */
void paje_put_header(struct ktrace_out *out);
/* Write the number of the kind, and the time that follows in most kinds. */
void paje_put_kind(struct ktrace_out *out, enum paje_line kind);
void paje_put_time(struct ktrace_out *out, __u64 ns);
#define PAJE_STRING_MAX 1024u

/* Writes a string in quotes, at most PAJE_STRING_MAX bytes of it. */
void paje_put_string(struct ktrace_out *out, const char *s);
__attribute__((format(printf, 2, 3)))
void paje_put_text(struct ktrace_out *out, const char *format, ...);

#endif
