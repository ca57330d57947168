// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ktrace load: adds rows of complete files to ClickHouse
 *
 * Nobody keeps state: the store's table "loads" says which tables of which files it has, and only
 * rows of loads in this table are seen. So this program may be killed at any time, and several may
 * load the same files.
 */
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/store_files.h"
#include "base/viewer.h"
#include "batch.h"
#include "seen.h"

#define TABLES_DEFAULT "events,slices,losses,clocks,files"
#define TABLES_MAX 64
/* Files whose rows are sent together at most */
#define FILES_TOGETHER 256
/* Time between two looks for new files */
#define LOOK_US 1000000u

/**
 * struct result - how a file went, which counts once its rows are in the store
 * @path:	its name
 * @st:		what it was before it was read
 * @added:	a table has new rows
 * @failed:	a table could not be read, or fits no table in the store
 * @is_damaged:	some of it could not be read
 */
struct result {
	char *path;
	struct stat st;
	bool added;
	bool failed;
	bool is_damaged;
};

/**
 * struct load - the command line and how it goes
 * @options:	the server
 * @tables:	--tables
 * @patterns:	the same, one by one
 * @is_used:	a file had a table that matches
 * @pattern_nr:	number of these
 * @folder:	--store, NULL = none
 * @host:	--host, "*" = all
 * @follows:	--follow
 * @is_quiet:	-q
 * @c:		the server
 * @batch:	rows on their way
 * @waiting:	files whose rows are in the batch
 * @waiting_nr:	number of these
 * @seen:	with --follow: files that need no further look
 * @has_read:	a file's tables were looked at
 * @is_alone:	rows of each table of a file are sent by themselves, to find what is refused
 * @is_down:	the server did not answer last time
 * @settled:	files that need no further attempt: those of the next four
 * @loaded:	files with new rows in the store
 * @before:	files that had all rows there
 * @kept:	files of which not all could be loaded
 * @damaged:	files that are damaged, so that rows are missing
 */
struct load {
	struct clickhouse_options options;
	const char *tables;
	char *patterns[TABLES_MAX];
	bool is_used[TABLES_MAX];
	int pattern_nr;
	const char *folder;
	const char *host;
	bool follows;
	bool is_quiet;
	struct clickhouse c;
	struct batch batch;
	struct result waiting[FILES_TOGETHER];
	size_t waiting_nr;
	struct seen seen;
	bool has_read;
	bool is_alone;
	bool is_down;
	__u64 settled;
	__u64 loaded;
	__u64 before;
	__u64 kept;
	__u64 damaged;
};

static volatile sig_atomic_t is_stopped;

static void on_signal(int sig)
{
	(void)sig;
	is_stopped = 1;
}

/* Counts a file whose rows are in the store; @why: not all are, NULL = they are. */
static void settle(struct load *l, const struct result *r, const char *why)
{
	if (why) {
		l->kept++;
		complain_about(r->path, "not loaded: %s", why);
	}
	if (r->is_damaged && r->added) {
		l->damaged++;
		complain_about(r->path, "damaged: the rows that can be read are loaded");
	}
	l->loaded += r->added;
	l->before += !r->added && !why;
	l->settled++;
	if (l->follows)
		seen_add(&l->seen, r->path, why ? &r->st : NULL);
}

static void settle_read(struct load *l, const struct result *r)
{
	const char *why = r->added ? "not all of its tables" : "none of its tables";

	settle(l, r, r->failed ? why : NULL);
}

/* Reports that the server does not answer, once until it does. */
static void tell_down(struct load *l)
{
	if (!l->is_down && !is_stopped)
		clickhouse_complain(&l->c, l->follows ? "trying again" : "");
	l->is_down = true;
}

/* Sends what waits. Return: as batch_send(). */
static int send_waiting(struct load *l)
{
	const int ret = batch_send(&l->batch);

	if (ret)
		return ret;
	for (size_t i = 0; i < l->waiting_nr; i++) {
		settle_read(l, &l->waiting[i]);
		free(l->waiting[i].path);
	}
	l->waiting_nr = 0;
	return 0;
}

/* Forgets what waits, because the server has a trouble: with --follow, it comes again. */
static void drop_waiting(struct load *l)
{
	while (l->waiting_nr)
		free(l->waiting[--l->waiting_nr].path);
	batch_drop(&l->batch);
}

/* Returns the number of the pattern that a table matches, -1 = none. */
static int pattern_of(const struct load *l, const char *table)
{
	for (int i = 0; i < l->pattern_nr; i++)
		if (!fnmatch(l->patterns[i], table, 0))
			return i;
	return -1;
}

