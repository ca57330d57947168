/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stamp.h - what the service adds to packets of a trace (PFT-57, PFT-59)
 *
 * The stamp follows the packet's own fields: of two fields with the same number the last one
 * counts, and packets with forged ones were refused before (validate.h).
 */
#ifndef KTRACED_SERVICE_BUFFER_STAMP_H
#define KTRACED_SERVICE_BUFFER_STAMP_H

#include "trace_buffer.h"

#define STAMP_MAX 64

/*
 * Writes who wrote a packet, and whether packets are missing before it.
 * @sequence: id of the pair of producer and writer, not 0. Return: bytes in @out.
 */
size_t stamp_packet(uint8_t out[STAMP_MAX], const struct trace_buffer_packet *packet,
		    uint32_t sequence);
/*
 * Writes a packet of the service with the constant that readers look for in a damaged file,
 * including the service's stamps. Return: bytes in @out.
 */
size_t stamp_marker(uint8_t out[STAMP_MAX], uid_t uid, uint32_t sequence);

#endif
