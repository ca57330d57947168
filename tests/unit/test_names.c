// SPDX-License-Identifier: GPL-2.0
/*
 * test_names.c - what a value is shown as is a name for it, in the kernel and on reading
 *
 * Of each event of the kernel, each field that is shown as a name, with each of its names and with
 * values that have none. An expression with the name is evaluated by the program that is made
 * for the kernel, with the kernel's own code, and by the filter as it is; a search of the list
 * says what is right. Then names that do not exist, of each of these fields, in both.
 */
#include <ktrace/kernel_filter.h>
#include <ktrace/session.h>
#include <ktrace/tracefile.h>

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "check.h"
#include "match/filter_vm.h"
#include "decode/value.h"

#define NELEM(a) (sizeof(a) / sizeof((a)[0]))

enum { PAYLOAD = 256, TEXT = 256 };

/* What is tried: "%s" is the name. @is_inverse: of names that it does not look like */
static const struct form {
	const char *text;
	bool is_inverse;
} forms[] = {
	{ "field.%s == %s", false }, { "field.%s = \"%s\"", false }, { "field.%s ~ %s", false },
	{ "field.%s != %s", true }, { "!(field.%s == '%s')", true },
	{ "cpu == 0 && (field.%s == %s || tid == 1)", false },
	{ "field.%s != %s ^ tid == 1", true },
};

/* Errors, as a field with a sign that has no names of its own has them */
static const struct ktrace_enumerator few_errors[] = {
	{ -EPERM, "EPERM" }, { -ENOENT, "ENOENT" }, { -EINTR, "-EINTR" }, { -EAGAIN, "EAGAIN" },
	{ -EAGAIN, "EWOULDBLOCK" }, { -512, "ERESTARTSYS" }, { -EHWPOISON, "EHWPOISON" },
};

static struct ktrace_traceset *set;
static struct ktrace_trace_stream stream = { .kind = KTRACE_CHANNEL_KERNEL };
static __u32 name_nr, field_nr, yes_nr;

/**
 * struct subject - a field of an event
 * @type:	the event
 * @places:	its fields
 * @place_nr:	how many
 * @field:	the field
 * @off:	where its first element is
 * @width:	bytes of a value, 0 = as the field has
 * @names:	its names
 * @nr:		how many
 */
struct subject {
	struct ktrace_event_type *type;
	struct ktrace_place *places;
	__u32 place_nr;
	const struct ktrace_field *field;
	__u32 off;
	__u32 width;
	const struct ktrace_enumerator *names;
	__u32 nr;
};

static struct ktrace_filter *parse(const char *text, bool is_kernel)
{
	struct ktrace_filter_error error;
	struct ktrace_filter *f;
	int ret = is_kernel ? ktrace_kernel_filter_parse(text, &f, &error) :
			      ktrace_filter_parse(text, NULL, &f, &error);

	if (ret)
		fprintf(stderr, "%s: %u: %s\n", text, error.column, error.message);
	CHECK_EQ(ret, 0);
	return f;
}

static bool is_called(const struct subject *s, __s64 value, const char *name)
{
	for (__u32 i = 0; i < s->nr; i++)
		if (s->names[i].value == value && !strcmp(s->names[i].name, name))
			return true;
	return false;
}

/**
 * struct pair - an expression in both places
 * @reader:	the filter
 * @program:	the kernel's
 */
struct pair {
	struct ktrace_filter *reader;
	struct ktrace_program program;
};

static void make_pair(struct pair *p, const struct subject *s, const char *text)
{
	struct ktrace_filter *f = parse(text, true);
	struct ktrace_filter_error error = { 0 };
	int ret;

	p->reader = parse(text, false);
	ktrace_program_init(&p->program, true);
	ret = ktrace_program_join(&p->program, KTRACE_JOIN_AND, f, s->type, s->places,
				  s->place_nr, &error);
	if (ret || ktrace_filter_unmet(f, &error))
		fprintf(stderr, "%s: %s: %u: %s\n", s->type->full_name, text, error.column,
			error.message);
	CHECK_EQ(ret, 0);
	CHECK_EQ(ktrace_filter_unmet(f, &error), 0);
	ktrace_filter_free(f);
}

