/* SPDX-License-Identifier: GPL-2.0 */
/* packet_samples.h - packets for packet_kunit.c, with what events of family "net" must tell */
#ifndef KTRACE_KUNIT_PACKET_SAMPLES_H
#define KTRACE_KUNIT_PACKET_SAMPLES_H

#include <linux/types.h>
#include <linux/ktrace_events.h>

#define BYTES_MAX 512

/**
 * struct made - a packet as it is made
 * @bytes:	from its first header on
 * @len:	number of @bytes
 * @protocol:	of the first header
 * @want:	what the event must tell of it
 */
struct made {
	u8 bytes[BYTES_MAX];
	u32 len;
	u16 protocol;
	struct ktrace_ev_net want;
};

/* How many samples there are, what each is called, and makes it. */
u32 packet_samples_nr(void);
const char *packet_sample_name(u32 number);
void packet_sample_make(u32 number, struct made *m);
/* Makes a packet with a tag of Ethernet, which is the one before the first header. */
void packet_make_tagged(struct made *m);

#endif
