/* SPDX-License-Identifier: GPL-2.0 */
/*
 * instance.h - a data source of one producer, set up for one session
 *
 *   CONFIGURED --start--> STARTING --ack--> STARTED --stop--> STOPPING --ack--> STOPPED
 *        |                                     ^                                   ^
 *        +-- sources that do not acknowledge --+-----------------------------------+
 */
#ifndef KTRACED_SERVICE_SESSION_INSTANCE_H
#define KTRACED_SERVICE_SESSION_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "producer.h"
#include "session.h"

enum instance_state {
	INSTANCE_CONFIGURED,
	INSTANCE_STARTING,
	INSTANCE_STARTED,
	INSTANCE_STOPPING,
	INSTANCE_STOPPED,
};

struct instance {
	TAILQ_ENTRY(instance) link;
	struct session *session;
	size_t wish;			/* index of the data source in the session */
	const struct source *source;
	struct producer *producer;
	uint64_t id;
	enum instance_state state;
	Pft__DataSourceConfig *config;	/* as sent to the producer; the session owns it */
	bool acks_start, acks_stop, clears_state, is_flushed;
};

/* Sets up @source for the session's data source @wish, and starts it if the session runs. */
void instance_join(struct session *session, size_t wish, struct source *source);
/* Stops and removes the instances of @p; @source: only those of this one, NULL: all. */
void instances_leave(struct session *session, struct producer *p, const struct source *source);
/*
 * Takes new name filters from ChangeTraceConfig, then sets up and starts what matches now. The
 * n-th data source of a name in @config is for the session's n-th one of that name.
 */
void instances_widen(struct session *session, const Pft__TraceConfig *config);

/* True if the data source @wish is to be recorded now: neither disabled nor paused. */
bool instances_are_wanted(const struct session *session, size_t wish);
/* Stops instances of data sources that are no longer wanted, and makes those that are missing. */
void instances_switch(struct session *session);

void instances_start(struct session *session);
void instances_stop(struct session *session, bool now);
/* Marks all as stopped: acknowledgements are no longer awaited. */
void instances_stopped(struct session *session);
void instances_free(struct session *session);

/* Handle a producer's report about its instance; ignore one that does not fit the state. */
void instance_started(struct producer *p, uint64_t id);
void instance_has_stopped(struct producer *p, uint64_t id);

bool instances_all(const struct session *session, enum instance_state state);

#endif
