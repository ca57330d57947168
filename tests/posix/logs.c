// SPDX-License-Identifier: GPL-2.0
/*
 * logs.c - logs of streams that go on: what becomes of one that is full, by its policy, and of a
 * stream that is flushed although nobody asks for it
 *
 * XSH posix_trace_attr_getinherited has the policies, XSH 2.11.1 what is told of a log.
 */
#include "suite.h"

#include <fcntl.h>

#define POLICIES "XSH posix_trace_attr_getinherited, DESCRIPTION"
#define STATUS "XSH 2.11.1"
#define BURST 100
#define LOG 16384
#define MOST (1u << 20)		/* events, that no test comes near to */
#define LONG 512		/* bytes of a long event */

static trace_event_id_t id;

/* burst - some events, numbered from *@told on, which are flushed. Return: the status then */
static struct posix_trace_status_info burst(trace_id_t t, uint64_t *told)
{
	for (int i = 0; i < BURST; i++)
		tell(id, (*told)++);
	need(posix_trace_flush(t));
	return await_flushed(t);
}

/* What a log has of the numbered events */
struct content {
	uint64_t first, next, n, gaps;
	bool has_automatic_stop, ends_with_stop;
};

static struct content read_all(trace_id_t log)
{
	struct content c = { .next = 0 };
	struct seen e;
	int automatic = 0;

	while (log_next(log, &e)) {
		c.ends_with_stop = posix_trace_eventid_equal(log, e.info.posix_event_id,
							     POSIX_TRACE_STOP);
		if (c.ends_with_stop)
			memcpy(&automatic, e.data, sizeof(automatic));
		if (!posix_trace_eventid_equal(log, e.info.posix_event_id, id))
			continue;
		if (!c.n++)
			c.first = c.next = number_of(&e);
		c.gaps += number_of(&e) != c.next;
		c.next = number_of(&e) + 1;
	}
	c.has_automatic_stop = automatic;
	return c;
}

/* stays - two looks at the status of a log say the same. Return: it */
static struct posix_trace_status_info stays(trace_id_t log)
{
	struct posix_trace_status_info s = status(log), again = status(log);

	check("XSH posix_trace_get_status", !memcmp(&s, &again, sizeof(s)),
	      "the status of a log stays as it is");
	return s;
}

/* until_full - bursts into a log that is not full at first, until it is */
static void until_full(trace_id_t t, uint64_t *told)
{
	struct posix_trace_status_info s = burst(t, told);

	same(STATUS, s.posix_log_full_status, POSIX_TRACE_NOT_FULL, "a log has room at first");
	same(STATUS, s.posix_log_overrun_status, POSIX_TRACE_NO_OVERRUN, "nothing of it is lost");
	while (s.posix_log_full_status == POSIX_TRACE_NOT_FULL && *told < MOST)
		s = burst(t, told);
	check(STATUS, s.posix_log_full_status == POSIX_TRACE_FULL, "it is full some time");
}

/* overrun_is_told - another burst is too much for the full log, and the stream goes on */
static void overrun_is_told(trace_id_t t, uint64_t *told, int want)
{
	struct posix_trace_status_info s = burst(t, told);

	same(STATUS, s.posix_log_overrun_status, want, "what is flushed then gets lost, or what "
	     "was there");
	same(STATUS, s.posix_log_full_status, POSIX_TRACE_FULL, "the log is still full");
	s = status(t);
	same("XSH posix_trace_get_status", s.posix_log_overrun_status, POSIX_TRACE_NO_OVERRUN,
	     "a loss is told once");
	same("XSH posix_trace_get_status", s.posix_log_full_status, POSIX_TRACE_FULL,
	     "that it is full is told again");
	is_in(POLICIES, t, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL, "the stream goes on");
	same(STATUS, s.posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN,
	     "of the stream nothing was lost");
}

