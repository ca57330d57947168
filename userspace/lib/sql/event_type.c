// SPDX-License-Identifier: LGPL-2.1
/*
 * event_type.c - columns of the tables of event types
 *
 * Integers are INTEGER even if shown in hexadecimal, enums their name or else the number, floats
 * REAL, text TEXT, arrays JSON: as ktrace export --to sqlite has them.
 */
#include "event_type.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "event.h"
#include "sql.h"

#define NAME_MAX_BYTES 200

struct type_list {
	const struct ktrace_event_type **at;
	size_t nr;
	size_t cap;
};

__u32 ktrace_field_push(const struct ktrace_field *f)
{
	if (f->is_address || f->scalar == KTRACE_F32 || f->scalar == KTRACE_F64)
		return 0;
	if (f->scalar == KTRACE_CHAR)
		return PUSH_EQUAL;
	if (f->shape != KTRACE_ONE)
		return 0;
	return f->enum_nr ? PUSH_EQUAL : PUSH_NUMBER;
}

static const char *affinity(const struct ktrace_field *f)
{
	if (f->scalar == KTRACE_CHAR || f->is_address || f->shape != KTRACE_ONE)
		return "TEXT";
	if (f->scalar == KTRACE_F32 || f->scalar == KTRACE_F64)
		return "REAL";
	return f->enum_nr ? "" : "INTEGER";
}

/* Makes the description of a field's column: "field prev_tid, u32"; NULL without memory. */
static char *describe(const struct ktrace_field *f)
{
	const bool is_string = f->shape == KTRACE_STRING;
	char count[16] = "", *text;

	if (f->shape == KTRACE_FIXED)
		snprintf(count, sizeof(count), "[%u]", f->count);
	return asprintf(&text, "field %s, %s%s%s", f->name, f->shape == KTRACE_COUNTED ?
			"array of " : f->enum_nr ? "enum of " : "",
			is_string ? "string" : ktrace_scalar_name(f->scalar), count) < 0 ? NULL :
	       text;
}

static bool is_taken(const struct event_type *t, const char *name)
{
	int i;

	for (i = 0; i < t->nr; i++)
		if (!sqlite3_stricmp(t->columns[i].name, name))
			return true;
	return false;
}

static bool is_common(const char *name)
{
	int i;

	for (i = 0; i < EVENT_COMMON; i++)
		if (!sqlite3_stricmp(ktrace_event_columns[i].name, name))
			return true;
	return false;
}

/* Returns a name no other column has: "tid" of a field is "field_tid"; NULL without memory. */
static char *name_column(const struct event_type *t, const char *field)
{
	const char *before = is_common(field) ? "field_" : "";
	char name[NAME_MAX_BYTES + 32];
	__u32 number = 2;

	snprintf(name, sizeof(name), "%s%.*s", before, NAME_MAX_BYTES, field);
	while (is_taken(t, name))
		snprintf(name, sizeof(name), "%s%.*s_%u", before, NAME_MAX_BYTES, field, number++);
	return strdup(name);
}

static int add_column(struct event_type *t, const struct ktrace_field *f, __u32 nth)
{
	const int k = t->nr - EVENT_COMMON;
	struct column *c;

	if ((__u32)k >= FIELDS_MAX)
		return 0;
	if (!LIST_RESIZE(t->columns, t->nr + 1) || !LIST_RESIZE(t->fields, k + 1))
		return -ENOMEM;
	c = &t->columns[t->nr];
	c->name = name_column(t, f->name);
	c->doc = describe(f);
	c->type = affinity(f);
	c->push = ktrace_field_push(f);
	t->fields[k] = (struct field_column){ f->name, nth };
	t->nr++;
	return c->name && c->doc ? 0 : -ENOMEM;
}

static __u32 count_before(const struct ktrace_event_type *type, __u32 i)
{
	__u32 k, nr = 0;

	for (k = 0; k < i; k++)
		nr += !strcmp(type->fields[k].name, type->fields[i].name);
	return nr;
}

int ktrace_event_type_column(const struct event_type *to, const struct ktrace_event_type *type,
			     __u32 i)
{
	const __u32 nth = i < FIELDS_MAX ? count_before(type, i) : 0;
	int k;

	for (k = 0; i < FIELDS_MAX && k < to->nr - EVENT_COMMON; k++)
		if (to->fields[k].nth == nth && !strcmp(to->fields[k].field, type->fields[i].name))
			return k + EVENT_COMMON;
	return -1;
}

