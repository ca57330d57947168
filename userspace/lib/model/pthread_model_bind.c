// SPDX-License-Identifier: LGPL-2.1
/*
 * pthread_model_bind.c - the meaning of an event type, and the offsets of its fields
 *
 * Types are recognised by name and fields, as files may come from other versions: only fields at a
 * fixed offset in each payload are used, and a missing one is unknown. A name consists of object,
 * verb and, for events in pairs, their order: mutex_timedlock_in.
 */
#include "pthread_model_state.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *prefix;
	__u8 kind;
	bool is_thrd;
} objects[] = {
	{ "thread_", MODEL_THREAD, false }, { "thrd_", MODEL_THREAD, true },
	{ "mutex_", MODEL_MUTEX, false }, { "mtx_", MODEL_MUTEX, true },
	{ "cond_", MODEL_COND, false }, { "cnd_", MODEL_COND, true },
	{ "barrier_", MODEL_BARRIER, false }, { "sem_", MODEL_SEM, false },
	{ "rwlock_", MODEL_RWLOCK, false }, { "spin_", MODEL_SPIN, false },
	{ "call_", MODEL_ONCE, false }, { "", MODEL_ONCE, false },
};

#define ONE(kind) (1u << MODEL_##kind)

/* Verbs, and the kinds of objects they apply to: names in files can be anything. */
static const struct {
	const char *verb;
	__u8 op;
	__u8 kinds;
} verbs[] = {
	{ "start", MODEL_OP_START, ONE(THREAD) },
	{ "end", MODEL_OP_END, ONE(THREAD) },
	{ "join", MODEL_OP_JOIN, ONE(THREAD) },
	{ "detach", MODEL_OP_DETACH, ONE(THREAD) },
	{ "init", MODEL_OP_INIT, (__u8)~ONE(THREAD) },
	{ "destroy", MODEL_OP_DESTROY, (__u8)~ONE(THREAD) },
	{ "lock", MODEL_OP_TAKE, ONE(MUTEX) | ONE(SPIN) },
	{ "wrlock", MODEL_OP_TAKE, ONE(RWLOCK) },
	{ "rdlock", MODEL_OP_READ, ONE(RWLOCK) },
	{ "unlock", MODEL_OP_GIVE, ONE(MUTEX) | ONE(SPIN) | ONE(RWLOCK) },
	{ "post", MODEL_OP_GIVE, ONE(SEM) },
	{ "wait", MODEL_OP_WAIT, ONE(COND) | ONE(BARRIER) | ONE(SEM) },
	{ "signal", MODEL_OP_SIGNAL, ONE(COND) },
	{ "broadcast", MODEL_OP_SIGNAL, ONE(COND) },
	{ "open", MODEL_OP_OPEN, ONE(SEM) },
	{ "once", MODEL_OP_ONCE, ONE(ONCE) },
};

static const char *const fields[MODEL_F_NR] = {
	[MODEL_F_COUNT] = "count", [MODEL_F_OWNER] = "owner", [MODEL_F_RESULT] = "result",
	[MODEL_F_VALUE] = "value", [MODEL_F_NUMBER] = "number", [MODEL_F_PSHARED] = "pshared",
	[MODEL_F_CALLER] = "caller",
};

static const char *const object_fields[MODEL_KIND_NR] = {
	"thread", "mutex", "cond", "barrier", "sem", "rwlock", "spin", "once",
};

/* Strips the prefix of a verb: "timedlock" becomes "lock". */
static const char *plain_verb(const char *verb, bool *has_tried)
{
	static const char *const ways[] = { "try", "timed", "clock" };
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strncmp(verb, ways[i], strlen(ways[i]))) {
			*has_tried = !i;
			return verb + strlen(ways[i]);
		}
	return verb;
}

