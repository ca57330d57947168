// SPDX-License-Identifier: GPL-2.0
/* test_format.c - the kernel's own descriptions of events, as kernels have given them */
#include <ktrace/decode.h>
#include <ktrace/kernel_filter.h>

#include "check.h"

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

static char text[1 << 16];

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
	test_records_that_are_too_short();
	test_places_outside_of_the_record();
	test_places_of_fields();
	test_what_is_no_description_is_refused();
	test_text_for_printing_is_not_parsed();
	return 0;
}
