/* SPDX-License-Identifier: GPL-2.0 */
/*
 * source_matching.h - a session examines all data sources, one by one, for those it wants
 *
 * Works in steps (work.h), as regular expressions for names of producers may take long. A source
 * registered later is at the end of the list, and is examined then.
 */
#ifndef KTRACED_SERVICE_SESSION_SOURCE_MATCHING_H
#define KTRACED_SERVICE_SESSION_SOURCE_MATCHING_H

#include "producer.h"
#include "session.h"

/* Examines all current sources; session_start() takes effect only after that. */
void source_matching_begin(struct session *session);
/* Examines all sources again, as the filters have changed. */
void source_matching_again(struct session *session);
void source_matching_stop(struct session *session);
/* Called when @source was registered, for all sessions to examine; and when it is removed. */
void source_matching_added(struct service *s, struct source *source);
void source_matching_removed(struct service *s, struct source *source);

#endif
