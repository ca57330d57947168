// SPDX-License-Identifier: LGPL-2.1
/* request.c - what a client of the metrics asks for */
#include "request.h"

#include <string.h>
#include <strings.h>

#define PATH "/metrics"
#define HOST "host:"

static const struct {
	int status;
	const char *reason;
} reasons[] = {
	{ 200, "OK" },
	{ 400, "Bad Request" },
	{ 403, "Forbidden" },
	{ 404, "Not Found" },
	{ 405, "Method Not Allowed" },
	{ 431, "Request Header Fields Too Large" },
	{ 503, "Service Unavailable" },
	{ 505, "HTTP Version Not Supported" },
};

const char *metrics_request_reason(int status)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].status == status)
			return reasons[i].reason;
	return "Error";
}

/* A line of the header, without its end */
struct line {
	const char *at;
	size_t size;
};

/* Takes the next line. Returns false if it has no end yet. */
static bool take_line(const char **text, size_t *left, struct line *line)
{
	const char *end = memchr(*text, '\n', *left);

	if (!end)
		return false;
	line->at = *text;
	line->size = (size_t)(end - *text);
	if (line->size && line->at[line->size - 1] == '\r')
		line->size--;
	*left -= (size_t)(end + 1 - *text);
	*text = end + 1;
	return true;
}

static bool is_word(const struct line *w, const char *text)
{
	return w->size == strlen(text) && !memcmp(w->at, text, w->size);
}

/* Takes the word up to the next blank, which must be there unless it is the last one. */
static bool take_word(struct line *line, struct line *word, bool is_last)
{
	const char *blank = memchr(line->at, ' ', line->size);

	if (!blank != is_last)
		return false;
	word->at = line->at;
	word->size = is_last ? line->size : (size_t)(blank - line->at);
	if (!is_last) {
		line->size -= word->size + 1;
		line->at = blank + 1;
	}
	return word->size;
}

/* Returns the status that the first line leads to. */
static int first_status(struct line line, bool *is_head)
{
	struct line method, target, version;
	const char *query;

	if (!take_word(&line, &method, false) || !take_word(&line, &target, false) ||
	    !take_word(&line, &version, true) || version.size != strlen("HTTP/1.1") ||
	    memcmp(version.at, "HTTP/", strlen("HTTP/")))
		return 400;
	if (memcmp(version.at, "HTTP/1.", strlen("HTTP/1.")))
		return 505;
	*is_head = is_word(&method, "HEAD");
	if (!*is_head && !is_word(&method, "GET"))
		return 405;
	query = memchr(target.at, '?', target.size);
	if (query)
		target.size = (size_t)(query - target.at);
	return is_word(&target, PATH) ? 200 : 404;
}

/* True if the value of "Host" is a name of the loopback, with any port: it may be forwarded. */
static bool is_loopback(const char *at, size_t size)
{
	static const char *const names[] = { "127.0.0.1", "localhost", "[::1]" };

	while (size && (*at == ' ' || *at == '\t')) {
		at++;
		size--;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const size_t n = strlen(names[i]);

		if (size >= n && !strncasecmp(at, names[i], n) && (size == n || at[n] == ':'))
			return true;
	}
	return false;
}

struct metrics_request metrics_request_parse(const char *text, size_t size, bool is_port)
{
	struct metrics_request r = { .status = 0 };
	bool has_host = false;
	struct line line;
	int status;

	if (!take_line(&text, &size, &line))
		return r;
	status = first_status(line, &r.is_head);
	while (take_line(&text, &size, &line)) {
		if (!line.size) {
			r.status = status == 200 && is_port && !has_host ? 403 : status;
			return r;
		}
		if (line.size > strlen(HOST) && !strncasecmp(line.at, HOST, strlen(HOST)))
			has_host = is_loopback(line.at + strlen(HOST), line.size - strlen(HOST));
	}
	return r;
}
