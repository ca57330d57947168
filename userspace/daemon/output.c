// SPDX-License-Identifier: GPL-2.0
/*
 * output.c - the file of a recording, or the first of its parts
 *
 * Existing files are replaced when the command runs, not before: a file by the first section
 * that is written, parts when the first new part, called FILE.new until then, gets its name.
 */
#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/replaced_file.h"
#include "output/default_path.h"
#include "output/parts.h"
#include "output/recovery_note.h"
#include "output/room.h"

bool output_is_split(const struct recording *r)
{
	return r->options->split_size || r->options->split_ns;
}

const char *output_path(const struct recording *r)
{
	return output_is_split(r) ? r->parts.path : r->name;
}

/* True if ktraced chooses the name: -o FOLDER/ or no -o. */
static bool is_nameless(const struct options *o)
{
	size_t len = o->output ? strlen(o->output) : 0;

	return !len || o->output[len - 1] == '/';
}

/* If older parts are removed or sent to stay within --max-size, there must be at least two. */
static __u64 split_size(const struct options *o)
{
	const bool makes_room = o->keep || o->ship.url;
	const __u64 half = o->max_size / 2;

	if (makes_room && half && (!o->split_size || o->split_size > half))
		return half;
	return o->split_size;
}

static int choose_name(struct recording *r)
{
	const struct options *o = r->options;
	int error;

	r->name = is_nameless(o) ? default_path(o->output ? o->output : "", o->argv)
				 : strdup(o->output);
	if (!r->name)
		return -ENOMEM;
	if (!output_is_split(r))
		return 0;
	error = parts_init(&r->parts, r->name, split_size(o), o->split_ns, o->keep);
	r->parts.is_shipped = o->ship.url;
	return error;
}

/* Checks that an existing file can be replaced. Return: 0, or -ECANCELED after a complaint. */
static int check_file(const char *path, const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		log_error("%s is a folder: append a / to create a new file in it", path);
	else if (!is_fit_for_trace(st))
		log_error("%s: the trace must go to a regular file or /dev/null", path);
	else if (is_program(path))
		log_error("%s is a program: -o names the file for the trace", path);
	else
		return 0;
	return -ECANCELED;
}

static int open_whole(struct recording *r, struct ktrace_tracefile **file)
{
	struct stat st = { .st_size = 0 };
	int error = stat(r->name, &st) ? 0 : check_file(r->name, &st);

	if (error)
		return error;
	/* A name that ktraced chose must be new. */
	if (is_nameless(r->options))
		return ktrace_tracefile_create_part(r->name, 0, NULL, file);
	r->is_replacing = S_ISREG(st.st_mode) && st.st_size;
	return r->is_replacing ? ktrace_tracefile_replace_later(r->name, file)
			       : ktrace_tracefile_create(r->name, file);
}

static int open_first_part(struct recording *r, struct ktrace_tracefile **file)
{
	struct stat st;
	int ret;

	if (!stat(r->name, &st) && !S_ISREG(st.st_mode)) {
		log_error("%s: parts of a trace must be regular files", r->name);
		return -ECANCELED;
	}
	ret = parts_claim(&r->parts);
	if (ret == -EBUSY)
		log_error("%s: another recording is writing its parts", r->name);
	if (ret < 0)
		return ret == -EBUSY ? -ECANCELED : ret;
	r->is_replacing = ret;
	return ktrace_tracefile_create_part(r->parts.path, 1, NULL, file);
}

int output_open(struct recording *r, struct ktrace_tracefile **file)
{
	int error = choose_name(r);

	if (!error)
		error = output_is_split(r) ? open_first_part(r, file) : open_whole(r, file);
	if (!error && r->options->mode)
		error = ktrace_tracefile_mode(*file, r->options->mode);
	if (!error) {
		if (!r->is_replacing)
			error = room_begin(r->options->min_free, output_path(r), *file);
		if (error)
			output_drop(r, *file);
	} else if (error != -ECANCELED) {
		log_error("%s: %s", r->name ? output_path(r) : "-o", error == -EBUSY ?
			  "another recording is writing this file" : strerror(-error));
	}
	return error ? EXIT_OWN : -1;
}

void output_begin(struct recording *r)
{
	int error = 0;

	if (!r->is_replacing)
		return;
	r->is_replacing = false;
	if (output_is_split(r)) {
		error = parts_replace(&r->parts);
		r->capture.path = r->parts.path;
	}
	if (error)
		log_error("%s: %s; the first part keeps the name %s", r->name, strerror(-error),
			  r->parts.path);
	else if (output_is_split(r))
		recovery_note_change(r->session, r->parts.path, r->capture.file,
				     r->parts.begin.buf);
	capture_flush_meta(&r->capture);
}

void output_drop(const struct recording *r, struct ktrace_tracefile *file)
{
	const char *path = output_path(r);
	struct stat st;

	/* A link, such as /dev/stdout, must not be removed. */
	if ((!r->is_replacing || output_is_split(r)) && !lstat(path, &st) && S_ISREG(st.st_mode))
		unlink(path);
	ktrace_tracefile_close(file);
}
