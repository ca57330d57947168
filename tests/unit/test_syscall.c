// SPDX-License-Identifier: GPL-2.0
/*
 * test_syscall.c - system calls of several ABIs: names, values of events, filters, sub-modes
 */
#include <ktrace/kernel_filter.h>
#include <ktrace/session.h>

#include <linux/ktrace_events.h>
#include <stdint.h>

#include "check.h"
#include "match/filter_vm.h"
#include "decode/syscall.h"

#define NELEM(a) (sizeof(a) / sizeof((a)[0]))
#define X32 0x40000000

static const struct ktrace_kernel_event *enter_event(void)
{
	const struct ktrace_kernel_event *e;

	for (__u32 i = 0; (e = ktrace_kernel_event(i)); i++)
		if (e->id == KTRACE_EV_SYSCALL_ENTER)
			break;
	CHECK(e);
	return e;
}

static struct ktrace_event_type *make_type(const char *machine, bool has_x32)
{
	struct ktrace_event_type *type;

	CHECK_EQ(ktrace_event_type_parse(enter_event()->desc, &type), 0);
	ktrace_syscall_bind(type, machine, has_x32);
	return type;
}

/* ---- names ---- */

static void check_name(bool has_x32, __u32 abi, __s64 nr, const char *name)
{
	const char *is = ktrace_syscall_name("x86_64", has_x32, abi, nr);
	__s32 found;

	CHECK_EQ(!is, !name);
	if (!name)
		return;
	CHECK_STR(is, name);
	CHECK(ktrace_syscall_find("x86_64", has_x32, abi, name, &found));
	CHECK_EQ(found, nr);
}

static void test_names(void)
{
	__s32 nr;

	check_name(false, KTRACE_SYSCALL_NATIVE, 257, "openat");
	check_name(false, KTRACE_SYSCALL_I386, 295, "openat");
	check_name(false, KTRACE_SYSCALL_I386, 5, "open");
	check_name(false, KTRACE_SYSCALL_NATIVE, 5, "fstat");
	check_name(false, KTRACE_SYSCALL_NATIVE, 472, "fchroot");
	check_name(false, KTRACE_SYSCALL_I386, 462, "mseal");
	check_name(true, KTRACE_SYSCALL_X32, X32 | 257, "openat");
	check_name(true, KTRACE_SYSCALL_X32, X32 | 512, "rt_sigaction");
	check_name(true, KTRACE_SYSCALL_X32, X32 | 13, NULL);
	check_name(true, KTRACE_SYSCALL_X32, 257, NULL);
	check_name(false, KTRACE_SYSCALL_X32, X32 | 257, NULL);
	check_name(true, KTRACE_SYSCALL_NATIVE, X32 | 257, NULL);
	check_name(true, KTRACE_SYSCALL_ARM, 5, NULL);
	check_name(true, KTRACE_SYSCALL_ABI_NR, 5, NULL);
	check_name(true, KTRACE_SYSCALL_I386, -1, NULL);
	check_name(true, KTRACE_SYSCALL_I386, 1000, NULL);
	CHECK(!ktrace_syscall_find("x86_64", true, KTRACE_SYSCALL_I386, "nosuch", &nr));
	CHECK(!ktrace_syscall_find("s390x", false, KTRACE_SYSCALL_NATIVE, "openat", &nr));
	/* Machines whose traces are only imported */
	CHECK(ktrace_syscall_find("aarch64", false, KTRACE_SYSCALL_NATIVE, "openat", &nr));
	CHECK_EQ(nr, 56);
	CHECK(ktrace_syscall_find("i586", false, KTRACE_SYSCALL_NATIVE, "openat", &nr));
	CHECK_EQ(nr, 295);
	CHECK_STR(ktrace_syscall_name("riscv64", false, KTRACE_SYSCALL_NATIVE, 258),
		  "riscv_hwprobe");
	CHECK_STR(ktrace_syscall_name("aarch64_be", false, KTRACE_SYSCALL_NATIVE, 38), "renameat");
	CHECK(!ktrace_syscall_name("riscv64", false, KTRACE_SYSCALL_NATIVE, 38));
	CHECK_EQ(ktrace_syscall_number("x86_64", "openat"), 257);
	CHECK_EQ(ktrace_syscall_number("x86_64", "waitpid"), ~0u);
}

/* ---- values ---- */

static void check_text(const char *machine, bool has_x32, const void *payload, size_t len,
		       const char *text)
{
	struct ktrace_event_type *type = make_type(machine, has_x32);
	char room[KTRACE_OUT_MIN + 1];
	struct ktrace_out out = { .buf = room, .cap = KTRACE_OUT_MIN };

	ktrace_fields_text(&out, type, payload, len);
	room[out.len] = '\0';
	room[strlen(text) < out.len ? strlen(text) : out.len] = 0;
	CHECK_STR(room, text);
	ktrace_event_type_free(type);
}

