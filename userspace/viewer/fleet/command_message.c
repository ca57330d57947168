// SPDX-License-Identifier: GPL-2.0
/* command_message.c - what ktrace fleet and the hosts say to each other */
#include "command_message.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Inboxes of clients; their longest name here */
#define INBOX_MAX 48

void command_ask_subject(char subject[COMMAND_SUBJECT_MAX], const char *stream)
{
	snprintf(subject, COMMAND_SUBJECT_MAX, "%s.fleet.ask", stream);
}

void command_do_subject(char subject[COMMAND_SUBJECT_MAX], const char *stream, const char *action,
			const struct command_address *to)
{
	snprintf(subject, COMMAND_SUBJECT_MAX, "%s.fleet.do.%s.%s.%s", stream, action, to->host,
		 to->session);
}

bool command_answer_subject(char subject[COMMAND_SUBJECT_MAX], const char *reply,
			    const struct command_address *from)
{
	const size_t prefix = strlen(MESSAGE_INBOX), size = reply ? strlen(reply) : 0;

	if (size <= prefix || size > INBOX_MAX || !message_is_inbox(reply))
		return false;
	for (const char *at = reply + prefix; *at; at++)
		if (!isalnum((unsigned char)*at))
			return false;
	snprintf(subject, COMMAND_SUBJECT_MAX, "%s.%s.%s", reply, from->host, from->session);
	return true;
}

bool command_is_session(const char *text)
{
	return strlen(text) == COMMAND_SESSION &&
	       strspn(text, "0123456789abcdef") == COMMAND_SESSION;
}

bool command_answer_parse(const char *subject, const char *inbox, struct command_address *from)
{
	const size_t size = strlen(inbox);
	const char *host = subject + size + 1, *dot;

	*from = (struct command_address){ .host = "" };
	if (strncmp(subject, inbox, size) || subject[size] != '.')
		return false;
	dot = strchr(host, '.');
	if (!dot || dot == host || dot - host > MESSAGE_HOST_MAX || !command_is_session(dot + 1))
		return false;
	memcpy(from->host, host, (size_t)(dot - host));
	strcpy(from->session, dot + 1);
	return message_is_host(from->host);
}

bool command_text(const natsMsg *msg, char *text, size_t size)
{
	const int length = natsMsg_GetDataLength(msg);

	if (length <= 0 || (size_t)length >= size ||
	    memchr(natsMsg_GetData(msg), '\0', (size_t)length))
		return false;
	memcpy(text, natsMsg_GetData(msg), (size_t)length);
	text[length] = '\0';
	return true;
}
