// SPDX-License-Identifier: LGPL-2.1
/*
 * thread.c - what each thread keeps for recording, from its first event on
 *
 * A thread is set up when it first calls the library, the first thread when the process attaches.
 * Signals are not blocked meanwhile, so a handler may set up the thread a second time.
 *
 * Children. fork() runs after_fork(), which renumbers the one thread of the child. A child made
 * without the C library finds the fork marker wiped when it next calls the library. The child of
 * vfork() shares this memory with its suspended parent, and its registration for rseq is gone:
 * vfork.c makes both call the library, which tells them apart by their tids. clone.c does the same
 * for a child that shares memory while its parent goes on. With /dev/ktrace the kernel does it for
 * children that both files miss, in the word that thread_word() names. The library detects a child
 * that all of them miss where it can afford to ask for the tid: when a thread has moved to another
 * CPU, and when it opens one of 16 blocks.
 */
#include "thread.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "attach.h"
#include "channel.h"
#include "confined.h"
#include "ids.h"
#include "maps.h"
#include "own.h"
#include "process.h"
#include "system.h"
#include "thread_ring.h"

/* True if a child may be using the calling thread's words at the same time, for good. */
static __thread bool is_lent __attribute__((tls_model("initial-exec")));

/* The kernel stores and preserves these values. */
_Static_assert(KTRACE_CPU_ASK == KTRACE_THREAD_ASKS && KTRACE_CPU_MUTE == KTRACE_THREAD_MUTE,
	       "the kernel's values");

/* What the fast path finds in a thread that is not set up yet: no CPU. */
static struct ktrace_no_rseq no_rseq = { .cpu_id = ~0u };

__thread struct ktrace_thread ktrace_thread __attribute__((tls_model("initial-exec"))) = {
	.rseq = &no_rseq,
	.cpu = KTRACE_CPU_NONE,
	.no_cpu = ~0u,
};

/* The process's id, 0 in its children until they notice; NULL: the kernel lacks MADV_WIPEONFORK. */
static __u32 *fork_marker;

/** thread_word - struct ktrace_attach.thread_word of this program, the same in all threads */
__s32 thread_word(void)
{
	return ARCH_HAS_THREAD_POINTER ?
	       (__s32)((char *)&ktrace_thread.cpu - arch_thread_pointer()) : 0;
}

/* Provided by glibc 2.35 and later. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

static void *own_rseq(const struct channel *ch)
{
	if (!ARCH_HAS_RSEQ || ch->cpu.clock != KTRACE_CLOCK_TSC || !ch->cpu_nr || !&__rseq_size ||
	    !&__rseq_offset || !__rseq_size)
		return NULL;
	return arch_thread_pointer() + __rseq_offset;
}

/*
 * Sets up the thread. A signal handler may do the same at any instruction: it stores the same
 * values. Whichever of them stores the thread's id makes the entry, with a time before any event.
 */
static void set_up(const struct channel *ch, struct ktrace_thread *t)
{
	const __u64 ts = kt_clock(ch->cpu.clock);
	const __u32 tid = ids_of(system_gettid());
	uint64_t unknown = 0;
	void *rseq = own_rseq(ch);

	t->rseq = rseq ? rseq : &t->own_ring;
	t->size_mask = ch->cpu.size - 1;
	t->not_block = -ch->cpu.block_size;
	kt_barrier();
	if (__atomic_compare_exchange_n(&t->tid_flags, &unknown, (uint64_t)tid << 32, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED) &&
	    ch->is_own && tid != thread_pid())
		process_announce_thread(ch, tid, ts);
}

/*
 * When the calling thread began to fork, by clock, 0 = not forking. What the parent does later is
 * not part of the child's past, even if the child announces itself only then.
 */
static __thread __u64 fork_ts[2] __attribute__((tls_model("initial-exec")));

_Static_assert(KTRACE_CLOCK_TSC < 2 && KTRACE_CLOCK_MONOTONIC < 2, "indices of fork_ts");

/* Registered first, so that fork() calls it last of all handlers before it forks. */
static void before_fork(void)
{
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	const struct channel *ch;
	struct ktrace_thread *t;
	__u32 i = 0;

	own_enter(frame);
	while (ktrace_thread.cpu != KTRACE_CPU_MUTE && (ch = own_each(&i, frame, &t)))
		fork_ts[ch->cpu.clock] = kt_clock(ch->cpu.clock);
	own_exit(frame);
}

static void after_fork_in_parent(void)
{
	memset(fork_ts, 0, sizeof(fork_ts));
}

static void mark_process(__u32 pid)
{
	if (fork_marker)
		kt_store(fork_marker, pid);
}

/** thread_pid - return the process's id, usually without a system call */
__u32 thread_pid(void)
{
	const __u32 pid = fork_marker ? kt_load(fork_marker) : 0;

	return pid ? pid : ids_of((__u32)getpid());
}

static void announce_child(struct channel *ch, struct ktrace_thread *t)
{
	__u32 pid;

	ids_after_fork(ch);
	pid = ids_of(system_gettid());
	mark_process(pid);
	thread_ring_after_fork(ch, t);
	if (t->tid_flags)
		t->tid_flags = (__u64)pid << 32;
	process_announce(ch, "parent", fork_ts[ch->cpu.clock]);
}

