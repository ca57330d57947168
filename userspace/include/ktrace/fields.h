/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * fields.h - what each kind of field expands to: parameter, description, size, bytes
 *
 * The names ktrace_u8(x) and so on are not macros: the preprocessor sees them only as the second
 * half of a name:
 *
 *   KTRACE_FIELD_OP(PARAM, ktrace_u32(item))
 *     -> KTRACE_PARAM_ as_scalar (u32, item)		by the table below
 *     -> , uint32_t ktrace_v_item
 *
 * Operations, each with one macro per kind:
 *
 *   PARAM	parameter of the generated function
 *   DESC	description, <linux/ktrace_events.h>
 *   LET	declares values that the size depends on: a string's length
 *   CONST	bytes of the payload as a constant; too large if it is not constant
 *   SIZE	bytes of the payload
 *   WORDS	adds to an array of words, by shifting: small events stay in registers
 *   PIECE	adds to a list of pieces
 */
#ifndef KTRACE_FIELDS_H
#define KTRACE_FIELDS_H

#include <ktrace/repeat.h>

#ifdef KTRACE_OLD_STANDARD
#pragma GCC system_header
#endif

#define KTRACE_FIELD_OP(op, field) KTRACE_FIELD_OP_(op, KTRACE_KIND_##field)
#define KTRACE_FIELD_OP_(op, ...) KTRACE_FIELD_OP__(op, __VA_ARGS__)
#define KTRACE_FIELD_OP__(op, kind, ...) KTRACE_##op##_##kind(__VA_ARGS__)

#define KTRACE_KIND_ktrace_u8(name) as_scalar, u8, name
#define KTRACE_KIND_ktrace_u16(name) as_scalar, u16, name
#define KTRACE_KIND_ktrace_u32(name) as_scalar, u32, name
#define KTRACE_KIND_ktrace_u64(name) as_scalar, u64, name
#define KTRACE_KIND_ktrace_s8(name) as_scalar, s8, name
#define KTRACE_KIND_ktrace_s16(name) as_scalar, s16, name
#define KTRACE_KIND_ktrace_s32(name) as_scalar, s32, name
#define KTRACE_KIND_ktrace_s64(name) as_scalar, s64, name
#define KTRACE_KIND_ktrace_x8(name) as_scalar, x8, name
#define KTRACE_KIND_ktrace_x16(name) as_scalar, x16, name
#define KTRACE_KIND_ktrace_x32(name) as_scalar, x32, name
#define KTRACE_KIND_ktrace_x64(name) as_scalar, x64, name
#define KTRACE_KIND_ktrace_f32(name) as_scalar, f32, name
#define KTRACE_KIND_ktrace_f64(name) as_scalar, f64, name
#define KTRACE_KIND_ktrace_char(name) as_scalar, char, name
#define KTRACE_KIND_ktrace_ptr(name) as_pointer, name
#define KTRACE_KIND_ktrace_string(name) as_string, name
#define KTRACE_KIND_ktrace_array(type, name, nr) as_array, type, name, nr
#define KTRACE_KIND_ktrace_seq(type, name) as_sequence, type, name
#define KTRACE_KIND_ktrace_enum(type, name, ...) as_enum, type, name, __VA_ARGS__

#define KTRACE_TYPE_u8 uint8_t
#define KTRACE_TYPE_u16 uint16_t
#define KTRACE_TYPE_u32 uint32_t
#define KTRACE_TYPE_u64 uint64_t
#define KTRACE_TYPE_s8 int8_t
#define KTRACE_TYPE_s16 int16_t
#define KTRACE_TYPE_s32 int32_t
#define KTRACE_TYPE_s64 int64_t
#define KTRACE_TYPE_x8 uint8_t
#define KTRACE_TYPE_x16 uint16_t
#define KTRACE_TYPE_x32 uint32_t
#define KTRACE_TYPE_x64 uint64_t
#define KTRACE_TYPE_f32 float
#define KTRACE_TYPE_f64 double
#define KTRACE_TYPE_char char

/* A size too large for an event in registers. */
#define KTRACE_VARIABLE 65536u

