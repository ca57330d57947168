/* SPDX-License-Identifier: GPL-2.0 */
/* consumer.h - a connected consumer, which has at most one session */
#ifndef KTRACED_SERVICE_SESSION_CONSUMER_H
#define KTRACED_SERVICE_SESSION_CONSUMER_H

#include <stdint.h>

#include "instance.h"
#include "service/ipc/batch.h"
#include "service/ipc/connection.h"
#include "session.h"
#include "trigger.h"

struct clone;
struct opening;
struct waiting;

struct consumer {
	struct service *service;
	struct connection *peer;
	struct session *session;	/* NULL: none, or it was detached */
	struct call enabled;		/* answered when tracing has ended */
	struct call observing;
	uint32_t observed;		/* mask of Pft__ObservableEvents__Type */
	LIST_HEAD(, waiting) waiting;	/* calls that wait for flushes */
	struct opening *opening;	/* while the session's file is opened */
	struct clone *cloning;		/* until the copy is complete */
	/* Reading continues as the peer takes what was sent. */
	struct call reading;
	struct timer read_timer;
	struct batch batch;
};

/* Makes the peer's consumer, @p->end; none if out of memory. */
void consumer_open(struct connection *p);
void consumer_close(struct consumer *c);

/* Tells that the session has been disabled, or could not be enabled: @error, NULL: none. */
void consumer_tell_disabled(struct consumer *c, const char *error);
void consumer_tell_instance(struct consumer *c, const struct instance *i);
/* Return: true if the consumer observes this event. */
bool consumer_tell_all_started(struct consumer *c);
void consumer_tell_clone(struct consumer *c, const struct trigger_hit *hit);

/* Answers @call with all packets available, as fast as the peer takes them. */
void consumer_read(struct consumer *c, const struct call *call);
/* Called when the queue has room again. */
void consumer_read_on(struct consumer *c);

#endif
