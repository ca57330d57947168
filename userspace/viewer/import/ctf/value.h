/* SPDX-License-Identifier: GPL-2.0 */
/*
 * value.h - classes and values of the fields of a CTF event, whichever reader decodes them
 *
 * A reader describes each class once, and builds the values of an event in an arena, which it
 * empties before the next event.
 */
#ifndef VIEWER_IMPORT_CTF_VALUE_H
#define VIEWER_IMPORT_CTF_VALUE_H

#include <ktrace/decode.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/** enum ctf_kind - what a value is */
enum ctf_kind {
	CTF_UNSIGNED,
	CTF_SIGNED,
	CTF_BOOL,
	CTF_BITS,
	CTF_FLOAT,
	CTF_DOUBLE,
	CTF_TEXT,
	CTF_BYTES,
	CTF_STRUCT,
	CTF_ARRAY,
	CTF_OPTION,
	CTF_VARIANT,
};

/** struct ctf_range - integers from @low to @high; those of an unsigned class are cast */
struct ctf_range {
	__s64 low;
	__s64 high;
};

/** struct ctf_ranges - a set of integers */
struct ctf_ranges {
	struct ctf_range *at;
	__u32 nr;
};

/**
 * struct ctf_member - member of a struct, option of a variant, or name in an enum
 * @name:	its name, "" = none
 * @key:	its name in locations, NULL = @name
 * @class:	its class, NULL in an enum
 * @ranges:	option: values of the selector that select it; enum: values with the name
 */
struct ctf_member {
	char *name;
	char *key;
	struct ctf_class *class;
	struct ctf_ranges ranges;
};

/** struct ctf_flag - a name for some bits of a bit map */
struct ctf_flag {
	char *name;
	__u64 mask;
};

struct ctf_layout;

/**
 * struct ctf_class - what a field is
 * @kind:	kind of its values
 * @bits:	size of a number
 * @is_hex:	a number is better shown in hexadecimal
 * @is_fixed:	an array has the same length in all events
 * @labels:	names of the values of an enum, as in a description: "A=1,B=2"; NULL = none
 * @flags:	names of the bits of a bit map
 * @flag_nr:	number of @flags
 * @inner:	class of the elements of an array, or of an option
 * @members:	members of a struct, options of a variant, names of an enum if variants need them
 * @member_nr:	number of @members
 * @layout:	where its bits are; only the reader of CTF 2 has it
 * @next:	next class of the same pool
 */
struct ctf_class {
	enum ctf_kind kind;
	unsigned int bits;
	bool is_hex;
	bool is_fixed;
	char *labels;
	struct ctf_flag *flags;
	__u32 flag_nr;
	struct ctf_class *inner;
	struct ctf_member *members;
	__u32 member_nr;
	struct ctf_layout *layout;
	struct ctf_class *next;
};

/**
 * struct ctf_value - a field of an event
 * @class:	its class
 * @number:	value of integers, booleans and bits; signed ones are cast
 * @real:	value of floating point numbers
 * @text:	value of text, which ends with a 0; bytes
 * @items:	members of a struct, elements of an array; the value of an option or a variant
 * @nr:		number of @items, 0 = the option is absent; bytes of @text
 * @option:	number of the member that a variant has
 */
struct ctf_value {
	const struct ctf_class *class;
	union {
		__u64 number;
		double real;
		const char *text;
		struct ctf_value *items;
	};
	__u64 nr;
	__u32 option;
};

/** ctf_class_new - make an empty class; NULL: out of memory. @pool: first class of its owner */
struct ctf_class *ctf_class_new(struct ctf_class **pool, enum ctf_kind kind);
/** ctf_class_members - give a class @nr empty members; false: out of memory */
bool ctf_class_members(struct ctf_class *class, size_t nr);
/** ctf_class_free - free all classes of a pool */
void ctf_class_free(struct ctf_class *pool);

/** CTF_RANGE_MAX - largest range of an enum whose values are all named */
#define CTF_RANGE_MAX 16u

/**
 * ctf_label_put - append the name of a range of values to the labels of a class
 * @out:	the labels so far
 * @nr:		number of values named so far, of which at most 1024 are kept
 * @name:	the name
 * @range:	the values; at most %CTF_RANGE_MAX are named
 */
void ctf_label_put(struct ktrace_out *out, __u32 *nr, const char *name, struct ctf_range range);

/** ctf_member_of - find a member of a struct; NULL: @value is NULL or has no such member */
const struct ctf_value *ctf_member_of(const struct ctf_value *value, const char *name);
/** ctf_number - read an integer, boolean or bits; false if the value is none */
bool ctf_number(const struct ctf_value *value, __s64 *number);
/** ctf_text - return text; NULL if the value is none */
const char *ctf_text(const struct ctf_value *value);

/** struct ctf_arena - memory of the values of an event */
struct ctf_arena {
	struct ctf_arena_chunk *first;
	struct ctf_arena_chunk *now;
	size_t total;
};

/** CTF_ARENA_MAX - most bytes of values that an event may have */
#define CTF_ARENA_MAX (256u << 20)

/** ctf_arena_get - take memory, valid until ctf_arena_reset(); NULL: none, or above the maximum */
void *ctf_arena_get(struct ctf_arena *arena, size_t size);
/** ctf_arena_reset - take all memory back */
void ctf_arena_reset(struct ctf_arena *arena);
/** ctf_arena_free - free all memory */
void ctf_arena_free(struct ctf_arena *arena);

#endif
