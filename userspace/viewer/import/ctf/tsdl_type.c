// SPDX-License-Identifier: GPL-2.0
/*
 * tsdl_type.c - reads types of TSDL
 *
 * Names of members lose one underscore in front, as writers add one so that a name is no keyword;
 * locations keep the name as it is written. The values that select an option of a variant are
 * known only when its selector is decoded, see decode.c.
 */
#include "tsdl_type.h"

#include <stdlib.h>
#include <string.h>

#include "base/viewer.h"

/* The structs of a packet and of an event, as locations name them */
static const char *const scopes[CTF_SCOPES] = {
	[CTF_PACKET_HEADER] = "trace.packet.header.",
	[CTF_PACKET_CONTEXT] = "stream.packet.context.",
	[CTF_EVENT_HEADER] = "stream.event.header.",
	[CTF_COMMON_CONTEXT] = "stream.event.context.",
	[CTF_SPECIFIC_CONTEXT] = "event.context.",
	[CTF_PAYLOAD] = "event.fields.",
};

static bool split_path(struct tsdl *p, struct ctf_location *where, char *at)
{
	char *next;

	where->path = calloc(TSDL_NAMES_MAX, sizeof(*where->path));
	if (!where->path)
		return tsdl_no_memory(p);
	for (; at; at = next) {
		next = strchr(at, '.');
		if (next)
			*next++ = 0;
		where->path[where->nr] = strdup(at);
		if (!where->path[where->nr++])
			return tsdl_no_memory(p);
	}
	return true;
}

/* Reads where a length or a selector is. */
static bool take_location(struct tsdl *p, struct ctf_location *where)
{
	unsigned int scope = 0;
	char *path;
	bool is_fine = tsdl_dotted(p, &path);

	while (is_fine && scope < CTF_SCOPES &&
	       strncmp(path, scopes[scope], strlen(scopes[scope])))
		scope++;
	where->scope = (enum ctf_scope)scope;
	where->is_outward = scope == CTF_SCOPES;
	is_fine = is_fine && split_path(p, where, path +
					(scope < CTF_SCOPES ? strlen(scopes[scope]) : 0));
	free(path);
	return is_fine;
}

static void free_location(struct ctf_location *where)
{
	for (__u32 i = 0; i < where->nr; i++)
		free(where->path[i]);
	free(where->path);
}

static bool has_member(const struct ctf_class *class, const char *name)
{
	for (__u32 i = 0; i < class->member_nr; i++)
		if (!strcmp(class->members[i].name, name))
			return true;
	return false;
}

static struct ctf_member *new_member(struct tsdl *p, struct ctf_class *class)
{
	const __u32 nr = class->member_nr;
	struct ctf_member *members = class->members;

	if (!(nr & (nr - 1)) || !nr)
		members = realloc(members, (nr ? 2 * (size_t)nr : 1) * sizeof(*members));
	if (!members || nr >= 1u << 30)
		return tsdl_no_memory(p);
	class->members = members;
	members[nr] = (struct ctf_member){ 0 };
	class->member_nr++;
	return &members[nr];
}

static bool add_member(struct tsdl *p, struct ctf_class *class, const char *name,
		       struct ctf_class *field)
{
	const bool is_stripped = name[0] == '_' && name[1] && !has_member(class, name + 1);
	struct ctf_member *m = new_member(p, class);

	if (!m)
		return false;
	m->class = field;
	m->name = strdup(name + is_stripped);
	m->key = strdup(name);
	return (m->name && m->key) || tsdl_no_memory(p);
}

/* Makes an array; one of characters is text. NULL: no memory. @element is not finished. */
static struct ctf_class *new_array(struct tsdl *p, struct ctf_class *element)
{
	const struct ctf_layout *inner = element->layout;
	const bool is_text = element->kind <= CTF_SIGNED && inner->is_char && inner->length == 8 &&
			     inner->align <= 8 && !element->member_nr;
	struct ctf_class *class = ctf_schema_class(p->schema, is_text ? CTF_TEXT : CTF_ARRAY);

	if (!class)
		return tsdl_no_memory(p);
	class->layout->align = inner->align > 8 || !is_text ? inner->align : 8;
	if (!is_text)
		class->inner = element;
	return class;
}

