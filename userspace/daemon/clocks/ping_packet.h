/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ping_packet.h - the datagrams that recorders exchange to compare their clocks
 *
 *	asker                                         answerer
 *	  first = t1 --- QUESTION nonce ------------->  t2
 *	  t4         <-- ANSWER nonce, first = t2 ----  second = t3
 *	                 token
 *	  second = t4 -- QUESTION of the next time -->  now the answerer has all four, too
 *	                 token
 *
 * Both have the same size, all numbers are big endian:
 *
 *	 0  "KTPG"                    32  first: raw, then ns of CLOCK_MONOTONIC
 *	 4  version, 1                48  second: the same
 *	 5  enum ping_kind            64  token: of the exchange that second belongs to, or
 *	 6  enum ping_clock               will belong to in the next question; 0 = none
 *	 7  0                         72  0: 32 bytes, room for a checksum with a key
 *	 8  nonce: of the question
 *	16  boot id of the sender
 */
#ifndef KTRACED_CLOCKS_PING_PACKET_H
#define KTRACED_CLOCKS_PING_PACKET_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define PING_SIZE 104u
#define PING_BOOT_SIZE 16u
#define PING_BOOT_TEXT 37u	/* as text, with its NUL */

enum ping_kind {
	PING_QUESTION = 1,
	PING_ANSWER = 2,
};

enum ping_clock {
	PING_TSC = 1,
	PING_MONOTONIC = 2,
};

/* struct ping_stamp - one time by two clocks; all 0 = none */
struct ping_stamp {
	__u64 raw;
	__u64 mono_ns;
};

struct ping_packet {
	enum ping_kind kind;
	enum ping_clock clock;
	__u64 nonce;
	__u8 boot[PING_BOOT_SIZE];
	struct ping_stamp first;
	struct ping_stamp second;
	__u64 token;
};

void ping_packet_write(const struct ping_packet *p, __u8 data[PING_SIZE]);
/* Returns false if the datagram of @size bytes is not such a packet of this version. */
bool ping_packet_read(struct ping_packet *p, const __u8 *data, size_t size);
/* Converts a boot id; ping_boot_read() returns false if the text is none. */
bool ping_boot_read(const char *text, __u8 boot[PING_BOOT_SIZE]);
void ping_boot_write(const __u8 boot[PING_BOOT_SIZE], char text[PING_BOOT_TEXT]);

#endif
