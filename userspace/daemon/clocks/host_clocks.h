/* SPDX-License-Identifier: GPL-2.0 */
/*
 * host_clocks.h - what a recording notes about the clocks of its host and of others
 *
 * Readings of the clocks themselves are lines of output/meta.c.
 */
#ifndef KTRACED_CLOCKS_HOST_CLOCKS_H
#define KTRACED_CLOCKS_HOST_CLOCKS_H

#include "ping_answerer.h"
#include "ping_asker.h"
#include "time_sources.h"

#define PING_INTERVAL_DEFAULT_MS 1000u
#define PING_INTERVAL_MIN_MS 100u

/**
 * struct clock_options - options of ktraced
 * @sources:	--clock-sources
 * @pings:	--ping
 * @ping_nr:	number of @pings
 * @interval_ms: --ping-interval, 0 = the default
 * @answer:	--answer-pings, NULL = not given
 */
struct clock_options {
	struct time_source_choice sources;
	const char *pings[PING_PEERS_MAX];
	unsigned int ping_nr;
	__u64 interval_ms;
	const char *answer;
};

/**
 * struct host_clocks - state
 * @loop:	the loop, NULL before host_clocks_begin()
 * @timers:	of the loop
 * @sources:	programs that synchronise clocks
 * @self:	this recorder
 * @asker:	of pings
 * @answerer:	of pings
 */
struct host_clocks {
	struct loop *loop;
	struct timers timers;
	struct time_sources sources;
	struct ping_self self;
	struct ping_asker asker;
	struct ping_answerer answerer;
};

/**
 * host_clocks_open - open the sockets, before the command starts
 * @h:		zeroed
 * @o:		the options; they stay
 * @session:	its clock stamps the lines
 * @meta:	gets the lines
 *
 * May wait for names of hosts to be looked up.
 *
 * Return: 0 or -errno, which has been reported.
 */
int host_clocks_open(struct host_clocks *h, const struct clock_options *o,
		     struct ktrace_session *session, struct ktrace_text *meta);
/* From now on asks and answers. Returns 0 or -errno. */
int host_clocks_begin(struct host_clocks *h, struct loop *loop);
/* Stops; the loop still exists. */
void host_clocks_end(struct host_clocks *h);
/*
 * Reports pings without an answer, and datagrams that were ignored; closes the sockets. No-op if it
 * was not opened.
 */
void host_clocks_close(struct host_clocks *h);

#endif
