/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session.h - a recording: its buffers, instances of data sources, and state
 *
 *                    StartTracing, trigger               stop, duration, trigger, full file
 *   CONFIGURED ------------------------------> STARTED ---------------------------------+
 *       |   (at once, unless deferred)            |                                      v
 *       +-------------------------- stop ----------------------------------> STOP_WAIT (acks)
 *                      DISABLED <-- all is taken --- all have, or time-out --------+
 *                         |   (over when its file is complete)
 *                         +--- FreeBuffers, consumer gone, attached or not --> freed
 *   CLONED: a copy of another one's buffers, to be read and freed
 */
#ifndef KTRACED_SERVICE_SESSION_SESSION_H
#define KTRACED_SERVICE_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "base/clocks.h"
#include "base/timer.h"
#include "service.h"
#include "service.pb-c.h"
#include "service/buffer/sequence_ids.h"
#include "service/ipc/batch.h"

struct consumer;
struct disk;
struct filter;
struct flush;
struct delayed;

enum session_state {
	SESSION_CONFIGURED,
	SESSION_STARTED,
	SESSION_STOP_WAIT,
	SESSION_DISABLED,
	SESSION_CLONED,
};

/* A packet of the service that waits to be read */
struct own_packet {
	STAILQ_ENTRY(own_packet) link;
	int kind;			/* for events: enum service_packets_event */
	size_t size;
	uint8_t bytes[];
};

STAILQ_HEAD(own_packets, own_packet);

/* What the session itself writes into the trace, in order */
struct own {
	bool has_head;			/* uuid, system and config are written */
	bool wants_mark;		/* a synchronisation mark is due */
	bool wants_stats;		/* due at the end of the next reading */
	struct own_packets clocks;	/* snapshots not written yet */
	struct own_packets triggers;	/* received, not written yet */
	struct own_packets events;
	struct own_packets marks;	/* of ktrace control, not written yet */
	struct clock_readings first;	/* at the start */
	struct clock_readings latest;	/* latest snapshot kept */
};

struct flush_counts {
	uint64_t requested, succeeded, failed;
	int final;			/* Pft__TraceStats__FinalFlushOutcome */
};

struct filter_counts {
	uint64_t packets, bytes_in, bytes_out, errors, time_ns;
	uint64_t *discarded;		/* per buffer */
};

struct file {
	bool is_used;			/* packets go there, not to consumers */
	struct disk *disk;		/* NULL: none, or closed */
	struct batch batch;		/* being written if is_busy */
	bool is_busy;
	bool has_more;			/* after the batch */
	bool waits;			/* waits for memory before that is read */
	struct timer memory_timer;
	bool is_full;			/* only the statistics may follow */
	uint64_t reserve;		/* bytes of max kept for them */
	bool is_ending, is_last;	/* the end is wanted, is in the batch */
	int error;			/* -errno: further packets are lost */
	uint64_t lost;			/* packets lost */
	uint64_t written, max;
	uint32_t period_ms;
	bool flushes_first;		/* flush before each write */
	bool syncs;
};

/* Current position in examining data sources (source_matching.h) */
struct look {
	struct work work;
	struct source *source;		/* NULL: all were examined */
	size_t wish, pattern;		/* index of the data source, of its next expression */
	uint64_t last;			/* number of the last source in the first pass */
	bool is_first;			/* the first pass is not over */
	bool wants_start;		/* start the session after it */
};

/* What ktrace control sees of the session */
struct control {
	struct loop_source port;	/* fd -1: none */
	uint64_t start_ns;		/* CLOCK_MONOTONIC */
	uint64_t at_ns, bytes;		/* when the pace was measured, and the bytes until then */
	uint64_t bytes_s;		/* the pace */
	bool is_paused;
	bool *is_off;			/* by data source: disabled; NULL: none */
};

/* Takes what producers have written before the session is disabled, one producer per step */
struct scrape {
	struct work work;
	struct producer *next;
	bool is_begun;
};

struct session {
	TAILQ_ENTRY(session) link;
	struct service *service;
	uint64_t id;
	enum session_state state;
	uid_t uid;			/* of the consumer that made it */
	struct consumer *consumer;	/* NULL: detached */
	char *key;			/* key of a detached session */
	Pft__TraceConfig *config;
	uint32_t duration_ms;
	int64_t uuid[2];		/* lsb, msb */
	bool was_triggered;
	bool has_changed;		/* its filters: all sources are examined again */
	bool is_match_said;		/* a failed match was logged */
	bool have_all_started;		/* once; later instances do not count */
	bool is_start_known;		/* the consumer was told */
	bool is_over;			/* disabled, file complete, consumer told */
	bool is_freed;			/* only its file remains to be written */
	char *end_error;		/* why it was disabled, NULL: on request */
	uint64_t start_realtime_ns;

