// SPDX-License-Identifier: LGPL-2.1
/*
 * table.c - virtual tables: which conditions go down, and what EXPLAIN QUERY PLAN shows
 *
 * A plan is a text for people, followed by a struct plan. SQLite keeps both as one string.
 *
 * Tables are eponymous: a module with the table's name exists, and nothing in a schema.
 */
#include "table.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sql.h"

/* Conditions that go down for one use of a table; the others stay with SQLite. */
#define PLAN_MAX 32

/**
 * struct plan - conditions on a table, in the order of their values
 * @nr:		their number
 * @at:		what they are
 */
struct plan {
	int nr;
	struct {
		__s16 column;
		__u8 op;
		__u8 is_list;
	} at[PLAN_MAX];
};

/* struct vtab - a table in a statement */
struct vtab {
	sqlite3_vtab base;
	struct table *table;
};

static const char *const op_names[OP_NR] = {
	[OP_EQ] = "=", [OP_GT] = ">", [OP_GE] = ">=", [OP_LT] = "<", [OP_LE] = "<=",
	[OP_NE] = "<>", [OP_GLOB] = " GLOB ", [OP_LIKE] = " LIKE ",
};

static int op_of(unsigned char op)
{
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
		return OP_EQ;
	case SQLITE_INDEX_CONSTRAINT_GT:
		return OP_GT;
	case SQLITE_INDEX_CONSTRAINT_GE:
		return OP_GE;
	case SQLITE_INDEX_CONSTRAINT_LT:
		return OP_LT;
	case SQLITE_INDEX_CONSTRAINT_LE:
		return OP_LE;
	case SQLITE_INDEX_CONSTRAINT_NE:
		return OP_NE;
	case SQLITE_INDEX_CONSTRAINT_GLOB:
		return OP_GLOB;
	case SQLITE_INDEX_CONSTRAINT_LIKE:
		return OP_LIKE;
	default:
		return -1;
	}
}

/* True if the condition can go down: SQLite has the value, and compares bytes as they are. */
static bool can_push(const struct table *t, sqlite3_index_info *info, int i)
{
	const struct sqlite3_index_constraint *c = &info->aConstraint[i];
	const int op = op_of(c->op);

	if (!c->usable || c->iColumn < 0 || c->iColumn >= t->nr || op < 0 ||
	    !(t->columns[c->iColumn].push & 1u << op))
		return false;
	return op == OP_GLOB || op == OP_LIKE ||
	       !sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY");
}

static void fill_plan(const struct table *t, sqlite3_index_info *info, struct plan *plan)
{
	int i;

	plan->nr = 0;
	for (i = 0; i < info->nConstraint && plan->nr < PLAN_MAX; i++) {
		if (!can_push(t, info, i))
			continue;
		plan->at[plan->nr].column = (__s16)info->aConstraint[i].iColumn;
		plan->at[plan->nr].op = (__u8)op_of(info->aConstraint[i].op);
		plan->at[plan->nr].is_list = (__u8)sqlite3_vtab_in(info, i, 1);
		info->aConstraintUsage[i].argvIndex = ++plan->nr;
	}
}

static bool is_time(const struct table_class *class, int column)
{
	return column >= 0 && (column == class->time || column == class->ns);
}

/* Counts the sides on which the time is bounded. */
static int time_bounds(const struct table_class *class, const struct plan *plan)
{
	bool has_from = false, has_to = false;
	int i, op;

	for (i = 0; i < plan->nr; i++) {
		op = plan->at[i].op;
		if (!is_time(class, plan->at[i].column))
			continue;
		has_from |= op == OP_EQ || op == OP_GT || op == OP_GE;
		has_to |= op == OP_EQ || op == OP_LT || op == OP_LE;
	}
	return has_from + has_to;
}

/* Rows come in order of time, and so of their number. */
static bool is_ordered(const struct table_class *class, const sqlite3_index_info *info)
{
	return info->nOrderBy == 1 && !info->aOrderBy[0].desc && class->time >= 0 &&
	       (info->aOrderBy[0].iColumn < 0 || is_time(class, info->aOrderBy[0].iColumn));
}

