/* SPDX-License-Identifier: GPL-2.0 */
/* every.h - an event with every kind of field, in a header that several files include */
#ifndef EVERY_H
#define EVERY_H

#include <ktrace/ktrace.h>

#define KEY_SIZE 4

KTRACE_EVENT(every, none);
KTRACE_EVENT(every, small, ktrace_u8(a), ktrace_s16(b), ktrace_x32(c), ktrace_char(d),
	     ktrace_array(u8, key, KEY_SIZE), ktrace_f32(e), ktrace_s64(f));
KTRACE_EVENT(every, kind,
	     ktrace_u8(u8), ktrace_u16(u16), ktrace_u32(u32), ktrace_u64(u64),
	     ktrace_s8(s8), ktrace_s64(s64), ktrace_x64(x64), ktrace_f64(f64), ktrace_ptr(ptr),
	     ktrace_string(text), ktrace_array(s32, array, 3), ktrace_seq(f32, sequence),
	     ktrace_enum(s16, state, (IDLE, 0), (BUSY, 1), (GONE, -1)), ktrace_string(last));
TRACE_ID(TR_NONE);
TRACE_ID(TR_EIGHT, a, b, c, d, e, f, g, h);

#ifdef __cplusplus
extern "C"
#endif
void record_elsewhere(int *calls);

static inline void record_every(int *calls)
{
	static const uint8_t key[KEY_SIZE] = { 1, 2, 3, 4 };
	static const int32_t array[3] = { -1, 0, 1 };
	static const float sequence[2] = { 0.5f, 1.5f };

	ktrace(every, none);
	ktrace(every, small, 255, -2, 0xabcdef01u, 'x', key, 0.25f, -3);
	ktrace(every, kind, 1, 2, 3, 4, -5, -6, 0x123456789abcdefu, 2.5, key, "a \"text\"", array,
	       sequence, 2, -1, NULL);
	TRACE(TR_NONE);
	TRACE(TR_EIGHT, key, 2, 3, 4, 5, 6, 7, ++*calls);
	if (ktrace_enabled(every, none))
		++*calls;
}

#endif
