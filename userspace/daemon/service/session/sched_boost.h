/* SPDX-License-Identifier: GPL-2.0 */
/* sched_boost.h - priority_boost: the service runs with the highest priority of its sessions */
#ifndef KTRACED_SERVICE_SESSION_SCHED_BOOST_H
#define KTRACED_SERVICE_SESSION_SCHED_BOOST_H

#include "session.h"

/* @more: a session about to begin, NULL: one has ended. Return: 0 or -errno. */
int sched_boost_update(const struct service *s, const Pft__TraceConfig *more);

#endif
