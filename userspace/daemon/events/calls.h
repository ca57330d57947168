/* SPDX-License-Identifier: GPL-2.0 */
/* calls.h - entries of -e that name system calls: "syscall:openat", "syscall:open*" */
#ifndef KTRACED_EVENTS_CALLS_H
#define KTRACED_EVENTS_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <ktrace/nearest.h>

/* Meaning of an entry; @CALLS_UNKNOWN: system calls, but none of this machine matches */
enum calls_kind { CALLS_NONE, CALLS, CALLS_UNKNOWN };

enum calls_kind calls_kind(const char *glob);

/** calls_are_in - true if a list of -e, which may be NULL, has entries of the latter two kinds */
bool calls_are_in(const char *events);

/**
 * calls_expression - translate such an entry to an expression on family syscall
 * @glob:	the entry
 * @expr:	the expression in its braces, @len bytes; NULL = none
 * @before:	out: bytes before @expr in the returned text
 *
 * Return: an expression that the caller frees; NULL if out of memory.
 */
char *calls_expression(const char *glob, const char *expr, size_t len, size_t *before);

/** calls_nearest - find the system call that a mistyped one was probably meant to be */
void calls_nearest(const char *glob, struct ktrace_nearest *near);

#endif
