/* SPDX-License-Identifier: GPL-2.0 */
/* filter.h - a session's trace_filter: which fields of packets may leave the service */
#ifndef KTRACED_SERVICE_BUFFER_FILTER_H
#define KTRACED_SERVICE_BUFFER_FILTER_H

#include <stddef.h>
#include <stdint.h>

struct filter;

/* @error: the reason, a text without newline. Return: 0, -EINVAL (bad byte code), -ENOMEM. */
int filter_load(struct filter **out, const uint8_t *bytecode, size_t size, const char **error);
void filter_free(struct filter *f);
/*
 * @packet: a TracePacket. @out: room for @size bytes; the result is never longer.
 * Return: its size, or -EINVAL if the packet does not parse.
 */
ptrdiff_t filter_packet(struct filter *f, const uint8_t *packet, size_t size, uint8_t *out);

#endif