/* Reads the lengths behind a name; those of the outer arrays come first. */
static struct ctf_class *arrays(struct tsdl *p, struct ctf_class *class)
{
	struct ctf_location where = { .scope = CTF_SCOPES };
	struct ctf_class *array;
	__u64 length = 0;
	bool is_fixed, is_fine;

	if (!tsdl_take(p, '['))
		return class;
	is_fixed = p->lex.kind == TSDL_NUMBER;
	is_fine = (is_fixed ? tsdl_take_number(p, &length) : take_location(p, &where)) &&
		  tsdl_expect(p, ']') && ++p->depth < CTF_DEPTH_MAX;
	if (is_fine)
		class = arrays(p, class);
	p->depth -= is_fine;
	array = is_fine && class ? new_array(p, class) : NULL;
	if (!array) {
		free_location(&where);
		tsdl_fail(p, "arrays are nested too deep");
		return NULL;
	}
	array->is_fixed = is_fixed;
	array->layout->form = is_fixed ? CTF_FIXED : CTF_COUNTED;
	array->layout->length = length;
	array->layout->where = where;
	if (ctf_schema_end_class(array))
		return array;
	tsdl_fail(p, "types are nested too deep");
	return NULL;
}

/* Adds a field, and those behind a comma with the same type. */
static bool take_fields(struct tsdl *p, struct ctf_class *to, struct ctf_class *base, char **name)
{
	struct ctf_class *class;

	for (;;) {
		class = arrays(p, base);
		if (!class || !add_member(p, to, *name, class))
			return false;
		if (!tsdl_take(p, ','))
			return tsdl_expect(p, ';');
		free(*name);
		*name = NULL;
		if (!tsdl_append(p, name, "", p->lex.text) || !tsdl_expect(p, TSDL_NAME))
			return false;
	}
}

static bool fields(struct tsdl *p, struct ctf_class *to)
{
	struct ctf_class *base;
	char *name = NULL;
	bool is_fine;

	if (tsdl_is(&p->lex, "typealias") || tsdl_is(&p->lex, "typedef"))
		return tsdl_declaration(p);
	base = tsdl_type(p, &name);
	/* A type without a field, such as a struct with a name */
	is_fine = base && (name ? take_fields(p, to, base, &name) : tsdl_expect(p, ';'));
	free(name);
	return is_fine;
}

static bool body(struct tsdl *p, struct ctf_class *class)
{
	struct tsdl_scope scope;
	bool is_fine = true;

	tsdl_next(&p->lex);
	tsdl_enter(p, &scope);
	while (is_fine && p->lex.kind != '}')
		is_fine = fields(p, class);
	tsdl_leave(p);
	return is_fine && tsdl_expect(p, '}');
}

/* Reads a name that may be missing; *@name is freed by free(). */
static bool take_tag(struct tsdl *p, char **name)
{
	*name = NULL;
	if (p->lex.kind != TSDL_NAME)
		return true;
	if (!tsdl_append(p, name, "", p->lex.text))
		return false;
	tsdl_next(&p->lex);
	return true;
}

static bool take_struct_align(struct tsdl *p, struct ctf_class *class)
{
	__u64 align;

	if (!tsdl_is(&p->lex, "align"))
		return true;
	tsdl_next(&p->lex);
	return tsdl_expect(p, '(') && tsdl_take_number(p, &align) && tsdl_expect(p, ')') &&
	       tsdl_set_align(p, class->layout, align);
}

static struct ctf_class *new_structure(struct tsdl *p, const char *name)
{
	struct ctf_class *class;

	if (p->lex.kind != '{')
		return tsdl_find(p, 's', name ? name : "");
	class = ctf_schema_class(p->schema, CTF_STRUCT);
	if (!class)
		return tsdl_no_memory(p);
	if (!body(p, class) || !take_struct_align(p, class))
		return NULL;
	if (!ctf_schema_end_class(class)) {
		tsdl_fail(p, "types are nested too deep");
		return NULL;
	}
	return !name || tsdl_define(p, 's', name, class) ? class : NULL;
}

static struct ctf_class *structure(struct tsdl *p)
{
	char *name;
	struct ctf_class *class = take_tag(p, &name) ? new_structure(p, name) : NULL;

