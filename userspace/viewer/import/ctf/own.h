/* SPDX-License-Identifier: GPL-2.0 */
/* own.h - reads what ktrace export --to ctf writes in its own way */
#ifndef VIEWER_IMPORT_CTF_OWN_H
#define VIEWER_IMPORT_CTF_OWN_H

#include "import/import_writer.h"
#include "stream.h"

/* True if ktrace wrote the trace. */
bool own_is(const struct ctf_trace *trace);
/* Reads the integer in member @name of a struct; false if there is none. */
bool own_number(const struct ctf_value *of, const char *name, __s64 *value);
/*
 * Reads the thread, the flags, and a time that the clock could not express; @base_ns: when the
 * clock was 0
 */
void own_take(const struct ctf_stream *s, struct import_writer_event *e, __u64 base_ns);
/* True if own_take() reads the context member @name. */
bool own_is_context(const char *name);
/* Reads a loss; false if the event is none. */
bool own_lost(const struct ctf_stream *s, struct ktrace_lost *lost);

#endif
