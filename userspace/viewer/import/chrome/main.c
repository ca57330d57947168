// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ktrace import --from chrome: converts JSON of Chrome's trace event format
 *
 * Reads the file twice: for names, times and stack frames, then for the events. If slices are not
 * in order of time in the file, the events are sorted before they are converted, since an end
 * tells only its thread, and after it with everything else.
 */
#include "chrome.h"

#include "base/progress.h"
#include "import/mapped.h"

#include <errno.h>
#include <stdlib.h>

#define MEMBER_MAX (1u << 20)

static void chrome_init(struct chrome *c, struct import *x, const char *path)
{
	*c = (struct chrome){
		.x = x, .path = path, .frames = HASH_TABLE_INIT(struct chrome_frame, id),
		.text.flush = output_grow, .name.flush = output_grow,
		.category.flush = output_grow,
	};
	builder_init(&c->b);
	threads_init(&c->threads);
	asyncs_init(&c->asyncs);
}

static void chrome_free(struct chrome *c)
{
	builder_free(&c->b);
	threads_free(&c->threads);
	asyncs_free(&c->asyncs);
	hash_table_free(&c->frames);
	free(c->text.buf);
	free(c->name.buf);
	free(c->category.buf);
}

/* Copies a member of otherData.files[0], e.g. the machine. NULL: unknown */
static const char *fact(const struct chrome *c, const char *name, char *to, size_t size)
{
	const struct json_value value = json_member(&c->facts, name);

	if (!value.at || value.kind != JSON_STRING)
		return NULL;
	json_copy(&value, to, size);
	return to;
}

static int begin(struct chrome *c)
{
	char host[64], kernel[64], machine[32];
	struct import_writer_about about = {
		.tool = "chrome", .host = fact(c, "host", host, sizeof(host)),
		.kernel = fact(c, "kernel", kernel, sizeof(kernel)),
		.machine = fact(c, "machine", machine, sizeof(machine)), .raw = (__u64)c->shift,
		.real_ns = c->start_ns,
	};
	struct import_clock told;
	const int ret = import_clock(c->x, &told);

	if (ret < 0)
		return ret;
	if (!ret && !c->has_start)
		complain_about(c->path, "%s", IMPORT_NO_CLOCK);
	if (!about.machine && c->system.at)
		about.machine = "x86_64";
	if (ret)
		about.real_ns = told.real_ns;
	if (*told.boot)
		about.boot = told.boot;
	if (!about.host && *told.host)
		about.host = told.host;
	return import_writer_about(c->b.f, &about);
}

/* Keeps what a trace tells about itself as events at its beginning. */
static int put_member(struct chrome *c, const struct json_value *key, const struct json_value *v)
{
	struct foreign_thread *thread = threads_get(&c->threads, 0, 0);
	char name[64];

	if (c->is_own || json_is(key, "traceEvents") || json_is(key, "samples") ||
	    json_is(key, "stackFrames") || json_is(key, "systemTraceEvents"))
		return 0;
	if (!thread)
		return -ENOMEM;
	if (v->size > MEMBER_MAX) {
		c->long_nr++;
		return 0;
	}
	if (!thread->is_named)
		strcpy(thread->comm, "trace");
	json_copy(key, name, sizeof(name));
	builder_begin_event(&c->b, "metadata", name);
	if (v->kind == JSON_OBJECT)
		chrome_put_args(c, v);
	else
		chrome_put_named(c, "value", v);
	return chrome_put(c, thread, c->has_time ? c->least : 0, INT64_MIN);
}

static int put_indexed(void *arg, const struct spooled *e, const char *data)
{
	struct chrome *c = arg;
	struct json_value v = { .kind = JSON_OBJECT };

	(void)e;
	memcpy(&v.at, data, sizeof(v.at));
	memcpy(&v.size, data + sizeof(v.at), sizeof(v.size));
	return chrome_convert(c, &v);
}

/* Adds an event to an index by time. */
static int index_event(struct chrome *c, const struct json_value *v)
{
	char data[sizeof(v->at) + sizeof(v->size)];
	struct spooled e = { .len = sizeof(data) };
	struct chrome_event parsed;
	__s64 ns = c->least;

	if (!chrome_event_parse(v, &parsed))
		chrome_time(&parsed.ts, &ns);
	memcpy(data, &v->at, sizeof(v->at));
	memcpy(data + sizeof(v->at), &v->size, sizeof(v->size));
	e.ts = (__u64)(ns + c->shift);
	return spool_add(&c->index, e, data);
}

static int put_events(struct chrome *c)
{
	const struct chrome_walk walk = {
		c->is_sorted ? chrome_convert : index_event, chrome_convert_sample, put_member,
	};
	int ret;

	/* The first pass has counted them, too. */
	c->bad = 0;
	ret = chrome_walk(c, &walk);
	if (!ret && !c->is_sorted)
		ret = spool_each(&c->index, put_indexed, c);
	spool_free(&c->index);
	if (!ret)
		ret = chrome_put_system(c);
	return ret ? ret : chrome_put_own_losses(c);
}

static int complain(const struct chrome *c)
{
	if (c->why)
		complain_about(c->path, "byte %zu: %s; the events before it are imported",
			       c->stop_at, c->why);
	if (c->bad)
		complain_about(c->path, "%llu elements are not events, or have no phase, time or "
			       "possible duration; the first is at byte %llu",
			       (unsigned long long)c->bad, (unsigned long long)c->bad_at);
	if (c->long_nr)
		complain_about(c->path, "%llu members of the trace are longer than 1 MiB, and left "
			       "out", (unsigned long long)c->long_nr);
	if (c->further)
		complain_about(c->path, "%llu events of further machines have threads with other "
			       "numbers", (unsigned long long)c->further);
	if (c->b.as_text)
		complain_about(c->path, "%llu events have too many fields, or a type beyond the "
			       "maximum number, and are shown as foreign:text",
			       (unsigned long long)c->b.as_text);
	return c->is_partial || c->why || c->bad || c->long_nr || c->further || c->b.as_text ?
	       STATUS_DAMAGED : 0;
}

static int write_events(struct chrome *c)
{
	int ret = import_open(c->x, &c->b.f);

	if (ret)
		return ret;
	ret = begin(c);
	progress_begin_bytes(c->size);
	if (!ret)
		ret = put_events(c);
	progress_end();
	if (!ret)
		ret = builder_write(&c->b);
	return import_close(c->x, c->b.f, ret ? ret : complain(c));
}

static int convert_file(struct import *x, const char *path)
{
	struct mapped file;
	struct chrome c;
	int ret = mapped_open(&file, path);

	if (ret)
		return ret;
	chrome_init(&c, x, path);
	c.data = file.data;
	c.size = file.size;
	ret = chrome_learn(&c);
	if (!ret && !c.has_time && c.why) {
		complain_about(path, "byte %zu: %s; there is no event before it", c.stop_at, c.why);
		ret = -ECANCELED;
	}
	c.shift = c.least < 0 ? -c.least : 0;
	if (!ret)
		ret = write_events(&c);
	chrome_free(&c);
	mapped_close(&file);
	return ret;
}

static int convert_one(struct import *x, int nr, char **paths)
{
	if (nr == 1)
		return convert_file(x, paths[0]);
	complain_about(paths[1], "one file at a time, as each has a clock of its own");
	return -ECANCELED;
}

static int run(int argc, char **argv)
{
	return import_main(argc, argv, convert_one);
}

int main(int argc, char **argv)
{
	return command_main(run, argc, argv);
}
