/* SPDX-License-Identifier: GPL-2.0 */
/* trigger.h - names that producers and consumers fire, and what sessions do then (PFT-80..82) */
#ifndef KTRACED_SERVICE_SESSION_TRIGGER_H
#define KTRACED_SERVICE_SESSION_TRIGGER_H

#include "producer.h"
#include "service.h"
#include "service_packets.h"
#include "session.h"

/* Names in one call */
#define TRIGGER_NAMES_MAX 1024

/*
 * All names of @request; then @call is answered. Until then the producer's calls wait.
 * Return: false if there are too many, or there is no memory.
 */
bool trigger_fire(struct producer *p, const struct call *call,
		  const Pft__ActivateTriggersRequest *request);
/* The producer goes. */
void trigger_stop(struct producer *p);
/* The session ends: clones that were to be asked for are not. */
void trigger_cancel(struct session *session);
/* What was fired when. */
void trigger_forget(struct service *s);

#endif
