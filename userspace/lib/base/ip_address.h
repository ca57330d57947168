/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * ip_address.h - IP addresses in events, as 16 bytes and as text
 *
 * 16 bytes are an IPv6 address; ::ffff:a.b.c.d is the IPv4 address a.b.c.d, and is written so. All
 * bytes are 0 if there is no address.
 */
#ifndef KTRACE_BASE_IP_ADDRESS_H
#define KTRACE_BASE_IP_ADDRESS_H

#include <arpa/inet.h>
#include <stdbool.h>
#include <string.h>

#define IP_ADDRESS_SIZE 16u
#define IP_ADDRESS_TEXT INET6_ADDRSTRLEN

static const unsigned char ip_address_mapped[12] = { [10] = 0xff, [11] = 0xff };

/* Writes the address as text into IP_ADDRESS_TEXT bytes: "10.0.0.1", "fe80::1"; "": none. */
static inline void ip_address_text(const char *address, char *text)
{
	static const char none[IP_ADDRESS_SIZE];

	*text = '\0';
	if (!memcmp(address, ip_address_mapped, sizeof(ip_address_mapped)))
		inet_ntop(AF_INET, address + sizeof(ip_address_mapped), text, IP_ADDRESS_TEXT);
	else if (memcmp(address, none, sizeof(none)))
		inet_ntop(AF_INET6, address, text, IP_ADDRESS_TEXT);
}

/* Reads an address from text into IP_ADDRESS_SIZE bytes. Returns false if it is not an address. */
static inline bool ip_address_parse(const char *text, char *address)
{
	memcpy(address, ip_address_mapped, sizeof(ip_address_mapped));
	return inet_pton(AF_INET, text, address + sizeof(ip_address_mapped)) == 1 ||
	       inet_pton(AF_INET6, text, address) == 1;
}

#endif
