// SPDX-License-Identifier: LGPL-2.1
/*
 * pthread_model_object.c - objects: their memory, lookup by process and address, and state
 *
 * A program may have a million mutexes, so objects are not allocated one by one, and a slot of the
 * hash table is the number of an object. Pointers to objects stay valid.
 */
#include "pthread_model_state.h"

#include "base/grow.h"

#include <errno.h>
#include <stdlib.h>

#define CHUNK_NR 256u
#define SLOTS_MIN 256u

static struct object *object_at(const struct model_objects *all, size_t i)
{
	return &all->chunks[i / CHUNK_NR][i % CHUNK_NR];
}

/* Returns the slot of the object, or the free one that it would get. */
static __u32 *slot_of(const struct model_objects *all, __u32 process, __u64 address)
{
	const __u64 h = (process * 0x9e3779b97f4a7c15ull ^ address) * 0xd6e8feb86659fd93ull;
	size_t i = (h ^ h >> 32) & (all->slot_nr - 1);
	const struct model_object *o;

	for (; all->slots[i]; i = (i + 1) & (all->slot_nr - 1)) {
		o = &object_at(all, all->slots[i] - 1)->o;
		if (o->address == address && o->process->serial == process)
			break;
	}
	return &all->slots[i];
}

static int grow_slots(struct model_objects *all)
{
	const size_t nr = all->slot_nr ? 2 * all->slot_nr : SLOTS_MIN;
	__u32 *slots = calloc(nr, sizeof(*slots));
	const struct model_object *o;
	size_t i;

	if (!slots)
		return -ENOMEM;
	free(all->slots);
	all->slots = slots;
	all->slot_nr = nr;
	for (i = 0; i < all->nr; i++) {
		o = &object_at(all, i)->o;
		*slot_of(all, o->process->serial, o->address) = (__u32)i + 1;
	}
	return 0;
}

/* Makes room for one more object, all zero. NULL: no memory */
static struct object *make_room(struct model_objects *all)
{
	const size_t chunk = all->nr / CHUNK_NR;

	if (2 * all->nr >= all->slot_nr && grow_slots(all))
		return NULL;
	if (all->nr % CHUNK_NR)
		return object_at(all, all->nr);
	if (!LIST_GROW(all->chunks, chunk, all->chunk_cap))
		return NULL;
	all->chunks[chunk] = calloc(CHUNK_NR, sizeof(**all->chunks));
	return all->chunks[chunk];
}

/* Makes the state of a partial object unknown, as some of its events are not recorded. */
static void blur(struct object *o)
{
	o->o.state = MODEL_UNKNOWN;
	o->o.owner = NULL;
	o->o.count = o->o.readers = 0;
	o->o.has_value = false;
}

static void list_known(struct model *s, struct object *o)
{
	struct process *p = (struct process *)o->o.process;

	o->is_listed = true;
	o->next_known = p->known;
	p->known = o;
	if (p->is_knowing)
		return;
	p->is_knowing = true;
	p->next_knowing = s->knowing;
	s->knowing = p;
}

void model_changed(struct model_step *st, struct object *o, __u32 from)
{
	const struct model_watch *w = &st->s->watch;
	const struct model_change c = { st->time, from, st->t ? &st->t->t : NULL, st->e };

	o->o.since = st->time;
	if (o->o.is_partial && o->o.state != MODEL_GONE)
		blur(o);
	if (!o->is_listed && o->o.state != MODEL_UNKNOWN && o->o.state != MODEL_GONE)
		list_known(st->s, o);
	if (w->object)
		w->object(w->arg, &o->o, &c);
}

void model_set_state(struct model_step *st, struct object *o, __u32 state)
{
	const __u32 from = o->o.state;

	o->o.state = (__u8)state;
	if (from != state)
		model_changed(st, o, from);
}

void model_object_renew(struct model_step *st, struct object *o, __u32 kind)
{
	const struct model_object old = o->o;

	if (old.state != MODEL_UNKNOWN)
		model_set_state(st, o, MODEL_GONE);
	if (o->o.owner)
		model_hold_remove(st, (struct thread *)o->o.owner, o);
	o->o = (struct model_object){
		.process = old.process, .address = old.address, .serial = old.serial,
		.life = old.life + 1, .kind = (__u8)kind, .since = st->time,
		.is_partial = st->s->is_partial[kind],
	};
	o->doubts = 0;
	o->ghost = o->reader = NULL;
	o->trouble = 0;
	o->arrived = o->gone = o->serials = 0;
	o->is_blamed = false;
}

static struct object *new_object(struct model_step *st, __u64 address, __u32 kind)
{
	struct model_objects *all = &st->s->objects;
	struct process *p = st->t->process;
	struct object *o = make_room(all);

	if (!o)
		return NULL;
	o->o = (struct model_object){
		.process = &p->p, .address = address, .serial = (__u32)all->nr, .life = 1,
		.kind = (__u8)kind, .since = st->time, .is_partial = st->s->is_partial[kind],
	};
	*slot_of(all, p->p.serial, address) = (__u32)++all->nr;
	STAILQ_INSERT_TAIL(&p->objects, o, of_process);
	return o;
}

struct object *model_object_at(struct model_step *st, __u64 address, __u32 kind)
{
	const struct model_objects *all = &st->s->objects;
	const __u32 *slot = all->slot_nr ? slot_of(all, st->t->process->p.serial, address) : NULL;
	struct object *o;

	if (!slot || !*slot)
		return new_object(st, address, kind);
	o = object_at(all, *slot - 1);
	if (o->o.kind != kind)
		model_object_renew(st, o, kind);
	return o;
}

const struct model_object *model_object(const struct model *s, size_t i)
{
	return i < s->objects.nr ? &object_at(&s->objects, i)->o : NULL;
}

void model_objects_free(struct model_objects *all)
{
	size_t i;

	for (i = 0; i * CHUNK_NR < all->nr; i++)
		free(all->chunks[i]);
	free(all->chunks);
	free(all->slots);
}
