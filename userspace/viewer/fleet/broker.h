/* SPDX-License-Identifier: GPL-2.0 */
/* broker.h - the connection to a NATS server with JetStream */
#ifndef VIEWER_FLEET_BROKER_H
#define VIEWER_FLEET_BROKER_H

#include <linux/types.h>
#include <nats/nats.h>
#include <stdbool.h>

#include "base/nats_url.h"
#include "base/option_table.h"

/* Different troubles that are told until all is well again */
#define BROKER_TOLD 4
/* Time that the broker may take for one answer */
#define BROKER_WAIT_MS 5000

/**
 * struct broker_options - where the broker is, and who we are there
 * @url:	nats_url.h
 * @creds:	file with an NKEY and JWT, NULL = none
 * @ca:		file with certificates of authorities, NULL = those of the system
 * @cert:	file with our own certificate, NULL = none
 * @key:	file with its key
 */
struct broker_options {
	const char *url;
	const char *creds;
	const char *ca;
	const char *cert;
	const char *key;
};

/**
 * struct broker_trouble - a trouble that was reported
 * @text:	what was said
 * @told_ns:	when
 * @is_on:	all has not been well since
 */
struct broker_trouble {
	char text[160];
	__u64 told_ns;
	bool is_on;
};

/**
 * struct broker - a connection
 * @options:	how to connect
 * @stream:	name of the stream, from the URL
 * @nc:		NULL = there is none
 * @js:		its JetStream context
 * @purpose:	begins messages about troubles, "" if there is only one connection
 * @is_once:	nobody tries again after a trouble
 * @told:	troubles that were reported: those of the broker and of a store may take turns
 * @told_nr:	number of these
 */
struct broker {
	const struct broker_options *options;
	char stream[NATS_STREAM_MAX + 1];
	natsConnection *nc;
	jsCtx *js;
	const char *purpose;
	bool is_once;
	struct broker_trouble told[BROKER_TOLD];
	unsigned int told_nr;
};

/* The options --creds, --ca, --cert and --key; they refer to a struct broker_options. */
extern const struct option_row broker_options[];
/* Returns what is wrong with the options, NULL = nothing. */
const char *broker_wrong(const struct broker_options *o);

void broker_init(struct broker *b, const struct broker_options *o);
/* Connects, without JetStream. Return: true, or false after broker_tell(). */
bool broker_open(struct broker *b);
/* Returns what the broker does not permit, as far as it has said so; NULL = nothing. */
const char *broker_denies(struct broker *b);
/*
 * Connects, and makes the stream if it is missing. Does not try again by itself. Return: true, or
 * false after broker_tell().
 */
bool broker_connect(struct broker *b);
void broker_disconnect(struct broker *b);
/* Reports a trouble, unless it was reported since all was well. */
void broker_tell(struct broker *b, const char *what, natsStatus s);
/* Notes that all is well: a later trouble is reported again. */
void broker_works(struct broker *b);

#endif
