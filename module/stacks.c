// SPDX-License-Identifier: GPL-2.0
/*
 * stacks.c - the stacks that a session has recorded, each once
 *
 * Any CPU adds stacks, from any context including NMI, without locks and in bounded steps.
 * To add one it claims words, fills them in, stores the id, and only then a slot of the hash
 * table. If two CPUs add the same stack at the same time, both copies stay, and one is used.
 *
 * The id is the number of the first word + 1. The reader takes stacks in this order, up to the
 * first that has no id yet.
 */
#include "stacks.h"
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

enum {
	PROBES_MAX = 64,	/* slots that are tried for a stack */
	ATTEMPTS_MAX = 64,	/* of a claim, while others interfere */
};

static_assert(sizeof(struct ktrace_stack) % sizeof(u64) == 0);

static u32 words_of(u32 nr)
{
	return sizeof(struct ktrace_stack) / sizeof(u64) + nr;
}

static struct ktrace_stack *stack_at(const struct kt_stacks *s, u32 id)
{
	return (struct ktrace_stack *)&s->words[id - 1];
}

/* Returns a stack's hash, the upper half of its slot; its id is the lower half. */
static u32 hash_of(const struct ktrace_stack *head, const unsigned long *address)
{
	u32 hash = jhash_3words(head->kind, head->pid, head->program, head->flags);

	return jhash(address, head->nr * sizeof(*address), hash);
}

static bool is_same(const struct ktrace_stack *known, const struct ktrace_stack *head,
		    const unsigned long *address)
{
	u32 i;

	if (known->nr != head->nr || known->kind != head->kind || known->flags != head->flags ||
	    known->pid != head->pid || known->program != head->program)
		return false;
	for (i = 0; i < head->nr; i++)
		if (KTRACE_STACK_ADDRESSES(known)[i] != address[i])
			return false;
	return true;
}

/* Claims @nr words; returns the first, KT_STACKS_WORDS if that fails. */
static u32 stacks_claim(struct kt_stacks *s, u32 nr)
{
	int used = atomic_read(&s->used), attempts;

	for (attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
		if (used + nr > KT_STACKS_WORDS)
			break;
		if (atomic_try_cmpxchg(&s->used, &used, used + nr))
			return used;
	}
	return KT_STACKS_WORDS;
}

/* Stores a stack; returns its id, 0: there is no room. */
static u32 stacks_store(struct kt_stacks *s, const struct ktrace_stack *head,
			const unsigned long *address)
{
	const u32 first = stacks_claim(s, words_of(head->nr));
	struct ktrace_stack *to;
	u32 i;

	if (first == KT_STACKS_WORDS)
		return 0;
	to = stack_at(s, first + 1);
	to->nr = head->nr;
	to->kind = head->kind;
	to->flags = head->flags;
	to->pid = head->pid;
	to->program = head->program;
	to->ts = head->ts;
	for (i = 0; i < head->nr; i++)
		KTRACE_STACK_ADDRESSES(to)[i] = address[i];
	/* ORD(store:A) pairs ORD(ready:A): a stack that has its id is complete */
	smp_store_release(&to->id, first + 1);
	return first + 1;
}

/**
 * kt_stacks_add - find a stack, or store it if it is new
 * @s:		the stacks
 * @head:	header, which precedes the addresses; id 0
 * @address:	its addresses
 *
 * Context: any, NMI included, preemption off.
 * Return: its id, 0 if there is no room, which is counted.
 */
u32 kt_stacks_add(struct kt_stacks *s, const struct ktrace_stack *head,
		  const unsigned long *address)
{
	const u32 hash = hash_of(head, address);
	u32 i = 0, id = 0;
	s64 slot;

	while (i < PROBES_MAX) {
		atomic64_t *at = &s->slots[(hash + i) % KT_STACKS_SLOTS];

		/* ORD(kt_stacks_add:A) pairs ORD(kt_stacks_add:B): complete when found */
		slot = atomic64_read_acquire(at);
		if (slot && (u64)slot >> 32 == hash &&
		    is_same(stack_at(s, (u32)slot), head, address))
			return (u32)slot;
		if (slot) {
			i++;
			continue;
		}
		id = id ? id : stacks_store(s, head, address);
		if (!id)
			break;
		/* ORD(kt_stacks_add:B) pairs ORD(kt_stacks_add:A): complete before it is found */
		if (atomic64_try_cmpxchg_release(at, &slot, (s64)((u64)hash << 32 | id)))
			break;
		/* Another context took the slot first, perhaps for the same stack. */
	}
	if (!id)
		atomic64_inc(&s->dropped);
	return id;
}

/*
 * Returns the words of the stack at word @pos, 0: there is none yet. @pos may be any number: if no
 * stack begins there, the result is meaningless, but stays within the array.
 */
static u32 stacks_ready(const struct kt_stacks *s, u64 pos)
{
	const u64 used = atomic_read(&s->used);
	u32 nr;

	/* ORD(ready:A) pairs ORD(store:A): a stack that has its id is complete */
	if (pos + words_of(0) > used || smp_load_acquire(&stack_at(s, pos + 1)->id) != pos + 1)
		return 0;
	nr = words_of(stack_at(s, pos + 1)->nr);
	return pos + nr <= used ? nr : 0;
}

/**
 * kt_stacks_read - hand out stacks that have not been handed out yet
 * @s:		the stacks
 * @arg:	the request; bytes, pos and dropped are filled in
 *
 * Context: process, sleeps.
 * Return: 0; -EINVAL @arg->pos is invalid, or there is no room for the next stack; -EFAULT.
 */
int kt_stacks_read(const struct kt_stacks *s, struct ktrace_stacks *arg)
{
	const u64 room = arg->bytes / sizeof(u64);
	u64 pos = arg->pos, nr;

	if (pos > KT_STACKS_WORDS)
		return -EINVAL;
	while ((nr = stacks_ready(s, pos)) && pos + nr - arg->pos <= room)
		pos += nr;
	if (nr && pos == arg->pos)
		return -EINVAL;
	nr = (pos - arg->pos) * sizeof(u64);
	if (copy_to_user(u64_to_user_ptr(arg->buf), &s->words[arg->pos], nr))
		return -EFAULT;
	arg->bytes = nr;
	arg->pos = pos;
	arg->dropped = atomic64_read(&s->dropped);
	return 0;
}

/**
 * kt_stacks_init - allocate the memory for stacks
 * @s:		the stacks, none yet
 *
 * Context: process, sleeps.
 * Return: 0; -ENOMEM.
 */
int kt_stacks_init(struct kt_stacks *s)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN;

	s->words = __vmalloc(KT_STACKS_WORDS * sizeof(*s->words), gfp);
	s->slots = __vmalloc(KT_STACKS_SLOTS * sizeof(*s->slots), gfp);
	if (s->words && s->slots)
		return 0;
	kt_stacks_exit(s);
	return -ENOMEM;
}

/** kt_stacks_exit - free that memory */
void kt_stacks_exit(struct kt_stacks *s)
{
	vfree(s->slots);
	vfree(s->words);
	s->slots = NULL;
	s->words = NULL;
}
