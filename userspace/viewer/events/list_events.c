// SPDX-License-Identifier: GPL-2.0
/* list_events.c - prints the events of files as lines */
#include "list_events.h"

#include "base/clock_warnings.h"
#include "base/pager.h"
#include "base/when.h"
#include "base/progress.h"
#include "parallel_format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *set_position(void *to, const char *text)
{
	struct list_events *p = to;
	struct time_range *s = &p->scope;

	if (!s->place && ktrace_position_new(&s->place))
		return "out of memory";
	return ktrace_position_from_text(s->place, text) ? "--from-position: not a position" : NULL;
}

static const char *set_number(void *to, const char *text)
{
	struct list_events *p = to;

	return number_parse(text, 0, ~0ull, &p->left) ? NULL : "-n: not a number";
}

#define MEMBER(member) OPTION_MEMBER(struct list_events, member)

const struct option_row list_events_options[] = {
	{ .letter = 'n', .name = "number", .value = "N", .set = set_number,
	  .help = "stop after N events" },
	{ .letter = 'c', .name = "count", .flag = MEMBER(counts),
	  .help = "print only the number of events" },
	{ .name = "from-position", .value = "POSITION", .set = set_position,
	  .help = "begin at the position that an earlier list printed" },
	{ .name = "print-position", .flag = MEMBER(scope.is_paged),
	  .help = "after the events, print the position to go on from" },
	{ .name = "json", .flag = MEMBER(lines.is_json),
	  .help = "one JSON object a line" },
	{ .name = "stacks", .flag = MEMBER(lines.has_stacks),
	  .help = "print recorded stacks after their events" },
	{ .help = NULL },
};

/* Prints the position after the last event read. Return: 0, -errno. */
static int put_position(struct list_events *p, struct ktrace_traceset *set)
{
	struct ktrace_position *pos;
	char *text = NULL;
	size_t size;
	int ret = ktrace_position_new(&pos);

	if (!ret)
		ret = ktrace_position_save(set, pos);
	if (!ret) {
		size = ktrace_position_to_text(pos, NULL, 0) + 1;
		text = malloc(size);
		ret = text ? 0 : -ENOMEM;
	}
	if (!ret) {
		ktrace_position_to_text(pos, text, size);
		line_put_position(&p->lines, text);
	}
	free(text);
	ktrace_position_free(pos);
	return ret;
}

/* Returns the message for an error; reading itself can only run out of memory. */
static const char *reason_of(int error)
{
	switch (error) {
	case -EINVAL:
		return "--from-position: of other files";
	case -EAGAIN:
		return "--from-position: behind the end of a file";
	case -EBADMSG:
		return "--from-position: no event there";
	default:
		return strerror(-error);
	}
}

static int watch(void *watcher, const struct ktrace_trace_event *e)
{
	return object_names_update(watcher, e);
}

/* If there are names, makes sure that all events are read for them. Return: 0, -ENOMEM. */
static int begin_aliases(struct list_events *p, struct ktrace_traceset *set)
{
	int ret = p->aliases ? 0 : object_names_new(&p->aliases);

	if (!ret)
		ret = object_names_begin(p->aliases, set);
	if (ret > 0) {
		p->lines.aliases = p->aliases;
		p->scope.watch = watch;
		p->scope.watcher = p->aliases;
	}
	return ret < 0 ? ret : 0;
}

/* Prints the events. Return: 0, -errno. */
static int print_all(struct list_events *p, struct ktrace_traceset *set)
{
	struct parallel_format *press;
	const struct ktrace_trace_event *e;
	__u64 lines = 0;
	int ret;

	p->scope.prints = !p->counts;
	p->lines.has_colours = terminal_has_colours();
	if (p->where.is_wanted && !p->counts) {
		p->lines.symbols = symbols_new(&p->where);
		if (!p->lines.symbols)
			return -ENOMEM;
	}
	press = p->counts ? NULL : parallel_format_new(&p->lines);
	ret = press || p->counts ? 0 : -ENOMEM;
	if (press)
		ret = begin_aliases(p, set);
	if (!ret)
		ret = time_range_begin(&p->scope, set);
	lines_begin(&p->lines, set, p->scope.start);
	p->lines.out = output();
	while (!ret && lines < p->left && !p->lines.out->error) {
		ret = time_range_next(&p->scope, &e);
		if (ret <= 0)
			break;
		ret = 0;
		lines++;
		if (!p->counts)
			parallel_format_put(press, e);
	}
	parallel_format_end(press);
	symbols_free(p->lines.symbols);
	p->lines.symbols = NULL;
	progress_end();
	if (p->counts && !ret) {
		ktrace_out_u64(p->lines.out, lines);
		ktrace_out_char(p->lines.out, '\n');
	}
	return ret || !p->scope.is_paged ? ret : put_position(p, set);
}

int list_events_files(struct list_events *p, int nr, char **paths)
{
	struct ktrace_traceset *set;
	int status, ret;

	if (p->scope.place && p->scope.since.is_set) {
		fprintf(stderr, "ktrace: --since or --from-position, not both\n");
		return STATUS_USAGE;
	}
	if (p->lines.time == TIME_WALL && !p->lines.is_json)
		clock_warnings_print_dates();
	set = open_files(nr, paths, &status);
	if (!set)
		return status;
	ret = print_all(p, set);
	if (ret)
		fprintf(stderr, "ktrace: %s\n", reason_of(ret));
	time_range_complain(&p->scope);
	status = ret ? STATUS_DAMAGED : files_status(set, status);
	ktrace_traceset_close(set);
	status = output_end(status);
	if (event_select_has_conditions(&p->scope.select) || p->counts)
		time_range_warn_lost(&p->scope);
	return status;
}

void list_events_free(struct list_events *p)
{
	time_range_free(&p->scope);
	object_names_free(p->aliases);
}
