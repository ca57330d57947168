/* SPDX-License-Identifier: GPL-2.0 */
/*
 * suite.h - what the programs of the conformance suite for <trace.h> share
 *
 * The suite knows an implementation by <trace.h> and what it links with, and nothing else of it.
 * Each program tests one function, or tells a story with several; it prints its results as the
 * Test Anything Protocol has them, and says with each where IEEE Std 1003.1-2008 asks for it:
 * XSH is the volume of system interfaces, XBD that of definitions, XRAT the rationale.
 *
 * Where the standard leaves a choice, choice() says what was chosen. Another implementation may
 * have chosen otherwise: what fails then counts only if TRACE_CHOICES is in the environment.
 */
#ifndef SUITE_H
#define SUITE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace.h>

/* Sections of PAGE, which a program defines: the page of its function. */
#define DESCRIPTION	PAGE ", DESCRIPTION"
#define RETURNS		PAGE ", RETURN VALUE"
#define ERRORS		PAGE ", ERRORS"

struct place {
	const char *file;
	int line;
	const char *expression;
};

#define HERE(expression) (&(struct place){ __FILE__, __LINE__, expression })

/* check(where, condition, text): one result */
#define check(where, condition, ...) \
	result(HERE(#condition), where, false, !!(condition), __VA_ARGS__)
#define choice(where, condition, ...) \
	result(HERE(#condition), where, true, !!(condition), __VA_ARGS__)
/* same(where, got, want, text): one result, which shows both numbers when they differ */
#define same(where, got, want, ...) \
	compare(HERE(#got), where, (long long)(got), (long long)(want), __VA_ARGS__)
/* need(call): what the test cannot go on without; 0 is success */
#define need(call) needed(HERE(#call), call)

bool result(const struct place *p, const char *where, bool is_choice, bool good,
	    const char *format, ...) __attribute__((format(printf, 5, 6)));
bool compare(const struct place *p, const char *where, long long got, long long want,
	     const char *format, ...) __attribute__((format(printf, 5, 6)));
void needed(const struct place *p, int error);
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* skip - the whole program, if nothing was tested yet: exits */
void skip(const char *why);

/* done - prints how many results there are. Return: for main() to return. */
int done(void);

/* Events. */
#define SEEN_DATA 1024

struct seen {
	struct posix_trace_event_info info;
	size_t len;
	int unavailable;
	unsigned char data[SEEN_DATA];
};

/* How to read: what a stream was made by */
enum kind { ACTIVE, WITH_LOG, RECORDED, KINDS };

/* event - the id of a user event's name */
trace_event_id_t event(const char *name);
/* tell - emits an event with a number as data */
void tell(trace_event_id_t id, uint64_t number);
/* number_of - what tell() was given */
uint64_t number_of(const struct seen *e);
/* try_next - Return: whether there was an event. No error is expected. */
bool try_next(trace_id_t trid, struct seen *e);
/* log_next - the same for a log */
bool log_next(trace_id_t trid, struct seen *e);
/* drain - reads what there is. Return: how many events. */
size_t drain(trace_id_t trid);
/* find - reads up to the next event of a type. Return: whether there was one. */
bool find(trace_id_t trid, enum kind kind, trace_event_id_t id, struct seen *e);
/* is_called_in - whether an event has the address of a call in this function, a short one */
bool is_called_in(const struct seen *e, const void *function);
/* CALLER - a function that is_called_in() knows */
#define CALLER static void __attribute__((noinline))
/*
 * story - the events of a stream, which are read by this: their names, separated by blanks;
 * those of the system as START, STOP, OVERFLOW, RESUME, ERROR, FILTER, FLUSH_START, FLUSH_STOP
 */
const char *story(trace_id_t trid, enum kind kind);
/* tells - one result: whether the story is this */
#define tells(where, trid, kind, want, ...) \
	told(HERE(#trid), where, story(trid, kind), want, __VA_ARGS__)
bool told(const struct place *p, const char *where, const char *got, const char *want,
	  const char *format, ...) __attribute__((format(printf, 5, 6)));

/* often - how often to do what is done many times: @n times; an eighth of it with TRACE_SHORT */
unsigned int often(unsigned int n);

/* on_cpu - from now on this thread runs on one CPU, the @n'th of those it has, round and round */
void on_cpu(unsigned int n);

/* Streams. */
struct posix_trace_status_info status(trace_id_t trid);
/*
 * await_flushed - until no flush is under way. Return: the status then; what is told only once,
 * and was told meanwhile, is in it
 */
struct posix_trace_status_info await_flushed(trace_id_t trid);
/* is_in - one result: whether a stream has these two states */
#define is_in(where, trid, running, full, ...) \
	state(HERE(#trid), where, trid, running, full, __VA_ARGS__)
bool state(const struct place *p, const char *where, trace_id_t trid, int running, int full,
	   const char *format, ...) __attribute__((format(printf, 6, 7)));
/* stream - of this process; a policy of 0 leaves the default, as does a size of 0 */
trace_id_t stream(int policy, size_t size);
/* started - the same, running and with nothing in it */
trace_id_t started(int policy, size_t size);
/* fill - tells numbers from @first on until the stream is full. Return: the first one not told */
uint64_t fill(trace_id_t trid, trace_event_id_t id, uint64_t first);
/* few_descriptors - from now on this process may have few more: what leaks one is found */
void few_descriptors(void);
/* A size that is soon full */
#define SMALL 4096

/* A log in a file that has no name any more. */
int new_file(void);
/* logged - a stream of this process with a log */
trace_id_t logged(int fd, int stream_policy, int log_policy, size_t log_size);
/* reopened - its log, from the start of the file; the stream was shut down */
trace_id_t reopened(int fd);
/* recorded - a log that has START, the events a and b, STOP */
trace_id_t recorded(int *fd);

/* Processes. Their results count, too. */
/* in_child - Return: how the child ended, as of waitpid(), after function(argument) there */
int in_child(void (*function)(void *argument), void *argument);
/* child_is_well - one result if it was not */
void in_good_child(void (*function)(void *argument), void *argument);
/* pause_ms - a moment for others, never long enough to rely on */
void pause_ms(unsigned int ms);
/* sleeps - waits until a thread of this process, by its kernel id, sleeps */
void await_sleep(pid_t tid);

#endif /* SUITE_H */
