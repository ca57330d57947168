/* SPDX-License-Identifier: GPL-2.0 */
/* calls.h - entries of -e that mean system calls by name: "syscall:openat", "syscall:open*" */
#ifndef KTRACED_EVENTS_CALLS_H
#define KTRACED_EVENTS_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <ktrace/nearest.h>

/* What an entry means: @CALLS_UNKNOWN: calls, but this machine has none that it matches */
enum calls_kind { CALLS_NONE, CALLS, CALLS_UNKNOWN };

enum calls_kind calls_kind(const char *glob);

/** calls_are_in - does a list of -e, which may be NULL, have entries of the latter two kinds? */
bool calls_are_in(const char *events);

/**
 * calls_expression - what such an entry says of events of family syscall
 * @glob:	the entry
 * @expr:	what is in its braces, @len bytes; NULL = it has none
 * @before:	out: bytes in front of @expr in what is returned
 *
 * Return: an expression, to be freed; NULL without memory.
 */
char *calls_expression(const char *glob, const char *expr, size_t len, size_t *before);

/** calls_nearest - the call that a mistyped one was probably meant to be */
void calls_nearest(const char *glob, struct ktrace_nearest *near);

#endif
