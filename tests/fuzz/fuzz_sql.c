// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_sql.c - hostile statements about hostile tracefiles
 *
 * The input is two bytes with the length of a text, the text, and a file. All statements of the
 * text are run, with limits. What must hold:
 *  - nothing is written: no file appears, and the error of what is refused can be printed;
 *  - a condition that goes down into the reader leaves out no row that SQLite lets pass, unless
 *    stamps go back, headers lie, or an event is incomplete: a seek does not load all of its
 *    fragments;
 *  - each event is in the table of its type.
 */
#include <errno.h>
#include <ktrace/sql.h>

#include "sections.h"
#include "truthful.h"

#define TEXT_MAX 1024u
#define ROWS_MAX 1000

static struct memfile file;

/* Conditions, which the first one makes go down and the unary plus of the second does not */
static const char *const conditions[][2] = {
	{ "cpu = 0", "+cpu = 0" },
	{ "cpu IN (0, 1.0, '2', NULL)", "+cpu IN (0, 1.0, '2', NULL)" },
	{ "tid <> 100", "+tid <> 100" },
	{ "pid = 100", "+pid = 100" },
	{ "comm = 'demo'", "+comm = 'demo'" },
	{ "name GLOB 'sched:*'", "+name GLOB 'sched:*'" },
	{ "name LIKE '%WORK'", "+name LIKE '%WORK'" },
	{ "name = 'ktrace:lost'", "+name = 'ktrace:lost'" },
	{ "ns BETWEEN 100 AND 1e6", "+ns BETWEEN 100 AND 1e6" },
	{ "time > 1700000000000000200", "+time > 1700000000000000200" },
	{ "stream >= 2 AND trace < 1", "+stream >= 2 AND +trace < 1" },
	{ "host = 'golden'", "+host = 'golden'" },
};

#define CONDITION_NR (sizeof(conditions) / sizeof(conditions[0]))

static void check_error(struct ktrace_sql *sql, int error, const char *text)
{
	int offset;
	const char *message = ktrace_sql_error(sql, &offset);

	REQUIRE(error == -EINVAL || error == -EPERM || error == -ENOMEM || error == -ETIME ||
		error == -EIO);
	REQUIRE(*message && offset >= -1 && (offset == -1 || (size_t)offset <= strlen(text)));
}

static void read_row(struct ktrace_sql_query *query)
{
	struct ktrace_sql_value v;
	int i;

	for (i = 0; i < ktrace_sql_columns(query); i++) {
		ktrace_sql_value(query, i, &v);
		REQUIRE(v.type <= KTRACE_SQL_BLOB && ktrace_sql_column(query, i));
		REQUIRE(v.type != KTRACE_SQL_TEXT || !v.bytes[v.len]);
	}
}

static void run_text(struct ktrace_sql *sql, const char *text)
{
	struct ktrace_sql_query *query;
	const char *rest;
	int ret, rows;

	for (; *text; text = rest) {
		ret = ktrace_sql_prepare(sql, text, &query, &rest);
		if (ret) {
			check_error(sql, ret, text);
			return;
		}
		ret = query ? 1 : 0;
		for (rows = 0; ret == 1 && rows < ROWS_MAX; rows++) {
			ret = ktrace_sql_step(query);
			if (ret == 1)
				read_row(query);
		}
		if (ret < 0)
			check_error(sql, ret, text);
		ktrace_sql_finish(query);
	}
}

/* Returns the first value of a statement; -1 = it failed. */
static __s64 ask(struct ktrace_sql *sql, const char *text)
{
	struct ktrace_sql_query *query;
	struct ktrace_sql_value v;
	__s64 value = -1;
	int ret = ktrace_sql_prepare(sql, text, &query, NULL);

	REQUIRE(!ret || ret == -ENOMEM);
	if (ret)
		return -1;
	ret = ktrace_sql_step(query);
	if (ret == 1) {
		ktrace_sql_value(query, 0, &v);
		value = v.integer;
	}
	REQUIRE(ret == 1 || ret == -ENOMEM || ret == -ETIME);
	ktrace_sql_finish(query);
	return value;
}

