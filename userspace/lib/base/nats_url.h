/* SPDX-License-Identifier: LGPL-2.1 */
/* nats_url.h - checks addresses of a message broker: nats://HOST[:PORT][,...][/NAME] */
#ifndef KTRACE_BASE_NATS_URL_H
#define KTRACE_BASE_NATS_URL_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Name of the broker's stream if the URL has none, and the longest one */
#define NATS_STREAM_DEFAULT "ktrace"
#define NATS_STREAM_MAX 32
/* Longest URL */
#define NATS_URL_MAX 1024

/* Returns the scheme's length with "://", 0 = it is none that the client has. */
static inline size_t nats_url_scheme(const char *url)
{
	static const char *const schemes[] = { "nats://", "tls://" };

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (!strncmp(url, schemes[i], strlen(schemes[i])))
			return strlen(schemes[i]);
	return 0;
}

/* True for HOST or HOST:PORT, up to the next comma or slash; HOST may be [IPV6]. */
static inline bool nats_url_is_server(const char *at, size_t size)
{
	const size_t host = *at == '[' ? strcspn(at, "]") + 1 : strcspn(at, ":,/");
	unsigned long port = 0;

	if (!host || host > size || (*at == '[' && host < 3))
		return false;
	if (host == size)
		return true;
	if (at[host] != ':' || size - host < 2 || size - host > 6)
		return false;
	for (size_t i = host + 1; i < size; i++) {
		if (at[i] < '0' || at[i] > '9')
			return false;
		port = port * 10 + (unsigned long)(at[i] - '0');
	}
	return port && port <= 65535;
}

static inline bool nats_url_is_stream(const char *name)
{
	const size_t size = strlen(name);

	for (const char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '-' && *at != '_')
			return false;
	return size && size <= NATS_STREAM_MAX;
}

/*
 * Returns what is wrong with @url, to follow "OPTION: "; NULL = nothing. A name and password in it
 * are refused: all users of a machine see command lines.
 */
static inline const char *nats_url_wrong(const char *url)
{
	size_t n = nats_url_scheme(url);
	const char *at = url + n;

	if (strlen(url) > NATS_URL_MAX)
		return "the URL is too long";
	if (!n)
		return "not a URL such as nats://HOST:4222 or tls://HOST:4222";
	if (strchr(url, '@'))
		return "no user or password in the URL, all users of the machine would see them: "
		       "use a file of credentials";
	do {
		n = strcspn(at, ",/");
		if (!nats_url_is_server(at, n))
			return "not a URL such as nats://HOST:4222: the host or port is wrong";
		at += n + 1;
	} while (at[-1] == ',');
	return !at[-1] || !*at || nats_url_is_stream(at) ? NULL :
	       "the name after the / needs 1 to 32 letters, digits, - and _";
}

#endif
