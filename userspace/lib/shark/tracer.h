/* SPDX-License-Identifier: LGPL-2.1 */
/* tracer.h - the program's one tracer */
#ifndef KTRACE_SHARK_TRACER_H
#define KTRACE_SHARK_TRACER_H

#include <shark/shark.h>

/* Returns the tracer, NULL as long as there is none. */
struct kt_shark *shark_tracer(void);
/* Returns the tracer; the first call makes it. */
struct kt_shark *shark_make(void);

/* log.c: true if a session records logged events; then it must get all of them. */
bool shark_is_recorded(void);
/* log.c: logs to the session that a filter has changed; chunks have this event already. */
void shark_record_filter(__u8 family, int status);

#endif
