// SPDX-License-Identifier: GPL-2.0
/*
 * test_pft_text.c - configurations as text: every field of E.7 arrives, every mistake has its place
 */
#include "check.h"

#include "pbtxt.h"
#include "service.pb-c.h"

#include <errno.h>
#include <math.h>

static Pft__TraceConfig *parse(const char *text)
{
	struct pbtxt_error error = { 0 };
	ProtobufCMessage *m = NULL;

	if (pbtxt_parse(&pft__trace_config__descriptor, text, strlen(text), &m, &error)) {
		fprintf(stderr, "%u:%u: %s\n%s\n", error.line, error.column, error.text, text);
		exit(1);
	}
	return (Pft__TraceConfig *)m;
}

static void whole_config(void)
{
	static const char text[] =
		"# what is recorded\n"
		"buffers { size_kb: 1024 fill_policy: RING_BUFFER name: \"big\" }\n"
		"buffers: < size_kb: 0x10, fill_policy: 2; transfer_on_clone: true >\n"
		"data_sources {\n"
		"  config {\n"
		"    name: 'track_' \"event\"   # one name\n"
		"    target_buffer_name: \"big\"\n"
		"    buffer_exhausted_policy: BUFFER_EXHAUSTED_STALL_THEN_DROP\n"
		"    track_event_config { enabled_categories: [\"a\", \"b\"]\n"
		"      enabled_categories: \"c\" }\n"
		"    ftrace_config { ftrace_events: \"sched/sched_switch\" compact_sched {} }\n"
		"    for_testing { dummy_fields { field_float: -1.5e-3 field_double: inf\n"
		"      field_sint32: -7 field_fixed64: 18446744073709551615\n"
		"      field_bytes: \"\\001\\xff\\n\\0\" } }\n"
		"  }\n"
		"  producer_name_regex_filter: \"a.*\"\n"
		"}\n"
		"data_sources: { config: { name: \"ktrace.kernel\" } }\n"
		"duration_ms: 10000 trigger_config { trigger_mode: STOP_TRACING\n"
		"  triggers { name: \"t\" stop_delay_ms: 5 skip_probability: 0.25 }\n"
		"  trigger_timeout_ms: 9 }\n"
		"activate_triggers: [] write_into_file: 1 deferred_start: f trace_uuid_msb: -1\n"
		"builtin_data_sources { primary_trace_clock: BUILTIN_CLOCK_MONOTONIC }\n"
		"lockdown_mode: LOCKDOWN_SET compression { zstd { level: 3 } }\n";
	Pft__TraceConfig *c = parse(text);
	const Pft__DataSourceConfig *d;

	CHECK_EQ(c->n_buffers, 2);
	CHECK_EQ(c->buffers[0]->size_kb, 1024);
	CHECK_STR(c->buffers[0]->name, "big");
	CHECK_EQ(c->buffers[1]->size_kb, 16);
	CHECK_EQ(c->buffers[1]->fill_policy, 2);
	CHECK(c->buffers[1]->has_transfer_on_clone && c->buffers[1]->transfer_on_clone);
	CHECK(!c->buffers[1]->has_clear_before_clone);
	CHECK_EQ(c->n_data_sources, 2);
	d = c->data_sources[0]->config;
	CHECK_STR(d->name, "track_event");
	CHECK_EQ(d->buffer_exhausted_policy, 3);
	CHECK_EQ(d->track_event_config->n_enabled_categories, 3);
	CHECK_STR(d->track_event_config->enabled_categories[2], "c");
	CHECK(d->ftrace_config->compact_sched);
	CHECK(fabsf(d->for_testing->dummy_fields->field_float + 1.5e-3f) < 1e-9f);
	CHECK(isinf(d->for_testing->dummy_fields->field_double));
	CHECK_EQ(d->for_testing->dummy_fields->field_sint32, -7);
	CHECK(d->for_testing->dummy_fields->field_fixed64 == UINT64_MAX);
	CHECK_EQ(d->for_testing->dummy_fields->field_bytes.len, 4);
	CHECK(!memcmp(d->for_testing->dummy_fields->field_bytes.data, "\1\xff\n\0", 4));
	CHECK_STR(c->data_sources[0]->producer_name_regex_filter[0], "a.*");
	CHECK_EQ(c->trigger_config->trigger_mode, 2);
	CHECK(c->trigger_config->triggers[0]->skip_probability == 0.25);
	CHECK_EQ(c->n_activate_triggers, 0);
	CHECK(c->write_into_file && c->has_deferred_start && !c->deferred_start);
	CHECK_EQ(c->trace_uuid_msb, -1);
	CHECK_EQ(c->builtin_data_sources->primary_trace_clock, 3);
	CHECK_EQ(c->compression->zstd->level, 3);
	pft__trace_config__free_unpacked(c, NULL);
}

