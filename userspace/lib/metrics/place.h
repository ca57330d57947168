/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * place.h - where metrics are served: a socket's file, or the loopback
 *
 *   unix:PATH  127.0.0.1:PORT  localhost:PORT  [::1]:PORT		port 0 = any free one
 *
 * Other addresses are refused: the text is not encrypted, and nobody is asked who he is.
 */
#ifndef KTRACE_METRICS_PLACE_H
#define KTRACE_METRICS_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

/* Longest place, including its NUL: unix: and the longest path of a socket */
#define METRICS_PLACE_MAX 128

/**
 * struct metrics_place - where we listen
 * @fd:		listening socket, < 0 = closed
 * @is_unix:	it has a file
 * @path:	of that file
 * @file:	the file as it was made: another one is not removed
 * @url:	for people: unix:PATH, http://127.0.0.1:PORT/metrics
 */
struct metrics_place {
	int fd;
	bool is_unix;
	char path[METRICS_PLACE_MAX];
	struct stat file;
	char url[METRICS_PLACE_MAX];
};

/* Returns what is wrong with @text, NULL = nothing. */
const char *metrics_place_wrong(const char *text);
/*
 * Listens there; the file has mode 0600 from the beginning, and replaces one only if that is a
 * socket where nobody listens. Return: 0; -EADDRINUSE; -EEXIST: the file is none of that kind;
 * -errno.
 */
int metrics_place_open(struct metrics_place *p, const char *text);
/* Explains an error of metrics_place_open(). */
const char *metrics_place_error(int error);
/* Stops listening, removes the file. */
void metrics_place_close(struct metrics_place *p);

#endif
