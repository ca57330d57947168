/* SPDX-License-Identifier: GPL-2.0 */
/* session.h - what the actions of ktrace session have in common */
#ifndef VIEWER_SESSION_SESSION_H
#define VIEWER_SESSION_SESSION_H

#include "base/viewer.h"
#include "client.h"

#include <stdio.h>

/* No such session is detached: the exit status of "status KEY" alone, as Perfetto has it */
#define STATUS_NOT_FOUND 2

struct Pft__ObservableEvents__CloneTriggerHit;
struct Pft__TraceConfig;

/**
 * struct session - one run of the command
 * @action:	what it does
 * @words:	what follows the action
 * @word_nr:	how many
 * @config:	--config
 * @output:	--output
 * @key:	--detach
 * @timeout_ms:	--timeout
 * @has_packets: --packets
 * @is_json:	--json
 * @is_quiet:	--quiet
 * @is_nameless: what is to be written is an open file that has no name
 * @c:		the connection to the service
 * @enabled:	request that is answered when tracing ends
 * @observed:	request that is answered when something happens
 * @is_over:	tracing has ended, or was refused
 * @is_refused:	the latter
 * @clone_nr:	clones that triggers have asked for so far
 */
struct session {
	const struct action *action;
	char **words;
	int word_nr;
	const char *config;
	const char *output;
	const char *key;
	int timeout_ms;
	bool has_packets;
	bool is_json;
	bool is_quiet;
	bool is_nameless;
	struct client c;
	__u64 enabled;
	__u64 observed;
	bool is_over;
	bool is_refused;
	unsigned int clone_nr;
};

/**
 * struct action - one
 * @name:	its name
 * @words_min:	words that must follow
 * @words_max:	and may
 * @needs_config: --config must be given
 * @needs_output: --output must be given
 * @port:	what it talks to the service as
 * @run:	returns the exit status; the connection is there
 */
struct action {
	const char *name;
	int words_min;
	int words_max;
	bool needs_config;
	bool needs_output;
	enum client_port port;
	int (*run)(struct session *s);
};

/* Says what went wrong between the service and us. Returns STATUS_DAMAGED. */
int session_failed(const char *what, int error, const struct client_reply *r);
/* Without arguments, or with a key */
int session_ask(struct session *s, const char *method, const ProtobufCMessage *args);

/* run.c: sessions of this process */
int session_watch_signals(struct session *s);
int session_start(struct session *s);
int session_attach(struct session *s);
int session_stop(struct session *s);
int session_flush(struct session *s);
int session_detach(struct session *s);
/* Return: 0, STATUS_NOT_FOUND, STATUS_DAMAGED having complained */
int session_take(struct session *s, const char *key);

/* query.c: what there is */
int session_list(struct session *s);
int session_status(struct session *s);
/* Says which data sources of a configuration no producer has by now, and what may be meant. */
void session_hint(struct session *s, const struct Pft__TraceConfig *config);
int session_trigger(struct session *s);
/* Pulls triggers, over a connection that is a producer's. Returns the exit status. */
int session_pull(struct session *s, char **names, size_t nr);

/* copy.c: what others have recorded so far */
int session_snapshot(struct session *s);
int session_clone(struct session *s);
int session_read(struct session *s);
/*
 * Writes a copy of the session that a trigger asked for one of, over a connection of its own.
 * Returns the exit status.
 */
int session_copy(const struct session *s, const struct Pft__ObservableEvents__CloneTriggerHit *hit,
		 const char *path);

/* save.c: packets of the buffers, into a file without a name. Return: 0, -errno, complained */
int save_read(struct client *c, FILE *to);
/* What is in it becomes the file that was asked for. Returns the exit status. */
int save_file(const struct session *s, FILE *from, const char *path);
/* Before anything is recorded: whether --output, if there is one, can be made; else complains. */
bool save_is_possible(const struct session *s);
/* Both */
int save_buffers(const struct session *s, struct client *c, const char *path);

#endif
