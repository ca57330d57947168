// SPDX-License-Identifier: LGPL-2.1
/*
 * registry.c - add entries to the session's registry
 *
 * The registry is an append-only list in shared memory, <linux/ktrace.h>. A writer claims room by
 * exchanging the zero word at the end for BUSY and the size; the entry counts once READY is stored.
 * A process that dies in between leaves an entry that all others skip. Sizes that other processes
 * wrote are checked before each step; an invalid list counts as full. Entries that only the owner
 * reads go to slots once the list has as many bytes as these.
 */
#include "registry.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/glob_list.h"
#include "channel.h"
#include "system.h"
#include "thread.h"

/*
 * How often to check, in total, whether claimers have finished their texts before assuming that
 * they are dead. The last BUSY_NAPS checks follow a nap: a claimer may not have a CPU just now.
 */
#define BUSY_LOOKS 2000
#define BUSY_NAPS 100
#define NAP_NS 100000
/* Entries of others that may precede the event after the last one, so that it is still found. */
#define NEXT_LOOKS 8

/*
 * Other processes take ids now and then; a thousand times in a row means that one forges the word.
 */
#define ATTEMPTS_MAX 1000

/*
 * Returns the current size: the registry may have grown, but not into slots or rings, which follow
 * it.
 */
static __u64 registry_size(const struct channel *ch)
{
	const __u64 size = kt_load(&ch->control->registry_size);
	const char *end = (const char *)(ch->cpu_nr ? ch->cpu.w : ch->thread.w);
	__u64 most;

	if (ch->thread_nr && (const char *)ch->thread.w < end)
		end = (const char *)ch->thread.w;
	if (ch->slots && ch->slots < end)
		end = ch->slots;
	most = (__u64)(end - (const char *)ch->registry);
	return size < ch->registry_size ? ch->registry_size : size < most ? size : most;
}

static struct ktrace_entry *entry_at(const struct channel *ch, __u64 off)
{
	return (struct ktrace_entry *)((char *)ch->registry + off);
}

/*
 * Returns the offset of the entry after the one at @off, whose word is @word; 0 if its size is
 * invalid.
 */
static __u64 next_off(const struct channel *ch, __u64 off, __u32 word)
{
	__u32 size = word & KTRACE_ENTRY_SIZE_MASK;

	if (size <= sizeof(struct ktrace_entry) || size > registry_size(ch) - off)
		return 0;
	return off + size;
}

static bool has_room(const struct channel *ch, __u64 off, __u64 size)
{
	return off <= registry_size(ch) && size <= registry_size(ch) - off;
}

/* Returns the offset to start at: near the end if the hint is within bounds. */
static __u64 start_off(const struct channel *ch)
{
	__u32 hint = kt_load(&ch->registry->hint);

	if (hint < sizeof(struct ktrace_registry) || hint & 7 ||
	    !has_room(ch, hint, sizeof(struct ktrace_entry)))
		return sizeof(struct ktrace_registry);
	return hint;
}

static __u64 entry_size(const char *text)
{
	return (sizeof(struct ktrace_entry) + strlen(text) + 1 + 7) & ~7ull;
}

