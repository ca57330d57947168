/* SPDX-License-Identifier: GPL-2.0 */
/* validate.h - what a packet of a producer may not contain (PFT-57) */
#ifndef KTRACED_SERVICE_BUFFER_VALIDATE_H
#define KTRACED_SERVICE_BUFFER_VALIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return: whether @packet parses and has no field that only the service may write. */
bool packet_is_valid(const uint8_t *packet, size_t size);

#endif
