// SPDX-License-Identifier: GPL-2.0
/*
 * test_kernel_filter.c - what the kernel says of an event is what the viewer says
 *
 * Expressions and payloads at random, the first evaluated by both: by the program that is made
 * for the kernel, with the kernel's own code, and by the filter as it is. Then where programs
 * are refused, joined, and made without a description.
 */
#include <ktrace/kernel_filter.h>
#include <ktrace/tracefile.h>

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "check.h"
#include "match/filter_vm.h"

#define NELEM(a) (sizeof(a) / sizeof((a)[0]))

enum { EXPRESSIONS = 6000, PAYLOADS = 8, DEPTH = 3, TEXT = 4096 };

static const char *const descs[] = {
	"t:a{u8 a;s8 b;u16 c;s16 d;u32 e;s32 f;u64 g;s64 h;x32 i;ptr j;}",
	"t:b{char[8] name;char c;enum<s8>(A=-1,B=2,C=2,AB=5) mode;u16[3] arr;string s;}",
	"u:c{enum<u32>(X=0,Y=1,Z=4000000000) mode;s64[2] q;char[4] name;s32 e;x8[5] a;}",
	"u:d{}",
};

static char path[64];
static struct ktrace_event_type *types[NELEM(descs)];
static struct ktrace_place *places[NELEM(descs)];
static int place_nr[NELEM(descs)];

/* Who may run, as the trace's META knows them */
static const struct {
	__u32 tid;
	__u32 pid;
	const char *comm;
} threads[] = { { 0, 0, "swapper" }, { 11, 10, "abc" }, { 12, 10, "ab-c d" }, { 99, 99, "x" } };

static struct ktrace_trace_stream stream = { .kind = KTRACE_CHANNEL_KERNEL };
static uint64_t state = 0x1234567;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t below(uint64_t n)
{
	return next_random() % n;
}

static void make_world(struct ktrace_traceset **set)
{
	struct ktrace_tracefile *tf;
	char line[128];
	size_t i;

	temporary_file(path, sizeof(path), "ktrace-kernel-filter");
	CHECK_EQ(ktrace_tracefile_create(path, &tf), 0);
	for (i = 1; i < NELEM(threads); i++) {
		snprintf(line, sizeof(line), "thread tid=%u pid=%u comm=%s\n", threads[i].tid,
			 threads[i].pid, i == 2 ? "ab-c%20d" : threads[i].comm);
		CHECK_EQ(ktrace_tracefile_meta(tf, line, strlen(line)), 0);
	}
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	CHECK_EQ(ktrace_traceset_open(NULL, set), 0);
	CHECK_EQ(ktrace_traceset_add(*set, path), 0);
	stream.trace = ktrace_traceset_trace(*set, 0);
	CHECK_EQ(unlink(path), 0);
	for (i = 0; i < NELEM(descs); i++) {
		CHECK_EQ(ktrace_event_type_parse(descs[i], &types[i]), 0);
		types[i]->id = (__u16)(0x40 + i);
		place_nr[i] = ktrace_places(types[i], &places[i]);
		CHECK_EQ(place_nr[i], types[i]->field_nr);
	}
}

/* ---- expressions ---- */

static const char *any(const char *const *list, size_t nr)
{
	return list[below(nr)];
}

#define ANY(list) any(list, NELEM(list))

