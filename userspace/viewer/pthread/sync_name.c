// SPDX-License-Identifier: GPL-2.0
/* sync_name.c - what a thread of the model is called */
#include "sync_name.h"

#include "base/json.h"

#include <stdio.h>
#include <string.h>

const char *sync_name_alias(const struct aliases *a, const struct ktrace_traceset *set,
			    const struct sync_thread *t)
{
	const struct ktrace_trace *trace = ktrace_traceset_trace(set, t->process->machine);
	const __u32 pid = t->process->pid ? t->process->pid : t->tid;
	const char *name = aliases_find_thread(a, trace, pid, t->tid);

	return name || !t->handle ? name : aliases_find_object(a, trace, pid, t->handle);
}

void sync_name_text(const struct sync_thread *t, __u64 raw, char *text, size_t size)
{
	const char *comm = t->trace ? ktrace_trace_comm(t->trace, t->tid, raw) : NULL;

	snprintf(text, size, "%u/%u %s", t->process->pid, t->tid, comm ? comm : "?");
}

void sync_name_put(struct ktrace_out *out, const char *name)
{
	if (!name)
		return;
	ktrace_out_str(out, "  ");
	ktrace_out_quoted(out, name, strlen(name));
}

void sync_name_put_thread(struct ktrace_out *out, const struct sync_thread *t, const char *alias)
{
	char text[64];

	sync_name_text(t, t->raw, text, sizeof(text));
	ktrace_out_str(out, text);
	sync_name_put(out, alias);
}

void sync_name_json(struct ktrace_out *out, const struct sync_thread *t, const char *key,
		    const char *alias)
{
	json_u64(out, "pid", t->process->pid);
	json_u64(out, "tid", t->tid);
	json_str(out, "comm", ktrace_trace_comm(t->trace, t->tid, t->raw));
	json_str(out, key, alias);
}
