// SPDX-License-Identifier: LGPL-2.1
/*
 * slots.c - reads the entries of the registry that are in slots, and frees these
 *
 *        freed             next
 *   -----+-----------------+----------------
 *   FREE | read: not saved | READY, or FREE: none yet
 *
 * Any process of the session can write to slots at any time: each word is loaded once, and a word
 * that no writer would have left there ends the reading. A writer may die before its entry is
 * ready, or be stopped. Reading goes on behind it, but no slot is freed from there on; after a
 * while the owner gives the slot up for good.
 */
#include "internal.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define LOOKS_PER_CALL 256
#define GIVE_UP_NS 2000000000ull

static struct ktrace_slot *slot_at(const struct slots *s, __u64 pos)
{
	return (struct ktrace_slot *)(s->base + (pos & (s->nr - 1)) * s->size);
}

/* Goes on where another owner may have been: from the oldest position in use. */
static void find_first(struct slots *s)
{
	__u64 first = ~0ull;

	for (__u32 i = 0; i < s->nr; i++) {
		const __u64 word = kt_load(&slot_at(s, i)->word);

		if ((word & 3) == KTRACE_SLOT_DEAD)
			s->dead++;
		else if (word >> 2 < first)
			first = word >> 2;
	}
	s->next = s->freed = first == ~0ull ? 0 : first;
}

/* registry_slots_init - find the slots of a channel, if it has any */
void registry_slots_init(struct slots *s, const struct channel *ch)
{
	const struct ktrace_control *c = &ch->control;
	__u64 bytes;

	*s = (struct slots) { 0 };
	if (!c->slot_nr || c->slot_nr > KTRACE_SLOT_NR_MAX || c->slot_nr & (c->slot_nr - 1) ||
	    c->slots_off % 8 || c->slot_size % 8 ||
	    c->slot_size < sizeof(struct ktrace_slot) + 8 || c->slot_size > 65536 ||
	    __builtin_mul_overflow((__u64)c->slot_nr, c->slot_size, &bytes) ||
	    bytes > ch->map_size || c->slots_off > ch->map_size - bytes)
		return;
	s->base = ch->map + c->slots_off;
	s->nr = c->slot_nr;
	s->size = c->slot_size;
	find_first(s);
}

/* registry_slots_fill - write the slots of a new channel */
void registry_slots_fill(char *map, const struct ktrace_control *c)
{
	for (__u32 i = 0; i < c->slot_nr; i++) {
		struct ktrace_slot *slot = (struct ktrace_slot *)(map + c->slots_off +
								  (__u64)i * c->slot_size);

		slot->word = KTRACE_SLOT_WORD(i, KTRACE_SLOT_FREE);
	}
}

static __u64 load_word(const struct slots *s, __u64 pos)
{
	/* ORD(slots_next:A) pairs ORD(slots_add:A): the entry is complete */
	return kt_load_acquire(&slot_at(s, pos)->word);
}

static void drop_pending(struct slots *s, __u32 i)
{
	s->pending_nr--;
	memmove(s->pending + i, s->pending + i + 1,
		(s->pending_nr - i) * sizeof(s->pending[0]));
}

/* Returns the entry of one that was busy before, NULL: none is ready. */
static const struct ktrace_entry *next_pending(struct slots *s)
{
	for (__u32 i = 0; i < s->pending_nr; i++) {
		const __u64 pos = s->pending[i], word = load_word(s, pos);

		if (word == KTRACE_SLOT_WORD(pos, KTRACE_SLOT_BUSY))
			continue;
		drop_pending(s, i--);
		if (word == KTRACE_SLOT_WORD(pos, KTRACE_SLOT_READY))
			return &slot_at(s, pos)->entry;
	}
	return NULL;
}

/*
 * registry_slots_next - find the next entry that is ready, in a bounded amount of work
 *
 * Return: 1 with an entry, which other processes can write to; 0 if there is none; -EAGAIN to be
 * called again; -EBADMSG once if a word is invalid: then no slot is read any more.
 */