static void put_comparison(char *to)
{
	static const char *const fields[] = {
		"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "name", "mode", "arr", "s", "q",
		"arr[0]", "arr[2]", "arr[3]", "q[1]", "name[1]", "s[0]", "a[4]", "c[0]", "none",
		"field.name", "name", "mode", "arr", "s",
	};
	static const char *const numbers[] = { "pid", "tid", "cpu", "event.id" };
	static const char *const texts[] = { "comm", "event", "event.family", "event.subname" };
	static const char *const ops[] = { "==", "!=", "<", "<=", ">", ">=" };
	static const char *const text_ops[] = { "==", "!=", "~" };
	static const char *const values[] = {
		"0", "1", "-1", "2", "5", "10", "11", "99", "127", "128", "255", "-128", "256",
		"32768", "65535", "0x7fffffff", "-2147483648", "4000000000", "0xffffffff",
		"9223372036854775807", "9223372036854775808", "-9223372036854775808",
		"18446744073709551615", "1.5", "-0.5", "2.0", "1e30", "-1e30", "1e19", "0.0",
		"64", "65", "66", "67", "18446744073709551616.0",
	};
	static const char *const words[] = {
		"abc", "swapper", "x", "'ab-c d'", "A", "B", "C", "AB", "X", "Y", "Z", "t:a", "t",
		"'a*'", "'*c*'", "'[a-c]*'", "'?'", "'*'", "''", "'[!A]*'", "'a\\\\bc'", "'['",
		"t:?", "'?b-[abc]*d'", "'\"2\"'", "2", "'2'", "'[]a]*'", "b", "u:*",
		"ENOENT", "-EINTR", "'E[A-I]*'", "'*R*'",
	};
	static const char *const flags[] = { "irq", "truncated" };

	switch (below(6)) {
	case 0:
		sprintf(to, "%s %s %s", ANY(numbers), ANY(ops), ANY(values));
		break;
	case 1:
		sprintf(to, "%s %s %s", ANY(texts), ANY(text_ops), ANY(words));
		break;
	case 2:
		sprintf(to, "flags %s %s", below(2) ? "==" : "!=", ANY(flags));
		break;
	case 3:
		sprintf(to, "%s %s %s", ANY(fields), ANY(text_ops), ANY(words));
		break;
	default:
		sprintf(to, "%s %s %s", ANY(fields), ANY(ops), ANY(values));
	}
}

static void put_expression(char *to, int depth)
{
	static const char *const joins[] = { "&&", "||", "^", "&&", "||" };
	char left[TEXT / 2], right[TEXT / 2];

	if (!depth || !below(4)) {
		put_comparison(to);
		return;
	}
	put_expression(left, depth - 1);
	put_expression(right, depth - 1);
	if (below(2))
		sprintf(to, "%s%s %s %s", below(4) ? "" : "!", left, ANY(joins), right);
	else
		sprintf(to, "%s(%s) %s (%s)", below(4) ? "" : "!", left, ANY(joins), right);
}

/* ---- events ---- */

/* Bytes of which many are equal to those of the expressions; returns how many. */
static __u32 put_payload(char *to)
{
	static const __u64 numbers[] = {
		0, 1, ~0ull, 2, 5, 10, 127, 128, 255, 256, 0x7fffffff, 1ull << 31, 4000000000,
		~1ull, ~3ull, ~0ull >> 1, 1ull << 63, 65, 66,
	};
	static const char letters[] = "abcAB2x-\0\\[";
	__u32 n = 0;

	while (n < 64) {
		const __u32 size = 1u << below(4);
		__u64 number = numbers[below(NELEM(numbers))];

		if (below(2))
			number = (__u64)letters[below(sizeof(letters))] |
				 (__u64)letters[below(sizeof(letters))] << 8;
		memcpy(to + n, &number, size);
		n += size;
	}
	return (__u32)below(2) ? 64 : (__u32)below(64);
}

/* The same event for both. */
static void make_event(struct ktrace_trace_event *e, struct kt_filter_vm_event *m, size_t type,
		       const char *payload, __u32 len)
{
	const size_t thread = below(NELEM(threads));
	const bool is_irq = below(2), is_cut = below(2);

	stream.cpu = (__s32)below(3);
	*e = (struct ktrace_trace_event){
		.raw = 1000, .type = types[type], .stream = &stream, .payload = payload,
		.len = len, .tid = threads[thread].tid, .id = types[type]->id,
		.flags = (is_irq ? KTRACE_EVENT_IRQ : 0) | (is_cut ? KTRACE_EVENT_TRUNCATED : 0),
	};
	*m = (struct kt_filter_vm_event){
		.payload = payload, .len = len, .pid = threads[thread].pid, .tid = e->tid,
		.flags = (is_irq ? KTRACE_REC_IRQ : 0) | (is_cut ? KTRACE_REC_TRUNCATED : 0),
		.cpu = (__u32)stream.cpu,
	};
	snprintf(m->comm, sizeof(m->comm), "%s", threads[thread].comm);
}