static void bind_verb(struct model_binding *b, const char *verb)
{
	size_t i;

	verb = plain_verb(verb, &b->has_tried);
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(verb, verbs[i].verb) && verbs[i].kinds >> b->kind & 1)
			b->op = verbs[i].op;
	if (b->op == MODEL_OP_WAIT && b->kind == MODEL_SEM)
		b->op = MODEL_OP_TAKE;
	if (b->kind == MODEL_ONCE)
		b->op = strcmp(verb, "once") ? MODEL_OP_OTHER : MODEL_OP_ONCE;
}

/* Parses the name; cuts "_in" off "sem_wait_in". */
static void bind_name(struct model_binding *b, char *name)
{
	size_t n = strlen(name), i = 0;

	if (n > 3 && !strcmp(name + n - 3, "_in"))
		b->phase = MODEL_IN;
	else if (n > 4 && !strcmp(name + n - 4, "_out"))
		b->phase = MODEL_OUT;
	name[n - (b->phase == MODEL_IN ? 3 : b->phase == MODEL_OUT ? 4 : 0)] = '\0';
	while (strncmp(name, objects[i].prefix, strlen(objects[i].prefix)))
		i++;
	b->kind = objects[i].kind;
	b->is_thrd = objects[i].is_thrd;
	bind_verb(b, name + strlen(objects[i].prefix));
}

static int field_number(const struct model_binding *b, const char *name)
{
	int i;

	if (!strcmp(name, object_fields[b->kind]))
		return MODEL_F_OBJECT;
	if (b->kind == MODEL_COND && !strcmp(name, "mutex"))
		return MODEL_F_MUTEX;
	for (i = MODEL_F_COUNT; i < MODEL_F_NR; i++)
		if (!strcmp(name, fields[i]))
			return i;
	return -1;
}

static void bind_fields(struct model_binding *b)
{
	const struct ktrace_field *f = b->type->fields, *end = f + b->type->field_nr;
	__u32 at = 0;
	int i;

	for (; f < end && f->shape == KTRACE_ONE && at < 256; at += f->size, f++) {
		i = field_number(b, f->name);
		if (i < 0 || f->size > 8)
			continue;
		b->offset[i] = (__u16)at;
		b->size[i] = (__u8)f->size;
		b->need = at + f->size;
	}
}

/* Returns the number of a call's name; ~0 = no memory. */
static size_t stem_of(struct model *s, const char *name)
{
	char **stems;
	size_t i;

	for (i = 0; i < s->stem_nr; i++)
		if (!strcmp(s->stems[i], name))
			return i;
	stems = realloc(s->stems, (s->stem_nr + 1) * sizeof(*stems));
	if (!stems)
		return ~0ul;
	s->stems = stems;
	s->stems[i] = strdup(name);
	return s->stems[i] ? s->stem_nr++ : ~0ul;
}

static bool bind_type(struct model *s, struct model_binding *b)
{
	char name[64];
	size_t stem;

	b->is_ours = b->type->kind == KTRACE_CHANNEL_USER &&
		     !strcmp(b->type->provider, "pthread") && strlen(b->type->name) < sizeof(name);
	if (!b->is_ours)
		return true;
	strcpy(name, b->type->name);
	bind_name(b, name);
	bind_fields(b);
	stem = stem_of(s, name);
	b->stem = (__u16)stem;
	return stem != ~0ul;
}

const struct model_binding *model_bind(struct model *s, const struct ktrace_event_type *type)
{
	struct model_binding *b;

	if (s->last_binding && s->last_binding->type == type)
		return s->last_binding;
	b = model_map_get(&s->by_type, (uintptr_t)type, 0);
	if (b) {
		s->last_binding = b;
		return b;
	}
	b = calloc(1, sizeof(*b));
	if (!b)
		return NULL;
	b->type = type;
	if (!bind_type(s, b) || model_map_set(&s->by_type, (uintptr_t)type, 0, b)) {
		free(b);
		return NULL;
	}
	return b;
}

__u64 model_value(const struct model_step *st, enum model_field field)
{
	__u64 v = 0;

	memcpy(&v, st->e->payload + st->b->offset[field], st->b->size[field]);
	return v;
}