/* integers and floating point */
#define KTRACE_PARAM_as_scalar(type, name) , KTRACE_TYPE_##type ktrace_v_##name
#define KTRACE_DESC_as_scalar(type, name) #type " " #name ";"
#define KTRACE_LET_as_scalar(type, name)
#define KTRACE_CONST_as_scalar(type, name) + sizeof(KTRACE_TYPE_##type)
#define KTRACE_SIZE_as_scalar(type, name) + sizeof(KTRACE_TYPE_##type)
#define KTRACE_WORDS_as_scalar(type, name) \
	ktrace_pack_word(ktrace_w, &ktrace_at, &ktrace_v_##name, sizeof(ktrace_v_##name));
#define KTRACE_PIECE_as_scalar(type, name) \
	ktrace_add_value(&ktrace_l, &ktrace_p, &ktrace_v_##name, sizeof(ktrace_v_##name));

/* addresses: 64 bits on every machine */
#define KTRACE_PARAM_as_pointer(name) , const volatile void *ktrace_a_##name
#define KTRACE_DESC_as_pointer(name) "ptr " #name ";"
#define KTRACE_LET_as_pointer(name) \
	const uint64_t ktrace_v_##name = (uint64_t)(uintptr_t)ktrace_a_##name;
#define KTRACE_CONST_as_pointer(name) + sizeof(uint64_t)
#define KTRACE_SIZE_as_pointer(name) + sizeof(uint64_t)
#define KTRACE_WORDS_as_pointer(name) KTRACE_WORDS_as_scalar(u64, name)
#define KTRACE_PIECE_as_pointer(name) KTRACE_PIECE_as_scalar(u64, name)

/* enumerations are recorded as their number */
#define KTRACE_PARAM_as_enum(type, name, ...) KTRACE_PARAM_as_scalar(type, name)
#define KTRACE_DESC_as_enum(type, name, ...) \
	"enum<" #type ">(" KTRACE_NAMES(__VA_ARGS__) ") " #name ";"
#define KTRACE_LET_as_enum(type, name, ...)
#define KTRACE_CONST_as_enum(type, name, ...) KTRACE_CONST_as_scalar(type, name)
#define KTRACE_SIZE_as_enum(type, name, ...) KTRACE_SIZE_as_scalar(type, name)
#define KTRACE_WORDS_as_enum(type, name, ...) KTRACE_WORDS_as_scalar(type, name)
#define KTRACE_PIECE_as_enum(type, name, ...) KTRACE_PIECE_as_scalar(type, name)

/* strings; another thread may change them meanwhile: read the length once, then add a NUL */
#define KTRACE_PARAM_as_string(name) , const char *ktrace_v_##name
#define KTRACE_DESC_as_string(name) "string " #name ";"
#define KTRACE_LET_as_string(name) \
	const char *const ktrace_s_##name = ktrace_v_##name ? ktrace_v_##name : "(null)"; \
	const size_t ktrace_n_##name = strlen(ktrace_s_##name);
#define KTRACE_CONST_as_string(name) + KTRACE_VARIABLE
#define KTRACE_SIZE_as_string(name) + ktrace_n_##name + 1
#define KTRACE_WORDS_as_string(name)
#define KTRACE_PIECE_as_string(name) \
	ktrace_add_piece(&ktrace_l, &ktrace_p, ktrace_s_##name, ktrace_n_##name); \
	ktrace_add_value(&ktrace_l, &ktrace_p, "", 1);

/* fixed number of elements */
#define KTRACE_PARAM_as_array(type, name, nr) , const KTRACE_TYPE_##type *ktrace_v_##name
#define KTRACE_DESC_as_array(type, name, nr) #type "[" KTRACE_STR(nr) "] " #name ";"
#define KTRACE_LET_as_array(type, name, nr)
/* Shifting bytes into words takes longer than copying them. */
#define KTRACE_CONST_as_array(type, name, nr) \
	+ (sizeof(KTRACE_TYPE_##type) * (nr) <= 8 || sizeof(KTRACE_TYPE_##type) == 8 ? \
	   sizeof(KTRACE_TYPE_##type) * (nr) : KTRACE_VARIABLE)
#define KTRACE_SIZE_as_array(type, name, nr) + sizeof(KTRACE_TYPE_##type) * (nr)
#define KTRACE_WORDS_as_array(type, name, nr) \
	for (ktrace_i = 0; ktrace_i < (nr); ktrace_i++) \
		ktrace_pack_word(ktrace_w, &ktrace_at, &ktrace_v_##name[ktrace_i], \
				 sizeof(KTRACE_TYPE_##type));
#define KTRACE_PIECE_as_array(type, name, nr) \
	ktrace_add_piece(&ktrace_l, &ktrace_p, ktrace_v_##name, \
			 sizeof(KTRACE_TYPE_##type) * (nr));

/* counted elements: pointer and count */
#define KTRACE_PARAM_as_sequence(type, name) \
	, const KTRACE_TYPE_##type *ktrace_v_##name, uint32_t ktrace_n_##name
#define KTRACE_DESC_as_sequence(type, name) #type "[] " #name ";"
#define KTRACE_LET_as_sequence(type, name)
#define KTRACE_CONST_as_sequence(type, name) + KTRACE_VARIABLE
#define KTRACE_SIZE_as_sequence(type, name) \
	+ sizeof(uint32_t) + sizeof(KTRACE_TYPE_##type) * (size_t)ktrace_n_##name
#define KTRACE_WORDS_as_sequence(type, name)
#define KTRACE_PIECE_as_sequence(type, name) \
	ktrace_add_value(&ktrace_l, &ktrace_p, &ktrace_n_##name, sizeof(uint32_t)); \
	ktrace_add_piece(&ktrace_l, &ktrace_p, ktrace_v_##name, \
			 sizeof(KTRACE_TYPE_##type) * (size_t)ktrace_n_##name);

#endif
