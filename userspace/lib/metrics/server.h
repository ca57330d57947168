/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * server.h - gives a text of metrics to clients, by a thread of its own
 *
 *   program, once a second --text--> metrics_server_collect() --> thread --HTTP--> clients
 *
 * The program never waits for the thread, nor for a client, and a client costs it nothing: the
 * thread has only the text. Its memory is bounded, however many clients there are and whatever they
 * send.
 */
#ifndef KTRACE_METRICS_SERVER_H
#define KTRACE_METRICS_SERVER_H

#include <stdio.h>

struct metric;
struct metrics_server;

/*
 * Listens at @place, which metrics_place_wrong() found right; clients wait until
 * metrics_server_begin(). Return: 0 or -errno, see metrics_place_open().
 */
int metrics_server_open(struct metrics_server **out, const char *place);
/* Returns the place for people; a port 0 has become the one in use. */
const char *metrics_server_url(const struct metrics_server *s);
/* Starts the thread. Return: 0 or -errno. */
int metrics_server_begin(struct metrics_server *s);
/*
 * Calls @put to write a text, which takes the place of the last one. Never waits: if the thread is
 * just copying the last one, or there is no memory, that one stays.
 */
void metrics_server_collect(struct metrics_server *s, void (*put)(FILE *to, void *arg), void *arg);
/*
 * Writes the family @m, a counter, with what clients got so far, by the label "result". Never
 * waits: if the thread is just counting, these are the numbers of the time before.
 */
void metrics_server_put(struct metrics_server *s, FILE *to, const struct metric *m);
/* Ends the thread and all connections, removes the socket's file. No-op for NULL */
void metrics_server_close(struct metrics_server *s);

#endif