/* Claims the end of the list, at @off. Returns false if another writer was quicker. */
static bool claim(const struct channel *ch, __u64 off, __u64 size)
{
	__u32 empty = 0;

	return __atomic_compare_exchange_n(&entry_at(ch, off)->word, &empty,
					   KTRACE_ENTRY_BUSY | (__u32)size, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Stores all but the word. */
static void fill_entry(const struct channel *ch, struct ktrace_entry *e,
		       const struct ktrace_entry *header, const char *text)
{
	e->type = header->type;
	e->id = header->id;
	e->tid = header->tid;
	/* For an IDS entry thread_pid() might need the very entry being made. */
	e->pid = header->type == KTRACE_ENTRY_IDS ? 0 : thread_pid();
	e->ts = header->ts ? header->ts : kt_clock(ch->cpu.clock);
	memcpy(e + 1, text, strlen(text) + 1);
}

static void fill(const struct channel *ch, __u64 off, __u64 size,
		 const struct ktrace_entry *header, const char *text)
{
	struct ktrace_entry *e = entry_at(ch, off);

	fill_entry(ch, e, header, text);
	/* ORD(registry_fill:A) pairs ORD(registry_same:A), ORD(registry_next:A): text first */
	kt_store_release(&e->word, KTRACE_ENTRY_READY | (__u32)size);
	kt_store(&ch->registry->hint, (__u32)off);
}

static void count_full(const struct channel *ch)
{
	__atomic_fetch_add(&ch->registry->full, 1, __ATOMIC_RELAXED);
}

static struct ktrace_slot *slot_at(const struct channel *ch, __u64 pos)
{
	return (struct ktrace_slot *)(ch->slots + (pos & (ch->slot_nr - 1)) * ch->slot_size);
}

/* Moves slot_next on to @pos if it is behind, @next. If not, the next claimer looks further. */
static void slot_move_next(const struct channel *ch, __u64 next, __u64 pos)
{
	for (int i = 0; i < ATTEMPTS_MAX && next < pos; i++)
		if (__atomic_compare_exchange_n(&ch->registry->slot_next, &next, pos, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return;
}

/* Claims the first free slot; sets @at to its position. Returns false if there is none. */
static bool slot_claim(const struct channel *ch, __u64 *at)
{
	const __u64 first = kt_load(&ch->registry->slot_next);
	__u64 pos = first;

	for (__u32 i = 0; i < 2 * ch->slot_nr; i++, pos++) {
		__u64 *word = &slot_at(ch, pos)->word;
		__u64 seen = KTRACE_SLOT_WORD(pos, KTRACE_SLOT_FREE);

		/* ORD(slot_claim:A) pairs ORD(slots_free:A): the owner has read it */
		if (__atomic_compare_exchange_n(word, &seen,
						KTRACE_SLOT_WORD(pos, KTRACE_SLOT_BUSY), false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
			*at = pos;
			slot_move_next(ch, first, pos + 1);
			return true;
		}
		if ((seen & 3) != KTRACE_SLOT_DEAD && seen >> 2 < pos)
			return false;
	}
	return false;
}

/* Adds an entry to a slot. Returns false if there is no room, or it is too long. */
static bool slots_add(const struct channel *ch, const struct ktrace_entry *header,
		      const char *text)
{
	const __u64 size = entry_size(text);
	__u64 pos;

	if (!ch->slot_nr || size > ch->slot_size - offsetof(struct ktrace_slot, entry))
		return false;
	for (int i = 0; i < ATTEMPTS_MAX && slot_claim(ch, &pos); i++) {
		struct ktrace_slot *slot = slot_at(ch, pos);
		__u64 busy = KTRACE_SLOT_WORD(pos, KTRACE_SLOT_BUSY);

		slot->entry.word = (__u32)size;
		fill_entry(ch, &slot->entry, header, text);
		/* ORD(slots_add:A) pairs ORD(slots_next:A): the entry is complete */
		if (__atomic_compare_exchange_n(&slot->word, &busy,
						KTRACE_SLOT_WORD(pos, KTRACE_SLOT_READY), false,
						__ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return true;
		__atomic_fetch_add(&ch->registry->slot_late, 1, __ATOMIC_RELAXED);
	}
	return false;
}

/* Adds an entry at the end of the list, within its first @most bytes, which may be all it has. */
static bool list_add(const struct channel *ch, const struct ktrace_entry *header,
		     const char *text, __u64 most)
{
	const __u64 size = entry_size(text);
	__u64 off;
	__u32 word;

	for (off = start_off(ch); off && off <= most && size <= most - off;
	     off = next_off(ch, off, word)) {
		word = kt_load(&entry_at(ch, off)->word);
		if (word)
			continue;
		if (claim(ch, off, size)) {
			fill(ch, off, size, header, text);
			return true;
		}
		word = kt_load(&entry_at(ch, off)->word);
	}
	return false;
}

/**
 * registry_add - announce a process, a thread or a mapping
 * @ch:		the channel
 * @type:	KTRACE_ENTRY_PROCESS, KTRACE_ENTRY_THREAD or KTRACE_ENTRY_MAP
 * @tid:	as struct ktrace_entry says
 * @text:	as struct ktrace_entry says
 * @ts:		time from which it is valid, 0 = now
 * @share:	how much of the list it may fill: mappings and later names of threads leave half to
 *		first names and events, however many there are
 *
 * Context: any. If there is no room, the entry is counted as missing.
 */
void registry_add(const struct channel *ch, __u16 type, __u32 tid, const char *text, __u64 ts,
		  enum registry_share share)
{
	const struct ktrace_entry header = {
		.type = type, .tid = tid, .ts = ts,
		.id = type == KTRACE_ENTRY_PROCESS && ch->leaves ? KTRACE_PROCESS_LEAVES : 0,
	};
	const __u64 size = registry_size(ch), most = share == REGISTRY_HALF ? size / 2 : size;
	const __u64 slots = (__u64)ch->slot_nr * ch->slot_size;
	/* Whoever adopts the session has to find the processes that cannot leave: dismiss.c. */
	const bool must_stay = type == KTRACE_ENTRY_PROCESS && !ch->leaves;

	if (slots && (must_stay || !kt_load(&ch->registry->slot_next)) &&
	    list_add(ch, &header, text, must_stay || most < slots ? most : slots))
		return;
	if (!slots_add(ch, &header, text) && !list_add(ch, &header, text, most))
		count_full(ch);
}

/* Waits for a claimer, which writes a short text, so that one event does not get two ids. */
static bool wait_until_ready(const struct ktrace_entry *e, int *looks)
{
	for (;;) {
		/* ORD(registry_same:A) pairs ORD(registry_fill:A): the text after READY is whole */
		if (kt_load_acquire(&e->word) & KTRACE_ENTRY_READY)
			return true;
		if (!*looks)
			return false;
		if (--*looks < BUSY_NAPS)
			system_sleep_ns(NAP_NS);
	}
}

/* True if @id is in range. Other processes write the ids. */
static bool is_id(const struct channel *ch, __u16 type, __u32 id)
{
	return type == KTRACE_ENTRY_EVENT ? id >= KTRACE_ID_FIRST && id < ch->id_all :
					    id && id < KTRACE_IDS_NR;
}

/*
 * True if the entry at @off has this type and this description; sets @id to its id, which is
 * checked.
 */
static bool is_same(const struct channel *ch, __u64 off, __u16 type, const char *desc, int *looks,
		    __u16 *id)
{
	const __u64 size = entry_size(desc);
	const struct ktrace_entry *e = entry_at(ch, off);

	if ((kt_load(&e->word) & KTRACE_ENTRY_SIZE_MASK) != size || !has_room(ch, off, size))
		return false;
	if (!wait_until_ready(e, looks) || e->type != type)
		return false;
	*id = kt_load(&e->id);
	return !strncmp((const char *)(e + 1), desc, size - sizeof(*e)) && is_id(ch, type, *id);
}

/*
 * True if the filter enables the event. The "provider:name" of a description precedes its fields.
 */
static bool starts_on(const struct channel *ch, const char *desc)
{
	return glob_list_matches(ch->filter, ch->filter_size, desc, strcspn(desc, "{"));
}

/* Takes the next id, at least @first; returns -1 if none is left before @end. */
static int take_id(__u32 *next, __u32 first, __u32 end)
{
	__u32 id = kt_load(next);
	int attempts = 0;

	do {
		if (id < first || id >= end || attempts++ == ATTEMPTS_MAX)
			return -1;
	} while (!__atomic_compare_exchange_n(next, &id, id + 1, true, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return (int)id;
}

/* Takes the next id of an event; returns -1 if none is left. */
static int event_id(const struct channel *ch, bool is_on)
{
	struct ktrace_registry *r = ch->registry;
	int id = is_on ? take_id(&r->next_on, KTRACE_ID_FIRST, KTRACE_ID_OFF) :
			 take_id(&r->next_off, KTRACE_ID_OFF, ch->id_nr);

	if (id >= 0 || ch->id_all == ch->id_nr)
		return id;
	return is_on ? take_id(&r->more_on, KTRACE_ID_MORE, KTRACE_ID_MORE_OFF) :
		       take_id(&r->more_off, KTRACE_ID_MORE_OFF, ch->id_all);
}

/*
 * Takes a new id. An event's id is from the half for its initial state. Returns 0 if none is left.
 */
static __u16 new_id(const struct channel *ch, __u16 type, const char *desc)
{
	struct ktrace_registry *r = ch->registry;
	int id;

	if (type == KTRACE_ENTRY_IDS)	/* the word is the last id taken, initially 0 */
		id = take_id(&r->reserved[KTRACE_REGISTRY_IDS], 0, KTRACE_IDS_NR - 1) + 1;
	else
		id = event_id(ch, starts_on(ch, desc));
	return id > 0 ? (__u16)id : 0;
}

/*
 * Returns the id of what @desc describes, and gives it one if it is new. Searches the whole list,
 * including entries that others append meanwhile: two processes that register the same event at the
 * same time get one id. Returns 0 if there is no room or no id left, which is counted. @after: out
 * if it has an id: offset of the next entry, 0 = none
 */
static __u16 find_or_add(const struct channel *ch, __u16 type, const char *desc, __u64 *after)
{
	const __u64 size = entry_size(desc);
	struct ktrace_entry header = { .type = type };
	__u64 off = sizeof(struct ktrace_registry);
	int looks = BUSY_LOOKS;
	__u16 same;

	while (off && has_room(ch, off, size)) {
		if (!kt_load(&entry_at(ch, off)->word)) {
			if (!header.id)
				header.id = new_id(ch, type, desc);
			if (!header.id)
				break;
			if (claim(ch, off, size)) {
				fill(ch, off, size, &header, desc);
				*after = off + size;
				return header.id;
			}
		}
		if (is_same(ch, off, type, desc, &looks, &same)) {
			*after = off + size;
			return same;
		}
		off = next_off(ch, off, kt_load(&entry_at(ch, off)->word));
	}
	count_full(ch);
	return 0;
}

/*
 * Looks for an event after the one that was found last: another program has registered the same
 * events before, in the same order. Returns its id, 0 if it is not there.
 */
static __u16 find_next(struct channel *ch, const char *desc)
{
	__u64 off = kt_load(&ch->event_off);
	int looks = 0;
	__u16 id;

	for (int i = 0; off && i < NEXT_LOOKS && has_room(ch, off, sizeof(struct ktrace_entry));
	     i++) {
		const __u32 word = kt_load(&entry_at(ch, off)->word);

		if (!word)
			return 0;
		if (is_same(ch, off, KTRACE_ENTRY_EVENT, desc, &looks, &id)) {
			kt_store(&ch->event_off, next_off(ch, off, word));
			return id;
		}
		off = next_off(ch, off, word);
	}
	return 0;
}

/**
 * registry_event - return the id of an event, a new one if it has none
 * @ch:		the channel
 * @desc:	its description
 *
 * Return: the id, 0 if there is no room or no id left, which is counted.
 */
__u16 registry_event(struct channel *ch, const char *desc)
{
	__u64 after = 0;
	__u16 id = find_next(ch, desc);

	if (id)
		return id;
	id = find_or_add(ch, KTRACE_ENTRY_EVENT, desc, &after);
	kt_store(&ch->event_off, after);
	return id;
}

/**
 * registry_ids - return the number of a group of 256 ids of another pid namespace
 * @ch:		the channel
 * @desc:	the namespace and the first number there, as <linux/ktrace.h> says
 *
 * Return: as registry_event().
 */
__u16 registry_ids(const struct channel *ch, const char *desc)
{
	__u64 after;

	return find_or_add(ch, KTRACE_ENTRY_IDS, desc, &after);
}
