/* SPDX-License-Identifier: GPL-2.0 */
/* trigger.h - names that producers and consumers fire, and what sessions do then (PFT-80..82) */
#ifndef KTRACED_SERVICE_TRIGGER_H
#define KTRACED_SERVICE_TRIGGER_H

#include <stddef.h>
#include <sys/types.h>

#include "own.h"
#include "service.h"
#include "session.h"

/* @from: name of the producer, as far as configurations choose by it. */
void trigger_fire(struct service *s, const char *from, uid_t uid, char *const *names, size_t nr);
/* The session ends: clones that were to be asked for are not. */
void trigger_cancel(struct session *session);
/* What was fired when. */
void trigger_forget(struct service *s);

#endif
