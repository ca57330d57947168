// SPDX-License-Identifier: GPL-2.0
/* learn.c - the first pass: names of threads, stack frames, the range of times, ktrace's facts */
#include "chrome.h"


#include <errno.h>
#include <stdio.h>

/* A process's name is that of its main thread without a name. */
int chrome_learn_name(struct chrome *c, const struct chrome_event *e)
{
	const struct json_value name = json_member(&e->args, "name");
	const bool is_process = json_is(&e->name, "process_name");
	struct foreign_thread *thread;
	int error = 0;
	__s64 pid;

	if (!name.at || !(is_process || json_is(&e->name, "thread_name")))
		return 0;
	pid = chrome_id(c, &e->pid, &error);
	thread = is_process ? threads_get(&c->threads, pid, pid) : chrome_thread_of(c, e);
	if (!thread || error)
		return -ENOMEM;
	if (!is_process || !thread->is_named)
		json_copy(&name, thread->comm, sizeof(thread->comm));
	thread->is_named |= !is_process;
	return 0;
}

static void learn_time(struct chrome *c, __s64 ns)
{
	c->least = c->has_time && c->least < ns ? c->least : ns;
	c->last = c->has_time && c->last > ns ? c->last : ns;
	c->has_time = true;
}

static int learn_event(struct chrome *c, const struct json_value *v)
{
	struct foreign_thread *thread;
	struct chrome_event e;
	__s64 ns;

	/* The second pass reports bad events. */
	if (chrome_event_parse(v, &e))
		return 0;
	if (e.phase == 'M')
		return chrome_learn_name(c, &e);
	if (!chrome_time(&e.ts, &ns))
		return 0;
	learn_time(c, ns);
	if (!e.phase || !strchr("BEXbenSTpF", e.phase))
		return 0;
	thread = chrome_thread_of(c, &e);
	if (!thread)
		return -ENOMEM;
	c->is_sorted &= thread->newest <= ns;
	thread->newest = ns;
	return 0;
}

static int learn_sample(struct chrome *c, const struct json_value *v)
{
	struct chrome_event e;
	__s64 ns;

	if (!chrome_event_parse(v, &e) && chrome_time(&e.ts, &ns))
		learn_time(c, ns);
	return 0;
}

static int learn_frames(struct chrome *c, const struct json_value *v)
{
	struct json_value key, value;
	struct chrome_frame id, *row;
	struct json_iterator it;

	json_enter(&it, v);
	while (json_next(&it, &key, &value) == 1) {
		if (value.kind != JSON_OBJECT)
			continue;
		json_copy(&key, id.id, sizeof(id.id));
		row = hash_table_get(&c->frames, &id);
		if (!row)
			return -ENOMEM;
		row->at = value.at;
		row->size = value.size;
	}
	return 0;
}

/* Learns what ktrace's export tells: the time of the first event, losses, files. */
static void learn_own(struct chrome *c, const struct json_value *v)
{
	const struct json_value tracer = json_member(v, "tracer"), start = json_member(v, "start");
	const struct json_value lost = json_member(v, "lost"), files = json_member(v, "files");
	struct json_value key, count;
	struct json_iterator it;
	bool is_big;
	__s64 ns;

	c->is_own = tracer.at && json_is(&tracer, "ktrace");
	if (!c->is_own)
		return;
	c->has_start = start.at && json_scaled(&start, 9, &ns) && ns >= 0;
	c->start_ns = c->has_start ? (__u64)ns : 0;
	for (__u32 i = 0; lost.at && i < KTRACE_LOST_NR; i++) {
		count = json_member(&lost, ktrace_lost_name(i));
		if (count.at && !json_integer(&count, &c->lost[i], &is_big))
			c->lost[i] = 0;
	}
	if (!files.at || files.kind != JSON_ARRAY)
		return;
	json_enter(&it, &files);
	if (json_next(&it, &key, &count) == 1)
		c->facts = count;
}

static int learn_member(struct chrome *c, const struct json_value *key, const struct json_value *v)
{
	if (json_is(key, "stackFrames") && v->kind == JSON_OBJECT)
		return learn_frames(c, v);
	if (json_is(key, "otherData") && v->kind == JSON_OBJECT)
		learn_own(c, v);
	if (json_is(key, "systemTraceEvents"))
		c->system = *v;
	return 0;
}

int chrome_learn(struct chrome *c)
{
	static const struct chrome_walk walk = { learn_event, learn_sample, learn_member };

	c->is_sorted = true;
	return chrome_walk(c, &walk);
}
