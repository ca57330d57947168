/* SPDX-License-Identifier: LGPL-2.1 */
/* tracer.h - the program's one tracer */
#ifndef KTRACE_SHARK_TRACER_H
#define KTRACE_SHARK_TRACER_H

#include <shark/shark.h>

/* The tracer, NULL as long as there is none. */
struct kt_shark *shark_tracer(void);
/* The tracer, made by the first who asks for it in this way. */
struct kt_shark *shark_make(void);

/* log.c: does a session record what is logged? Then nothing is to be left out before. */
bool shark_is_recorded(void);
/* log.c: the session gets the event that a filter has changed; chunks have it. */
void shark_record_filter(__u8 family, int status);

#endif