/* Adds the columns of a type that shares the table. */
static int add_type(struct event_type *t, const struct ktrace_event_type *type)
{
	struct column *c;
	int ret = 0, k;
	__u32 i;

	for (i = 0; i < type->field_nr && i < FIELDS_MAX && !ret; i++) {
		k = ktrace_event_type_column(t, type, i);
		if (k < 0) {
			ret = add_column(t, &type->fields[i], count_before(type, i));
			continue;
		}
		c = &t->columns[k];
		c->push &= ktrace_field_push(&type->fields[i]);
		if (strcmp(c->type, affinity(&type->fields[i])))
			c->type = "";
	}
	return ret;
}

/*
 * SQLite ignores the case of names and reserves those that begin with sqlite_. A table whose name
 * is taken or reserved gets an underscore in front.
 */
static int name_table(struct ktrace_sql *sql, struct event_type *t)
{
	char name[NAME_MAX_BYTES + 32];
	bool is_free = sqlite3_strnicmp(t->name, "sqlite_", 7);
	size_t i;

	for (i = 0; i < sql->event_type_nr && is_free; i++)
		is_free = sqlite3_stricmp(sql->event_types[i].table_name, t->name);
	snprintf(name, sizeof(name), is_free ? "%.*s" : "_%.*s", NAME_MAX_BYTES, t->name);
	if (!is_free)
		snprintf(name + strlen(name), 24, ":%zu", sql->event_type_nr);
	t->table_name = strdup(name);
	if (asprintf(&t->doc, "an event %s", t->name) < 0)
		t->doc = NULL;
	return t->table_name && t->doc ? 0 : -ENOMEM;
}

static int new_type(struct ktrace_sql *sql, const struct ktrace_event_type *first)
{
	struct event_type t = { .name = first->full_name, .nr = EVENT_COMMON };
	int ret = LIST_RESIZE(sql->event_types, sql->event_type_nr + 1) ? 0 : -ENOMEM;

	if (ret)
		return ret;
	t.columns = malloc(EVENT_COMMON * sizeof(*t.columns));
	if (t.columns)
		memcpy(t.columns, ktrace_event_columns, EVENT_COMMON * sizeof(*t.columns));
	ret = t.columns ? name_table(sql, &t) : -ENOMEM;
	sql->event_types[sql->event_type_nr++] = t;
	return ret;
}

static int by_name(const void *a, const void *b)
{
	const struct ktrace_event_type *x = *(const struct ktrace_event_type *const *)a;
	const struct ktrace_event_type *y = *(const struct ktrace_event_type *const *)b;

	return strcmp(x->full_name, y->full_name);
}

static int collect(struct type_list *list, const struct ktrace_trace *trace)
{
	const struct ktrace_event_type *type;
	__u32 kind, id;

	for (kind = 0; kind < 2; kind++) {
		for (id = 0; id < ktrace_trace_types(trace, kind); id++) {
			type = ktrace_trace_type(trace, kind, id);
			if (!type)
				continue;
			if (!LIST_GROW(list->at, list->nr, list->cap))
				return -ENOMEM;
			list->at[list->nr++] = type;
		}
	}
	return 0;
}

int ktrace_event_types_find(struct ktrace_sql *sql)
{
	const struct ktrace_trace *trace;
	struct type_list list = { 0 };
	int ret = 0;
	size_t i;

	for (i = 0; !ret && (trace = ktrace_traceset_trace(sql->set, i)); i++)
		ret = collect(&list, trace);
	if (list.nr)
		qsort(list.at, list.nr, sizeof(*list.at), by_name);
	for (i = 0; i < list.nr && !ret; i++) {
		if (!i || by_name(&list.at[i - 1], &list.at[i]))
			ret = new_type(sql, list.at[i]);
		if (!ret)
			ret = add_type(&sql->event_types[sql->event_type_nr - 1], list.at[i]);
	}
	free(list.at);
	return ret;
}

void ktrace_event_types_free(struct ktrace_sql *sql)
{
	struct event_type *t;
	size_t i;
	int k;

	for (i = 0; i < sql->event_type_nr; i++) {
		t = &sql->event_types[i];
		for (k = EVENT_COMMON; t->columns && k < t->nr; k++) {
			free((char *)t->columns[k].name);
			free((char *)t->columns[k].doc);
		}
		free(t->columns);
		free(t->fields);
		free(t->table_name);
		free(t->doc);
	}
	free(sql->event_types);
}

struct table ktrace_event_type_table(const struct event_type *type)
{
	return (struct table){
		.class = &ktrace_event_type_class, .name = type->table_name, .doc = type->doc,
		.columns = type->columns, .nr = type->nr, .data = type,
	};
}
