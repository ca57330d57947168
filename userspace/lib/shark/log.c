// SPDX-License-Identifier: LGPL-2.1
/*
 * log.c - logs an event into the selected chunk, and to the session that records the program
 *
 * For a session it is an event like any other, with the same name as that of the kernel's tracer.
 * Chunks and their filters do not affect it, because the session has its own filters.
 */
#include "tracer.h"

#include <ktrace/ktrace.h>
#include <ktrace/shark.h>

#include "base/shark_codes.h"

/* A kind of field as in <ktrace/fields.h>, as ktrace_enum() cannot hold so many names */
#define KTRACE_KIND_shark_code(name) as_shark_code, name
#define KTRACE_DESC_as_shark_code(name) SHARK_CODES " " #name ";"
#define KTRACE_PARAM_as_shark_code(name) KTRACE_PARAM_as_scalar(x16, name)
#define KTRACE_LET_as_shark_code(name)
#define KTRACE_CONST_as_shark_code(name) KTRACE_CONST_as_scalar(x16, name)
#define KTRACE_SIZE_as_shark_code(name) KTRACE_SIZE_as_scalar(x16, name)
#define KTRACE_WORDS_as_shark_code(name) KTRACE_WORDS_as_scalar(x16, name)
#define KTRACE_PIECE_as_shark_code(name) KTRACE_PIECE_as_scalar(x16, name)

KTRACE_EVENT(log, event, shark_code(type), ktrace_u16(par1), ktrace_u32(par2));

const __u8 *const *const ktrace_shark_byte = &ktrace_event_log_event.enabled;

/* True if the process takes part in a recording, which gives the event an id. */
bool shark_is_recorded(void)
{
	return (__u16)__atomic_load_n(&ktrace_event_log_event.header, __ATOMIC_RELAXED);
}

void shark_record_filter(__u8 family, int status)
{
	ktrace(log, event, family | FTrace_filter_trace_Events, !!status, 0);
}

static inline void log_event(__u16 code, __u16 par1, __u32 par2, __u32 how)
{
	struct kt_shark *t = shark_tracer();

	if (!(code & ~KTRACE_SHARK_FAST))
		return;
	ktrace(log, event, code, par1, par2);
	if (t)
		kt_shark_log(t, code, par1, par2, how);
}

void ktrace_shark_log(__u16 code, __u16 par1, __u32 par2)
{
	log_event(code, par1, par2, 0);
}

void ktrace_shark_log_critical(__u16 code, __u16 par1, __u32 par2)
{
	log_event(code, par1, par2, KT_SHARK_CRITICAL);
}

void ktrace_shark_log_fast(__u16 code, __u16 par1)
{
	log_event((__u16)(code | KTRACE_SHARK_FAST), par1, 0, KT_SHARK_UNFILTERED);
}
