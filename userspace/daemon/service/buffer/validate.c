// SPDX-License-Identifier: GPL-2.0
/* validate.c - checks what a packet of a producer must not contain */
#include "validate.h"

#include "service/ipc/wire.h"

/*
 * True for fields written only by the service: uid, sequence, pid and machine, configuration,
 * statistics, events and origins of the service, packets within packets, the marker.
 */
static bool is_reserved(uint32_t field)
{
	switch (field) {
	case 3:			/* trusted_uid */
	case 10:		/* trusted_packet_sequence_id */
	case 33:		/* trace_config */
	case 35:		/* trace_stats */
	case 36:		/* synchronization_marker */
	case 50:		/* compressed_packets */
	case 69:		/* service_event */
	case 79:		/* trusted_pid */
	case 98:		/* machine_id */
	case 124:		/* trace_provenance */
	case 125:		/* protovms */
	case 133:		/* zstd_compressed_packets */
		return true;
	default:
		return false;
	}
}

bool packet_is_valid(const uint8_t *packet, size_t size)
{
	struct wire w = { packet, packet + size };
	struct wire_field f;

	while (w.at < w.end)
		if (!wire_next(&w, &f) || is_reserved(f.number))
			return false;
	return true;
}
