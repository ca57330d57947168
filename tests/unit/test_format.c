// SPDX-License-Identifier: GPL-2.0
/* test_format.c - the kernel's own descriptions of events, as kernels have given them */
#include <ktrace/decode.h>
#include <ktrace/kernel_filter.h>

#include "check.h"
#include "declarations.h"

#include <errno.h>

#define COMMON \
	"format:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char sched_switch[] =
	"name: sched_switch\nID: 310\n" COMMON
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"prev_comm=%s prev_pid=%d\", REC->prev_comm, REC->prev_pid\n";

/* A probe: a hole behind the string's place, addresses in hexadecimal */
static const char kprobe[] =
	"name: e1\nID: 1554\n" COMMON
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:s32 dfd;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] filename;\toffset:20;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 how;\toffset:24;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"(%lx) dfd=%d filename=\\\"%s\\\" how=0x%Lx\", REC->__probe_ip, REC->dfd, "
	"__get_str(filename), REC->how\n";

static const char arrays[] =
	"name: arrays\nID: 7\n" COMMON
	"\tfield:u16 pair[2];\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc u32[] list;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:bool on;\toffset:16;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char mac[2];\toffset:18;\tsize:2;\tsigned:0;\n"
	"\tfield:void * skb;\toffset:24;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"%d\", REC->on\n";

/* As f_show() of the kernel writes places that are relative: the brackets come last. */
static const char relative_text[] =
	"name: relative\nID: 8\n" COMMON
	"\tfield:__rel_loc char text[];\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:__rel_loc s16 list[];\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:__rel_loc unsigned long bits[];\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc cpumask_t cpus;\toffset:20;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"%s\", __get_rel_bitmask(bits)\n";

static char text[1 << 17];

static struct ktrace_event_type *parse(const char *name, const char *format)
{
	struct ktrace_event_type *type;

	CHECK_EQ(ktrace_event_type_parse_format(name, format, &type), 0);
	return type;
}

static const char *print(const struct ktrace_event_type *type, const void *payload, size_t len)
{
	struct ktrace_out out = { .buf = text, .cap = sizeof(text) - 1 };

	ktrace_fields_text(&out, type, payload, len);
	text[out.len] = '\0';
	return text;
}

static void test_fields_are_where_the_kernel_says(void)
{
	struct {
		char common[8], prev_comm[16];
		__s32 prev_pid, prev_prio;
		__s64 prev_state;
		char next_comm[16];
		__s32 next_pid, next_prio;
	} record = { "", "swapper/1", 0, 120, -2, "cat", 177, 99 };
	struct ktrace_event_type *type = parse("sched:sched_switch", sched_switch);

	CHECK_STR(type->full_name, "sched:sched_switch");
	CHECK_STR(type->provider, "sched");
	CHECK_STR(type->name, "sched_switch");
	CHECK_STR(type->format, sched_switch);
	CHECK_EQ(type->kind, KTRACE_CHANNEL_KERNEL);
	CHECK_EQ(type->field_nr, 7);
	CHECK_EQ(type->fields[3].offset, 32);
	CHECK_STR(print(type, &record, sizeof(record)),
		  " prev_comm=\"swapper/1\" prev_pid=0 prev_prio=120 prev_state=-2 "
		  "next_comm=\"cat\" next_pid=177 next_prio=99");
	ktrace_event_type_free(type);
}

/* A record of the probe above, with @file behind it */
struct probe_record {
	char common[8];
	__u64 ip;
	__s32 dfd;
	__u32 loc;
	__u64 how;
	char file[8];
};

static void test_strings_are_behind_the_record(void)
{
	struct probe_record r = { "", 0xffff, -100, 6 << 16 | 32, 0x10, "/etc/" };
	struct ktrace_event_type *type = parse("kprobe:do_sys_openat2", kprobe);

	CHECK_EQ(type->fields[2].shape, KTRACE_STRING);
	CHECK_STR(print(type, &r, sizeof(r)),
		  " __probe_ip=0xffff dfd=-100 filename=\"/etc/\" how=0x10");
	/* Without a NUL at its end it ends all the same. */
	r.loc = 3 << 16 | 32;
	CHECK_STR(print(type, &r, sizeof(r)),
		  " __probe_ip=0xffff dfd=-100 filename=\"/et\" how=0x10");
	ktrace_event_type_free(type);
}

