// SPDX-License-Identifier: GPL-2.0
/* clickhouse.c - statements for a ClickHouse server, over HTTP */
#include "clickhouse.h"

#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/viewer.h"
#include "error.h"

#define DATABASE_DEFAULT "ktrace"
#define CONNECT_S 10L
/* Time for one statement, or batch of rows: a server that hangs does not answer. */
#define WAIT_S 300u
/* A host that has gone does not say so: after this time without a packet, it is asked. */
#define KEEPALIVE_S 30L

#define MEMBER(member) OPTION_MEMBER(struct clickhouse_options, member)

const struct option_row clickhouse_options[] = {
	{ .help = "\n"
	  "ClickHouse:\n" },
	{ .name = "creds", .value = "FILE", .text = MEMBER(creds),
	  .help = "log in with the USER:PASSWORD in FILE" },
	{ .name = "ca", .value = "FILE", .text = MEMBER(ca),
	  .help = "with https://, trust the authorities in FILE (default:\n"
		  "those of the system)" },
	{ .help = NULL },
};

static size_t scheme_length(const char *url)
{
	return !strncmp(url, "http://", 7) ? 7 : !strncmp(url, "https://", 8) ? 8 : 0;
}

bool clickhouse_is_url(const char *text)
{
	return scheme_length(text);
}

static bool is_database(const char *name)
{
	const size_t size = strlen(name);

	for (const char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '_')
			return false;
	return size && size <= CLICKHOUSE_DATABASE_MAX;
}

const char *clickhouse_wrong(const struct clickhouse_options *o)
{
	const size_t scheme = scheme_length(o->url), server = scheme +
		strcspn(o->url + scheme, "/");
	const char *database = o->url + server, *wrong;

	if (!scheme || server == scheme)
		return "the URL of ClickHouse: not http://HOST:PORT[/DATABASE] or https://";
	/* All users of a machine see command lines. */
	if (memchr(o->url + scheme, '@', server - scheme))
		return "the URL of ClickHouse: no name or password in it, use --creds FILE";
	if (*database && database[1] && !is_database(database + 1))
		return "the URL of ClickHouse: a name of a database has letters, digits and _";
	wrong = option_unreadable("--creds", o->creds);
	return wrong ? wrong : option_unreadable("--ca", o->ca);
}

/* Reads USER:PASSWORD, the first line. */
static bool read_login(struct clickhouse *c)
{
	const char *path = c->options->creds;
	FILE *file = path ? fopen(path, "re") : NULL;
	bool is_read;

	if (!path)
		return true;
	is_read = file && fgets(c->login, sizeof(c->login), file);
	if (file)
		fclose(file);
	c->login[strcspn(c->login, "\n")] = '\0';
	if (!is_read || !strchr(c->login, ':'))
		complain_about(path, "%s", file ? "its first line is not USER:PASSWORD" :
			       strerror(errno));
	return is_read && strchr(c->login, ':');
}

bool clickhouse_init(struct clickhouse *c, const struct clickhouse_options *o)
{
	const size_t scheme = scheme_length(o->url);
	const size_t server = scheme + strcspn(o->url + scheme, "/");
	const char *database = o->url[server] && o->url[server + 1] ? o->url + server + 1 :
			       DATABASE_DEFAULT;

	*c = (struct clickhouse){ .options = o, .wait_s = WAIT_S };
	strcpy(c->database, database);
	if (!read_login(c))
		return false;
	c->server = strndup(o->url, server);
	c->curl = curl_easy_init();
	if (c->server && c->curl)
		return true;
	complain_safely("ktrace: %s", strerror(ENOMEM));
	clickhouse_exit(c);
	return false;
}

void clickhouse_exit(struct clickhouse *c)
{
	curl_easy_cleanup(c->curl);
	free(c->server);
	c->curl = NULL;
	c->server = NULL;
}

void clickhouse_put_name(struct ktrace_out *out, const char *name)
{
	ktrace_out_char(out, '`');
	for (; *name; name++) {
		if (*name == '`' || *name == '\\')
			ktrace_out_char(out, '\\');
		ktrace_out_char(out, *name);
	}
	ktrace_out_char(out, '`');
}

void clickhouse_put_text(struct ktrace_out *out, const char *text)
{
	ktrace_out_char(out, '\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			ktrace_out_char(out, '\\');
		ktrace_out_char(out, *text);
	}
	ktrace_out_char(out, '\'');
}

/**
 * struct answer - where an answer goes
 * @curl:	tells whether it is an error
 * @to:		the answer of a statement that succeeds, NULL = nobody wants it
 * @c:		gets the text of an error
 * @len:	of that text
 * @error:	writing to @to failed: errno
 */
struct answer {
	CURL *curl;
	FILE *to;
	struct clickhouse *c;
	size_t len;
	int error;
};

static size_t on_answer(char *data, size_t size, size_t nr, void *arg)
{
	struct answer *a = arg;
	const size_t n = size * nr, room = sizeof(a->c->error) - 1 - a->len;
	long status = 0;

	curl_easy_getinfo(a->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status == 200) {
		if (a->to && fwrite(data, 1, n, a->to) != n)
			a->error = errno ? errno : EIO;
		return a->error ? 0 : n;
	}
	memcpy(a->c->error + a->len, data, n < room ? n : room);
	a->len += n < room ? n : room;
	a->c->error[a->len] = '\0';
	return n;
}