/*
 * Asks which tables of a file the store has: lines "TABLE\tSIZE". Return: 0,
 * and the caller frees them; -EIO.
 */
static int ask_loaded(struct load *l, const struct message_part *p, char **text)
{
	char statement[256];
	size_t size;
	FILE *to = open_memstream(text, &size);
	bool is_told;

	/* Both are checked: hexadecimal digits, and a number. */
	snprintf(statement, sizeof(statement), "SELECT tbl, min(size) FROM loads WHERE uuid = '%s' "
		 "AND part = %u GROUP BY tbl FORMAT TabSeparatedRaw", p->uuid, p->number);
	is_told = to && clickhouse_ask(&l->c, statement, "", to);
	if (to && fclose(to))
		is_told = false;
	if (!is_told && to)
		free(*text);
	return is_told ? 0 : -EIO;
}

/* Returns what follows the name of a table in the answer, NULL = it is not there. */
static const char *find_loaded(const char *text, const char *table)
{
	const size_t length = strlen(table);

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		if (!strncmp(text, table, length) && text[length] == '\t')
			return text + length + 1;
	return NULL;
}

/* True if the store has rows of another file with this name. */
static bool is_other(const char *text, const struct message_part *p)
{
	const char *size = strchr(text, '\t');

	return size && strtoull(size + 1, NULL, 10) != p->size;
}

/**
 * struct source - a file
 * @part:	what it is
 * @host:	name of its host
 * @loaded:	answer of ask_loaded()
 * @sql:	its tables
 * @result:	how it goes
 */
struct source {
	struct message_part part;
	const char *host;
	char *loaded;
	struct ktrace_sql *sql;
	struct result result;
};

static void on_damage(void *arg, const struct ktrace_damage *damage)
{
	struct source *s = arg;

	s->result.is_damaged = true;
	files_damage(NULL, damage);
}

/* Adds the rows of a table. Return: 0, also if some are missing; -EIO, -EREMOTEIO. */
static int add_table(struct load *l, struct source *s, size_t i, const char *name)
{
	int ret = batch_add(&l->batch, s->sql, i, &s->part, s->host);

	if (!ret && l->is_alone)
		ret = batch_send(&l->batch);
	if (ret == -EIO || (ret == -EREMOTEIO && !l->is_alone))
		return ret;
	if (ret == -EREMOTEIO)
		complain_about(s->result.path, "\"%s\": the server refuses its rows: %s", name,
			       l->c.error);
	else if (ret == -EBADMSG)
		complain_about(s->result.path, "\"%s\": %s", name,
			       ktrace_sql_error(s->sql, NULL));
	/* What is left of it must not be refused with the next table's rows. */
	if (ret && l->is_alone)
		batch_drop(&l->batch);
	s->result.failed |= ret;
	s->result.added |= !ret;
	return 0;
}

/* Adds the rows of the wanted tables. Return: as add_table(). */
static int add_tables(struct load *l, struct source *s)
{
	struct ktrace_sql_table table;
	int ret = 0;

	l->has_read = true;
	for (size_t i = 0; !ret && ktrace_sql_table(s->sql, i, &table); i++) {
		const int pattern = table.view ? -1 : pattern_of(l, table.name);

		if (pattern < 0)
			continue;
		l->is_used[pattern] = true;
		if (!find_loaded(s->loaded, table.name))
			ret = add_table(l, s, i, table.name);
	}
	return ret;
}

/* Adds what the store does not have of a file that can be read. Return: as add_table(). */
static int add_file(struct load *l, struct source *s)
{
	const struct ktrace_sql_options opts = {
		.size = sizeof(opts), .cores = cores_wanted(), .report = on_damage, .arg = s,
	};
	int status = STATUS_OK, error, ret = 0;
	struct ktrace_traceset *set = open_files(1, &s->result.path, &status);

	if (!set) {
		s->result.failed = true;
		return 0;
	}
	s->host = ktrace_trace_meta(ktrace_traceset_trace(set, 0), "host", "name");
	error = ktrace_sql_open(set, &opts, &s->sql);
	if (error)
		complain_about(s->result.path, "%s", strerror(-error));
	else
		ret = add_tables(l, s);
	s->result.failed |= error;
	s->result.is_damaged |= files_status(set, status) != STATUS_OK;
	ktrace_sql_close(s->sql);
	ktrace_traceset_close(set);
	return ret;
}

static void wait_for_rows(struct load *l, const struct result *r)
{
	struct result *waiting = &l->waiting[l->waiting_nr];

	*waiting = *r;
	waiting->path = strdup(r->path);
	l->waiting_nr += waiting->path != NULL;
}

