// SPDX-License-Identifier: GPL-2.0
/* ping_packet.c - the datagrams that recorders exchange to compare their clocks */
#include "ping_packet.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

#define VERSION 1
#define BODY_SIZE 72u

static const __u8 magic[4] = { 'K', 'T', 'P', 'G' };

static void put_u64(__u8 *to, __u64 value)
{
	const __u64 big = htobe64(value);

	memcpy(to, &big, sizeof(big));
}

static __u64 get_u64(const __u8 *from)
{
	__u64 big;

	memcpy(&big, from, sizeof(big));
	return be64toh(big);
}

void ping_packet_write(const struct ping_packet *p, __u8 data[PING_SIZE])
{
	memset(data, 0, PING_SIZE);
	memcpy(data, magic, sizeof(magic));
	data[4] = VERSION;
	data[5] = (__u8)p->kind;
	data[6] = (__u8)p->clock;
	put_u64(data + 8, p->nonce);
	memcpy(data + 16, p->boot, PING_BOOT_SIZE);
	put_u64(data + 32, p->first.raw);
	put_u64(data + 40, p->first.mono_ns);
	put_u64(data + 48, p->second.raw);
	put_u64(data + 56, p->second.mono_ns);
	put_u64(data + 64, p->token);
}

static bool is_zero(const __u8 *data, size_t size)
{
	while (size && !data[size - 1])
		size--;
	return !size;
}

bool ping_packet_read(struct ping_packet *p, const __u8 *data, size_t size)
{
	if (size != PING_SIZE || memcmp(data, magic, sizeof(magic)) || data[4] != VERSION ||
	    (data[5] != PING_QUESTION && data[5] != PING_ANSWER) ||
	    (data[6] != PING_TSC && data[6] != PING_MONOTONIC) || data[7] ||
	    !is_zero(data + BODY_SIZE, PING_SIZE - BODY_SIZE))
		return false;
	p->kind = (enum ping_kind)data[5];
	p->clock = (enum ping_clock)data[6];
	p->nonce = get_u64(data + 8);
	memcpy(p->boot, data + 16, PING_BOOT_SIZE);
	p->first = (struct ping_stamp){ get_u64(data + 32), get_u64(data + 40) };
	p->second = (struct ping_stamp){ get_u64(data + 48), get_u64(data + 56) };
	p->token = get_u64(data + 64);
	return true;
}

static int digit_of(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

bool ping_boot_read(const char *text, __u8 boot[PING_BOOT_SIZE])
{
	for (unsigned int i = 0; i < PING_BOOT_SIZE; i++) {
		const int high = digit_of(text[0]), low = high < 0 ? -1 : digit_of(text[1]);

		if (low < 0)
			return false;
		boot[i] = (__u8)(16 * high + low);
		text += 2;
		if ((i == 3 || i == 5 || i == 7 || i == 9) && *text++ != '-')
			return false;
	}
	return !*text;
}

void ping_boot_write(const __u8 boot[PING_BOOT_SIZE], char text[PING_BOOT_TEXT])
{
	for (unsigned int i = 0; i < PING_BOOT_SIZE; i++) {
		sprintf(text, "%02x", boot[i]);
		text += 2;
		if (i == 3 || i == 5 || i == 7 || i == 9)
			*text++ = '-';
	}
	*text = '\0';
}
