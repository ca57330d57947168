// SPDX-License-Identifier: LGPL-2.1
/*
 * event.c - give ids to the events of a program, library or plug-in
 *
 * An event tests the byte that it points to:
 *
 *   the process is in no recording   its board's byte for events that are off; without a board its
 *                                    own byte, which is always 0
 *   in one                           its byte for events that are on, or that for those that
 *                                    are off. Recorders poke both, linux/ktrace_board.h
 *   in one whose owner cannot        the byte of its id in the recording
 *   in several                       as in one; the byte for events that are on then makes it call
 *                                    the library
 *
 * Its header has the id in the first of the process's recordings (own.c). For several, the table
 * event_ids has one for each of them. When the first recording changes, all events of all objects
 * change over: an id of one recording must never be stored to another.
 *
 * So the library keeps a list of objects. An object that may be unloaded says so before it
 * goes, ktrace_events_remove(). One compiled with an older header does not: unless it is the
 * program itself, its events are recorded only if a recording has the process when it is loaded.
 * The addresses of a recording that such events, or those of an object that has said goodbye, may
 * still point to stay mapped: own_pin(). Events compiled with such a header have no number, take
 * part in the first recording only, and test its byte.
 */
#define KTRACE_LIBRARY
#include <ktrace/writer.h>

#include "event.h"

#include <link.h>
#include <linux/ktrace_board.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "attach.h"
#include "board.h"
#include "channel.h"
#include "front.h"
#include "own.h"
#include "registry.h"
#include "system.h"

#define LIST_BYTES 1024u
#define OBJECTS ((LIST_BYTES - sizeof(void *)) / sizeof(struct object))

#define NUMBERS 65536u

/* An object's events; begin == NULL: unused. @has_numbers: they may be in several recordings */
struct object {
	struct ktrace_event *const *begin;
	struct ktrace_event *const *end;
	bool has_numbers;
};

/* Objects, changed only with the lock of attach.c. */
struct object_list {
	struct object_list *next;
	struct object object[(LIST_BYTES - sizeof(void *)) / sizeof(struct object)];
};

static struct object_list first_objects;

/* Which numbers of events are in use; number 0 never is. Changed with the lock. */
static __u64 numbers[NUMBERS / 64] SYSTEM_LATE;

__u16 (*event_ids)[OWN_CHANNELS];

/* What events test that the process's board has no byte for: call the library. */
static const __u8 always = KTRACE_BOARD_MANY;

static void number_event(struct ktrace_event *ev)
{
	static __u32 word;

	for (__u32 i = 0; !ev->number && i < NUMBERS / 64; i++, word = (word + 1) % (NUMBERS / 64))
		if (~(numbers[word] | !word)) {
			const __u32 bit = (__u32)__builtin_ctzll(~(numbers[word] | !word));

			numbers[word] |= 1ull << bit;
			ev->number = (__u16)(word * 64 + bit);
			return;
		}
}

static void free_numbers(const struct object *o)
{
	for (struct ktrace_event *const *at = o->begin; at < o->end; at++)
		if ((*at)->number)
			numbers[(*at)->number / 64] &= ~(1ull << (*at)->number % 64);
}

static bool is_on_in(const struct channel *ch, __u32 id)
{
	return !channel_is_over(ch) && channel_is_on(ch, id);
}

/* True if one of the process's channels has the event on. */
static bool is_on(const struct ktrace_event *ev)
{
	if (!own_has_many)
		return is_on_in(own_channel, (__u16)ev->header);
	for (__u32 i = 0; i < OWN_CHANNELS; i++)
		if (own_channels[i] && is_on_in(own_channels[i], event_ids[ev->number][i]))
			return true;
	return false;
}