static void test_arrays_and_addresses(void)
{
	struct {
		char common[8];
		__u16 pair[2];
		__u32 loc;
		__u8 on, hole, mac[2];
		__u32 hole2;
		__u64 skb;
		__u32 list[2];
	} r = { "", { 3, 4 }, 8 << 16 | 16, 1, 0, { 0xfe, 1 }, 0, 0x1234, { 70000, 5 } };
	struct ktrace_event_type *type = parse("demo:arrays", arrays);

	CHECK_STR(print(type, &r, sizeof(r)),
		  " pair={3, 4} list={70000, 5} on=1 mac={254, 1} skb=0x1234");
	ktrace_event_type_free(type);
}

static void test_places_that_are_relative(void)
{
	struct {
		char common[8];
		__u32 text, list, bits, cpus;
		char bytes[8];
		__s16 numbers[4];
		__u64 masks[2];
	} r = { "", 6 << 16 | 12, 4 << 16 | 16, 16 << 16 | 20, 8 << 16 | 16,
		"short", { -1, 2 }, { 1ull << 63 | 1, 0x21 } };
	struct ktrace_event_type *type = parse("demo:relative", relative_text);

	CHECK_STR(print(type, &r, sizeof(r)), " text=\"short\" list={-1, 2} "
		  "bits={0x8000000000000001, 0x21} cpus={0x8000000000000001}");
	r.list = 0;
	r.text = 1 << 16 | 17;
	r.bits = 9 << 16 | 20;		/* not whole */
	CHECK_STR(print(type, &r, sizeof(r)), " text=\"\" list={} "
		  "bits={0x8000000000000001}... cpus={0x8000000000000001}");
	ktrace_event_type_free(type);
}

/* Text of "scalar shape place count" */
static const char *shown(const struct ktrace_field *f)
{
	static const char *const shapes[] = { "one", "fixed", "counted", "string" };
	static const char *const places[] = { "follows", "at", "data", "rel" };
	static char room[64];

	snprintf(room, sizeof(room), "%s %s %s %u", ktrace_scalar_name(f->scalar),
		 shapes[f->shape], places[f->place], f->count);
	return room;
}

/* The type with this field alone, whose name is NAME. */
static struct ktrace_event_type *declare(const struct declaration *d)
{
	snprintf(text, sizeof(text), "name: x\nID: 1\n" COMMON
		 "\tfield:%s;\toffset:8;\tsize:%u;\tsigned:%u;\n\nprint fmt: \"\"\n", d->text,
		 d->size, d->is_signed);
	return parse("a:b", text);
}

static void expect_declared(const struct declaration *list, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		struct ktrace_event_type *type = declare(&list[i]);

		CHECK_EQ(type->field_nr, 1);
		CHECK_STR(type->fields[0].name, "NAME");
		CHECK_STR(type->fields[0].label, " NAME=");
		snprintf(text, sizeof(text), "%s: %s", list[i].text, list[i].expected);
		snprintf(text + 4096, 4096, "%s: %s", list[i].text, shown(&type->fields[0]));
		CHECK_STR(text + 4096, text);
		ktrace_event_type_free(type);
	}
}

static void test_declarations_of_kernels(void)
{
	expect_declared(declarations, sizeof(declarations) / sizeof(declarations[0]));
}

