/* SPDX-License-Identifier: GPL-2.0 */
/* rpc_ports.h - the two sockets, with their methods by number (PFT-16, PFT-17) */
#ifndef KTRACED_SERVICE_SESSION_RPC_PORTS_H
#define KTRACED_SERVICE_SESSION_RPC_PORTS_H

#include "service/ipc/connection.h"

/* A row of a port's methods; see struct method. */
#define METHOD(name, type, invoke, needs_no_end) \
	{ name, &pft__##type##_request__descriptor, invoke, needs_no_end }

extern const struct port producer_port;
extern const struct port consumer_port;

#endif
