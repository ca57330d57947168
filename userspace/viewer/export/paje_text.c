// SPDX-License-Identifier: GPL-2.0
/*
 * paje_text.c - writes the lines of a Paje trace
 *
 * The header names the fields of each kind of line. States have a field beyond those of the
 * format: the object that a thread waits for, or the owner of an object.
 */
#include "paje_text.h"

#include "base/table.h"
#include "base/viewer.h"
#include "base/when.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TYPE "Alias string", "Type string"
#define OCCURS "Time date", "Type string", "Container string"

/* struct definition - a kind of line: its name, and its fields with their types */
static const struct definition {
	const char *name;
	const char *fields[7];
} definitions[PAJE_LINE_NR] = {
	[PAJE_CONTAINER_TYPE] = { "DefineContainerType", { TYPE, "Name string" } },
	[PAJE_STATE_TYPE] = { "DefineStateType", { TYPE, "Name string" } },
	[PAJE_EVENT_TYPE] = { "DefineEventType", { TYPE, "Name string" } },
	[PAJE_VARIABLE_TYPE] = { "DefineVariableType", { TYPE, "Name string", "Color color" } },
	[PAJE_LINK_TYPE] = { "DefineLinkType", { TYPE, "StartContainerType string",
						 "EndContainerType string", "Name string" } },
	[PAJE_VALUE] = { "DefineEntityValue", { TYPE, "Name string", "Color color" } },
	[PAJE_CREATE] = { "CreateContainer", { "Time date", TYPE, "Container string",
					       "Name string" } },
	[PAJE_DESTROY] = { "DestroyContainer", { "Time date", "Type string", "Name string" } },
	[PAJE_THREAD_STATE] = { "SetState", { OCCURS, "Value string", "Object string" } },
	[PAJE_OBJECT_STATE] = { "SetState", { OCCURS, "Value string", "Owner string" } },
	[PAJE_EVENT] = { "NewEvent", { OCCURS, "Value string", "Arguments string" } },
	[PAJE_VARIABLE] = { "SetVariable", { OCCURS, "Value double" } },
	[PAJE_START_LINK] = { "StartLink", { OCCURS, "StartContainer string", "Value string",
					     "Key string" } },
	[PAJE_END_LINK] = { "EndLink", { OCCURS, "EndContainer string", "Value string",
					 "Key string" } },
};

void paje_put_header(struct ktrace_out *out)
{
	size_t i, k;

	for (i = 0; i < PAJE_LINE_NR; i++) {
		output_line_begin(out);
		out_printf(out, "%%EventDef Paje%s %zu\n", definitions[i].name, i);
		for (k = 0; k < 7 && definitions[i].fields[k]; k++)
			out_printf(out, "%%  %s\n", definitions[i].fields[k]);
		out_printf(out, "%%EndEventDef\n");
	}
}

void paje_put_kind(struct ktrace_out *out, enum paje_line kind)
{
	output_line_begin(out);
	ktrace_out_u64(out, kind);
}

void paje_put_time(struct ktrace_out *out, __u64 ns)
{
	ktrace_out_char(out, ' ');
	out_seconds(out, ns, 0);
}

void paje_put_string(struct ktrace_out *out, const char *s)
{
	char text[PAJE_STRING_MAX];
	struct ktrace_out safe = { .buf = text, .cap = sizeof(text) };
	size_t i;

	ktrace_out_safe(&safe, s);
	ktrace_out_str(out, " \"");
	for (i = 0; i < safe.len; i++)
		ktrace_out_char(out, text[i] == '"' ? '\'' : text[i] == '\\' ? '/' : text[i]);
	ktrace_out_char(out, '"');
}

void paje_put_text(struct ktrace_out *out, const char *format, ...)
{
	char text[128];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	paje_put_string(out, text);
}