/* Returns the URL with its parameters; NULL: no memory. */
static char *make_url(struct clickhouse *c, const char *statement, const char *settings,
		      bool has_database)
{
	char *query = statement ? curl_easy_escape(c->curl, statement, 0) : NULL, *url = NULL;

	if ((statement && !query) ||
	    asprintf(&url, "%s/?%s%s%s%s%s", c->server, has_database ? "database=" : "",
		     has_database ? c->database : "", query ? "&query=" : "", query ? query : "",
		     settings) < 0)
		url = NULL;
	curl_free(query);
	return url;
}

/* struct request - @statement: in the URL, NULL = it is the body */
struct request {
	const char *statement;
	const char *settings;
	bool has_database;
	const void *body;
	size_t size;
	FILE *to;
};

static bool failed(struct clickhouse *c, const char *text)
{
	snprintf(c->error, sizeof(c->error), "%s", text);
	return false;
}

/* Ends a request after a signal; libcurl asks once a second at least. */
static int is_stopped(void *arg, curl_off_t to_get, curl_off_t got, curl_off_t to_send,
		      curl_off_t sent)
{
	const struct clickhouse *c = arg;

	(void)to_get;
	(void)got;
	(void)to_send;
	(void)sent;
	return c->stop && *c->stop;
}

/* Sets how long a request may take. */
static void set_patience(struct clickhouse *c)
{
	curl_easy_setopt(c->curl, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	curl_easy_setopt(c->curl, CURLOPT_TIMEOUT, (long)c->wait_s);
	curl_easy_setopt(c->curl, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(c->curl, CURLOPT_TCP_KEEPIDLE, KEEPALIVE_S);
	curl_easy_setopt(c->curl, CURLOPT_TCP_KEEPINTVL, KEEPALIVE_S);
	curl_easy_setopt(c->curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(c->curl, CURLOPT_XFERINFOFUNCTION, is_stopped);
	curl_easy_setopt(c->curl, CURLOPT_XFERINFODATA, c);
}

static bool run_request(struct clickhouse *c, const struct request *r)
{
	char *url = make_url(c, r->statement, r->settings, r->has_database), text[CURL_ERROR_SIZE];
	struct answer a = { .curl = c->curl, .to = r->to, .c = c };
	long status = 0;
	CURLcode ret;

	c->code = 0;
	c->is_refusal = false;
	c->error[0] = '\0';
	text[0] = '\0';
	if (!url)
		return failed(c, strerror(ENOMEM));
	/* Keeps the connection, and nothing else. */
	curl_easy_reset(c->curl);
	curl_easy_setopt(c->curl, CURLOPT_URL, url);
	curl_easy_setopt(c->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c->curl, CURLOPT_PROXY, "");
	curl_easy_setopt(c->curl, CURLOPT_PROTOCOLS_STR, "http,https");
	set_patience(c);
	curl_easy_setopt(c->curl, CURLOPT_ERRORBUFFER, text);
	curl_easy_setopt(c->curl, CURLOPT_POSTFIELDS, r->body);
	curl_easy_setopt(c->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->size);
	curl_easy_setopt(c->curl, CURLOPT_WRITEFUNCTION, on_answer);
	curl_easy_setopt(c->curl, CURLOPT_WRITEDATA, &a);
	if (c->login[0]) {
		curl_easy_setopt(c->curl, CURLOPT_USERPWD, c->login);
		curl_easy_setopt(c->curl, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
	}
	if (c->options->ca)
		curl_easy_setopt(c->curl, CURLOPT_CAINFO, c->options->ca);
	ret = curl_easy_perform(c->curl);
	curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &status);
	/* Its buffers are gone after this. */
	curl_easy_reset(c->curl);
	free(url);
	if (a.error)
		return failed(c, strerror(a.error));
	if (ret != CURLE_OK)
		return failed(c, text[0] ? text : curl_easy_strerror(ret));
	if (status == 200)
		return true;
	clickhouse_take_error(c, status);
	return false;
}

bool clickhouse_ask(struct clickhouse *c, const char *statement, const char *settings, FILE *to)
{
	char *all = NULL;
	bool is_done;

	/* An error in the middle of an answer would look like a part of it. */
	if (asprintf(&all, "&wait_end_of_query=1%s", settings) < 0)
		return failed(c, strerror(ENOMEM));
	is_done = run_request(c, &(struct request){
		.settings = all, .has_database = true, .body = statement,
		.size = strlen(statement), .to = to,
	});
	free(all);
	return is_done;
}

bool clickhouse_do(struct clickhouse *c, const char *statement)
{
	return run_request(c, &(struct request){
		.settings = "", .has_database = true, .body = statement,
		.size = strlen(statement),
	});
}

bool clickhouse_make_database(struct clickhouse *c)
{
	char statement[CLICKHOUSE_DATABASE_MAX + 64];

	snprintf(statement, sizeof(statement), "CREATE DATABASE IF NOT EXISTS `%s`", c->database);
	return run_request(c, &(struct request){
		.settings = "", .body = statement, .size = strlen(statement),
	});
}

bool clickhouse_insert(struct clickhouse *c, const char *statement, const void *rows, size_t size)
{
	return run_request(c, &(struct request){
		.statement = statement, .settings = "", .has_database = true, .body = rows,
		.size = size,
	});
}

void clickhouse_complain(const struct clickhouse *c, const char *what)
{
	complain_about(c->options->url, "%s%s%s", what, *what ? ": " : "", c->error);
}