/* Takes a file that was added, or that has nothing to add. Return: as batch_send(). */
static int take_added(struct load *l, const struct result *r)
{
	if (!r->added || l->is_alone) {
		settle_read(l, r);
		return 0;
	}
	wait_for_rows(l, r);
	return l->waiting_nr < FILES_TOGETHER ? 0 : send_waiting(l);
}

static const char *describe_error(int error)
{
	return error == -EBADMSG ? "not a tracefile, or one that does not name its host" :
	       strerror(-error);
}

/*
 * Return: 0; -EIO; -EREMOTEIO: rows are refused of one of the files that wait, to which this one
 * belongs now.
 */
static int load_file(struct load *l, char *path)
{
	struct source s = { .result.path = path };
	int ret = stat(path, &s.result.st) ? -errno : message_identify(path, &s.part);

	/* With --follow, it is complete later. */
	if (ret == -EAGAIN && l->follows)
		return 0;
	if (ret) {
		settle(l, &s.result, ret == -EAGAIN ? "it is not complete" : describe_error(ret));
		return 0;
	}
	if (ask_loaded(l, &s.part, &s.loaded))
		return -EIO;
	if (is_other(s.loaded, &s.part)) {
		settle(l, &s.result, "the store has rows of another file of this recording and "
		       "part");
	} else {
		ret = add_file(l, &s);
		if (ret == -EREMOTEIO)
			wait_for_rows(l, &s.result);
		else if (!ret)
			ret = take_added(l, &s.result);
	}
	free(s.loaded);
	return ret;
}

/*
 * Finds what is refused of the files that wait: sends the rows of each table by themselves, so that
 * all others count. Return: 0, -EIO.
 */
static int load_alone(struct load *l)
{
	struct result files[FILES_TOGETHER];
	const size_t nr = l->waiting_nr;
	int ret = 0;

	memcpy(files, l->waiting, sizeof(files));
	l->waiting_nr = 0;
	batch_drop(&l->batch);
	l->is_alone = true;
	for (size_t i = 0; i < nr; i++) {
		if (!ret && !is_stopped)
			ret = load_file(l, files[i].path);
		free(files[i].path);
	}
	l->is_alone = false;
	return ret;
}

/* Return: 0, -EIO. A file that was kept is looked at again only if it has changed. */
static int look_at(struct load *l, char *path)
{
	const enum seen_state state = seen_find(&l->seen, path);
	int ret = 0;

	l->kept -= state == SEEN_CHANGED;
	if (state != SEEN_LOADED && state != SEEN_KEPT)
		ret = load_file(l, path);
	return ret == -EREMOTEIO ? load_alone(l) : ret;
}

/* Copies text for a pattern of glob(3) in which it means itself. Returns the end. */
static char *put_literal(char *to, const char *text)
{
	for (; *text; text++) {
		if (strchr("*?[\\", *text))
			*to++ = '\\';
		*to++ = *text;
	}
	*to = '\0';
	return to;
}

/*
 * Finds the files that the folder of --store has by now, without a word about others: this is done
 * once a second. Return: as files_expand(), also 0 files.
 */
static char **find_stored(const struct load *l, int *nr)
{
	char *pattern = malloc(2 * strlen(l->folder) + strlen(l->host) + sizeof("//*/*.bin"));
	char **names = NULL;
	glob_t found;

	*nr = 0;
	if (!pattern)
		return NULL;
	sprintf(put_literal(pattern, l->folder), "/%s/*/*.bin", l->host);
	if (!glob(pattern, 0, NULL, &found)) {
		names = files_expand((int)found.gl_pathc, found.gl_pathv, nr);
		globfree(&found);
	}
	free(pattern);
	return names;
}

/*
 * Looks at all files once, and frees the list; without --follow, those that have no result are
 * kept. Return: 0, -EIO.
 */
static int load_files(struct load *l, char **names, int all)
{
	const __u64 before = l->settled;
	int i, ret = 0;

	seen_begin(&l->seen);
	for (i = 0; i < all && !ret && !is_stopped; i++)
		ret = look_at(l, names[i]);
	if (i == all)
		l->kept -= seen_end(&l->seen);
	if (!ret)
		ret = send_waiting(l);
	if (ret == -EREMOTEIO)
		ret = load_alone(l);
	if (ret) {
		tell_down(l);
		drop_waiting(l);
	} else if (l->is_down) {
		l->is_down = false;
		complain_about(l->options.url, "works again");
	}
	if (!l->follows)
		l->kept += (__u64)all - (l->settled - before);
	if (names)
		files_free(names);
	return ret;
}

