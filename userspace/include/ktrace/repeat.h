/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * repeat.h - preprocessor loops over the fields of an event and the values of an enum
 *
 * KTRACE_EACH(op, fields...) expands to KTRACE_FIELD_OP(op, field) for each of up to 16 fields, in
 * order. KTRACE_NAMES(pairs...) expands to a string literal with commas for up to 64 (NAME, number)
 * pairs; it needs macros of its own because a macro cannot be used inside its own expansion.
 */
#ifndef KTRACE_REPEAT_H
#define KTRACE_REPEAT_H

/*
 * C before C99 and C++ before C++11 have no variadic macros. Compilers support them all the same,
 * but warn with -pedantic, except in system headers.
 */
#if (defined(__cplusplus) && __cplusplus < 201103L) || \
	(!defined(__cplusplus) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L))
#define KTRACE_OLD_STANDARD
#pragma GCC system_header
#endif

#define KTRACE_STR_(x) #x
#define KTRACE_STR(x) KTRACE_STR_(x)
#define KTRACE_CAT_(a, b) a##b
#define KTRACE_CAT(a, b) KTRACE_CAT_(a, b)

/* Number of arguments, 1 to 64. */
#define KTRACE_COUNT(...) KTRACE_COUNT_(__VA_ARGS__, \
	64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, \
	48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, \
	32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, \
	16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, \
	0)
#define KTRACE_COUNT_( \
	a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, \
	a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, \
	a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, \
	a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, \
	a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, \
	a61, a62, a63, a64, n, ...) n

/* Expands to some or none: whether there are arguments after provider and name. */
#define KTRACE_VALUES(...) KTRACE_COUNT_(__VA_ARGS__, \
	some, some, some, some, some, some, some, some, some, some, some, some, some, \
	some, some, some, some, some, some, some, some, some, some, some, some, some, \
	some, some, some, some, some, some, some, some, some, some, some, some, some, \
	some, some, some, some, some, some, some, some, some, some, some, some, some, \
	some, some, some, some, some, some, some, some, some, some, none, none, none)

/* Provider and name come before the fields, so that the list is never empty. */
#define KTRACE_EACH(op, ...) \
	KTRACE_CAT(KTRACE_EACH_, KTRACE_COUNT(__VA_ARGS__))(op, __VA_ARGS__)
#define KTRACE_EACH_2(op, p, n)
#define KTRACE_EACH_3(op, p, n, f) KTRACE_FIELD_OP(op, f)
#define KTRACE_EACH_4(op, p, n, f, ...) \
	KTRACE_FIELD_OP(op, f) KTRACE_EACH_3(op, p, n, __VA_ARGS__)
#define KTRACE_EACH_5(op, p, n, f, ...) \
	KTRACE_FIELD_OP(op, f) KTRACE_EACH_4(op, p, n, __VA_ARGS__)
#define KTRACE_EACH_6(op, p, n, f, ...) \
	KTRACE_FIELD_OP(op, f) KTRACE_EACH_5(op, p, n, __VA_ARGS__)
#define KTRACE_EACH_7(op, p, n, f, ...) \
	KTRACE_FIELD_OP(op, f) KTRACE_EACH_6(op, p, n, __VA_ARGS__)
#define KTRACE_EACH_8(op, p, n, f, ...) \
	KTRACE_FIELD_OP(op, f) KTRACE_EACH_7(op, p, n, __VA_ARGS__)
#define KTRACE_EACH_9(op, p, n, f, ...) \
	KTRACE_FIELD_OP(op, f) KTRACE_EACH_8(op, p, n, __VA_ARGS__)
#define KTRACE_EACH_10(op, p, n, f, ...) \
	KTRACE_FIELD_OP(op, f) KTRACE_EACH_9(op, p, n, __VA_ARGS__)
#define KTRACE_EACH_11(op, p, n, f, ...) \
	KTRACE_FIELD_OP(op, f) KTRACE_EACH_10(op, p, n, __VA_ARGS__)
#define KTRACE_EACH_12(op, p, n, f, ...) \
	KTRACE_FIELD_OP(op, f) KTRACE_EACH_11(op, p, n, __VA_ARGS__)
#define KTRACE_EACH_13(op, p, n, f, ...) \
	KTRACE_FIELD_OP(op, f) KTRACE_EACH_12(op, p, n, __VA_ARGS__)
#define KTRACE_EACH_14(op, p, n, f, ...) \
	KTRACE_FIELD_OP(op, f) KTRACE_EACH_13(op, p, n, __VA_ARGS__)
#define KTRACE_EACH_15(op, p, n, f, ...) \
	KTRACE_FIELD_OP(op, f) KTRACE_EACH_14(op, p, n, __VA_ARGS__)
