// SPDX-License-Identifier: GPL-2.0
/*
 * test_interrupted.c - events of a handler that has interrupted its thread on the way to a channel
 *
 * What broke: such an event was neither recorded nor counted.
 */
#include <stdio.h>

#include "../../userspace/lib/writer/thread.h"
#include "own_channel.h"

int main(void)
{
	const __u64 *nested;
	struct kt_reader reader;
	struct kt_chunk c;
	struct kt_ring ring;

	make_channel();
	thread_init_process();
	channel_thread_ring(own_channel, 0, &ring);
	kt_reader_init(&reader, &ring);
	nested = &ring.w->lost.count[KTRACE_LOST_NESTED];

	/* The interrupted function is about to take the channel. */
	assert(!own_held);
	own_outermost = (uintptr_t)__builtin_frame_address(0);
	write_event(8);
	write_event(6000);
	assert(*nested == 2 && !kt_reader_peek(&reader, true, &c));

	/* Events that are off are not lost. */
	((__u8 *)own_channel->enable)[KTRACE_ID_FIRST] = 0;
	write_event(8);
	((__u8 *)own_channel->enable)[KTRACE_ID_FIRST] = 1;
	assert(*nested == 2);

	own_outermost = 0;
	write_event(8);
	assert(*nested == 2 && kt_reader_peek(&reader, true, &c) && c.records == 1);
	puts("ok");
	return 0;
}