/* True if a seek finds what reading from the beginning finds. */
static bool is_orderly(struct ktrace_sql *sql)
{
	return !ask(sql, "SELECT count(*) FROM (SELECT ns - lag(ns) OVER () AS step, flags "
			 "FROM events) WHERE step < 0 OR flags LIKE '%incomplete%'");
}

static void check_condition(struct ktrace_sql *sql, const struct ktrace_traceset *set,
			    const char *const pair[2])
{
	__s64 counts[2];
	char text[160];
	int i;

	if (!is_truthful(set) || !is_orderly(sql))
		return;
	for (i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "SELECT count(*) FROM events WHERE %s", pair[i]);
		counts[i] = ask(sql, text);
	}
	REQUIRE(counts[0] == counts[1] || counts[0] < 0 || counts[1] < 0);
}

/* True if event_counts may be what a file claims. */
static bool has_counts(const struct ktrace_traceset *set)
{
	size_t i;

	for (i = 0; i < set->trace_nr; i++)
		if (set->traces[i]->counts_nr)
			return true;
	return false;
}

/* Types with a table have as many rows there as they are counted. */
static void check_types(struct ktrace_sql *sql)
{
	struct ktrace_sql_table table;
	char *name, text[1024];
	size_t i, tried = 0;
	__s64 own, all;

	for (i = 0; ktrace_sql_table(sql, i, &table) && tried < 4; i++) {
		if (!table.is_event || strchr(table.name, '"') || *table.name == '_')
			continue;
		tried++;
		name = strdup(table.name);
		REQUIRE(name);
		snprintf(text, sizeof(text), "SELECT count(*) FROM \"%s\"", name);
		own = ask(sql, text);
		snprintf(text, sizeof(text), "SELECT coalesce(sum(count), 0) FROM event_counts "
			 "WHERE name = '%s'", name);
		all = strchr(name, '\'') ? own : ask(sql, text);
		REQUIRE(own == all || own < 0 || all < 0);
		free(name);
	}
}

static void check_file(const uint8_t *settings, const char *text)
{
	const struct ktrace_sql_options opts = {
		.size = sizeof(opts), .time_ms = 500, .memory = 32 << 20,
	};
	struct ktrace_traceset *set;
	struct ktrace_sql *sql;

	REQUIRE(!ktrace_traceset_open(NULL, &set));
	if (!ktrace_traceset_add(set, file.path)) {
		if (settings[0] & 1)
			ktrace_traceset_add(set, file.path);
		REQUIRE(!ktrace_sql_open(set, &opts, &sql));
		run_text(sql, text);
		check_condition(sql, set, conditions[settings[1] % CONDITION_NR]);
		if (settings[2] & 1 && !has_counts(set))
			check_types(sql);
		ktrace_sql_close(sql);
	}
	ktrace_traceset_close(set);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	memfile_make(&file);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TEXT_MAX + 1];
	size_t n;

	if (size < 2)
		return 0;
	n = data[0] | (size_t)data[1] << 8;
	data += 2;
	size -= 2;
	if (n > TEXT_MAX || n > size || size - n < sizeof(struct ktrace_file) ||
	    size - n > FILE_MAX || !has_small_frames(data + n, size - n))
		return 0;
	memcpy(text, data, n);
	text[n] = '\0';
	memfile_fill(&file, data + n, size - n);
	check_file(data + n + SETTINGS_OFF, text);
	return 0;
}

/* Changes the text, or the file. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	uint8_t text[TEXT_MAX];
	size_t n, rest;

	n = size < 2 ? 0 : data[0] | (size_t)data[1] << 8;
	if (size < 2 || n > TEXT_MAX || n > size - 2)
		return LLVMFuzzerMutate(data, size, max);
	rest = size - 2 - n;
	if (seed % 3 == 0)
		return 2 + n + mutate_trace(data + 2 + n, rest, max - 2 - n, seed);
	memcpy(text, data + 2, n);
	if (rest + 2 + TEXT_MAX > max)
		return size;
	memmove(data + 2 + TEXT_MAX, data + 2 + n, rest);
	n = LLVMFuzzerMutate(text, n, TEXT_MAX);
	memcpy(data + 2, text, n);
	memmove(data + 2 + n, data + 2 + TEXT_MAX, rest);
	data[0] = (uint8_t)n;
	data[1] = (uint8_t)(n >> 8);
	return 2 + n + rest;
}
