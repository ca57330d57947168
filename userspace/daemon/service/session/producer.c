// SPDX-License-Identifier: GPL-2.0
/* producer.c - a connected producer: its data sources, its memory, its writers */
#include "producer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clocks.h"
#include "base/grow.h"
#include "base/log.h"
#include "commit.h"
#include "instance.h"
#include "service/ipc/message.h"
#include "service/ipc/user.h"
#include "session.h"
#include "source_matching.h"
#include "trigger.h"

/* A command that waits until the producer asks for commands */
struct command {
	STAILQ_ENTRY(command) link;
	bool has_fd;
	size_t size;
	uint8_t bytes[];
};

#define WAITING_MAX (256u * 1024)
#define SOURCE_COST 512
#define TOLD_NS 60000000000u

/*
 * Reuses an id as late as possible, so that leftovers of an old producer are not taken for a new
 * one's.
 */
static uint16_t take_id(struct service *s)
{
	uint16_t id = s->last_producer;

	do {
		id = (uint16_t)(id % SERVICE_PRODUCER_MAX + 1);
	} while (s->producer_ids[id / 8] & 1 << id % 8);
	s->producer_ids[id / 8] |= (uint8_t)(1 << id % 8);
	s->last_producer = id;
	return id;
}

static void give_id(struct service *s, uint16_t id)
{
	s->producer_ids[id / 8] &= (uint8_t)~(1 << id % 8);
}

static bool is_scraped(const Pft__InitializeConnectionRequest *r)
{
	return r->smb_scraping_mode !=
	       PFT__INITIALIZE_CONNECTION_REQUEST__PRODUCER_SMBSCRAPING_MODE__SMB_SCRAPING_DISABLED;
}

static void count_waiting(struct producer *p, ssize_t more)
{
	p->waiting_size += (size_t)more;
	p->peer->user->held += (size_t)more;
}

static void wait_for_stream(struct producer *p, const Pft__GetAsyncCommandResponse *r, bool has_fd)
{
	size_t size = pft__get_async_command_response__get_packed_size(r);
	struct command *c = malloc(sizeof(*c) + size);

	count_waiting(p, (ssize_t)(sizeof(*c) + size));
	if (!c || p->waiting_size > WAITING_MAX || user_holds_too_much(p->peer->user, 0)) {
		free(c);
		connection_drop(p->peer);
		return;
	}
	c->has_fd = has_fd;
	c->size = size;
	pft__get_async_command_response__pack(r, c->bytes);
	STAILQ_INSERT_TAIL(&p->waiting, c, link);
}

static void command(struct producer *p, const Pft__GetAsyncCommandResponse *r, bool has_fd)
{
	if (p->commands.is_open)
		connection_reply_fd(p->peer, &p->commands, &r->base, true, has_fd ? p->smb.fd : -1);
	else if (!p->peer->is_dropped)
		wait_for_stream(p, r, has_fd);
}

static void send_setup(struct producer *p)
{
	Pft__GetAsyncCommandResponse__SetupTracing setup =
		PFT__GET_ASYNC_COMMAND_RESPONSE__SETUP_TRACING__INIT;
	Pft__GetAsyncCommandResponse r = PFT__GET_ASYNC_COMMAND_RESPONSE__INIT;

	/* A producer knows the page size of memory that it provided. */
	setup.has_shared_buffer_page_size_kb = !p->gave_smb;
	setup.shared_buffer_page_size_kb = (uint32_t)(p->smb.page_size / 1024);
	r.cmd_case = PFT__GET_ASYNC_COMMAND_RESPONSE__CMD_SETUP_TRACING;
	r.setup_tracing = &setup;
	command(p, &r, !p->gave_smb);
}

/* Tells each producer once, but logs at most once a minute: reconnecting is cheap. */
static void refuse_memory(struct producer *p)
{
	struct service *s = p->service;
	const uint64_t now_ns = clocks_boot_ns();

	if (p->was_refused)
		return;
	p->was_refused = true;
	s->producers_refused++;
	connection_complain(p->peer, "no shared memory: the producers of this user have reached "
			    "their limit; end others, or see ktraced --producer-memory");
	if (s->refusal_told_ns && now_ns - s->refusal_told_ns < TOLD_NS)
		return;
	s->refusal_told_ns = now_ns;
	log_error("user %u: no memory for the producer of process %d: the user's producers already "
		  "share %zu KiB (--producer-memory); producers without memory so far: %llu",
		  p->peer->user->uid, p->peer->cred.pid, p->peer->user->shared / 1024,
		  (unsigned long long)s->producers_refused);
}

