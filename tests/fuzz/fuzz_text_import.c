// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_text_import.c - hostile lines of the kernel's trace, marks of programs, and JSON
 *
 * The first byte chooses the parser. What is found lies in the input, numbers are within their
 * limits, and a file whose format is looked for is not read beyond its end.
 */
#include "fuzz.h"

#include "base/foreign.h"
#include "import/atrace.h"
#include "import/chrome/json.h"
#include "import/systrace/line.h"

static bool is_in(const char *at, size_t size, const char *text, size_t whole)
{
	return !size || (at >= text && at + size <= text + whole);
}

static void check_line(const char *text, size_t size)
{
	struct line l;

	line_parse(text, size, &l);
	REQUIRE(is_in(l.text, l.size, text, size) && is_in(l.comm, l.comm_size, text, size));
	REQUIRE(l.cpu >= -1 && l.cpu <= 4095 && l.tid <= 0x3fffff && l.tgid <= 0x3fffff);
	REQUIRE(l.kind != LINE_EVENT || (l.has_time && l.cpu >= 0));
}

static void check_mark(const char *text, size_t size)
{
	struct atrace_mark m;

	if (!atrace_parse(text, size, &m))
		return;
	REQUIRE(is_in(m.name, m.name_size, text, size) && is_in(m.track, m.track_size, text, size));
	REQUIRE(strchr("BEISFCNGH", m.phase) && m.phase);
}

static void check_value(const struct json_value *v, const char *text, size_t size, int depth)
{
	struct json_value key, value;
	struct json_iterator it;
	char copy[64];
	bool is_big;
	__s64 number;
	__u64 n;

	REQUIRE(is_in(v->at, v->size, text, size));
	json_copy(v, copy, sizeof(copy));
	REQUIRE(!copy[sizeof(copy) - 1]);
	json_scaled(v, 3, &number);
	json_integer(v, &n, &is_big);
	if (v->kind == JSON_NUMBER)
		json_double(v);
	if ((v->kind != JSON_OBJECT && v->kind != JSON_ARRAY) || depth > 8)
		return;
	json_enter(&it, v);
	while (json_next(&it, &key, &value) == 1)
		check_value(&value, text, size, depth + 1);
	REQUIRE(it.at <= text + size);
}

static void check_json(const char *text, size_t size)
{
	const char *at = text;
	struct json_value v;

	if (!json_value(&at, text + size, &v))
		check_value(&v, text, size, 0);
	REQUIRE(at >= text && at <= text + size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy;

	if (!size)
		return 0;
	/* Without a byte more, so that ASan sees reads beyond the end */
	copy = malloc(size - 1 ? size - 1 : 1);
	REQUIRE(copy);
	memcpy(copy, data + 1, size - 1);
	switch (data[0] % 4) {
	case 0:
		check_line(copy, size - 1);
		break;
	case 1:
		check_mark(copy, size - 1);
		break;
	case 2:
		check_json(copy, size - 1);
		break;
	default:
		foreign_format((const unsigned char *)copy, size - 1);
	}
	free(copy);
	return 0;
}
