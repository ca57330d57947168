// SPDX-License-Identifier: GPL-2.0
/*
 * truncation.c - how much data an event keeps, and how much of that a reader gets
 *
 * XSH posix_trace_event and posix_trace_getnext_event: what is longer than max-data-size is cut
 * when it is recorded, what is longer than the buffer when it is read, and that counts more.
 */
#include "suite.h"

#define READING "XSH posix_trace_getnext_event, DESCRIPTION"
#define MAX 64
#define CANARY 0xcc

static unsigned char bytes[2 * MAX];

static trace_id_t make(enum kind kind, int fd)
{
	trace_attr_t a;
	trace_id_t t;

	need(posix_trace_attr_init(&a));
	need(posix_trace_attr_setmaxdatasize(&a, MAX));
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
	if (kind == ACTIVE)
		return posix_trace_trygetnext_event(t, &e->info, room ? e->data : NULL, room,
						    &e->len, &e->unavailable);
	return posix_trace_getnext_event(t, &e->info, room ? e->data : NULL, room, &e->len,
					 &e->unavailable);
}

/* An event of @told bytes, read into @room */
static void one(enum kind kind, size_t told, size_t room)
{
	int fd = new_file(), want = POSIX_TRACE_NOT_TRUNCATED;
	trace_id_t t = make(kind, fd);
	trace_event_id_t id = event("cut");
	size_t kept = told > MAX ? MAX : told, got = kept > room ? room : kept;
	struct seen e;

	posix_trace_event(id, bytes, told);
	if (kind == RECORDED) {
		need(posix_trace_shutdown(t));
		t = reopened(fd);
	}
	do {
		memset(e.data, CANARY, sizeof(e.data));
		need(next(t, kind, &e, room));
	} while (!e.unavailable && !posix_trace_eventid_equal(t, e.info.posix_event_id, id));
	if (told > MAX)
		want = POSIX_TRACE_TRUNCATED_RECORD;
	if (room < kept)
		want = POSIX_TRACE_TRUNCATED_READ;
	same(READING, e.unavailable, 0, "%s: %zu bytes told, room for %zu",
	     kind == ACTIVE ? "stream" : "log", told, room);
	same(READING, e.len, got, "%zu bytes are read", got);
	check(READING, memcmp(e.data, bytes, got) == 0 && e.data[got] == CANARY,
	      "they are the first, and no others are written");
	same("XSH 2.11.1", e.info.posix_truncation_status, want, "what was cut is said");
	need(kind == ACTIVE ? posix_trace_shutdown(t) : posix_trace_close(t));
	close(fd);
}

int main(void)
{
	static const size_t lengths[] = { 0, 1, MAX, MAX + 1, 2 * MAX };

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i + 1;
	for (enum kind kind = ACTIVE; kind <= RECORDED; kind += RECORDED - ACTIVE) {
		for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
			size_t kept = lengths[i] > MAX ? MAX : lengths[i];

			one(kind, lengths[i], 0);
			one(kind, lengths[i], 1);
			if (kept > 1)
				one(kind, lengths[i], kept - 1);
			one(kind, lengths[i], kept);
			one(kind, lengths[i], kept + 1);
		}
	}
	return done();
}
