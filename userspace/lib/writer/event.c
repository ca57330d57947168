// SPDX-License-Identifier: LGPL-2.1
/*
 * event.c - give ids to the events of a program, library or plug-in
 *
 * An event tests the byte that it points to. While a recording has the process, that is the byte of
 * its id in the recording. Otherwise it is the process's byte on the board, or the event's own
 * byte, which is always 0. When the process joins or leaves a recording, all events of all
 * objects change over: an id of one recording must never be stored to another.
 *
 * So the library keeps a list of objects. An object that may be unloaded says so before it
 * goes, ktrace_events_remove(). One compiled with an older header does not: unless it is the
 * program itself, its events are recorded only if a recording has the process when it is loaded.
 * The addresses of a recording that such events, or those of an object that has said goodbye, may
 * still point to stay mapped: own_pin().
 */
#define KTRACE_LIBRARY
#include <ktrace/writer.h>

#include "event.h"

#include <link.h>
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

#define LIST_BYTES 4096u
#define OBJECTS ((LIST_BYTES - sizeof(void *)) / sizeof(struct object))

/* An object's events; begin == NULL: unused */
struct object {
	struct ktrace_event *const *begin;
	struct ktrace_event *const *end;
};

/* Objects, changed only with the lock of attach.c. */
struct object_list {
	struct object_list *next;
	struct object object[(LIST_BYTES - sizeof(void *)) / sizeof(struct object)];
};

static struct object_list first_objects;

/* Points an event at the byte that stands for no recording. */
static void point_away(struct ktrace_event *ev, const __u8 *byte)
{
	/* Needs no order: the rings are sealed, and the library takes no event without an id. */
	kt_store(&ev->enabled, byte ? byte : &ev->off);
	__atomic_store_n(&ev->header, ev->header & ~0xffffu, __ATOMIC_RELAXED);
	ev->is_refused = 0;
}

/* Gives an event an id in the recording. */
static void point_at(struct ktrace_event *ev, const struct channel *ch)
{
	__u16 id;

	/*
	 * Each source file of an object registers all of the object's events: one refusal is
	 * enough.
	 */
	if ((__u16)ev->header || ev->is_refused)
		return;
	id = registry_event(ch, ev->desc);
	ev->is_refused = !id;
	if (!id) {
		kt_store(&ev->enabled, &ev->off);
		return;
	}
	__atomic_store_n(&ev->header, ev->header | id, __ATOMIC_RELAXED);
	/* ORD(event_switch_on:A) pairs ORD(event_is_on:A): the id is stored before the switch */
	kt_store_release(&ev->enabled, &ch->enable[id]);
}

static void point_object(const struct object *o, const struct channel *ch, const __u8 *byte)
{
	for (struct ktrace_event *const *at = o->begin; at < o->end; at++)
		if (ch)
			point_at(*at, ch);
		else
			point_away(*at, byte);
}

/**
 * events_point_at - change all events over
 * @ch:		to this recording; NULL: to the board
 *
 * Context: with the lock of attach.c, or the only thread.
 */
void events_point_at(const struct channel *ch)
{
	const __u8 *byte = board_byte();

	for (struct object_list *list = &first_objects; list; list = list->next)
		for (size_t i = 0; i < OBJECTS; i++)
			if (list->object[i].begin)
				point_object(&list->object[i], ch, byte);
}

/**
 * events_rest - let all events point at their own byte, which is 0; context as above
 *
 * Before a recording becomes the process's own: an event without an id must not reach the fast
 * path, because id 0 is padding.
 */
void events_rest(void)
{
	for (struct object_list *list = &first_objects; list; list = list->next)
		for (size_t i = 0; i < OBJECTS; i++)
			if (list->object[i].begin)
				point_object(&list->object[i], NULL, NULL);
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

/* Adds an object to the list and points its events somewhere. */
static void add(struct ktrace_event *const *begin, struct ktrace_event *const *end, bool is_kept)
{
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	struct system_signals signals;
	const struct channel *ch;
	struct object *o;

	system_block_signals(&signals);
	attach_lock();
	ch = own_enter(frame);
	o = find(begin);
	if (!o && is_kept) {
		o = find_unused();
		if (o)
			*o = (struct object){ begin, end };
	}
	if (o || ch)
		point_object(&(struct object){ begin, end }, ch,
			     own_is_there() ? NULL : board_byte());
	if (!o)
		own_pin();
	own_exit(frame);
	attach_unlock();
	system_restore_signals(&signals);
}

/* Adds events unless attaching itself led to this call: their constructor still follows. */
static void add_later(struct ktrace_event *const *begin, struct ktrace_event *const *end,
		      bool is_kept)
{
	int saved = errno;

	if (begin < end && attach_once() && (own_is_there() || board_byte())) {
		front_place();
		add(begin, end, is_kept || is_programs(begin));
	}
	errno = saved;
}

void ktrace_events_register(struct ktrace_event *const *begin, struct ktrace_event *const *end)
{
	add_later(begin, end, false);
}

void ktrace_events_add(struct ktrace_event *const *begin, struct ktrace_event *const *end)
{
	add_later(begin, end, true);
}

void ktrace_events_remove(struct ktrace_event *const *begin)
{
	int saved = errno;
	struct object *o;

	if (!begin || is_programs(begin))
		return;		/* the program itself ends: it may record until then */
	attach_lock();
	o = find(begin);
	if (o)
		*o = (struct object){ NULL, NULL };
	own_pin();
	attach_unlock();
	errno = saved;
}