/* Sets rough costs, so that tables that read everything come first, and ranges of time last. */
static void set_cost(const struct table_class *class, sqlite3_index_info *info,
		     const struct plan *plan)
{
	static const double shares[] = { 1, 0.4, 0.0001 };
	const double events = 1e8;
	double rows = class->cost == COST_FACTS ? 20 : class->cost == COST_ALL ? 1e5 : events;
	double cost = class->cost == COST_FACTS ? 20 : class->cost == COST_ALL ? 3 * events :
		      events;
	const int bounds = time_bounds(class, plan);
	int i;

	if (class->cost == COST_EVENTS)
		cost *= shares[bounds];
	rows *= shares[bounds];
	for (i = 0; i < plan->nr; i++)
		if (plan->at[i].op == OP_EQ && !is_time(class, plan->at[i].column))
			rows /= 10;
	info->estimatedRows = rows < 1 ? 1 : (sqlite3_int64)rows;
	info->estimatedCost = cost + rows;
}

static void put_range(sqlite3_str *out, const struct table_class *class, const struct plan *plan)
{
	const int bounds = time_bounds(class, plan);

	if (class->cost == COST_FACTS)
		sqlite3_str_appendall(out, "known");
	else if (class->cost == COST_ALL)
		sqlite3_str_appendall(out, "reads all events");
	else
		sqlite3_str_appendall(out, bounds == 2 ? "time range" : bounds ? "part by time" :
				      "all events");
}

/* Makes the text for people. */
static char *plan_text(const struct table *t, const sqlite3_index_info *info,
		       const struct plan *plan)
{
	sqlite3_str *out = sqlite3_str_new(NULL);
	int i;

	put_range(out, t->class, plan);
	for (i = 0; i < plan->nr; i++) {
		sqlite3_str_appendall(out, i ? " AND " : ": ");
		sqlite3_str_appendall(out, t->columns[plan->at[i].column].name);
		sqlite3_str_appendall(out, plan->at[i].is_list ? " IN " :
				      op_names[plan->at[i].op]);
		sqlite3_str_appendchar(out, 1, '?');
	}
	if (info->orderByConsumed)
		sqlite3_str_appendall(out, ", in order");
	return sqlite3_str_finish(out);
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct table *t = ((struct vtab *)base)->table;
	struct plan plan = { 0 };
	char *text, *both;
	size_t len;

	fill_plan(t, info, &plan);
	info->orderByConsumed = is_ordered(t->class, info);
	set_cost(t->class, info, &plan);
	text = plan_text(t, info, &plan);
	len = text ? strlen(text) + 1 : 0;
	both = text ? sqlite3_realloc64(text, len + sizeof(plan)) : NULL;
	if (!both) {
		sqlite3_free(text);
		return SQLITE_NOMEM;
	}
	memcpy(both + len, &plan, sizeof(plan));
	info->idxStr = both;
	info->needToFreeIdxStr = 1;
	return SQLITE_OK;
}

static char *declaration(const struct table *t)
{
	sqlite3_str *out = sqlite3_str_new(NULL);
	int i;

	sqlite3_str_appendall(out, "CREATE TABLE x(");
	for (i = 0; i < t->nr; i++)
		sqlite3_str_appendf(out, "%s\"%w\" %s", i ? "," : "", t->columns[i].name,
				    t->columns[i].type);
	sqlite3_str_appendall(out, ")");
	return sqlite3_str_finish(out);
}

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
		   char **error)
{
	struct table *t = aux;
	char *text = declaration(t);
	struct vtab *v = calloc(1, sizeof(*v));
	int result;

	t->sql->is_declaring = true;
	result = text && v ? sqlite3_declare_vtab(db, text) : SQLITE_NOMEM;
	t->sql->is_declaring = false;
	(void)argc;
	(void)argv;
	(void)error;
	sqlite3_free(text);
	if (result != SQLITE_OK) {
		free(v);
		return result;
	}
	v->table = t;
	sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	*out = &v->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *base)
{
	free(base);
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	const struct table *t = ((struct vtab *)base)->table;
	struct cursor *c = calloc(1, t->class->cursor_size);

	if (!c)
		return SQLITE_NOMEM;
	c->table = t;
	*out = &c->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;

	if (c->table->class->close)
		c->table->class->close(c);
	ktrace_conditions_free(&c->conditions);
	free(c);
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;
	int ret = c->table->class->next(c);

	c->is_end = ret != 1;
	c->row++;
	return ret < 0 ? ktrace_sql_fail(c->table->sql, base->pVtab, ret) : SQLITE_OK;
}