/* Both say @expected of an event with this value, and false of one that ends before it. */
static void check_value(struct pair *p, const struct subject *s, __s64 value, bool expected,
			const char *text)
{
	const struct kt_filter_vm match = { p->program.steps, p->program.step_nr,
					   p->program.texts };
	char payload[PAYLOAD] = { 0 };
	struct ktrace_trace_event e = {
		.type = s->type, .stream = &stream, .payload = payload, .len = sizeof(payload),
		.tid = 7, .id = s->type->id,
	};
	struct kt_filter_vm_event m = { .payload = payload, .len = sizeof(payload), .tid = 7 };
	__s64 work = KTRACE_MATCH_WORK_MAX;
	bool kernel, reader;

	memcpy(payload + s->off, &value, s->width ? s->width : s->field->size);
	reader = ktrace_filter_match(p->reader, &e);
	kernel = p->program.is_constant ? p->program.wanted : kt_filter_vm_run(&match, &m, &work);
	if (kernel != expected || reader != expected)
		fprintf(stderr, "%s: %s: of %lld the kernel says %d, the reader %d\n",
			s->type->full_name, text, (long long)value, kernel, reader);
	CHECK(kernel == expected && reader == expected);
	yes_nr += expected;
	e.len = m.len = s->off;
	kernel = p->program.is_constant ? p->program.wanted : kt_filter_vm_run(&match, &m, &work);
	CHECK_EQ(kernel, ktrace_filter_match(p->reader, &e));
}

/* What the field can hold of it */
static __s64 as_is(const struct ktrace_field *f, __s64 value)
{
	const __u32 unused = 64 - 8 * f->size;

	return is_signed(f->scalar) ? (__s64)((__u64)value << unused) >> unused :
				      (__s64)((__u64)value << unused >> unused);
}

static void check_name(const struct subject *s, const char *name, const struct form *form)
{
	static const __s64 others[] = { 0, 1, -1, 77, 127, 1000, 0x7fffffff };
	static struct pair p;
	char text[TEXT];
	__s64 value;
	__u32 i;

	snprintf(text, sizeof(text), form->text, s->field->name, name);
	make_pair(&p, s, text);
	for (i = 0; i < s->nr; i++)
		check_value(&p, s, s->names[i].value,
			    is_called(s, s->names[i].value, name) != form->is_inverse, text);
	for (i = 0; i < NELEM(others); i++) {
		value = as_is(s->field, others[i]);
		check_value(&p, s, value, is_called(s, value, name) != form->is_inverse, text);
	}
	ktrace_filter_free(p.reader);
}

/* A name that is like this one, but none: its column, and the name that was meant */
static void check_slip(const struct subject *s, const char *name)
{
	static struct ktrace_program p;
	struct ktrace_filter_error error = { 0 };
	char text[TEXT], hint[TEXT];
	struct ktrace_filter *f;

	snprintf(hint, sizeof(hint), "%sZZ", name);
	if (is_called(s, 0, hint))
		return;
	snprintf(text, sizeof(text), "cpu == 1 || field.%s != %sZZ", s->field->name, name);
	f = parse(text, true);
	ktrace_program_init(&p, true);
	CHECK_EQ(ktrace_program_join(&p, KTRACE_JOIN_AND, f, s->type, s->places, s->place_nr,
				     &error), 0);
	CHECK_EQ(ktrace_filter_unmet(f, &error), 1);
	CHECK_EQ(error.column, strlen(text) - strlen(name) - 1);
	if (strlen(name) > 6)
		CHECK(strstr(error.message, "(did you mean '"));
	ktrace_filter_free(f);
	f = parse(text, false);
	CHECK_EQ(ktrace_filter_unknown(f, set, 1, &error), 2);
	CHECK_EQ(error.column, strlen(text) - strlen(name) - 1);
	ktrace_filter_free(f);
}

/* What people see of the value is the name. */
static void check_shown(const struct subject *s, const struct ktrace_enumerator *n)
{
	char payload[PAYLOAD] = { 0 }, shown[TEXT], wanted[TEXT];
	struct ktrace_out out = { .buf = shown, .cap = sizeof(shown) };
	struct ktrace_values it;
	struct ktrace_value v;

	memcpy(payload + s->off, &n->value, s->field->size);
	ktrace_values_init(&it, s->type, payload, sizeof(payload));
	do
		CHECK(ktrace_values_next(&it, &v));
	while (strcmp(v.field->name, s->field->name));
	ktrace_value_text(&out, &v);
	snprintf(wanted, sizeof(wanted), "%s", n->name);
	CHECK_EQ(out.len, strlen(wanted));
	CHECK(!memcmp(shown, wanted, out.len));
}

static void check_field(const struct subject *s)
{
	for (__u32 i = 0; i < s->nr; i++) {
		if (s->names != few_errors)
			check_shown(s, &s->names[i]);
		if (s->nr > 100 && i % 7)
			continue;
		for (size_t f = 0; f < NELEM(forms); f++)
			check_name(s, s->names[i].name, &forms[f]);
		name_nr++;
	}
	check_slip(s, s->names[s->nr / 2].name);
	field_nr++;
}

