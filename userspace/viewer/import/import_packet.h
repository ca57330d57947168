/* SPDX-License-Identifier: GPL-2.0 */
/* import_packet.h - packets in events of LTTng as net:queue and net:receive have them */
#ifndef VIEWER_IMPORT_IMPORT_PACKET_H
#define VIEWER_IMPORT_IMPORT_PACKET_H

#include <ktrace/decode.h>
#include <linux/ktrace_events.h>

/** import_packet_is - true if the type tells headers of a packet */
bool import_packet_is(const struct ktrace_event_type *type);

/** import_packet_is_copied - true if field @name is not told by net:queue as it is */
bool import_packet_is_copied(const char *name);

/**
 * import_packet_read - read the headers
 * @type:	the type, for which import_packet_is() is true
 * @values:	values by field, count 0 = missing
 * @is_sent:	the packet was sent, so @len includes the header of Ethernet
 * @net:	out; 0 what is not told
 */
void import_packet_read(const struct ktrace_event_type *type, const struct ktrace_value *values,
			bool is_sent, struct ktrace_ev_net *net);

#endif
