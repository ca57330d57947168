/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clickhouse.h - statements for a ClickHouse server, over HTTP
 *
 * Only what a server of 2018 has, too (18.16 of Debian): no parameters, no transactions.
 */
#ifndef VIEWER_CLICKHOUSE_CLICKHOUSE_H
#define VIEWER_CLICKHOUSE_CLICKHOUSE_H

#include <linux/types.h>
#include <ktrace/decode.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/option_table.h"

#define CLICKHOUSE_DATABASE_MAX 64

/* Numbers of errors of statements that are right */
#define CLICKHOUSE_TIMEOUT 159
#define CLICKHOUSE_TOO_SLOW 160
#define CLICKHOUSE_MEMORY 241

/**
 * struct clickhouse_options - where the server is, and who we are there
 * @url:	http://HOST:PORT or https://, /NAME at the end: the database
 * @creds:	file with USER:PASSWORD, NULL = none
 * @ca:		file with certificates of authorities, NULL = those of the system
 */
struct clickhouse_options {
	const char *url;
	const char *creds;
	const char *ca;
};

/**
 * struct clickhouse - a server
 * @options:	where it is
 * @curl:	libcurl's handle
 * @server:	the URL without the database
 * @database:	its name
 * @login:	USER:PASSWORD, "" = none
 * @wait_s:	how long a statement may take, 0 = for ever; clickhouse_init() sets five minutes
 * @stop:	a signal handler may set this to end a statement, NULL = none does
 * @error:	what was wrong with the last statement
 * @code:	number of the error that the server answered, 0 = it did not answer
 * @is_refusal:	the error is one of the statement or its rows; else the server or the way to it has
 *		a trouble, and the same may succeed later
 */
struct clickhouse {
	const struct clickhouse_options *options;
	void *curl;
	char *server;
	char database[CLICKHOUSE_DATABASE_MAX + 1];
	char login[256];
	unsigned int wait_s;
	const volatile sig_atomic_t *stop;
	char error[1024];
	unsigned int code;
	bool is_refusal;
};

/* The options --creds and --ca; they refer to a struct clickhouse_options. */
extern const struct option_row clickhouse_options[];
/* True for http:// and https:// */
bool clickhouse_is_url(const char *text);
/* Returns what is wrong with the options, NULL = nothing. */
const char *clickhouse_wrong(const struct clickhouse_options *o);

/* Return: false, as reported, without memory or if the file with the password cannot be used. */
bool clickhouse_init(struct clickhouse *c, const struct clickhouse_options *o);
void clickhouse_exit(struct clickhouse *c);

/*
 * These return false after an error, which is in @error.
 *
 * Asks; the whole answer goes to @to. @settings: of the server, "&name=value...", or "".
 */
bool clickhouse_ask(struct clickhouse *c, const char *statement, const char *settings, FILE *to);
/* Runs a statement without an answer; one that makes the database may run before there is one. */
bool clickhouse_do(struct clickhouse *c, const char *statement);
bool clickhouse_make_database(struct clickhouse *c);
/* Adds rows: @statement is INSERT INTO ... FORMAT ..., @rows its data. */
bool clickhouse_insert(struct clickhouse *c, const char *statement, const void *rows, size_t size);
/* Reports @error. */
void clickhouse_complain(const struct clickhouse *c, const char *what);

/* Writes a name, or a text, as they are in statements, in quotes. */
void clickhouse_put_name(struct ktrace_out *out, const char *name);
void clickhouse_put_text(struct ktrace_out *out, const char *text);

#endif
