// SPDX-License-Identifier: GPL-2.0
/* test_decode.c - descriptions, values and how they are printed; hostile ones, too */
#include <ktrace/decode.h>

#include "check.h"

#include <errno.h>

static char text[1 << 16];

static struct ktrace_event_type *parse(const char *desc)
{
	struct ktrace_event_type *type;

	CHECK_EQ(ktrace_event_type_parse(desc, &type), 0);
	return type;
}

/* All values of a payload, separated by blanks */
static const char *print(const char *desc, const void *payload, size_t len, bool is_json)
{
	struct ktrace_event_type *type = parse(desc);
	struct ktrace_out out = { .buf = text, .cap = sizeof(text) - 1 };
	struct ktrace_values it;
	struct ktrace_value v;

	ktrace_values_init(&it, type, payload, len);
	while (ktrace_values_next(&it, &v)) {
		if (out.len)
			ktrace_out_char(&out, ' ');
		if (is_json)
			ktrace_value_json(&out, &v);
		else
			ktrace_value_text(&out, &v);
	}
	ktrace_event_type_free(type);
	text[out.len] = '\0';
	return text;
}

static void test_parts_of_a_description(void)
{
	struct ktrace_event_type *type =
		parse("demo:work{u32 item;string label;u8[4] key;s16[] samples;"
		      "enum<s8>(A=-1,B=0x10) mode;}@a:b/main.c:12");

	CHECK_STR(type->full_name, "demo:work");
	CHECK_STR(type->provider, "demo");
	CHECK_STR(type->name, "work");
	CHECK_STR(type->file, "a:b/main.c");
	CHECK_EQ(type->line, 12);
	CHECK_EQ(type->field_nr, 5);
	CHECK_STR(type->fields[0].name, "item");
	CHECK_EQ(type->fields[0].scalar, KTRACE_U32);
	CHECK_EQ(type->fields[1].shape, KTRACE_STRING);
	CHECK_EQ(type->fields[2].shape, KTRACE_FIXED);
	CHECK_EQ(type->fields[2].count, 4);
	CHECK_EQ(type->fields[3].shape, KTRACE_COUNTED);
	CHECK_EQ(type->fields[4].enum_nr, 2);
	CHECK_STR(ktrace_enumerator_find(&type->fields[4], -1), "A");
	CHECK_STR(ktrace_enumerator_find(&type->fields[4], 16), "B");
	CHECK(!ktrace_enumerator_find(&type->fields[4], 0));
	ktrace_event_type_free(type);
	type = parse("a:b{}");
	CHECK_EQ(type->field_nr, 0);
	CHECK(!type->file);
	ktrace_event_type_free(type);
}

static void test_what_is_no_description(void)
{
	static const char *const bad[] = {
		"", "a", "a:", "a:b", "a:b{", ":b{}", "a:{}", "a:b{}x", "a:b{}@", "a:b{}@f",
		"a:b{}@f:", "a:b{}@f:x", "a:b{}@:1", "a:b{u32;}", "a:b{u32 ;}", "a:b{u32 x}",
		"a:b{u33 x;}", "a:b{u32x;}", "a:b{u32[ x;}", "a:b{u32[0] x;}", "a:b{u32[-1] x;}",
		"a:b{u32[4294967296] x;}", "a:b{u32[99999999999999999999] x;}", "a:b{string[] x;}",
		"a:b{enum<u8> x;}", "a:b{enum<u8>() x;}", "a:b{enum<u8>(A) x;}",
		"a:b{enum<u8>(A=) x;}", "a:b{enum<u8>(A=1 x;}", "a:b{enum<f32>(A=1) x;}",
		"a:b{enum<u8>(A=1,) x;}", "a:b{u32 x;;}", "a b:c{}", "a:b{u32 x y;}",
		"a:b{u32 x;}@f:-1", "a:b{u32 \x01;}",
	};
	struct ktrace_event_type *type;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (ktrace_event_type_parse(bad[i], &type) != -EINVAL) {
			fprintf(stderr, "accepted: %s\n", bad[i]);
			exit(1);
		}
}

