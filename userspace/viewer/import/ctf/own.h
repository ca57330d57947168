/* SPDX-License-Identifier: GPL-2.0 */
/* own.h - what ktrace export --to ctf says in its own way */
#ifndef VIEWER_IMPORT_CTF_OWN_H
#define VIEWER_IMPORT_CTF_OWN_H

#include <babeltrace2/babeltrace.h>

#include "import/import_writer.h"

/* Did ktrace write it? */
bool own_is(const bt_trace *trace);
/* The number that member @name of a struct is; false: there is none. */
bool own_number(const bt_field *of, const char *name, __s64 *value);
/* Thread, flags, and the time that the clock of CTF cannot say; @base_ns: when ours was 0 */
void own_take(const bt_event *event, struct import_writer_event *e, __u64 base_ns);
/* Has own_take() taken the member of a context that is called so? */
bool own_is_context(const char *name);
/* Is it a loss? */
bool own_lost(const bt_event *event, struct ktrace_lost *lost);

#endif
