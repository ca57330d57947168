/* SPDX-License-Identifier: GPL-2.0 */
/* port.h - the two sockets: what may be called there, by number (PFT-16, PFT-17) */
#ifndef KTRACED_SERVICE_SESSION_PORT_H
#define KTRACED_SERVICE_SESSION_PORT_H

#include "service/ipc/peer.h"

extern const struct port producer_port;
extern const struct port consumer_port;

#endif
