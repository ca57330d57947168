// SPDX-License-Identifier: GPL-2.0
/*
 * chunk.c - the kernel's S.Ha.R.K. tracer: its chunks and their memory
 *
 * The tracer itself is in module/shark. This file has its memory, which is limited and charged
 * to the process that makes a chunk, and the functions that other modules call: they return -1
 * for every error. Memory of a deleted chunk stays as long as a sender has it mapped.
 */
#include "chunk.h"
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/ktrace_shark.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include "clock.h"
#include "compat.h"

static uint max_chunks_mb = 256;
module_param(max_chunks_mb, uint, 0644);
MODULE_PARM_DESC(max_chunks_mb, "limit of the memory of all S.Ha.R.K. chunks in MiB (256)");

DEFINE_PER_CPU(struct kt_shark_pending, kt_shark_pendings);
DEFINE_STATIC_KEY_FALSE(kt_chunk_key);
struct kt_shark kt_chunk_tracer;

/*
 * Protects memories[] and keeps it consistent with the tracer's table; protects the tables of
 * FTrace_get_chunk_table().
 */
static DEFINE_MUTEX(chunks_lock);
static struct kt_chunk_memory *memories[KTRACE_SHARK_CHUNK_NR];

/*
 * Protects is_on and keeps the static keys consistent with it. Never taken inside chunks_lock:
 * switching keys takes the CPU hotplug lock.
 */
static DEFINE_MUTEX(enable_lock);
static bool is_on;

/* Includes memory that is still mapped but no longer belongs to a chunk */
static atomic64_t bytes_used;

/* ---- memory ---- */

static void free_memory(struct kref *ref)
{
	struct kt_chunk_memory *m = container_of(ref, struct kt_chunk_memory, ref);

	atomic64_sub(m->bytes, &bytes_used);
	vfree(m->data);
	kfree(m);
}

/** kt_chunk_memory_put - drop a reference; ignores NULL. Context: process */
void kt_chunk_memory_put(struct kt_chunk_memory *m)
{
	if (m)
		kref_put(&m->ref, free_memory);
}

/** kt_chunk_memory_get - take one more reference */
struct kt_chunk_memory *kt_chunk_memory_get(struct kt_chunk_memory *m)
{
	kref_get(&m->ref);
	return m;
}

/*
 * Charges @bytes, which free_memory() gives back in any case. Returns false if they are not
 * available.
 */
static bool chunk_charge(u64 bytes)
{
	const u64 limit = (u64)READ_ONCE(max_chunks_mb) << 20;
	const u64 used = atomic64_add_return(bytes, &bytes_used);
	const long available = si_mem_available();

	return used <= limit && available > 0 && bytes >> PAGE_SHIFT <= (u64)available;
}

/**
 * kt_chunk_memory_alloc - allocate zeroed memory for a chunk
 * @bytes:	its size, at least 1
 *
 * Context: process.
 * Return: the memory; NULL if there is none, or beyond the limit.
 */
struct kt_chunk_memory *kt_chunk_memory_alloc(u64 bytes)
{
	const gfp_t gfp = KT_COMPAT_GFP_MAPPED | __GFP_ZERO | __GFP_RETRY_MAYFAIL | __GFP_NOWARN;
	struct kt_chunk_memory *m = kzalloc(sizeof(*m), GFP_KERNEL_ACCOUNT);

	if (!m)
		return NULL;
	kref_init(&m->ref);
	m->bytes = PAGE_ALIGN(bytes);
	m->data = chunk_charge(m->bytes) ? __vmalloc(m->bytes, gfp) : NULL;
	if (m->data)
		return m;
	kt_chunk_memory_put(m);
	return NULL;
}

/** kt_chunk_memory_of - take a reference to the memory of chunk @n, which the caller holds BUSY */
struct kt_chunk_memory *kt_chunk_memory_of(int n)
{
	struct kt_chunk_memory *m;

	mutex_lock(&chunks_lock);
	m = kt_chunk_memory_get(memories[n]);
	mutex_unlock(&chunks_lock);
	return m;
}

/**
 * kt_chunk_replace - replace a chunk's memory by its compressed content
 * @n:		its number; the caller holds it BUSY
 * @m:		the compressed data; takes over the reference
 * @bytes:	size of the compressed data
 *
 * Context: process, sleeps.
 */
void kt_chunk_replace(int n, struct kt_chunk_memory *m, u64 bytes)
{
	struct kt_chunk_memory *before;

	mutex_lock(&chunks_lock);
	before = memories[n];
	memories[n] = m;
	kt_shark_replace(&kt_chunk_tracer, n, m->data, bytes);
	mutex_unlock(&chunks_lock);
	kt_chunk_memory_put(before);
}

/* ---- enabling ---- */

