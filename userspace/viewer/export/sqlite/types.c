// SPDX-License-Identifier: GPL-2.0
/*
 * types.c - a table for each event type, with a column for each field
 *
 * Types with the same name and fields, even of several files, share a table. Integers are INTEGER
 * even if shown in hexadecimal, enums their name or else the number, floats REAL, text TEXT,
 * arrays JSON.
 */
#include "sqlite.h"

#include "base/ip_address.h"
#include "events/line.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* SQLite's tables have at most 2000 columns, and the view adds some; longer names are truncated. */
#define COLUMNS_MAX 1900u
#define NAME_MAX_BYTES 200

/*
 * struct type - key up to @id: the description, or kind and id of a type without one
 * @number:	its number in the table of types
 * @insert:	inserts fields; NULL = none
 */
struct type {
	const struct ktrace_event_type *type;
	__u32 kind;
	__u32 id;
	__s64 number;
	sqlite3_stmt *insert;
};

void types_init(struct db *d)
{
	d->types = (struct hash_table)HASH_TABLE_INIT(struct type, id);
}

static bool is_same_field(const struct ktrace_field *a, const struct ktrace_field *b)
{
	return a->scalar == b->scalar && a->shape == b->shape && a->enum_nr == b->enum_nr &&
	       !strcmp(a->name, b->name);
}

static bool is_same(const struct ktrace_event_type *a, const struct ktrace_event_type *b)
{
	__u32 i;

	if (!a || !b || a->field_nr != b->field_nr || strcmp(a->full_name, b->full_name))
		return false;
	for (i = 0; i < a->field_nr && is_same_field(&a->fields[i], &b->fields[i]); i++)
		;
	return i == a->field_nr;
}

/* Writes a name in quotes. */
static void put_name(struct ktrace_out *out, const char *name)
{
	ktrace_out_char(out, '"');
	for (; *name; name++) {
		if (*name == '"')
			ktrace_out_char(out, '"');
		ktrace_out_char(out, *name);
	}
	ktrace_out_char(out, '"');
}

/* Columns of the table being created */
static char columns[COLUMNS_MAX][NAME_MAX_BYTES + 16];

/* SQLite ignores the case of names. */
static bool is_taken(__u32 i)
{
	__u32 k;

	if (!strcasecmp(columns[i], "event_id"))
		return true;
	for (k = 0; k < i; k++)
		if (!strcasecmp(columns[i], columns[k]))
			return true;
	return false;
}

/* Returns the name of a field, with a number appended if an earlier column has that name. */
static const char *name_column(const char *field, __u32 i)
{
	__u32 number = i;

	snprintf(columns[i], sizeof(columns[i]), "%.*s", NAME_MAX_BYTES, field);
	while (is_taken(i))
		snprintf(columns[i], sizeof(columns[i]), "%.*s_%u", NAME_MAX_BYTES, field,
			 number++);
	return columns[i];
}

/* True if the fields do not fit in columns and become one column of JSON. */
static bool is_wide(const struct ktrace_event_type *type)
{
	return type->field_nr > COLUMNS_MAX;
}

static const char *affinity(const struct ktrace_field *f)
{
	if (f->scalar == KTRACE_CHAR || f->shape == KTRACE_FIXED || f->shape == KTRACE_COUNTED)
		return " TEXT";
	if (f->scalar == KTRACE_F32 || f->scalar == KTRACE_F64)
		return " REAL";
	return f->enum_nr ? "" : " INTEGER";
}

static void put_columns(struct ktrace_out *out, const struct ktrace_event_type *type)
{
	__u32 i;

	if (is_wide(type)) {
		ktrace_out_str(out, ",fields TEXT");
		return;
	}
	for (i = 0; i < type->field_nr; i++) {
		ktrace_out_char(out, ',');
		put_name(out, name_column(type->fields[i].name, i));
		ktrace_out_str(out, affinity(&type->fields[i]));
	}
}

/* Writes "f_12", the name of the table of type 12. */
static void put_table(struct ktrace_out *out, const struct type *t)
{
	ktrace_out_str(out, "f_");
	ktrace_out_u64(out, (__u64)t->number);
}

/* Runs the statement in the cell. */
static int run_cell(struct db *d)
{
	ktrace_out_char(&d->cell, '\0');
	d->cell.len = 0;
	return d->cell.error ? d->error = d->cell.error : db_run(d, d->cell.buf);
}

/* Creates the table of a type's fields. */
static int make_table(struct db *d, struct type *t)
{
	struct ktrace_out *out = &d->cell;

	ktrace_out_str(out, "CREATE TABLE ");
	put_table(out, t);
	ktrace_out_str(out, "(event_id INTEGER PRIMARY KEY REFERENCES event(id)");
	put_columns(out, t->type);
	ktrace_out_str(out, ")");
	return run_cell(d);
}

static int prepare_insert(struct db *d, struct type *t, const char *table)
{
	struct ktrace_out *out = &d->cell;
	__u32 i;

	ktrace_out_str(out, "INSERT INTO ");
	if (table)
		ktrace_out_str(out, table);
	else
		put_table(out, t);
	ktrace_out_str(out, " VALUES(?");
	for (i = 0; i < (is_wide(t->type) ? 1 : t->type->field_nr); i++)
		ktrace_out_str(out, ",?");
	ktrace_out_bytes(out, ")", 2);
	out->len = 0;
	return out->error ? d->error = out->error : db_prepare(d, out->buf, &t->insert);
}

