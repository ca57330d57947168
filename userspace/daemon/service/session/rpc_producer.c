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

	r.error = (char *)producer_register(p->end, m->data_source_descriptor);
	connection_reply(p, call, &r.base);
}

static void unregister_source(struct connection *p, struct call *call, const void *request)
{
	const Pft__UnregisterDataSourceRequest *m = request;

	producer_unregister(p->end, m->data_source_name);
	connection_done(p, call);
}

static void commit_data(struct connection *p, struct call *call, const void *request)
{
	commit(p->end, request);
	connection_done(p, call);
}

/* Opens the stream of commands, which lasts as long as the connection. */
static void get_commands(struct connection *p, struct call *call, const void *request)
{
	struct producer *producer = p->end;

	(void)request;
	producer->commands = *call;
	producer_send_waiting(producer);
}

static void register_writer(struct connection *p, struct call *call, const void *request)
{
	const Pft__RegisterTraceWriterRequest *m = request;

	producer_register_writer(p->end, m->trace_writer_id, m->target_buffer);
	connection_done(p, call);
}

static void unregister_writer(struct connection *p, struct call *call, const void *request)
{
	const Pft__UnregisterTraceWriterRequest *m = request;

	producer_unregister_writer(p->end, m->trace_writer_id);
	connection_done(p, call);
}

static void notify_started(struct connection *p, struct call *call, const void *request)
{
	const Pft__NotifyDataSourceStartedRequest *m = request;

	instance_started(p->end, m->data_source_id);
	connection_done(p, call);
}

static void notify_stopped(struct connection *p, struct call *call, const void *request)
{
	const Pft__NotifyDataSourceStoppedRequest *m = request;

	instance_has_stopped(p->end, m->data_source_id);
	connection_done(p, call);
}

static void activate_triggers(struct connection *p, struct call *call, const void *request)
{
	if (!trigger_fire(p->end, call, request))
		connection_reject(p, call);
}

/* Answers at once: calls are handled in order, so all before this one are done. */
static void sync_calls(struct connection *p, struct call *call, const void *request)
{
	(void)request;
	connection_done(p, call);
}

static void update_source(struct connection *p, struct call *call, const void *request)
{
	const Pft__UpdateDataSourceRequest *m = request;

	producer_update(p->end, m->data_source_descriptor);
	connection_done(p, call);
}

static void close_port(struct connection *p)
{
	producer_close(p->end);
	p->end = NULL;
}

/* Order as in the protocol */
static const struct method methods[] = {
	METHOD("InitializeConnection", initialize_connection, initialize, true),
	METHOD("RegisterDataSource", register_data_source, register_source, false),
	METHOD("UnregisterDataSource", unregister_data_source, unregister_source, false),
	METHOD("CommitData", commit_data, commit_data, false),
	METHOD("GetAsyncCommand", get_async_command, get_commands, false),
	METHOD("RegisterTraceWriter", register_trace_writer, register_writer, false),
	METHOD("UnregisterTraceWriter", unregister_trace_writer, unregister_writer, false),
	METHOD("NotifyDataSourceStarted", notify_data_source_started, notify_started, false),
	METHOD("NotifyDataSourceStopped", notify_data_source_stopped, notify_stopped, false),
	METHOD("ActivateTriggers", activate_triggers, activate_triggers, false),
	METHOD("Sync", sync, sync_calls, false),
	METHOD("UpdateDataSource", update_data_source, update_source, false),
};

const struct port producer_port = {
	.name = "ProducerPort", .methods = methods,
	.method_nr = sizeof(methods) / sizeof(*methods),
	.close = close_port, .queue_max = QUEUE_MAX, .is_public = true,
};
