/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dev_fuzz.h - for dev_fuzz.c: what is shared, ioctls and their arguments
 *
 * Arguments are mostly what they should be, so that calls get far, with one thing wrong
 * now and then: a number, the size, or the place where they lie.
 */
#ifndef TESTS_DEV_FUZZ_H
#define TESTS_DEV_FUZZ_H

#include <sys/syscall.h>
#include "../arch/arch.h"
#include "dev_random.h"

#define FD_NR 8
#define MAP_NR 8
#define SLOT (64ul << 20)	/* address space of one mapping */

enum call {
	OPEN, CLOSE, DUP, CHANNEL, START, STOP, ENABLE, FOLLOW, INFO, ATTACH, KEEP, KEPT, ADOPT,
	FILTER, CONTEXT, COUNTER, STACKS, OTHER_IOCTL, IOCTL32, MMAP, MUNMAP, MREMAP, MPROTECT,
	MADVISE, TOUCH, POLL, EPOLL, READ, FORK, EXEC, PASS, TAKE, SETUID, CALL_NR
};

static const char *const names[CALL_NR] = {
	"open", "close", "dup", "channel", "start", "stop", "enable", "follow", "info", "attach",
	"keep", "kept", "adopt", "filter", "context", "counter", "stacks", "other-ioctl",
	"ioctl32", "mmap", "munmap", "mremap", "mprotect", "madvise", "touch", "poll",
	"epoll", "read", "fork", "exec", "pass", "take",
	"setuid",
};

/* What all processes share. */
static struct {
	uint64_t worked[CALL_NR];
	uint64_t failed[CALL_NR];
	uint64_t sessions[8];	/* ids that were seen */
	uint64_t kept;		/* the last one that could be adopted */
} *shared;

/* What the threads of a process share; races are the point. */
static int fds[FD_NR];
static char *maps[MAP_NR];	/* SLOT bytes each, whatever is mapped there */
static int sockets[2];
static char *args;		/* two pages below 4 GiB, then none; behind it a read-only one */

static inline long count(enum call what, long ret)
{
	__atomic_fetch_add(ret < 0 ? &shared->failed[what] : &shared->worked[what], 1,
			   __ATOMIC_RELAXED);
	return ret;
}

/* ---- numbers and places ---- */

static inline int any_fd(void)
{
	return __atomic_load_n(&fds[below(FD_NR)], __ATOMIC_RELAXED);
}

static inline void put_fd(int fd)
{
	int old;

	if (fd < 0)
		return;
	old = __atomic_exchange_n(&fds[below(FD_NR)], fd, __ATOMIC_RELAXED);
	if (old >= 0)
		close(old);
}

static inline char *any_map(void)
{
	return maps[below(MAP_NR)];
}

/* Where an argument of @size bytes lies: mostly where it can, sometimes where not. */
static inline char *argument_place(size_t size)
{
	switch (below(32)) {
	case 0:
		return NULL;
	case 1:
		return args + 2 * PAGE - below(size + 1);	/* the end is not mapped */
	case 2:
		return args + 3 * PAGE;				/* can only be read */
	case 3:
		return any_map() + below(16) * 8;		/* the device's own memory */
	case 4:
		return (char *)(one_in(2) ? 0xffff888000000000ul : ~0ul - below(4096));
	default:
		return args + below(PAGE);
	}
}

/* ---- ioctls ---- */

static inline uint64_t session_id(void)
{
	return one_in(8) ? next_random() : shared->sessions[below(NELEM(shared->sessions))];
}

static inline void make_channel(struct ktrace_channel_spec *spec)
{
	*spec = dev_spec(one_in(3) ? KTRACE_CHANNEL_KERNEL : KTRACE_CHANNEL_USER);
	spec->block_size = 4096u << below(3);
	spec->ring_size = spec->block_size * 4ull << below(4);
	spec->policy = (__u32)below(KTRACE_POLICY_NR);
	if (spec->thread_nr)
		spec->thread_size = spec->ring_size;
	if (one_in(4)) {
		uint32_t value = (uint32_t)odd_number();

		memcpy((char *)spec + below(sizeof(*spec) / 4) * 4, &value, sizeof(value));
	}
}

/* Mostly programs that can be; threads write over each other's. */
static inline void make_filter(struct ktrace_kernel_filter *filter)
{
	static struct ktrace_match_step steps[8];
	const __u16 nr = (__u16)below(NELEM(steps) + 1);

	for (__u16 i = 0; i < nr; i++)
		steps[i] = (struct ktrace_match_step){
			.what = (__u8)(one_in(2) ? KTRACE_MATCH_NUMBER : KTRACE_MATCH_TID),
			.op = (__u8)below(one_in(16) ? 16 : KTRACE_MATCH_LIKE),
			.yes = (__u16)(i + 1 + below(2)),
			.no = (__u16)(one_in(16) ? odd_number() : nr + 1u),
			.value = next_random(),
		};
	for (__u16 i = 0; i < nr; i++)
		if (steps[i].what == KTRACE_MATCH_NUMBER) {
			steps[i].size = 1u << below(one_in(16) ? 8 : 4);
			steps[i].off = (__u32)(one_in(8) ? odd_number() : below(64));
		}
	*filter = (struct ktrace_kernel_filter){
		.size = sizeof(*filter),
		.id = (__u16)(KTRACE_EV_SCHED_SWITCH + below(one_in(8) ? 64 : 7)),
		.step_nr = nr,
		.text_size = (__u32)(one_in(16) ? odd_number() : 0),
		.steps = one_in(16) ? next_random() : (__u64)(uintptr_t)steps,
		.texts = (__u64)(uintptr_t)steps,
	};
}