/* PTRC-44, PTRC-49 */
static void that_loops(void)
{
	int fd = new_file();
	trace_id_t t = logged(fd, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_LOOP, LOG);
	char name[TRACE_EVENT_NAME_MAX + 1] = "";
	struct posix_trace_status_info s;
	uint64_t told = 0, full;
	struct content c;

	need(posix_trace_start(t));
	until_full(t, &told);
	for (full = told; told < 3 * full;)
		overrun_is_told(t, &told, POSIX_TRACE_OVERRUN);
	for (int i = 0; i < BURST; i++)
		tell(id, told++);
	same("XSH posix_trace_shutdown", posix_trace_shutdown(t), 0, "a log that loops: no error");
	t = reopened(fd);
	c = read_all(t);
	check(POLICIES, c.first > 0 && c.n > BURST, "the oldest events have given way");
	check(POLICIES, c.next == told && !c.gaps, "the newest are there, without a gap");
	check(POLICIES, c.ends_with_stop && !c.has_automatic_stop, "and the end of the stream");
	same("XSH 2.11", posix_trace_eventid_get_name(t, id, name), 0, "types are not overwritten");
	check("XSH 2.11", !strcmp(name, "kept"), "nor their names");
	s = stays(t);
	same(STATUS, s.posix_log_full_status, POSIX_TRACE_FULL, "it says that it was full");
	same(STATUS, s.posix_log_overrun_status, POSIX_TRACE_OVERRUN, "and overwritten");
	need(posix_trace_close(t));
	close(fd);
}

/* PTRC-45 */
static void that_ends(void)
{
	int fd = new_file();
	trace_id_t t = logged(fd, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_UNTIL_FULL, LOG);
	struct posix_trace_status_info s;
	uint64_t told = 0;
	struct content c;

	need(posix_trace_start(t));
	until_full(t, &told);
	overrun_is_told(t, &told, POSIX_TRACE_OVERRUN);
	overrun_is_told(t, &told, POSIX_TRACE_OVERRUN);
	same("XSH posix_trace_shutdown", posix_trace_shutdown(t), 0, "a full log is no error");
	t = reopened(fd);
	c = read_all(t);
	check(POLICIES, c.n > BURST && c.first == 0 && !c.gaps, "the oldest events are there");
	check(POLICIES, c.next < told, "those that came later are not");
	check(POLICIES, c.ends_with_stop, "its last event is STOP");
	choice(POLICIES, c.has_automatic_stop, "which says that it is full");
	same(STATUS, stays(t).posix_log_full_status, POSIX_TRACE_FULL, "so does its status");
	need(posix_trace_close(t));
	/* It lost something since the status was last asked for. */
	t = logged(fd, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_UNTIL_FULL, LOG);
	need(posix_trace_start(t));
	until_full(t, &told);
	tell(id, told++);
	need(posix_trace_shutdown(t));
	t = reopened(fd);
	s = stays(t);
	same(STATUS, s.posix_log_overrun_status, POSIX_TRACE_OVERRUN, "a log says what it lost");
	same(STATUS, s.posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN,
	     "which is no loss of the stream");
	need(posix_trace_close(t));
	close(fd);
}

/* PTRC-46 */
static void that_grows(void)
{
	struct posix_trace_status_info s;
	int fd = new_file(), bad = 0;
	uint64_t told = 0;
	struct content c;
	trace_id_t t = logged(fd, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, LOG);

	need(posix_trace_start(t));
	while (told < 2 * LOG / sizeof(told)) {
		s = burst(t, &told);
		bad += s.posix_log_full_status != POSIX_TRACE_NOT_FULL ||
		       s.posix_log_overrun_status != POSIX_TRACE_NO_OVERRUN;
	}
	need(posix_trace_shutdown(t));
	same(STATUS, bad, 0, "a log that is appended to is never full, and loses nothing");
	t = reopened(fd);
	c = read_all(t);
	check(POLICIES, c.n == told && c.first == 0 && !c.gaps, "all events are there");
	need(posix_trace_close(t));
	t = logged(fd, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, LOG);
	need(posix_trace_start(t));
	burst(t, &told);
	need(posix_trace_shutdown(t));
	t = reopened(fd);
	c = read_all(t);
	choice(POLICIES, c.n == told && c.first == 0 && !c.gaps, "another stream extends it");
	need(posix_trace_close(t));
	close(fd);
}

/* tell_long - as tell(), with zeroes behind the number: @len bytes */
static void tell_long(uint64_t number, size_t len)
{
	unsigned char data[LONG] = { 0 };

	memcpy(data, &number, sizeof(number));
	posix_trace_event(id, data, len);
}