/* A call's name is that of its own ABI; what marks it there means calls of that ABI only. */
static void check_abis(struct subject *s)
{
	static const struct {
		const char *text;
		__u32 nr;
		__u32 abi;
		bool expected;
	} rows[] = {
		{ "nr == open", 2, 0, true }, { "nr == open", 5, 1, true },
		{ "nr == open", 2, 1, false }, { "nr == open", 5, 0, false },
		{ "nr != open", 5, 1, false }, { "nr != open", 2, 1, true },
		{ "nr != open", 2, 7, true }, { "nr == open", 2, 7, false },
		{ "nr == i386:open", 5, 1, true }, { "nr == i386:open", 2, 0, false },
		{ "nr != i386:open", 2, 0, true }, { "nr ~ i386:open*", 295, 1, true },
		{ "nr ~ 'open*'", 295, 1, true }, { "nr ~ 'open*'", 295, 0, false },
		{ "nr ~ '*'", 1, 1, true }, { "nr ~ '*'", 100000, 0, false },
		{ "nr == open && abi == native", 5, 1, false }, { "nr == 5", 5, 1, true },
		{ "abi == i386 && nr ~ \"*at\"", 295, 1, true },
	};
	static struct pair p;

	for (size_t i = 0; i < NELEM(rows); i++) {
		make_pair(&p, s, rows[i].text);
		check_value(&p, s, (__s64)((__u64)rows[i].abi << 32 | rows[i].nr),
			    rows[i].expected, rows[i].text);
		ktrace_filter_free(p.reader);
	}
}

static void check_event(const struct ktrace_kernel_event *row)
{
	struct subject s = { 0 };
	int nr;

	CHECK_EQ(ktrace_event_type_parse(row->desc, &s.type), 0);
	s.type->id = row->id;
	ktrace_syscall_bind(s.type, "x86_64", false);
	nr = ktrace_places(s.type, &s.places);
	CHECK_EQ(nr, s.type->field_nr);
	s.place_nr = (__u32)nr;
	for (__u32 i = 0; i < s.type->field_nr; i++) {
		s.field = &s.type->fields[i];
		s.off = s.places[i].off;
		s.names = s.field->enum_nr ? s.field->enums : few_errors;
		s.nr = s.field->enum_nr ? s.field->enum_nr : NELEM(few_errors);
		if (s.field->enum_nr ||
		    (is_signed(s.field->scalar) && s.field->shape == KTRACE_ONE))
			check_field(&s);
	}
	if (!strcmp(row->family, "syscall")) {
		s.field = &s.type->fields[0];
		s.off = 0;
		s.width = sizeof(__u64);
		check_abis(&s);
	}
	free(s.places);
	ktrace_event_type_free(s.type);
}

static void make_set(void)
{
	const struct ktrace_kernel_event *row;
	struct ktrace_tracefile *tf;
	struct ktrace_text t = { 0 };
	char path[64];

	temporary_file(path, sizeof(path), "ktrace-names");
	CHECK_EQ(ktrace_tracefile_create(path, &tf), 0);
	ktrace_text_line(&t, "host");
	ktrace_text_str(&t, "machine", "x86_64");
	for (__u32 i = 0; (row = ktrace_kernel_event(i)); i++) {
		ktrace_text_line(&t, "event");
		ktrace_text_str(&t, "kind", "kernel");
		ktrace_text_u64(&t, "id", row->id);
		ktrace_text_str(&t, "desc", row->desc);
	}
	CHECK_EQ(t.error, 0);
	CHECK_EQ(ktrace_tracefile_meta(tf, t.buf, t.len), 0);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	ktrace_text_free(&t);
	CHECK_EQ(ktrace_traceset_open(NULL, &set), 0);
	CHECK_EQ(ktrace_traceset_add(set, path), 0);
	stream.trace = ktrace_traceset_trace(set, 0);
	CHECK_EQ(unlink(path), 0);
}

int main(void)
{
	const struct ktrace_kernel_event *row;

	make_set();
	for (__u32 i = 0; (row = ktrace_kernel_event(i)); i++)
		check_event(row);
	printf("%u fields of events, %u names, %u times true\n", field_nr, name_nr, yes_nr);
	CHECK(field_nr > 30 && name_nr > 200 && yes_nr > 10000);
	ktrace_traceset_close(set);
	return 0;
}
