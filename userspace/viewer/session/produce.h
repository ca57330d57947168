/* SPDX-License-Identifier: GPL-2.0 */
/* produce.h - ktrace as a producer */
#ifndef VIEWER_SESSION_PRODUCE_H
#define VIEWER_SESSION_PRODUCE_H

#include "session.h"

/* Offers ktrace.user and ktrace.kernel until the user stops it. Returns the exit status. */
int session_produce(struct session *s);

#endif
