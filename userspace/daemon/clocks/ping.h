/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ping.h - what asker and answerer of pings share
 *
 * Datagrams come from the network: whatever is wrong about one is counted under its reason and has
 * no other effect; the counts are reported at the end.
 */
#ifndef KTRACED_CLOCKS_PING_H
#define KTRACED_CLOCKS_PING_H

#include <ktrace/session.h>
#include <ktrace/tracefile.h>
#include <sys/socket.h>

#include "ping_packet.h"

#define PING_PORT_DEFAULT "47824"
/* Datagrams taken in one go, so that the rings get their turn */
#define PING_BURST 32

/* Numeric address without a port, of any family */
#define PING_ADDRESS_SIZE 64

/**
 * struct ping_self - this recorder
 * @session:	its clock
 * @meta:	gets the lines
 * @boot:	boot id
 * @clock:	kind of the session's clock
 */
struct ping_self {
	struct ktrace_session *session;
	struct ktrace_text *meta;
	__u8 boot[PING_BOOT_SIZE];
	enum ping_clock clock;
};

/**
 * struct ping_exchange - the four stamps of two packets, see <linux/ktrace_file.h>
 * @peer:	the other recorder
 * @boot:	its boot id
 * @clock:	its clock
 */
struct ping_exchange {
	const char *peer;
	const __u8 *boot;
	enum ping_clock clock;
	struct ping_stamp sent;
	struct ping_stamp received_there;
	struct ping_stamp sent_there;
	struct ping_stamp received;
};

/* Fills in the boot id and the clock. Returns 0 or -errno: the boot id cannot be read. */
int ping_self_init(struct ping_self *self);
struct ping_stamp ping_now(const struct ping_self *self);
/* Returns a random number that is not 0. */
__u64 ping_random(void);
/* Appends a line. Returns false if no line of two clocks can have these stamps. */
bool ping_put(const struct ping_self *self, const struct ping_exchange *e);
/*
 * Splits HOST[:PORT], [HOST]:PORT or, if @is_local, [ADDRESS:]PORT into @host and @port, both of
 * @size bytes. Returns false if it is none of these.
 */
bool ping_split(const char *text, bool is_local, char *host, char *port, size_t size);
/* Writes the numeric address without its port. */
void ping_address(const struct sockaddr *addr, socklen_t size, char text[PING_ADDRESS_SIZE]);

#endif
