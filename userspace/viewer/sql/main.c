// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - the program of ktrace sql: options and files
 *
 * A program of its own, so that ktrace starts without loading SQLite.
 */
#include "ask.h"

#include "base/files.h"
#include "base/parts.h"
#include "base/progress.h"
#include "base/store_files.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void on_progress(void *arg, __u64 from, __u64 until, __u64 at, __u64 events)
{
	static __u64 begin, end;

	(void)arg;
	if (from != begin || until != end)
		progress_begin(from, until);
	begin = from;
	end = until;
	progress_add(at, events);
}

static const char *set_parameter(void *to, const char *text)
{
	return ask_set_parameter(to, text);
}

#define MEMBER(member) OPTION_MEMBER(struct ask, member)

static const struct option_row rows[] = {
	{ .letter = 'f', .name = "file", .value = "FILE", .text = MEMBER(file),
	  .help = "run the statements in FILE" },
	{ .name = "param", .value = "NAME=VALUE", .set = set_parameter,
	  .help = "the value of :NAME in statements" },
	{ .name = "csv", .flag = MEMBER(is_csv), .help = "print CSV" },
	{ .name = "schema-doc", .flag = MEMBER(wants_schema),
	  .help = "print the tables that all files have as Markdown" },
	{ .help = NULL },
};

static const struct option_row store_rows[] = {
	{ .help = "\n"
	  "--store URL asks the tables of ktrace load in ClickHouse, in its SQL:\n"
	  "http://HOST:PORT/DATABASE, or https://.\n" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ since_options, offsetof(struct ask, since) },
	{ until_options, offsetof(struct ask, until) },
	{ query_limits_options, offsetof(struct ask, limits) },
	{ json_options, offsetof(struct ask, is_json) },
	{ store_rows, 0 },
	{ clickhouse_options, offsetof(struct ask, store) },
	{ NULL, 0 },
};

/* Reads a whole file, "-" is standard input. NULL: it cannot be read, as reported. */
static char *read_text(const char *path)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	char *text = NULL;
	size_t room = 0;
	ssize_t n = -1;

	errno = 0;
	if (file)
		n = getdelim(&text, &room, '\0', file);
	if (n > 0 && text[n - 1])
		goto out;
	free(text);
	text = NULL;
	if (n > 0)
		complain_about(path, "has a NUL byte, so it is no text");
	else if (!file || !feof(file))
		complain_about(path, "%s", strerror(errno ? errno : EIO));
	else
		text = strdup("");
out:
	if (file && file != stdin)
		fclose(file);
	return text;
}

static int open_sql(struct ask *a)
{
	int ret;

	a->opts.size = sizeof(a->opts);
	a->opts.cores = cores_wanted();
	a->opts.time_ms = a->limits.time_ms;
	a->opts.memory = a->limits.memory;
	a->opts.report = files_damage;
	a->opts.progress = on_progress;
	ret = ktrace_sql_open(a->set, &a->opts, &a->sql);
	if (ret)
		complain_safely("ktrace sql: %s", strerror(-ret));
	return ret;
}

static void ask_all(struct ask *a)
{
	char *text;

	if (a->file) {
		text = read_text(a->file);
		if (!text)
			a->status = STATUS_DAMAGED;
		else
			ask_run(a, text, a->file);
		free(text);
	}
	if (a->query && shell_is_command(a->query))
		shell_run_command(a, a->query);
	else if (a->query)
		ask_run(a, a->query, NULL);
	if (!a->file && !a->query)
		shell_run(a);
	ask_complain(a);
}

static void ask_files(struct ask *a, int nr, char **paths)
{
	a->set = open_files(nr, paths, &a->status);
	if (!a->set)
		return;
	if (open_sql(a))
		a->status = STATUS_DAMAGED;
	else
		ask_all(a);
	progress_end();
	complain_files(a->set);
	a->status = files_status(a->set, a->status);
}

static void ask_store(struct ask *a)
{
	char *text = a->query ? strdup(a->query) : read_text(a->file ? a->file : "-");

	if (text)
		remote_run(a, text);
	else
		a->status = STATUS_DAMAGED;
	free(text);
}

/* Prints the schema: that of no files. */
static void print_schema(struct ask *a)
{
	if (ktrace_traceset_open(NULL, &a->set) || open_sql(a))
		a->status = STATUS_DAMAGED;
	else
		schema_document(a);
}

/* True if it is a recording, as open_files() sees it. */
static bool is_recording(const char *path)
{
	char **parts;
	size_t i, nr;

	if (!access(path, F_OK))
		return true;
	nr = parts_find(path, &parts);
	for (i = 0; i < nr; i++)
		free(parts[i]);
	free(parts);
	return nr;
}

/*
 * The last word is the statement if it has a blank, or is a command with a dot, and no recording
 * has this name: every statement that prints something has a blank.
 */
static bool is_query(const char *word)
{
	return (strpbrk(word, " \t\n") || shell_is_command(word)) && !is_recording(word);
}

static const char *check_store(const struct ask *a, int nr)
{
	if (nr)
		return "--store URL or files";
	if (a->query && shell_is_command(a->query))
		return "--store URL has no commands with a dot";
	if (a->since.is_set || a->until.is_set || store_host())
		return "--store URL: WHERE chooses times and hosts";
	if (a->query ? a->file != NULL : !a->file && isatty(STDIN_FILENO))
		return "--store URL takes one statement";
	if (a->parameter_nr)
		return "--store URL: ClickHouse has no --param";
	return clickhouse_wrong(&a->store);
}

static const char *check(const struct ask *a, int nr, char **words)
{
	if (a->is_json && a->is_csv)
		return "--json or --csv";
	if (a->store.url && !a->wants_schema)
		return check_store(a, nr);
	if (when_wrong(&a->since, &a->until))
		return when_wrong(&a->since, &a->until);
	if ((a->since.is_set || a->until.is_set) && !store_folder())
		return "--since and --until choose files of --store; in other files, WHERE time "
		       "chooses events";
	if (nr && !a->query && is_query(*words))
		return "the statement follows the files";
	return !has_files(nr) && !a->wants_schema ? "no file" : NULL;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	static struct ask a = { .has_heads = true };
	int nr, status = command_parse(cmd, &a, argc, argv);

	if (status >= 0)
		return status;
	nr = argc - optind;
	if (nr && is_query(argv[argc - 1]))
		a.query = argv[optind + --nr];
	if (store_folder() && clickhouse_is_url(store_folder()))
		a.store.url = store_folder();
	status = command_check(cmd, check(&a, nr, argv + optind));
	if (status >= 0)
		return status;
	a.mode = a.is_json ? SHOW_JSON : a.is_csv ? SHOW_CSV : SHOW_TABLE;
	a.out = output();
	if (a.wants_schema)
		print_schema(&a);
	else if (a.store.url)
		ask_store(&a);
	else
		ask_files(&a, nr, argv + optind);
	ask_free(&a);
	return output_end(a.status);
}

static const struct command cmd_sql = {
	.name = "sql",
	.args = "[OPTION...] FILE... [STATEMENT]",
	.summary = "Ask with SQL: events, types, threads, states, system calls",
	.options = sets,
	.reads_files = true,
	.run = run,
};

static int run_program(int argc, char **argv)
{
	return command_run(&cmd_sql, argc, argv);
}

int main(int argc, char **argv)
{
	return command_main(run_program, argc, argv);
}