static void test_too_long_a_description(void)
{
	struct ktrace_event_type *type;
	char *desc = malloc(KTRACE_DESC_SIZE_MAX + 100);

	memset(desc, 'a', KTRACE_DESC_SIZE_MAX + 99);
	desc[KTRACE_DESC_SIZE_MAX + 99] = '\0';
	CHECK_EQ(ktrace_event_type_parse(desc, &type), -EINVAL);
	free(desc);
}

/* Every beginning, and every byte replaced by every other, of a good description. */
static void test_mutilated_descriptions(void)
{
	static const char good[] =
		"demo:w{enum<u32>(R=0,S=-1) st;u8[4] key;s16[] x;string s;}@main.c:12";
	static const unsigned char payload[40] = { 1, 2, 3 };
	struct ktrace_event_type *type;
	struct ktrace_values it;
	struct ktrace_value v;
	char desc[sizeof(good)];
	size_t i;
	int c;

	for (i = 0; i < sizeof(good) - 1; i++)
		for (c = 0; c < 256; c++) {
			memcpy(desc, good, sizeof(good));
			desc[i] = (char)c;
			if (ktrace_event_type_parse(desc, &type))
				continue;
			ktrace_values_init(&it, type, payload, sizeof(payload));
			while (ktrace_values_next(&it, &v)) {
				struct ktrace_out out = { .buf = text, .cap = sizeof(text) };

				ktrace_value_text(&out, &v);
				ktrace_value_json(&out, &v);
			}
			ktrace_event_type_free(type);
		}
}

static void test_every_scalar(void)
{
	unsigned char ones[64];

	memset(ones, 0xff, sizeof(ones));
	CHECK_STR(print("a:b{s8 a;u8 b;s16 c;u16 d;s32 e;u32 f;s64 g;u64 h;}", ones, 30, false),
		  "-1 255 -1 65535 -1 4294967295 -1 18446744073709551615");
	CHECK_STR(print("a:b{x8 a;x16 b;x32 c;x64 d;ptr e;}", ones, 23, false),
		  "0xff 0xffff 0xffffffff 0xffffffffffffffff 0xffffffffffffffff");
	CHECK_STR(print("a:b{x8 a;u64 b;}", ones, 9, true), "\"0xff\" 18446744073709551615");
	CHECK_STR(print("a:b{s64 a;}", "\0\0\0\0\0\0\0\x80", 8, false), "-9223372036854775808");
}

static void test_floats(void)
{
	double d[4] = { 0.1, -1e300, -__builtin_nan(""), __builtin_inf() };
	float f[2] = { 0.1f, 16777216.0f };

	CHECK_STR(print("a:b{f64[4] a;}", d, sizeof(d), false), "{0.1, -1e+300, nan, inf}");
	CHECK_STR(print("a:b{f64[4] a;}", d, sizeof(d), true), "[0.1,-1e+300,null,null]");
	CHECK_STR(print("a:b{f32[2] a;}", f, sizeof(f), false), "{0.1, 16777216}");
}

static void test_strings(void)
{
	CHECK_STR(print("a:b{string a;string b;}", "x\"\\\n\x1b\0y", 8, false),
		  "\"x\\\"\\\\\\n\\x1b\" \"y\"");
	CHECK_STR(print("a:b{string a;}", "\x01\xff\xe2\x82\xac", 6, true),
		  "\"\\u0001\\ufffd\xe2\x82\xac\"");
	/* Cut, overlong and surrogate sequences are not UTF-8. */
	CHECK_STR(print("a:b{bytes a;u8 b;}", "\3\0\0\0o\0k\7", 8, false),
		  "\"o\\x00k\" 7");
	CHECK_STR(print("a:b{bytes a;}", "\3\0\0\0o\0k", 7, true), "[111,0,107]");
	CHECK_STR(print("a:b{string a;}", "\xe2\x82", 3, true), "\"\\ufffd\\ufffd\"");
	CHECK_STR(print("a:b{string a;}", "\xc0\x80", 3, true), "\"\\ufffd\\ufffd\"");
	CHECK_STR(print("a:b{string a;}", "\xed\xa0\x80", 4, true), "\"\\ufffd\\ufffd\\ufffd\"");
	/* C1 control characters must not reach a terminal. */
	CHECK_STR(print("a:b{string a;}", "\xc2\x9b", 3, false), "\"\\xc2\\x9b\"");
	CHECK_STR(print("a:b{char[4] a;char[4] b;}", "abcdef\0x", 8, false), "\"abcd\" \"ef\"");
}