/* What it was given */
static uint64_t number_of_long(const struct seen *e, size_t len)
{
	uint64_t number = ~0ull;

	if (e->len == len)
		memcpy(&number, e->data, sizeof(number));
	return number;
}

/*
 * tell_until - @n events of @len bytes, again and again, until some of them are lost, or none is
 */
static struct posix_trace_status_info tell_until(trace_id_t t, int want, size_t n, size_t len,
						 uint64_t *told)
{
	const uint64_t most = *told + MOST * sizeof(uint64_t) / len;
	struct posix_trace_status_info s;

	do {
		for (size_t i = 0; i < n; i++)
			tell_long((*told)++, len);
		s = status(t);
	} while (s.posix_stream_overrun_status != want && *told < most);
	return s;
}

/* Losses are where the stream had stopped, and nowhere else: what a log says of both */
static void only_when_stopped(trace_id_t log, uint64_t told, size_t len, unsigned int rounds)
{
	uint64_t next = 0, wrong = 0, stops = 0, starts = 0, number;
	bool has_stopped = false;
	struct seen e;
	int automatic;

	while (log_next(log, &e)) {
		if (posix_trace_eventid_equal(log, e.info.posix_event_id, POSIX_TRACE_STOP)) {
			memcpy(&automatic, e.data, sizeof(automatic));
			has_stopped = automatic != 0;
			stops += has_stopped;
		} else if (posix_trace_eventid_equal(log, e.info.posix_event_id,
						     POSIX_TRACE_START)) {
			starts++;
		} else if (posix_trace_eventid_equal(log, e.info.posix_event_id, id)) {
			wrong += starts != stops + 1;
			number = number_of_long(&e, len);
			wrong += number < next || (number > next && !has_stopped);
			next = number + 1;
			has_stopped = false;
		}
	}
	check(POLICIES, stops >= rounds, "it stopped %u times by itself",
	      (unsigned int)stops);
	same(POLICIES, wrong, 0, "each time it started again before the next event");
	same(POLICIES, next, told, "the newest event is there");
}

/* PTRC-42: nobody asks for a flush. Long events fill a large stream before it can be flushed. */
static void flushed_by_itself(size_t size)
{
	const unsigned int rounds = often(3);
	const size_t len = size > 65536 ? LONG : sizeof(uint64_t);
	unsigned int lost = 0, running_full = 0;
	int fd = new_file();
	/* More than there is room for */
	const size_t many = (size > 65536 ? 2 * size : 65536 / 2) / len;
	struct posix_trace_status_info s;
	uint64_t told = 0;
	trace_attr_t attr;
	trace_id_t t;

	need(posix_trace_attr_init(&attr));
	need(posix_trace_attr_setstreamsize(&attr, size));
	need(posix_trace_attr_setmaxdatasize(&attr, len));
	need(posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_FLUSH));
	need(posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_APPEND));
	need(posix_trace_create_withlog(0, &attr, fd, &t));
	need(posix_trace_start(t));
	for (unsigned int round = 0; round < rounds; round++) {
		s = tell_until(t, POSIX_TRACE_OVERRUN, many, len, &told);
		lost += s.posix_stream_overrun_status == POSIX_TRACE_OVERRUN;
		for (;;) {
			running_full += s.posix_stream_full_status == POSIX_TRACE_FULL &&
					s.posix_stream_status == POSIX_TRACE_RUNNING;
			if (s.posix_stream_status == POSIX_TRACE_RUNNING)
				break;
			pause_ms(1);
			s = status(t);
		}
	}
	tell_until(t, POSIX_TRACE_NO_OVERRUN, 1, len, &told);
	same(STATUS, lost, rounds,
	     "%zu bytes: what a stream loses that is full before it is flushed is told", size);
	same(STATUS, running_full, 0, "it never runs full");
	same("XSH posix_trace_shutdown", posix_trace_shutdown(t), 0, "it is shut down");
	t = reopened(fd);
	only_when_stopped(t, told, len, rounds);
	need(posix_trace_close(t));
	close(fd);
}

/* What a numbered event is known by in a file */
#define MARK 0x646c6f74u
#define PATIENCE 20000		/* looks: if it is not found then, logs are not as plain as this */

static uint64_t with_mark(uint32_t number)
{
	const uint32_t words[2] = { number, MARK };
	uint64_t both;

	memcpy(&both, words, sizeof(both));
	return both;
}

