// SPDX-License-Identifier: GPL-2.0
/* cmd_events.c - ktrace events: event types of tracefiles, programs and libraries */
#include "base/viewer.h"

#include "base/json.h"
#include "base/table.h"
#include "events/elf_events.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <ktrace/device.h>

/**
 * struct listing - one run of the command
 * @path:	the file being listed
 * @is_json:	one object a line
 * @is_kernel:	list the kernel's events, of no file
 * @status:	exit status so far
 */
struct listing {
	const char *path;
	bool is_json;
	bool is_kernel;
	int status;
};

/* Prints the type of a field as descriptions of events have it. */
static void put_type(struct ktrace_out *out, const struct ktrace_field *f)
{
	const char *scalar = ktrace_scalar_name(f->scalar);

	if (f->shape == KTRACE_STRING)
		scalar = "string";
	out_printf(out, f->enum_nr && f->shape != KTRACE_STRING ? "enum<%s>" : "%s", scalar);
	if (f->shape == KTRACE_FIXED)
		out_printf(out, "[%u]", f->count);
	else if (f->shape == KTRACE_COUNTED)
		ktrace_out_str(out, "[]");
}

static void put_text(struct ktrace_out *out, const struct ktrace_event_type *type, bool has_id)
{
	__u32 i;

	if (has_id)
		out_printf(out, "%-6s %05u ", type->kind == KTRACE_CHANNEL_KERNEL ?
			   "kernel" : "user", type->id);
	ktrace_out_str(out, type->full_name);
	for (i = 0; i < type->field_nr; i++) {
		ktrace_out_str(out, i ? ", " : " ");
		put_type(out, &type->fields[i]);
		ktrace_out_char(out, ' ');
		ktrace_out_str(out, type->fields[i].name);
	}
	if (type->file) {
		ktrace_out_str(out, " @");
		ktrace_out_safe(out, type->file);
		out_printf(out, ":%u", type->line);
	}
	ktrace_out_char(out, '\n');
}

static void put_json_enum(struct ktrace_out *out, const struct ktrace_field *f)
{
	json_open(out, "enum", '{');
	for (__u32 i = 0; i < f->enum_nr; i++)
		json_s64(out, f->enums[i].name, f->enums[i].value);
	ktrace_out_char(out, '}');
}

/* @reason: why the kernel cannot give the event; empty: it can; NULL: not a kernel listing */
static void put_json(struct ktrace_out *out, const struct ktrace_event_type *type, bool has_id,
		     const char *reason)
{
	__u32 i;

	ktrace_out_char(out, '{');
	json_str(out, "event", type->full_name);
	if (has_id) {
		json_str(out, "kind", type->kind == KTRACE_CHANNEL_KERNEL ? "kernel" : "user");
		json_u64(out, "id", type->id);
	}
	if (reason && *reason)
		json_str(out, "reason", reason);
	json_str(out, "file", type->file);
	if (type->file)
		json_u64(out, "line", type->line);
	json_open(out, "fields", '[');
	for (i = 0; i < type->field_nr; i++) {
		json_item(out);
		json_str(out, "name", type->fields[i].name);
		ktrace_out_str(out, ",\"type\":\"");
		put_type(out, &type->fields[i]);
		ktrace_out_char(out, '"');
		if (type->fields[i].enum_nr)
			put_json_enum(out, &type->fields[i]);
		ktrace_out_char(out, '}');
	}
	ktrace_out_str(out, "]}\n");
}

static void put(const struct listing *l, const struct ktrace_event_type *type, bool has_id)
{
	output_line_begin(output());
	if (l->is_json)
		put_json(output(), type, has_id, NULL);
	else
		put_text(output(), type, has_id);
}

static void show_description(void *arg, const char *desc)
{
	struct listing *l = arg;
	struct ktrace_event_type *type;
	int ret = ktrace_event_type_parse(desc, &type);

	if (ret) {
		complain_about(l->path, "bad event description");
		l->status = STATUS_DAMAGED;
		return;
	}
	put(l, type, false);
	ktrace_event_type_free(type);
}

