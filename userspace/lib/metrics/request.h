/* SPDX-License-Identifier: LGPL-2.1 */
/* request.h - what a client of the metrics asks for: the little of HTTP/1.1 that this takes */
#ifndef KTRACE_METRICS_REQUEST_H
#define KTRACE_METRICS_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

/* Longest request, with its header */
#define METRICS_REQUEST_MAX 4096u

/**
 * struct metrics_request - a request
 * @status:	0 = it is not complete; 200 = the metrics are asked for; else why not
 * @is_head:	only the header of the answer is asked for
 */
struct metrics_request {
	int status;
	bool is_head;
};

/*
 * Parses @size bytes, any bytes. @is_port: clients come from programs such as a browser, too, which
 * let a page's own host name point to the loopback: the request must name the loopback.
 */
struct metrics_request metrics_request_parse(const char *text, size_t size, bool is_port);
/* Returns the words that explain a status. */
const char *metrics_request_reason(int status);

#endif
