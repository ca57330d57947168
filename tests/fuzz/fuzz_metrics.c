// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_metrics.c - requests of clients of metrics: any bytes
 *
 * A request is complete at one byte, in however many pieces it came: what follows changes nothing.
 */
#include "fuzz.h"

#include "../../userspace/lib/metrics/request.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const bool is_port = size && data[0] & 1;
	struct metrics_request whole, part = { .status = 0 };
	char *text;

	if (size > METRICS_REQUEST_MAX)
		return 0;
	text = malloc(size + 1);
	REQUIRE(text);
	if (size)
		memcpy(text, data, size);
	whole = metrics_request_parse(text, size, is_port);
	REQUIRE(!whole.status || strcmp(metrics_request_reason(whole.status), "Error"));
	REQUIRE(whole.status != 403 || is_port);
	for (size_t n = 0; n <= size && !part.status; n++) {
		/* A copy of that size: reading beyond it is found. */
		char *piece = malloc(n + !n);

		REQUIRE(piece);
		memcpy(piece, text, n);
		part = metrics_request_parse(piece, n, is_port);
		free(piece);
	}
	REQUIRE(part.status == whole.status && part.is_head == whole.is_head);
	/* Only these first lines lead to the metrics. */
	if (whole.status == 200)
		REQUIRE(!strncmp(text, "GET /metrics", 12) || !strncmp(text, "HEAD /metrics", 13));
	free(text);
	return 0;
}