/* Points an event at the byte that it has to test. */
static void point(struct ktrace_event *ev)
{
	const struct channel *ch = own_channel;
	const __u8 *on = board_on(), *off = board_off();
	const __u16 id = (__u16)ev->header;
	const __u8 *byte;

	if (!ch)
		byte = off ? off : &ev->off;
	else if (!ev->number || (!own_has_many && (ch->is_direct || !on)))
		byte = id && !channel_is_over(ch) ? &ch->enable[id] : &ev->off;
	else if (!on)
		byte = &always;
	else
		byte = is_on(ev) ? on : off;
	/* ORD(event_switch_on:A) pairs ORD(event_is_on:A): the id is stored before the switch */
	kt_store_release(&ev->enabled, byte);
}

/* Lets an event be off, whoever changes what. */
static void rest(struct ktrace_event *ev)
{
	/* Needs no order: the rings are sealed, and the library takes no event without an id. */
	kt_store(&ev->enabled, &ev->off);
	__atomic_store_n(&ev->header, ev->header & ~0xffffu, __ATOMIC_RELAXED);
	ev->is_refused = 0;
}

static void set_id(struct ktrace_event *ev, __u16 id)
{
	__atomic_store_n(&ev->header, (ev->header & ~0xffffu) | id, __ATOMIC_RELAXED);
}

/*
 * Gives an event an id in the first channel. Each source file of an object registers all of the
 * object's events: one refusal is enough.
 */
static void enter_first(struct ktrace_event *ev, struct channel *ch)
{
	__u16 id;

	if ((__u16)ev->header || ev->is_refused)
		return;
	id = registry_event(ch, ev->desc);
	ev->is_refused = !id;
	if (id)
		set_id(ev, id);
}

/* Gives an event an id in a channel that is not the first one. */
static void enter_more(struct ktrace_event *ev, struct channel *ch)
{
	if (ev->number && ch != own_channel)
		kt_store(&event_ids[ev->number][ch->index], registry_event(ch, ev->desc));
}

static void remember_first(struct ktrace_event *ev, struct channel *first)
{
	if (ev->number)
		kt_store(&event_ids[ev->number][first->index], (__u16)ev->header);
}

/* Gives an event, new or not, an id in every channel. */
static void enter(struct ktrace_event *ev, struct channel *first)
{
	if (first)
		enter_first(ev, first);
	if (own_has_many)
		remember_first(ev, first);
	for (__u32 i = 0; own_has_many && i < OWN_CHANNELS; i++)
		if (own_channels[i])
			enter_more(ev, own_channels[i]);
	point(ev);
}

/* Takes the id in the channel that is to be the first one. */
static void change_first(struct ktrace_event *ev, struct channel *first)
{
	if (ev->number) {
		set_id(ev, event_ids[ev->number][first->index]);
		return;
	}
	rest(ev);
	enter_first(ev, first);
}

static void look(struct ktrace_event *ev, struct channel *first)
{
	(void)first;
	point(ev);
}

static void leave(struct ktrace_event *ev, struct channel *first)
{
	(void)first;
	rest(ev);
}

typedef void event_visitor(struct ktrace_event *ev, struct channel *ch);

static void visit(const struct object *o, event_visitor *visitor, struct channel *ch)
{
	for (struct ktrace_event *const *at = o->begin; at < o->end; at++)
		visitor(*at, ch);
}

static void visit_all(event_visitor *visitor, struct channel *ch)
{
	for (struct object_list *list = &first_objects; list; list = list->next)
		for (size_t i = 0; i < OBJECTS; i++)
			if (list->object[i].begin)
				visit(&list->object[i], visitor, ch);
}

/**
 * events_rest - let all events be off, whatever recorders do, and have no ids
 *
 * Before a recording becomes the process's first one: an event without an id must not reach the
 * fast path, because id 0 is padding.
 *
 * Context: as for all functions here, with the lock of attach.c, or the only thread.
 */
void events_rest(void)
{
	visit_all(leave, NULL);
}

/** events_enter - give all events ids in the process's only channel */
void events_enter(void)
{
	visit_all(enter, own_channel);
}

