/* SPDX-License-Identifier: GPL-2.0 */
/* twin_tp.h - the event of twin.c for LTTng-UST */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER twin
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./twin_tp.h"

#if !defined(TWIN_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TWIN_TP_H

#include <stdint.h>
#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(twin, event,
	LTTNG_UST_TP_ARGS(uint64_t, seq, uint32_t, value, const char *, name),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, seq, seq)
			    lttng_ust_field_integer(uint32_t, value, value)
			    lttng_ust_field_string(name, name)))

#endif

#include <lttng/tracepoint-event.h>
