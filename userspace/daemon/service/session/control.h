/* SPDX-License-Identifier: GPL-2.0 */
/*
 * control.h - a session's port for ktrace control, with the words of <ktrace/port.h>
 *
 * The port is there until the session is over, however it was made: attached, detached, or by
 * another program's consumer. The protocol of the service has no such access to sessions of other
 * connections. Clones record nothing, and have none.
 */
#ifndef KTRACED_SERVICE_SESSION_CONTROL_H
#define KTRACED_SERVICE_SESSION_CONTROL_H

#include "session.h"

/* Opens the port of a session that was published. A session without one runs all the same. */
void control_open(struct session *session);
void control_close(struct session *session);
/* Measures the pace; called from time to time, and when a status is asked for. */
void control_measure(struct session *session);

#endif
