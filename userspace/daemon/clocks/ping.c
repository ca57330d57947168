// SPDX-License-Identifier: GPL-2.0
/* ping.c - what asker and answerer of pings share */
#include "ping.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/read_text.h"

int ping_self_init(struct ping_self *self)
{
	struct ktrace_session_info info;
	char boot[64];

	ktrace_session_info(self->session, &info);
	self->clock = info.clock == KTRACE_CLOCK_TSC ? PING_TSC : PING_MONOTONIC;
	if (!read_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot)) ||
	    !ping_boot_read(boot, self->boot))
		return -ENODATA;
	return 0;
}

struct ping_stamp ping_now(const struct ping_self *self)
{
	struct ping_stamp now = { .raw = ktrace_session_stamp(self->session) };

	now.mono_ns = self->clock == PING_MONOTONIC ? now.raw : now_ns();
	return now;
}

__u64 ping_random(void)
{
	__u64 n = 0;

	/* So few bytes are never delivered in part; fails only if a signal comes. */
	while (getrandom(&n, sizeof(n), 0) < 0 || !n)
		;
	return n;
}

static bool is_possible(const struct ping_exchange *e)
{
	if (e->sent.raw <= e->received.raw)
		return e->received_there.raw <= e->sent_there.raw;
	return e->sent_there.raw <= e->received_there.raw;
}

bool ping_put(const struct ping_self *self, const struct ping_exchange *e)
{
	struct ktrace_text *t = self->meta;
	char boot[PING_BOOT_TEXT];

	if (!is_possible(e))
		return false;
	ping_boot_write(e->boot, boot);
	ktrace_text_line(t, "ping");
	ktrace_text_u64(t, "ts", e->sent.raw > e->received.raw ? e->sent.raw : e->received.raw);
	ktrace_text_str(t, "peer_boot", boot);
	ktrace_text_str(t, "peer", e->peer);
	ktrace_text_str(t, "peer_clock", e->clock == PING_TSC ? "tsc" : "monotonic");
	ktrace_text_u64(t, "sent", e->sent.raw);
	ktrace_text_u64(t, "received_there", e->received_there.raw);
	ktrace_text_u64(t, "sent_there", e->sent_there.raw);
	ktrace_text_u64(t, "received", e->received.raw);
	ktrace_text_u64(t, "received_there_ns", e->received_there.mono_ns);
	ktrace_text_u64(t, "sent_there_ns", e->sent_there.mono_ns);
	return true;
}

/* Copies @n bytes as text; returns false if they do not fit or are none. */
static bool copy(char *to, size_t size, const char *from, size_t n)
{
	if (!n || n >= size)
		return false;
	memcpy(to, from, n);
	to[n] = '\0';
	return true;
}

static bool is_port(const char *text)
{
	const size_t n = strspn(text, "0123456789");

	return n && n <= 5 && !text[n];
}

bool ping_split(const char *text, bool is_local, char *host, char *port, size_t size)
{
	const char *end = *text == '[' ? strchr(text, ']') : NULL, *colon = strchr(text, ':');

	snprintf(port, size, "%s", PING_PORT_DEFAULT);
	*host = '\0';
	if (*text == '[') {
		if (!end || !copy(host, size, text + 1, (size_t)(end - text - 1)))
			return false;
		text = end + 1;
		if (!*text)
			return !is_local;
		return *text == ':' && is_port(text + 1) &&
		       copy(port, size, text + 1, strlen(text + 1));
	}
	if (is_local && is_port(text))
		return copy(port, size, text, strlen(text));
	/* Several colons without a port: an address of IPv6 */
	if (!colon || strchr(colon + 1, ':'))
		return !is_local && copy(host, size, text, strlen(text));
	return is_port(colon + 1) && copy(port, size, colon + 1, strlen(colon + 1)) &&
	       copy(host, size, text, (size_t)(colon - text));
}

void ping_address(const struct sockaddr *addr, socklen_t size, char text[PING_ADDRESS_SIZE])
{
	static const char mapped[] = "::ffff:";

	if (getnameinfo(addr, size, text, PING_ADDRESS_SIZE, NULL, 0, NI_NUMERICHOST))
		strcpy(text, "?");
	/* An address of IPv4 at a socket of IPv6 */
	if (!strncmp(text, mapped, strlen(mapped)) && strchr(text, '.'))
		memmove(text, text + strlen(mapped), strlen(text + strlen(mapped)) + 1);
}
