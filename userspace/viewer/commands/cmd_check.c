// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_check.c - ktrace check: whether files keep to their format and reading them is consistent
 *
 * Checks each file by itself first, section by section. Then reads all together, as every command
 * does: once from the beginning to the end, keeping some of the events as marks, with the positions
 * after them. Then reads again from each mark to the next one, after a seek to its time and after
 * one to its position, and must find the same number of events. selfcheck.c checks states,
 * statistics and moves.
 */
#include "selfcheck.h"

#include "base/clock_warnings.h"
#include "base/json.h"
#include "base/parts.h"
#include "base/progress.h"
#include "base/table.h"
#include "base/when.h"
#include "model/pthread_model.h"

#include <errno.h>
#include <ktrace/check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_damage(void *arg, const struct ktrace_damage *d)
{
	struct check *c = arg;
	struct ktrace_out *out = c->out;

	c->damaged++;
	output_line_begin(out);
	if (c->is_json) {
		ktrace_out_char(out, '{');
		json_str(out, "file", d->path);
		if (d->offset != KTRACE_OFFSET_NONE)
			json_u64(out, "offset", d->offset);
		json_str(out, "damage", d->message);
		ktrace_out_str(out, "}\n");
		return;
	}
	ktrace_out_safe(out, d->path);
	if (d->offset != KTRACE_OFFSET_NONE)
		out_printf(out, ": offset %llu", d->offset);
	ktrace_out_str(out, ": ");
	ktrace_out_safe(out, d->message);
	ktrace_out_char(out, '\n');
}

void check_complain(struct check *c, const char *path, const char *format, ...)
{
	char message[256];
	struct ktrace_damage d = { path, KTRACE_OFFSET_NONE, message };
	va_list ap;

	va_start(ap, format);
	vsnprintf(message, sizeof(message), format, ap);
	va_end(ap);
	put_damage(c, &d);
}

static void put_file_text(struct ktrace_out *out, const char *path, const struct ktrace_check *k)
{
	ktrace_out_safe(out, path);
	out_printf(out, ": %s: %llu bytes, %llu sections, %llu blocks, %llu records, %llu lost, "
		   "%s\n", k->damaged ? "damaged" : "ok", k->bytes, k->sections, k->blocks,
		   k->records, k->lost, k->is_closed ? "closed" : "not closed");
}

static void put_file_json(struct ktrace_out *out, const char *path, const struct ktrace_check *k)
{
	ktrace_out_char(out, '{');
	json_str(out, "file", path);
	json_u64(out, "bytes", k->bytes);
	json_u64(out, "sections", k->sections);
	json_u64(out, "blocks", k->blocks);
	json_u64(out, "records", k->records);
	json_u64(out, "lost", k->lost);
	json_u64(out, "damaged", k->damaged);
	json_bool(out, "closed", k->is_closed);
	ktrace_out_str(out, "}\n");
}

static void check_file(struct check *c, const char *path)
{
	struct ktrace_check found;
	int ret;

	/* Complain here: nothing was found in a file that cannot be read. */
	if (access(path, R_OK)) {
		complain_about(path, "%s", strerror(errno));
		c->damaged++;
		return;
	}
	ret = ktrace_check_file(path, put_damage, c, &found);
	if (ret == -ENOMEM)
		check_complain(c, path, "%s", strerror(-ret));
	if (ret)
		return;
	output_line_begin(c->out);
	if (c->is_json)
		put_file_json(c->out, path, &found);
	else
		put_file_text(c->out, path, &found);
}

/* Drops every second mark when there are too many. */
static void thin_out(struct check *c)
{
	__u32 i;

	for (i = 0; i < MARKS / 2; i++) {
		ktrace_position_free(c->marks[2 * i + 1].behind);
		c->marks[i] = c->marks[2 * i];
	}
	c->mark_nr = MARKS / 2;
	c->every *= 2;
}

/* Keeps an event as a mark, if one is due. Return: 0, -ENOMEM. */
static int keep_mark(struct check *c, const struct ktrace_trace_event *e, __u64 last_time)
{
	struct mark *m;
	int ret;

	if (c->mark_nr && (e->time <= last_time ||
			   c->events - c->marks[c->mark_nr - 1].before < c->every))
		return 0;
	if (c->mark_nr == MARKS)
		thin_out(c);
	m = &c->marks[c->mark_nr];
	*m = (struct mark){ e->time, e->raw, e->id, e->tid, c->events, NULL, 0 };
	ret = ktrace_position_new(&m->behind);
	if (ret)
		return ret;
	c->mark_nr++;
	return ktrace_position_save(c->set, m->behind);
}

