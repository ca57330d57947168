/* SPDX-License-Identifier: GPL-2.0 */
/* validate.h - checks what a packet of a producer must not contain (PFT-57) */
#ifndef KTRACED_SERVICE_BUFFER_VALIDATE_H
#define KTRACED_SERVICE_BUFFER_VALIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return: true if @packet parses and has no field reserved to the service. */
bool packet_is_valid(const uint8_t *packet, size_t size);

#endif
