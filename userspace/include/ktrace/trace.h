/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * trace.h - TRACE(ID, words...): trace points like those of PTT
 *
 *   TRACE_ID(TR_BARRIER_8, barrier, left);		// file scope: id, names of the words
 *
 *   TRACE(TR_BARRIER_8, barrier, left - 1);		// anywhere
 *
 * A trace point is an event of the provider "trace" with 0 to 8 fields, each a word of 64 bits;
 * pointers and integers are both accepted. Everything that ktrace.h says of ktrace() applies.
 * ktrace.h includes this header unless KTRACE_NO_TRACE is defined, for programs that have a TRACE
 * of their own.
 */
#ifndef KTRACE_TRACE_H
#define KTRACE_TRACE_H

#include <ktrace/ktrace.h>

#ifdef KTRACE_OLD_STANDARD
#pragma GCC system_header
#endif

/**
 * TRACE_ID - define a trace point, at file scope
 * @id:		an identifier
 * @...:	names of its words, 0 to 8
 */
#define TRACE_ID(...) \
	KTRACE_CAT(KTRACE_ID_, KTRACE_COUNT(__VA_ARGS__))(__VA_ARGS__)

/**
 * TRACE - record a trace point
 * @id:		as in TRACE_ID()
 * @...:	its words, pointers or integers
 *
 * Context: any, as for ktrace().
 */
#define TRACE(...) \
	KTRACE_CAT(KTRACE_TRACE_, KTRACE_COUNT(__VA_ARGS__))(__VA_ARGS__)

#define KTRACE_WORD(x) ((uint64_t)(uintptr_t)(x))

#define KTRACE_ID_1(id) KTRACE_EVENT(trace, id)
#define KTRACE_ID_2(id, w1) KTRACE_EVENT(trace, id, ktrace_x64(w1))
#define KTRACE_ID_3(id, w1, w2) KTRACE_EVENT(trace, id, ktrace_x64(w1), ktrace_x64(w2))
#define KTRACE_ID_4(id, w1, w2, w3) \
	KTRACE_EVENT(trace, id, ktrace_x64(w1), ktrace_x64(w2), ktrace_x64(w3))
#define KTRACE_ID_5(id, w1, w2, w3, w4) \
	KTRACE_EVENT(trace, id, ktrace_x64(w1), ktrace_x64(w2), ktrace_x64(w3), ktrace_x64(w4))
#define KTRACE_ID_6(id, w1, w2, w3, w4, w5) \
	KTRACE_EVENT(trace, id, ktrace_x64(w1), ktrace_x64(w2), ktrace_x64(w3), ktrace_x64(w4), \
		     ktrace_x64(w5))
#define KTRACE_ID_7(id, w1, w2, w3, w4, w5, w6) \
	KTRACE_EVENT(trace, id, ktrace_x64(w1), ktrace_x64(w2), ktrace_x64(w3), ktrace_x64(w4), \
		     ktrace_x64(w5), ktrace_x64(w6))
#define KTRACE_ID_8(id, w1, w2, w3, w4, w5, w6, w7) \
	KTRACE_EVENT(trace, id, ktrace_x64(w1), ktrace_x64(w2), ktrace_x64(w3), ktrace_x64(w4), \
		     ktrace_x64(w5), ktrace_x64(w6), ktrace_x64(w7))
#define KTRACE_ID_9(id, w1, w2, w3, w4, w5, w6, w7, w8) \
	KTRACE_EVENT(trace, id, ktrace_x64(w1), ktrace_x64(w2), ktrace_x64(w3), ktrace_x64(w4), \
		     ktrace_x64(w5), ktrace_x64(w6), ktrace_x64(w7), ktrace_x64(w8))

#define KTRACE_TRACE_1(id) ktrace(trace, id)
#define KTRACE_TRACE_2(id, w1) ktrace(trace, id, KTRACE_WORD(w1))
#define KTRACE_TRACE_3(id, w1, w2) ktrace(trace, id, KTRACE_WORD(w1), KTRACE_WORD(w2))
#define KTRACE_TRACE_4(id, w1, w2, w3) \
	ktrace(trace, id, KTRACE_WORD(w1), KTRACE_WORD(w2), KTRACE_WORD(w3))
#define KTRACE_TRACE_5(id, w1, w2, w3, w4) \
	ktrace(trace, id, KTRACE_WORD(w1), KTRACE_WORD(w2), KTRACE_WORD(w3), KTRACE_WORD(w4))
#define KTRACE_TRACE_6(id, w1, w2, w3, w4, w5) \
	ktrace(trace, id, KTRACE_WORD(w1), KTRACE_WORD(w2), KTRACE_WORD(w3), KTRACE_WORD(w4), \
	       KTRACE_WORD(w5))
#define KTRACE_TRACE_7(id, w1, w2, w3, w4, w5, w6) \
	ktrace(trace, id, KTRACE_WORD(w1), KTRACE_WORD(w2), KTRACE_WORD(w3), KTRACE_WORD(w4), \
	       KTRACE_WORD(w5), KTRACE_WORD(w6))
#define KTRACE_TRACE_8(id, w1, w2, w3, w4, w5, w6, w7) \
	ktrace(trace, id, KTRACE_WORD(w1), KTRACE_WORD(w2), KTRACE_WORD(w3), KTRACE_WORD(w4), \
	       KTRACE_WORD(w5), KTRACE_WORD(w6), KTRACE_WORD(w7))
#define KTRACE_TRACE_9(id, w1, w2, w3, w4, w5, w6, w7, w8) \
	ktrace(trace, id, KTRACE_WORD(w1), KTRACE_WORD(w2), KTRACE_WORD(w3), KTRACE_WORD(w4), \
	       KTRACE_WORD(w5), KTRACE_WORD(w6), KTRACE_WORD(w7), KTRACE_WORD(w8))

#endif
