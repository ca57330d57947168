// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_pthread.c - ktrace pthread: what threads do with each other, as events of the POSIX
 * Threads Trace Toolkit (PTT)
 *
 * All events are read, from the first on, so that what is learnt from them does not depend on
 * what is asked for: what is printed are lines of the whole.
 */
#include "viewer.h"

#include "progress.h"
#include "ptt_line.h"
#include "scope.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_TESTS_MAX 16u

/* struct name_test - one -e or -E: a list, of which one must fit */
struct name_test {
	const char *list;
	bool is_end;
};

/**
 * struct view - one run of the command
 * @scope:	which events of ours
 * @ptt:	what they stand for
 * @lines:	how that is printed
 * @tests:	what names of PTT's events must be like, all of them
 * @test_nr:	how many
 * @is_unwanted: by type of event: a test says no
 * @path:	where to print, NULL = standard output
 * @lists:	print the types of events
 * @where:	whether to look symbols up, and where
 */
struct view {
	struct scope scope;
	struct ptt ptt;
	struct ptt_lines lines;
	struct name_test tests[NAME_TESTS_MAX];
	size_t test_nr;
	bool *is_unwanted;
	const char *path;
	bool lists;
	struct symbols_where where;
};

static bool fits(const struct name_test *t, const struct ptt_kind *kind)
{
	const char *word = t->list;
	size_t n;

	for (;; word += n + 1) {
		n = strcspn(word, ",");
		if (n <= kind->name_size &&
		    !memcmp(kind->name + (t->is_end ? kind->name_size - n : 0), word, n))
			return true;
		if (!word[n])
			return false;
	}
}

/* What all tests say of each type of event; false: no memory. */
static bool judge(struct view *v)
{
	const struct ptt_kind *kinds;
	size_t nr, i, t;

	kinds = ptt_kinds(&nr);
	v->is_unwanted = calloc(nr, sizeof(*v->is_unwanted));
	for (i = 0; v->is_unwanted && i < nr; i++)
		for (t = 0; t < v->test_nr; t++)
			v->is_unwanted[i] |= !fits(&v->tests[t], &kinds[i]);
	return v->is_unwanted;
}

static const char *add_test(struct view *v, bool is_end)
{
	struct name_test *t = &v->tests[v->test_nr];
	const struct ptt_kind *kinds;
	size_t nr, i;

	if (v->test_nr++ == NAME_TESTS_MAX)
		return "-e, -E: too many of them";
	*t = (struct name_test){ optarg, is_end };
	nr = strlen(optarg);
	if (!nr || *optarg == ',' || optarg[nr - 1] == ',' || strstr(optarg, ",,"))
		return "-e, -E: an empty name";
	kinds = ptt_kinds(&nr);
	for (i = 0; i < nr; i++)
		if (fits(t, &kinds[i]))
			return NULL;
	return is_end ? "-E: no event's name ends like this; -l lists them" :
			"-e: no event's name begins like this; -l lists them";
}

static const char *take_option(struct view *v, int option)
{
	switch (option) {
	case 'r':
		v->lines.form = PTT_RAW;
		return NULL;
	case 't':
		v->lines.form = PTT_TEXT;
		return NULL;
	case 'j':
		v->lines.form = PTT_JSON;
		return NULL;
	case 'l':
		v->lists = true;
		return NULL;
	case 'o':
		v->path = optarg;
		return NULL;
	case 'e':
	case 'E':
		return add_test(v, option == 'E');
	default:
		if (symbols_option(&v->where, option))
			return NULL;
		return scope_option(&v->scope, option);
	}
}

static void put_kinds(const struct view *v, struct ktrace_out *out)
{
	const struct ptt_kind *kinds;
	size_t nr, i, from;

	kinds = ptt_kinds(&nr);
	for (i = 0; i < nr; i++) {
		if (v->is_unwanted[i] || (!kinds[i].in_ptt && !kinds[i].is_seen))
			continue;
		output_line_begin(out);
		from = out->len;
		ktrace_out_str(out, kinds[i].name);
		ktrace_out_pad(out, from, PTT_NAME_MAX);
		ktrace_out_str(out, kinds[i].in_ptt ? "PTT     " : "ktrace  ");
		ktrace_out_str(out, kinds[i].is_call ? "call" : kinds[i].is_seen ? "state" :
			       "never");
		ktrace_out_char(out, '\n');
	}
}

static int watch(void *watcher, const struct ktrace_trace_event *e)
{
	ptt_see(watcher, e);
	return 0;
}

static void put_event(struct view *v)
{
	__u32 i, nr = ptt_expand(&v->ptt);

	if (nr)
		ptt_line_begin(&v->lines, &v->ptt);
	for (i = 0; i < nr; i++)
		if (!v->is_unwanted[v->ptt.events[i].kind - v->ptt.kinds])
			ptt_line_put(&v->lines, &v->ptt, i);
}