/* Reads all events from the beginning to the end. Return: 0, -errno. */
static int read_through(struct check *c)
{
	struct ktrace_trace_event e;
	__u64 last = 0, any = 0, start, end;
	int ret = ktrace_traceset_span(c->set, &start, &end);

	ret = ret ? ret : check_sync_begin(c);
	progress_begin(start, end);
	while (!ret && (ret = ktrace_traceset_next(c->set, &e)) == 1) {
		ret = model_update(c->sync, &e);
		if (ret)
			break;
		progress_at(e.time);
		c->goes_back |= e.flags & KTRACE_EVENT_BACKWARDS;
		c->is_torn |= e.flags & KTRACE_EVENT_INCOMPLETE;
		if (!check_is_countable(&e)) {
			any = e.time > any ? e.time : any;
			continue;
		}
		ret = keep_mark(c, &e, any > last ? any : last);
		c->events++;
		if (e.time < last && !c->goes_back)
			check_complain(c, ktrace_trace_path(e.stream->trace),
				 "event %llu: time goes back, and no event is flagged", c->events);
		last = e.time > last ? e.time : last;
	}
	progress_end();
	check_sync_end(c, ret);
	c->is_scattered = ktrace_traceset_scattered(c->set);
	return ret;
}

/*
 * Counts events from mark @i, or from the event after it, to the next mark or to the end.
 * Return: 0, -errno.
 */
static int read_stretch(struct check *c, __u32 i, struct ktrace_trace_event *first, __u64 *nr)
{
	const struct mark *next = i + 1 < c->mark_nr ? &c->marks[i + 1] : NULL;
	struct ktrace_trace_event e;
	int ret;

	*nr = 0;
	while ((ret = ktrace_traceset_next(c->set, &e)) == 1) {
		progress_at(c->again++);
		if (!check_is_countable(&e))
			continue;
		if (next && check_is_mark(next, &e))
			return 0;
		if (!(*nr)++)
			*first = e;
	}
	return ret;
}

static void complain_at(struct check *c, const struct mark *m, const char *what, __u64 nr,
			__u64 wanted)
{
	check_complain(c, ktrace_trace_path(ktrace_traceset_trace(c->set, 0)),
		 "event %llu, @%llu.%09llu: after a seek to its %s there are %llu events, not %llu",
		 m->before + 1, m->time / 1000000000, m->time % 1000000000, what, nr, wanted);
}

/*
 * Checks a seek to the time of a mark. Skipped if stamps go back, because such events are delivered
 * where they are stored and a seek may miss them; or if events are scattered, because a seek may
 * miss their beginnings. Return: 0, -errno.
 */
static int seek_time(struct check *c, __u32 i, __u64 wanted)
{
	const struct mark *m = &c->marks[i];
	struct ktrace_trace_event first;
	__u64 nr;
	int ret;

	if (c->goes_back || c->is_scattered)
		return 0;
	ret = ktrace_traceset_seek(c->set, m->time);
	if (!ret)
		ret = read_stretch(c, i, &first, &nr);
	if (!ret && (nr != wanted || !check_is_mark(m, &first)))
		complain_at(c, m, "time", nr, wanted);
	return ret;
}

/* Checks a seek to a position, passed as text as if to another process. Return: 0, -errno. */
static int seek_position(struct check *c, __u32 i, __u64 wanted)
{
	const struct mark *m = &c->marks[i];
	struct ktrace_trace_event first;
	struct ktrace_position *pos;
	size_t size = ktrace_position_to_text(m->behind, NULL, 0) + 1;
	char *text = malloc(size);
	__u64 nr;
	int ret = text ? ktrace_position_new(&pos) : -ENOMEM;

	if (ret) {
		free(text);
		return ret;
	}
	ktrace_position_to_text(m->behind, text, size);
	ret = ktrace_position_from_text(pos, text);
	if (!ret && ktrace_position_compare(pos, m->behind))
		complain_at(c, m, "position's text", 0, wanted - 1);
	if (!ret)
		ret = ktrace_traceset_seek_position(c->set, pos);
	if (!ret)
		ret = read_stretch(c, i, &first, &nr);
	if (!ret && nr != wanted - 1)
		complain_at(c, m, "position", nr, wanted - 1);
	ktrace_position_free(pos);
	free(text);
	return ret;
}

