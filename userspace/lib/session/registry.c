// SPDX-License-Identifier: LGPL-2.1
/*
 * registry.c - reads what traced programs report about themselves
 *
 * Any process of the session can write to the registry at any time. Each word is read once,
 * checked, then used; text is copied before it is examined. Nothing is written. An entry is
 * delivered once, as it is when it is seen to be ready; one that is claimed but not ready is
 * remembered and checked again. If there are too many of them, the oldest is forgotten. Slots come
 * when there is nothing new in the list.
 */
#include "internal.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define ENTRY_NR_PER_CALL 256
#define PID_NR (1u << 22)

int registry_init(struct registry *r, const struct channel *ch)
{
	*r = (struct registry) { .off = sizeof(struct ktrace_registry) };
	if (!ch->map || !ch->control.registry_off)
		return 0;
	r->known = calloc(PID_NR / 8, 1);
	if (!r->known)
		return -ENOMEM;
	r->base = ch->map + ch->control.registry_off;
	r->size = ch->control.registry_size;
	registry_slots_init(&r->slots, ch);
	return 0;
}

void registry_exit(struct registry *r)
{
	free(r->pids);
	free(r->known);
	*r = (struct registry) { 0 };
}

static __u32 load_word(const struct registry *r, __u64 off)
{
	const struct ktrace_entry *e = (const struct ktrace_entry *)(r->base + off);

	/* ORD(registry_next:A) pairs ORD(registry_fill:A): entry is whole before READY */
	return kt_load_acquire(&e->word);
}

static void remember_pid(struct registry *r, __u32 pid)
{
	unsigned char bit = (unsigned char)(1u << (pid & 7));

	if (!pid || pid >= PID_NR || (r->known[pid / 8] & bit))
		return;
	if (!LIST_GROW(r->pids, r->pid_nr, r->pid_cap))
		return;
	r->pids[r->pid_nr++] = pid;
	r->known[pid / 8] |= bit;
}

/* registry_forget - remove the process at @index; the last one takes its place */
void registry_forget(struct registry *r, __u32 index)
{
	__u32 pid = r->pids[index];

	r->known[pid / 8] &= (unsigned char)~(1u << (pid & 7));
	r->pids[index] = r->pids[--r->pid_nr];
}

/* Copies an entry of @size bytes, which has been checked; returns whether it is valid. */
static bool take(struct registry *r, const struct ktrace_entry *at, size_t size,
		 struct ktrace_entry_copy *out)
{
	size_t room = size - sizeof(*at);
	struct ktrace_entry e;

	memcpy(&e, at, sizeof(e));
	kt_barrier();
	if (room > sizeof(out->text) - 1)
		room = sizeof(out->text) - 1;
	memcpy(out->text, at + 1, room);
	out->text[room] = '\0';
	out->type = e.type;
	out->id = e.id;
	out->pid = e.pid;
	out->tid = e.tid;
	out->ts = e.ts;
	remember_pid(r, e.pid);
	if (e.type == KTRACE_ENTRY_EVENT)
		return e.id >= KTRACE_ID_FIRST && e.id < KTRACE_ID_ALL;
	if (e.type == KTRACE_ENTRY_IDS)
		return e.id && e.id < KTRACE_IDS_NR;
	return e.type == KTRACE_ENTRY_PROCESS || e.type == KTRACE_ENTRY_THREAD ||
	       e.type == KTRACE_ENTRY_MAP;
}

static bool take_at(struct registry *r, __u64 off, __u32 word, struct ktrace_entry_copy *out)
{
	return take(r, (const struct ktrace_entry *)(r->base + off), word & KTRACE_ENTRY_SIZE_MASK,
		    out);
}

static bool word_ok(const struct registry *r, __u64 off, __u32 word)
{
	__u32 size = word & KTRACE_ENTRY_SIZE_MASK;

	return size > sizeof(struct ktrace_entry) && size <= r->size - off;
}

static void put_aside(struct registry *r, __u64 off)
{
	if (r->pending_nr == REGISTRY_PENDING)
		memmove(r->pending, r->pending + 1,
			--r->pending_nr * sizeof(r->pending[0]));
	r->pending[r->pending_nr++] = off;
}

static int next_pending(struct registry *r, struct ktrace_entry_copy *entry)
{
	for (__u32 i = 0; i < r->pending_nr; i++) {
		__u64 off = r->pending[i];
		__u32 word = load_word(r, off);

		if (!(word & KTRACE_ENTRY_READY) && word_ok(r, off, word))
			continue;
		r->pending_nr--;
		memmove(r->pending + i, r->pending + i + 1,
			(r->pending_nr - i) * sizeof(r->pending[0]));
		if (word_ok(r, off, word) && take_at(r, off, word, entry))
			return 1;
		i--;
	}
	return 0;
}

/* Takes the whole slot: the size that it tells may be forged. */
static int next_slot(struct registry *r, struct ktrace_entry_copy *entry)
{
	const struct ktrace_entry *at;
	int ret = registry_slots_next(&r->slots, &at);

	if (ret != 1)
		return ret;
	return take(r, at, r->slots.size - offsetof(struct ktrace_slot, entry), entry) ? 1 :
											  -EAGAIN;
}

static int next_in_list(struct registry *r, struct ktrace_entry_copy *entry)
{
	if (next_pending(r, entry))
		return 1;
	for (int i = 0; i < ENTRY_NR_PER_CALL && !r->is_damaged; i++) {
		__u64 off = r->off;
		__u32 word;

		if (off > r->size - sizeof(struct ktrace_entry))
			return 0;
		word = load_word(r, off);
		if (!word)
			return 0;
		if (!word_ok(r, off, word)) {
			r->is_damaged = true;
			return -EBADMSG;
		}
		r->off += word & KTRACE_ENTRY_SIZE_MASK;
		if (!(word & KTRACE_ENTRY_READY))
			put_aside(r, off);
		else if (take_at(r, off, word, entry))
			return 1;
	}
	return r->is_damaged ? 0 : -EAGAIN;
}

int registry_next(struct registry *r, struct ktrace_entry_copy *entry)
{
	int ret;

	if (!r->base)
		return 0;
	ret = next_in_list(r, entry);
	return ret || !r->slots.nr ? ret : next_slot(r, entry);
}

/*
 * registry_unfinished - count entries that were begun, and not completed until now
 *
 * A program whose slot was given up while it stood still may have gone on, and added its entry
 * elsewhere.
 */
__u32 registry_unfinished(const struct registry *r)
{
	const struct ktrace_registry *words = (const struct ktrace_registry *)r->base;
	const __u32 late = words ? kt_load(&words->slot_late) : 0, dead = r->slots.dead;

	return r->pending_nr + registry_slots_unread(&r->slots) + (late < dead ? dead - late : 0);
}
