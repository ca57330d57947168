/* SPDX-License-Identifier: GPL-2.0 */
/* bench_tp.h - LTTng-UST tracepoints with the fields of the events in event/variants.c */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./bench_tp.h"

#if !defined(BENCH_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_TP_H

#include <stdint.h>
#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(bench, e0, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(bench, e8, LTTNG_UST_TP_ARGS(uint64_t, a),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, a, a)))
LTTNG_UST_TRACEPOINT_EVENT_CLASS(bench, three,
	LTTNG_UST_TP_ARGS(uint64_t, a, uint32_t, b, uint32_t, c),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, a, a)
			    lttng_ust_field_integer(uint32_t, b, b)
			    lttng_ust_field_integer(uint32_t, c, c)))
#define BENCH_THREE(name) \
	LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(bench, three, bench, name, \
		LTTNG_UST_TP_ARGS(uint64_t, a, uint32_t, b, uint32_t, c))
BENCH_THREE(e16)
BENCH_THREE(vtid16)
BENCH_THREE(off)
BENCH_THREE(filtered)
LTTNG_UST_TRACEPOINT_EVENT(bench, e64,
	LTTNG_UST_TP_ARGS(uint64_t, a, uint64_t, b, uint64_t, c, uint64_t, d,
			  uint64_t, e, uint64_t, f, uint64_t, g, uint64_t, h),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, a, a)
			    lttng_ust_field_integer(uint64_t, b, b)
			    lttng_ust_field_integer(uint64_t, c, c)
			    lttng_ust_field_integer(uint64_t, d, d)
			    lttng_ust_field_integer(uint64_t, e, e)
			    lttng_ust_field_integer(uint64_t, f, f)
			    lttng_ust_field_integer(uint64_t, g, g)
			    lttng_ust_field_integer(uint64_t, h, h)))
LTTNG_UST_TRACEPOINT_EVENT(bench, e1024, LTTNG_UST_TP_ARGS(const uint8_t *, data),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_array(uint8_t, data, data, 1024)))
LTTNG_UST_TRACEPOINT_EVENT(bench, estring, LTTNG_UST_TP_ARGS(const char *, text),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_string(text, text)))

#endif

#include <lttng/tracepoint-event.h>