	free(name);
	return class;
}

static struct ctf_class *new_variant(struct tsdl *p, const char *name)
{
	struct ctf_class *class;

	if (p->lex.kind != '{')
		return tsdl_find(p, 'v', name ? name : "");
	class = ctf_schema_class(p->schema, CTF_VARIANT);
	if (!class)
		return tsdl_no_memory(p);
	if (!body(p, class))
		return NULL;
	if (!ctf_schema_end_class(class)) {
		tsdl_fail(p, "types are nested too deep");
		return NULL;
	}
	return !name || tsdl_define(p, 'v', name, class) ? class : NULL;
}

static struct ctf_class *variant(struct tsdl *p)
{
	struct ctf_location where = { .scope = CTF_SCOPES };
	struct ctf_class *class = NULL;
	char *name;
	bool is_fine = take_tag(p, &name);

	if (is_fine && tsdl_take(p, '<'))
		is_fine = take_location(p, &where) && tsdl_expect(p, '>');
	if (is_fine)
		class = new_variant(p, name);
	free(name);
	if (class && where.nr) {
		class = ctf_schema_copy(p->schema, class);
		if (!class)
			tsdl_fail(p, "out of memory");
	}
	if (class && where.nr)
		class->layout->where = where;
	else
		free_location(&where);
	return class;
}

static bool take_label(struct tsdl *p, struct ctf_class *class, struct ktrace_out *labels,
		       struct ctf_range *range)
{
	struct ctf_member *m = new_member(p, class);
	__u32 nr = class->member_nr - 1;
	__u64 v;

	if (!m)
		return false;
	m->name = strdup(p->lex.text);
	if (!m->name)
		return tsdl_no_memory(p);
	if (p->lex.kind != TSDL_NAME && p->lex.kind != TSDL_TEXT)
		return tsdl_fail(p, "a name is missing in an enum");
	tsdl_next(&p->lex);
	range->low = range->high = (__s64)((__u64)range->high + 1);
	if (tsdl_take(p, '=')) {
		if (!tsdl_take_number(p, &v))
			return false;
		range->low = range->high = (__s64)v;
		if (tsdl_take(p, TSDL_DOTS) && !tsdl_take_number(p, &v))
			return false;
		range->high = (__s64)v;
	}
	ctf_label_put(labels, &nr, m->name, *range);
	return ctf_ranges_add(&m->ranges, *range) || tsdl_no_memory(p);
}

/* Reads the integer that an enum is; without one it is an int. */
static struct ctf_class *enum_base(struct tsdl *p)
{
	struct ctf_class *base;

	if (tsdl_take(p, ':'))
		base = tsdl_type(p, NULL);
	else
		base = tsdl_find(p, 't', "int");
	if (base && base->kind > CTF_SIGNED) {
		tsdl_fail(p, "an enum of something that is no integer");
		return NULL;
	}
	return base;
}

static bool take_labels(struct tsdl *p, struct ctf_class *class)
{
	struct ktrace_out labels = { .flush = output_grow };
	struct ctf_range range = { -1, -1 };
	bool is_fine = true;

	while (is_fine && p->lex.kind != '}') {
		is_fine = take_label(p, class, &labels, &range);
		if (is_fine && !tsdl_take(p, ','))
			break;
	}
	if (labels.len)
		ktrace_out_char(&labels, 0);
	free(class->labels);
	class->labels = labels.buf;
	return is_fine && !labels.error && tsdl_expect(p, '}');
}

static struct ctf_class *new_enumeration(struct tsdl *p, const char *name)
{
	struct ctf_class *base, *class;

	if (p->lex.kind != '{' && p->lex.kind != ':')
		return tsdl_find(p, 'e', name ? name : "");
	base = enum_base(p);
	if (!base || !tsdl_expect(p, '{'))
		return NULL;
	class = ctf_schema_copy(p->schema, base);
	if (!class)
		return tsdl_no_memory(p);
	class->layout->is_char = false;
	if (!take_labels(p, class))
		return NULL;
	return !name || tsdl_define(p, 'e', name, class) ? class : NULL;
}

