// SPDX-License-Identifier: LGPL-2.1
/*
 * position_text.c - a position as one word, and back
 *
 *   k1.TIME.END  then for each trace /UUID.SEEN
 *                for each of its streams ,ID.SECTION.OFF.PREV [gBEFORE.BEHIND] [zENDPOS]
 *                                        [lREASON.COUNT]...
 *   and for each pending event + or +b, for each of its runs ,TRACE.ID.SECTION.OFF.NR
 *
 * Numbers are hexadecimal, without leading zeros; OFF is x at the end of a section. "k0" is a
 * position that is not set. Whether a position fits the files is checked when a traceset goes
 * there.
 */
#include "position.h"

#include <errno.h>
#include <string.h>

/* struct writer - text that may be longer than its buffer */
struct writer {
	char *buf;
	size_t size;
	size_t len;
};

static void put_char(struct writer *w, char c)
{
	if (w->len < w->size)
		w->buf[w->len] = c;
	w->len++;
}

static void put_number(struct writer *w, char before, __u64 n)
{
	int digits = n ? (67 - __builtin_clzll(n)) / 4 : 1;

	put_char(w, before);
	while (digits--)
		put_char(w, "0123456789abcdef"[n >> 4 * digits & 15]);
}

static void put_off(struct writer *w, __u32 off)
{
	if (off != PLACE_END) {
		put_number(w, '.', off);
		return;
	}
	put_char(w, '.');
	put_char(w, 'x');
}

static void put_place(struct writer *w, const struct place *p)
{
	__u32 i;

	put_number(w, ',', p->id);
	put_number(w, '.', p->section);
	put_off(w, p->off);
	put_number(w, '.', p->prev_raw);
	if (p->gap.before || p->gap.behind) {
		put_number(w, 'g', p->gap.before);
		put_number(w, '.', p->gap.behind);
	}
	if (p->end_pos)
		put_number(w, 'z', p->end_pos);
	for (i = 0; i < KTRACE_LOST_NR; i++)
		if (p->lost[i]) {
			put_number(w, 'l', i);
			put_number(w, '.', p->lost[i]);
		}
}

static void put_uuid(struct writer *w, const __u8 uuid[16])
{
	int i;

	for (i = 0; i < 16; i++) {
		put_char(w, "0123456789abcdef"[uuid[i] >> 4]);
		put_char(w, "0123456789abcdef"[uuid[i] & 15]);
	}
}

static void put_traces(struct writer *w, const struct ktrace_position *pos)
{
	const struct place *p = pos->places, *end = p + pos->place_nr;
	size_t i;

	for (i = 0; i < pos->trace_nr; i++) {
		put_char(w, '/');
		put_uuid(w, pos->traces[i].uuid);
		put_number(w, '.', pos->traces[i].seen);
		for (; p < end && p->trace == i; p++)
			put_place(w, p);
	}
}

static void put_pendings(struct writer *w, const struct ktrace_position *pos)
{
	const struct run_mark *r = pos->runs;
	const struct pending_mark *p;
	__u32 i;

	for (p = pos->pendings; p < pos->pendings + pos->pending_nr; p++) {
		put_char(w, '+');
		if (p->is_backwards)
			put_char(w, 'b');
		for (i = 0; i < p->run_nr; i++, r++) {
			put_number(w, ',', r->trace);
			put_number(w, '.', r->id);
			put_number(w, '.', r->section);
			put_off(w, r->off);
			put_number(w, '.', r->nr);
		}
	}
}

size_t ktrace_position_to_text(const struct ktrace_position *pos, char *buf, size_t size)
{
	struct writer w = { .buf = buf, .size = size };

	put_char(&w, 'k');
	put_char(&w, pos->is_set ? '1' : '0');
	if (pos->is_set) {
		put_number(&w, '.', pos->time);
		put_number(&w, '.', pos->end);
		put_traces(&w, pos);
		put_pendings(&w, pos);
	}
	if (size)
		buf[w.len < size ? w.len : size - 1] = '\0';
	return w.len;
}

/* struct parser - the rest of the text; after an error everything counts as wrong */
struct parser {
	const char *at;
	bool is_wrong;
};