static void switch_locked(bool on)
{
	lockdep_assert_held(&enable_lock);
	if (on == is_on)
		return;
	is_on = on;
	if (on) {
		static_branch_inc(&ktrace_logevent_key);
		static_branch_enable(&kt_chunk_key);
	} else {
		static_branch_disable(&kt_chunk_key);
		static_branch_dec(&ktrace_logevent_key);
	}
}

/**
 * FTrace_enable - start logging to the selected chunk (SHK-01)
 *
 * Context: process, sleeps.
 * Return: 0, also if it is already logging; -1 no chunk was created yet, or none is selected.
 */
int FTrace_enable(void)
{
	int err;

	mutex_lock(&enable_lock);
	err = kt_shark_enable(&kt_chunk_tracer);
	if (!err)
		switch_locked(true);
	mutex_unlock(&enable_lock);
	return err ? -1 : 0;
}
EXPORT_SYMBOL_GPL(FTrace_enable);

/**
 * FTrace_disable - stop logging (SHK-02)
 *
 * When it returns, no CPU stores any more events.
 *
 * Context: process, sleeps.
 * Return: 0; -1 no chunk was created yet.
 */
int FTrace_disable(void)
{
	int err;

	mutex_lock(&enable_lock);
	err = kt_shark_disable(&kt_chunk_tracer);
	switch_locked(false);
	mutex_unlock(&enable_lock);
	return err ? -1 : 0;
}
EXPORT_SYMBOL_GPL(FTrace_disable);

/* ---- chunks ---- */

static int chunk_create(int normal_size, int emergency_size, FTrace_flags flags)
{
	struct kt_chunk_memory *m;
	int n = kt_shark_check_create(normal_size, emergency_size, flags);

	if (n)
		return n;
	m = kt_chunk_memory_alloc((u64)normal_size + emergency_size);
	if (!m)
		return -ENOMEM;
	mutex_lock(&chunks_lock);
	n = kt_shark_create(&kt_chunk_tracer, m->data, normal_size, emergency_size, flags);
	if (n >= 0)
		memories[n] = m;
	mutex_unlock(&chunks_lock);
	if (n < 0)
		kt_chunk_memory_put(m);
	return n;
}

/**
 * FTrace_chunk_create - create a chunk (SHK-03)
 * @normal_size: bytes of the normal area: a multiple of 16, not 0
 * @emergency_size: bytes of the emergency area: a multiple of 16
 * @flags:	FTRACE_CHUNK_FLAG_*
 *
 * Memory is charged to the caller's control group and limited by the module parameter
 * max_chunks_mb.
 *
 * Context: process, sleeps.
 * Return: the lowest free number, 0 to 255; -1 no number is free, no memory, invalid sizes or
 * flags.
 */
int FTrace_chunk_create(int normal_size, int emergency_size, FTrace_flags flags)
{
	const int n = chunk_create(normal_size, emergency_size, flags);

	return n < 0 ? -1 : n;
}
EXPORT_SYMBOL_GPL(FTrace_chunk_create);

/**
 * FTrace_chunk_delete - delete a chunk (SHK-04)
 * @n:		its number
 *
 * Context: process, sleeps.
 * Return: 0, also if NODEL keeps the chunk; -1 no such chunk, or it is selected, linked to, or
 * BUSY.
 */
int FTrace_chunk_delete(int n)
{
	struct kt_chunk_memory *m = NULL;
	void *data;
	int err;

	mutex_lock(&chunks_lock);
	err = kt_shark_delete(&kt_chunk_tracer, n, &data);
	if (data)
		swap(m, memories[n]);
	mutex_unlock(&chunks_lock);
	kt_chunk_memory_put(m);
	return err ? -1 : 0;
}
EXPORT_SYMBOL_GPL(FTrace_chunk_delete);

/**
 * FTrace_set_chunk_flags - replace all flags of a chunk (SHK-05)
 * @n:		its number
 * @flags:	FTRACE_CHUNK_FLAG_*; BUSY and COMPR stay as they are
 *
 * Context: any but NMI.
 * Return: 0; -1 no such chunk, or invalid flags.
 */
int FTrace_set_chunk_flags(int n, FTrace_flags flags)
{
	return kt_shark_set_flags(&kt_chunk_tracer, n, flags) ? -1 : 0;
}
EXPORT_SYMBOL_GPL(FTrace_set_chunk_flags);

/**
 * FTrace_get_chunk_flags - get the current flags of a chunk (SHK-06)
 * @n:		its number
 * @flags:	out
 *
 * Context: any but NMI.
 * Return: 0; -1 no such chunk.
 */
int FTrace_get_chunk_flags(int n, FTrace_flags *flags)
{
	return kt_shark_get_flags(&kt_chunk_tracer, n, flags) ? -1 : 0;
}
EXPORT_SYMBOL_GPL(FTrace_get_chunk_flags);

