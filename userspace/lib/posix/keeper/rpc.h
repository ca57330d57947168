/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * rpc.h - protocol between a controller and the keeper of one of its streams
 *
 * A keeper is a separate process that owns the stream and its log, and survives any death of the
 * controller. Each message is one packet; each request has one answer. Both ends have the same
 * version: the library starts the keeper it was installed with.
 */
#ifndef KTRACE_POSIX_KEEPER_RPC_H
#define KTRACE_POSIX_KEEPER_RPC_H

#include "posix/base/attr.h"
#include "posix/base/event.h"
#include "posix/registry/registry_shm.h"
#include <trace.h>

/* Descriptors of a new keeper */
#define RPC_FD_SOCKET 3
#define RPC_FD_PROCESS 4	/* pidfd of the controller, or /dev/null */
#define RPC_FD_LOG 5		/* or /dev/null without a log */
#define RPC_FD_NR 6

enum rpc_call {
	RPC_CREATE,
	RPC_START,
	RPC_STOP,
	RPC_CLEAR,
	RPC_STATUS,
	RPC_GET_FILTER,
	RPC_SET_FILTER,
	RPC_NEXT,
	RPC_FLUSH,
	RPC_SHUTDOWN,
	RPC_OPEN_TYPE,
	RPC_TYPE_NAME,
	RPC_TYPES,
};

/**
 * struct rpc_request - a request
 * @call:	enum rpc_call
 * @how:	SET_FILTER
 * @address:	caller of the library
 * @set:	SET_FILTER
 * @attr:	CREATE
 * @pid:	CREATE: the process that is traced
 * @uid:	CREATE: its user
 * @owner:	CREATE: the controller
 * @has_log:	CREATE
 * @type:	TYPE_NAME
 * @name:	OPEN_TYPE
 */
struct rpc_request {
	__u32 call;
	__s32 how;
	__u64 address;
	trace_event_set_t set;
	struct posix_attr attr;
	pid_t pid;
	uid_t uid;
	struct posix_owner owner;
	bool has_log;
	trace_event_id_t type;
	char name[TRACE_EVENT_NAME_MAX + 1];
};

/**
 * struct rpc_answer - an answer; the data of NEXT follow
 * @error:	0 or errno
 * @nr:		CREATE: slot in the registry
 * @has_event:	NEXT
 * @attr:	CREATE
 * @status:	STATUS
 * @set:	GET_FILTER, TYPES
 * @rec:	NEXT
 * @head:	NEXT
 * @time:	NEXT
 * @type:	OPEN_TYPE; TYPE_NAME: not 0 if the type exists
 * @name:	TYPE_NAME
 */
struct rpc_answer {
	__s32 error;
	__u32 nr;
	bool has_event;
	struct posix_attr attr;
	struct posix_trace_status_info status;
	trace_event_set_t set;
	struct ktrace_record rec;
	struct ktrace_posix_event head;
	struct timespec time;
	trace_event_id_t type;
	char name[TRACE_EVENT_NAME_MAX + 1];
};

#endif