/* Reserves @size bytes of what the user's producers may share. Return: false if it is too much. */
static bool may_share(struct producer *p, size_t size)
{
	if (user_share(p->peer->user, size, p->service->shared_max))
		return true;
	refuse_memory(p);
	return false;
}

/* Accepts memory made by the producer if its size is valid and cannot shrink (PFT-98). */
static void adopt(struct producer *p, const Pft__InitializeConnectionRequest *r)
{
	size_t page = r->shared_memory_page_size_hint_bytes;
	int fd = r->producer_provided_shmem ? connection_take_fd(p->peer) : -1;

	if (fd < 0)
		return;
	if (shmem_adopt(&p->smb, fd, page)) {
		connection_close_fd(p->peer, fd);
		return;
	}
	if (!may_share(p, p->smb.size)) {
		shmem_exit(&p->smb);
		return;
	}
	p->has_smb = p->gave_smb = true;
	send_setup(p);
}

static bool is_long(const char *name)
{
	return name && strlen(name) > PRODUCER_NAME_MAX;
}

struct producer *producer_open(struct connection *peer,
			       const Pft__InitializeConnectionRequest *request)
{
	struct service *s = peer->service;
	struct producer *p;

	if ((s->is_locked && peer->cred.uid != s->uid) || s->producer_nr == SERVICE_PRODUCER_MAX)
		return NULL;
	if (is_long(request->producer_name) || is_long(request->sdk_version))
		return NULL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->service = s;
	p->peer = peer;
	p->name = strdup(request->producer_name ? request->producer_name : "");
	p->sdk_version = strdup(request->sdk_version ? request->sdk_version : "");
	if (!p->name || !p->sdk_version) {
		free(p->name);
		free(p->sdk_version);
		free(p);
		return NULL;
	}
	p->id = take_id(s);
	p->is_scraped = is_scraped(request);
	p->size_hint = request->shared_memory_size_hint_bytes;
	p->page_hint = request->shared_memory_page_size_hint_bytes;
	TAILQ_INIT(&p->sources);
	STAILQ_INIT(&p->waiting);
	adopt(p, request);
	TAILQ_INSERT_TAIL(&s->producers, p, link);
	s->producer_nr++;
	s->producers_seen++;
	return p;
}

static size_t size_of(const Pft__DataSourceDescriptor *d)
{
	return pft__data_source_descriptor__get_packed_size(d);
}

static void describe(struct producer *p, ssize_t more)
{
	p->source_size += (size_t)more;
	p->peer->user->described += (size_t)more;
}

static void free_descriptor(Pft__DataSourceDescriptor *d)
{
	pft__data_source_descriptor__free_unpacked(d, NULL);
}

static void free_source(struct producer *p, struct source *source)
{
	source_matching_removed(p->service, source);
	describe(p, -(ssize_t)source->size);
	TAILQ_REMOVE(&p->sources, source, link);
	free_descriptor(source->descriptor);
	free(source);
	p->source_nr--;
	p->service->source_nr--;
}

void producer_close(struct producer *p)
{
	struct service *s = p->service;
	struct session *session;
	struct source *source;
	struct command *c;

	trigger_stop(p);
	commit_scrape_all(p);
	TAILQ_FOREACH(session, &s->sessions, link) {
		instances_leave(session, p, NULL);
		session_producer_left(session, p);
	}
	TAILQ_FOREACH(session, &s->ending, link)
		session_producer_left(session, p);
	while ((source = TAILQ_FIRST(&p->sources)))
		free_source(p, source);
	while ((c = STAILQ_FIRST(&p->waiting))) {
		STAILQ_REMOVE_HEAD(&p->waiting, link);
		free(c);
	}
	count_waiting(p, -(ssize_t)p->waiting_size);
	TAILQ_REMOVE(&s->producers, p, link);
	s->producer_nr--;
	give_id(s, p->id);
	if (p->has_smb) {
		p->peer->user->shared -= p->smb.size;
		shmem_exit(&p->smb);
	}
	p->peer->user->held -= p->writer_room * sizeof(*p->writers);
	free(p->writers);
	free(p->name);
	free(p->sdk_version);
	free(p);
}

static struct source *find_source(const struct producer *p, const char *name, uint64_t id)
{
	struct source *source;

	TAILQ_FOREACH(source, &p->sources, link)
		if ((!name || !strcmp(source->descriptor->name, name)) &&
		    (!id || source->descriptor->id == id))
			return source;
	return NULL;
}

