// SPDX-License-Identifier: GPL-2.0
/* model_name.c - names of threads of the model */
#include "model_name.h"

#include "base/json.h"

#include <stdio.h>
#include <string.h>

const char *model_name_alias(const struct object_names *a, const struct ktrace_traceset *set,
			     const struct model_thread *t)
{
	const struct ktrace_trace *trace = ktrace_traceset_trace(set, t->process->machine);
	const __u32 pid = t->process->pid ? t->process->pid : t->tid;
	const char *name = object_names_find_thread(a, trace, pid, t->tid);

	return name || !t->handle ? name : object_names_find_object(a, trace, pid, t->handle);
}

void model_name_text(const struct model_thread *t, __u64 raw, char *text, size_t size)
{
	const char *comm = t->trace ? ktrace_trace_comm(t->trace, t->tid, raw) : NULL;

	snprintf(text, size, "%u/%u %s", t->process->pid, t->tid, comm ? comm : "?");
}

void model_name_put(struct ktrace_out *out, const char *name)
{
	if (!name)
		return;
	ktrace_out_str(out, "  ");
	ktrace_out_quoted(out, name, strlen(name));
}

void model_name_put_thread(struct ktrace_out *out, const struct model_thread *t, const char *alias)
{
	char text[64];

	model_name_text(t, t->raw, text, sizeof(text));
	ktrace_out_str(out, text);
	model_name_put(out, alias);
}

void model_name_json(struct ktrace_out *out, const struct model_thread *t, const char *key,
		     const char *alias)
{
	json_u64(out, "pid", t->process->pid);
	json_u64(out, "tid", t->tid);
	json_str(out, "comm", ktrace_trace_comm(t->trace, t->tid, t->raw));
	json_str(out, key, alias);
}
