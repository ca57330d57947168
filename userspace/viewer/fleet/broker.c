// SPDX-License-Identifier: GPL-2.0
/*
 * broker.c - the connection to a NATS server
 *
 * The library's own reconnection is off: after a trouble of any kind our callers begin anew, with
 * a new connection, so that there is one way in which things go on, and it is used often.
 */
#include "broker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/viewer.h"

/* Time to connect */
#define CONNECT_MS 3000
/* Time in which the broker drops repeats by their id, its default */
#define DUPLICATES_NS (120 * (int64_t)NS_PER_S)
/* Bytes that wait in a stream that we make: then hosts wait */
#define STREAM_BYTES ((int64_t)1 << 30)

/* A trouble that comes back this soon is not told again */
#define QUIET_NS (60 * NS_PER_S)

#define MEMBER(member) OPTION_MEMBER(struct broker_options, member)

const struct option_row broker_options[] = {
	{ .help = "\n"
	  "The broker:\n" },
	{ .name = "creds", .value = "FILE", .text = MEMBER(creds),
	  .help = "log in with these credentials (a JWT and an NKEY)" },
	{ .name = "ca", .value = "FILE", .text = MEMBER(ca),
	  .help = "use TLS, and trust the authorities in FILE (default:\n"
		  "with tls://, those of the system)" },
	{ .name = "cert", .value = "FILE", .text = MEMBER(cert),
	  .help = "use TLS, and show this certificate" },
	{ .name = "key", .value = "FILE", .text = MEMBER(key),
	  .help = "the key of --cert" },
	{ .help = NULL },
};

const char *broker_wrong(const struct broker_options *o)
{
	const char *wrong = nats_url_wrong(o->url);

	if (wrong)
		return option_wrong("the URL of the broker: %s", wrong);
	if (!o->cert != !o->key)
		return "--cert and --key need each other";
	wrong = option_unreadable("--creds", o->creds);
	if (!wrong)
		wrong = option_unreadable("--ca", o->ca);
	if (!wrong)
		wrong = option_unreadable("--cert", o->cert);
	return wrong ? wrong : option_unreadable("--key", o->key);
}

void broker_init(struct broker *b, const struct broker_options *o)
{
	const char *slash = strchr(o->url + nats_url_scheme(o->url), '/');

	*b = (struct broker){ .options = o, .purpose = "" };
	strcpy(b->stream, slash && slash[1] ? slash + 1 : NATS_STREAM_DEFAULT);
}

/*
 * Returns where to note a trouble; NULL: it need not be told, as it is on, or was told just before:
 * a broker that is nearly full takes and refuses messages in turns.
 */
static struct broker_trouble *find_trouble(struct broker *b, const char *text)
{
	struct broker_trouble *t, *free = NULL;

	for (t = b->told; t < b->told + b->told_nr; t++) {
		if (!strcmp(text, t->text))
			return t->is_on || now_ns() - t->told_ns < QUIET_NS ? NULL : t;
		if (!t->is_on)
			free = t;
	}
	if (b->told_nr < BROKER_TOLD)
		free = &b->told[b->told_nr++];
	if (free)
		strcpy(free->text, text);
	return free;
}

void broker_tell(struct broker *b, const char *what, natsStatus s)
{
	const char *detail = s == NATS_OK ? NULL : nats_GetLastError(NULL);
	char text[sizeof(b->told[0].text)];
	struct broker_trouble *t;

	/* "(conn.c:2088): No server available for connection" */
	if (detail && *detail == '(' && strstr(detail, "): "))
		detail = strstr(detail, "): ") + 3;
	if (!detail || !*detail)
		detail = natsStatus_GetText(s);
	if (s == NATS_OK)
		snprintf(text, sizeof(text), "%s", what);
	else
		snprintf(text, sizeof(text), "%s: %s", what, detail);
	t = find_trouble(b, text);
	if (!t)
		return;
	t->is_on = true;
	t->told_ns = now_ns();
	complain_about(b->options->url, "%s%s%s", b->purpose, text,
		       b->is_once ? "" : "; trying again");
}

void broker_works(struct broker *b)
{
	bool was_on = false;

	for (unsigned int i = 0; i < b->told_nr; i++) {
		was_on |= b->told[i].is_on;
		b->told[i].is_on = false;
	}
	if (was_on)
		complain_about(b->options->url, "%sworks again", b->purpose);
}

