// SPDX-License-Identifier: GPL-2.0
/*
 * buffer.c - memory of one channel: its layout, its pages, who may write where
 *
 * A channel is one run of pages that user space maps in the order of uapi/linux/ktrace.h and that
 * the kernel maps as well:
 *
 *   control | enable filter note | tails | registry | ring 0 | ring 1 | ... | thread rings
 *   ^ page                         ^ page  ^ page     ^ each ring: a page of words, then data
 *
 * Areas with different rights begin on their own pages. Rings are on the node of their CPU. From
 * areas that user space can write to, the kernel reads only positions back, and computes no address
 * from them.
 *
 * CPUs come online and go offline. A user channel has rings for all present CPUs; on a CPU plugged
 * in later, programs use thread rings. A kernel channel has rings for all possible CPUs. Their
 * words are always allocated, their data at once for online CPUs, for others before the CPU first
 * starts; then the data stays. Until then r->data is NULL and nothing is written to the ring.
 */
#include "buffer.h"
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>
#include "compat.h"

enum {
	THREAD_RINGS_MAX = 4096,
	REGISTRY_UNIT = 4096,
	REGISTRY_MAX = 1 << 28,
};

/*
 * All kernel channels, for CPUs that come online. buffers_lock protects the list and the allocation
 * of ring data; taken inside the kernel's CPU hotplug lock.
 */
static LIST_HEAD(buffers);
static DEFINE_MUTEX(buffers_lock);
static enum cpuhp_state cpuhp_state;

static int check_common(const struct ktrace_channel_spec *spec)
{
	if (spec->reserved || spec->kind > KTRACE_CHANNEL_USER ||
	    spec->policy >= KTRACE_POLICY_NR)
		return -EINVAL;
	if (!kt_ring_geometry_ok(spec->ring_size, spec->block_size))
		return -EINVAL;
	/* With the drop policy a full ring may hold little more than half its size. */
	return spec->watermark <= spec->ring_size / 2 ? 0 : -EINVAL;
}

static int check_kernel(const struct ktrace_channel_spec *spec)
{
	if (spec->policy == KTRACE_POLICY_BLOCK || spec->thread_nr || spec->thread_size ||
	    spec->registry_size)
		return -EINVAL;
	return 0;
}

static int check_user(const struct ktrace_channel_spec *spec)
{
	if (spec->registry_size < REGISTRY_UNIT || spec->registry_size > REGISTRY_MAX ||
	    spec->registry_size % REGISTRY_UNIT)
		return -EINVAL;
	if (spec->thread_nr > THREAD_RINGS_MAX)
		return -EINVAL;
	if (!spec->thread_nr)
		return spec->thread_size ? -EINVAL : 0;
	return kt_ring_geometry_ok(spec->thread_size, spec->block_size) ? 0 : -EINVAL;
}

static u64 cpu_stride(const struct kt_layout *l)
{
	return PAGE_SIZE + PAGE_ALIGN(l->ring_size);
}

static u64 thread_stride(const struct kt_layout *l)
{
	return PAGE_SIZE + PAGE_ALIGN(l->thread_size);
}

static void place_areas(struct kt_layout *l)
{
	const u32 thread_nr = l->ring_nr - l->cpu_nr;

	l->enable_off = ALIGN(sizeof(struct ktrace_control), SMP_CACHE_BYTES);
	l->filter_off = l->enable_off + KTRACE_ID_NR;
	l->note_off = l->filter_off + KTRACE_FILTER_SIZE;
	l->tail_off = PAGE_ALIGN(l->note_off + KTRACE_NOTE_SIZE);
	l->registry_off = PAGE_ALIGN(l->tail_off + l->ring_nr * sizeof(struct ktrace_tail));
	l->rings_off = l->registry_off + PAGE_ALIGN(l->registry_size);
	l->threads_off = l->rings_off + l->cpu_nr * cpu_stride(l);
	l->map_size = l->threads_off + thread_nr * thread_stride(l);
}

static u32 cpu_nr(u32 kind)
{
	return 1 + cpumask_last(kind == KTRACE_CHANNEL_KERNEL ? cpu_possible_mask :
								 cpu_present_mask);
}

/**
 * kt_layout_init - check a channel that user space requested and compute its layout
 * @l:		out
 * @spec:	a private copy of the request
 *
 * No sum can overflow: rings are at most 2^34 bytes, and there are fewer than 2^14. But the sum may
 * exceed the distance between two channels' mmap() offsets, and is then refused.
 *
 * Context: any.
 * Return: 0; -EINVAL for invalid sizes, policy, kind or watermark.
 */
