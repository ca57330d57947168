// SPDX-License-Identifier: GPL-2.0
/*
 * mmap_kunit.c - suite ktrace_mmap: which process may map what, and what can be done with it later
 *
 * Every part of a channel, by its pages and by its edges, times every protection and kind
 * of mapping, times every kind of caller. What is expected is written down from
 * uapi/linux/ktrace.h, section 2 and mmap(), not taken from buffer.c. That mprotect()
 * and mremap() respect the flags seen here is shown by tests/progs/dev_mmap.c.
 */
#include <kunit/test.h>
#include <linux/fcntl.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/uaccess.h>
#include "session_fixture.h"

enum area { CONTROL, TAILS, REGISTRY, CPU_RINGS, THREAD_RINGS, AREA_NR };

/* Kinds of callers. */
enum caller {
	FRESH,			/* has no session */
	OWNER_USER,		/* owner, user channel */
	OWNER_KERNEL,		/* owner, kernel channel */
	WRITER_USER,
	WRITER_KERNEL,		/* writer, kernel channel of its session */
	CALLER_NR,
};

/* The areas that a caller may write to. */
static const bool may_write[CALLER_NR][AREA_NR] = {
	[OWNER_USER] = { [CONTROL] = true, [TAILS] = true, [REGISTRY] = true },
	[OWNER_KERNEL] = { [TAILS] = true },
	[WRITER_USER] = { [REGISTRY] = true, [CPU_RINGS] = true, [THREAD_RINGS] = true },
};

/**
 * struct fixture - a session with both kinds of channels, and those who map it
 * @files:	descriptor of each kind of caller
 * @base:	mmap offset of its channel
 * @edges:	first byte of each area, and the end; by caller
 */
struct fixture {
	struct file *files[CALLER_NR];
	u64 base[CALLER_NR];
	u64 edges[CALLER_NR][AREA_NR + 1];
};

static void find_edges(struct fixture *f, enum caller caller, const struct kt_layout *l)
{
	u64 *edge = f->edges[caller];

	edge[CONTROL] = 0;
	edge[TAILS] = l->tail_off;
	edge[REGISTRY] = l->registry_off;
	edge[CPU_RINGS] = l->rings_off;
	edge[THREAD_RINGS] = l->threads_off;
	edge[AREA_NR] = l->map_size;
}

static void set_up(struct kunit *test, struct fixture *f)
{
	struct ktrace_channel_spec user = fix_spec(KTRACE_CHANNEL_USER), kernel;
	struct ktrace_attach attach;
	struct file *owner = fix_owner(test, KTRACE_CHANNEL_KERNEL, &kernel);
	struct kt_layout l;

	memset(f, 0, sizeof(*f));
	KUNIT_ASSERT_EQ(test, fix_ioctl(test, owner, KTRACE_IOC_CHANNEL, &user, sizeof(user)), 0);
	f->files[FRESH] = fix_open(test, O_RDWR);
	f->files[OWNER_USER] = f->files[OWNER_KERNEL] = owner;
	f->files[WRITER_USER] = f->files[WRITER_KERNEL] = fix_writer(test, owner, &attach);
	KUNIT_EXPECT_EQ(test, attach.map_off, user.map_off);
	KUNIT_EXPECT_EQ(test, attach.map_size, user.map_size);
	f->base[OWNER_USER] = f->base[WRITER_USER] = user.map_off;
	KUNIT_ASSERT_EQ(test, kt_layout_init(&l, &user), 0);
	find_edges(f, OWNER_USER, &l);
	find_edges(f, WRITER_USER, &l);
	find_edges(f, FRESH, &l);
	KUNIT_ASSERT_EQ(test, kt_layout_init(&l, &kernel), 0);
	find_edges(f, OWNER_KERNEL, &l);
	find_edges(f, WRITER_KERNEL, &l);
}

/* May the caller write to every byte of [from, to)? */
static bool may_write_all(const struct fixture *f, enum caller caller, u64 from, u64 to)
{
	enum area area;

	for (area = CONTROL; area < AREA_NR; area++)
		if (from < f->edges[caller][area + 1] && to > f->edges[caller][area] &&
		    f->edges[caller][area] < f->edges[caller][area + 1] &&
		    !may_write[caller][area])
			return false;
	return true;
}

