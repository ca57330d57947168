// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_perf.c - hostile lines of perf script
 *
 * The input is a line. What is made of one about an event lies in the line, numbers are within
 * their limits, and the fields guessed from its text are a description and a payload that fit
 * each other: each value is all there, and nothing is left.
 */
#include "fuzz.h"

#include "../../userspace/viewer/import/perf/perf_line.c"
#include "../../userspace/viewer/import/perf/perf_frame.h"
#include "../../userspace/viewer/import/perf/perf_text.h"

#include "../../userspace/viewer/base/viewer.h"

static bool is_in(const char *s, const char *line, size_t size)
{
	return s >= line && s + strlen(s) <= line + size;
}

static void check_fields(const struct ktrace_out *desc, const struct ktrace_out *data)
{
	struct ktrace_event_type *type;
	struct ktrace_values it;
	struct ktrace_value v;
	const char *payload = data->len ? data->buf : "", *end = payload;
	__u32 nr = 0;
	int ret = ktrace_event_type_parse(desc->buf, &type);

	/* Too long, or with too many fields */
	if (ret) {
		REQUIRE(ret == -EINVAL);
		return;
	}
	ktrace_values_init(&it, type, payload, (__u32)data->len);
	while (ktrace_values_next(&it, &v)) {
		REQUIRE(v.data >= end && v.data <= payload + data->len);
		REQUIRE(v.field->shape != KTRACE_ONE || v.count == 1);
		end = v.data;
		nr++;
	}
	REQUIRE(nr == type->field_nr);
	ktrace_event_type_free(type);
}

static void check_text(const struct perf_line *line)
{
	struct ktrace_out desc = { .flush = output_grow }, data = { .flush = output_grow };

	ktrace_out_str(&desc, "perf:event{");
	perf_text_parse(line->event, (char *)line->text, &desc, &data);
	ktrace_out_bytes(&desc, "}", 2);
	REQUIRE(!desc.error && !data.error && !memchr(desc.buf, 0, desc.len - 1));
	check_fields(&desc, &data);
	free(desc.buf);
	free(data.buf);
}

/* A frame's texts lie in its line. */
static void check_frame(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1), *at;
	struct perf_frame frame;

	REQUIRE(copy);
	memcpy(copy, data, size);
	copy[size] = 0;
	at = perf_frame_find(copy);
	REQUIRE(!at || (at >= copy && at <= copy + size));
	if (perf_frame_parse(copy, &frame)) {
		REQUIRE(!frame.code.function || is_in(frame.code.function, copy, size));
		REQUIRE(!frame.code.module || is_in(frame.code.module, copy, size));
		perf_frame_is_kernel(&frame);
	}
	memcpy(copy, data, size);
	if (perf_frame_source(copy, &frame))
		REQUIRE(!frame.code.file || is_in(frame.code.file, copy, size));
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1);
	struct perf_line line;

	check_frame(data, size);
	REQUIRE(copy);
	memcpy(copy, data, size);
	copy[size] = 0;
	if (perf_line_parse(copy, &line)) {
		REQUIRE(is_in(line.text, copy, size) && line.tid <= KTRACE_TID_MASK &&
			line.pid <= KTRACE_TID_MASK);
		REQUIRE(line.cpu >= -1 && line.cpu < IMPORT_WRITER_CPUS);
		REQUIRE(!*line.comm || is_in(line.comm, copy, size));
		REQUIRE(!*line.event || is_in(line.event, copy, size));
		check_text(&line);
	}
	free(copy);
	return 0;
}