/**
 * FTrace_actual_chunk_select - send events to a chunk, from the next event on (SHK-07)
 * @n:		its number; must be FREE
 *
 * Context: any but NMI.
 * Return: 0; -1 no such chunk, or it is not FREE.
 */
int FTrace_actual_chunk_select(int n)
{
	return kt_shark_select(&kt_chunk_tracer, n) ? -1 : 0;
}
EXPORT_SYMBOL_GPL(FTrace_actual_chunk_select);

/**
 * FTrace_chunk_link - link a chunk after another (SHK-08)
 * @chunk_a:	number of the first
 * @chunk_b:	number of the one that follows; must be FREE
 *
 * Context: any but NMI.
 * Return: 0; -1 no such chunk, both are the same, or @chunk_b is not FREE.
 */
int FTrace_chunk_link(int chunk_a, int chunk_b)
{
	return kt_shark_link(&kt_chunk_tracer, chunk_a, chunk_b) ? -1 : 0;
}
EXPORT_SYMBOL_GPL(FTrace_chunk_link);

/**
 * FTrace_get_first_chunk - find the lowest chunk that has any of the given flags (SHK-09)
 * @flags:	the flags; with 0, which is CYC, no chunk is found
 *
 * Context: any but NMI.
 * Return: its number; -1 no such chunk.
 */
int FTrace_get_first_chunk(FTrace_flags flags)
{
	const int n = kt_shark_first(&kt_chunk_tracer, flags);

	return n < 0 ? -1 : n;
}
EXPORT_SYMBOL_GPL(FTrace_get_first_chunk);

/**
 * FTrace_get_chunk_table - describe all chunks (SHK-10)
 *
 * Context: process, sleeps.
 * Return: 256 pointers, NULL where there is no chunk. They stay valid; the next call, by any
 * caller, overwrites the descriptions.
 */
FTrace_Chunk_Ptr *FTrace_get_chunk_table(void)
{
	static struct FTrace_Chunk chunks[KTRACE_SHARK_CHUNK_NR];
	static FTrace_Chunk_Ptr table[KTRACE_SHARK_CHUNK_NR];
	int n;

	mutex_lock(&chunks_lock);
	for (n = 0; n < KTRACE_SHARK_CHUNK_NR; n++)
		table[n] = kt_shark_status(&kt_chunk_tracer, n, &chunks[n]) ? NULL : &chunks[n];
	mutex_unlock(&chunks_lock);
	return table;
}
EXPORT_SYMBOL_GPL(FTrace_get_chunk_table);

/**
 * FTrace_chunk_dump - describe a chunk in the kernel's log (SHK-19)
 * @n:		its number
 *
 * Context: process.
 */
void FTrace_chunk_dump(int n)
{
	struct FTrace_Chunk s;

	if (kt_shark_status(&kt_chunk_tracer, n, &s)) {
		pr_info("chunk %d does not exist\n", n);
		return;
	}
	pr_info("chunk %u: id 0x%X flags 0x%02x%s size %u+%u next %d\n", s.number, s.id, s.flags,
		s.is_selected ? " selected" : "", s.size, s.emergency_size, s.next);
	pr_info("chunk %u: first %u events %u+%u lost %llu full, %llu busy, %llu overwritten\n",
		s.number, s.first, s.events, s.emergency_events,
		s.lost[KTRACE_SHARK_LOST_FULL], s.lost[KTRACE_SHARK_LOST_BUSY],
		s.lost[KTRACE_SHARK_LOST_OVERWRITTEN]);
}
EXPORT_SYMBOL_GPL(FTrace_chunk_dump);

/**
 * FTrace_lost - count the events that are in no chunk, or no longer, since the module was loaded
 * @reason:	why they were lost
 *
 * Context: any but NMI.
 */
u64 FTrace_lost(enum ktrace_shark_lost reason)
{
	u64 count = 0;

	kt_shark_lost(&kt_chunk_tracer, reason, &count);
	return count;
}
EXPORT_SYMBOL_GPL(FTrace_lost);

/** FTrace_clk_per_msec - time stamp ticks in a millisecond, 0 = unknown (SHK-30) */
u32 FTrace_clk_per_msec(void)
{
	return kt_chunk_tracer.clock == KTRACE_CLOCK_COUNTER ? kt_arch_counter_khz() :
							   NSEC_PER_MSEC;
}
EXPORT_SYMBOL_GPL(FTrace_clk_per_msec);

/* ---- loading and unloading ---- */

/** kt_chunk_init - initialise a tracer without chunks that takes its stamps from @clock */
void kt_chunk_init(u32 clock)
{
	kt_shark_init(&kt_chunk_tracer, clock);
}

/** kt_chunk_exit - free the chunks that unloaded modules left; no sender is open */
void kt_chunk_exit(void)
{
	int n;

	FTrace_disable();
	for (n = 0; n < KTRACE_SHARK_CHUNK_NR; n++)
		kt_chunk_memory_put(memories[n]);
}