int kt_layout_init(struct kt_layout *l, const struct ktrace_channel_spec *spec)
{
	int err = check_common(spec);

	if (!err)
		err = spec->kind == KTRACE_CHANNEL_KERNEL ? check_kernel(spec) : check_user(spec);
	if (err)
		return err;
	*l = (struct kt_layout){
		.kind = spec->kind,
		.policy = spec->policy,
		.block_size = spec->block_size,
		.cpu_nr = cpu_nr(spec->kind),
		.timeout_ms = spec->timeout_ms,
		.watermark = max(spec->watermark, 1u),
		.ring_size = spec->ring_size,
		.thread_size = spec->thread_size,
		.registry_size = spec->registry_size,
	};
	l->ring_nr = l->cpu_nr + spec->thread_nr;
	place_areas(l);
	return l->map_size <= BIT_ULL(KTRACE_MAP_SHIFT) ? 0 : -EINVAL;
}

static u64 ring_off(const struct kt_layout *l, u32 i)
{
	return i < l->cpu_nr ? l->rings_off + i * cpu_stride(l) :
			       l->threads_off + (i - l->cpu_nr) * thread_stride(l);
}

static bool is_in_cpu_ring(const struct kt_layout *l, u64 off)
{
	return off >= l->rings_off && off < l->threads_off;
}

static u32 cpu_at(const struct kt_layout *l, u64 off)
{
	return div64_u64(off - l->rings_off, cpu_stride(l));
}

/* True if buffer_populate() allocates the page at @off later. */
static bool is_data_of_kernel(const struct kt_layout *l, u64 off)
{
	return l->kind == KTRACE_CHANNEL_KERNEL && is_in_cpu_ring(l, off) &&
	       off != ring_off(l, cpu_at(l, off));
}

static void free_pages_array(struct page **pages, u64 nr)
{
	u64 i;

	for (i = 0; i < nr; i++) {
		if (pages[i])
			put_page(pages[i]);
		cond_resched();
	}
	kvfree(pages);
}

/*
 * Returns the node for the page at @off. Rings are on the node of their CPU; other areas, and CPU
 * numbers that are not possible, have none.
 */
static int node_of(const struct kt_layout *l, u64 off)
{
	return is_in_cpu_ring(l, off) && cpu_possible(cpu_at(l, off)) ?
	       cpu_to_node(cpu_at(l, off)) : NUMA_NO_NODE;
}

/*
 * True if @bytes are available. More is refused before it evicts everything. Unprivileged users
 * have to leave a part to others.
 */
static bool has_memory(const struct kt_layout *l, u64 bytes)
{
	const long pages = si_mem_available() -
			   (l->is_privileged ? 0 : totalram_pages() / KT_SPARE_PART);

	return pages > 0 && bytes >> PAGE_SHIFT <= (u64)pages;
}

/* Allocates one page. Fails rather than invoking the OOM killer. */
static int alloc_page_at(struct page **pages, const struct kt_layout *l, u64 off)
{
	const gfp_t gfp = KT_COMPAT_GFP_MAPPED | __GFP_ZERO | __GFP_RETRY_MAYFAIL | __GFP_NOWARN;
	struct page *page = alloc_pages_node(node_of(l, off), gfp, 0);

	if (!page)
		return -ENOMEM;
	/* ORD(alloc_page_at:A) pairs ORD(page:A): the page is zeroed before it can be mapped */
	smp_store_release(&pages[off >> PAGE_SHIFT], page);
	return fatal_signal_pending(current) ? -EINTR : 0;
}

static struct page **alloc_pages_array(const struct kt_layout *l)
{
	const u64 later = l->kind == KTRACE_CHANNEL_KERNEL ?
			  l->cpu_nr * (cpu_stride(l) - PAGE_SIZE) : 0;
	const u64 nr = l->map_size >> PAGE_SHIFT;
	struct page **pages;
	int err = 0;
	u64 off;

	if (!has_memory(l, l->map_size - later))
		return ERR_PTR(-ENOMEM);
	pages = kvcalloc(nr, sizeof(*pages), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!pages)
		return ERR_PTR(-ENOMEM);
	for (off = 0; off < l->map_size && !err; off += PAGE_SIZE) {
		if (!is_data_of_kernel(l, off))
			err = alloc_page_at(pages, l, off);
		cond_resched();
	}
	if (!err)
		return pages;
	free_pages_array(pages, nr);
	return ERR_PTR(err);
}