static int set_conditions(struct conditions *all, const struct plan *plan, sqlite3_value **values)
{
	struct condition *c;
	int ret = 0;

	ktrace_conditions_free(all);
	all->at = calloc((size_t)plan->nr + 1, sizeof(*all->at));
	if (!all->at)
		return -ENOMEM;
	while (all->nr < plan->nr && !ret) {
		c = &all->at[all->nr];
		c->column = plan->at[all->nr].column;
		c->op = plan->at[all->nr].op;
		ret = ktrace_condition_set(c, values[all->nr], plan->at[all->nr].is_list);
		all->nr++;
	}
	return ret;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
		  sqlite3_value **values)
{
	struct cursor *c = (struct cursor *)base;
	struct plan plan;
	int ret;

	(void)number;
	(void)argc;
	memcpy(&plan, text + strlen(text) + 1, sizeof(plan));
	c->row = 0;
	ret = set_conditions(&c->conditions, &plan, values);
	if (!ret)
		ret = c->table->class->filter(c);
	return ret ? ktrace_sql_fail(c->table->sql, base->pVtab, ret) : next(base);
}

static int at_end(sqlite3_vtab_cursor *base)
{
	return ((struct cursor *)base)->is_end;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *to, int i)
{
	struct cursor *c = (struct cursor *)base;

	c->table->class->column(c, to, i);
	return SQLITE_OK;
}

static int row_number(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = ((struct cursor *)base)->row;
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.iVersion = 1,
	.xConnect = connect,
	.xBestIndex = best_index,
	.xDisconnect = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next,
	.xEof = at_end,
	.xColumn = column,
	.xRowid = row_number,
};

int ktrace_table_add(struct table *table, sqlite3 *db)
{
	return sqlite3_create_module(db, table->name, &module, table) == SQLITE_OK ? 0 : -ENOMEM;
}

#define for_each_condition(condition, c) \
	for (int i_ = 0; i_ < (c)->conditions.nr && \
	     ((condition) = &(c)->conditions.at[i_]); i_++)

bool ktrace_cursor_has(const struct cursor *c, int i)
{
	const struct condition *condition;

	for_each_condition(condition, c)
		if (condition->column == i)
			return true;
	return false;
}

bool ktrace_cursor_takes(const struct cursor *c, int i, __s64 value)
{
	const struct condition *condition;

	for_each_condition(condition, c)
		if (condition->column == i && !ktrace_condition_may_match(condition, value))
			return false;
	return true;
}

bool ktrace_cursor_takes_text(const struct cursor *c, int i, const char *text)
{
	const struct condition *condition;

	for_each_condition(condition, c)
		if (condition->column == i &&
		    !ktrace_condition_may_match_text(condition, text, strlen(text)))
			return false;
	return true;
}

void ktrace_cursor_window(const struct cursor *c, __u64 *from, __u64 *to)
{
	const struct table_class *class = c->table->class;
	const __s64 start = (__s64)c->table->sql->start;
	__s64 low = 0, high = INT64_MAX, ns_low = 0, ns_high = INT64_MAX;
	const struct condition *condition;

	for_each_condition(condition, c) {
		if (condition->column == class->time)
			ktrace_condition_bound(condition, &low, &high);
		if (condition->column == class->ns)
			ktrace_condition_bound(condition, &ns_low, &ns_high);
	}
	/* Earlier events have the ns 0, too. */
	if (ns_low > 0)
		ns_low = ns_low > INT64_MAX - start ? INT64_MAX : ns_low + start;
	if (ns_high >= 0)
		ns_high = ns_high > INT64_MAX - start ? INT64_MAX : ns_high + start;
	low = low > ns_low ? low : ns_low;
	high = high < ns_high ? high : ns_high;
	*from = low > high ? 1 : (__u64)low;
	*to = low > high ? 0 : high == INT64_MAX ? ~0ull : (__u64)high;
}