static void test_values(void)
{
	static const struct {
		__s32 nr;
		__u32 abi;
		const char *text;
	} rows[] = {
		{ 257, KTRACE_SYSCALL_NATIVE, " nr=openat abi=native args=" },
		{ 295, KTRACE_SYSCALL_I386, " nr=openat abi=i386 args=" },
		{ 20, KTRACE_SYSCALL_I386, " nr=getpid abi=i386 args=" },
		{ X32 | 39, KTRACE_SYSCALL_X32, " nr=getpid abi=x32 args=" },
		{ 1000, KTRACE_SYSCALL_I386, " nr=1000 abi=i386 args=" },
		{ -1, KTRACE_SYSCALL_NATIVE, " nr=-1 abi=native args=" },
		{ -1, KTRACE_SYSCALL_I386, " nr=-1 abi=i386 args=" },
		{ 20, KTRACE_SYSCALL_ARM, " nr=20 abi=arm args=" },
		{ 20, 77, " nr=20 abi=77 args=" },
	};

	for (size_t i = 0; i < NELEM(rows); i++) {
		struct ktrace_ev_syscall_enter e = { .nr = rows[i].nr, .abi = rows[i].abi };

		check_text("x86_64", true, &e, sizeof(e), rows[i].text);
	}
	struct ktrace_ev_syscall_enter e = { .nr = X32 | 20, .abi = KTRACE_SYSCALL_X32 };

	check_text("x86_64", false, &e, sizeof(e), " nr=1073741844 abi=x32 args=");
	e.nr = 56;
	check_text("aarch64", false, &e, sizeof(e), " nr=56 abi=");
	/* Where the ABI is not there any more, no name is right. */
	check_text("x86_64", true, &e, 4, " nr=56");
	check_text("x86_64", true, &e, 7, " nr=56");
}

/* The last value that has a name, with its mark */
static void test_marks(void)
{
	struct ktrace_event_type *type = make_type("x86_64", true);
	struct ktrace_ev_syscall_enter e = { .nr = 5, .abi = KTRACE_SYSCALL_I386 };
	struct ktrace_values it;
	struct ktrace_value v;

	ktrace_values_init(&it, type, &e, sizeof(e));
	CHECK(ktrace_values_next(&it, &v));
	CHECK_STR(ktrace_value_marked(&v), "i386:open");
	CHECK(ktrace_values_next(&it, &v));
	CHECK_STR(ktrace_value_marked(&v), "i386");
	e.abi = KTRACE_SYSCALL_NATIVE;
	ktrace_values_init(&it, type, &e, sizeof(e));
	CHECK(ktrace_values_next(&it, &v));
	CHECK_STR(ktrace_value_marked(&v), "fstat");
	e.nr = -1;
	CHECK(!ktrace_value_marked(&v));
	ktrace_event_type_free(type);
}

/* As version 0.1.0 described them */
static void test_before(void)
{
	static const char desc[] = "syscall:enter{u64 nr;x64[6] args;}";
	const __u64 payload[7] = { 20 };
	struct ktrace_event_type *type;
	char room[KTRACE_OUT_MIN + 1];
	struct ktrace_out out = { .buf = room, .cap = KTRACE_OUT_MIN };

	CHECK_EQ(ktrace_event_type_parse(desc, &type), 0);
	ktrace_syscall_bind(type, "x86_64", true);
	ktrace_fields_text(&out, type, payload, sizeof(payload));
	room[out.len] = '\0';
	CHECK_STR(room, " nr=writev args={0x0, 0x0, 0x0, 0x0, 0x0, 0x0}");
	ktrace_event_type_free(type);
}

/* ---- filters ---- */

static bool kernel_says(struct ktrace_filter *f, const struct ktrace_event_type *type,
			const struct ktrace_ev_syscall_enter *e)
{
	static struct ktrace_program p;
	struct ktrace_filter_error error;
	struct ktrace_place *places;
	const int nr = ktrace_places(type, &places);
	const struct kt_filter_vm_event event = { .payload = (const char *)e, .len = sizeof(*e) };
	__s64 work = KTRACE_MATCH_WORK_MAX;
	struct kt_filter_vm match;

	CHECK(nr > 0);
	ktrace_program_init(&p, true);
	CHECK_EQ(ktrace_program_join(&p, KTRACE_JOIN_AND, f, type, places, (__u32)nr, &error), 0);
	free(places);
	if (p.is_constant)
		return p.wanted;
	match = (struct kt_filter_vm){ p.steps, p.step_nr, p.texts };
	CHECK(kt_filter_vm_check(&match, p.text_size));
	return kt_filter_vm_run(&match, &event, &work);
}

static bool viewer_says(struct ktrace_filter *f, const struct ktrace_event_type *type,
			const struct ktrace_ev_syscall_enter *e)
{
	static struct ktrace_trace_stream stream = { .kind = KTRACE_CHANNEL_KERNEL };
	const struct ktrace_trace_event event = {
		.type = type, .stream = &stream, .payload = (const char *)e, .len = sizeof(*e),
		.id = type->id,
	};

	return ktrace_filter_match(f, &event);
}

