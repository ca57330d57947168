/* SPDX-License-Identifier: GPL-2.0 */
/* session.h - shared by the actions of ktrace session */
#ifndef VIEWER_SESSION_SESSION_H
#define VIEWER_SESSION_SESSION_H

#include "base/viewer.h"
#include "client.h"

#include <stdio.h>

/* No such session is detached: used only by "status KEY", as in Perfetto */
#define STATUS_NOT_FOUND 2

struct Pft__ObservableEvents__CloneTriggerHit;
struct Pft__TraceConfig;

/**
 * struct session - one run of the command
 * @action:	the action to run
 * @words:	words after the action
 * @word_nr:	number of @words
 * @config:	--config
 * @output:	--output
 * @key:	--detach
 * @timeout_ms:	--timeout
 * @has_packets: --packets
 * @is_json:	--json
 * @is_quiet:	--quiet
 * @is_nameless: the output is an open file without a name
 * @c:		the connection to the service
 * @enabled:	request that is answered when tracing ends
 * @observed:	request that is answered on each event
 * @is_over:	tracing has ended, or was refused
 * @is_refused:	it was refused
 * @clone_nr:	number of clones that triggers have asked for so far
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
 * struct action - one action of ktrace session
 * @name:	its name
 * @words_min:	least number of words after it
 * @words_max:	most
 * @needs_config: --config must be given
 * @needs_output: --output must be given
 * @port:	role of the connection to the service
 * @run:	runs it, with @c connected; returns the exit status
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

/* Reports a failed request to the service. Returns STATUS_DAMAGED. */
int session_failed(const char *what, int error, const struct client_reply *r);
/* Sends a request whose reply has no contents. Returns the exit status. */
int session_ask(struct session *s, const char *method, const ProtobufCMessage *args);

/* run.c: sessions owned by this process */
int session_watch_signals(struct session *s);
int session_start(struct session *s);
int session_attach(struct session *s);
int session_stop(struct session *s);
int session_flush(struct session *s);
int session_detach(struct session *s);
/* Attaches to a detached session. Return: 0, STATUS_NOT_FOUND, STATUS_DAMAGED after reporting */
int session_take(struct session *s, const char *key);

/* query.c: what the service has */
int session_list(struct session *s);
int session_status(struct session *s);
/* Reports data sources of a configuration that no producer offers yet, with similar names. */
void session_hint(struct session *s, const struct Pft__TraceConfig *config);
int session_trigger(struct session *s);
/* Pulls triggers, on a producer's connection. Returns the exit status. */
int session_pull(struct session *s, char **names, size_t nr);

/* copy.c: copies of what sessions have recorded so far */
int session_snapshot(struct session *s);
int session_clone(struct session *s);
int session_read(struct session *s);
/*
 * Writes the copy of a session that a trigger asked for, on a connection of its own. Returns the
 * exit status.
 */
int session_copy(const struct session *s, const struct Pft__ObservableEvents__CloneTriggerHit *hit,
		 const char *path);

/* save.c: reads the packets of the buffers into a file. Return: 0, -errno, after reporting it */
int save_read(struct client *c, FILE *to);
/* Writes the packets in @from to the output file @path. Returns the exit status. */
int save_file(const struct session *s, FILE *from, const char *path);
/* True if --output, if given, can be created; reports it otherwise. Called before recording. */
bool save_is_possible(const struct session *s);
/* Calls save_read() and save_file(). */
int save_buffers(const struct session *s, struct client *c, const char *path);

#endif
