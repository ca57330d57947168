/* SPDX-License-Identifier: GPL-2.0 */
/* service_packets.h - the service's own packets in a trace: clocks, events, statistics */
#ifndef KTRACED_SERVICE_SESSION_SERVICE_PACKETS_H
#define KTRACED_SERVICE_SESSION_SERVICE_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "producer.h"
#include "service/ipc/batch.h"
#include "session.h"

/* Maximum size of statistics: rows of some thousands of writers */
#define SERVICE_PACKETS_STATS_MAX (512u * 1024)
/* Maximum size of the rest of their packet in a file */
#define SERVICE_PACKETS_STATS_HEAD_MAX 64

/* Of unread events of a kind only the latest is kept. */
enum service_packets_event {
	SERVICE_PACKETS_STARTED,
	SERVICE_PACKETS_ALL_STARTED,
	SERVICE_PACKETS_ALL_FLUSHED,
	SERVICE_PACKETS_READ,
	SERVICE_PACKETS_DISABLED,
	SERVICE_PACKETS_FLUSH_STARTED,
	SERVICE_PACKETS_CLONE_STARTED,
	SERVICE_PACKETS_SLOW_START,
	SERVICE_PACKETS_SLOW_FLUSH,
	SERVICE_PACKETS_CLONED,
};

/* A firing of a trigger: when, by whom, with which configured delay */
struct trigger_hit {
	uint64_t boot_ns;
	const char *name, *producer;
	uid_t uid;
	uint64_t delay_ms;
};

void service_packets_init(struct session *session);
void service_packets_exit(struct session *session);
/* Reads the clocks at the start; they are written even without drift. */
void service_packets_first_clocks(struct session *session);
/* Keeps a snapshot of the clocks if they have drifted. */
void service_packets_clocks(struct session *session);
void service_packets_event(struct session *session, enum service_packets_event event,
			   bool with_clocks);
void service_packets_slow_start(struct session *session);
void service_packets_slow_flush(struct session *session, struct producer *const *late, size_t nr);
void service_packets_buffer_cloned(struct session *session, uint32_t index);
void service_packets_trigger(struct session *session, const struct trigger_hit *hit, bool is_clone);

/*
 * Writes an event ktrace:@name with @text. Return: false, without memory, or if too many wait to be
 * read.
 */
bool service_packets_mark(struct session *session, const char *name, const char *text);

/* Gives the copy what nobody has read yet from @from; moves triggers if nobody can read @from. */
void service_packets_copy(struct session *to, struct session *from);

/* Write what is due before other packets, and after the last of a reading. */
void service_packets_write(struct session *session, struct batch *b);
void service_packets_write_end(struct session *session, struct batch *b);
/* Writes the statistics if wanted; leaves out writers for which @max bytes are not enough. */
void service_packets_write_stats(struct session *session, struct batch *b, size_t max);

#endif