static long expected(const struct fixture *f, enum caller caller, u64 from, u64 to, int prot,
		     int flags)
{
	if (caller == FRESH)
		return -ENXIO;
	if (to > f->edges[caller][AREA_NR] || flags != MAP_SHARED)
		return -EINVAL;
	if (prot & PROT_EXEC || caller == WRITER_KERNEL)
		return -EPERM;
	if (prot & PROT_WRITE && !may_write_all(f, caller, from, to))
		return -EPERM;
	return 0;
}

/* What the mapping may become, and what becomes of it. */
static void check_vma(struct kunit *test, unsigned long addr, enum caller caller, int prot)
{
	const bool is_owner = caller == OWNER_USER || caller == OWNER_KERNEL;
	struct vm_area_struct *vma;
	vm_flags_t flags;

	mmap_read_lock(current->mm);
	vma = find_vma(current->mm, addr);
	flags = vma ? vma->vm_flags : 0;
	mmap_read_unlock(current->mm);
	KUNIT_EXPECT_EQ(test, !!(flags & VM_MAYWRITE), !!(prot & PROT_WRITE));
	KUNIT_EXPECT_EQ(test, flags & (VM_EXEC | VM_MAYEXEC), 0);
	KUNIT_EXPECT_EQ(test, !!(flags & VM_DONTCOPY), is_owner);
	KUNIT_EXPECT_EQ(test, flags & (VM_DONTEXPAND | VM_DONTDUMP), VM_DONTEXPAND | VM_DONTDUMP);
	KUNIT_EXPECT_TRUE(test, flags & VM_MAYSHARE);
}

static void try_map(struct kunit *test, const struct fixture *f, enum caller caller, u64 from,
		    u64 to)
{
	static const int prots[] = {
		PROT_NONE, PROT_READ, PROT_WRITE, PROT_READ | PROT_WRITE, PROT_EXEC,
		PROT_READ | PROT_EXEC, PROT_READ | PROT_WRITE | PROT_EXEC,
	};
	static const int flags[] = { MAP_SHARED, MAP_PRIVATE };
	unsigned long addr;
	long err, want;
	u32 p, i;

	for (p = 0; p < ARRAY_SIZE(prots); p++)
		for (i = 0; i < ARRAY_SIZE(flags); i++) {
			addr = fix_mmap(f->files[caller], f->base[caller] + from, to - from,
					prots[p], flags[i]);
			err = IS_ERR_VALUE(addr) ? (long)addr : 0;
			want = expected(f, caller, from, to, prots[p], flags[i]);
			KUNIT_EXPECT_EQ_MSG(test, err, want,
					    "caller %u, %llx to %llx, protection %x, flags %x",
					    caller, from, to, prots[p], flags[i]);
			if (err)
				continue;
			check_vma(test, addr, caller, prots[p]);
			vm_munmap(addr, to - from);
		}
}

/* From and to each edge of an area and one page on either side of it. */
static void every_part_by_every_caller(struct kunit *test)
{
	u64 cuts[3 * (AREA_NR + 1)];
	struct fixture f;
	enum caller caller;
	u32 nr, i, j;

	set_up(test, &f);
	for (caller = FRESH; caller < CALLER_NR; caller++) {
		for (nr = 0, i = 0; i <= AREA_NR; i++) {
			if (f.edges[caller][i])
				cuts[nr++] = f.edges[caller][i] - PAGE_SIZE;
			cuts[nr++] = f.edges[caller][i];
			cuts[nr++] = f.edges[caller][i] + PAGE_SIZE;
		}
		for (i = 0; i < nr; i++)
			for (j = 0; j < nr; j++)
				if (cuts[i] < cuts[j])
					try_map(test, &f, caller, cuts[i], cuts[j]);
		cond_resched();
	}
}

/* A descriptor for reading gives mappings for reading, that stay so. */
static void a_descriptor_for_reading_maps_for_reading(struct kunit *test)
{
	struct ktrace_channel_spec spec;
	struct ktrace_attach attach = { .size = sizeof(attach) };
	struct file *owner = fix_owner(test, KTRACE_CHANNEL_USER, &spec);
	struct file *file = fix_open(test, O_RDONLY);
	unsigned long addr;

	attach.session = fix_info(test, owner).session;
	KUNIT_ASSERT_EQ(test, fix_ioctl(test, file, KTRACE_IOC_ATTACH, &attach, sizeof(attach)), 0);
	KUNIT_EXPECT_EQ(test, (long)fix_mmap(file, attach.map_off + attach.map_size - PAGE_SIZE,
					     PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED),
			-EACCES);
	addr = fix_mmap(file, attach.map_off, attach.map_size, PROT_READ, MAP_SHARED);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(addr));
	check_vma(test, addr, WRITER_USER, PROT_READ);
	vm_munmap(addr, attach.map_size);
	KUNIT_EXPECT_EQ(test, (long)fix_mmap(file, attach.map_off, PAGE_SIZE, PROT_READ,
					     MAP_PRIVATE), -EINVAL);
}

