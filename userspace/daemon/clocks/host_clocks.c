// SPDX-License-Identifier: GPL-2.0
/* host_clocks.c - what a recording notes about the clocks of its host and of others */
#include "host_clocks.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/log.h"

static int open_pings(struct host_clocks *h, const struct clock_options *o)
{
	int error = ping_self_init(&h->self);

	if (error) {
		log_error("--ping, --answer-pings: cannot read the boot id: %s", strerror(-error));
		return error;
	}
	for (unsigned int i = 0; i < o->ping_nr && !error; i++)
		error = ping_asker_add(&h->asker, o->pings[i]);
	if (!error && o->answer)
		error = ping_answerer_open(&h->answerer, o->answer);
	return error;
}

int host_clocks_open(struct host_clocks *h, const struct clock_options *o,
		     struct ktrace_session *session, struct ktrace_text *meta)
{
	h->sources.choice = &o->sources;
	h->sources.session = h->self.session = session;
	h->sources.meta = h->self.meta = meta;
	h->asker.self = h->answerer.self = &h->self;
	h->asker.interval_ms = o->interval_ms ? o->interval_ms : PING_INTERVAL_DEFAULT_MS;
	h->answerer.source.fd = -1;
	return o->ping_nr || o->answer ? open_pings(h, o) : 0;
}

int host_clocks_begin(struct host_clocks *h, struct loop *loop)
{
	int error = timers_init(&h->timers, loop, CLOCK_MONOTONIC);

	if (error)
		return error;
	h->loop = loop;
	time_sources_begin(&h->sources, loop, &h->timers);
	error = ping_answerer_begin(&h->answerer, loop);
	return error ? error : ping_asker_begin(&h->asker, loop, &h->timers);
}

void host_clocks_end(struct host_clocks *h)
{
	if (!h->loop)
		return;
	time_sources_end(&h->sources);
	ping_asker_end(&h->asker, h->loop);
	ping_answerer_end(&h->answerer, h->loop);
	timers_exit(&h->timers);
	h->loop = NULL;
}

void host_clocks_close(struct host_clocks *h)
{
	if (!h->self.session)
		return;
	ping_asker_say(&h->asker);
	ping_answerer_say(&h->answerer);
	ping_asker_close(&h->asker);
	ping_answerer_close(&h->answerer);
}