	struct buffer *buffers;
	size_t buffer_nr;
	size_t next_buffer;		/* read next */
	struct look look;
	struct scrape scrape;
	struct work freeing;		/* frees the buffers, then itself */
	Pft__DataSourceConfig **told;	/* by data source: config for producers; NULL: none yet */
	TAILQ_HEAD(instance_list, instance) instances;
	TAILQ_HEAD(flush_list, flush) flushes;
	uint32_t flush_nr;
	size_t awaited_nr;		/* acknowledgements awaited by all flushes */
	LIST_HEAD(, delayed) delayed;	/* clones asked for by triggers */
	uint32_t delayed_nr;

	struct timer stop_timer, ack_timer, slow_timer, snapshot_timer, flush_timer, clear_timer;
	struct timer write_timer, trigger_timer, hit_timer, end_timer;
	uint32_t flush_period_ms;	/* 0 = not periodic */

	struct control control;
	struct own own;
	struct file file;
	struct filter *filter;
	struct sequence_ids numbers;
	struct flush_counts flush_counts;
	struct filter_counts filter_counts;
	uint64_t invalid_packets;
	uint64_t packets_lost;		/* out of memory while reading */
	uint64_t packets_too_large;
	uint64_t lost_before, too_large_before;	/* those of a clone's original */
	uint8_t *scratch[2];		/* for filtering, grown as needed */
	size_t scratch_room[2];
};

/* Bytes for the text of a refusal */
#define SESSION_ERROR_MAX 512

/*
 * Makes a session without buffers, not yet in the service's list. Takes @config. Return: NULL: out
 * of memory.
 */
struct session *session_alloc(struct service *s, Pft__TraceConfig *config, uid_t uid);
/* Makes the buffers of the configuration. Return: true on success; otherwise @error says why. */
bool session_make_buffers(struct session *session, char *error);
/* Takes the uuid of @config, or makes one if there is none. @config: NULL: makes one. */
void session_set_uuid(struct session *session, const Pft__TraceConfig *config);
/* Loads trace_filter of the configuration, if any. Return: as above; @error may be NULL. */
bool session_load_filter(struct session *session, char *error);
/* Adds the session to the list, with an id of its own. */
void session_publish(struct session *session);

/* No-op except in CONFIGURED; waits until the first pass over the sources is over. */
void session_start(struct session *session);
/*
 * @now: without waiting for acknowledgements. @error: for the consumer, may be NULL. The
 * consumer's calls wait until all that producers have written is taken.
 */
void session_stop(struct session *session, bool now, const char *error);
/*
 * The session goes on without its consumer. If it is over, it is freed unless a consumer attaches
 * in time.
 */
void session_detach(struct session *session);
/* Flushes, then stops the session, once. Without a consumer it is freed after that. */
void session_finish(struct session *session);
/* Stops the session if needed, and takes it from its consumer. Its file is written to the end. */
void session_free(struct session *session, const char *error);
/* Frees what is left of a session that nothing refers to. */
void session_release(struct session *session);
/* Called when the file is complete. */
void session_written(struct session *session);

/* Called when instances change state: check if all have started or stopped. */
void session_check_started(struct session *session);
void session_check_stopped(struct session *session);
/* Stops waiting for @p and taking from it. */
void session_producer_left(struct session *session, struct producer *p);

bool session_is_running(const struct session *session);
/* True if only a later trigger decides whether there is anything to read. */
bool session_waits_for_trigger(const struct session *session);
int session_trigger_mode(const struct session *session);
/* Returns how long the acknowledgement of a stop is awaited. */
uint32_t session_stop_timeout_ms(const struct session *session);
bool session_allows(const struct session *session, uid_t uid);
const char *session_state_name(const struct session *session);
struct session *session_find(const struct service *s, uint64_t id);

/*
 * Returns the ms to the next multiple of @period_ms of the wall clock, so that sessions act
 * together.
 */
uint64_t aligned_delay_ms(uint32_t period_ms);

#endif
