// SPDX-License-Identifier: GPL-2.0
/* sequence.c - what a buffer knows of a writer */
#include "sequence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

const int64_t trace_buffer_buckets[TRACE_BUFFER_BUCKETS] = {
	8, 32, 128, 512, 1024, 2048, 4096, 8192, 12288, 16384,
};

static uint32_t key_of(const struct trace_buffer_origin *origin)
{
	return (uint32_t)origin->producer << 16 | origin->writer;
}

/* Returns the slot of a key without collisions. */
static uint32_t home_of(const struct sequences *t, uint32_t key)
{
	return key * 0x9e3779b1u >> 7 & (t->slot_nr - 1);
}

static uint32_t *slot_of(const struct sequences *t, uint32_t key)
{
	uint32_t i = home_of(t, key);

	for (;; i++) {
		uint32_t *slot = &t->slots[i & (t->slot_nr - 1)];

		if (!*slot || key_of(&t->rows[*slot - 1]->origin) == key)
			return slot;
	}
}

/* Empties a slot; moves later entries into the hole if that is not before their home. */
static void unlist(struct sequences *t, uint32_t *slot)
{
	const uint32_t mask = t->slot_nr - 1;
	uint32_t hole = (uint32_t)(slot - t->slots);

	for (uint32_t i = (hole + 1) & mask; t->slots[i]; i = (i + 1) & mask) {
		const uint32_t home = home_of(t, key_of(&t->rows[t->slots[i] - 1]->origin));

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		t->slots[hole] = t->slots[i];
		hole = i;
	}
	t->slots[hole] = 0;
}

static void list(struct sequences *t)
{
	memset(t->slots, 0, t->slot_nr * sizeof(*t->slots));
	for (uint32_t i = 0; i < t->nr; i++)
		if (t->rows[i] && !t->rows[i]->has_ended)
			*slot_of(t, key_of(&t->rows[i]->origin)) = i + 1;
}

/* Keeps half of the slots free. */
static int grow(struct sequences *t)
{
	const uint32_t room = t->room ? 2 * t->room : 16;
	uint32_t *slots;

	if (!LIST_RESIZE(t->rows, room))
		return -ENOMEM;
	slots = calloc(2 * room, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(t->slots);
	t->slots = slots;
	t->slot_nr = 2 * room;
	t->room = room;
	list(t);
	return 0;
}

void sequences_exit(struct sequences *t)
{
	for (uint32_t i = 0; !t->copies && i < t->nr; i++)
		free(t->rows[i]);
	free(t->copies);
	free(t->rows);
	free(t->slots);
	*t = (struct sequences){ 0 };
}

int sequences_copy(struct sequences *to, const struct sequences *from)
{
	uint32_t used = 0;

	*to = (struct sequences){ .clock = from->clock, .used = from->used };
	to->rows = calloc(from->nr + 1, sizeof(*to->rows));
	to->copies = malloc((from->used + 1) * sizeof(*to->copies));
	if (!to->rows || !to->copies) {
		sequences_exit(to);
		return -ENOMEM;
	}
	for (; to->nr < from->nr; to->nr++) {
		if (!from->rows[to->nr])
			continue;
		to->copies[used] = *from->rows[to->nr];
		to->rows[to->nr] = &to->copies[used++];
	}
	return 0;
}

struct sequence *sequences_find(const struct sequences *t, const struct trace_buffer_origin *origin)
{
	const uint32_t row = t->slot_nr ? *slot_of(t, key_of(origin)) : 0;

	return row ? t->rows[row - 1] : NULL;
}

/*
 * Frees sequences without chunks, except those that ran empty in the last @kept ticks of the
 * clock.
 */
static void sweep(struct sequences *t, uint64_t kept)
{
	for (uint32_t i = 0; i < t->nr; i++) {
		struct sequence *s = t->rows[i];

		if (!s || s->first || s->idle_since + kept > t->clock)
			continue;
		free(s);
		t->rows[i] = NULL;
		t->used--;
	}
	while (t->nr && !t->rows[t->nr - 1])
		t->nr--;
	t->taken = 0;
	t->sweep_at = t->used * 2 > SEQUENCE_IDLE_MAX ? t->used * 2 : SEQUENCE_IDLE_MAX;
	if (t->sweep_at > SEQUENCE_MAX)
		t->sweep_at = SEQUENCE_MAX;
	t->sweep_after = t->clock + SEQUENCE_IDLE_MAX / 2;
	list(t);
}

static struct sequence *add(struct sequences *t, const struct trace_buffer_origin *origin)
{
	struct sequence *s;

	while (t->taken < t->nr && t->rows[t->taken])
		t->taken++;
	if (t->taken == t->room && grow(t))
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->origin = *origin;
	s->index = t->taken++;
	s->lost = TRACE_BUFFER_DROPPED;
	s->idle_since = ++t->clock;
	t->rows[s->index] = s;
	t->used++;
	if (t->nr < t->taken)
		t->nr = t->taken;
	*slot_of(t, key_of(origin)) = t->taken;
	return s;
}

struct sequence *sequences_get(struct sequences *t, const struct trace_buffer_origin *origin)
{
	struct sequence *s = sequences_find(t, origin);

	if (s)
		return s;
	if (t->used >= (t->sweep_at ? t->sweep_at : SEQUENCE_IDLE_MAX) &&
	    t->clock >= t->sweep_after)
		sweep(t, SEQUENCE_IDLE_MAX / 2);
	return sequences_are_full(t) ? NULL : add(t, origin);
}

void sequences_forget_idle(struct sequences *t)
{
	sweep(t, 0);
}

void sequences_end(struct sequences *t, struct sequence *s)
{
	unlist(t, slot_of(t, key_of(&s->origin)));
	s->has_ended = true;
}

void sequence_is_idle(struct sequences *t, struct sequence *s)
{
	s->idle_since = ++t->clock;
}

void sequence_count(struct sequence *s, size_t size)
{
	unsigned int i = 0;

	while (i < TRACE_BUFFER_BUCKETS && (int64_t)size > trace_buffer_buckets[i])
		i++;
	s->counts[i]++;
	s->sums[i] += (int64_t)size;
}
