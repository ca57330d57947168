// SPDX-License-Identifier: GPL-2.0
/*
 * seal.c - a debug build's check that no ring is written after its session's end
 *
 * Data of rings is written through a mapping that goes when the session is freed: a late writer
 * faults. The page of a ring's words is written through the kernel's direct map, where a late write
 * would go unnoticed. So at the session's end that page is sealed: we take a reference, and a copy
 * of the words; the rest of the page is zero. SEALED_MAX rings later, or when the module is
 * unloaded, page and copy are compared, with a warning if they differ, and the page is released.
 * Until then it is watched, whether the session has been freed or is still kept, mapped or being
 * saved.
 *
 * Only kernel channels are sealed. No role allows user space to write to those pages (see
 * kt_buffer_may_write()), so mappings that outlive the session do not matter. In user channels
 * programs may write as long as they have the ring mapped, and the kernel writes no ring.
 */
#include "seal.h"
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include "ring/ring.h"

enum { SEALED_MAX = 256 };	/* a MiB that stays allocated */

/**
 * struct sealed - the words of a ring whose session has ended
 * @session:	id of the session
 * @ring:	number of the ring
 * @words:	the page, a reference; NULL: none
 * @copy:	as they were at the end
 */
struct sealed {
	u64 session;
	u32 ring;
	const struct ktrace_ring *words;
	struct ktrace_ring copy;
};

/* Protects all[] and next. */
static DEFINE_MUTEX(seal_lock);
static struct sealed all[SEALED_MAX];
static u32 next;

/* Returns the offset of the first byte that differs, PAGE_SIZE: none does. */
static u32 seal_difference(const struct sealed *s)
{
	const u8 *words = (const u8 *)s->words, *copy = (const u8 *)&s->copy;
	const u8 *rest = memchr_inv(words + sizeof(s->copy), 0, PAGE_SIZE - sizeof(s->copy));
	u32 off = 0;

	if (!memcmp(words, copy, sizeof(s->copy)))
		return rest ? rest - words : PAGE_SIZE;
	while (off < sizeof(s->copy) - 1 && words[off] == copy[off])
		off++;
	return off;
}

static void seal_unseal(struct sealed *s)
{
	put_page(virt_to_page(s->words));
	s->words = NULL;
}

static void let_go(struct sealed *s)
{
	u32 off;

	if (!s->words)
		return;
	off = seal_difference(s);
	WARN(off < PAGE_SIZE, "session %#llx, ring %u, byte %u: written after the session's end\n",
	     s->session, s->ring, off);
	seal_unseal(s);
}

/**
 * kt_seal_rings - seal rings that must not be written any more
 * @session:	id of their session, for messages
 * @rings:	all rings of its kernel channel
 * @nr:		their number
 *
 * Releases the rings that were sealed longest ago, with a warning for each that was written since.
 *
 * Context: process, sleeps.
 */
void kt_seal_rings(u64 session, const struct kt_ring *rings, u32 nr)
{
	struct sealed *s;
	u32 i;

	mutex_lock(&seal_lock);
	for (i = 0; i < nr; i++) {
		s = &all[next];
		let_go(s);
		*s = (struct sealed){ session, i, rings[i].w, *rings[i].w };
		get_page(virt_to_page(s->words));
		next = (next + 1) % SEALED_MAX;
	}
	mutex_unlock(&seal_lock);
}

/**
 * kt_seal_find - find a ring that was written too late, for the KUnit suite
 * @place:	out: where
 *
 * Reports a ring once, and then stops watching it.
 *
 * Context: process, sleeps.
 * Return: true: @place says where; false: there is none.
 */
bool kt_seal_find(struct kt_seal_place *place)
{
	struct sealed *s;
	bool found = false;
	u32 off;

	mutex_lock(&seal_lock);
	for (s = all; s < all + SEALED_MAX && !found; s++) {
		off = s->words ? seal_difference(s) : PAGE_SIZE;
		found = off < PAGE_SIZE;
		if (!found)
			continue;
		*place = (struct kt_seal_place){ s->session, s->ring, off };
		seal_unseal(s);
	}
	mutex_unlock(&seal_lock);
	return found;
}

/** kt_seal_exit - release all rings, with warnings; no session is left */
void kt_seal_exit(void)
{
	struct sealed *s;

	mutex_lock(&seal_lock);
	for (s = all; s < all + SEALED_MAX; s++)
		let_go(s);
	mutex_unlock(&seal_lock);
}