static bool run(const struct ktrace_program *p, const struct kt_filter_vm_event *e)
{
	const struct kt_filter_vm match = { p->steps, p->step_nr, p->texts };
	__s64 work = KTRACE_MATCH_WORK_MAX;
	bool is_wanted;

	if (p->is_constant)
		return p->wanted;
	CHECK(kt_filter_vm_check(&match, p->text_size));
	is_wanted = kt_filter_vm_run(&match, e, &work);
	CHECK(work >= 0);
	return is_wanted;
}

static struct ktrace_filter *parse(const char *text)
{
	struct ktrace_filter_error error;
	struct ktrace_filter *f;
	int ret = ktrace_kernel_filter_parse(text, &f, &error);

	if (ret)
		fprintf(stderr, "%s: %u: %s\n", text, error.column, error.message);
	CHECK_EQ(ret, 0);
	return f;
}

static int join(struct ktrace_program *p, enum ktrace_join how, struct ktrace_filter *f,
		size_t type, struct ktrace_filter_error *error)
{
	return ktrace_program_join(p, how, f, types[type], places[type], (__u32)place_nr[type],
				   error);
}

/* Returns whether the kernel can have it; only too long ones it cannot. */
static bool make(struct ktrace_program *p, enum ktrace_join how, struct ktrace_filter *f,
		 size_t type)
{
	struct ktrace_filter_error error;
	int ret = join(p, how, f, type, &error);

	CHECK(!ret || (ret == -EINVAL && strstr(error.message, "too long")));
	return !ret;
}

static void check_event(const struct ktrace_program *p, bool says, const char *text,
			const struct kt_filter_vm_event *m)
{
	if (run(p, m) == says)
		return;
	fprintf(stderr, "%s: the viewer says %d of %u bytes\n", text, says, m->len);
	CHECK(false);
}

static __u32 wanted_nr, event_nr, constant_nr;

static void compare(struct ktrace_filter *const f[2], char *const text[2])
{
	static struct ktrace_program p, both, one;
	struct ktrace_trace_event e;
	struct kt_filter_vm_event m;
	size_t type;
	char room[80], *payload;

	for (type = 0; type < NELEM(types); type++) {
		ktrace_program_init(&p, true);
		if (!make(&p, KTRACE_JOIN_AND, f[0], type))
			continue;
		one = both = p;
		if (!make(&both, KTRACE_JOIN_AND, f[1], type) ||
		    !make(&one, KTRACE_JOIN_OR, f[1], type))
			continue;
		constant_nr += p.is_constant;
		for (int i = 0; i < PAYLOADS; i++) {
			__u32 len = put_payload(room);
			bool says[2];

			/* So that a byte behind it is found. */
			payload = malloc(len + !len);
			CHECK(payload);
			memcpy(payload, room, len);
			make_event(&e, &m, type, payload, len);
			says[0] = ktrace_filter_match(f[0], &e);
			says[1] = ktrace_filter_match(f[1], &e);
			check_event(&p, says[0], text[0], &m);
			check_event(&both, says[0] && says[1], text[1], &m);
			check_event(&one, says[0] || says[1], text[1], &m);
			wanted_nr += says[0];
			event_nr++;
			free(payload);
		}
	}
}

static void test_both_say_the_same(void)
{
	static char room[2][TEXT];
	char *const text[] = { room[0], room[1] };
	struct ktrace_filter *f[2];

	for (int i = 0; i < EXPRESSIONS; i++) {
		put_expression(room[0], DEPTH);
		put_expression(room[1], DEPTH - 1);
		f[0] = parse(room[0]);
		f[1] = parse(room[1]);
		compare(f, text);
		ktrace_filter_free(f[0]);
		ktrace_filter_free(f[1]);
	}
	/* A test that says no to everything, or refuses it, would see nothing. */
	CHECK(wanted_nr > event_nr / 10 && wanted_nr < event_nr / 10 * 9);
	CHECK(event_nr > EXPRESSIONS * NELEM(types) * PAYLOADS / 2);
	CHECK(constant_nr < EXPRESSIONS * NELEM(types) / 2);
}

/* ---- what is refused ---- */

