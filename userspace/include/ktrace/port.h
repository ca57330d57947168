/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * port.h - how to talk to a live session: one message, one answer
 *
 * The owner of a session listens on a port: an abstract datagram socket, which needs no file, so
 * that nothing remains when the owner dies. Its name contains the owner's user. Messages are text:
 * a word, then key=value pairs, as in META lines. Only the owner's user and root get an answer;
 * both sides check the credentials supplied by the kernel.
 *
 *   show                          describe the session
 *   status                        and how it goes
 *   set [levels=] [events=] [where=]
 *                                 choose what to record from now on
 *   enable events=, disable events=
 *                                 add to the list of events, or remove from it
 *   pause                         record nothing but marks from now on
 *   resume                        record what was chosen before
 *   rotate                        end the current file and go on with the next one
 *   mark text=                    write an event ktrace:mark; sessions of the service only, as a
 *                                 program that takes part can write it for ktraced
 *   stop                          end the recording
 *
 *   ok pid= [command=] session= [pidns=] backend= file= pthread=0|1 [levels=] [events=]
 *      [filters=] [where=] [STATUS] [cmd=] [note=]
 *   refused reason=
 *
 * STATUS, the answer to status, pause, resume, rotate and stop: paused=0|1 ns= since the start;
 * recorded= events so far, events_s= in a second; bytes= of all files, bytes_s=; fill= of the
 * fullest ring in percent; lost=, and lost_REASON= of each; programs= that take part, at most 1000;
 * free= bytes on the disk; part= number of the file; uuid= of the recording, 32 hexadecimal digits;
 * clock_synced= 0|1 of CLOCK_REALTIME and, if 1, the kernel's limit of its error, clock_max_ns=,
 * and estimate of it, clock_est_ns=; if files are sent to a store: waiting= complete ones that it
 * does not have, waiting_bytes=, lag_ns= since the oldest of them was completed; error= why nothing
 * can be written now.
 *
 * Sessions of ktraced --service answer with kind=session, and with session=session:NUMBER. Their
 * events are data sources. They have further keys: [name=] [key=] uid= state= [disabled=] data
 * sources that are off; [producers=] names; [written=] bytes of the file; [unnamed=] names that had
 * no room. bytes= are those that producers have handed over; recorded= and events_s= are missing.
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

/* Longest message, including its NUL */
#define KTRACE_PORT_MESSAGE 8192
#define KTRACE_PORT_ANSWER 65536

/**
 * struct ktrace_port_sender - sender of a message and address of the answer
 * @may:	true if the sender may control the session
 * @uid:	the sender's user
 * @addr:	the sender's socket
 * @addr_size:	bytes of @addr
 */
struct ktrace_port_sender {
	bool may;
	__u32 uid;
	struct sockaddr_un addr;
	socklen_t addr_size;
};

/** ktrace_port_open - open a port for session @id of this process: descriptor or -errno */
int ktrace_port_open(__u64 id);

/**
 * ktrace_port_open_for - open a port for a session that belongs to another user
 * @uid:	the user, who may ask; the answers are believed only if this process is root's
 * @id:		the session
 *
 * Return: descriptor or -errno.
 */
int ktrace_port_open_for(__u32 uid, __u64 id);

/**
 * ktrace_port_receive - get the next message
 * @fd:		the port
 * @message:	KTRACE_PORT_MESSAGE bytes: the text, NUL-terminated, with no other NUL
 * @from:	out: the sender
 *
 * Never waits. Skips messages that are too long or have no return address.
 *
 * Return: true if there was one.
 */
bool ktrace_port_receive(int fd, char *message, struct ktrace_port_sender *from);

/** ktrace_port_answer - send the answer; drops it if the receiver does not take it */
void ktrace_port_answer(int fd, const struct ktrace_port_sender *to, const char *text);

/**
 * struct ktrace_port - a live session
 * @uid:	user that owns it
 * @pid:	process that reads it, in that process's pid namespace
 * @id:		the session's id
 */
struct ktrace_port {
	__u32 uid;
	__u32 pid;
	__u64 id;
};

/**
 * ktrace_port_list - list the live sessions of all users on this machine
 * @list:	out: the sessions
 * @max:	size of @list in entries
 *
 * Uses only the names of the sockets: a process may fake a session of another user, but cannot
 * answer as that user.
 *
 * Return: number of sessions, possibly more than @max.
 */
size_t ktrace_port_list(struct ktrace_port *list, size_t max);

/**
 * ktrace_port_list_all - list the live sessions, however many there are
 * @nr:		out: number of sessions
 *
 * Return: a list to be freed; NULL without memory.
 */
struct ktrace_port *ktrace_port_list_all(size_t *nr);

/**
 * ktrace_port_ask - send a message to a session and wait for the answer
 * @port:	the session
 * @text:	the message
 * @answer:	KTRACE_PORT_ANSWER bytes
 *
 * Return: 0; -ECONNREFUSED if the session is gone; -ETIMEDOUT if there is no answer within ten
 * seconds; -EACCES if the answer comes neither from the session's user nor from root; or -errno.
 */
int ktrace_port_ask(const struct ktrace_port *port, const char *text, char *answer);

/**
 * ktrace_port_ask_all - send a message to many sessions and wait for all answers
 * @ports:	the sessions
 * @nr:		number of @ports
 * @text:	the message
 * @answers:	out: each session's answer, to be freed; NULL: none
 * @errors:	out: result of each as from ktrace_port_ask(), or -ENOMEM
 *
 * Asks as many sessions in parallel as half of this process's descriptor limit permits. Sessions
 * that do not answer delay the call by ten seconds in total.
 */
void ktrace_port_ask_all(const struct ktrace_port *ports, size_t nr, const char *text,
			 char **answers, int *errors);

/**
 * ktrace_port_value - get the value of @key in a message or answer
 *
 * Return: the decoded value, to be freed; NULL if there is none, or it contains a NUL.
 */
char *ktrace_port_value(const char *text, const char *key);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