static bool take_char(struct parser *p, char c)
{
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Returns the number after @before, at most @max. */
static __u64 take_number(struct parser *p, char before, __u64 max)
{
	const char *from;
	__u64 n = 0;

	p->is_wrong |= !take_char(p, before);
	for (from = p->at; digit(*p->at) >= 0 && !(n >> 60); p->at++)
		n = n << 4 | (__u64)digit(*p->at);
	p->is_wrong |= p->at == from || (*from == '0' && p->at - from > 1) ||
		       digit(*p->at) >= 0 || n > max;
	return n;
}

static __u32 take_u32(struct parser *p, char before)
{
	return (__u32)take_number(p, before, ~0u);
}

static __u32 take_off(struct parser *p)
{
	if (p->at[0] == '.' && p->at[1] == 'x') {
		p->at += 2;
		return PLACE_END;
	}
	return (__u32)take_number(p, '.', PLACE_END - 1);
}

/* Reads counts by reason, in ascending order; a count of 0 is invalid. */
static void take_lost(struct parser *p, __u64 lost[KTRACE_LOST_NR])
{
	__u64 reason, least = 0;

	while (*p->at == 'l' && !p->is_wrong) {
		reason = take_number(p, 'l', KTRACE_LOST_NR - 1);
		p->is_wrong |= reason < least;
		if (p->is_wrong)
			return;
		lost[reason] = take_number(p, '.', ~0ull);
		p->is_wrong |= !lost[reason];
		least = reason + 1;
	}
}

/* Reads a place. Members that are 0 are left out, so that a position has only one text. */
static void take_place(struct parser *p, struct place *place)
{
	place->id = take_u32(p, ',');
	place->section = take_number(p, '.', ~0ull);
	place->off = take_off(p);
	place->prev_raw = take_number(p, '.', ~0ull);
	if (*p->at == 'g') {
		place->gap.before = take_number(p, 'g', ~0ull);
		place->gap.behind = take_number(p, '.', ~0ull);
		p->is_wrong |= !place->gap.before && !place->gap.behind;
	}
	if (*p->at == 'z') {
		place->end_pos = take_number(p, 'z', ~0ull);
		p->is_wrong |= !place->end_pos;
	}
	take_lost(p, place->lost);
}

static void take_uuid(struct parser *p, __u8 uuid[16])
{
	int i, high, low;

	for (i = 0; i < 16 && !p->is_wrong; i++) {
		high = digit(p->at[0]);
		low = high < 0 ? -1 : digit(p->at[1]);
		p->is_wrong = low < 0;
		if (low >= 0) {
			uuid[i] = (__u8)(high << 4 | low);
			p->at += 2;
		}
	}
}

/* Reads a trace and its streams, in order of their ids. */
static void take_trace(struct parser *p, struct ktrace_position *pos)
{
	struct trace_mark *mark = &pos->traces[pos->trace_nr];
	bool is_first = true;
	struct place *place;

	p->at++;
	take_uuid(p, mark->uuid);
	mark->seen = take_number(p, '.', ~0ull);
	for (; *p->at == ',' && !p->is_wrong; is_first = false) {
		place = &pos->places[pos->place_nr++];
		place->trace = (__u32)pos->trace_nr;
		take_place(p, place);
		p->is_wrong |= !is_first && place[-1].id >= place->id;
	}
	pos->trace_nr++;
}

static void take_pending(struct parser *p, struct ktrace_position *pos)
{
	struct pending_mark *mark = &pos->pendings[pos->pending_nr++];
	struct run_mark *r;

	p->at++;
	mark->is_backwards = take_char(p, 'b');
	for (; *p->at == ',' && !p->is_wrong; mark->run_nr++) {
		r = &pos->runs[pos->run_nr++];
		r->trace = take_u32(p, ',');
		r->id = take_u32(p, '.');
		r->section = take_number(p, '.', ~0ull);
		r->off = take_off(p);
		r->nr = take_u32(p, '.');
	}
}

static size_t count(const char *text, char c)
{
	size_t nr = 0;

	for (; *text; text++)
		nr += *text == c;
	return nr;
}

static int parse(struct parser *p, struct ktrace_position *pos)
{
	if (!strcmp(p->at, "k0"))
		return 0;
	if (strncmp(p->at, "k1", 2))
		return -EINVAL;
	p->at += 2;
	pos->time = take_number(p, '.', ~0ull);
	pos->end = take_number(p, '.', ~0ull);
	while (*p->at == '/' && !p->is_wrong)
		take_trace(p, pos);
	while (*p->at == '+' && !p->is_wrong)
		take_pending(p, pos);
	pos->is_set = true;
	return p->is_wrong || *p->at ? -EINVAL : 0;
}

int ktrace_position_from_text(struct ktrace_position *pos, const char *text)
{
	const struct ktrace_position sizes = {
		.trace_nr = count(text, '/'), .place_nr = count(text, ','),
		.pending_nr = count(text, '+'), .run_nr = count(text, ','),
	};
	struct parser p = { .at = text };
	struct ktrace_position *parsed;
	int ret = ktrace_position_new(&parsed);

	if (!ret)
		ret = ktrace_position_reserve(parsed, &sizes);
	if (!ret)
		ret = parse(&p, parsed);
	if (!ret)
		ktrace_position_move(pos, parsed);
	ktrace_position_free(parsed);
	return ret;
}
