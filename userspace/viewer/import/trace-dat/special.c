// SPDX-License-Identifier: GPL-2.0
/*
 * special.c - ftrace's own events: functions, calls, stacks and trace_printk() with their text
 *
 * The fields that the kernel describes stay; names of functions and text are added to them. Calls
 * of the function graph are named after their function, so that they are slices.
 */
#include "special.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace-seq.h>

#include "import/import_writer.h"

/* Room after a record, whose text libtraceevent may read beyond its end. */
#define SLACK 4096

static void put_event(struct record *r, const char *system, const char *name, const char *more)
{
	import_writer_name(&r->desc, system);
	ktrace_out_char(&r->desc, ':');
	import_writer_name(&r->desc, name);
	ktrace_out_str(&r->desc, more);
	ktrace_out_char(&r->desc, '{');
}

static void put_plain(struct record *r, const struct pages *p, struct tep_event *event)
{
	put_event(r, event->system, event->name, "");
	fields_all(r, p, event, NULL);
}

static const char *function_at(const struct record *r, __u64 address)
{
	return address ? tep_find_function(r->m->tep, address) : NULL;
}

/* Appends a field with the name of the function that another field has the address of. */
static void put_function(struct record *r, const struct pages *p, struct tep_event *event,
			 const char *field, const char *name)
{
	const __u64 address = fields_find_number(p, tep_find_field(event, field));
	const char *function = function_at(r, address);

	fields_string(r, name, function, function ? strlen(function) : 0);
}

static void put_function_event(struct record *r, const struct pages *p, struct tep_event *event)
{
	put_plain(r, p, event);
	put_function(r, p, event, "ip", "function");
	put_function(r, p, event, "parent_ip", "parent");
}

static void put_call(struct record *r, const struct pages *p, struct tep_event *event,
		     const char *suffix)
{
	const __u64 address = fields_find_number(p, tep_find_field(event, "func"));
	const char *function = function_at(r, address);
	char text[24];

	if (!function) {
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
		function = text;
	}
	put_event(r, "function", function, suffix);
	fields_all(r, p, event, NULL);
}

static void put_call_entry(struct record *r, const struct pages *p, struct tep_event *event)
{
	put_call(r, p, event, "_begin");
}

static void put_call_exit(struct record *r, const struct pages *p, struct tep_event *event)
{
	const struct tep_format_field *from = tep_find_field(event, "calltime");
	const struct tep_format_field *to = tep_find_field(event, "rettime");

	put_call(r, p, event, "_end");
	if (from && to)
		fields_number(r, "duration", fields_find_number(p, to) -
			      fields_find_number(p, from));
}

/* Appends one address of a stack: "vfs_read+0x1f", the newest first, separated by blanks. */
static void put_frame(struct record *r, __u64 address)
{
	const char *function = function_at(r, address);

	if (r->text.len)
		ktrace_out_char(&r->text, ' ');
	if (function)
		ktrace_out_str(&r->text, function);
	ktrace_out_str(&r->text, function ? "+0x" : "0x");
	ktrace_out_hex(&r->text, function ?
		       address - tep_find_function_address(r->m->tep, address) : address, 1);
}

/* Addresses go on to the end of the record, whatever the description says of their number. */
static void put_stack(struct record *r, const struct pages *p, struct tep_event *event)
{
	const struct tep_format_field *caller = tep_find_field(event, "caller");
	const struct tep_format_field *size = tep_find_field(event, "size");
	const unsigned int each = r->m->page_long;
	__u64 nr = size ? fields_find_number(p, size) : ~0ull;

	put_event(r, event->system, event->name, "");
	fields_all(r, p, event, caller);
	if (!caller)
		return;
	fields_rest(r, p, caller, each);
	r->text.len = 0;
	for (size_t at = (size_t)caller->offset; at + each <= p->size && nr; at += each, nr--) {
		const __u64 address = bytes_number_at(p->data + at, each, p->f->all.is_big);

		if (!address || address == (each == 8 ? ~0ull : 0xffffffffull))
			break;
		put_frame(r, address);
	}
	fields_string(r, "stack", r->text.buf, r->text.len);
}

/* Appends the text of trace_printk(), without the function before it that libtraceevent adds. */
static void put_text(struct record *r, const struct pages *p, struct tep_event *event)
{
	struct tep_record record = { .size = (int)p->size, .ts = p->ts, .cpu = (int)p->cpu->cpu };
	const char *text;
	struct trace_seq s;

	put_plain(r, p, event);
	put_function(r, p, event, "ip", "function");
	record.data = calloc(1, p->size + SLACK);
	if (!record.data) {
		r->data.error = -ENOMEM;
		return;
	}
	memcpy(record.data, p->data, p->size);
	trace_seq_init(&s);
	tep_print_event(r->m->tep, &s, &record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&s);
	text = s.buffer ? strstr(s.buffer, ": ") : NULL;
	text = text ? text + 2 : s.buffer;
	fields_string(r, "text", text, text ? strcspn(text, "\n") : 0);
	trace_seq_destroy(&s);
	free(record.data);
}

/* Appends the string at an address, as the file has it: "plain\n" */
static void put_printk(struct record *r, __u64 address)
{
	const char *line = r->m->printk, *text = NULL;

	for (; line && *line && !text; line += strcspn(line, "\n"), line += *line == '\n')
		if (strtoull(line, NULL, 0) == address)
			text = memchr(line, '"', strcspn(line, "\n"));
	r->text.len = 0;
	for (text = text ? text + 1 : ""; *text && !strchr("\"\n", *text); text++) {
		if (!strncmp(text, "\\n", 2))
			break;
		if (*text == '\\' && text[1])
			text++;
		ktrace_out_char(&r->text, *text);
	}
	fields_string(r, "text", r->text.buf, r->text.len);
}

/* libtraceevent looks for the address in this machine's byte order. */
static void put_constant(struct record *r, const struct pages *p, struct tep_event *event)
{
	if (!p->f->all.is_big) {
		put_text(r, p, event);
		return;
	}
	put_plain(r, p, event);
	put_function(r, p, event, "ip", "function");
	put_printk(r, fields_find_number(p, tep_find_field(event, "str")));
}

/* Its "char buf[]" is no text. */
static void put_raw(struct record *r, const struct pages *p, struct tep_event *event)
{
	const struct tep_format_field *buf = tep_find_field(event, "buf");

	put_event(r, event->system, event->name, "");
	fields_all(r, p, event, buf);
	if (buf)
		fields_rest(r, p, buf, 1);
}

static const struct {
	const char *name;
	void (*put)(struct record *r, const struct pages *p, struct tep_event *event);
} all[] = {
	{ "function", put_function_event },
	{ "funcgraph_entry", put_call_entry },
	{ "funcgraph_exit", put_call_exit },
	{ "kernel_stack", put_stack },
	{ "user_stack", put_stack },
	{ "bprint", put_text },
	{ "bputs", put_constant },
	{ "raw_data", put_raw },
};

void special_describe(struct record *r, const struct pages *p, struct tep_event *event)
{
	const bool is_ftrace = !strcmp(event->system, "ftrace");

	for (size_t i = 0; is_ftrace && i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(event->name, all[i].name)) {
			all[i].put(r, p, event);
			return;
		}
	put_plain(r, p, event);
}