static struct ctf_class *enumeration(struct tsdl *p)
{
	char *name;
	struct ctf_class *class = take_tag(p, &name) ? new_enumeration(p, name) : NULL;

	free(name);
	return class;
}

static const struct {
	const char *name;
	struct ctf_class *(*read)(struct tsdl *p);
} keywords[] = {
	{ "integer", tsdl_integer },
	{ "floating_point", tsdl_floating_point },
	{ "string", tsdl_string },
	{ "struct", structure },
	{ "variant", variant },
	{ "enum", enumeration },
};

/*
 * Joins names and stars with blanks: "unsigned long", "char *". If @field is not NULL, the last
 * name is that of a field. free() frees both, even after a failure.
 */
static bool words(struct tsdl *p, char **to, char **field)
{
	char *word = NULL;
	unsigned int nr = 0;
	bool is_fine = true;

	*to = NULL;
	while (is_fine && (p->lex.kind == TSDL_NAME || p->lex.kind == '*') &&
	       nr++ < TSDL_NAMES_MAX) {
		if (word)
			is_fine = tsdl_append(p, to, " ", word);
		free(word);
		word = NULL;
		if (p->lex.kind == '*' || (!tsdl_is(&p->lex, "const") &&
					   !tsdl_is(&p->lex, "volatile")))
			is_fine = is_fine && tsdl_append(p, &word, "",
						    p->lex.kind == '*' ? "*" : p->lex.text);
		tsdl_next(&p->lex);
	}
	if (field) {
		*field = word;
		return is_fine && (*to || tsdl_fail(p, "a type is missing"));
	}
	if (word && is_fine)
		is_fine = tsdl_append(p, to, " ", word);
	free(word);
	return is_fine && (*to || tsdl_fail(p, "a type is missing"));
}

struct ctf_class *tsdl_type(struct tsdl *p, char **field)
{
	const size_t nr = sizeof(keywords) / sizeof(keywords[0]);
	struct ctf_class *class;
	char *name;
	size_t i = 0;

	if (field)
		*field = NULL;
	if (p->depth >= CTF_DEPTH_MAX) {
		tsdl_fail(p, "types are nested too deep");
		return NULL;
	}
	while (tsdl_is(&p->lex, "const") || tsdl_is(&p->lex, "volatile"))
		tsdl_next(&p->lex);
	while (i < nr && !tsdl_is(&p->lex, keywords[i].name))
		i++;
	if (i == nr) {
		class = words(p, &name, field) ? tsdl_find(p, 't', name) : NULL;
		free(name);
		return class;
	}
	tsdl_next(&p->lex);
	p->depth++;
	class = keywords[i].read(p);
	p->depth--;
	return class && (!field || take_tag(p, field)) ? class : NULL;
}

static bool is_keyword(const struct tsdl *p)
{
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (tsdl_is(&p->lex, keywords[i].name))
			return true;
	return false;
}

bool tsdl_is_declaration(const struct tsdl *p)
{
	return tsdl_is(&p->lex, "typealias") || tsdl_is(&p->lex, "typedef") || is_keyword(p);
}

static bool typealias(struct tsdl *p)
{
	struct ctf_class *class = tsdl_type(p, NULL);
	char *name = NULL;
	bool is_fine = class && tsdl_expect(p, TSDL_ASSIGN) && words(p, &name, NULL) &&
		       tsdl_expect(p, ';') && tsdl_define(p, 't', name, class);

	free(name);
	return is_fine;
}

static bool typedefinition(struct tsdl *p)
{
	char *name;
	struct ctf_class *class = tsdl_type(p, &name);
	bool is_fine = class && (name || tsdl_fail(p, "a name is missing"));

	if (is_fine)
		class = arrays(p, class);
	is_fine = is_fine && class && tsdl_expect(p, ';') && tsdl_define(p, 't', name, class);
	free(name);
	return is_fine;
}

bool tsdl_declaration(struct tsdl *p)
{
	const bool is_alias = tsdl_is(&p->lex, "typealias");

	if (is_alias || tsdl_is(&p->lex, "typedef")) {
		tsdl_next(&p->lex);
		return is_alias ? typealias(p) : typedefinition(p);
	}
	return tsdl_type(p, NULL) && tsdl_expect(p, ';');
}