/* What the macros of the kernel can make, older kernels print, or modules may have */
static void test_declarations_of_all_kinds(void)
{
	static const struct declaration list[] = {
		{ "__data_loc int[] NAME", 4, 1, "s32 counted data 0" },
		{ "__data_loc unsigned int[] NAME", 4, 0, "u32 counted data 0" },
		{ "__data_loc unsigned[] NAME", 4, 0, "u32 counted data 0" },
		{ "__data_loc long[] NAME", 4, 1, "s64 counted data 0" },
		{ "__data_loc long long int[] NAME", 4, 1, "s64 counted data 0" },
		{ "__data_loc short unsigned int[] NAME", 4, 0, "u16 counted data 0" },
		{ "__data_loc signed char[] NAME", 4, 1, "s8 counted data 0" },
		{ "__data_loc const char[] NAME", 4, 1, "char string data 0" },
		{ "__data_loc bool[] NAME", 4, 0, "u8 counted data 0" },
		{ "__data_loc s8[] NAME", 4, 1, "s8 counted data 0" },
		{ "__data_loc __be32[] NAME", 4, 0, "u32 counted data 0" },
		{ "__data_loc pid_t[] NAME", 4, 1, "s32 counted data 0" },
		{ "__data_loc enum sign[] NAME", 4, 1, "s32 counted data 0" },
		{ "__data_loc enum plain[] NAME", 4, 0, "u32 counted data 0" },
		{ "__data_loc const void *[] NAME", 4, 0, "x64 counted data 0" },
		{ "__data_loc struct qstr[] NAME", 4, 0, "x8 counted data 0" },
		{ "__data_loc some_t[] NAME", 4, 0, "x8 counted data 0" },
		{ "__data_loc u8 NAME[]", 4, 0, "u8 counted data 0" },
		{ "__rel_loc char NAME[]", 4, 1, "char string rel 0" },
		{ "__rel_loc char[] NAME", 4, 1, "char string rel 0" },
		{ "__rel_loc unsigned long NAME[]", 4, 0, "u64 counted rel 0" },
		{ "__rel_loc cpumask_t NAME", 4, 0, "x64 counted rel 0" },
		{ "__rel_loc struct sockaddr NAME[]", 4, 0, "x8 counted rel 0" },
		{ "char NAME[TASK_COMM_LEN]", 16, 0, "char fixed at 16" },
		{ "char NAME[IFNAMSIZ + 1]", 17, 0, "char fixed at 17" },
		{ "u32 NAME[2 * WORDS]", 16, 0, "u32 fixed at 4" },
		{ "unsigned char NAME[(6)]", 6, 0, "u8 fixed at 6" },
		{ "u16 NAME[2][3]", 12, 0, "u16 fixed at 6" },
		{ "unknown_t NAME[3]", 12, 1, "s32 fixed at 3" },
		{ "unknown_t NAME[3]", 36, 1, "x8 fixed at 36" },
		{ "u64 NAME[1]", 8, 0, "u64 fixed at 1" },
		{ "void * NAME[2]", 16, 0, "x64 fixed at 2" },
		{ "enum { A = -3, B } NAME", 4, 1, "s32 one at 1" },
		{ "enum sign NAME[2]", 8, 1, "s32 fixed at 2" },
		{ "struct { int a; int b; } NAME", 8, 0, "x8 fixed at 8" },
		{ "union some NAME", 4, 0, "x8 fixed at 4" },
		{ "struct five NAME", 5, 0, "x8 fixed at 5" },
		{ "unsigned __int128 NAME", 16, 0, "x8 fixed at 16" },
		{ "void (*)(struct work *) NAME", 8, 0, "x64 one at 1" },
		{ "const char *const * NAME", 8, 0, "x64 one at 1" },
		{ "char NAME", 1, 1, "s8 one at 1" },
	};

	expect_declared(list, sizeof(list) / sizeof(list[0]));
}

/* The array of texts of a probe: one place after the other */
static void test_texts_of_a_probe(void)
{
	static const struct declaration d = { "__data_loc char[][2] NAME", 8, 1, "" };
	struct {
		char common[8];
		__u32 places[2];
		char bytes[8];
	} r = { "", { 3 << 16 | 16, 4 << 16 | 19 }, "ab\0cde" };
	struct ktrace_event_type *type = declare(&d);

	CHECK_EQ(type->field_nr, 2);
	CHECK_STR(print(type, &r, sizeof(r)), " NAME.0=\"ab\" NAME.1=\"cde\"");
	ktrace_event_type_free(type);
}

/* A later kernel may have more common fields, and more to say about each. */
static void test_descriptions_of_later_kernels(void)
{
	struct ktrace_event_type *type = parse("a:b", "name: x\nID: 1234567\n" COMMON
		"\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\tcolour:red;\n\nprint fmt: \"\"\n");

	CHECK_EQ(type->field_nr, 1);
	ktrace_event_type_free(type);
	type = parse("a:b", "name: x\nID: 1\nformat:\n"
		     "\tfield:u8 common_new;\toffset:0;\tsize:1;\tsigned:0;\n\n"
		     "\tfield:u8 common_sense;\toffset:1;\tsize:1;\tsigned:0;\n");
	CHECK_EQ(type->field_nr, 1);
	CHECK_STR(type->fields[0].name, "common_sense");
	ktrace_event_type_free(type);
}

