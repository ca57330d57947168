// SPDX-License-Identifier: GPL-2.0
/* rpc_producer.c - what producers may call; InitializeConnection must come first */
#include "rpc_ports.h"

#include "commit.h"
#include "instance.h"
#include "producer.h"
#include "service.pb-c.h"
#include "trigger.h"

/* Bytes queued at which a producer is dropped: it does not read its commands. */
#define QUEUE_MAX (256u * 1024)

static struct producer *of(struct connection *p, struct call *call)
{
	if (!p->end)
		connection_reject(p, call);
	return p->end;
}

static void initialize(struct connection *p, struct call *call, const void *request)
{
	Pft__InitializeConnectionResponse r = PFT__INITIALIZE_CONNECTION_RESPONSE__INIT;
	struct producer *producer = p->end ? NULL : producer_open(p, request);

	if (!producer) {
		connection_reject(p, call);
		return;
	}
	p->end = producer;
	r.has_using_shmem_provided_by_producer = true;
	r.using_shmem_provided_by_producer = producer->gave_smb;
	r.has_direct_smb_patching_supported = r.direct_smb_patching_supported = true;
	r.has_use_shmem_emulation = true;
	connection_reply(p, call, &r.base);
}

static void register_source(struct connection *p, struct call *call, const void *request)
{
	const Pft__RegisterDataSourceRequest *m = request;
	Pft__RegisterDataSourceResponse r = PFT__REGISTER_DATA_SOURCE_RESPONSE__INIT;
	struct producer *producer = of(p, call);

	if (!producer)
		return;
	r.error = (char *)producer_register(producer, m->data_source_descriptor);
	connection_reply(p, call, &r.base);
}

static void unregister_source(struct connection *p, struct call *call, const void *request)
{
	const Pft__UnregisterDataSourceRequest *m = request;
	Pft__UnregisterDataSourceResponse r = PFT__UNREGISTER_DATA_SOURCE_RESPONSE__INIT;
	struct producer *producer = of(p, call);

	if (!producer)
		return;
	producer_unregister(producer, m->data_source_name);
	connection_reply(p, call, &r.base);
}

static void commit_data(struct connection *p, struct call *call, const void *request)
{
	Pft__CommitDataResponse r = PFT__COMMIT_DATA_RESPONSE__INIT;
	struct producer *producer = of(p, call);

	if (!producer)
		return;
	commit(producer, request);
	connection_reply(p, call, &r.base);
}

/* Opens the stream of commands, which lasts as long as the connection. */
static void get_commands(struct connection *p, struct call *call, const void *request)
{
	struct producer *producer = of(p, call);

	(void)request;
	if (!producer)
		return;
	producer->commands = *call;
	producer_send_waiting(producer);
}

static void register_writer(struct connection *p, struct call *call, const void *request)
{
	const Pft__RegisterTraceWriterRequest *m = request;
	Pft__RegisterTraceWriterResponse r = PFT__REGISTER_TRACE_WRITER_RESPONSE__INIT;
	struct producer *producer = of(p, call);

	if (!producer)
		return;
	producer_register_writer(producer, m->trace_writer_id, m->target_buffer);
	connection_reply(p, call, &r.base);
}

static void unregister_writer(struct connection *p, struct call *call, const void *request)
{
	const Pft__UnregisterTraceWriterRequest *m = request;
	Pft__UnregisterTraceWriterResponse r = PFT__UNREGISTER_TRACE_WRITER_RESPONSE__INIT;
	struct producer *producer = of(p, call);

	if (!producer)
		return;
	producer_unregister_writer(producer, m->trace_writer_id);
	connection_reply(p, call, &r.base);
}

static void notify_started(struct connection *p, struct call *call, const void *request)
{
	const Pft__NotifyDataSourceStartedRequest *m = request;
	Pft__NotifyDataSourceStartedResponse r = PFT__NOTIFY_DATA_SOURCE_STARTED_RESPONSE__INIT;
	struct producer *producer = of(p, call);

	if (!producer)
		return;
	instance_started(producer, m->data_source_id);
	connection_reply(p, call, &r.base);
}

static void notify_stopped(struct connection *p, struct call *call, const void *request)
{
	const Pft__NotifyDataSourceStoppedRequest *m = request;
	Pft__NotifyDataSourceStoppedResponse r = PFT__NOTIFY_DATA_SOURCE_STOPPED_RESPONSE__INIT;
	struct producer *producer = of(p, call);

	if (!producer)
		return;
	instance_has_stopped(producer, m->data_source_id);
	connection_reply(p, call, &r.base);
}

static void activate_triggers(struct connection *p, struct call *call, const void *request)
{
	struct producer *producer = of(p, call);

	if (producer && !trigger_fire(producer, call, request))
		connection_reject(p, call);
}

/* Answers at once: calls are handled in order, so all before this one are done. */
static void sync_calls(struct connection *p, struct call *call, const void *request)
{
	Pft__SyncResponse r = PFT__SYNC_RESPONSE__INIT;

	(void)request;
	if (of(p, call))
		connection_reply(p, call, &r.base);
}

static void update_source(struct connection *p, struct call *call, const void *request)
{
	const Pft__UpdateDataSourceRequest *m = request;
	Pft__UpdateDataSourceResponse r = PFT__UPDATE_DATA_SOURCE_RESPONSE__INIT;
	struct producer *producer = of(p, call);

	if (!producer)
		return;
	producer_update(producer, m->data_source_descriptor);
	connection_reply(p, call, &r.base);
}

static void close_port(struct connection *p)
{
	producer_close(p->end);
	p->end = NULL;
}

/* Order as in the protocol */
static const struct method methods[] = {
	{ "InitializeConnection", &pft__initialize_connection_request__descriptor, initialize },
	{ "RegisterDataSource", &pft__register_data_source_request__descriptor, register_source },
	{ "UnregisterDataSource", &pft__unregister_data_source_request__descriptor,
	  unregister_source },
	{ "CommitData", &pft__commit_data_request__descriptor, commit_data },
	{ "GetAsyncCommand", &pft__get_async_command_request__descriptor, get_commands },
	{ "RegisterTraceWriter", &pft__register_trace_writer_request__descriptor, register_writer },
	{ "UnregisterTraceWriter", &pft__unregister_trace_writer_request__descriptor,
	  unregister_writer },
	{ "NotifyDataSourceStarted", &pft__notify_data_source_started_request__descriptor,
	  notify_started },
	{ "NotifyDataSourceStopped", &pft__notify_data_source_stopped_request__descriptor,
	  notify_stopped },
	{ "ActivateTriggers", &pft__activate_triggers_request__descriptor, activate_triggers },
	{ "Sync", &pft__sync_request__descriptor, sync_calls },
	{ "UpdateDataSource", &pft__update_data_source_request__descriptor, update_source },
};

const struct port producer_port = {
	.name = "ProducerPort", .methods = methods,
	.method_nr = sizeof(methods) / sizeof(*methods),
	.close = close_port, .queue_max = QUEUE_MAX, .is_public = true,
};