int registry_slots_next(struct slots *s, const struct ktrace_entry **entry)
{
	*entry = next_pending(s);
	if (*entry)
		return 1;
	for (int i = 0; i < LOOKS_PER_CALL; i++) {
		const __u64 pos = s->next;
		__u64 word;

		if (s->is_damaged || pos - s->freed >= s->nr)
			return 0;
		word = load_word(s, pos);
		if (word == KTRACE_SLOT_WORD(pos, KTRACE_SLOT_FREE))
			return 0;
		if ((word & 3) != KTRACE_SLOT_DEAD &&
		    word != KTRACE_SLOT_WORD(pos, KTRACE_SLOT_BUSY) &&
		    word != KTRACE_SLOT_WORD(pos, KTRACE_SLOT_READY)) {
			s->is_damaged = true;
			return -EBADMSG;
		}
		if ((word & 3) == KTRACE_SLOT_BUSY && s->pending_nr == REGISTRY_PENDING)
			return 0;
		s->next++;
		if ((word & 3) == KTRACE_SLOT_BUSY)
			s->pending[s->pending_nr++] = pos;
		if ((word & 3) == KTRACE_SLOT_READY) {
			*entry = &slot_at(s, pos)->entry;
			return 1;
		}
	}
	return -EAGAIN;
}

/* Returns the oldest position that was busy, @s->next if there is none. */
static __u64 oldest_pending(const struct slots *s, __u32 *index)
{
	__u64 oldest = s->next;

	for (__u32 i = 0; i < s->pending_nr; i++)
		if (s->pending[i] < oldest) {
			oldest = s->pending[i];
			*index = i;
		}
	return oldest;
}

/* Gives up the oldest slot that is busy, if it has been that for long. */
static void give_up_oldest(struct slots *s)
{
	const __u64 now = now_ns();
	__u32 i = 0;
	const __u64 pos = oldest_pending(s, &i);
	__u64 busy = KTRACE_SLOT_WORD(pos, KTRACE_SLOT_BUSY);

	if (pos != s->oldest || !s->oldest_ns) {
		s->oldest = pos;
		s->oldest_ns = now;
	} else if (now - s->oldest_ns > GIVE_UP_NS) {
		s->oldest_ns = 0;
		/* Needs no order. If the writer was quicker, its entry is read. */
		if (__atomic_compare_exchange_n(&slot_at(s, pos)->word, &busy,
						KTRACE_SLOT_WORD(pos, KTRACE_SLOT_DEAD), false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			drop_pending(s, i);
			s->dead++;
		}
	}
}

/* registry_slots_free - all entries that were returned are saved: their slots can be used again */
void registry_slots_free(struct slots *s)
{
	__u32 unused;
	__u64 end;

	if (!s->nr || s->is_damaged)
		return;
	if (s->pending_nr)
		give_up_oldest(s);
	for (end = oldest_pending(s, &unused); s->freed < end; s->freed++) {
		__u64 *word = &slot_at(s, s->freed)->word;

		/* ORD(slots_free:A) pairs ORD(slot_claim:A): the entry has been read */
		if ((kt_load(word) & 3) != KTRACE_SLOT_DEAD)
			kt_store_release(word, KTRACE_SLOT_WORD(s->freed + s->nr,
								KTRACE_SLOT_FREE));
	}
}

/* registry_slots_unread - count the entries that were begun but have not been returned */
__u32 registry_slots_unread(const struct slots *s)
{
	__u32 unread = s->pending_nr;

	for (__u64 pos = s->next; pos - s->freed < s->nr; pos++) {
		const __u64 state = kt_load(&slot_at(s, pos)->word) & 3;

		unread += state == KTRACE_SLOT_BUSY || state == KTRACE_SLOT_READY;
	}
	return unread;
}