/* written - how many numbered events a file has; @n of them end at @from */
static uint32_t written(int file, off_t *from, uint32_t n)
{
	char bytes[65536];
	ssize_t size, end;
	uint64_t next;

	do {
		size = pread(file, bytes, sizeof(bytes), *from);
		end = 0;
		for (ssize_t i = 0; i + (ssize_t)sizeof(next) <= size; i++) {
			next = with_mark(n);
			if (memcmp(bytes + i, &next, sizeof(next)))
				continue;
			n++;
			end = i + sizeof(next);
		}
		*from += end;
	} while (end);
	return n;
}

/* batch_of - a stream with a log, and as many events as it has room for, whatever else it has */
static uint32_t batch_of(int fd, trace_id_t *t)
{
	size_t size, one, system;
	trace_attr_t attr;

	need(posix_trace_attr_init(&attr));
	need(posix_trace_attr_setstreamsize(&attr, 65536));
	need(posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_APPEND));
	need(posix_trace_create_withlog(0, &attr, fd, t));
	need(posix_trace_get_attr(*t, &attr));
	need(posix_trace_attr_getstreamsize(&attr, &size));
	need(posix_trace_attr_getmaxusereventsize(&attr, sizeof(uint64_t), &one));
	need(posix_trace_attr_getmaxsystemeventsize(&attr, &system));
	return (size - 4 * system) / one;
}

/* tell_in_time - several times @batch, but never more than it at once. Return: how many */
static uint32_t tell_in_time(int fd, uint32_t batch)
{
	uint32_t told = 0, known = 0, waits = 0;
	char name[64];
	off_t from = 0;
	int file;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	file = open(name, O_RDONLY);
	need(file < 0 ? errno : 0);
	while (told < 6 * batch && waits < PATIENCE) {
		tell(id, with_mark(told++));
		while (told - known >= batch && waits++ < PATIENCE) {
			pause_ms(1);
			known = written(file, &from, known);
		}
	}
	close(file);
	return told;
}

/* PTRC-42: More than the stream has room for, and never more than that at once: nothing is lost. */
static void flushed_in_time(void)
{
	uint32_t batch, told, n = 0, wrong = 0, stops = 0;
	int fd = new_file();
	struct seen e;
	trace_id_t t;

	on_cpu(0);
	batch = batch_of(fd, &t);
	need(posix_trace_start(t));
	told = tell_in_time(fd, batch);
	choice(POLICIES, told == 6 * batch, "a stream is flushed before it is full");
	choice(STATUS, status(t).posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN,
	       "nothing is lost where there is time to flush it");
	need(posix_trace_shutdown(t));
	t = reopened(fd);
	while (log_next(t, &e)) {
		stops += !!posix_trace_eventid_equal(t, e.info.posix_event_id, POSIX_TRACE_STOP);
		if (posix_trace_eventid_equal(t, e.info.posix_event_id, id))
			wrong += number_of(&e) != with_mark(n++);
	}
	choice(POLICIES, n == told && !wrong, "the log has all of it, in order");
	choice(POLICIES, stops == 1, "it stopped when it was shut down, and not before");
	need(posix_trace_close(t));
	close(fd);
}

/* The stream has room for some of these starts and stops, the log for all. */
static void often_steered(void)
{
	const uint64_t rounds = 1000;
	int fd = new_file();
	trace_id_t t = logged(fd, 0, POSIX_TRACE_APPEND, 0);
	struct content c;

	for (uint64_t n = 0; n < rounds; n++) {
		need(posix_trace_start(t));
		tell(id, n);
		need(posix_trace_stop(t));
	}
	choice(STATUS, status(t).posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN,
	       "a stream that is started and stopped often is flushed in time");
	need(posix_trace_shutdown(t));
	t = reopened(fd);
	c = read_all(t);
	choice(POLICIES, c.n == rounds && c.first == 0 && !c.gaps, "its log has all of it");
	need(posix_trace_close(t));
	close(fd);
}

int main(void)
{
	id = event("kept");
	that_loops();
	that_ends();
	that_grows();
	flushed_by_itself(SMALL);
	flushed_by_itself(65536);
	flushed_by_itself(300000);
	flushed_in_time();
	often_steered();
	return done();
}