/* Return: 0, -errno */
static int put_events(struct view *v, struct ktrace_traceset *set)
{
	const struct ktrace_trace_event *e;
	struct lines *lines = &v->lines.lines;
	int ret;

	v->scope.watch = watch;
	v->scope.watcher = &v->ptt;
	v->scope.prints = true;
	ret = scope_begin(&v->scope, set);
	lines->has_many_files = ktrace_traceset_trace(set, 1);
	lines->start = lines->before = v->scope.start;
	lines->is_json = v->lines.form == PTT_JSON;
	lines->out = output();
	while (!ret && !lines->out->error) {
		ret = scope_next(&v->scope, &e);
		if (ret <= 0)
			break;
		put_event(v);
		ret = v->ptt.error;
	}
	progress_end();
	return ret;
}

static int view_files(struct view *v, int nr, char **paths)
{
	struct ktrace_traceset *set;
	int status, ret;

	set = open_files(nr, paths, &status);
	if (!set)
		return status;
	ptt_init(&v->ptt);
	if (v->where.is_wanted)
		v->lines.lines.symbols = symbols_new(&v->where);
	ret = put_events(v, set);
	symbols_free(v->lines.lines.symbols);
	if (ret)
		fprintf(stderr, "ktrace: %s\n", strerror(-ret));
	scope_complain(&v->scope);
	status = ret ? STATUS_DAMAGED : files_status(set, status);
	ktrace_traceset_close(set);
	ptt_free(&v->ptt);
	status = output_end(status);
	scope_warn_lost(&v->scope);
	return status;
}

static int view(struct view *v, const struct command *cmd, int nr, char **paths)
{
	if (!v->lists && !nr)
		return command_usage(cmd, "no file");
	if (v->path && output_to(v->path, nr, paths))
		return STATUS_DAMAGED;
	if (!judge(v)) {
		fprintf(stderr, "ktrace: out of memory\n");
		return STATUS_DAMAGED;
	}
	if (!v->lists)
		return view_files(v, nr, paths);
	put_kinds(v, output());
	return output_end(STATUS_OK);
}

static const struct option options[] = {
	SCOPE_OPTIONS,
	{ "raw", no_argument, NULL, 'r' },
	{ "text", no_argument, NULL, 't' },
	{ "json", no_argument, NULL, 'j' },
	{ "output", required_argument, NULL, 'o' },
	{ "list-events", no_argument, NULL, 'l' },
	{ "begins", required_argument, NULL, 'e' },
	{ "ends", required_argument, NULL, 'E' },
	SYMBOLS_OPTIONS,
	COMMON_OPTIONS
};

static int run(const struct command *cmd, int argc, char **argv)
{
	static struct view v;
	const char *wrong = NULL;
	int option, status;

	while (!wrong && (option = getopt_long(argc, argv, "e:E:lo:p:rt", options, NULL)) != -1) {
		if (option == '?' || option >= OPTION_HELP) {
			scope_free(&v.scope);
			return command_common_option(cmd, option);
		}
		wrong = take_option(&v, option);
	}
	status = wrong ? command_usage(cmd, wrong) : view(&v, cmd, argc - optind, argv + optind);
	scope_free(&v.scope);
	free(v.is_unwanted);
	return status;
}

const struct command cmd_pthread = {
	.name = "pthread",
	.args = "[OPTION...] FILE...",
	.summary = "Show what threads do with each other, as the POSIX Threads Trace Toolkit does",
	.help =
"  -t, --text         sentences (default)\n"
"  -r, --raw          columns, as many in each line: time, CPU, process, thread, event,\n"
"                     four arguments, result; - for what is not there\n"
"  --json             one JSON object a line\n"
"  -o, --output FILE  print into FILE, - for standard output\n"
"  -e, --begins PREFIX[,PREFIX...]  only events whose name begins so: MUTEX_,COND_WAIT\n"
"  -E, --ends SUFFIX[,SUFFIX...]  only events whose name ends so: _IN,_OUT\n"
"                     of several -e and -E all must be true\n"
"  -l, --list-events  list the types of events\n"
"  --since TIME       from TIME on\n"
"  --until TIME       up to TIME, TIME itself not included\n"
"  -p, --pid N[,N...]  only these processes and threads\n"
"  --event GLOB[,GLOB...]  only what events of the files stand for whose provider:name\n"
"                     matches: pthread:sem_*\n"
"  --filter EXPRESSION  the same for events for which it is true: see ktrace help grep\n"
"  --filter-file FILE  the same, with what is in FILE\n"
"  --symbols, --sysroot DIR, --debug-dir DIR  see ktrace help list; not with --raw\n"
"  --help, --version\n"
"\n"
"Shows what ktraced --pthread has recorded. TIME is as in ktrace list. An event of the\n"
"files stands for one to five events, which have its time. -l says of each type: its\n"
"name, who named it (PTT or ktrace, by the same rule), and whether it is the beginning\n"
"or end of a call, or tells of a state; \"never\" if there is nothing to tell it from.\n"
"\n"
"JSON members are those of ktrace list.\n",
	.run = run,
};