#define KTRACE_EACH_16(op, p, n, f, ...) \
	KTRACE_FIELD_OP(op, f) KTRACE_EACH_15(op, p, n, __VA_ARGS__)
#define KTRACE_EACH_17(op, p, n, f, ...) \
	KTRACE_FIELD_OP(op, f) KTRACE_EACH_16(op, p, n, __VA_ARGS__)
#define KTRACE_EACH_18(op, p, n, f, ...) \
	KTRACE_FIELD_OP(op, f) KTRACE_EACH_17(op, p, n, __VA_ARGS__)

#define KTRACE_NAME(name, number) #name "=" KTRACE_STR(number)
#define KTRACE_NAMES(...) \
	KTRACE_CAT(KTRACE_NAMES_, KTRACE_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define KTRACE_NAMES_1(e) KTRACE_NAME e
#define KTRACE_NAMES_2(e, ...) KTRACE_NAME e "," KTRACE_NAMES_1(__VA_ARGS__)
#define KTRACE_NAMES_3(e, ...) KTRACE_NAME e "," KTRACE_NAMES_2(__VA_ARGS__)
#define KTRACE_NAMES_4(e, ...) KTRACE_NAME e "," KTRACE_NAMES_3(__VA_ARGS__)
#define KTRACE_NAMES_5(e, ...) KTRACE_NAME e "," KTRACE_NAMES_4(__VA_ARGS__)
#define KTRACE_NAMES_6(e, ...) KTRACE_NAME e "," KTRACE_NAMES_5(__VA_ARGS__)
#define KTRACE_NAMES_7(e, ...) KTRACE_NAME e "," KTRACE_NAMES_6(__VA_ARGS__)
#define KTRACE_NAMES_8(e, ...) KTRACE_NAME e "," KTRACE_NAMES_7(__VA_ARGS__)
#define KTRACE_NAMES_9(e, ...) KTRACE_NAME e "," KTRACE_NAMES_8(__VA_ARGS__)
#define KTRACE_NAMES_10(e, ...) KTRACE_NAME e "," KTRACE_NAMES_9(__VA_ARGS__)
#define KTRACE_NAMES_11(e, ...) KTRACE_NAME e "," KTRACE_NAMES_10(__VA_ARGS__)
#define KTRACE_NAMES_12(e, ...) KTRACE_NAME e "," KTRACE_NAMES_11(__VA_ARGS__)
#define KTRACE_NAMES_13(e, ...) KTRACE_NAME e "," KTRACE_NAMES_12(__VA_ARGS__)
#define KTRACE_NAMES_14(e, ...) KTRACE_NAME e "," KTRACE_NAMES_13(__VA_ARGS__)
#define KTRACE_NAMES_15(e, ...) KTRACE_NAME e "," KTRACE_NAMES_14(__VA_ARGS__)
#define KTRACE_NAMES_16(e, ...) KTRACE_NAME e "," KTRACE_NAMES_15(__VA_ARGS__)
#define KTRACE_NAMES_17(e, ...) KTRACE_NAME e "," KTRACE_NAMES_16(__VA_ARGS__)
#define KTRACE_NAMES_18(e, ...) KTRACE_NAME e "," KTRACE_NAMES_17(__VA_ARGS__)
#define KTRACE_NAMES_19(e, ...) KTRACE_NAME e "," KTRACE_NAMES_18(__VA_ARGS__)
#define KTRACE_NAMES_20(e, ...) KTRACE_NAME e "," KTRACE_NAMES_19(__VA_ARGS__)
#define KTRACE_NAMES_21(e, ...) KTRACE_NAME e "," KTRACE_NAMES_20(__VA_ARGS__)
#define KTRACE_NAMES_22(e, ...) KTRACE_NAME e "," KTRACE_NAMES_21(__VA_ARGS__)
#define KTRACE_NAMES_23(e, ...) KTRACE_NAME e "," KTRACE_NAMES_22(__VA_ARGS__)
#define KTRACE_NAMES_24(e, ...) KTRACE_NAME e "," KTRACE_NAMES_23(__VA_ARGS__)
#define KTRACE_NAMES_25(e, ...) KTRACE_NAME e "," KTRACE_NAMES_24(__VA_ARGS__)
#define KTRACE_NAMES_26(e, ...) KTRACE_NAME e "," KTRACE_NAMES_25(__VA_ARGS__)
#define KTRACE_NAMES_27(e, ...) KTRACE_NAME e "," KTRACE_NAMES_26(__VA_ARGS__)
#define KTRACE_NAMES_28(e, ...) KTRACE_NAME e "," KTRACE_NAMES_27(__VA_ARGS__)
#define KTRACE_NAMES_29(e, ...) KTRACE_NAME e "," KTRACE_NAMES_28(__VA_ARGS__)
#define KTRACE_NAMES_30(e, ...) KTRACE_NAME e "," KTRACE_NAMES_29(__VA_ARGS__)
#define KTRACE_NAMES_31(e, ...) KTRACE_NAME e "," KTRACE_NAMES_30(__VA_ARGS__)
#define KTRACE_NAMES_32(e, ...) KTRACE_NAME e "," KTRACE_NAMES_31(__VA_ARGS__)
#define KTRACE_NAMES_33(e, ...) KTRACE_NAME e "," KTRACE_NAMES_32(__VA_ARGS__)
#define KTRACE_NAMES_34(e, ...) KTRACE_NAME e "," KTRACE_NAMES_33(__VA_ARGS__)
#define KTRACE_NAMES_35(e, ...) KTRACE_NAME e "," KTRACE_NAMES_34(__VA_ARGS__)
#define KTRACE_NAMES_36(e, ...) KTRACE_NAME e "," KTRACE_NAMES_35(__VA_ARGS__)
#define KTRACE_NAMES_37(e, ...) KTRACE_NAME e "," KTRACE_NAMES_36(__VA_ARGS__)
#define KTRACE_NAMES_38(e, ...) KTRACE_NAME e "," KTRACE_NAMES_37(__VA_ARGS__)
#define KTRACE_NAMES_39(e, ...) KTRACE_NAME e "," KTRACE_NAMES_38(__VA_ARGS__)
#define KTRACE_NAMES_40(e, ...) KTRACE_NAME e "," KTRACE_NAMES_39(__VA_ARGS__)
#define KTRACE_NAMES_41(e, ...) KTRACE_NAME e "," KTRACE_NAMES_40(__VA_ARGS__)
#define KTRACE_NAMES_42(e, ...) KTRACE_NAME e "," KTRACE_NAMES_41(__VA_ARGS__)
#define KTRACE_NAMES_43(e, ...) KTRACE_NAME e "," KTRACE_NAMES_42(__VA_ARGS__)
#define KTRACE_NAMES_44(e, ...) KTRACE_NAME e "," KTRACE_NAMES_43(__VA_ARGS__)
#define KTRACE_NAMES_45(e, ...) KTRACE_NAME e "," KTRACE_NAMES_44(__VA_ARGS__)
#define KTRACE_NAMES_46(e, ...) KTRACE_NAME e "," KTRACE_NAMES_45(__VA_ARGS__)
#define KTRACE_NAMES_47(e, ...) KTRACE_NAME e "," KTRACE_NAMES_46(__VA_ARGS__)
#define KTRACE_NAMES_48(e, ...) KTRACE_NAME e "," KTRACE_NAMES_47(__VA_ARGS__)
#define KTRACE_NAMES_49(e, ...) KTRACE_NAME e "," KTRACE_NAMES_48(__VA_ARGS__)
#define KTRACE_NAMES_50(e, ...) KTRACE_NAME e "," KTRACE_NAMES_49(__VA_ARGS__)
#define KTRACE_NAMES_51(e, ...) KTRACE_NAME e "," KTRACE_NAMES_50(__VA_ARGS__)
#define KTRACE_NAMES_52(e, ...) KTRACE_NAME e "," KTRACE_NAMES_51(__VA_ARGS__)
#define KTRACE_NAMES_53(e, ...) KTRACE_NAME e "," KTRACE_NAMES_52(__VA_ARGS__)
#define KTRACE_NAMES_54(e, ...) KTRACE_NAME e "," KTRACE_NAMES_53(__VA_ARGS__)
#define KTRACE_NAMES_55(e, ...) KTRACE_NAME e "," KTRACE_NAMES_54(__VA_ARGS__)
#define KTRACE_NAMES_56(e, ...) KTRACE_NAME e "," KTRACE_NAMES_55(__VA_ARGS__)
#define KTRACE_NAMES_57(e, ...) KTRACE_NAME e "," KTRACE_NAMES_56(__VA_ARGS__)
#define KTRACE_NAMES_58(e, ...) KTRACE_NAME e "," KTRACE_NAMES_57(__VA_ARGS__)
#define KTRACE_NAMES_59(e, ...) KTRACE_NAME e "," KTRACE_NAMES_58(__VA_ARGS__)
#define KTRACE_NAMES_60(e, ...) KTRACE_NAME e "," KTRACE_NAMES_59(__VA_ARGS__)
#define KTRACE_NAMES_61(e, ...) KTRACE_NAME e "," KTRACE_NAMES_60(__VA_ARGS__)
#define KTRACE_NAMES_62(e, ...) KTRACE_NAME e "," KTRACE_NAMES_61(__VA_ARGS__)
#define KTRACE_NAMES_63(e, ...) KTRACE_NAME e "," KTRACE_NAMES_62(__VA_ARGS__)
#define KTRACE_NAMES_64(e, ...) KTRACE_NAME e "," KTRACE_NAMES_63(__VA_ARGS__)

#endif
