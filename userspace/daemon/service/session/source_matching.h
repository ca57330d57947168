/* SPDX-License-Identifier: GPL-2.0 */
/*
 * source_matching.h - a session looks at all data sources, one after the other, for those it wants
 *
 * In turns (work.h): regular expressions for names of producers may take long. A source that is
 * registered later is behind all others, and is looked at then.
 */
#ifndef KTRACED_SERVICE_SESSION_SOURCE_MATCHING_H
#define KTRACED_SERVICE_SESSION_SOURCE_MATCHING_H

#include "producer.h"
#include "session.h"

/* At all sources that there are now; then session_start() has its effect. */
void source_matching_begin(struct session *session);
/* Once more, as its filters have changed. */
void source_matching_again(struct session *session);
void source_matching_stop(struct session *session);
/* All sessions look at @source, which was registered just now; it is going away. */
void source_matching_added(struct service *s, struct source *source);
void source_matching_removed(struct service *s, struct source *source);

#endif
