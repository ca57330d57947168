/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kinds_trace.h - tracepoints with every kind of field that the kernel's macros make
 *
 * What they print has all values in a form that a program can compare: numbers and arrays as
 * the kernel prints them, text as the hexadecimal digits of its bytes.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kinds

#if !defined(KINDS_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KINDS_TRACE_H

#include <linux/tracepoint.h>
#include <linux/version.h>

#ifndef KINDS_TYPES
#define KINDS_TYPES

enum kinds_sign { KINDS_NEGATIVE = -3, KINDS_NONE = 0, KINDS_LARGEST = 0x7fffffff };
enum kinds_plain { KINDS_ONE = 1, KINDS_TWO };

/* struct kinds_five - a structure that no integer has the size of; struct kinds_four: one has */
struct kinds_five {
	u8 bytes[5];
};

struct kinds_four {
	u16 low;
	u16 high;
};

/* struct kinds_given - what an event is made of; the same for all that record it */
struct kinds_given {
	unsigned int seed;
	unsigned int nr;
	const char *text;
	struct va_format *message;
	unsigned long bits[3];
	const void *address;
};

u64 kinds_number(unsigned int seed, unsigned int i);
void kinds_fill(void *to, size_t bytes, unsigned int seed);
void kinds_fill_bools(bool *to, size_t nr, unsigned int seed);

/* Types of elements, and a word for the name of each */
#define KINDS_EACH(X) \
	X(s8, s8) X(u8, u8) X(signed char, schar) X(unsigned char, uchar) X(s16, s16) X(u16, u16) \
	X(short, short) X(unsigned short, ushort) X(s32, s32) X(u32, u32) X(int, int) \
	X(unsigned int, uint) X(unsigned, unsigned) X(s64, s64) X(u64, u64) X(long, long) \
	X(unsigned long, ulong) X(long long, longlong) X(unsigned long long, ulonglong) \
	X(size_t, size) X(ssize_t, ssize) X(pid_t, pid) X(__u32, uapi32) X(uint16_t, std16) \
	X(dev_t, dev) X(loff_t, loff) X(const u32, const32) X(enum kinds_sign, sign) \
	X(enum kinds_plain, plain)