/* Of these calls, by bit, those that are meant */
static const struct {
	__s32 nr;
	__u32 abi;
} calls[] = {
	{ 257, KTRACE_SYSCALL_NATIVE }, { 295, KTRACE_SYSCALL_NATIVE },	/* openat, preadv */
	{ 257, KTRACE_SYSCALL_I386 },		/* remap_file_pages */
	{ 295, KTRACE_SYSCALL_I386 },		/* openat */
	{ X32 | 257, KTRACE_SYSCALL_X32 }, { X32 | 257, KTRACE_SYSCALL_NATIVE },
	{ -1, KTRACE_SYSCALL_NATIVE }, { -1, KTRACE_SYSCALL_I386 },
	{ 1000, KTRACE_SYSCALL_I386 }, { 257, KTRACE_SYSCALL_ARM },
};

static void test_filters(void)
{
	static const struct {
		const char *text;
		unsigned int meant;
	} rows[] = {
		{ "nr == openat", 1 << 0 | 1 << 3 | 1 << 4 },
		{ "nr != openat", 0x3ff & ~(1 << 0 | 1 << 3 | 1 << 4) },
		{ "nr == 257", 1 << 0 | 1 << 2 | 1 << 9 },
		{ "nr == -1", 1 << 6 | 1 << 7 },
		{ "nr < 0", 1 << 6 | 1 << 7 },
		{ "nr == 18446744073709551615", 0 },
		{ "nr == preadv", 1 << 1 },
		{ "nr == nosuch", 0 },
		{ "nr != nosuch", 0x3ff },
		{ "nr ~ \"open*\"", 1 << 0 | 1 << 3 | 1 << 4 },
		{ "nr ~ \"*map_f*\"", 1 << 2 },
		{ "nr == openat && abi == i386", 1 << 3 },
		{ "!(nr == openat) ^ abi == native", 1 << 0 | 1 << 2 | 1 << 7 | 1 << 8 | 1 << 9 },
		{ "abi != native", 1 << 2 | 1 << 3 | 1 << 4 | 1 << 7 | 1 << 8 | 1 << 9 },
		{ "nr >= 1000", 1 << 4 | 1 << 5 | 1 << 8 },
	};
	struct ktrace_event_type *type = make_type("x86_64", true);
	struct ktrace_filter_error error;
	struct ktrace_filter *f, *in_kernel;

	for (size_t i = 0; i < NELEM(rows); i++) {
		CHECK_EQ(ktrace_filter_parse(rows[i].text, NULL, &f, &error), 0);
		CHECK_EQ(ktrace_kernel_filter_parse(rows[i].text, &in_kernel, &error), 0);
		for (size_t k = 0; k < NELEM(calls); k++) {
			const struct ktrace_ev_syscall_enter e = {
				.nr = calls[k].nr, .abi = calls[k].abi,
			};
			const bool meant = rows[i].meant >> k & 1;

			if (viewer_says(f, type, &e) != meant ||
			    kernel_says(in_kernel, type, &e) != meant)
				fprintf(stderr, "%s: call %zu\n", rows[i].text, k);
			CHECK_EQ(viewer_says(f, type, &e), meant);
			CHECK_EQ(kernel_says(in_kernel, type, &e), meant);
		}
		ktrace_filter_free(in_kernel);
		ktrace_filter_free(f);
	}
	ktrace_event_type_free(type);
}

/* ---- sub-modes ---- */

static void check_sub(__u32 abi, __s64 nr, __s64 is)
{
	const __u32 sub = ktrace_syscall_sub(abi, nr);

	CHECK_EQ(ktrace_syscall_sub_nr(sub), is);
	CHECK_EQ(ktrace_syscall_sub_abi(sub, KTRACE_SYSCALL_I386), abi);
}

static void test_sub_modes(void)
{
	static const __s64 numbers[] = { 0, 5, 257, 1000, 0x3fffffff, -1, -2, -128 };

	for (size_t i = 0; i < NELEM(numbers); i++) {
		check_sub(KTRACE_SYSCALL_NATIVE, numbers[i], numbers[i]);
		check_sub(KTRACE_SYSCALL_I386, numbers[i], numbers[i]);
	}
	CHECK_EQ(ktrace_syscall_sub(KTRACE_SYSCALL_NATIVE, 257), 257);
	check_sub(KTRACE_SYSCALL_X32, X32 | 257, X32 | 257);
	check_sub(KTRACE_SYSCALL_I386, 0x7ffffeff, 0x7ffffeff);
	check_sub(KTRACE_SYSCALL_I386, INT32_MAX, 0x7ffffeff);
	check_sub(KTRACE_SYSCALL_I386, INT32_MIN, -128);
	check_sub(KTRACE_SYSCALL_NATIVE, INT32_MIN, -128);
}

int main(void)
{
	test_names();
	test_values();
	test_marks();
	test_before();
	test_filters();
	test_sub_modes();
	return 0;
}
