/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session.h - one recording: buffers, instances of data sources, and when it starts and ends
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

/* A packet of the service's own, waiting to be read */
struct own_packet {
	STAILQ_ENTRY(own_packet) link;
	int kind;			/* of events: enum service_packets_event */
	size_t size;
	uint8_t bytes[];
};

STAILQ_HEAD(own_packets, own_packet);

/* What the session itself puts into the trace, and in which order */
struct own {
	bool has_head;			/* written: uuid, system, config */
	bool wants_mark;		/* a synchronisation mark is due */
	bool wants_stats;		/* at the end of the reading after this was set */
	struct own_packets clocks;	/* snapshots that were taken */
	struct own_packets triggers;	/* received, not written yet */
	struct own_packets events;
	struct clock_readings first;	/* at the start */
	struct clock_readings latest;	/* that was kept */
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
	struct batch batch;		/* on its way there, if is_busy */
	bool is_busy;
	bool has_more;			/* behind the batch, */
	bool waits;			/* and for memory before that is read */
	struct timer memory_timer;
	bool is_full;			/* nothing follows but the statistics, */
	uint64_t reserve;		/* for which so much of max is kept */
	bool is_ending, is_last;	/* the last packets are wanted, are in the batch */
	int error;			/* -errno: the rest is lost */
	uint64_t lost;			/* packets */
	uint64_t written, max;
	uint32_t period_ms;
	bool flushes_first;		/* a flush precedes each write */
	bool syncs;
};

/* Which source it looks at, and for what (source_matching.h) */
struct look {
	struct work work;
	struct source *source;		/* NULL: all were looked at */
	size_t wish, pattern;		/* data source of the configuration, its next expression */
	uint64_t last;			/* number of the last source that there was at first */
	bool is_first;			/* that one was not reached yet, */
	bool wants_start;		/* and the session is to start then */
};

/* Before it is disabled, what producers have written is taken, a producer a step. */
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
	char *key;			/* of a detached one */
	Pft__TraceConfig *config;
	uint32_t duration_ms;
	int64_t uuid[2];		/* lsb, msb */
	bool was_triggered;
	bool has_changed;		/* its filters, so that it looks again */
	bool is_match_said;		/* that an expression took too long, to match a name */
	bool have_all_started;		/* once; later ones do not count */
	bool is_start_known;		/* the consumer was told */
	bool is_over;			/* disabled, its file complete, and the consumer told */
	bool is_freed;			/* all that is left to do is to fill and write its file */
	char *end_error;		/* why it was disabled, NULL: it was wanted */
	uint64_t start_realtime_ns;

	struct buffer *buffers;
	size_t buffer_nr;
	size_t next_buffer;		/* is read first */
	struct look look;
	struct scrape scrape;
	struct work freeing;		/* of the buffers; then nothing is left */
	Pft__DataSourceConfig **told;	/* by data source, what producers get; NULL: nothing yet */
	TAILQ_HEAD(instance_list, instance) instances;
	TAILQ_HEAD(flush_list, flush) flushes;
	uint32_t flush_nr;
	size_t awaited_nr;		/* acknowledgements, of all flushes */
	LIST_HEAD(, delayed) delayed;	/* clones asked for by triggers */
	uint32_t delayed_nr;

	struct timer stop_timer, ack_timer, slow_timer, snapshot_timer, flush_timer, clear_timer;
	struct timer write_timer, trigger_timer, hit_timer, end_timer;
	uint32_t flush_period_ms;	/* 0: not periodically */

	struct own own;
	struct file file;
	struct filter *filter;
	struct sequence_ids numbers;
	struct flush_counts flush_counts;
	struct filter_counts filter_counts;
	uint64_t invalid_packets;
	uint64_t packets_lost;		/* for want of memory, on their way out; */
	uint64_t packets_too_large;
	uint64_t lost_before, too_large_before;	/* of these, by the original of a clone */
	uint8_t *scratch[2];		/* for filtering and compressing, grown as needed */
	size_t scratch_room[2];
};

/* Room for the text of a refusal */
#define SESSION_ERROR_MAX 512

/* Without buffers and not in the service's list yet. Takes @config. Return: NULL: no memory. */
struct session *session_alloc(struct service *s, Pft__TraceConfig *config, uid_t uid);
/* One buffer each as in the configuration. Return: whether it worked; otherwise @error says why. */
bool session_make_buffers(struct session *session, char *error);
/* The configuration's, or a new one. @config: NULL: a new one in any case. */
void session_set_uuid(struct session *session, const Pft__TraceConfig *config);
/* trace_filter of the configuration, if it has one. Return: as above; @error may be NULL. */
bool session_load_filter(struct session *session, char *error);
/* Into the list, with a number of its own. */
void session_publish(struct session *session);

/* Nothing happens in other states than CONFIGURED; with its first look if that is not over. */
void session_start(struct session *session);
/*
 * @now: without waiting for anybody. @error: what the consumer is told, may be NULL. Until all is
 * taken that producers have written, what the consumer calls waits.
 */
void session_stop(struct session *session, bool now, const char *error);
/* It goes on without its consumer. One that is over is freed unless one comes for it in time. */
void session_detach(struct session *session);
/* Flushes, then stops it, once. Where nobody is attached it is freed when it has stopped. */
void session_finish(struct session *session);
/* Stops it if need be; the consumer, if any, has none any more. Its file is written to the end. */
void session_free(struct session *session, const char *error);
/* What is left when nothing refers to it any more, or has ever referred to it. */
void session_release(struct session *session);
/* Its file is complete. */
void session_written(struct session *session);

/* Instances have changed their state: perhaps all have started or stopped now. */
void session_check_started(struct session *session);
void session_check_stopped(struct session *session);
/* Nothing waits for @p any more, or is to be taken from it. */
void session_producer_left(struct session *session, struct producer *p);

bool session_is_running(const struct session *session);
/* It is known only after a trigger whether there is anything to read. */
bool session_waits_for_trigger(const struct session *session);
int session_trigger_mode(const struct session *session);
/* How long the acknowledgement of a stop is waited for. */
uint32_t session_stop_timeout_ms(const struct session *session);
bool session_allows(const struct session *session, uid_t uid);
const char *session_state_name(const struct session *session);
struct session *session_find(const struct service *s, uint64_t id);

/* Milliseconds to the next multiple of @period_ms of the wall clock: sessions act together. */
uint64_t aligned_delay_ms(uint32_t period_ms);

#endif
