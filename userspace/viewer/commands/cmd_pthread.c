// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_pthread.c - ktrace pthread: synchronisation of threads, as events of the POSIX Threads
 * Trace Toolkit (PTT)
 *
 * Reads all events from the first on, so that names and states learnt from them do not depend on
 * the options: any selection prints lines of the full output.
 */
#include "base/viewer.h"

#include "base/progress.h"
#include "base/required_events.h"
#include "base/when.h"
#include "events/alias_option.h"
#include "events/time_range.h"
#include "pthread/object.h"
#include "pthread/ptt_line.h"
#include "pthread/split.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NAME_TESTS_MAX 16u

/* struct name_test - one -e or -E: a list of words, one of which must match */
struct name_test {
	const char *list;
	bool is_end;
};

/**
 * struct view - one run of the command
 * @scope:	which events of ktrace
 * @needs:	events without which there is nothing to show
 * @ptt:	the PTT events that these stand for
 * @lines:	how PTT events are printed
 * @tests:	all of them must match the name of a PTT event
 * @test_nr:	how many
 * @is_unwanted: by type of event: a test does not match
 * @path:	where to print, NULL = standard output
 * @lists:	print the types of events
 * @where:	whether and where to look up symbols
 * @aliases:	names of addresses
 * @objects:	objects asked for
 * @index:	numbers of events asked for
 * @number:	of the first PTT event of the current event, if @index is set
 * @next:	of the first PTT event after those
 * @by:		how lines are split
 * @split:	the files for that
 */
struct view {
	struct time_range scope;
	struct required_events needs;
	struct ptt ptt;
	struct ptt_lines lines;
	struct name_test tests[NAME_TESTS_MAX];
	size_t test_nr;
	bool *is_unwanted;
	const char *path;
	bool lists;
	struct symbols_where where;
	struct object_names *aliases;
	struct objects objects;
	struct window index;
	__u64 number;
	__u64 next;
	enum split_by by;
	struct split *split;
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

/* Applies all tests to each type of event. Returns false if there is no memory. */
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

/* Takes in every event, and numbers PTT events. Return: 0, 1 = past those asked for, -errno. */
static int watch(void *watcher, const struct ktrace_trace_event *e)
{
	struct view *v = watcher;
	int ret = object_names_update(v->aliases, e);

	ptt_see(&v->ptt, e);
	required_events_see(&v->needs, e);
	if (!ret && v->split)
		ret = split_see(v->split, e);
	if (ret || !v->index.is_set)
		return ret;
	v->number = v->next;
	v->next += ptt_expand(&v->ptt);
	return v->number >= v->index.end;
}

static bool is_wanted(const struct view *v, __u32 i)
{
	if (v->is_unwanted[v->ptt.events[i].kind - v->ptt.kinds])
		return false;
	return !v->index.is_set ||
	       (v->number + i >= v->index.start && v->number + i < v->index.end);
}

/* Prints the PTT events of an event. Return: 0, -errno */
static int put_event(struct view *v, const struct ktrace_trace_event *e)
{
	__u32 i, nr = ptt_expand(&v->ptt);

	if (!objects_match(&v->objects, v->aliases, e))
		return 0;
	if (nr)
		ptt_line_begin(&v->lines, &v->ptt);
	for (i = 0; i < nr; i++) {
		if (!is_wanted(v, i))
			continue;
		if (v->split)
			v->lines.lines.out = split_lines(v->split);
		ptt_line_put(&v->lines, &v->ptt, i);
	}
	return v->split ? split_take(v->split, e) : 0;
}

/* Prepares names, and the files to split into. Return: 0, -errno. */
static int begin(struct view *v, struct ktrace_traceset *set, int nr, char **paths)
{
	int ret = v->aliases ? 0 : object_names_new(&v->aliases);

	if (!ret)
		ret = object_names_begin(v->aliases, set);
	if (ret > 0)
		v->lines.lines.aliases = v->aliases;
	if (ret >= 0 && v->by)
		ret = split_new(v->by, v->path, set, nr, paths, &v->split);
	v->scope.watch = watch;
	v->scope.watcher = v;
	v->scope.prints = true;
	return ret < 0 ? ret : time_range_begin(&v->scope, set);
}

/* Return: 0, -errno */
static int put_events(struct view *v, struct ktrace_traceset *set, int nr, char **paths)
{
	const struct ktrace_trace_event *e;
	struct lines *lines = &v->lines.lines;
	int ret = begin(v, set, nr, paths);

	lines_begin(lines, set, v->scope.start);
	lines->is_json = v->lines.form == PTT_JSON;
	lines->out = output();
	while (!ret && !lines->out->error) {
		ret = time_range_next(&v->scope, &e);
		if (ret <= 0)
			break;
		ret = put_event(v, e);
		if (!ret)
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
	ret = put_events(v, set, nr, paths);
	symbols_free(v->lines.lines.symbols);
	if (ret) {
		fprintf(stderr, "ktrace: %s\n", strerror(-ret));
		output_void();
	} else if (!v->scope.until.is_set && !v->scope.place) {	/* all events were read */
		required_events_complain(&v->needs);
	}
	time_range_complain(&v->scope);
	status = ret ? STATUS_DAMAGED : files_status(set, status);
	if (split_end(v->split))
		status = STATUS_DAMAGED;
	ktrace_traceset_close(set);
	ptt_free(&v->ptt);
	status = output_end(status);
	time_range_warn_lost(&v->scope);
	return status;
}

static bool is_device(const char *path)
{
	struct stat st;

	return !stat(path, &st) && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode));
}

