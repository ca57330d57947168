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
	size_t wish;			/* number of the session's data source */
	const struct source *source;
	struct producer *producer;
	uint64_t id;
	enum instance_state state;
	Pft__DataSourceConfig *config;	/* as the producer gets it: the session's */
	bool acks_start, acks_stop, clears_state, is_flushed;
};

/* Sets up @source, which is what the session wants by @wish, and starts it if the session runs. */
void instance_join(struct session *session, size_t wish, struct source *source);
/* Stops and removes those of @p; @source: of this one only, NULL: all. */
void instances_leave(struct session *session, struct producer *p, const struct source *source);
/*
 * Sets up and starts what matches only with new name filters, from ChangeTraceConfig. Those of the
 * n-th data source of a name are for the n-th one of that name.
 */
void instances_widen(struct session *session, const Pft__TraceConfig *config);

void instances_start(struct session *session);
void instances_stop(struct session *session, bool now);
/* Nobody waits for acknowledgements any more. */
void instances_stopped(struct session *session);
void instances_free(struct session *session);

/* What a producer says of its instance; anything that does not fit its state is ignored. */
void instance_started(struct producer *p, uint64_t id);
void instance_has_stopped(struct producer *p, uint64_t id);

bool instances_all(const struct session *session, enum instance_state state);

#endif
