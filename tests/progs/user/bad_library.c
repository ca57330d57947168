// SPDX-License-Identifier: GPL-2.0
/*
 * bad_library.c - preloaded into ktrace: a library with a bug, for ktrace check to find, or one
 * that has no memory
 *
 *   BUG	state: a seek leads one event too far; count: statistics leave the third event out;
 *		window: those of a part begin too late; sum: a node has one event too many;
 *		forward: an event too few is passed; back: it stays where it is
 *		memory: there is none for a second part, nor for a list of processes
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <ktrace/hooks.h>
#include <ktrace/statistics.h>
#include <stdlib.h>
#include <string.h>

static bool has_bug(const char *name)
{
	const char *bug = getenv("BUG");

	return bug && !strcmp(bug, name);
}

/* The function that the library has */
static void *real(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	if (!f)
		abort();
	return f;
}

static struct ktrace_traceset *read_last;

int ktrace_traceset_seek(struct ktrace_traceset *set, __u64 time)
{
	int (*f)(struct ktrace_traceset *set, __u64 time);

	read_last = set;
	*(void **)&f = real(__func__);
	return f(set, time);
}

int ktrace_state_seek(struct ktrace_states *state, __u64 time)
{
	struct ktrace_trace_event e;
	int (*f)(struct ktrace_states *state, __u64 time), ret;

	*(void **)&f = real(__func__);
	ret = f(state, time);
	if (!ret && has_bug("state") && ktrace_traceset_next(read_last, &e) == 1)
		ret = ktrace_state_update(state, &e);
	return ret;
}

int ktrace_statistics_update(struct ktrace_statistics *st, const struct ktrace_trace_event *e)
{
	int (*f)(struct ktrace_statistics *st, const struct ktrace_trace_event *e);
	static int nr;

	*(void **)&f = real(__func__);
	return has_bug("count") && ++nr == 3 ? 0 : f(st, e);
}

int ktrace_statistics_new(struct ktrace_states *state, __u64 from, __u64 until,
			  struct ktrace_statistics **out)
{
	int (*f)(struct ktrace_states *state, __u64 from, __u64 until,
		 struct ktrace_statistics **out);

	*(void **)&f = real(__func__);
	return f(state, has_bug("window") && from ? from + 1 : from, until, out);
}

int ktrace_statistics_end(struct ktrace_statistics *st)
{
	int (*f)(struct ktrace_statistics *st), ret;

	*(void **)&f = real(__func__);
	ret = f(st);
	if (has_bug("sum"))
		ktrace_statistics_root(st)->children[0]->children[0]->events++;
	return ret;
}

int ktrace_traceset_forward(struct ktrace_traceset *set, __u64 n,
			    const struct ktrace_search *search, __u64 *found)
{
	int (*f)(struct ktrace_traceset *set, __u64 n, const struct ktrace_search *search,
		 __u64 *found), ret;

	*(void **)&f = real(__func__);
	ret = f(set, has_bug("forward") ? n - 1 : n, search, found);
	*found = n;
	return ret;
}

int ktrace_traceset_back(struct ktrace_traceset *set, __u64 n,
			 const struct ktrace_search *search, __u64 *found)
{
	int (*f)(struct ktrace_traceset *set, __u64 n, const struct ktrace_search *search,
		 __u64 *found);

	*found = n;
	*(void **)&f = real(__func__);
	return has_bug("back") ? 0 : f(set, n, search, found);
}

int ktrace_traceset_add(struct ktrace_traceset *set, const char *path)
{
	int (*f)(struct ktrace_traceset *set, const char *path);

	*(void **)&f = real(__func__);
	return has_bug("memory") && strstr(path, ".0002.") ? -ENOMEM : f(set, path);
}

static bool is_list;

const struct ktrace_process *ktrace_state_process(const struct ktrace_states *state, size_t i)
{
	const struct ktrace_process *(*f)(const struct ktrace_states *state, size_t i);

	is_list = true;
	*(void **)&f = real(__func__);
	return f(state, i);
}

void *realloc(void *old, size_t size)
{
	void *(*f)(void *old, size_t size);

	if (is_list && has_bug("memory"))
		return NULL;
	*(void **)&f = real(__func__);
	return f(old, size);
}