static int view(struct view *v, const struct command *cmd, int nr, char **paths)
{
	if (time_range_wrong(&v->scope))
		return command_usage(cmd, time_range_wrong(&v->scope));
	if (!v->lists && !has_files(nr))
		return command_usage(cmd, "no file");
	if (v->by && (!v->path || !strcmp(v->path, "-")))
		return command_usage(cmd, "-s: needs -o BASE");
	if (v->by && is_device(v->path))
		return command_usage(cmd, "-s: a device is no BASE, which names of files begin "
				     "with");
	if (v->path && !v->by && output_to(v->path, nr, paths))
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

static const char *add_test(struct view *v, const char *list, bool is_end)
{
	struct name_test *t = &v->tests[v->test_nr];
	const struct ptt_kind *kinds;
	size_t nr, i;

	if (v->test_nr++ == NAME_TESTS_MAX)
		return "-e, -E: too many of them";
	*t = (struct name_test){ list, is_end };
	nr = strlen(list);
	if (!nr || *list == ',' || list[nr - 1] == ',' || strstr(list, ",,"))
		return "-e, -E: an empty name";
	kinds = ptt_kinds(&nr);
	for (i = 0; i < nr; i++)
		if (fits(t, &kinds[i]))
			return NULL;
	return is_end ? "-E: no event's name ends like this; -l lists them" :
			"-e: no event's name begins like this; -l lists them";
}

static const char *add_begins(void *to, const char *list)
{
	return add_test(to, list, false);
}

static const char *add_ends(void *to, const char *list)
{
	return add_test(to, list, true);
}

static const char *set_text(void *to, const char *value)
{
	struct view *v = to;

	(void)value;
	v->lines.form = PTT_TEXT;
	return NULL;
}

static const char *set_raw(void *to, const char *value)
{
	struct view *v = to;

	(void)value;
	v->lines.form = PTT_RAW;
	return NULL;
}

static const char *set_json(void *to, const char *value)
{
	struct view *v = to;

	(void)value;
	v->lines.form = PTT_JSON;
	return NULL;
}

static const char *set_index(void *to, const char *text)
{
	struct view *v = to;

	return window_parse(text, &v->index) ? NULL : "-z: not numbers START:END";
}

/* Sets --since and --until from microseconds since the first event. */
static const char *set_microseconds(void *to, const char *text)
{
	struct time_range *s = &((struct view *)to)->scope;
	struct window w;

	if (!window_parse(text, &w) || w.start > ~0ull / 1000)
		return "-Z: not microseconds START:END";
	s->since = (struct when){ { .ns = w.start * 1000, .is_relative = true }, text, true };
	s->until = (struct when){ { .ns = w.end * 1000, .is_relative = true }, text,
				  w.end <= ~0ull / 1000 };
	return NULL;
}

static const char *add_objects(void *to, const char *list)
{
	struct view *v = to;

	return objects_add(&v->objects, list);
}

static const char *set_split(void *to, const char *text)
{
	struct view *v = to;

	return split_option(text, &v->by);
}

#define MEMBER(member) OPTION_MEMBER(struct view, member)

static const struct option_row rows[] = {
	{ .letter = 't', .name = "text", .set = set_text, .help = "sentences (default)" },
	{ .letter = 'r', .name = "raw", .set = set_raw,
	  .help = "the same columns in each line: time, CPU, process,\n"
		  "thread, event, four arguments, result; - = none" },
	{ .name = "json", .set = set_json, .help = "one JSON object a line" },
	{ .letter = 'o', .name = "output", .value = "FILE", .text = MEMBER(path),
	  .help = "print into FILE, - for standard output" },
	{ .letter = 'e', .name = "begins", .value = "PREFIX[,PREFIX...]", .set = add_begins,
	  .help = "only events whose name begins so: MUTEX_,COND_WAIT" },
	{ .letter = 'E', .name = "ends", .value = "SUFFIX[,SUFFIX...]", .set = add_ends,
	  .help = "only events whose name ends so: _IN,_OUT; several -e\n"
		  "and -E must all match" },
	{ .letter = 'l', .name = "list-events", .flag = MEMBER(lists),
	  .help = "list the types of events" },
	{ .letter = 'z', .name = "index", .value = "START:END", .set = set_index,
	  .help = "only events number START to END of all, END not\n"
		  "included, from 0 on; either may be left out" },
	{ .letter = 'Z', .name = "microseconds", .value = "START:END", .set = set_microseconds,
	  .help = "the same by time, in us since the first event" },
	{ .letter = 'n', .name = "name", .value = "OBJECT[,OBJECT...]", .set = add_objects,
	  .help = "only events about these: 0xADDRESS, a name, or a glob" },
	{ .letter = 's', .name = "split", .value = "pid|pidx|tid", .set = set_split,
	  .help = "print into files OUTPUT-PID[-TID]; pidx: by process,\n"
		  "a child's after what its parent did before the fork" },
	{ .help = NULL },
};

static const struct option_row events_rows[] = {
	{ .name = "events", .value = "GLOB[,GLOB...]",
	  .set = event_select_add_globs,
	  .help = "only events that come from events of the files whose\n"
		  "provider:name matches: pthread:sem_*" },
	{ .name = "filter", .value = "EXPRESSION", .set = event_select_add_filter,
	  .help = "only events that come from events of the files for\n"
		  "which it is true, see ktrace-grep(1)" },
	{ .name = "filter-file", .value = "FILE", .set = event_select_add_filter_file,
	  .help = "the same, with an expression read from FILE" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ output_options, 0 },
	{ since_options, offsetof(struct view, scope.since) },
	{ until_options, offsetof(struct view, scope.until) },
	{ events_rows, offsetof(struct view, scope.select) },
	{ pid_options, offsetof(struct view, scope.select) },
	{ alias_options, offsetof(struct view, aliases) },
	{ symbols_options, offsetof(struct view, where) },
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	static struct view v = { .needs.providers = "pthread" };
	int status = command_parse(cmd, &v, argc, argv);

	if (status < 0)
		status = view(&v, cmd, argc - optind, argv + optind);
	time_range_free(&v.scope);
	object_names_free(v.aliases);
	objects_free(&v.objects);
	free(v.is_unwanted);
	return status;
}

const struct command cmd_pthread = {
	.name = "pthread",
	.args = "[OPTION...] FILE...",
	.summary = "Show what threads do with each other, as the PTT tool does",
	.options = sets,
	.reads_files = true,
	.run = run,
};