/* Gives the library the servers, which are separated by commas and share a scheme. */
static natsStatus set_servers(natsOptions *opts, const char *url)
{
	const size_t scheme = nats_url_scheme(url);
	char *copy = strdup(url + scheme), *rest = copy, *server;
	const char *servers[64];
	natsStatus s = copy ? NATS_OK : NATS_NO_MEMORY;
	int nr = 0;

	if (copy)
		copy[strcspn(copy, "/")] = '\0';
	while (copy && (server = strsep(&rest, ",")) && nr < 64) {
		char *full;

		if (asprintf(&full, "%.*s%s", (int)scheme, url, server) < 0)
			s = NATS_NO_MEMORY;
		else
			servers[nr++] = full;
	}
	if (s == NATS_OK)
		s = natsOptions_SetServers(opts, servers, nr);
	while (nr)
		free((char *)servers[--nr]);
	free(copy);
	return s;
}

static natsStatus set_tls(natsOptions *opts, const struct broker_options *o)
{
	const bool is_wanted = o->ca || o->cert || !strncmp(o->url, "tls://", 6);
	natsStatus s = is_wanted ? natsOptions_SetSecure(opts, true) : NATS_OK;

	if (s == NATS_OK && o->ca)
		s = natsOptions_LoadCATrustedCertificates(opts, o->ca);
	if (s == NATS_OK && o->cert)
		s = natsOptions_LoadCertificatesChain(opts, o->cert, o->key);
	return s;
}

static natsStatus open_connection(struct broker *b)
{
	const struct broker_options *o = b->options;
	natsOptions *opts = NULL;
	natsStatus s = natsOptions_Create(&opts);

	if (s == NATS_OK)
		s = set_servers(opts, o->url);
	if (s == NATS_OK)
		s = set_tls(opts, o);
	if (s == NATS_OK && o->creds)
		s = natsOptions_SetUserCredentialsFromFiles(opts, o->creds, NULL);
	if (s == NATS_OK)
		s = natsOptions_SetTimeout(opts, CONNECT_MS);
	if (s == NATS_OK)
		s = natsOptions_SetAllowReconnect(opts, false);
	if (s == NATS_OK)
		s = natsOptions_SetSendAsap(opts, true);
	if (s == NATS_OK)
		s = natsConnection_Connect(&b->nc, opts);
	natsOptions_Destroy(opts);
	return s;
}

/*
 * Each message has one reader, the store, which removes it by its confirmation. A stream that
 * exists stays as it is: an administrator may have chosen replicas and limits.
 */
static natsStatus make_stream(struct broker *b)
{
	char subject[NATS_STREAM_MAX + sizeof(".data.>")];
	const char *subjects[] = { subject };
	jsStreamInfo *info = NULL;
	jsStreamConfig config;
	jsErrCode error = 0;
	natsStatus s = js_GetStreamInfo(&info, b->js, b->stream, NULL, &error);

	jsStreamInfo_Destroy(info);
	if (s != NATS_NOT_FOUND)
		return s;
	snprintf(subject, sizeof(subject), "%s.data.>", b->stream);
	jsStreamConfig_Init(&config);
	config.Name = b->stream;
	config.Subjects = subjects;
	config.SubjectsLen = 1;
	config.Retention = js_WorkQueuePolicy;
	config.Storage = js_FileStorage;
	config.Discard = js_DiscardNew;
	config.MaxBytes = STREAM_BYTES;
	config.Duplicates = DUPLICATES_NS;
	s = js_AddStream(NULL, b->js, &config, NULL, &error);
	return error == JSStreamNameExistErr ? NATS_OK : s;
}

bool broker_open(struct broker *b)
{
	const natsStatus s = open_connection(b);

	if (s == NATS_OK)
		return true;
	broker_tell(b, "cannot connect", s);
	broker_disconnect(b);
	return false;
}

const char *broker_denies(struct broker *b)
{
	const char *text = NULL;

	/* Its answer to all that was sent before */
	natsConnection_FlushTimeout(b->nc, BROKER_WAIT_MS);
	return natsConnection_GetLastError(b->nc, &text) == NATS_NOT_PERMITTED ? text : NULL;
}

bool broker_connect(struct broker *b)
{
	jsOptions options;
	natsStatus s;

	if (!broker_open(b))
		return false;
	jsOptions_Init(&options);
	options.Wait = BROKER_WAIT_MS;
	s = natsConnection_JetStream(&b->js, b->nc, &options);
	if (s == NATS_OK)
		s = make_stream(b);
	if (s == NATS_OK)
		return true;
	broker_tell(b, "JetStream", s);
	broker_disconnect(b);
	return false;
}

void broker_disconnect(struct broker *b)
{
	jsCtx_Destroy(b->js);
	natsConnection_Destroy(b->nc);
	b->js = NULL;
	b->nc = NULL;
}
