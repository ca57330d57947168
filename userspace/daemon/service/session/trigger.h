/* SPDX-License-Identifier: GPL-2.0 */
/* trigger.h - triggers fired by producers and consumers, and what sessions do then (PFT-80..82) */
#ifndef KTRACED_SERVICE_SESSION_TRIGGER_H
#define KTRACED_SERVICE_SESSION_TRIGGER_H

#include "producer.h"
#include "service.h"
#include "service_packets.h"
#include "session.h"

/* Maximum number of names in one call */
#define TRIGGER_NAMES_MAX 1024

/*
 * Fires all names of @request, then answers @call. The producer's calls wait until then.
 * Return: false if there are too many names, or out of memory.
 */
bool trigger_fire(struct producer *p, const struct call *call,
		  const Pft__ActivateTriggersRequest *request);
/* Called when the producer disconnects. */
void trigger_stop(struct producer *p);
/* Called when the session ends: drops clones that were still to be asked for. */
void trigger_cancel(struct session *session);
/* Forgets when triggers were fired. */
void trigger_forget(struct service *s);

#endif
