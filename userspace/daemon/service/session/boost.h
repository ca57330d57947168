/* SPDX-License-Identifier: GPL-2.0 */
/* boost.h - priority_boost: the service runs with the highest priority that a session asked for */
#ifndef KTRACED_SERVICE_SESSION_BOOST_H
#define KTRACED_SERVICE_SESSION_BOOST_H

#include "session.h"

/* @more: a session that is about to begin, NULL: one has gone. Return: 0 or -errno. */
int boost_update(const struct service *s, const Pft__TraceConfig *more);

#endif