/* Returns the result of SQLite. */
static int try_view(struct db *d, const struct type *t, const char *name)
{
	struct ktrace_out *out = &d->cell;

	ktrace_out_str(out, "CREATE VIEW ");
	put_name(out, name);
	ktrace_out_str(out, " AS SELECT e.ns, s.cpu, t.pid AS thread_pid, t.tid AS thread_tid, "
		       "t.comm AS thread_comm, f.* FROM ");
	put_table(out, t);
	ktrace_out_str(out, " AS f JOIN event AS e ON e.id = f.event_id JOIN stream AS s ON s.id = "
		       "e.stream LEFT JOIN thread AS t ON t.id = e.thread");
	ktrace_out_char(out, '\0');
	out->len = 0;
	return out->error ? SQLITE_NOMEM : sqlite3_exec(d->db, out->buf, NULL, NULL, NULL);
}

/*
 * Creates a view named like the event, with time and thread; appends the number if another type
 * has the name. SQLite reserves names that begin with sqlite_, so these get an underscore in
 * front.
 */
static int make_view(struct db *d, const struct type *t)
{
	const char *full = t->type->full_name, *before = strncasecmp(full, "sqlite_", 7) ? "" : "_";
	char name[NAME_MAX_BYTES + 32];
	int ret;

	snprintf(name, sizeof(name), "%s%.*s", before, NAME_MAX_BYTES, full);
	ret = try_view(d, t, name);
	if (ret == SQLITE_ERROR) {
		snprintf(name, sizeof(name), "%s%.*s:%lld", before, NAME_MAX_BYTES, full,
			 t->number);
		ret = try_view(d, t, name);
	}
	if (ret != SQLITE_ERROR)
		return db_check(d, ret);
	/* Not fatal: the table exists. */
	complain_safely("ktrace: no view of %s, see table f_%lld: SQLite: %s", name, t->number,
		sqlite3_errmsg(d->db));
	return 0;
}

static int put_type(struct db *d, struct type *t, const struct ktrace_trace_event *e)
{
	const bool is_loss = e->id == KTRACE_ID_LOST;

	sqlite3_bind_int64(d->type, 1, t->number);
	ktrace_event_name(&d->cell, e);
	db_bind_cell(d, d->type, 2);
	if (t->type && t->type->field_nr) {
		if (is_loss)
			ktrace_out_str(&d->cell, "loss");
		else
			put_table(&d->cell, t);
		db_bind_cell(d, d->type, 3);
	}
	if (db_step(d, d->type) || !t->type || !t->type->field_nr)
		return d->error;
	if (is_loss)
		return prepare_insert(d, t, "loss");
	if (!make_table(d, t) && !make_view(d, t))
		prepare_insert(d, t, NULL);
	return d->error;
}

/* Returns the same type of another file, to share its table; NULL = none */
static const struct type *find_twin(const struct db *d, const struct type *t)
{
	const struct type *other;

	hash_table_for_each(other, &d->types)
		if (other != t && is_same(other->type, t->type))
			return other;
	return NULL;
}

__s64 types_find(struct db *d, const struct ktrace_trace_event *e)
{
	const struct type key = {
		.type = e->type, .kind = e->type ? 0 : e->stream->kind, .id = e->type ? 0 : e->id,
	};
	const size_t nr = d->types.nr;
	struct type *t = hash_table_get(&d->types, &key);
	const struct type *twin;

	if (!t)
		return d->error = -ENOMEM;
	if (d->types.nr == nr)
		return t->number;
	twin = find_twin(d, t);
	t->number = twin ? twin->number : (__s64)d->types.nr;
	if (!twin && put_type(d, t, e))
		return d->error;
	return t->number;
}

static void bind_value(struct db *d, sqlite3_stmt *insert, int column, const struct ktrace_value *v)
{
	const struct ktrace_field *f = v->field;
	char address[IP_ADDRESS_TEXT];
	const char *name;

	if (f->scalar == KTRACE_CHAR) {
		ktrace_out_utf8(&d->cell, v->data, strnlen(v->data, v->count));
		db_bind_cell(d, insert, column);
	} else if (f->is_address && !v->is_cut) {
		ip_address_text(v->data, address);
		sqlite3_bind_text(insert, column, address, -1, SQLITE_TRANSIENT);
	} else if (f->shape != KTRACE_ONE) {
		ktrace_value_json(&d->cell, v);
		db_bind_cell(d, insert, column);
	} else if (!v->count) {
		return;
	} else if (f->scalar == KTRACE_F32 || f->scalar == KTRACE_F64) {
		sqlite3_bind_double(insert, column, ktrace_value_f64(v, 0));
	} else {
		name = ktrace_enumerator_find(f, ktrace_value_s64(v, 0));
		if (name)
			sqlite3_bind_text(insert, column, name, -1, SQLITE_TRANSIENT);
		else
			sqlite3_bind_int64(insert, column, ktrace_value_s64(v, 0));
	}
}

int types_insert(struct db *d, __s64 number, __s64 id, const struct ktrace_trace_event *e)
{
	sqlite3_stmt *insert = ((struct type *)hash_table_at(&d->types,
							     (size_t)number - 1))->insert;
	struct ktrace_values it;
	struct ktrace_value v;

	if (!insert || !line_has_fields(e))
		return 0;
	sqlite3_bind_int64(insert, 1, id);
	if (is_wide(e->type)) {
		line_put_json_fields(&d->cell, e);
		db_bind_cell(d, insert, 2);
		return db_step(d, insert);
	}
	line_for_each_value(v, it, e)
		bind_value(d, insert, (int)it.next + 1, &v);
	return db_step(d, insert);
}

void types_free(struct db *d)
{
	size_t i;

	for (i = 0; i < d->types.nr; i++)
		sqlite3_finalize(((struct type *)hash_table_at(&d->types, i))->insert);
	hash_table_free(&d->types);
}
