/* SPDX-License-Identifier: GPL-2.0 */
/*
 * owner.h - a session around a program that measures itself
 *
 * The owner is the program's parent. It takes the place of the daemon: when it is asked to,
 * everything is declared read, and nobody looks at it.
 */
#ifndef BENCH_EVENT_OWNER_H
#define BENCH_EVENT_OWNER_H

#include <stdbool.h>
#include <ktrace/session.h>

/* Whether this process is the one that is measured. */
bool owner_is_there(void);

/* Makes a session, runs this program again inside it. Return: its exit status. */
int owner_run(int backend, unsigned int ring_size, const char *events, char **argv);

/* Everything is declared read. Ends the program if events were lost. */
void owner_consume(void);

#endif