static void refused(const char *text, const char *desc, __u32 column, const char *message)
{
	static struct ktrace_program p;
	struct ktrace_filter_error error = { 0 };
	struct ktrace_event_type *type;
	struct ktrace_filter *f = parse(text);
	struct ktrace_place *at;
	int nr;

	CHECK_EQ(ktrace_event_type_parse(desc, &type), 0);
	nr = ktrace_places(type, &at);
	ktrace_program_init(&p, true);
	CHECK_EQ(ktrace_program_join(&p, KTRACE_JOIN_AND, f, type, at, (__u32)nr, &error),
		 -EINVAL);
	CHECK_EQ(error.column, column);
	CHECK(strstr(error.message, message));
	ktrace_filter_free(f);
	ktrace_event_type_free(type);
	free(at);
}

static void test_what_is_refused_and_where(void)
{
	static const char desc[] = "t:a{u8 a;f32 b;u8[] c;u32 d;u32[99] e;}";

	refused("a == 1 && state.pid == 1", desc, 11, "cannot filter by state.pid; filter when");
	refused("time > 1.5s", desc, 1, "cannot filter by time; filter when reading the trace");
	refused("a == 1 || stream == 2", desc, 11, "cannot filter by stream");
	refused("flags == critical", desc, 1, "irq and truncated");
	refused("a == 1 && b > 0.5", desc, 11, "cannot filter by 'b' of t:a");
	refused("c == 1", desc, 1, "cannot filter by 'c'");
	refused("d == 1", desc, 1, "cannot filter by 'd'");	/* it may be anywhere */
	refused("e == 1", "t:a{u8[199] e;}", 1, "too many comparisons");
	refused("uid == root", desc, 1, "expected a number as uid");
	refused("\n  cgroup == /no/such/group", desc, 3, "no cgroup '/no/such/group'");
	refused("cgroup ~ '/a*'", desc, 1, "expected the number of a cgroup, or");
	/* Even where it would never be come to */
	refused("event == t:b && d == 1", desc, 17, "cannot filter by");
}

static void test_programs_have_a_limit(void)
{
	static char text[1 << 16];
	static struct ktrace_program p;
	struct ktrace_filter_error error;
	struct ktrace_filter *f;
	size_t n = 0;

	for (int i = 0; i < 300; i++)
		n += (size_t)sprintf(text + n, "%sa != %d", i ? " && " : "", i);
	f = parse(text);
	ktrace_program_init(&p, true);
	CHECK_EQ(join(&p, KTRACE_JOIN_AND, f, 0, &error), -EINVAL);
	CHECK(strstr(error.message, "too long"));
	ktrace_filter_free(f);
	/* Globs that would take too long, in a text that may */
	n = (size_t)sprintf(text, "s ~ '");
	for (int i = 0; i < 200; i++)
		n += (size_t)sprintf(text + n, "*a");
	sprintf(text + n, "'");
	f = parse(text);
	ktrace_program_init(&p, true);
	CHECK_EQ(join(&p, KTRACE_JOIN_AND, f, 1, &error), -EINVAL);
	CHECK(strstr(error.message, "too long"));
	ktrace_filter_free(f);
}

/* Each step goes on to the next one, whatever it finds. */
static struct kt_filter_vm repeat(const struct ktrace_match_step *step, __u32 nr, const char *texts)
{
	static struct ktrace_match_step steps[KTRACE_MATCH_STEPS_MAX];

	for (__u32 i = 0; i < nr; i++) {
		steps[i] = *step;
		steps[i].yes = steps[i].no = (__u16)(i + 1 < nr ? i + 1 : nr + 1);
	}
	return (struct kt_filter_vm){ steps, nr, texts };
}