/* Each value is delivered, wherever the record ends, and what lies outside is never read. */
static void test_records_that_are_too_short(void)
{
	struct probe_record r = { "", 1, 2, 6 << 16 | 32, 3, "/etc/" };
	struct ktrace_event_type *type = parse("kprobe:f", kprobe);
	struct ktrace_values it;
	struct ktrace_value v;
	size_t len, cut;

	for (len = 1; len <= sizeof(r); len++) {
		char *copy = malloc(len);	/* the sanitizer watches its end */

		CHECK(copy);
		memcpy(copy, &r, len);
		ktrace_values_init(&it, type, copy, len);
		for (cut = 0; ktrace_values_next(&it, &v);)
			cut += v.is_cut;
		CHECK_EQ(it.next, type->field_nr);
		CHECK_EQ(cut, (len < 16) + (len < 20) + (len < 38) + (len < 32));
		print(type, copy, len);
		free(copy);
	}
	ktrace_event_type_free(type);
}

static void test_places_outside_of_the_record(void)
{
	static const __u32 locs[] = { ~0u, 0xffff, 6u << 16 | 0xffff, 0xffffu << 16, 0 };
	struct ktrace_event_type *probe = parse("kprobe:f", kprobe);
	struct ktrace_event_type *relative = parse("demo:arrays", arrays);
	struct probe_record r = { .file = "/etc/" };
	size_t i;

	for (i = 0; i < sizeof(locs) / sizeof(locs[0]); i++) {
		r.loc = locs[i];
		print(probe, &r, sizeof(r));
		memcpy((char *)&r + 12, &locs[i], sizeof(locs[i]));
		print(relative, &r, sizeof(r));
	}
	ktrace_event_type_free(probe);
	ktrace_event_type_free(relative);
}

static void expect_place(const struct ktrace_place *p, enum ktrace_place_kind kind, __u32 off,
			 __u32 size, __u32 count)
{
	CHECK_EQ(p->kind, kind);
	CHECK_EQ(p->off, off);
	CHECK_EQ(p->size, size);
	CHECK_EQ(p->count, count);
}

/* What the kernel's own filters go by, kernel_filter.h */
static void test_places_of_fields(void)
{
	struct ktrace_event_type *type = parse("kprobe:f", kprobe);
	struct ktrace_place *p;

	CHECK_EQ(ktrace_places(type, &p), 4);
	expect_place(&p[0], KTRACE_PLACE_UNSIGNED, 8, 8, 0);
	expect_place(&p[1], KTRACE_PLACE_SIGNED, 16, 4, 0);
	expect_place(&p[2], KTRACE_PLACE_FAR, 20, 0, 0);
	expect_place(&p[3], KTRACE_PLACE_UNSIGNED, 24, 8, 0);
	free(p);
	ktrace_event_type_free(type);
	type = parse("demo:arrays", arrays);
	CHECK_EQ(ktrace_places(type, &p), 5);
	expect_place(&p[0], KTRACE_PLACE_UNSIGNED, 8, 2, 2);
	expect_place(&p[1], KTRACE_PLACE_OTHER, 12, 0, 0);
	expect_place(&p[2], KTRACE_PLACE_UNSIGNED, 16, 1, 0);
	free(p);
	ktrace_event_type_free(type);
	type = parse("demo:relative", relative_text);
	CHECK_EQ(ktrace_places(type, &p), 4);
	expect_place(&p[0], KTRACE_PLACE_REL, 8, 0, 0);
	expect_place(&p[1], KTRACE_PLACE_OTHER, 12, 0, 0);
	free(p);
	ktrace_event_type_free(type);
}

static void expect_refused(const char *name, const char *format)
{
	struct ktrace_event_type *type;

	CHECK_EQ(ktrace_event_type_parse_format(name, format, &type), -EINVAL);
}

