// SPDX-License-Identifier: GPL-2.0
/* clock_options.c - options of ktraced about clocks */
#include "clock_options.h"

#include <ktrace/when.h>

#include "base/clock.h"

#define TEXT_SIZE 256

bool option_time(const char *text, __u64 *ns)
{
	struct ktrace_when when;

	if (!ktrace_when_parse(text, &when) || !when.is_relative)
		return false;
	*ns = when.ns;
	return when.ns;
}

static const char *set_sources(void *to, const char *text)
{
	struct clock_options *c = to;

	if (time_sources_parse(text, &c->sources))
		return NULL;
	return option_wrong("--clock-sources needs none, or chrony, ptp4l or both, not '%s'", text);
}

static const char *add_ping(void *to, const char *text)
{
	struct clock_options *c = to;
	char host[TEXT_SIZE], port[TEXT_SIZE];

	if (!ping_split(text, false, host, port, TEXT_SIZE))
		return option_wrong("--ping needs HOST or HOST:PORT, not '%s'", text);
	if (c->ping_nr == PING_PEERS_MAX)
		return option_wrong("too many hosts to ping, at '%s'", text);
	c->pings[c->ping_nr++] = text;
	return NULL;
}

static const char *set_interval(void *to, const char *text)
{
	struct clock_options *c = to;
	__u64 ns;

	if (!option_time(text, &ns) || ns < PING_INTERVAL_MIN_MS * NS_PER_MS)
		return option_wrong("--ping-interval needs a time of 100ms or more, not '%s'",
				    text);
	c->interval_ms = ns / NS_PER_MS;
	return NULL;
}

static const char *set_answer(void *to, const char *text)
{
	struct clock_options *c = to;
	char host[TEXT_SIZE], port[TEXT_SIZE];

	if (!ping_split(text, true, host, port, TEXT_SIZE))
		return option_wrong("--answer-pings needs PORT or ADDRESS:PORT, not '%s'", text);
	c->answer = text;
	return NULL;
}

const struct option_row clock_options[] = {
	{ .help = "\n"
	  "Clocks, to compare with traces of other hosts:\n" },
	{ .name = "clock-sources", .value = "LIST", .set = set_sources,
	  .help = "record what these say about the clock: chrony, ptp4l;\n"
		  "none (default: both where they run)" },
	{ .name = "ping", .value = "HOST[:PORT]", .set = add_ping,
	  .help = "exchange time stamps with the recorder there, which\n"
		  "has --answer-pings; may be repeated (port 47824)" },
	{ .name = "ping-interval", .value = "TIME", .set = set_interval,
	  .help = "time between pings, 100ms or more (default: 1s)" },
	{ .name = "answer-pings", .value = "ADDRESS:PORT", .set = set_answer,
	  .help = "answer pings of other recorders at this UDP port;\n"
		  "PORT alone: at all addresses" },
	{ .help = NULL },
};

bool clock_options_any(const struct clock_options *c)
{
	return c->ping_nr || c->answer || c->sources.is_given;
}
