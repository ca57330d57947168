/* SPDX-License-Identifier: GPL-2.0 */
/* own_channel.h - a channel in the test's own memory, and events into it */
#ifndef TESTS_UNIT_OWN_CHANNEL_H
#define TESTS_UNIT_OWN_CHANNEL_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace/lib/writer/channel.h"
#include "../../userspace/lib/writer/own.h"

#define MAP_SIZE (1u << 18)
#define BLOCK 4096u

/* Never freed: a thread gives its ring back when the process ends. */
static void make_channel(void)
{
	const struct ktrace_control c = {
		.magic = KTRACE_CONTROL_MAGIC, .version = KTRACE_ABI_VERSION,
		.size = sizeof(c), .kind = KTRACE_CHANNEL_USER, .map_size = MAP_SIZE,
		.ring_nr = 1, .block_size = BLOCK, .policy = KTRACE_POLICY_BLOCK,
		.thread_size = 4 * BLOCK, .thread_stride = 5 * BLOCK, .threads_off = 1 << 17,
		.registry_off = 16384, .registry_size = 65536, .tail_off = 12288,
		.data_off = 4096, .enable_off = 1024, .id_nr = KTRACE_ID_NR,
		.filter_off = 10240, .filter_size = 2048, .timeout_ms = 20000,
		.state = KTRACE_STATE_RUNNING, .clock = KTRACE_CLOCK_MONOTONIC,
	};
	char *map = aligned_alloc(BLOCK, MAP_SIZE);
	struct channel *channel = own_alloc();

	assert(map && channel && !channel_check(&c, MAP_SIZE));
	memset(map, 0, MAP_SIZE);
	memcpy(map, &c, sizeof(c));
	map[c.enable_off + KTRACE_ID_FIRST] = 1;
	channel_init(channel, map, &c, false);
	own_publish(channel);
}

static void write_event(size_t size)
{
	static char payload[5 * BLOCK];
	const struct ktrace_event ev = { .header = KTRACE_ID_FIRST };
	const struct ktrace_piece piece = { payload, size };

	ktrace_record_write(&ev, &piece, 1);
}

#endif