/* @size: bytes in memory of a source with the copy: two bytes in a message may need a hundred. */
static Pft__DataSourceDescriptor *copy(const Pft__DataSourceDescriptor *from, size_t *size)
{
	ProtobufCMessage *made = message_copy_sized(&from->base, size);

	*size += SOURCE_COST;
	return (void *)made;
}

/* True if the producer's descriptors may take @more bytes */
static bool has_room(const struct producer *p, size_t more)
{
	return p->source_size + more <= PRODUCER_SOURCE_SIZE_MAX &&
	       p->peer->user->described + more <= PRODUCER_USER_SIZE_MAX;
}

const char *producer_register(struct producer *p, const Pft__DataSourceDescriptor *descriptor)
{
	const char *error = NULL;
	struct source *source;

	if (!descriptor || !descriptor->name || !*descriptor->name)
		return "a data source needs a name";
	if (descriptor->id && find_source(p, NULL, descriptor->id))
		return "a data source with this id is already registered";
	if (size_of(descriptor) > PRODUCER_DESCRIPTOR_MAX)
		return "the description is too long";
	source = calloc(1, sizeof(*source));
	if (!source)
		return "out of memory";
	source->producer = p;
	source->descriptor = copy(descriptor, &source->size);
	if (!source->descriptor)
		error = "out of memory";
	else if (p->source_nr == PRODUCER_SOURCE_MAX || !has_room(p, source->size))
		error = "too many data sources";
	if (error) {
		free_descriptor(source->descriptor);
		free(source);
		return error;
	}
	TAILQ_INSERT_TAIL(&p->sources, source, link);
	p->source_nr++;
	describe(p, (ssize_t)source->size);
	p->service->source_nr++;
	p->service->sources_seen++;
	source_matching_added(p->service, source);
	return NULL;
}

void producer_update(struct producer *p, const Pft__DataSourceDescriptor *descriptor)
{
	Pft__DataSourceDescriptor *update;
	struct source *source;
	size_t size;

	if (!descriptor || !descriptor->id || !descriptor->name)
		return;
	source = find_source(p, descriptor->name, descriptor->id);
	if (!source || size_of(descriptor) > PRODUCER_DESCRIPTOR_MAX)
		return;
	update = copy(descriptor, &size);
	if (!update || (size > source->size && !has_room(p, size - source->size))) {
		free_descriptor(update);
		return;
	}
	describe(p, (ssize_t)(size - source->size));
	free_descriptor(source->descriptor);
	source->descriptor = update;
	source->size = size;
}

void producer_unregister(struct producer *p, const char *name)
{
	struct source *source = name ? find_source(p, name, 0) : NULL;
	struct session *session;

	if (!source)
		return;
	TAILQ_FOREACH(session, &p->service->sessions, link)
		instances_leave(session, p, source);
	free_source(p, source);
}

/* Makes room for a writer; ids are usually low. Return: false if out of memory. */
static bool make_writer(struct producer *p, uint32_t writer)
{
	const uint32_t before = p->writer_room;
	size_t added;

	if (!LIST_GROW(p->writers, writer, p->writer_room))
		return false;
	added = (p->writer_room - before) * sizeof(*p->writers);
	memset(p->writers + before, 0, added);
	p->peer->user->held += added;
	return true;
}

void producer_register_writer(struct producer *p, uint32_t writer, uint32_t buffer)
{
	if (!writer || writer > PRODUCER_WRITER_MAX || buffer > SERVICE_BUFFER_MAX)
		return;
	if (make_writer(p, writer))
		p->writers[writer] = (uint16_t)buffer;
	if (user_holds_too_much(p->peer->user, 0))
		connection_drop(p->peer);
}

void producer_unregister_writer(struct producer *p, uint32_t writer)
{
	struct buffer *b = service_buffer(p->service, producer_writer(p, writer));
	struct trace_buffer_origin origin = commit_origin(p, (uint16_t)writer);

	if (writer >= p->writer_room)
		return;
	if (b && producer_may_write(p, b->id))
		trace_buffer_end_writer(b->trace, &origin);
	p->writers[writer] = 0;
}

uint16_t producer_writer(const struct producer *p, uint32_t writer)
{
	return writer < p->writer_room ? p->writers[writer] : 0;
}

void producer_allow_buffer(struct producer *p, uint16_t id)
{
	p->allowed[id / 8] |= (uint8_t)(1 << id % 8);
}

bool producer_may_write(const struct producer *p, uint16_t id)
{
	return p->allowed[id / 8] & 1 << id % 8;
}

void producer_forget_buffer(struct producer *p, uint16_t id)
{
	p->allowed[id / 8] &= (uint8_t)~(1 << id % 8);
}

