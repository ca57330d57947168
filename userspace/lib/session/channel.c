// SPDX-License-Identifier: LGPL-2.1
/*
 * channel.c - one mapped channel and the readers of its rings
 *
 * The geometry is copied and checked once; everything after that uses the copy.
 */
#include "internal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "layout.h"

static __u64 ring_off(const struct ktrace_control *c, __u32 index)
{
	if (index < c->cpu_nr)
		return c->rings_off + index * c->ring_stride;
	return c->threads_off + (index - c->cpu_nr) * c->thread_stride;
}

static struct kt_ring ring_view(const struct channel *ch, __u32 index)
{
	const struct ktrace_control *c = &ch->control;
	char *words = ch->map + ring_off(c, index);
	struct ktrace_tail *tails = (struct ktrace_tail *)(ch->map + c->tail_off);

	return (struct kt_ring) {
		.w = (struct ktrace_ring *)words,
		.data = words + c->data_off,
		.tail = &tails[index],
		.size = index < c->cpu_nr ? c->ring_size : c->thread_size,
		.block_size = c->block_size,
		.policy = c->policy,
		.clock = c->clock,
		.index = index,
		.owner = index,
	};
}

/**
 * channel_take - check a mapping and set up its readers
 * @ch:		the channel; owns @map from now on if this succeeds
 * @map:	whole channel
 * @map_size:	bytes
 *
 * Return: 0, -ENOMEM, or -EBADMSG for an invalid control page.
 */
int channel_take(struct channel *ch, char *map, size_t map_size)
{
	struct ktrace_control copy = *(const struct ktrace_control *)map;
	int error;

	kt_barrier();	/* the copy is checked and used, whatever happens to the page */
	error = layout_check(&copy, map_size);
	if (error || copy.magic != KTRACE_CONTROL_MAGIC || copy.version != KTRACE_ABI_VERSION)
		return -EBADMSG;
	ch->readers = calloc(copy.ring_nr, sizeof(*ch->readers));
	if (!ch->readers)
		return -ENOMEM;
	ch->map = map;
	ch->map_size = map_size;
	ch->control = copy;
	for (__u32 i = 0; i < copy.ring_nr; i++) {
		struct kt_ring ring = ring_view(ch, i);

		kt_reader_init(&ch->readers[i], &ring);
	}
	return 0;
}

void channel_exit(struct channel *ch)
{
	if (ch->map)
		munmap(ch->map, ch->map_size);
	free(ch->readers);
	*ch = (struct channel) { 0 };
}

bool channel_mend(const struct channel *ch, void *addr)
{
	const int prot = PROT_READ | PROT_WRITE;
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
	size_t off = (size_t)((char *)addr - ch->map);

	if (!ch->map || (char *)addr < ch->map || off >= ch->map_size)
		return false;
	off &= ~(size_t)(LAYOUT_PAGE - 1);
	/* Single pages may need more mappings than a process can have: then replace all. */
	return mmap(ch->map + off, LAYOUT_PAGE, prot, flags, -1, 0) != MAP_FAILED ||
	       mmap(ch->map, ch->map_size, prot, flags, -1, 0) != MAP_FAILED;
}

struct kt_reader *channel_reader_at(const struct channel *ch, const void *addr)
{
	const struct ktrace_control *c = &ch->control;
	__u64 off = (__u64)((const char *)addr - ch->map);

	if (off >= c->rings_off && off - c->rings_off < c->cpu_nr * c->ring_stride)
		return &ch->readers[(off - c->rings_off) / c->ring_stride];
	off -= c->threads_off;
	if (off < (c->ring_nr - c->cpu_nr) * c->thread_stride)
		return &ch->readers[c->cpu_nr + off / c->thread_stride];
	return NULL;
}

/*
 * Thread ids are reused; a ring stays taken if its owner's id now belongs to another thread. So
 * does one of a thread in another pid namespace, whose state is unknown.
 */
static bool is_dead(__u32 tid)
{
	return tid && tid < KTRACE_IDS_FIRST && kill((pid_t)tid, 0) < 0 && errno == ESRCH;
}

__u32 channel_dead_owners(const struct channel *ch)
{
	__u32 dead = 0;

	for (__u32 i = ch->control.cpu_nr; i < ch->control.ring_nr; i++)
		dead += is_dead(kt_load(&ch->readers[i].ring.w->owner));
	return dead;
}

/* As owner: no thread claims such a ring. */
#define OWNER_NONE (~0u)

/**
 * channel_free_dead - free the rings of dead owners
 * @ch:		the channel
 * @map:	a mapping of it whose rings can be written
 *
 * Only the owner writes to a ring, so a dead owner's ring is idle. The exchange fails if a thread
 * that needs a ring was quicker. Each word is read only once.
 *
 * Return: number of rings freed.
 */
__u32 channel_free_dead(const struct channel *ch, char *map)
{
	__u32 freed = 0;

	for (__u32 i = ch->control.cpu_nr; i < ch->control.ring_nr; i++) {
		struct ktrace_ring *w = (struct ktrace_ring *)(map + ring_off(&ch->control, i));
		struct kt_ring r = ch->readers[i].ring;
		__u32 tid = kt_load(&w->owner);

		if (!is_dead(tid))
			continue;
		/*
		 * ORD(channel_free_dead:A) pairs ORD(thread_ring_claim:A): only one of the two gets
		 * the ring. The dead owner's stores were over before kill() reported its death.
		 */
		if (!__atomic_compare_exchange_n(&w->owner, &tid, OWNER_NONE, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		r.w = w;
		kt_ring_adopt(&r);	/* counts records that were reserved and never published */
		/* ORD(channel_free_dead:B) pairs ORD(thread_ring_claim:A): our stores come first */
		kt_store_release(&w->owner, 0);
		freed++;
	}
	return freed;
}