static void test_arrays(void)
{
	CHECK_STR(print("a:b{u8[] a;u8 b;}", "\2\0\0\0\5\6\7", 7, false), "{5, 6} 7");
	CHECK_STR(print("a:b{u8[] a;}", "\0\0\0\0", 4, true), "[]");
}

static void test_enum_values(void)
{
	CHECK_STR(print("a:b{enum<u8>(R=0,S=1) a;enum<u8>(R=0,S=1) b;}", "\1\2", 2, false), "S 2");
	CHECK_STR(print("a:b{enum<u8>(R=0,S=1) a;enum<u8>(R=0,S=1) b;}", "\1\2", 2, true),
		  "\"S\" 2");
}

/* The payload ends inside a value: what is there is shown and marked. */
static void test_short_payloads(void)
{
	CHECK_STR(print("a:b{u32 a;u32 b;}", "\1\0\0\0", 4, false), "1");
	CHECK_STR(print("a:b{u32 a;u32 b;}", "\1\0\0\0\2", 5, false), "1 ...");
	CHECK_STR(print("a:b{string a;u8 b;}", "abc", 3, false), "\"abc\"...");
	CHECK_STR(print("a:b{u16[] a;}", "\xff\xff\xff\xff\1\0\2", 7, false), "{1}...");
	CHECK_STR(print("a:b{u16[] a;}", "\1\0", 2, false), "{}...");
	CHECK_STR(print("a:b{u64[4294967295] a;}", "\1\0\0\0\0\0\0\0", 8, false), "{1}...");
	CHECK_STR(print("a:b{u32 a;u32 b;}", "\1\0\0\0\2", 5, true), "1 null");
	/* Bytes behind the last field are a later version's. */
	CHECK_STR(print("a:b{u8 a;}", "\1\2\3", 3, false), "1");
}

static int count_flush(struct ktrace_out *out)
{
	*(size_t *)out->arg += out->len;
	out->len = 0;
	return 0;
}

static void test_output_buffer(void)
{
	char small[KTRACE_OUT_MIN];
	struct ktrace_out out = { .buf = small, .cap = sizeof(small) };
	size_t total = 0, i;

	for (i = 0; i < 1000; i++)
		ktrace_out_str(&out, "0123456789");
	CHECK_EQ(out.error, -ENOSPC);
	CHECK(out.len <= sizeof(small));
	out = (struct ktrace_out){ .buf = small, .cap = sizeof(small), .flush = count_flush,
				   .arg = &total };
	for (i = 0; i < 1000; i++)
		ktrace_out_str(&out, "0123456789");
	CHECK_EQ(total + out.len, 10000);
	CHECK_EQ(out.error, 0);
}

#define CSI_8BIT "\x9b"
#define CSI_UTF8 "\xc2\x9b"

static void check_number(__u64 v, unsigned int digits)
{
	char small[64] = "", expected[64];
	struct ktrace_out out = { .buf = small, .cap = sizeof(small) - 1 };

	snprintf(expected, sizeof(expected), "%0*llu", (int)digits, v);
	ktrace_out_dec(&out, v, digits);
	small[out.len] = '\0';
	CHECK_STR(small, expected);
}