/* A run ends when its work is done, and says that it does not know; one with more work knows. */
static void test_work_is_paid_for(void)
{
	static const struct {
		struct ktrace_match_step step;
		__u32 nr;
		const char *text;
		__s64 price;
	} rows[] = {
#define TEXT(is, of) { .what = KTRACE_MATCH_TEXT, .op = KTRACE_MATCH_##is, .size = (of) }
		{ { .what = KTRACE_MATCH_NUMBER, .size = 8 }, 100, "", 500 },
		{ { .what = KTRACE_MATCH_COMM }, 38, "thirteen byte", 38 * 13 },
		{ TEXT(EQ, 4000), 1, "", 12 },
		{ TEXT(LIKE, 4000), 1, "b*", 516 },
		{ TEXT(LIKE, 4000), 1, "*", 516 },
		{ TEXT(LIKE, 500), 1, "*b", 2078 },
		{ TEXT(LIKE, 16), 1, "*[x-yz]", 146 },
	};
	static char payload[4096];
	struct kt_filter_vm_event e = { .payload = payload, .len = sizeof(payload),
				    .comm = "thirteen byte" };

	memset(payload, 'a', sizeof(payload));
	for (size_t i = 0; i < NELEM(rows); i++) {
		struct ktrace_match_step step = rows[i].step;
		struct kt_filter_vm m;
		__s64 work = rows[i].price;

		step.text_len = (__u32)strlen(rows[i].text);
		m = repeat(&step, rows[i].nr, rows[i].text);
		CHECK(kt_filter_vm_check(&m, step.text_len) && !kt_filter_vm_run(&m, &e, &work));
		CHECK_EQ(work, 0);
		for (__s64 less = 1; less <= rows[i].price; less += 7) {
			work = rows[i].price - less;
			CHECK(kt_filter_vm_run(&m, &e, &work));
			CHECK(work < 0 && work > -16);
		}
	}
}

/* ---- places that no description tells ---- */

static void test_text_that_lies_elsewhere(void)
{
	static const struct ktrace_place far = { .name = "s", .kind = KTRACE_PLACE_FAR, .off = 2 };
	static struct ktrace_program p;
	struct ktrace_filter *f = parse("s == abc");
	struct ktrace_filter_error error;
	struct kt_filter_vm_event e = { .len = 12 };
	char payload[12] = { 0 };
	__u32 where = 4u << 16 | 8;

	ktrace_program_init(&p, true);
	CHECK_EQ(ktrace_program_join(&p, KTRACE_JOIN_AND, f, types[0], &far, 1, &error), 0);
	e.payload = payload;
	memcpy(payload + 8, "abc", 4);
	memcpy(payload + 2, &where, 4);
	CHECK(run(&p, &e));
	e.len = 11;		/* without its NUL */
	CHECK(run(&p, &e));
	e.len = 10;
	CHECK(!run(&p, &e));
	e.len = 5;
	CHECK(!run(&p, &e));
	e.len = 12;
	where = 4u << 16 | 0xffff;
	memcpy(payload + 2, &where, 4);
	CHECK(!run(&p, &e));
	ktrace_filter_free(f);
}

/*
 * A text of the kernel's own that is empty, at the end of the record, behind it, or not set at all,
 * is there; one whose bytes are not there is not: to both.
 */
static void test_text_that_is_empty(void)
{
	static const char format[] =
		"name: e\nID: 1\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:__data_loc char[] s;\toffset:0;\tsize:4;\tsigned:1;\n\n"
		"print fmt: \"%s\", __get_str(s)\n";
	static const struct {
		__u32 place;
		bool is_there;
	} rows[] = {
		{ 0, true }, { 8, true }, { 9, true }, { 0xffff, true }, { 4u << 16 | 4, true },
		{ 1u << 16 | 8, false }, { 4u << 16 | 9, false }, { 1u << 16 | 4, true },
	};
	static const char *const texts[] = { "s == ''", "s != abc", "s ~ '*'" };
	static struct ktrace_program p;
	struct ktrace_filter_error error;
	struct ktrace_event_type *type;
	struct ktrace_place *at;
	struct ktrace_filter *f;
	char payload[8] = { 0 };
	struct ktrace_trace_event e = { .stream = &stream, .payload = payload, .len = 8 };
	const struct kt_filter_vm_event m = { .payload = payload, .len = 8 };
	int nr;

	CHECK_EQ(ktrace_event_type_parse_format("a:e", format, &type), 0);
	e.type = type;
	nr = ktrace_places(type, &at);
	CHECK_EQ(nr, 1);
	for (size_t i = 0; i < NELEM(texts) * NELEM(rows); i++) {
		f = parse(texts[i / NELEM(rows)]);
		ktrace_program_init(&p, true);
		CHECK_EQ(ktrace_program_join(&p, KTRACE_JOIN_AND, f, type, at, 1, &error), 0);
		memcpy(payload, &rows[i % NELEM(rows)].place, 4);
		CHECK_EQ(run(&p, &m), rows[i % NELEM(rows)].is_there);
		CHECK_EQ(ktrace_filter_match(f, &e), rows[i % NELEM(rows)].is_there);
		ktrace_filter_free(f);
	}
	ktrace_event_type_free(type);
	free(at);
}

