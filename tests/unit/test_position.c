// SPDX-License-Identifier: GPL-2.0
/*
 * test_position.c - positions: back to any event, exactly; limits; other files
 *
 * Random files with everything that makes reading remember something: equal stamps and such
 * that go back, fragments of threads that migrate, losses in blocks and sections, missing
 * blocks, empty streams, blocks that are compressed or not. The model is the array of events
 * that reading one by one gives.
 */
#include <ktrace/position.h>

#include "make_trace.h"

#include <errno.h>
#include <unistd.h>

#define TRACES 3u
#define STREAMS 3u
#define EVENTS_MAX 4096u
#define TEXT_MAX 65536u

static char paths[TRACES + 1][64];
static unsigned int seed = 7;

static unsigned int random_below(unsigned int n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

/* struct seen - what there is to say about an event */
struct seen {
	__u64 time;
	__u64 raw;
	__u64 hash;
	__u32 stream;
	__u32 trace;
	__u32 len;
	__u32 tid;
	__u32 flags;
	__u32 id;
};

static struct seen all[EVENTS_MAX];
static struct ktrace_position *places[EVENTS_MAX + 1];
static unsigned int nr;

static struct seen seen_of(const struct ktrace_trace_event *e)
{
	struct seen s;
	__u32 i;

	memset(&s, 0, sizeof(s));
	s.time = e->time;
	s.raw = e->raw;
	s.stream = e->stream->id;
	s.trace = (__u32)ktrace_trace_index(e->stream->trace);
	s.len = e->len;
	s.tid = e->tid;
	s.flags = e->flags;
	s.id = e->id;
	for (i = 0; i < e->len; i++)
		s.hash = s.hash * 31 + (unsigned char)e->payload[i];
	return s;
}

static struct ktrace_traceset *open_set(unsigned int traces)
{
	struct ktrace_traceset *set;
	unsigned int i;

	CHECK_EQ(ktrace_traceset_open(NULL, &set), 0);
	for (i = 0; i < traces; i++)
		CHECK_EQ(ktrace_traceset_add(set, paths[i]), 0);
	return set;
}

/* The next event has to be number @i of all, none if there are no more. */
static void expect(struct ktrace_traceset *set, unsigned int i)
{
	struct ktrace_trace_event e;
	struct seen s;

	CHECK_EQ(ktrace_traceset_next(set, &e), i < nr);
	if (i == nr)
		return;
	s = seen_of(&e);
	if (memcmp(&s, &all[i], sizeof(s)))
		fprintf(stderr, "event %u of %u\n", i, nr);
	CHECK_EQ(s.time, all[i].time);
	CHECK_EQ(s.raw, all[i].raw);
	CHECK_EQ(s.id, all[i].id);
	CHECK_EQ(s.flags, all[i].flags);
	CHECK(!memcmp(&s, &all[i], sizeof(s)));
}

/* enum kind - what the files are to have; the more bits the more */
enum kind { PLAIN = 0, BACKWARDS = 1, FRAGMENTS = 2, LOSSES = 4, ALL = 7 };

static void make_fragment(struct maker *m, __u64 ts)
{
	struct ktrace_record rec = { .ts = ts, .id = 16, .tid_flags = 1 + random_below(4) };
	char payload[64];
	__u32 total = 8 + random_below(100), i;

	for (i = 0; i < sizeof(payload); i++)
		payload[i] = (char)random_below(256);
	memcpy(payload, &total, sizeof(total));
	rec.len = (__u16)(4 + random_below(40));
	rec.tid_flags |= random_below(3) ? KTRACE_REC_FRAG_NEXT : KTRACE_REC_FRAG_FIRST;
	make_record(m, &rec, payload);
}

static void make_loss(struct maker *m, struct ktrace_lost *lost, __u64 ts)
{
	lost->count[KTRACE_LOST_FULL] += random_below(3);
	lost->count[KTRACE_LOST_TIMEOUT] += random_below(3);
	lost->count[KTRACE_LOST_CORRUPT] += random_below(2);
	if (random_below(2)) {
		make_lost(m, ts, lost->count[KTRACE_LOST_FULL], lost->count[KTRACE_LOST_TIMEOUT]);
		return;
	}
	make_end_block(m);
	CHECK_EQ(ktrace_tracefile_lost(m->tf, m->block.stream, m->pos, ts, lost, 0), 0);
}

static void make_step(struct maker *m, struct ktrace_lost *lost, unsigned int kind, __u64 ts)
{
	if (kind & FRAGMENTS && !random_below(2))
		make_fragment(m, ts);
	else
		make_event(m, ts, random_below(1000000));
	if (kind & LOSSES && !random_below(12))
		make_loss(m, lost, ts);
	if (kind & LOSSES && !random_below(20)) {
		make_end_block(m);
		m->pos += MAKE_BLOCK;
	}
	if (!random_below(9))
		make_end_block(m);
}

static void make_random(unsigned int kind, unsigned int events)
{
	struct ktrace_lost lost[STREAMS];
	struct maker m[STREAMS];
	unsigned int t, s, i;

	for (t = 0; t < TRACES; t++) {
		struct ktrace_tracefile *tf = make_file(paths[t], 1);
		__u64 ts = 100;

		make_storage = (enum make_storage)((kind + t) % 3);
		memset(lost, 0, sizeof(lost));
		for (s = 0; s < STREAMS; s++)
			make_stream(&m[s], tf, 10 * s);
		for (i = 0; i < events; i++) {
			/* The last stream of the first trace stays empty. */
			s = random_below(STREAMS - !t);
			ts += random_below(2);
			make_step(&m[s], &lost[s], kind,
				  kind & BACKWARDS && !random_below(15) ? ts - 4 : ts);
		}
		for (s = 0; s < STREAMS; s++)
			make_end_block(&m[s]);
		if (kind & LOSSES)
			CHECK_EQ(ktrace_tracefile_lost(tf, 0, m[0].pos, ts, lost, 0), 0);
		CHECK_EQ(ktrace_tracefile_close(tf), 0);
	}
}

/* Reads all, with a position in front of each event and one at the end. */
static void read_all(struct ktrace_traceset *set)
{
	struct ktrace_trace_event e;

	for (nr = 0;; nr++) {
		CHECK(nr < EVENTS_MAX);
		CHECK_EQ(ktrace_position_new(&places[nr]), 0);
		CHECK_EQ(ktrace_position_save(set, places[nr]), 0);
		if (ktrace_traceset_next(set, &e) != 1)
			break;
		all[nr] = seen_of(&e);
	}
}

static void free_places(void)
{
	unsigned int i;

	for (i = 0; i <= nr; i++)
		ktrace_position_free(places[i]);
}

static void check_rest(struct ktrace_traceset *set, unsigned int from)
{
	for (; from < nr; from++)
		expect(set, from);
	expect(set, nr);
	expect(set, nr);
}

/* As text, in another traceset */
static void check_text(struct ktrace_traceset *other, unsigned int i)
{
	static char text[TEXT_MAX], again[TEXT_MAX];
	struct ktrace_position *pos;
	size_t len = ktrace_position_to_text(places[i], text, sizeof(text));

	CHECK(len < sizeof(text));
	CHECK_EQ(len, strlen(text));
	CHECK_EQ(strspn(text, "0123456789abcdefgklxz./,+"), len);
	CHECK_EQ(ktrace_position_to_text(places[i], again, 10), len);
	CHECK_EQ(strlen(again), 9);
	CHECK_EQ(ktrace_position_new(&pos), 0);
	CHECK_EQ(ktrace_position_from_text(pos, text), 0);
	ktrace_position_to_text(pos, again, sizeof(again));
	CHECK_STR(again, text);
	CHECK_EQ(ktrace_position_compare(pos, places[i]), 0);
	CHECK_EQ(ktrace_position_time(pos), ktrace_position_time(places[i]));
	CHECK_EQ(ktrace_traceset_seek_position(other, pos), 0);
	ktrace_position_free(pos);
	/* What is saved where one has gone to is the same. */
	CHECK_EQ(ktrace_position_new(&pos), 0);
	CHECK_EQ(ktrace_position_save(other, pos), 0);
	ktrace_position_to_text(pos, again, sizeof(again));
	CHECK_STR(again, text);
	ktrace_position_free(pos);
}

/* Back to every event, from wherever one is; the rest is the same each time. */
static void test_every_event(unsigned int kind)
{
	struct ktrace_traceset *set, *other;
	unsigned int i, j;

	make_random(kind, 24);
	set = open_set(TRACES);
	other = open_set(TRACES);
	read_all(set);
	CHECK(nr > 30);
	for (i = 0; i <= nr; i++) {
		CHECK_EQ(ktrace_traceset_seek_position(set, places[i]), 0);
		check_rest(set, i);
		check_text(other, i);
		check_rest(other, i);
		for (j = 0; j <= nr; j++)
			CHECK_EQ(ktrace_position_compare(places[i], places[j]),
				 i < j ? -1 : i > j);
		if (!(kind & FRAGMENTS))
			CHECK_EQ(ktrace_position_time(places[i]),
				 i < nr ? all[i].time : KTRACE_TIME_NONE);
	}
	/* Each again, at once behind another */
	for (i = 0; i < 2 * nr; i++) {
		j = random_below(nr + 1);
		CHECK_EQ(ktrace_traceset_seek_position(set, places[j]), 0);
		if (random_below(2))
			expect(set, j);
	}
	free_places();
	ktrace_traceset_close(set);
	ktrace_traceset_close(other);
}

/* From every position up to every other, and as many events as there may be */
static void test_until_position(unsigned int kind)
{
	struct ktrace_traceset *set;
	struct ktrace_trace_event e;
	unsigned int i, j, limit, n;

	make_random(kind, 6);
	set = open_set(TRACES);
	read_all(set);
	for (i = 0; i <= nr; i++)
		for (j = 0; j <= nr; j++)
			for (limit = 0; limit < 5; limit++) {
				struct ktrace_until until = KTRACE_UNTIL_INIT;

				until.position = places[j];
				until.count = limit < 4 ? limit : KTRACE_COUNT_NONE;
				CHECK_EQ(ktrace_traceset_seek_position(set, places[i]), 0);
				while (ktrace_traceset_next_until(set, &until, &e) == 1)
					;
				n = j > i ? j - i : 0;
				n = n < until.count ? n : (unsigned int)until.count;
				CHECK_EQ(until.delivered, n);
				CHECK_EQ(until.stop, i + n == nr ? KTRACE_STOP_END :
					 n == until.count ? KTRACE_STOP_COUNT :
					 KTRACE_STOP_POSITION);
				expect(set, i + n);
			}
	free_places();
	ktrace_traceset_close(set);
}

/* Windows of time share nothing and leave nothing out; so do pages that complete a stamp. */
static void test_until_time(unsigned int kind)
{
	struct ktrace_traceset *set;
	struct ktrace_trace_event e;
	unsigned int i = 0, page, first;
	__u64 time;

	make_random(kind, 100);
	set = open_set(TRACES);
	read_all(set);
	CHECK_EQ(ktrace_traceset_seek(set, 0), 0);
	for (time = 0; i < nr; time += 7) {
		struct ktrace_until until = KTRACE_UNTIL_INIT;

		until.time = time;
		for (first = i; ktrace_traceset_next_until(set, &until, &e) == 1; i++)
			CHECK(e.time < time && e.time == all[i].time);
		CHECK_EQ(until.delivered, i - first);
		CHECK(i == nr || all[i].time >= time);
	}
	for (page = 1; page < 12 && !(kind & BACKWARDS); page++) {
		for (i = 0, time = 0; i < nr; time = all[i - 1].time + 1) {
			struct ktrace_until until = KTRACE_UNTIL_INIT;

			until.count = page;
			until.completes_time = true;
			CHECK_EQ(ktrace_traceset_seek(set, time), 0);
			for (first = i; ktrace_traceset_next_until(set, &until, &e) == 1; i++)
				CHECK_EQ(e.time, all[i].time);
			CHECK(i == nr || i - first >= page);
			CHECK(i - first <= page || all[i - 1].time == all[first + page - 1].time);
		}
	}
	free_places();
	ktrace_traceset_close(set);
}

/* Pages of 50: one more is read, and its position is where the next page begins. */
static void test_paging(void)
{
	struct ktrace_position *next, *copy;
	struct ktrace_traceset *set;
	unsigned int i = 0, n;

	make_random(LOSSES, 200);
	set = open_set(TRACES);
	read_all(set);
	CHECK_EQ(ktrace_position_new(&next), 0);
	CHECK_EQ(ktrace_position_new(&copy), 0);
	CHECK_EQ(ktrace_position_copy(next, places[0]), 0);
	while (i < nr) {
		CHECK_EQ(ktrace_position_copy(copy, next), 0);
		CHECK_EQ(ktrace_traceset_seek_position(set, next), 0);
		for (n = 0; n < 50 && i + n < nr; n++)
			expect(set, i + n);
		CHECK_EQ(ktrace_position_save(set, next), 0);
		CHECK_EQ(ktrace_position_compare(copy, places[i]), 0);
		CHECK_EQ(ktrace_position_compare(copy, next), -1);
		i += n;
		if (i < nr)
			expect(set, i);
	}
	CHECK_EQ(i, nr);
	free_places();
	ktrace_position_free(next);
	ktrace_position_free(copy);
	ktrace_traceset_close(set);
}

/* Any order of calls by time and by position, against an index into the array */
static void test_mixed_calls(unsigned int kind)
{
	struct ktrace_position *saved;
	struct ktrace_trace_event e;
	struct ktrace_traceset *set;
	unsigned int at = 0, saved_at = 0, i, end;
	__u64 time;

	make_random(kind, 120);
	set = open_set(TRACES);
	read_all(set);
	CHECK_EQ(ktrace_position_new(&saved), 0);
	CHECK_EQ(ktrace_position_copy(saved, places[0]), 0);
	CHECK_EQ(ktrace_traceset_seek(set, 0), 0);
	for (i = 0; i < 1500; i++) {
		struct ktrace_until until = KTRACE_UNTIL_INIT;

		time = 100 + random_below(70);
		switch (random_below(6)) {
		case 0:
			CHECK_EQ(ktrace_traceset_seek(set, time), 0);
			for (at = 0; at < nr && all[at].time < time; at++)
				;
			break;
		case 1:
			CHECK_EQ(ktrace_position_save(set, saved), 0);
			saved_at = at;
			break;
		case 2:
			CHECK_EQ(ktrace_traceset_seek_position(set, saved), 0);
			at = saved_at;
			break;
		case 3:
			until.time = time;
			while (ktrace_traceset_next_until(set, &until, &e) == 1)
				at++;
			CHECK(at == nr || all[at].time >= time);
			break;
		case 4:
			end = random_below(nr + 1);
			until.position = places[end];
			until.count = random_below(30);
			while (ktrace_traceset_next_until(set, &until, &e) == 1)
				at++;
			CHECK(at == end || at == nr || until.stop == KTRACE_STOP_COUNT ||
			      (end < at && !until.delivered));
			break;
		default:
			expect(set, at);
			at += at < nr;
			break;
		}
	}
	free_places();
	ktrace_position_free(saved);
	ktrace_traceset_close(set);
}

static int seek_text(struct ktrace_traceset *set, const char *text)
{
	struct ktrace_position *pos;
	int ret;

	CHECK_EQ(ktrace_position_new(&pos), 0);
	ret = ktrace_position_from_text(pos, text);
	CHECK_EQ(ret, 0);
	ret = ktrace_traceset_seek_position(set, pos);
	ktrace_position_free(pos);
	return ret;
}

/* What is wrong is refused, and the traceset stays where it is. */
static void test_refusal(void)
{
	char text[4096], wrong[8192], *at;
	struct ktrace_position *unset;
	struct ktrace_traceset *set, *fewer, *others;
	unsigned int i;

	make_random(PLAIN, 60);
	set = open_set(TRACES);
	read_all(set);
	fewer = open_set(TRACES - 1);
	for (i = 0; i < TRACES; i++)
		unlink(paths[i]);
	make_random(PLAIN, 60);
	others = open_set(TRACES);
	for (i = 0; i <= nr; i += 9) {
		CHECK_EQ(ktrace_traceset_seek_position(fewer, places[i]), -EINVAL);
		CHECK_EQ(ktrace_traceset_seek_position(others, places[i]), -EINVAL);
	}
	CHECK_EQ(ktrace_position_new(&unset), 0);
	CHECK(!ktrace_position_is_set(unset) && ktrace_position_is_set(places[0]));
	CHECK_EQ(ktrace_position_time(unset), KTRACE_TIME_NONE);
	CHECK_EQ(ktrace_position_compare(unset, places[nr]), 1);
	CHECK_EQ(ktrace_position_compare(places[nr], unset), -1);
	CHECK_EQ(ktrace_position_compare(unset, unset), 0);
	CHECK_EQ(ktrace_traceset_seek_position(set, places[20]), 0);
	CHECK_EQ(ktrace_traceset_seek_position(set, unset), 0);
	expect(set, 20);
	/* Between two records, behind the last one, a section that is none, no stream */
	ktrace_position_to_text(places[30], text, sizeof(text));
	at = strchr(strchr(strchr(text, ',') + 1, '.') + 1, '.') + 1;
	snprintf(wrong, sizeof(wrong), "%.*s8%s", (int)(at - text), text, strchr(at, '.'));
	CHECK_EQ(seek_text(set, wrong), -EBADMSG);
	expect(set, 21);
	snprintf(wrong, sizeof(wrong), "%.*sfff8%s", (int)(at - text), text, strchr(at, '.'));
	CHECK_EQ(seek_text(set, wrong), -EBADMSG);
	expect(set, 22);
	snprintf(wrong, sizeof(wrong), "%.*s+,0.0.8.40.1", (int)sizeof(text), text);
	CHECK_EQ(seek_text(set, wrong), -EINVAL);
	snprintf(wrong, sizeof(wrong), "%.*s", (int)(strchr(text, ',') - text), text);
	CHECK_EQ(seek_text(set, wrong), -EINVAL);
	expect(set, 23);
	CHECK_EQ(ktrace_position_from_text(unset, "k0"), 0);
	for (i = 1; text[i]; i++) {
		snprintf(wrong, sizeof(wrong), "%.*s", (int)i, text);
		/* Some are words of other positions. */
		if (!ktrace_position_from_text(unset, wrong))
			ktrace_traceset_seek_position(set, unset);
	}
	CHECK_EQ(ktrace_traceset_seek_position(set, places[24]), 0);
	CHECK_EQ(ktrace_position_from_text(unset, ""), -EINVAL);
	CHECK_EQ(ktrace_position_from_text(unset, "k2.0.0"), -EINVAL);
	CHECK_EQ(ktrace_position_from_text(unset, "k1.00.0"), -EINVAL);
	CHECK_EQ(ktrace_position_from_text(unset, "k1.10000000000000000.0"), -EINVAL);
	expect(set, 24);
	free_places();
	ktrace_position_free(unset);
	ktrace_traceset_close(set);
	ktrace_traceset_close(fewer);
	ktrace_traceset_close(others);
}

int main(void)
{
	unsigned int i, kind;

	for (i = 0; i < TRACES; i++)
		temporary_file(paths[i], sizeof(paths[i]), "test_position");
	for (kind = PLAIN; kind <= ALL; kind += (unsigned int)unit_step()) {
		test_every_event(kind);
		test_until_position(kind);
	}
	test_every_event(ALL);
	test_until_time(PLAIN);
	test_until_time(BACKWARDS);
	test_paging();
	test_mixed_calls(PLAIN);
	test_refusal();
	for (i = 0; i < TRACES; i++)
		unlink(paths[i]);
	return 0;
}
