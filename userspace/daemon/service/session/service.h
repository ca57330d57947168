/* SPDX-License-Identifier: GPL-2.0 */
/*
 * service.h - producers, sessions and consumers of the service (Documentation/service.md)
 *
 *   consumer --EnableTracing--> session --for each matching source--> instance at a producer
 *                                  |                                      |
 *                                buffers <-------- chunks, patches -------+
 *
 * A single thread with one loop; files have threads of their own (disk.h). A peer that disconnects
 * takes its part with it: a consumer its session, unless that is detached, a producer its
 * instances. Ids are chosen by this service and not reused soon.
 */
#ifndef KTRACED_SERVICE_SESSION_SERVICE_H
#define KTRACED_SERVICE_SESSION_SERVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "base/loop.h"
#include "base/timer.h"
#include "base/work.h"
#include "service/ipc/connection.h"

struct session;
struct producer;
struct trace_buffer;
struct disk;
struct guarded;
struct fired;

#define SERVICE_BUFFER_MAX 4095
#define SERVICE_PRODUCER_MAX 65534
/* Default limit of memory that all producers of a user may share with the service */
#define SERVICE_SHARED_MAX (256ull * 1024 * 1024)

/* A buffer of a session, with the id that producers use */
struct buffer {
	uint16_t id;
	struct session *session;
	struct trace_buffer *trace;
};

struct service {
	struct loop loop;
	struct timers timers;
	struct timers boot_timers;	/* for prefer_suspend_clock_* */
	struct works works;		/* work done in several turns */
	uid_t uid;
	int nice;			/* at the start; sessions may boost it */
	bool is_locked;			/* lockdown: only producers of our own uid */

	struct connections peers;

	TAILQ_HEAD(producer_list, producer) producers;
	TAILQ_HEAD(, source) sources;	/* of all producers, in order of registration */
	TAILQ_HEAD(session_list, session) sessions;
	struct session_list ending;	/* freed, but their files are still being written */
	LIST_HEAD(, disk) disks;
	bool is_exiting;		/* the loop runs until no disk is left */
	bool is_finishing;		/* no session begins; the loop runs until all have ended */
	uint32_t producer_nr, source_nr, session_nr, buffer_nr;

	uint16_t last_producer;
	uint8_t producer_ids[SERVICE_PRODUCER_MAX / 8 + 1];	/* ids in use, a bit each */
	uint16_t last_buffer;
	uint64_t last_session, last_instance, last_flush, last_source;
	struct buffer *buffers[SERVICE_BUFFER_MAX + 1];		/* by id, from 1 */

	uint64_t producers_seen, sources_seen, chunks_discarded, patches_discarded;
	uint64_t shared_max;		/* bytes of memory, for all producers of a user */
	uint64_t producers_refused;	/* number of producers without memory */
	uint64_t refusal_told_ns;	/* when the log reported one last */
	LIST_HEAD(, guarded) guarded;	/* recent unsupervised sessions, by name */
	LIST_HEAD(, fired) fired;	/* recent triggers, a row per name */
};

/* Return: 0 or -errno. */
int service_init(struct service *s);
/*
 * Ends all sessions as their consumers would, and waits for a limited time until they have been
 * read or written. Return: 0 or -errno.
 */
int service_finish(struct service *s);
/* Called when a session has ended, or is gone. */
void service_ended_session(struct service *s);
/* Ends all sessions and connections, and waits for disks for a limited time. */
void service_exit(struct service *s);

/* Called when a disk was closed. */
void service_lost_disk(struct service *s);

/* Gives @b an id. Return: 0 or -ENOSPC. */
int service_add_buffer(struct service *s, struct buffer *b);
void service_remove_buffer(struct service *s, struct buffer *b);
/* Return: NULL if no session has this buffer. */
struct buffer *service_buffer(const struct service *s, uint32_t id);

#endif
