// SPDX-License-Identifier: GPL-2.0
/*
 * truncation.c - how much data an event keeps, and how much of that a reader gets
 *
 * XSH posix_trace_event and posix_trace_getnext_event: what is longer than max-data-size is cut
 * when it is recorded, what is longer than the buffer when it is read, and that counts more.
 *
 * PTRC-12, PTRC-73
 */
#include "suite.h"

#define READING "XSH posix_trace_getnext_event, DESCRIPTION"
#define MAX 64
#define CANARY 0xcc

static const char *const kinds[KINDS] = { "stream", "stream with log", "log" };
static unsigned char bytes[2 * MAX];
static trace_event_id_t id;

static trace_id_t make(enum kind kind, int fd)
{
	trace_attr_t a;
	trace_id_t t;

	need(posix_trace_attr_init(&a));
	need(posix_trace_attr_setmaxdatasize(&a, MAX));
	if (kind != ACTIVE)
		need(posix_trace_attr_setstreamfullpolicy(&a, POSIX_TRACE_UNTIL_FULL));
	if (kind == ACTIVE)
		need(posix_trace_create(0, &a, &t));
	else
		need(posix_trace_create_withlog(0, &a, fd, &t));
	need(posix_trace_attr_destroy(&a));
	need(posix_trace_start(t));
	return t;
}

static int next(trace_id_t t, enum kind kind, struct seen *e, size_t room)
{
	if (kind != RECORDED)
		return posix_trace_trygetnext_event(t, &e->info, room ? e->data : NULL, room,
						    &e->len, &e->unavailable);
	return posix_trace_getnext_event(t, &e->info, room ? e->data : NULL, room, &e->len,
					 &e->unavailable);
}

/* An event of @told bytes, read into @room */
static void one(trace_id_t t, enum kind kind, size_t told, size_t room)
{
	size_t kept = told > MAX ? MAX : told, got = kept > room ? room : kept;
	int want = told > MAX ? POSIX_TRACE_TRUNCATED_RECORD : POSIX_TRACE_NOT_TRUNCATED;
	struct seen e;

	if (kind != RECORDED)
		posix_trace_event(id, bytes, told);
	else
		need(posix_trace_rewind(t));
	do {
		memset(e.data, CANARY, sizeof(e.data));
		need(next(t, kind, &e, room));
	} while (!e.unavailable && !posix_trace_eventid_equal(t, e.info.posix_event_id, id));
	if (room < kept)
		want = POSIX_TRACE_TRUNCATED_READ;
	same(READING, e.unavailable, 0, "%s: %zu bytes told, room for %zu",
	     kinds[kind], told, room);
	same(READING, e.len, got, "%zu bytes are read", got);
	check(READING, memcmp(e.data, bytes, got) == 0 && e.data[got] == CANARY,
	      "they are the first, and no others are written");
	same("XSH 2.11.1", e.info.posix_truncation_status, want, "what was cut is said");
}

static void each(enum kind kind, size_t told)
{
	size_t kept = told > MAX ? MAX : told;
	int fd = new_file();
	trace_id_t t = make(kind, fd);

	if (kind == RECORDED) {
		posix_trace_event(id, bytes, told);
		need(posix_trace_shutdown(t));
		t = reopened(fd);
	}
	one(t, kind, told, 0);
	one(t, kind, told, 1);
	if (kept > 1)
		one(t, kind, told, kept - 1);
	one(t, kind, told, kept);
	one(t, kind, told, kept + 1);
	need(kind == RECORDED ? posix_trace_close(t) : posix_trace_shutdown(t));
	close(fd);
}

int main(void)
{
	static const size_t lengths[] = { 0, 1, MAX, MAX + 1, 2 * MAX };

	id = event("cut");
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i + 1;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		each(ACTIVE, lengths[i]);
		each(RECORDED, lengths[i]);
	}
	/* Its keeper is asked for each of them. */
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i += 3) {
		each(WITH_LOG, lengths[i]);
	}
	return done();
}