/* Runs in the child, whose only thread has the process's id. */
static void after_fork(void)
{
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	struct ktrace_thread *t;
	int saved = errno;
	struct channel *ch;
	__u32 i = 0;

	own_after_fork();
	attach_after_fork();
	maps_after_fork();
	if (!own_enter(frame))
		mark_process(system_gettid());
	while ((ch = own_each(&i, frame, &t)))
		announce_child(ch, t);
	memset(fork_ts, 0, sizeof(fork_ts));
	own_exit(frame);
	errno = saved;
}

/**
 * thread_init_process - prepare for forks and ends of threads
 *
 * Context: once, when the library is loaded.
 */
void thread_init_process(void)
{
	pthread_atfork(before_fork, after_fork_in_parent, after_fork);
	thread_ring_init();
}

/**
 * thread_init_channel - set up what the threads of this process share in a recording
 * @ch:		the recording
 *
 * Sets up the calling thread now rather than at its first event: by then getpid(2) may be
 * forbidden, or the stack small.
 *
 * Context: when the process has attached.
 */
void thread_init_channel(const struct channel *ch)
{
	void *page;

	if (!fork_marker) {
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (page != MAP_FAILED) {
			if (madvise(page, 4096, MADV_WIPEONFORK))
				munmap(page, 4096);
			else
				fork_marker = page;
		}
	}
	mark_process(ids_of((__u32)getpid()));
	thread_set_up(ch, &ktrace_thread);
}

/** thread_notice_fork - in a child made without the C library, do what fork() would have done */
void thread_notice_fork(void)
{
	if (fork_marker && kt_unlikely(!kt_load(fork_marker)))
		after_fork();
}

/**
 * thread_enter - make the calling thread ready to record
 * @ch:		the process's channel
 * @t:		its struct ktrace_thread
 *
 * Return: its thread id; differs from thread_id(t) in the child of a vfork(), which must not leave
 * its own values in @t. 0 if the thread may not record.
 */
__u32 thread_enter(const struct channel *ch, struct ktrace_thread *t)
{
	__u32 tid;

	if (kt_unlikely(t->cpu == KTRACE_CPU_MUTE))
		return 0;
	thread_notice_fork();
	if (kt_unlikely(!t->tid_flags))
		set_up(ch, t);
	if (kt_likely(!thread_asks_kernel(t)))
		return thread_id(t);
	if (t->cpu == KTRACE_THREAD_LENT) {
		is_lent = true;
		t->cpu = KTRACE_CPU_ASK;
	}
	tid = ids_of(system_gettid());
	if (tid == thread_id(t) && !is_lent)
		t->cpu = KTRACE_CPU_NONE;
	return tid;
}

/** thread_set_up - make the calling thread ready to record into channel @ch */
void thread_set_up(const struct channel *ch, struct ktrace_thread *t)
{
	if (kt_unlikely(!t->tid_flags))
		set_up(ch, t);
}

/**
 * thread_in - make the calling thread ready to record into a channel
 * @ch:		the channel
 * @t:		the thread's words for it: ktrace_thread, or others that parent and child may share
 *
 * Return: as thread_enter().
 */
__u32 thread_in(const struct channel *ch, struct ktrace_thread *t)
{
	if (kt_likely(t == &ktrace_thread))
		return thread_enter(ch, t);
	if (ktrace_thread.cpu == KTRACE_CPU_MUTE)
		return 0;
	if (ch->is_own)
		thread_notice_fork();
	thread_set_up(ch, t);
	if (kt_unlikely(thread_asks_kernel(&ktrace_thread) || thread_asks_kernel(t)))
		return ids_of(system_gettid());
	return thread_id(t);
}

/**
 * thread_before_vfork - let the library tell the calling thread from its child
 *
 * Sets up the thread now: the child would set up itself instead, in its parent's memory.
 */
void thread_before_vfork(void)
{
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	struct ktrace_thread *t = &ktrace_thread, *more;
	int saved = errno;
	const struct channel *ch = own_enter(frame);
	__u32 i = 0;

	if (ch)
		thread_enter(ch, t);
	else
		own_note_thread();
	while ((ch = own_each(&i, frame, &more)))
		thread_set_up(ch, more);
	own_exit(frame);
	if (t->cpu != KTRACE_CPU_MUTE)
		t->cpu = KTRACE_CPU_ASK;
	errno = saved;
}

/**
 * thread_before_clone - let the library tell apart a child that shares the thread's words
 * @flags:	of clone(2)
 *
 * Unless the caller waits for the child to leave its memory, both ask the kernel for their tid at
 * each event from now on.
 */
void thread_before_clone(int flags)
{
	if ((flags & (CLONE_VM | CLONE_SETTLS)) != CLONE_VM)
		return;
	thread_before_vfork();
	if (!(flags & CLONE_VFORK))
		is_lent = true;
}

/**
 * thread_is_guest - true if the calling thread is a child that went unnoticed
 * @ch:		the channel, in which the child is counted
 * @t:		the words of the thread whose memory it shares
 *
 * From then on parent and child are told apart. Always false in a confined program, which must not
 * ask the kernel.
 */
bool thread_is_guest(const struct channel *ch, struct ktrace_thread *t)
{
	if (is_confined() || ids_of(system_gettid()) == thread_id(t))
		return false;
	__atomic_fetch_add(&ch->registry->reserved[KTRACE_REGISTRY_GUESTS], 1,
			   __ATOMIC_RELAXED);
	is_lent = true;
	t->cpu = KTRACE_CPU_ASK;
	return true;
}

/** thread_mute - forbid or allow the calling thread to read the clock */
void thread_mute(bool is_mute)
{
	ktrace_thread.cpu = is_mute ? KTRACE_CPU_MUTE : KTRACE_CPU_NONE;
}