/* The argument of ioctl @what in @arg; returns its size. */
static inline size_t make_argument(enum call what, char *arg)
{
	switch (what) {
	case CHANNEL:
		make_channel((struct ktrace_channel_spec *)arg);
		return sizeof(struct ktrace_channel_spec);
	case ENABLE:
		*(struct ktrace_enable *)arg = (struct ktrace_enable){
			.id = (__u16)(one_in(4) ? odd_number() : KTRACE_EV_LOGEVENT + below(64)),
			.on = (__u16)below(one_in(8) ? 4 : 2) };
		return sizeof(struct ktrace_enable);
	case FOLLOW:
		*(__s32 *)arg = one_in(4) ? (__s32)odd_number() :
				one_in(4) ? KTRACE_FOLLOW_ALL : getpid() + (__s32)below(20) - 5;
		return sizeof(__s32);
	case CONTEXT:
		*(struct ktrace_context *)arg = (struct ktrace_context){
			.id = (__u16)(one_in(4) ? odd_number() : KTRACE_EV_LOGEVENT + below(64)),
			.bits = (__u16)below(one_in(8) ? 1 << 16 : 1 << 4) };
		return sizeof(struct ktrace_context);
	case COUNTER:
		*(struct ktrace_counter *)arg = (struct ktrace_counter){
			.size = sizeof(struct ktrace_counter), .type = (__u32)below(3),
			.config = below(18) };
		return sizeof(struct ktrace_counter);
	case STACKS:
		*(struct ktrace_stacks *)arg = (struct ktrace_stacks){
			.size = sizeof(struct ktrace_stacks), .bytes = (__u32)odd_number(),
			.pos = one_in(4) ? odd_number() : below(1000),
			.buf = (uintptr_t)argument_place(PAGE) };
		return sizeof(struct ktrace_stacks);
	case INFO:
		*(struct ktrace_info *)arg = (struct ktrace_info){
			.size = sizeof(struct ktrace_info) };
		return sizeof(struct ktrace_info);
	case ATTACH:
		*(struct ktrace_attach *)arg = (struct ktrace_attach){
			.size = sizeof(struct ktrace_attach), .session = session_id() };
		return sizeof(struct ktrace_attach);
	case KEEP:
		*(__u32 *)arg = (__u32)below(one_in(8) ? 4 : 2);
		return sizeof(__u32);
	case KEPT:
		*(struct ktrace_kept *)arg = (struct ktrace_kept){
			.size = sizeof(struct ktrace_kept), .index = (__u32)below(3) };
		return sizeof(struct ktrace_kept);
	case ADOPT:
		*(struct ktrace_adopt *)arg = (struct ktrace_adopt){
			.size = sizeof(struct ktrace_adopt),
			.session = one_in(4) ? session_id() : shared->kept };
		return sizeof(struct ktrace_adopt);
	case FILTER:
		make_filter((struct ktrace_kernel_filter *)arg);
		return sizeof(struct ktrace_kernel_filter);
	default:
		memset(arg, (int)below(256), 64);
		return 64;
	}
}

static inline unsigned int request_of(enum call what)
{
	static const unsigned int requests[CALL_NR] = {
		[CHANNEL] = KTRACE_IOC_CHANNEL, [START] = KTRACE_IOC_START,
		[STOP] = KTRACE_IOC_STOP, [ENABLE] = KTRACE_IOC_ENABLE,
		[FOLLOW] = KTRACE_IOC_FOLLOW, [CONTEXT] = KTRACE_IOC_CONTEXT,
		[COUNTER] = KTRACE_IOC_COUNTER, [STACKS] = KTRACE_IOC_STACKS,
		[INFO] = KTRACE_IOC_INFO,
		[ATTACH] = KTRACE_IOC_ATTACH, [KEEP] = KTRACE_IOC_KEEP,
		[KEPT] = KTRACE_IOC_KEPT, [ADOPT] = KTRACE_IOC_ADOPT,
		[FILTER] = KTRACE_IOC_FILTER,
	};

	if (requests[what])
		return requests[what];
	return one_in(2) ? _IOC((unsigned int)below(4), 'k', 0x3e + (unsigned int)below(16),
				(unsigned int)below(256)) : (unsigned int)next_random();
}

static inline char *place_argument(enum call what)
{
	char arg[256];
	size_t size = make_argument(what, arg);
	char *at = argument_place(size);
	uint32_t value = (uint32_t)odd_number();

	if (one_in(16))
		memcpy(arg, &value, sizeof(value));	/* the size, where there is one */
	try_copy(at, arg, size);
	return at;
}

static inline void remember_session(const char *at)
{
	struct ktrace_info info;

	if (try_copy(&info, at, sizeof(info)) && info.session)
		shared->sessions[below(NELEM(shared->sessions))] = info.session;
}

static inline void remember_kept(const char *at)
{
	struct ktrace_kept kept;

	if (try_copy(&kept, at, sizeof(kept)))
		shared->kept = kept.session;
}

static inline void do_ioctl(enum call what)
{
	char *at = place_argument(what);
	int fd = any_fd();

	if (count(what, ioctl(fd, request_of(what), at)))
		return;
	if (what == INFO)
		remember_session(at);
	else if (what == KEPT)
		remember_kept(at);
}

/* As a 32-bit program calls; the argument is below 4 GiB or nowhere. */
static inline void do_ioctl32(void)
{
	const enum call what = (enum call)(CHANNEL + below(FILTER - CHANNEL + 1));
	count(IOCTL32, arch_ioctl32(any_fd(), request_of(what), place_argument(what)));
}

#endif
