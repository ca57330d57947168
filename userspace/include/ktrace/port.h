/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * port.h - how to talk to a live session: one message, one answer
 *
 * The owner of a session listens at a port: an abstract datagram socket, which needs no file,
 * so that nothing is left behind if somebody dies. Its name has the owner's user. Messages are
 * text: a word, then key=value pairs, as in META lines. Only the owner's user and root get an
 * answer; both sides use the credentials that the kernel gives.
 *
 *   show                          what the session is
 *   set [levels=] [events=] [where=]
 *                                 what to record from now on
 *
 *   ok pid= [command=] session= backend= file= pthread=0|1 [levels=] [events=] [filters=]
 *      [where=] [cmd=] [note=]
 *   refused reason=
 */
#ifndef KTRACE_PORT_H
#define KTRACE_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Longest message, its NUL included */
#define KTRACE_PORT_MESSAGE 8192
#define KTRACE_PORT_ANSWER 65536

/**
 * struct ktrace_port_sender - who has sent a message, and where the answer goes
 * @may:	it may steer the session
 * @uid:	its user
 * @addr:	its socket
 * @addr_size:	bytes of @addr
 */
struct ktrace_port_sender {
	bool may;
	__u32 uid;
	struct sockaddr_un addr;
	socklen_t addr_size;
};

/** ktrace_port_open - a port for session @id of this process: descriptor or -errno */
int ktrace_port_open(__u64 id);

/**
 * ktrace_port_receive - the next message
 * @fd:		the port
 * @message:	KTRACE_PORT_MESSAGE bytes: the text, NUL-terminated, without NUL inside
 * @from:	who sent it
 *
 * Never waits. What is too long, or has nobody to answer, is passed over.
 *
 * Return: whether there was one.
 */
bool ktrace_port_receive(int fd, char *message, struct ktrace_port_sender *from);

/** ktrace_port_answer - send the answer; one that does not take it gets none */
void ktrace_port_answer(int fd, const struct ktrace_port_sender *to, const char *text);

/**
 * struct ktrace_port - a live session
 * @uid:	user it belongs to
 * @pid:	process that reads it, as that one sees it
 * @id:		the session's id
 */
struct ktrace_port {
	__u32 uid;
	__u32 pid;
	__u64 id;
};

/**
 * ktrace_port_list - the live sessions of this machine, all users'
 * @list:	where to put them
 * @max:	room for so many
 *
 * By what the sockets are called: somebody may pretend to be another's session, but not
 * answer as it.
 *
 * Return: how many there are, which may be more than @max.
 */
size_t ktrace_port_list(struct ktrace_port *list, size_t max);

/**
 * ktrace_port_list_all - the same, however many there are
 * @nr:		out: their number
 *
 * Return: to be freed; NULL: no memory.
 */
struct ktrace_port *ktrace_port_list_all(size_t *nr);

/**
 * ktrace_port_ask - send a message to a session and wait for the answer
 * @port:	the session
 * @text:	the message
 * @answer:	KTRACE_PORT_ANSWER bytes
 *
 * Return: 0; -ECONNREFUSED it is gone; -ETIMEDOUT no answer within ten seconds; -EACCES what
 * answered is not the user's that it says; or -errno.
 */
int ktrace_port_ask(const struct ktrace_port *port, const char *text, char *answer);

/**
 * ktrace_port_ask_all - send a message to many sessions and wait for all answers
 * @ports:	the sessions
 * @nr:		their number
 * @text:	the message
 * @answers:	out: the answer of each, to be freed; NULL: none
 * @errors:	out: as ktrace_port_ask(), or -ENOMEM
 *
 * As many are asked at a time as half of the descriptors that this process may have are enough for.
 * All that do not answer take ten seconds together.
 */
void ktrace_port_ask_all(const struct ktrace_port *ports, size_t nr, const char *text,
			 char **answers, int *errors);

/**
 * ktrace_port_value - the value of @key in a message or answer
 *
 * Return: the decoded value, to be freed; NULL if there is none, or it has a NUL.
 */
char *ktrace_port_value(const char *text, const char *key);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