/* Offsets that belong to no channel, up to the last page there is. */
static void offsets_without_a_channel_are_refused(struct kunit *test)
{
	const u64 last = (u64)LLONG_MAX & PAGE_MASK & ~(u64)(2 * PAGE_SIZE - 1);
	const u64 offs[] = {
		2ull << KTRACE_MAP_SHIFT, 8ull << KTRACE_MAP_SHIFT,
		100ull << KTRACE_MAP_SHIFT, last,
	};
	struct fixture f;
	u32 i;

	set_up(test, &f);
	for (i = 0; i < ARRAY_SIZE(offs); i++) {
		KUNIT_EXPECT_EQ(test, (long)fix_mmap(f.files[OWNER_USER], offs[i], PAGE_SIZE,
						     PROT_READ, MAP_SHARED), -ENXIO);
		KUNIT_EXPECT_EQ(test, (long)fix_mmap(f.files[WRITER_USER], offs[i], PAGE_SIZE,
						     PROT_READ, MAP_SHARED), -ENXIO);
	}
	/* behind the end of a channel, up to where the next begins */
	KUNIT_EXPECT_EQ(test, (long)fix_mmap(f.files[OWNER_USER],
					     f.base[OWNER_USER] + f.edges[OWNER_USER][AREA_NR],
					     PAGE_SIZE, PROT_READ, MAP_SHARED), -EINVAL);
	KUNIT_EXPECT_EQ(test, (long)fix_mmap(f.files[OWNER_USER], f.base[OWNER_USER] - PAGE_SIZE,
					     2 * PAGE_SIZE, PROT_READ, MAP_SHARED), -EINVAL);
}

/* Each page of a channel is what the kernel has at that place. */
static void pages_are_those_of_the_channel(struct kunit *test)
{
	struct ktrace_channel_spec spec;
	struct file *owner = fix_owner(test, KTRACE_CHANNEL_USER, &spec);
	struct ktrace_attach attach;
	struct file *writer = fix_writer(test, owner, &attach);
	unsigned long ours, theirs;
	u64 size, off, from;
	struct kt_layout l;
	u64 seen;

	KUNIT_ASSERT_EQ(test, kt_layout_init(&l, &spec), 0);
	from = l.registry_off;
	size = l.map_size - from;
	ours = fix_mmap(owner, spec.map_off, l.map_size, PROT_READ, MAP_SHARED);
	theirs = fix_mmap(writer, attach.map_off + from, size, PROT_READ | PROT_WRITE, MAP_SHARED);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(ours) || IS_ERR_VALUE(theirs));
	for (off = 0; off < size; off += PAGE_SIZE)
		KUNIT_ASSERT_EQ(test, put_user(off + 1, (u64 __user *)(theirs + off + 128)), 0);
	for (off = 0; off < size; off += PAGE_SIZE) {
		KUNIT_ASSERT_EQ(test, get_user(seen, (u64 __user *)(ours + from + off + 128)), 0);
		KUNIT_EXPECT_EQ(test, seen, off + 1);
	}
	KUNIT_EXPECT_NE(test, put_user(seen, (u64 __user *)(ours + from)), 0);
	vm_munmap(ours, l.map_size);
	vm_munmap(theirs, size);
}

static struct kunit_case mmap_cases[] = {
	KUNIT_CASE(every_part_by_every_caller),
	KUNIT_CASE(a_descriptor_for_reading_maps_for_reading),
	KUNIT_CASE(offsets_without_a_channel_are_refused),
	KUNIT_CASE(pages_are_those_of_the_channel),
	{ }
};

static struct kunit_suite mmap_suite = {
	.name = "ktrace_mmap",
	.test_cases = mmap_cases,
};

kunit_test_suite(mmap_suite);