/* The same, counted from behind the place */
static void test_text_at_a_relative_place(void)
{
	static const struct ktrace_place rel = { .name = "s", .kind = KTRACE_PLACE_REL, .off = 2 };
	static struct ktrace_program p;
	struct ktrace_filter *f = parse("s == abc");
	struct ktrace_filter_error error;
	char payload[12] = "\0\0\2\0\4\0\0\0abc";
	struct kt_filter_vm_event e = { .len = 12, .payload = payload };
	const struct kt_filter_vm match = { p.steps, 1, p.texts };
	__u32 where = 4u << 16 | 0xfffe;

	ktrace_program_init(&p, true);
	CHECK_EQ(ktrace_program_join(&p, KTRACE_JOIN_AND, f, types[0], &rel, 1, &error), 0);
	CHECK(run(&p, &e));
	e.len = 10;
	CHECK(!run(&p, &e));
	e.len = 12;
	memcpy(payload + 2, &where, 4);
	CHECK(!run(&p, &e));
	ktrace_filter_free(f);
	/* It says nothing about a text that is where the program says. */
	CHECK(kt_filter_vm_check(&match, p.text_size));
	p.steps[0].flags = KTRACE_MATCH_REL;
	CHECK(!kt_filter_vm_check(&match, p.text_size));
}

/* ---- user and cgroup ---- */

static void test_user_and_cgroup(void)
{
	static struct ktrace_program p;
	struct ktrace_filter *f = parse("uid == 1000 && cgroup != 7");
	struct ktrace_filter_error error;
	struct kt_filter_vm_event e = { .uid = 1000, .cgroup = 8, .has_owner = true, .payload =
				       "" };

	ktrace_program_init(&p, true);
	CHECK_EQ(join(&p, KTRACE_JOIN_AND, f, 0, &error), 0);
	CHECK_EQ(ktrace_filter_unmet(f, &error), 0);
	CHECK(run(&p, &e));
	e.cgroup = 7;
	CHECK(!run(&p, &e));
	e.cgroup = 8;
	e.has_owner = false;	/* it is not for the owner's eyes */
	CHECK(!run(&p, &e));
	ktrace_filter_free(f);
}

static void test_what_no_event_has(void)
{
	static struct ktrace_program p;
	struct ktrace_filter *f = parse("a == 1 || (arr == 2 && nothing == 3)");
	struct ktrace_filter_error error;

	ktrace_program_init(&p, true);
	CHECK_EQ(join(&p, KTRACE_JOIN_AND, f, 0, &error), 0);
	CHECK_EQ(ktrace_filter_unmet(f, &error), 1);
	CHECK_EQ(error.column, 12);
	ktrace_program_init(&p, true);
	CHECK_EQ(join(&p, KTRACE_JOIN_AND, f, 1, &error), 0);
	CHECK_EQ(ktrace_filter_unmet(f, &error), 1);
	CHECK_EQ(error.column, 24);
	CHECK_STR(error.message, "none of these events has a field 'nothing'");
	ktrace_filter_free(f);
}

int main(void)
{
	struct ktrace_traceset *set;
	size_t i;

	make_world(&set);
	test_both_say_the_same();
	test_what_is_refused_and_where();
	test_programs_have_a_limit();
	test_work_is_paid_for();
	test_text_that_lies_elsewhere();
	test_text_that_is_empty();
	test_text_at_a_relative_place();
	test_user_and_cgroup();
	test_what_no_event_has();
	for (i = 0; i < NELEM(types); i++) {
		ktrace_event_type_free(types[i]);
		free(places[i]);
	}
	ktrace_traceset_close(set);
	return 0;
}