static void follow(struct load *l, int nr, char **paths)
{
	bool is_begun = false;
	char **names;
	int all;

	store_taken();
	for (; !is_stopped; usleep(LOOK_US)) {
		if (!is_begun && batch_begin(&l->batch)) {
			tell_down(l);
			continue;
		}
		names = l->folder ? find_stored(l, &all) : files_expand(nr, paths, &all);
		is_begun = !load_files(l, names, names ? all : 0);
	}
}

static void load_once(struct load *l, int nr, char **paths)
{
	int all;
	char **names = files_expand(nr, paths, &all);

	if (!names) {
		l->kept++;
		return;
	}
	/* They are opened one by one from here on. */
	store_taken();
	if (!batch_begin(&l->batch)) {
		load_files(l, names, all);
		return;
	}
	tell_down(l);
	l->kept += (__u64)all;
	files_free(names);
}

static int report(const struct load *l)
{
	bool is_well = !l->kept && !l->damaged;

	for (int i = 0; i < l->pattern_nr && l->has_read; i++) {
		if (l->is_used[i])
			continue;
		complain_safely("ktrace load: --tables: no file has '%s'", l->patterns[i]);
		is_well = false;
	}
	if (l->batch.odd)
		complain_safely("ktrace load: %llu values are not of their column's type: NULL in "
				"the store", l->batch.odd);
	if (!l->is_quiet || !is_well)
		complain_safely("ktrace load: %llu file%s loaded, %llu rows; %llu loaded before, "
				"%llu damaged, %llu not loaded", l->loaded,
				l->loaded == 1 ? "" : "s", l->batch.rows, l->before, l->damaged,
				l->kept);
	return is_well ? STATUS_OK : STATUS_DAMAGED;
}

#define MEMBER(member) OPTION_MEMBER(struct load, member)

static const struct option_row rows[] = {
	{ .name = "to", .value = "URL", .text = MEMBER(options.url),
	  .help = "the server: http://HOST:PORT, or https://; /NAME at the\n"
		  "end: the database (default: ktrace)" },
	{ .name = "tables", .value = "LIST", .text = MEMBER(tables),
	  .help = "tables of ktrace sql, with commas; * and ? match\n"
		  "several, so 'events,sched:*' has those of the events of\n"
		  "sched, too\n"
		  "(default: " TABLES_DEFAULT ")" },
	{ .name = "follow", .flag = MEMBER(follows),
	  .help = "look for new files until a signal ends it" },
	{ .letter = 'q', .name = "quiet", .flag = MEMBER(is_quiet),
	  .help = "print only what went wrong" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ clickhouse_options, offsetof(struct load, options) },
	{ NULL, 0 },
};

/* Splits --tables. Returns what is wrong with it, NULL = nothing. */
static const char *split_tables(struct load *l)
{
	static char copy[4096];
	char *rest = copy, *word;

	if (strlen(l->tables) >= sizeof(copy))
		return "--tables: too long";
	strcpy(copy, l->tables);
	while ((word = strsep(&rest, ","))) {
		if (!*word)
			return "--tables: an empty name";
		if (l->pattern_nr == TABLES_MAX)
			return "--tables: more than 64 names";
		l->patterns[l->pattern_nr++] = word;
	}
	return NULL;
}

static const char *check(struct load *l, int nr)
{
	const char *wrong = l->options.url ? clickhouse_wrong(&l->options) : "--to URL is missing";

	if (!wrong && l->follows && l->folder && nr)
		return "--follow: files or --store";
	return wrong ? wrong : split_tables(l);
}

static int run(const struct command *cmd, int argc, char **argv)
{
	static struct load l = { .tables = TABLES_DEFAULT };
	const struct sigaction act = { .sa_handler = on_signal };
	int status = command_parse(cmd, &l, argc, argv);

	l.folder = store_folder();
	l.host = store_host() ? store_host() : "*";
	if (status < 0)
		status = command_check(cmd, check(&l, argc - optind));
	if (status >= 0)
		return status;
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	if (!clickhouse_init(&l.c, &l.options))
		return STATUS_DAMAGED;
	l.c.stop = &is_stopped;
	l.batch.c = &l.c;
	(l.follows ? follow : load_once)(&l, argc - optind, argv + optind);
	status = report(&l);
	batch_free(&l.batch);
	clickhouse_exit(&l.c);
	seen_free(&l.seen);
	return status;
}

static const struct command cmd_load = {
	.name = "load",
	.args = "--to URL [OPTION...] FILE...",
	.summary = "Add rows of complete files to ClickHouse",
	.options = sets,
	.needs_files = true,
	.lacks_clocks = true,
	.is_live = true,
	.run = run,
};

static int run_program(int argc, char **argv)
{
	return command_run(&cmd_load, argc, argv);
}

int main(int argc, char **argv)
{
	return command_main(run_program, argc, argv);
}