static void list_trace(struct listing *l, char *path)
{
	const struct ktrace_event_type *type;
	const struct ktrace_trace *trace;
	struct ktrace_traceset *set;
	__u32 kind, id;
	int status;

	set = open_files(1, &path, &status);
	if (!set) {
		l->status = status;
		return;
	}
	trace = ktrace_traceset_trace(set, 0);
	for (kind = KTRACE_CHANNEL_KERNEL; kind <= KTRACE_CHANNEL_USER; kind++)
		for (id = 0; id < ktrace_trace_types(trace, kind); id++) {
			type = ktrace_trace_type(trace, kind, id);
			if (type)
				put(l, type, true);
		}
	l->status = files_status(set, l->status);
	ktrace_traceset_close(set);
}

/* Returns why no kernel event is available; NULL: the module must be asked about each event. */
static const char *why_none(void)
{
	struct ktrace_device device;

	switch (ktrace_device_look(&device)) {
	case 0:
		break;
	case -EACCES:
	case -EPERM:
		return KTRACE_DEVICE " is not yours to open";
	case -ENOTTY:
		return KTRACE_DEVICE " does not answer as the module does";
	default:
		return "the module is not loaded";
	}
	if (device.abi != KTRACE_ABI_VERSION)
		return "the module has another version of the interface";
	if (device.kernel_error == -EPERM || device.kernel_error == -EACCES)
		return "that takes CAP_PERFMON, or the module's parameter group_kernel";
	return device.kernel_error ? strerror(-device.kernel_error) : NULL;
}

static void show_kernel_event(void *arg, const struct ktrace_kernel_event *event,
			      const char *reason)
{
	struct listing *l = arg;
	struct ktrace_event_type *type;
	char name[64];

	if (!l->is_json) {
		snprintf(name, sizeof(name), "%s:%s", event->family, event->name);
		output_line_begin(output());
		out_printf(output(), "%-20s %s%s\n", name, *reason ? "no: " : "yes", reason);
		return;
	}
	if (ktrace_event_type_parse(event->desc, &type)) {
		l->status = STATUS_DAMAGED;
		return;
	}
	type->id = event->id;
	type->kind = KTRACE_CHANNEL_KERNEL;
	output_line_begin(output());
	put_json(output(), type, true, reason);
	ktrace_event_type_free(type);
}

static void show_asked(void *arg, const struct ktrace_kernel_event *event, int error)
{
	show_kernel_event(arg, event, !error ? "" :
			  error == -EOPNOTSUPP ? "this kernel does not have what produces it" :
			  error == -EINVAL ? "the module is older, and does not know it" :
			  strerror(-error));
}

static void list_kernel(struct listing *l)
{
	const char *reason = why_none();
	const struct ktrace_kernel_event *event;
	int error = reason ? 0 : ktrace_device_events(show_asked, l);

	if (error)
		reason = strerror(-error);
	for (__u32 i = 0; reason && (event = ktrace_kernel_event(i)); i++)
		show_kernel_event(l, event, reason);
	if (reason)
		fprintf(stderr, "ktrace: no kernel events: %s; 'ktrace doctor' says more\n",
			reason);
}

#define MEMBER(member) OPTION_MEMBER(struct listing, member)

static const struct option_row rows[] = {
	{ .name = "kernel", .flag = MEMBER(is_kernel),
	  .help = "instead of files: the events that this kernel gives\n"
		  "through the module, and why it cannot give others" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ json_options, offsetof(struct listing, is_json) },
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct listing l = { 0 };
	int status = command_parse(cmd, &l, argc, argv);

	if (status < 0 && l.is_kernel == (optind != argc))
		status = command_usage(cmd, l.is_kernel ? "--kernel takes no files" : "no file");
	if (status >= 0)
		return status;
	if (l.is_kernel)
		list_kernel(&l);
	for (; optind < argc; optind++) {
		l.path = argv[optind];
		if (!elf_is_object(l.path))
			list_trace(&l, argv[optind]);
		else if (elf_events(l.path, show_description, &l))
			l.status = STATUS_DAMAGED;
	}
	return output_end(l.status);
}

const struct command cmd_events = {
	.name = "events",
	.args = "[OPTION...] FILE... | --kernel [OPTION...]",
	.summary = "List event types of tracefiles, programs, libraries, the kernel",
	.options = sets,
	.run = run,
};
