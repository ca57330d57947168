// SPDX-License-Identifier: GPL-2.0
/*
 * enums.c - names of a field's values, which the kernel's description prints instead of them
 *
 * "__print_symbolic(REC->vec, { 0, "HI" }, ...)" names the values of vec. The kernel has replaced
 * names of C by numbers where the event asks for it with TRACE_DEFINE_ENUM(); where a name of C is
 * left, the field stays a number.
 */
#include "enums.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/viewer.h"
#include "import/import_writer.h"

#define NAMES 1024

struct enums_entry {
	const struct tep_format_field *field;
	char *text;
};

static const struct tep_print_arg *skip_casts(const struct tep_print_arg *arg)
{
	while (arg && arg->type == TEP_PRINT_TYPE)
		arg = arg->typecast.item;
	return arg;
}

/* Returns the names that the event prints for a field, NULL = none. */
static const struct tep_print_flag_sym *symbols_of(const struct tep_event *event,
						   const struct tep_format_field *field)
{
	for (const struct tep_print_arg *arg = event->print_fmt.args; arg; arg = arg->next) {
		const struct tep_print_arg *of;

		if (arg->type != TEP_PRINT_SYMBOL)
			continue;
		of = skip_casts(arg->symbol.field);
		if (of && of->type == TEP_PRINT_FIELD && of->field.name &&
		    !strcmp(of->field.name, field->name))
			return arg->symbol.symbols;
	}
	return NULL;
}

static bool put_name(struct ktrace_out *out, const struct tep_print_flag_sym *symbol, bool is_first)
{
	char *end;
	const long long value = strtoll(symbol->value ? symbol->value : "", &end, 0);

	if (!symbol->value || end == symbol->value || *end || !symbol->str)
		return false;
	if (!is_first)
		ktrace_out_char(out, ',');
	import_writer_name(out, symbol->str);
	ktrace_out_char(out, '=');
	ktrace_out_s64(out, value);
	return true;
}

/* True if events with such a field can be described. */
static bool is_valid(const char *text)
{
	struct ktrace_out out = { .flush = output_grow };
	struct ktrace_event_type *type = NULL;
	int ret;

	ktrace_out_str(&out, "a:b{");
	ktrace_out_str(&out, text);
	ktrace_out_bytes(&out, " c;}", 5);
	ret = out.error ? out.error : ktrace_event_type_parse(out.buf, &type);
	ktrace_event_type_free(type);
	free(out.buf);
	return !ret;
}

static char *make(const struct tep_event *event, const struct tep_format_field *field,
		  const char *scalar)
{
	const struct tep_print_flag_sym *first = symbols_of(event, field), *s;
	struct ktrace_out out = { .flush = output_grow };
	bool is_fine = first;
	int nr = 0;

	ktrace_out_str(&out, "enum<");
	ktrace_out_str(&out, scalar);
	ktrace_out_str(&out, ">(");
	for (s = first; s && is_fine; s = s->next)
		is_fine = nr++ < NAMES && put_name(&out, s, s == first);
	ktrace_out_bytes(&out, ")", 2);
	if (is_fine && !out.error && is_valid(out.buf))
		return out.buf;
	free(out.buf);
	return NULL;
}

static struct enums_entry *place_of(const struct enums *e, const struct tep_format_field *field)
{
	size_t i = ((uintptr_t)field >> 4) * 0x9e3779b1u & (e->size - 1);

	while (e->entries[i].field && e->entries[i].field != field)
		i = (i + 1) & (e->size - 1);
	return &e->entries[i];
}

static bool grow(struct enums *e)
{
	struct enums bigger = { .size = e->size ? e->size * 2 : 256, .nr = e->nr };

	bigger.entries = calloc(bigger.size, sizeof(*bigger.entries));
	if (!bigger.entries)
		return false;
	for (size_t i = 0; i < e->size; i++)
		if (e->entries[i].field)
			*place_of(&bigger, e->entries[i].field) = e->entries[i];
	free(e->entries);
	*e = bigger;
	return true;
}

const char *enums_find(struct enums *e, const struct tep_event *event,
		       const struct tep_format_field *field, const char *scalar)
{
	struct enums_entry *entry;

	if (e->nr * 2 >= e->size && !grow(e))
		return NULL;
	entry = place_of(e, field);
	if (!entry->field) {
		entry->field = field;
		entry->text = make(event, field, scalar);
		e->nr++;
	}
	return entry->text;
}

void enums_free(struct enums *e)
{
	for (size_t i = 0; i < e->size; i++)
		free(e->entries[i].text);
	free(e->entries);
}