/*
 * True if the ring may be quick. A writer to a quick ring wakes the poller only when it opens a
 * block, and reads the counter without checking the ring's clock.
 */
static bool may_be_quick(const struct kt_buffer *b, u32 cpu)
{
	return b->rings[cpu].clock == KTRACE_CLOCK_COUNTER && b->l.watermark >= b->l.block_size;
}

/*
 * Allocates the data of @cpu's ring if it has none; on failure, pages allocated so far stay. Either
 * no other thread knows the buffer, or buffers_lock is held.
 */
static int buffer_populate(struct kt_buffer *b, u32 cpu)
{
	const u64 begin = ring_off(&b->l, cpu) + PAGE_SIZE;
	const u64 end = begin + PAGE_ALIGN(b->l.ring_size);
	int err = 0;
	char *data;
	u64 off;

	if (b->rings[cpu].data)
		return 0;
	if (!has_memory(&b->l, end - begin))
		return -ENOMEM;
	for (off = begin; off < end && !err; off += PAGE_SIZE) {
		if (!b->pages[off >> PAGE_SHIFT])
			err = alloc_page_at(b->pages, &b->l, off);
		cond_resched();
	}
	if (err)
		return err;
	data = vmap(&b->pages[begin >> PAGE_SHIFT], (end - begin) >> PAGE_SHIFT, VM_MAP,
		    PAGE_KERNEL);
	if (!data)
		return -ENOMEM;
	/* The CPU is not running yet, or no session knows the buffer. */
	WRITE_ONCE(b->rings[cpu].data, data);
	if (may_be_quick(b, cpu))
		kt_ring_make_quick(&b->rings[cpu]);
	per_cpu_ptr(b->cpu_rings, cpu)[0] = b->rings[cpu];
	return 0;
}

/* Runs on another CPU before @cpu starts. Without memory, events on @cpu count as NORING. */
static int buffer_cpu_comes(unsigned int cpu)
{
	struct kt_buffer *b;
	int err;

	mutex_lock(&buffers_lock);
	list_for_each_entry(b, &buffers, node) {
		err = buffer_populate(b, cpu);
		if (err)
			pr_warn("cannot create a ring for CPU %u, its events are lost: %d\n", cpu,
				err);
	}
	mutex_unlock(&buffers_lock);
	return 0;
}

static int populate_online(struct kt_buffer *b)
{
	int err = 0;
	u32 cpu;

	for_each_online_cpu(cpu)
		if (!err)
			err = buffer_populate(b, cpu);
	return err;
}

/*
 * Adds the buffer to the list if all online CPUs have their data: CPUs that come online later find
 * it. Returns false if data is missing.
 */
static bool try_join(struct kt_buffer *b)
{
	bool have_all = true;
	u32 cpu;

	cpus_read_lock();
	mutex_lock(&buffers_lock);
	for_each_online_cpu(cpu)
		have_all &= !!b->rings[cpu].data;
	if (have_all)
		list_add(&b->node, &buffers);
	mutex_unlock(&buffers_lock);
	cpus_read_unlock();
	return have_all;
}

/*
 * Joins the list with data for all online CPUs. Memory is allocated without the CPU hotplug lock,
 * because this may take long.
 */
static int buffer_join(struct kt_buffer *b)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_NOWARN;
	int err;
	u32 cpu;

	b->cpu_rings = alloc_percpu_gfp(struct kt_ring, gfp);
	if (!b->cpu_rings)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(b->cpu_rings, cpu)[0] = b->rings[cpu];
	do {
		err = populate_online(b);
	} while (!err && !try_join(b));
	return err;
}

/*
 * Leaves the list for good. Takes no lock if the buffer is not listed: reclaim must not wait for
 * the allocation of ring data.
 */
static void buffer_leave(struct kt_buffer *b)
{
	if (list_empty(&b->node))
		return;
	mutex_lock(&buffers_lock);
	list_del_init(&b->node);
	mutex_unlock(&buffers_lock);
}

