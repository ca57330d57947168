/* SPDX-License-Identifier: GPL-2.0 */
/*
 * command_message.h - what ktrace fleet and the hosts say to each other
 *
 * A question goes to NAME.fleet.ask, a command to NAME.fleet.do.ACTION.HOST.SESSION: the broker's
 * accounts can tell who may do what, and where. The answer goes to INBOX.HOST.SESSION, so they can
 * also tell for whom a host may speak. Documentation/fleet.md is the protocol's specification.
 */
#ifndef VIEWER_FLEET_COMMAND_MESSAGE_H
#define VIEWER_FLEET_COMMAND_MESSAGE_H

#include <nats/nats.h>

#include "base/nats_url.h"
#include "message.h"

/* Longest request and answer, with a NUL */
#define COMMAND_REQUEST_MAX 4096u
#define COMMAND_ANSWER_MAX 65536u
/* Longest text of a mark */
#define COMMAND_MARK_MAX 1024u
/* A session's id: hexadecimal digits */
#define COMMAND_SESSION 16
/* Text of a question, and first word of a command: "do by=WHO [value=VALUE]" */
#define COMMAND_ASK "status"
#define COMMAND_DO "do"
#define COMMAND_SUBJECT_MAX (NATS_STREAM_MAX + MESSAGE_HOST_MAX + 64)

/* struct command_address - a recording: its host, as in struct message_part, and session */
struct command_address {
	char host[MESSAGE_HOST_MAX + 1];
	char session[COMMAND_SESSION + 1];
};

/* Writes the subject of a question to all, and of a command; @action may be "*". */
void command_ask_subject(char subject[COMMAND_SUBJECT_MAX], const char *stream);
void command_do_subject(char subject[COMMAND_SUBJECT_MAX], const char *stream, const char *action,
			const struct command_address *to);
/*
 * Writes the subject of an answer. Returns false if @reply is none of an inbox: what may be sent
 * there is not for its sender to choose.
 */
bool command_answer_subject(char subject[COMMAND_SUBJECT_MAX], const char *reply,
			    const struct command_address *from);
/* Parses "@inbox.HOST.SESSION". Trusts nothing: returns false if it is not exactly that. */
bool command_answer_parse(const char *subject, const char *inbox, struct command_address *from);
bool command_is_session(const char *text);
/* Copies a message's text, NUL-terminated. Returns false if it is too long or has a NUL. */
bool command_text(const natsMsg *msg, char *text, size_t size);

#endif