/* Seeks from the last mark to the first, so that nothing is loaded there. Return: 0, -errno. */
static int check_seeks(struct check *c)
{
	__u64 behind = c->events, wanted;
	__u32 i;
	int ret = 0;

	/* Twice: by time and by position */
	progress_begin(0, 2 * c->events);
	for (i = c->mark_nr; i-- && !ret;) {
		wanted = behind - c->marks[i].before;
		behind = c->marks[i].before;
		ret = seek_time(c, i, wanted);
		if (!ret)
			ret = seek_position(c, i, wanted);
	}
	progress_end();
	return ret;
}

/* Reads all files; does not repeat damage that check_file() has reported. Return: 0, -errno. */
static int check_reading(struct check *c, int nr, char **paths)
{
	struct ktrace_traceset_options opts = { .size = sizeof(opts), .arg = c,
						.cores = cores_wanted() };
	int i, ret;

	opts.report = c->damaged ? NULL : put_damage;
	ret = ktrace_traceset_open(&opts, &c->set);

	for (i = 0; i < nr && !ret; i++) {
		ret = ktrace_traceset_add(c->set, paths[i]);
		if (ret != -ENOMEM)
			ret = 0;
	}
	c->every = 1;
	if (!ret)
		ret = read_through(c);
	if (!ret && !c->damaged)
		ret = check_seeks(c);
	if (!ret && !c->damaged)
		ret = check_states(c);
	return ret;
}

/* Returns why some checks are left out, NULL = none is. */
static const char *reason(const struct check *c)
{
	return c->goes_back ? "stamps go back" : c->is_scattered ? "fragments are scattered" :
	       c->is_torn ? "events lack fragments" : NULL;
}

static void put_reading(struct check *c)
{
	struct ktrace_out *out = c->out;

	output_line_begin(out);
	if (c->is_json) {
		ktrace_out_char(out, '{');
		json_u64(out, "events", c->events);
		json_u64(out, "seeks", c->mark_nr);
		json_u64(out, "states", c->states);
		json_u64(out, "parts", c->parts);
		json_u64(out, "moves", c->moves);
		json_u64(out, "damaged", c->damaged);
		ktrace_out_str(out, "}\n");
		return;
	}
	out_printf(out, "%s: %llu events, read again from %u", c->damaged ? "damaged" : "ok",
		   c->events, c->mark_nr);
	if (c->goes_back || c->is_scattered)
		out_printf(out, " positions (not times: %s)", reason(c));
	else
		ktrace_out_str(out, " times and positions");
	if (reason(c))
		out_printf(out, "; no states, as %s\n", reason(c));
	else
		out_printf(out, "; %u states, statistics of %u parts, %u moves\n", c->states,
			   c->parts, c->moves);
}

/* Prints which parts of recordings are present. Missing parts are no damage. */
static void put_parts(struct check *c)
{
	const struct ktrace_trace *trace;
	size_t i;

	for (i = 0; (trace = ktrace_traceset_trace(c->set, i)); i++) {
		if (!parts_any(trace))
			continue;
		output_line_begin(c->out);
		if (c->is_json) {
			ktrace_out_str(c->out, "{\"recording\":{");
			parts_json(c->out, trace);
			ktrace_out_str(c->out, "}}\n");
			continue;
		}
		ktrace_out_safe(c->out, ktrace_trace_path(trace));
		ktrace_out_str(c->out, ": parts ");
		parts_put(c->out, trace);
		ktrace_out_char(c->out, '\n');
	}
}

static int check_files(struct check *c, int nr, char **paths)
{
	int i, ret;

	c->out = output();
	for (i = 0; i < nr; i++)
		check_file(c, paths[i]);
	ret = check_reading(c, nr, paths);
	if (ret)
		fprintf(stderr, "ktrace: %s\n", strerror(-ret));
	if (!ret)
		put_parts(c);
	if (!ret && ktrace_traceset_trace(c->set, 0))
		put_reading(c);
	if (!ret)
		clock_warnings_complain(c->set);
	while (c->mark_nr)
		ktrace_position_free(c->marks[--c->mark_nr].behind);
	ktrace_traceset_close(c->set);
	return output_end(ret || c->damaged ? STATUS_DAMAGED : STATUS_OK);
}

static const struct option_set sets[] = {
	{ json_options, offsetof(struct check, is_json) },
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct check c = { 0 };
	int status = command_parse(cmd, &c, argc, argv), nr;
	char **files;

	if (status >= 0)
		return status;
	files = files_expand(argc - optind, argv + optind, &nr);
	status = files ? check_files(&c, nr, files) : STATUS_DAMAGED;
	files_free(files);
	return status;
}

const struct command cmd_check = {
	.name = "check",
	.args = "[OPTION...] FILE...",
	.summary = "Check files: structure, checksums, index, losses, seeks",
	.options = sets,
	.needs_files = true,
	.run = run,
};
