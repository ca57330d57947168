/* SPDX-License-Identifier: GPL-2.0 */
/* tsdl_type.h - reads types of TSDL */
#ifndef VIEWER_IMPORT_CTF_TSDL_TYPE_H
#define VIEWER_IMPORT_CTF_TSDL_TYPE_H

#include "schema.h"
#include "tsdl_lex.h"

/** struct tsdl_name - a type with a name; @kind: 's'truct, 'e'num, 'v'ariant, 't'ypealias */
struct tsdl_name {
	char kind;
	char *name;
	struct ctf_class *class;
	struct tsdl_name *next;
};

/** struct tsdl_scope - the names of a block, which hide those of the blocks around it */
struct tsdl_scope {
	struct tsdl_name *names;
	struct tsdl_scope *up;
};

/** struct tsdl - state while reading TSDL; @error: the first error, "" = none */
struct tsdl {
	struct tsdl_lex lex;
	struct ctf_schema *schema;
	struct tsdl_scope *scope;
	bool is_big;
	unsigned int depth;
	char error[256];
};

/**
 * struct tsdl_value - right side of an assignment
 * @kind:	TSDL_NUMBER, TSDL_NAME or TSDL_TEXT
 * @number:	value; negative ones are cast
 * @text:	text, or names joined by dots
 */
struct tsdl_value {
	int kind;
	__u64 number;
	const char *text;
};

/**
 * struct tsdl_block - what a block can contain beside declarations
 * @assign:	takes KEY = VALUE
 * @type:	takes KEY := TYPE, may be NULL
 */
struct tsdl_block {
	bool (*assign)(struct tsdl *p, void *to, const char *key, const struct tsdl_value *value);
	bool (*type)(struct tsdl *p, void *to, const char *key, struct ctf_class *class);
};

#define TSDL_NAMES_MAX 64u	/* names in a path, words in the name of a type */

/* Keeps the first error; always returns false. */
__attribute__((format(printf, 2, 3)))
bool tsdl_fail(struct tsdl *p, const char *format, ...);
/* Always returns NULL. */
void *tsdl_no_memory(struct tsdl *p);
/* Takes a token of this kind, which has to be there. */
bool tsdl_expect(struct tsdl *p, int kind);
/* Takes a token of this kind if it is the next one. */
bool tsdl_take(struct tsdl *p, int kind);
/* Reads a number with its sign. */
bool tsdl_take_number(struct tsdl *p, __u64 *number);
/* Appends to a text that free() frees. */
bool tsdl_append(struct tsdl *p, char **to, const char *between, const char *text);
/* Reads NAME, or NAME.NAME and so on, as a text that free() frees, even after a failure. */
bool tsdl_dotted(struct tsdl *p, char **text);
/* Gives a type a name in the current block. */
bool tsdl_define(struct tsdl *p, char kind, const char *name, struct ctf_class *class);
/* Finds a type by its name; NULL: tsdl_fail() */
struct ctf_class *tsdl_find(struct tsdl *p, char kind, const char *name);
/* Enters and leaves a block. */
void tsdl_enter(struct tsdl *p, struct tsdl_scope *scope);
void tsdl_leave(struct tsdl *p);
/* Reads types that have no parts. */
struct ctf_class *tsdl_integer(struct tsdl *p);
struct ctf_class *tsdl_floating_point(struct tsdl *p);
struct ctf_class *tsdl_string(struct tsdl *p);
bool tsdl_set_align(struct tsdl *p, struct ctf_layout *layout, __u64 align);
/* Reads a type and, if @field is not NULL, the name behind it, NULL = none. */
struct ctf_class *tsdl_type(struct tsdl *p, char **field);
/* True if a declaration begins here: typealias, typedef, or a type. */
bool tsdl_is_declaration(const struct tsdl *p);
/* Reads a declaration that is not a field, with its semicolon. */
bool tsdl_declaration(struct tsdl *p);
/* Reads { ... }; */
bool tsdl_block(struct tsdl *p, const struct tsdl_block *block, void *to);

#endif
