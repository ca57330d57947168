/* SPDX-License-Identifier: GPL-2.0 */
/* own.h - what the service itself puts into a trace: clocks, configuration, events, statistics */
#ifndef KTRACED_SERVICE_SESSION_OWN_H
#define KTRACED_SERVICE_SESSION_OWN_H

#include <stdbool.h>
#include <stdint.h>

#include "producer.h"
#include "service/ipc/batch.h"
#include "session.h"

/* Of statistics: rows of some thousands of writers */
#define OWN_STATS_MAX (512u * 1024)
/* What a packet of statistics has beside them, in a file */
#define OWN_STATS_HEAD_MAX 64

/* Of an event that has not been read yet, the latest is kept. */
enum own_event {
	OWN_STARTED,
	OWN_ALL_STARTED,
	OWN_ALL_FLUSHED,
	OWN_READ,
	OWN_DISABLED,
	OWN_FLUSH_STARTED,
	OWN_CLONE_STARTED,
	OWN_SLOW_START,
	OWN_SLOW_FLUSH,
	OWN_CLONED,
};

/* Who fired a trigger, and how it was configured */
struct trigger_hit {
	uint64_t boot_ns;
	const char *name, *producer;
	uid_t uid;
	uint64_t delay_ms;
};

void own_init(struct session *session);
void own_exit(struct session *session);
/* The clocks at the start, which are kept whatever drifts. */
void own_first_clocks(struct session *session);
/* Only if a clock has drifted. */
void own_clocks(struct session *session);
void own_event(struct session *session, enum own_event event, bool with_clocks);
void own_slow_start(struct session *session);
void own_slow_flush(struct session *session, struct producer *const *late, size_t nr);
void own_buffer_cloned(struct session *session, uint32_t index);
void own_trigger(struct session *session, const struct trigger_hit *hit, bool is_clone);

/* A copy of @from has what nobody has read yet; triggers that nobody could read there are moved. */
void own_copy(struct session *to, struct session *from);

/* What is due before other packets, and behind the last of a reading. */
void own_write(struct session *session, struct batch *b);
void own_write_end(struct session *session, struct batch *b);
/* If they are wanted. Rows of writers are left out where the packet would exceed @max bytes. */
void own_write_stats(struct session *session, struct batch *b, size_t max);

#endif