static void init_rings(struct kt_buffer *b, u32 clock)
{
	const struct kt_layout *l = &b->l;
	struct ktrace_tail *tails = (struct ktrace_tail *)(b->base + l->tail_off);
	u32 i;

	for (i = 0; i < l->ring_nr; i++)
		b->rings[i] = (struct kt_ring){
			.w = page_address(b->pages[ring_off(l, i) >> PAGE_SHIFT]),
			.tail = &tails[i],
			.size = i < l->cpu_nr ? l->ring_size : l->thread_size,
			.block_size = l->block_size,
			.policy = l->policy,
			.clock = clock,
			.index = i,
			.owner = i < l->cpu_nr ? i : 0,
		};
}

static void init_control(struct kt_buffer *b, u64 session, u32 clock)
{
	struct ktrace_control *control = (struct ktrace_control *)b->base;
	const struct kt_layout *l = &b->l;

	*control = (struct ktrace_control){
		.magic = KTRACE_CONTROL_MAGIC,
		.version = KTRACE_ABI_VERSION,
		.size = sizeof(struct ktrace_control),
		.kind = l->kind,
		.session = session,
		.map_size = l->map_size,
		.ring_nr = l->ring_nr,
		.cpu_nr = l->cpu_nr,
		.block_size = l->block_size,
		.policy = l->policy,
		.ring_size = l->ring_size,
		.ring_stride = cpu_stride(l),
		.rings_off = l->rings_off,
		.thread_size = l->thread_size,
		.thread_stride = thread_stride(l),
		.threads_off = l->threads_off,
		.registry_off = l->registry_size ? l->registry_off : 0,
		.registry_size = l->registry_size,
		.tail_off = l->tail_off,
		.data_off = PAGE_SIZE,
		.enable_off = l->enable_off,
		.id_nr = KTRACE_ID_NR,
		.filter_off = l->filter_off,
		.filter_size = KTRACE_FILTER_SIZE,
		.note_off = l->note_off,
		.note_size = KTRACE_NOTE_SIZE,
		.clock = clock,
		.timeout_ms = l->timeout_ms,
		.state = KTRACE_STATE_SUSPENDED,
	};
}

static void init_registry(struct kt_buffer *b)
{
	struct ktrace_registry *registry = (void *)(b->base + b->l.registry_off);

	if (!b->l.registry_size)
		return;
	registry->next_on = KTRACE_ID_FIRST;
	registry->next_off = KTRACE_ID_OFF;
}

static void buffer_unmap(struct kt_buffer *b)
{
	u32 i;

	for (i = 0; i < b->l.cpu_nr; i++)
		vunmap(b->rings[i].data);
	vunmap(b->base);
}

/**
 * kt_buffer_alloc - allocate the memory of a channel
 * @l:		layout
 * @session:	id of the session, for the control page
 * @clock:	enum ktrace_clock
 *
 * Context: process, sleeps.
 * Return: the buffer; -ENOMEM; -EINTR when the caller is being killed.
 */
struct kt_buffer *kt_buffer_alloc(const struct kt_layout *l, u64 session, u32 clock)
{
	struct kt_buffer *b = kvzalloc(struct_size(b, rings, l->ring_nr), GFP_KERNEL_ACCOUNT);
	int err;

	if (!b)
		return ERR_PTR(-ENOMEM);
	b->l = *l;
	INIT_LIST_HEAD(&b->node);
	b->pages = alloc_pages_array(l);
	err = PTR_ERR_OR_ZERO(b->pages);
	if (err)
		goto err_free_buffer;
	err = -ENOMEM;
	b->base = vmap(b->pages, l->rings_off >> PAGE_SHIFT, VM_MAP, PAGE_KERNEL);
	if (!b->base)
		goto err_free_pages;
	init_rings(b, clock);
	init_registry(b);
	init_control(b, session, clock);
	err = l->kind == KTRACE_CHANNEL_KERNEL ? buffer_join(b) : 0;
	if (err)
		goto err_unmap;
	return b;

err_unmap:
	free_percpu(b->cpu_rings);
	buffer_unmap(b);
err_free_pages:
	free_pages_array(b->pages, l->map_size >> PAGE_SHIFT);
err_free_buffer:
	kvfree(b);
	return ERR_PTR(err);
}

/**
 * kt_buffer_free - free the memory of a channel
 * @b:		the buffer or NULL; no mapping and no writer is left
 *
 * Context: process, sleeps; also reclaim of memory, if the buffer has been closed.
 */
void kt_buffer_free(struct kt_buffer *b)
{
	if (!b)
		return;
	buffer_leave(b);
	free_percpu(b->cpu_rings);
	buffer_unmap(b);
	free_pages_array(b->pages, b->l.map_size >> PAGE_SHIFT);
	kvfree(b);
}