#define KINDS_ONE_FIELD(type, word) __field(type, f_##word)
#define KINDS_FILL_ONE(type, word) \
	kinds_fill((void *)&__entry->f_##word, sizeof(__entry->f_##word), given->seed);
#define KINDS_FMT_ONE(type, word) " f_" #word "=%llx"
#define KINDS_ARG_ONE(type, word) , (unsigned long long)__entry->f_##word

#define KINDS_FIXED(type, word) __array(type, a_##word, 3)
#define KINDS_FILL_FIXED(type, word) \
	kinds_fill((void *)__entry->a_##word, sizeof(__entry->a_##word), given->seed);
#define KINDS_FMT_FIXED(type, word) " a_" #word "=%s"
#define KINDS_ARG_FIXED(type, word) , __print_array(__entry->a_##word, 3, sizeof(type))

#define KINDS_DYNAMIC(type, word) __dynamic_array(type, d_##word, given->nr)
#define KINDS_FILL_DYNAMIC(type, word) \
	kinds_fill(__get_dynamic_array(d_##word), given->nr * sizeof(type), given->seed);
#define KINDS_FMT_DYNAMIC(type, word) " d_" #word "=%s"
#define KINDS_ARG_DYNAMIC(type, word) \
	, __print_array(__get_dynamic_array(d_##word), \
			__get_dynamic_array_len(d_##word) / sizeof(type), sizeof(type))

#define KINDS_RELATIVE(type, word) __rel_dynamic_array(type, r_##word, given->nr)
#define KINDS_FILL_RELATIVE(type, word) \
	kinds_fill(__get_rel_dynamic_array(r_##word), given->nr * sizeof(type), given->seed);
#define KINDS_FMT_RELATIVE(type, word) " r_" #word "=%s"
#define KINDS_ARG_RELATIVE(type, word) \
	, __print_array(__get_rel_dynamic_array(r_##word), \
			__get_rel_dynamic_array_len(r_##word) / sizeof(type), sizeof(type))

/* The bytes of a dynamic array, or of a member, as digits */
#define KINDS_BYTES(field) \
	__print_hex_str(__get_dynamic_array(field), __get_dynamic_array_len(field))
#define KINDS_REL_BYTES(field) \
	__print_hex_str(__get_rel_dynamic_array(field), __get_rel_dynamic_array_len(field))
#define KINDS_MEMBER(field) __print_hex_str((const u8 *)&__entry->field, sizeof(__entry->field))

/* Linux 6.10 has the source of a text from its declaration. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define KINDS_STR(field, from) __assign_str(field)
#define KINDS_STR_LEN(field, from, len) __assign_str(field)
#define KINDS_REL_STR(field, from) __assign_rel_str(field)
#define KINDS_REL_STR_LEN(field, from, len) __assign_rel_str(field)
#else
#define KINDS_STR(field, from) __assign_str(field, from)
#define KINDS_STR_LEN(field, from, len) __assign_str_len(field, from, len)
#define KINDS_REL_STR(field, from) __assign_rel_str(field, from)
#define KINDS_REL_STR_LEN(field, from, len) __assign_rel_str_len(field, from, len)
#endif

#define KINDS_THOUSAND(s) KINDS_HUNDRED(s) KINDS_HUNDRED(s) KINDS_HUNDRED(s) KINDS_HUNDRED(s) \
	KINDS_HUNDRED(s) KINDS_HUNDRED(s) KINDS_HUNDRED(s) KINDS_HUNDRED(s) KINDS_HUNDRED(s) \
	KINDS_HUNDRED(s)
#define KINDS_HUNDRED(s) KINDS_TEN(s) KINDS_TEN(s) KINDS_TEN(s) KINDS_TEN(s) KINDS_TEN(s) \
	KINDS_TEN(s) KINDS_TEN(s) KINDS_TEN(s) KINDS_TEN(s) KINDS_TEN(s)
#define KINDS_TEN(s) s s s s s s s s s s
#endif

TRACE_EVENT(kinds_one,
	TP_PROTO(const struct kinds_given *given),
	TP_ARGS(given),
	TP_STRUCT__entry(
		__field(unsigned int, seed)
		KINDS_EACH(KINDS_ONE_FIELD)
		__field(bool, f_bool)
		__field(char, f_char)
		__field(void *, f_pointer)
		__field(const char *, f_name)
		__field(unsigned __int128, f_wide)
		__field_struct(struct kinds_five, f_five)
		__field_struct(struct kinds_four, f_four)
		__field(u32, last)
	),
	TP_fast_assign(
		__entry->seed = given->seed;
		KINDS_EACH(KINDS_FILL_ONE)
		__entry->f_bool = given->seed & 1;
		__entry->f_char = (char)('A' + given->seed % 26);
		__entry->f_pointer = (void *)given->address;
		__entry->f_name = given->text;
		kinds_fill(&__entry->f_wide, sizeof(__entry->f_wide), given->seed);
		kinds_fill(&__entry->f_five, sizeof(__entry->f_five), given->seed);
		kinds_fill(&__entry->f_four, sizeof(__entry->f_four), given->seed);
		__entry->last = 0xdeadbeef;
	),
	TP_printk("seed=%u" KINDS_EACH(KINDS_FMT_ONE)
		  " f_bool=%d f_char=%d f_pointer=0x%lx f_name=0x%lx"
		  " f_wide=%s f_five=%s f_four=%s last=%u",
		  __entry->seed KINDS_EACH(KINDS_ARG_ONE), __entry->f_bool, __entry->f_char,
		  (unsigned long)__entry->f_pointer, (unsigned long)__entry->f_name,
		  KINDS_MEMBER(f_wide), KINDS_MEMBER(f_five), KINDS_MEMBER(f_four), __entry->last)
);

TRACE_EVENT(kinds_fixed,
	TP_PROTO(const struct kinds_given *given),
	TP_ARGS(given),
	TP_STRUCT__entry(
		__field(unsigned int, seed)
		KINDS_EACH(KINDS_FIXED)
		__array(bool, a_bool, 3)
		__array(char, a_char, 12)
		__array(void *, a_pointer, 2)
		__array(u64, a_single, 1)
		__field(u32, last)
	),
	TP_fast_assign(
		__entry->seed = given->seed;
		KINDS_EACH(KINDS_FILL_FIXED)
		kinds_fill_bools(__entry->a_bool, 3, given->seed);
		memset(__entry->a_char, 0, sizeof(__entry->a_char));
		memcpy(__entry->a_char, given->text, strnlen(given->text, sizeof(__entry->a_char)));
		kinds_fill(__entry->a_pointer, sizeof(__entry->a_pointer), given->seed);
		kinds_fill(__entry->a_single, sizeof(__entry->a_single), given->seed);
		__entry->last = 0xdeadbeef;
	),
	TP_printk("seed=%u" KINDS_EACH(KINDS_FMT_FIXED)
		  " a_bool=%s a_char=%s a_pointer=%s a_single=%s last=%u",
		  __entry->seed KINDS_EACH(KINDS_ARG_FIXED),
		  __print_array(__entry->a_bool, 3, 1), KINDS_MEMBER(a_char),
		  __print_array(__entry->a_pointer, 2, 8), __print_array(__entry->a_single, 1, 8),
		  __entry->last)
);

TRACE_EVENT(kinds_dynamic,
	TP_PROTO(const struct kinds_given *given),
	TP_ARGS(given),
	TP_STRUCT__entry(
		__field(unsigned int, seed)
		KINDS_EACH(KINDS_DYNAMIC)
		__dynamic_array(bool, d_bool, given->nr)
		__dynamic_array(char, d_char, given->nr)
		__dynamic_array(void *, d_pointer, given->nr)
		__dynamic_array(u32, d_empty, 0)
		__field(u32, last)
	),
	TP_fast_assign(
		__entry->seed = given->seed;
		KINDS_EACH(KINDS_FILL_DYNAMIC)
		kinds_fill_bools(__get_dynamic_array(d_bool), given->nr, given->seed);
		memset(__get_dynamic_array(d_char), 'x', given->nr);
		kinds_fill(__get_dynamic_array(d_pointer), given->nr * sizeof(void *), given->seed);
		__entry->last = 0xdeadbeef;
	),
	TP_printk("seed=%u" KINDS_EACH(KINDS_FMT_DYNAMIC)
		  " d_bool=%s d_char=%s d_pointer=%s d_empty=%s last=%u",
		  __entry->seed KINDS_EACH(KINDS_ARG_DYNAMIC),
		  __print_array(__get_dynamic_array(d_bool), __get_dynamic_array_len(d_bool), 1),
		  KINDS_BYTES(d_char),
		  __print_array(__get_dynamic_array(d_pointer),
				__get_dynamic_array_len(d_pointer) / 8, 8),
		  __print_array(__get_dynamic_array(d_empty), 0, 4), __entry->last)
);

TRACE_EVENT(kinds_text,
	TP_PROTO(const struct kinds_given *given),
	TP_ARGS(given),
	TP_STRUCT__entry(
		__field(unsigned int, seed)
		__string(s_text, given->text)
		__string(s_null, (const char *)NULL)
		__string_len(s_part, given->text, strlen(given->text) / 2)
		__vstring(s_message, given->message->fmt, given->message->va)
		__bitmask(s_bits, 70)
		__bitmask(s_few, 3)
		__cpumask(s_cpus)
		__sockaddr(s_address, 16)
		__field(u32, last)
	),
	TP_fast_assign(
		__entry->seed = given->seed;
		KINDS_STR(s_text, given->text);
		KINDS_STR(s_null, (const char *)NULL);
		KINDS_STR_LEN(s_part, given->text, strlen(given->text) / 2);
		__assign_vstr(s_message, given->message->fmt, given->message->va);
		__assign_bitmask(s_bits, given->bits, 70);
		__assign_bitmask(s_few, given->bits, 3);
		__assign_cpumask(s_cpus, cpumask_bits(cpu_online_mask));
		kinds_fill(__get_dynamic_array(s_address), 16, given->seed);
		__entry->last = 0xdeadbeef;
	),
	TP_printk("seed=%u s_text=%s s_null=%s s_part=%s s_message=%s s_bits=%s s_few=%s s_cpus=%s"
		  " s_address=%s last=%u",
		  __entry->seed, KINDS_BYTES(s_text), KINDS_BYTES(s_null), KINDS_BYTES(s_part),
		  KINDS_BYTES(s_message), __get_bitmask(s_bits), __get_bitmask(s_few),
		  __get_cpumask(s_cpus), KINDS_BYTES(s_address), __entry->last)
);

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 0, 0)
TRACE_EVENT(kinds_relative,
	TP_PROTO(const struct kinds_given *given),
	TP_ARGS(given),
	TP_STRUCT__entry(
		__field(unsigned int, seed)
		KINDS_EACH(KINDS_RELATIVE)
		__rel_dynamic_array(bool, r_bool, given->nr)
		__rel_dynamic_array(u32, r_empty, 0)
		__field(u32, last)
	),
	TP_fast_assign(
		__entry->seed = given->seed;
		KINDS_EACH(KINDS_FILL_RELATIVE)
		kinds_fill_bools(__get_rel_dynamic_array(r_bool), given->nr, given->seed);
		__entry->last = 0xdeadbeef;
	),
	TP_printk("seed=%u" KINDS_EACH(KINDS_FMT_RELATIVE) " r_bool=%s r_empty=%s last=%u",
		  __entry->seed KINDS_EACH(KINDS_ARG_RELATIVE),
		  __print_array(__get_rel_dynamic_array(r_bool),
				__get_rel_dynamic_array_len(r_bool), 1),
		  __print_array(__get_rel_dynamic_array(r_empty), 0, 4), __entry->last)
);

TRACE_EVENT(kinds_relative_text,
	TP_PROTO(const struct kinds_given *given),
	TP_ARGS(given),
	TP_STRUCT__entry(
		__field(unsigned int, seed)
		__rel_string(s_text, given->text)
		__rel_string_len(s_part, given->text, strlen(given->text) / 2)
		__rel_bitmask(s_bits, 70)
		__rel_cpumask(s_cpus)
		__rel_sockaddr(s_address, 16)
		__field(u32, last)
	),
	TP_fast_assign(
		__entry->seed = given->seed;
		KINDS_REL_STR(s_text, given->text);
		KINDS_REL_STR_LEN(s_part, given->text, strlen(given->text) / 2);
		__assign_rel_bitmask(s_bits, given->bits, 70);
		__assign_rel_cpumask(s_cpus, cpumask_bits(cpu_online_mask));
		kinds_fill(__get_rel_dynamic_array(s_address), 16, given->seed);
		__entry->last = 0xdeadbeef;
	),
	TP_printk("seed=%u s_text=%s s_part=%s s_bits=%s s_cpus=%s s_address=%s last=%u",
		  __entry->seed, KINDS_REL_BYTES(s_text), KINDS_REL_BYTES(s_part),
		  __get_rel_bitmask(s_bits), __get_rel_cpumask(s_cpus), KINDS_REL_BYTES(s_address),
		  __entry->last)
);
#endif

/* A description that is longer than the format of tracefiles allows */
TRACE_EVENT(kinds_long,
	TP_PROTO(const struct kinds_given *given),
	TP_ARGS(given),
	TP_STRUCT__entry(
		__field(unsigned int, seed)
	),
	TP_fast_assign(
		__entry->seed = given->seed;
	),
	TP_printk(KINDS_THOUSAND("a text of seventy characters, "
				 "a thousand times: a long description")
		  " seed=%u", __entry->seed)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE kinds_trace
#include <trace/define_trace.h>
