// SPDX-License-Identifier: GPL-2.0
/*
 * walk.c - goes through a file of Chrome's format
 *
 * The file is an array of events, whose bracket may be missing at the end, or an object with such
 * an array. Its pages are given back as they are passed, so that memory does not grow with it.
 */
#include "chrome.h"

#include "base/progress.h"

#include <errno.h>
#include <sys/mman.h>

#define RELEASE (16u << 20)
/* Largest event */
#define EVENT_MAX (16u << 20)

void chrome_count_bad(struct chrome *c, const struct json_value *v)
{
	if (!c->bad++)
		c->bad_at = (__u64)(v->at - c->data);
}

static void pass(struct chrome *c, const char *at)
{
	const size_t passed = (size_t)(at - c->data);

	progress_at(passed);
	if (passed < c->released + 2 * RELEASE)
		return;
	madvise((char *)c->data + c->released, RELEASE, MADV_DONTNEED);
	c->released += RELEASE;
}

static int stop(struct chrome *c, const char *at, int ret)
{
	c->stop_at = (size_t)(at - c->data);
	c->why = ret == -ENODATA ? "truncated" : "not JSON";
	return 1;
}

/* Return: 0, 1: reading ends here, -errno. */
static int take_element(struct chrome *c, const struct json_value *v,
			int (*take)(struct chrome *c, const struct json_value *v))
{
	pass(c, v->at);
	if (v->kind == JSON_OBJECT && v->size <= EVENT_MAX)
		return take(c, v);
	chrome_count_bad(c, v);
	return 0;
}

/* Takes the elements of an array at *@at. @is_all: it is the whole file, its end may be missing. */
static int walk_array(struct chrome *c, const char **at, bool is_all,
		      int (*take)(struct chrome *c, const struct json_value *v))
{
	const char *end = c->data + c->size;
	struct json_iterator it;
	struct json_value v;
	int ret = 0, more;

	json_begin(&it, *at, end);
	while (!ret) {
		more = json_next_key(&it, NULL);
		if (more == -ENODATA && is_all)
			break;
		if (more == 1)
			more = json_value(&it.at, end, &v) ? : 1;
		if (!more)
			break;
		ret = more < 0 ? stop(c, it.at, more) : take_element(c, &v, take);
	}
	*at = it.at;
	return ret;
}

static int walk_member(struct chrome *c, struct json_iterator *it, const struct json_value *key,
		       const struct chrome_walk *w)
{
	const bool is_array = it->at < it->end && *it->at == '[';
	struct json_value v;
	int ret;

	if (is_array && json_is(key, "traceEvents"))
		return walk_array(c, &it->at, false, w->event);
	if (is_array && json_is(key, "samples"))
		return walk_array(c, &it->at, false, w->sample);
	ret = json_value(&it->at, it->end, &v);
	return ret ? stop(c, it->at, ret) : w->member(c, key, &v);
}

static int walk_object(struct chrome *c, const char **at, const struct chrome_walk *w)
{
	struct json_iterator it;
	struct json_value key;
	int ret = 0, more;

	json_begin(&it, *at, c->data + c->size);
	while (!ret && (more = json_next_key(&it, &key)))
		ret = more < 0 ? stop(c, it.at, more) : walk_member(c, &it, &key, w);
	*at = it.at;
	return ret;
}

int chrome_walk(struct chrome *c, const struct chrome_walk *w)
{
	const char *at = c->data, *end = at + c->size;
	int ret;

	c->released = 0;
	if (c->size >= 3 && !memcmp(at, "\xef\xbb\xbf", 3))
		at += 3;
	at = json_skip_blanks(at, end);
	if (at < end && *at == '[')
		ret = walk_array(c, &at, true, w->event);
	else if (at < end && *at == '{')
		ret = walk_object(c, &at, w);
	else
		ret = stop(c, at, -EINVAL);
	at = json_skip_blanks(at, end);
	if (!ret && at < end)
		stop(c, at, -EINVAL);
	return ret < 0 ? ret : 0;
}