/** kt_buffer_page - the page at offset @off of the mapping, NULL when there is none */
struct page *kt_buffer_page(const struct kt_buffer *b, u64 off)
{
	if (off >= b->l.map_size)
		return NULL;
	/* ORD(page:A) pairs ORD(alloc_page_at:A): a page that is found has been zeroed */
	return smp_load_acquire(&b->pages[array_index_nospec(off, b->l.map_size) >> PAGE_SHIFT]);
}

/**
 * kt_buffer_may_write - true if a role may write to a part of the mapping
 * @b:		the buffer
 * @role:	role of the descriptor
 * @off:	first byte
 * @end:	first byte after the part
 *
 * Implements the table of uapi/linux/ktrace.h section 2. Both roles may read user channels; only
 * the owner may read the kernel channel.
 *
 * Context: any.
 */
bool kt_buffer_may_write(const struct kt_buffer *b, enum kt_role role, u64 off, u64 end)
{
	const struct kt_layout *l = &b->l;

	if (l->kind == KTRACE_CHANNEL_KERNEL)
		return role == KT_ROLE_OWNER && off >= l->tail_off && end <= l->registry_off;
	if (role == KT_ROLE_OWNER)
		return end <= l->rings_off;
	return role == KT_ROLE_WRITER && off >= l->registry_off && end <= l->map_size;
}

/** kt_buffer_set_state - show @state to all processes that have the channel mapped */
void kt_buffer_set_state(struct kt_buffer *b, enum ktrace_state state)
{
	struct ktrace_control *control = (struct ktrace_control *)b->base;

	WRITE_ONCE(control->state, state);
}

/** kt_buffer_show_enabled - show in the control area whether event @id is on */
void kt_buffer_show_enabled(struct kt_buffer *b, u16 id, bool on)
{
	u8 *enable = b->base + b->l.enable_off;

	WRITE_ONCE(enable[id], on);
}

/** kt_buffer_close - close a channel: writers stop, CPUs that come online get no ring */
void kt_buffer_close(struct kt_buffer *b)
{
	buffer_leave(b);
	/* An owner that closed it itself has left the bytes as writers need them. */
	if (READ_ONCE(((struct ktrace_control *)b->base)->state) != KTRACE_STATE_CLOSED)
		memset(b->base + b->l.enable_off, 0, KTRACE_ID_NR);
	kt_buffer_set_state(b, KTRACE_STATE_CLOSED);
}

/**
 * kt_buffer_has_data - true if any ring holds a watermark's worth of unread bytes
 * @b:		the buffer
 *
 * Positions of user rings may be forged: then only the answer for that channel is wrong. Thread
 * rings may be smaller than the watermark: half their size is enough.
 *
 * Context: process: there may be thousands of rings.
 */
bool kt_buffer_has_data(const struct kt_buffer *b)
{
	const struct kt_ring *r;

	for (r = b->rings; r < b->rings + b->l.ring_nr; r++)
		if (READ_ONCE(r->w->head) - READ_ONCE(r->tail->tail) >=
		    min_t(u64, b->l.watermark, r->size / 2))
			return true;
	return false;
}

/**
 * kt_buffer_bytes - memory that a channel takes when it is created
 * @l:		its layout
 *
 * Counts its pages and the arrays that manage them. CPUs that come online later add the data of
 * their rings, which is not included.
 *
 * Context: any.
 */
u64 kt_buffer_bytes(const struct kt_layout *l)
{
	const u64 arrays = sizeof(struct kt_buffer) + (u64)l->ring_nr * sizeof(struct kt_ring) +
			   (l->map_size >> PAGE_SHIFT) * sizeof(struct page *);
	const u32 later = l->kind == KTRACE_CHANNEL_KERNEL ? l->cpu_nr - num_online_cpus() : 0;

	return arrays + l->map_size - (u64)later * PAGE_ALIGN(l->ring_size);
}

/**
 * kt_buffer_init - register for CPUs that come online
 *
 * Context: loading, sleeps.
 * Return: 0; or the error of the kernel's CPU hotplug.
 */
int kt_buffer_init(void)
{
	int state = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "ktrace:prepare",
					      buffer_cpu_comes,
					      NULL);

	if (state < 0)
		return state;
	cpuhp_state = state;
	return 0;
}

/** kt_buffer_exit - unregister from CPU hotplug; no buffer is left */
void kt_buffer_exit(void)
{
	cpuhp_remove_state_nocalls(cpuhp_state);
}