/* Every number of digits, asked for and there. */
static void test_decimal_numbers(void)
{
	unsigned int digits;
	__u64 power, v;

	for (digits = 1; digits <= 20; digits++) {
		for (power = 1; power <= ~0ull / 10; power *= 10)
			for (v = power - 1; v <= power + 1; v++)
				check_number(v, digits);
		check_number(~0ull, digits);
		check_number(12345678901234567890ull, digits);
	}
	for (v = 0; v < 20000; v++)
		check_number(v * 4999, 1);
}

/* Text of any length, in pieces and at the end of the memory. */
static void test_bytes_of_every_length(void)
{
	char from[200], copy[200];
	size_t n, i;

	for (i = 0; i < sizeof(from); i++)
		from[i] = (char)i;
	for (n = 0; n <= sizeof(from); n++) {
		struct ktrace_out out = { .buf = copy, .cap = n };

		ktrace_out_bytes(&out, from, n);
		CHECK_EQ(out.len, n);
		CHECK(!memcmp(copy, from, n));
		CHECK(!out.error);
	}
}

static void check_out(void (*fn)(struct ktrace_out *, const char *), const char *in,
		      const char *want)
{
	char small[128];
	struct ktrace_out out = { .buf = small, .cap = sizeof(small) - 1 };

	fn(&out, in);
	small[out.len] = '\0';
	CHECK_STR(small, want);
}

static void quoted(struct ktrace_out *out, const char *s)
{
	ktrace_out_quoted(out, s, strlen(s));
}

static void json(struct ktrace_out *out, const char *s)
{
	ktrace_out_json(out, s, strlen(s));
}

/* A terminal obeys ESC, and in 8 bits or in UTF-8 the control characters above 0x7f. */
static void test_terminal_escapes(void)
{
	static const char in[] = "a\x1b[31m" CSI_8BIT "2J" CSI_UTF8 "2J\x7f\xc3\xa4\xe2\x82\xac";

	check_out(ktrace_out_safe, in, "a?[31m?2J??2J?\xc3\xa4\xe2\x82\xac");
	check_out(ktrace_out_safe, "\xe2\x82", "??");
	check_out(ktrace_out_safe, "two\nlines\r", "two?lines?");
	check_out(quoted, in,
		  "\"a\\x1b[31m\\x9b2J\\xc2\\x9b2J\\x7f\xc3\xa4\xe2\x82\xac\"");
	check_out(json, in, "\"a\\u001b[31m\\ufffd2J\\u009b2J\\u007f\xc3\xa4\xe2\x82\xac\"");
}

/* So are ends of lines of Unicode's, and what turns text round. */
static void test_unicode_that_is_obeyed(void)
{
	static const char in[] = "\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa6\xd8\x9c"
				"\xe2\x80\xa7\xe2\x81\xaa";

	check_out(ktrace_out_safe, in, "???????????\xe2\x80\xa7\xe2\x81\xaa");
	check_out(quoted, "\xe2\x80\x8f\xe2\x80\x90", "\"\\xe2\\x80\\x8f\xe2\x80\x90\"");
	check_out(json, in, "\"\\u2028\\u202e\\u2066\\u061c\xe2\x80\xa7\xe2\x81\xaa\"");
}

/* The first byte of two may be the last of the memory. */
static void test_quoted_string_that_ends_in_c2(void)
{
	struct ktrace_out out = { .buf = text, .cap = sizeof(text) };
	char *s = malloc(1);

	*s = (char)0xc2;
	ktrace_out_quoted(&out, s, 1);
	ktrace_out_json(&out, s, 1);
	text[out.len] = '\0';
	CHECK_STR(text, "\"\\xc2\"\"\\ufffd\"");
	free(s);
}

int main(void)
{
	test_parts_of_a_description();
	test_what_is_no_description();
	test_too_long_a_description();
	test_mutilated_descriptions();
	test_every_scalar();
	test_floats();
	test_strings();
	test_arrays();
	test_enum_values();
	test_short_payloads();
	test_output_buffer();
	test_decimal_numbers();
	test_bytes_of_every_length();
	test_quoted_string_that_ends_in_c2();
	test_terminal_escapes();
	test_unicode_that_is_obeyed();
	return 0;
}