/**
 * events_enter_more - give all events ids in a further channel
 * @ch:		the channel, not published yet
 *
 * Return: 0 or -ENOMEM.
 */
int events_enter_more(struct channel *ch)
{
	void *table = event_ids;

	if (!table)
		table = mmap(NULL, NUMBERS * sizeof(*event_ids), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (table == MAP_FAILED)
		return -ENOMEM;
	event_ids = table;
	visit_all(remember_first, own_channel);
	visit_all(enter_more, ch);
	return 0;
}

/** events_change_first - give all events their ids in the channel that will be the first one */
void events_change_first(struct channel *first)
{
	visit_all(change_first, first);
}

/** events_look - let all events test the right byte, after what recordings want has changed */
void events_look(void)
{
	visit_all(look, NULL);
}

static struct object *find(struct ktrace_event *const *begin)
{
	for (struct object_list *list = &first_objects; list; list = list->next)
		for (size_t i = 0; i < OBJECTS; i++)
			if (list->object[i].begin == begin)
				return &list->object[i];
	return NULL;
}

/* Returns an unused place in the list, NULL: no memory. */
static struct object *find_unused(void)
{
	struct object *o = find(NULL);
	struct object_list *more;

	if (o)
		return o;
	more = mmap(NULL, sizeof(*more), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	if (more == MAP_FAILED)
		return NULL;
	more->next = first_objects.next;
	first_objects.next = more;
	return &more->object[0];
}

static int in_program(struct dl_phdr_info *info, size_t size, void *arg)
{
	const uintptr_t at = *(const uintptr_t *)arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    at - info->dlpi_addr - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_memsz)
			return 2;
	return 1;	/* the program comes first: no other object */
}

/* True if this is in the program itself, which is never unloaded. */
static bool is_programs(const void *at)
{
	uintptr_t where = (uintptr_t)at;

	return dl_iterate_phdr(in_program, &where) == 2;
}

/* Adds an object to the list; its place there, NULL: no memory */
static struct object *list_object(const struct object *object)
{
	struct object *o = find_unused();

	if (!o)
		return NULL;
	*o = *object;
	for (struct ktrace_event *const *at = o->begin; o->has_numbers && at < o->end; at++)
		number_event(*at);
	return o;
}

/* Adds an object to the list and points its events somewhere. */
static void add(const struct object *object, bool is_kept)
{
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	struct system_signals signals;
	struct object *o;

	system_block_signals(&signals);
	attach_lock();
	own_enter(frame);
	o = find(object->begin);
	if (!o && is_kept)
		o = list_object(object);
	if (!object->has_numbers)
		board_has_old();
	if (o || own_channel)
		visit(object, enter, own_channel);
	if (!o)
		own_pin();
	own_exit(frame);
	attach_unlock();
	system_restore_signals(&signals);
}

/* Adds events unless attaching itself led to this call: their constructor still follows. */
static void add_later(const struct object *object, bool is_kept)
{
	int saved = errno;

	if (object->begin < object->end && attach_once() && (own_is_there() || board_off())) {
		front_place();
		add(object, is_kept || is_programs(object->begin));
	}
	errno = saved;
}

void ktrace_events_register(struct ktrace_event *const *begin, struct ktrace_event *const *end)
{
	add_later(&(struct object){ begin, end, false }, false);
}

void ktrace_events_add(struct ktrace_event *const *begin, struct ktrace_event *const *end)
{
	add_later(&(struct object){ begin, end, true }, true);
}

void ktrace_events_remove(struct ktrace_event *const *begin)
{
	int saved = errno;
	struct object *o;

	if (!begin || is_programs(begin))
		return;		/* the program itself ends: it may record until then */
	attach_lock();
	o = find(begin);
	if (o) {
		free_numbers(o);
		*o = (struct object){ NULL, NULL, false };
	}
	own_pin();
	attach_unlock();
	errno = saved;
}