void producer_send_waiting(struct producer *p)
{
	struct command *c;

	while ((c = STAILQ_FIRST(&p->waiting))) {
		Pft__GetAsyncCommandResponse *r =
			pft__get_async_command_response__unpack(NULL, c->size, c->bytes);

		STAILQ_REMOVE_HEAD(&p->waiting, link);
		if (r)
			command(p, r, c->has_fd);
		pft__get_async_command_response__free_unpacked(r, NULL);
		free(c);
	}
	count_waiting(p, -(ssize_t)p->waiting_size);
}

bool producer_setup(struct producer *p, const Pft__TraceConfig__ProducerConfig *config)
{
	size_t page = config ? config->page_size_kb * (size_t)1024 : 0;
	size_t size = config ? config->shm_size_kb * (size_t)1024 : 0;

	if (p->has_smb)
		return true;
	page = page ?: p->page_hint;
	size = size ?: p->size_hint;
	shmem_sizes(&size, &page);
	if (!may_share(p, size))
		return false;
	if (shmem_make(&p->smb, size, page)) {
		p->peer->user->shared -= size;
		return false;
	}
	p->has_smb = true;
	send_setup(p);
	return true;
}

static void tell_instance(struct producer *p, int command_case, uint64_t id,
			  Pft__DataSourceConfig *config)
{
	Pft__GetAsyncCommandResponse__NewInstance instance =
		PFT__GET_ASYNC_COMMAND_RESPONSE__NEW_INSTANCE__INIT;
	Pft__GetAsyncCommandResponse r = PFT__GET_ASYNC_COMMAND_RESPONSE__INIT;

	instance.has_new_instance_id = true;
	instance.new_instance_id = id;
	instance.config = config;
	r.cmd_case = command_case;
	/* All commands are in a union of pointers; setup and start have the same type. */
	r.setup_data_source = &instance;
	command(p, &r, false);
}

void producer_setup_source(struct producer *p, uint64_t id, Pft__DataSourceConfig *config)
{
	tell_instance(p, PFT__GET_ASYNC_COMMAND_RESPONSE__CMD_SETUP_DATA_SOURCE, id, config);
}

void producer_start_source(struct producer *p, uint64_t id, Pft__DataSourceConfig *config)
{
	tell_instance(p, PFT__GET_ASYNC_COMMAND_RESPONSE__CMD_START_DATA_SOURCE, id, config);
}

void producer_stop_source(struct producer *p, uint64_t id)
{
	Pft__GetAsyncCommandResponse__StopDataSource stop =
		PFT__GET_ASYNC_COMMAND_RESPONSE__STOP_DATA_SOURCE__INIT;
	Pft__GetAsyncCommandResponse r = PFT__GET_ASYNC_COMMAND_RESPONSE__INIT;

	stop.has_instance_id = true;
	stop.instance_id = id;
	r.cmd_case = PFT__GET_ASYNC_COMMAND_RESPONSE__CMD_STOP_DATA_SOURCE;
	r.stop_data_source = &stop;
	command(p, &r, false);
}

void producer_flush(struct producer *p, uint64_t *ids, size_t nr, uint64_t request, uint64_t flags)
{
	Pft__GetAsyncCommandResponse__Flush flush = PFT__GET_ASYNC_COMMAND_RESPONSE__FLUSH__INIT;
	Pft__GetAsyncCommandResponse r = PFT__GET_ASYNC_COMMAND_RESPONSE__INIT;

	flush.n_data_source_ids = nr;
	flush.data_source_ids = ids;
	flush.has_request_id = true;
	flush.request_id = request;
	flush.has_flags = true;
	flush.flags = flags;
	r.cmd_case = PFT__GET_ASYNC_COMMAND_RESPONSE__CMD_FLUSH;
	r.flush = &flush;
	command(p, &r, false);
}

void producer_clear_state(struct producer *p, uint64_t *ids, size_t nr)
{
	Pft__GetAsyncCommandResponse__ClearIncrementalState clear =
		PFT__GET_ASYNC_COMMAND_RESPONSE__CLEAR_INCREMENTAL_STATE__INIT;
	Pft__GetAsyncCommandResponse r = PFT__GET_ASYNC_COMMAND_RESPONSE__INIT;

	clear.n_data_source_ids = nr;
	clear.data_source_ids = ids;
	r.cmd_case = PFT__GET_ASYNC_COMMAND_RESPONSE__CMD_CLEAR_INCREMENTAL_STATE;
	r.clear_incremental_state = &clear;
	command(p, &r, false);
}
