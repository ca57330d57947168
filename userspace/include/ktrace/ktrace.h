/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * ktrace.h - recording events in a program
 *
 *   #include <ktrace/ktrace.h>
 *
 *   KTRACE_EVENT(server, request, ktrace_u64(id), ktrace_string(path));	// file scope
 *
 *   ktrace(server, request, id, path);						// anywhere
 *
 * Link with -lktrace. Under ktraced, the program records; otherwise an event costs two loads and a
 * test. Works with C and C++ of any standard, including C90 and C++98 (with GNU extensions of gcc
 * or clang). A header may define events and be included by many files, shared libraries and
 * plug-ins.
 *
 * Context: any thread, any signal handler; before main(), in static constructors, after exit() has
 * begun; after fork(). An event never fails, never takes a lock, never allocates, is not a
 * cancellation point and preserves errno. Lost events are counted by reason.
 */
#ifndef KTRACE_KTRACE_H
#define KTRACE_KTRACE_H

#include <ktrace/fields.h>
#include <ktrace/writer.h>

#ifdef KTRACE_OLD_STANDARD
#pragma GCC system_header
#endif

/**
 * KTRACE_EVENT - define an event type, at file scope
 * @provider:	the group that the event belongs to, an identifier
 * @name:	name, an identifier
 * @...:	0 to 16 fields, separated by commas
 *
 * Field types, and the values that ktrace() takes for them:
 *
 *   ktrace_u8(x) _u16 _u32 _u64	unsigned integer
 *   ktrace_s8(x) _s16 _s32 _s64	signed integer
 *   ktrace_x8(x) _x16 _x32 _x64	unsigned integer, shown in hexadecimal
 *   ktrace_f32(x) ktrace_f64(x)	float, double
 *   ktrace_char(x)			one character
 *   ktrace_ptr(x)			address of an object
 *   ktrace_string(x)			NUL-terminated string; NULL is shown as "(null)"
 *   ktrace_array(type, x, N)		pointer to N elements; N a decimal literal, or a
 *					macro that is one
 *   ktrace_seq(type, x)		two arguments: pointer and number of elements
 *   ktrace_enum(type, x, (A, 0), (B, 1))   integer whose values have names; up to 60,
 *					numbers as N above
 *
 * where type is one of u8 ... u64, s8 ... s64, x8 ... x64, f32, f64, char.
 *
 * Strings and sequences can be of any length: a payload too large for one record is recorded in
 * several, which the reader reassembles.
 *
 * The description is in the ELF section "ktrace_desc" of the object, so that events can be listed
 * without running anything. Two definitions with the same text (from a header) are one event type.
 */
#define KTRACE_EVENT(...) \
	KTRACE_DEFINE(KTRACE_ARG1(__VA_ARGS__, ~), KTRACE_ARG2(__VA_ARGS__, ~), __VA_ARGS__)

/**
 * ktrace - record an event
 * @provider:	as in KTRACE_EVENT()
 * @name:	as in KTRACE_EVENT()
 * @...:	one value for each field, two for each ktrace_seq()
 *
 * A statement. Values are checked and converted like function arguments, and evaluated only while
 * the event is on.
 *
 * Context: any, see above. With the session's "block" policy it may sleep until the reader has made
 * room, at most for the session's timeout.
 */
#define ktrace(...) \
	KTRACE_CAT(KTRACE_CALL_, KTRACE_VALUES(__VA_ARGS__))(__VA_ARGS__)

/**
 * ktrace_enabled - tell whether an event is on
 * @provider:	as in KTRACE_EVENT()
 * @name:	as in KTRACE_EVENT()
 *
 * Guards work that is only needed to compute the values; ktrace() itself needs no guard.
 *
 * Context: any.
 * Return: 0 or 1; may change at any time.
 */
#define ktrace_enabled(...) KTRACE_ENABLED(__VA_ARGS__)

/* Everything below is implementation. */

#define KTRACE_ARG1(a, ...) a
#define KTRACE_ARG2(a, b, ...) b

#define KTRACE_IS_ON(provider, name) \
	ktrace_event_is_on(&ktrace_event_##provider##_##name)
#define KTRACE_ENABLED(provider, name) ((int)KTRACE_UNLIKELY(KTRACE_IS_ON(provider, name)))
#define KTRACE_CALL_none(provider, name) \
	do { \
		const int ktrace_on = KTRACE_IS_ON(provider, name); \
\
		if (KTRACE_UNLIKELY(ktrace_on)) \
			ktrace_record_##provider##_##name(&ktrace_event_##provider##_##name, \
							  ktrace_on); \
	} while (0)
#define KTRACE_CALL_some(provider, name, ...) \
	do { \
		const int ktrace_on = KTRACE_IS_ON(provider, name); \
\
		if (KTRACE_UNLIKELY(ktrace_on)) \
			ktrace_record_##provider##_##name(&ktrace_event_##provider##_##name, \
							  ktrace_on, __VA_ARGS__); \
	} while (0)

#define KTRACE_DEFINE(provider, name, ...) KTRACE_DEFINE_(provider, name, __VA_ARGS__)
#define KTRACE_DEFINE_(provider, name, ...) \
static const char ktrace_desc_##provider##_##name[] KTRACE_SECTION("ktrace_desc", 1) = \
	#provider ":" #name "{" KTRACE_EACH(DESC, __VA_ARGS__) "}" \
	"@" __FILE__ ":" KTRACE_STR(__LINE__); \
static struct ktrace_event ktrace_event_##provider##_##name = { \
	&ktrace_event_##provider##_##name.off, ktrace_desc_##provider##_##name, \
	KTRACE_HEADER_LEN(0 KTRACE_EACH(CONST, __VA_ARGS__)), 0, 0, 0 \
}; \
static struct ktrace_event *const ktrace_ref_##provider##_##name \
	KTRACE_SECTION("ktrace_events", sizeof(void *)) = &ktrace_event_##provider##_##name; \
static KTRACE_INLINE void \
ktrace_record_##provider##_##name(const struct ktrace_event *ktrace_ev, int ktrace_on \
				  KTRACE_EACH(PARAM, __VA_ARGS__)) \
{ \
	KTRACE_EACH(LET, __VA_ARGS__) \
	const size_t ktrace_size = 0 KTRACE_EACH(SIZE, __VA_ARGS__); \
	unsigned int ktrace_at = 0, ktrace_i = 0; \
\
	if (KTRACE_IN_REGISTERS(0 KTRACE_EACH(CONST, __VA_ARGS__))) { \
		uint64_t ktrace_w[KTRACE_WORDS_MAX] = { 0 }; \
		KTRACE_EACH(WORDS, __VA_ARGS__) \
		ktrace_record_words(ktrace_ev, ktrace_on, ktrace_w, (uint32_t)ktrace_size); \
	} else { \
		struct ktrace_place ktrace_p = { 0, 0, 0 }; \
		struct ktrace_piece ktrace_q[2 * KTRACE_COUNT(__VA_ARGS__)]; \
		char ktrace_b[8 * KTRACE_COUNT(__VA_ARGS__)]; \
		struct ktrace_list ktrace_l; \
		ktrace_l.piece = ktrace_q; \
		ktrace_l.bytes = ktrace_b; \
		KTRACE_EACH(PIECE, __VA_ARGS__) \
		ktrace_record_pieces(ktrace_ev, ktrace_on, ktrace_l.piece, ktrace_p.nr, \
				     ktrace_size); \
	} \
	(void)ktrace_at; \
	(void)ktrace_i; \
} \
struct ktrace_semicolon

#ifndef KTRACE_NO_TRACE
#include <ktrace/trace.h>
#endif

#endif