static void little_texts(void)
{
	static const char *const texts[] = {
		"", " \n\t", "# nothing", "#", "buffers{}", "buffers<>", "buffers:{}",
		"duration_ms:1",
		"duration_ms:1;", "duration_ms: 010 , write_into_file: True",
		"data_sources { config { name: \"\" } }", "buffers [{}, {size_kb:1}, <>]",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		pft__trace_config__free_unpacked(parse(texts[i]), NULL);
}

static void mistakes(void)
{
	static const struct {
		const char *text;
		unsigned int line, column;
		const char *error;
	} bad[] = {
		{ "durration_ms: 1", 1, 1,
		  "TraceConfig has no field durration_ms (did you mean 'duration_ms'?)" },
		{ "\n  buffers {\n\tsize: 1 }", 3, 2, "BufferConfig has no field size" },
		{ "duration_ms 1", 1, 13, ": expected, not 1" },
		{ "duration_ms:", 1, 13, "an integer expected, but the text ends here" },
		{ "duration_ms: 4294967296", 1, 14, "4294967296 is not between 0 and 4294967295" },
		{ "duration_ms: -1", 1, 14, "-1 is not between 0 and 4294967295" },
		{ "duration_ms: 1.5", 1, 14, "an integer expected, not 1.5" },
		{ "duration_ms: 10s", 1, 14, "an integer expected, not 10s" },
		{ "duration_ms: abc", 1, 14, "an integer expected, not abc" },
		{ "bugreport_score: 2147483648", 1, 18,
		  "2147483648 is not between -2147483648 and 2147483647" },
		{ "trace_uuid_msb: 9223372036854775808", 1, 17,
		  "9223372036854775808 is not between -9223372036854775808 and "
		  "9223372036854775807" },
		{ "write_into_file: yes", 1, 18, "true or false expected, not yes" },
		{ "buffers { fill_policy: RING }", 1, 24, "FillPolicy has no value RING" },
		{ "buffers { fill_policy: RNIG_BUFFER }", 1, 24,
		  "FillPolicy has no value RNIG_BUFFER (did you mean 'RING_BUFFER'?)" },
		{ "buffers { fill_policy: \"x\" }", 1, 24, "a name expected, not \"x\"" },
		{ "unique_session_name: x", 1, 22, "a string in quotes expected, not x" },
		{ "unique_session_name: \"x", 1, 22, "this string has no end on its line" },
		{ "unique_session_name: \"x\n\"", 1, 22, "this string has no end on its line" },
		{ "unique_session_name: \"\\q\"", 1, 22,
		  "this string has an escape that there is not" },
		{ "unique_session_name: \"a\\0b\"", 1, 22, "this string has a zero byte in it" },
		{ "buffers {", 1, 9, "this { is not closed" },
		{ "buffers { size_kb: 1 >", 1, 22, "a field or } expected, not >" },
		{ "buffers < size_kb: 1 }", 1, 22, "a field or > expected, not }" },
		{ "buffers: 1", 1, 10, "{ expected, not 1" },
		{ "duration_ms: 1 duration_ms: 2", 1, 16, "duration_ms is given twice" },
		{ "trace_attributes { attribute { long_value: 1 string_value: \"x\" } }",
		  1, 46, "long_value and string_value exclude each other" },
		{ "activate_triggers: [\"a\" \"b\" 1]", 1, 29, ", or ] expected, not 1" },
		{ "activate_triggers: [\"a\",]", 1, 25, "a string in quotes expected, not ]" },
		{ "}", 1, 1, "the name of a field expected, not }" },
		{ "duration_ms: 1 }", 1, 16, "the name of a field expected, not }" },
		{ "data_sources { config { trigger: 1 } }", 1, 25,
		  "DataSourceConfig has no field trigger" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct pbtxt_error error = { 0 };
		ProtobufCMessage *m = NULL;

		CHECK_EQ(pbtxt_parse(&pft__trace_config__descriptor, bad[i].text,
				     strlen(bad[i].text), &m, &error), -EINVAL);
		CHECK_STR(error.text, bad[i].error);
		CHECK_EQ(error.line, bad[i].line);
		CHECK_EQ(error.column, bad[i].column);
	}
}

/* A message that holds itself, nested without end */
static void depth(void)
{
	static char text[100000];
	struct pbtxt_error error;
	ProtobufCMessage *m;
	size_t at = 0;

	at += (size_t)sprintf(text, "payload {");
	while (at < sizeof(text) - 10)
		at += (size_t)sprintf(text + at, "nested{");
	CHECK_EQ(pbtxt_parse(&pft__test_event__descriptor, text, at, &m, &error), -EINVAL);
	CHECK_STR(error.text, "messages are nested more than 64 times");
}

/* What a text cannot name goes on as it came: fields of sources that nobody here knows. */
static void unknown_fields_stay(void)
{
	static const uint8_t bytes[] = {
		0x12, 0x0e, 0x0a, 0x0c,			/* data_sources.config: */
		0x0a, 0x01, 'x',			/* name */
		0xda, 0x06, 0x02, 0x08, 0x05,		/* 107: { 1: 5 } */
		0xe0, 0x7f, 0x00, 0x10,			/* 2044: 0; target_buffer: */
		0x07,
	};
	uint8_t fixed[sizeof(bytes)], packed[64];
	Pft__TraceConfig *c;
	size_t size;

	memcpy(fixed, bytes, sizeof(bytes));
	fixed[1] = sizeof(bytes) - 2;
	fixed[3] = sizeof(bytes) - 4;
	c = pft__trace_config__unpack(NULL, sizeof(fixed), fixed);
	CHECK(c);
	CHECK_EQ(c->data_sources[0]->config->base.n_unknown_fields, 2);
	size = pft__trace_config__pack(c, packed);
	CHECK_EQ(size, sizeof(fixed));
	CHECK(memmem(packed, size, bytes + 7, 5));
	pft__trace_config__free_unpacked(c, NULL);
}

int main(void)
{
	whole_config();
	little_texts();
	mistakes();
	depth();
	unknown_fields_stay();
	return 0;
}
