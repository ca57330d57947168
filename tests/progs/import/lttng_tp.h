/* SPDX-License-Identifier: GPL-2.0 */
/* lttng_tp.h - tracepoints of LTTng-UST with a field of each kind */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER demo
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_tp.h"
#if !defined(LTTNG_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define LTTNG_TP_H
#include <stdint.h>
#include <lttng/tracepoint.h>
LTTNG_UST_TRACEPOINT_ENUM(demo, colour, LTTNG_UST_TP_ENUM_VALUES(
	lttng_ust_field_enum_value("RED", 1) lttng_ust_field_enum_value("GREEN BLUE", 2)
	lttng_ust_field_enum_range("MANY", 10, 12)))
LTTNG_UST_TRACEPOINT_EVENT(demo, all, LTTNG_UST_TP_ARGS(int, i, const char *, s, float, f),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, i, i)
		lttng_ust_field_integer_hex(uint64_t, hex, 0xdeadbeefull + i)
		lttng_ust_field_integer(int8_t, small, -i)
		lttng_ust_field_string(s, s)
		lttng_ust_field_float(float, f, f)
		lttng_ust_field_float(double, d, f / 3.0)
		lttng_ust_field_array(uint16_t, arr, ((uint16_t[]){1, 2, (uint16_t)i}), 3)
		lttng_ust_field_sequence(int32_t, seq, ((int32_t[]){-1, -2, -3}), size_t, i % 4)
		lttng_ust_field_array_text(char, text, "abcdefg", 8)
		lttng_ust_field_sequence_text(char, stext, s, size_t, 2)
		lttng_ust_field_enum(demo, colour, int, colour, i % 13)
	))
LTTNG_UST_TRACEPOINT_EVENT(demo, none, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(demo, pair, LTTNG_UST_TP_ARGS(uint32_t, n),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, n, n)))
#endif
#include <lttng/tracepoint-event.h>
