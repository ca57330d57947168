/* SPDX-License-Identifier: GPL-2.0 */
/* producer.h - a connected producer: its data sources, its memory, its writers */
#ifndef KTRACED_SERVICE_SESSION_PRODUCER_H
#define KTRACED_SERVICE_SESSION_PRODUCER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "service.h"
#include "service.pb-c.h"
#include "service/buffer/shmem.h"
#include "service/ipc/connection.h"

#define PRODUCER_WRITER_MAX 32767
/* More than any producer needs; stops a flood of names. */
#define PRODUCER_SOURCE_MAX 4096
/*
 * Bytes in memory of a producer's descriptors; bytes of one descriptor, which must fit in a frame
 */
#define PRODUCER_SOURCE_SIZE_MAX (4u * 1024 * 1024)
#define PRODUCER_DESCRIPTOR_MAX (FRAME_MAX - 1024)
/* Bytes in memory of the descriptors of all producers of a user */
#define PRODUCER_USER_SIZE_MAX (64u * 1024 * 1024)
#define PRODUCER_NAME_MAX 4096

struct firing;

/* A data source that a producer offers */
struct source {
	TAILQ_ENTRY(source) link;
	TAILQ_ENTRY(source) all;	/* in the service's list */
	uint64_t number;		/* order of registration */
	struct producer *producer;
	Pft__DataSourceDescriptor *descriptor;
	size_t size;			/* of everything here, in memory */
};

struct producer {
	TAILQ_ENTRY(producer) link;
	struct service *service;
	struct connection *peer;
	uint16_t id;
	char *name;
	char *sdk_version;
	bool is_scraped;	/* uncommitted chunks are taken at flushes and at the end */
	bool has_smb;
	bool gave_smb;		/* the producer provided the memory */
	bool was_refused;	/* memory was refused once: its user had too much */
	struct shmem smb;
	size_t size_hint, page_hint;
	TAILQ_HEAD(source_list, source) sources;
	uint32_t source_nr;
	size_t source_size;	/* of all descriptors, in memory */
	/* Stream of commands, and those waiting until it is open */
	struct call commands;
	STAILQ_HEAD(command_list, command) waiting;
	size_t waiting_size;
	uint16_t *writers;	/* by writer: its buffer; 0: not registered */
	uint32_t writer_room;
	uint8_t allowed[SERVICE_BUFFER_MAX / 8 + 1];	/* a bit per buffer it may write to */
	size_t flush_at, flush_nr;	/* its instances in a flush that begins, else 0 */
	bool is_counted;	/* mark while the producers of a session are counted */
	bool is_late;		/* mark while late sources of a flush are reported */
	struct firing *firing;	/* its triggers being processed, NULL: none */
};

/* Return: NULL if the peer may not be a producer, its name is too long, or out of memory. */
struct producer *producer_open(struct connection *peer,
			       const Pft__InitializeConnectionRequest *request);
/* Takes what the producer has written so far, then ends its instances. */
void producer_close(struct producer *p);

/* Return: NULL, or the error. */
const char *producer_register(struct producer *p, const Pft__DataSourceDescriptor *descriptor);
void producer_update(struct producer *p, const Pft__DataSourceDescriptor *descriptor);
/* Unregisters the first source of this name. */
void producer_unregister(struct producer *p, const char *name);

void producer_register_writer(struct producer *p, uint32_t writer, uint32_t buffer);
void producer_unregister_writer(struct producer *p, uint32_t writer);
/* Return: the buffer that the writer is registered for, 0: none. */
uint16_t producer_writer(const struct producer *p, uint32_t writer);
void producer_allow_buffer(struct producer *p, uint16_t id);
bool producer_may_write(const struct producer *p, uint16_t id);
void producer_forget_buffer(struct producer *p, uint16_t id);

/*
 * Makes the shared memory and hands it over, once. @config: may be NULL. Return: false if no
 * memory can be had.
 */
bool producer_setup(struct producer *p, const Pft__TraceConfig__ProducerConfig *config);
void producer_setup_source(struct producer *p, uint64_t id, Pft__DataSourceConfig *config);
void producer_start_source(struct producer *p, uint64_t id, Pft__DataSourceConfig *config);
void producer_stop_source(struct producer *p, uint64_t id);
void producer_flush(struct producer *p, uint64_t *ids, size_t nr, uint64_t request, uint64_t flags);
void producer_clear_state(struct producer *p, uint64_t *ids, size_t nr);
/* Sends the waiting commands, now that the producer has asked for them. */
void producer_send_waiting(struct producer *p);

#endif