static void test_what_is_no_description_is_refused(void)
{
	static const char *const fields[] = {
		"\tfield:int a;\toffset:-1;\tsize:4;\tsigned:1;\n",
		"\tfield:int a;\toffset:70000;\tsize:4;\tsigned:1;\n",
		"\tfield:int a;\toffset:8;\tsize:-4;\tsigned:1;\n",
		"\tfield:__data_loc char[] a;\toffset:8;\tsize:8;\tsigned:1;\n",
		"\tfield:int a",
		"\tfield:__data_loc char[] a;\toffset:8;\tsize:2;\tsigned:1;\n",
		"\tfield:__data_loc char[][65] a;\toffset:8;\tsize:260;\tsigned:1;\n",
		"\tfield:__rel_loc a;\toffset:8;\tsize:4;\tsigned:1;\n",
	};
	char long_text[KTRACE_DESC_SIZE_MAX + 1];
	size_t i;

	expect_refused("sched", sched_switch);
	expect_refused("sched:", sched_switch);
	expect_refused("sched:a b", sched_switch);
	expect_refused("sched:switch", "");
	expect_refused("sched:switch", "name: x");
	expect_refused("sched:switch", "\nprint fmt: \"\"\n");
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		snprintf(text, sizeof(text), "name: x\nID: 1\n" COMMON "%s", fields[i]);
		expect_refused("a:b", text);
	}
	memset(long_text, ' ', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	expect_refused("a:b", long_text);
}

static void expect_error(const char *format, __u32 line, __u32 column, const char *message)
{
	struct ktrace_event_type *type;
	struct ktrace_format_error e;

	CHECK_EQ(ktrace_event_type_read_format("a:b", format, &type, &e), -EINVAL);
	CHECK_STR(e.message, message);
	CHECK_EQ(e.line, line);
	CHECK_EQ(e.column, column);
}

static void test_what_is_wrong_is_said_with_its_place(void)
{
	expect_error("", 1, 1, "expected 'name: ' here");
	expect_error("name: x\nformat:\n", 1, 8, "expected 'ID: ' here");
	expect_error("name: x\nID: x\n", 2, 5, "expected a number here");
	expect_error("name: x\nID: 1\nformat\n", 2, 6, "expected 'format:' here");
	expect_error("name: x\nID: 1\nformat:\n\tint\n", 4, 1, "expected 'field:' here");
	expect_error("name: x\nID: 1\nformat:\n\tfield:int a\n", 4, 13,
		     "expected ';' and 'offset:' here");
	expect_error("name: x\nID: 1\nformat:\n\tfield:;\toffset:0;\tsize:1;\tsigned:0;\n", 4, 8,
		     "the field has no name");
	expect_error("name: x\nID: 1\nformat:\n\tfield:a;\toffset:0;\tsize:1;\tsigned:0;\n", 4, 8,
		     "the field has no type");
	expect_error("name: x\nID: 1\nformat:\n\tfield:u8 a;\toffset:65537;\tsize:1;", 4, 21,
		     "the number is larger than 65536");
	expect_error("name: x\nID: 1\nformat:\n\tfield:u8 a;\toffset:0;\tsize:1;\tsigned:2;", 4, 39,
		     "the number is larger than 1");
	expect_error("name: x\nID: 1\nformat:\n\n\tfield:__data_loc u8[] a;\toffset:0;\tsize:9;"
		     "\tsigned:0;\n", 5, 8, "the location of a has an invalid size, 9 bytes");
}

/* What is for printing may be anything: it is searched, not parsed. */
static void test_text_for_printing_is_not_parsed(void)
{
	struct ktrace_event_type *type;

	snprintf(text, sizeof(text), "name: x\nID: 1\n" COMMON
		 "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"");
	memset(text + strlen(text), '(', 20000);
	type = parse("a:b", text);
	CHECK_EQ(type->field_nr, 1);
	ktrace_event_type_free(type);
}

int main(void)
{
	test_fields_are_where_the_kernel_says();
	test_strings_are_behind_the_record();
	test_arrays_and_addresses();
	test_places_that_are_relative();
	test_declarations_of_kernels();
	test_declarations_of_all_kinds();
	test_texts_of_a_probe();
	test_descriptions_of_later_kernels();
	test_records_that_are_too_short();
	test_places_outside_of_the_record();
	test_places_of_fields();
	test_what_is_no_description_is_refused();
	test_what_is_wrong_is_said_with_its_place();
	test_text_for_printing_is_not_parsed();
	return 0;
}
