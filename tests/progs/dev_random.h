/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dev_random.h - for dev_fuzz.c and dev_mutate.c: random numbers, and memory that may not be there
 */
#ifndef TESTS_DEV_RANDOM_H
#define TESTS_DEV_RANDOM_H

#include <setjmp.h>
#include <stdint.h>
#include "dev.h"

#define PAGE 4096ul

static __thread uint64_t state;		/* of this thread's random numbers, never 0 */
static __thread sigjmp_buf after_fault;

static inline uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static inline uint64_t below(uint64_t n)
{
	return next_random() % n;
}

static inline int one_in(unsigned int n)
{
	return !below(n);
}

static inline void on_fault(int sig)
{
	(void)sig;
	siglongjmp(after_fault, 1);
}

static inline uint64_t odd_number(void)
{
	static const uint64_t odd[] = {
		0, 1, 2, 7, 8, 63, 64, 4095, 4096, 4097, 8192, 65535, 65536, 1 << 20, 1 << 24,
		0x7fffffff, 0x80000000, 0xffffffff, 1ull << 34, 1ull << 40, 1ull << 44,
		1ull << 62, 1ull << 63, ~0ull, ~0ull - 4095,
	};

	if (one_in(4))
		return next_random() >> below(64);
	return odd[below(NELEM(odd))] + (one_in(3) ? below(5) - 2 : 0);
}

/* Where that may fault, which is the place's fault. False: it did. */
static __attribute__((noinline)) int try_copy(void *to, const void *from, size_t size)
{
	if (sigsetjmp(after_fault, 0))
		return 0;
	memcpy(to, from, size);
	return 1;
}

/* The oldest kept session is adopted, kept no longer. 0: there is none. -1: it failed. */
static inline int forget_one(int fd, int heir)
{
	struct ktrace_kept kept = { .size = sizeof(kept) };
	struct ktrace_adopt adopt = { .size = sizeof(adopt) };
	__u32 keep = 0;

	if (ioctl(fd, KTRACE_IOC_KEPT, &kept))
		return 0;
	adopt.session = kept.session;
	if (ioctl(heir, KTRACE_IOC_ADOPT, &adopt))
		return -1;
	return ioctl(heir, KTRACE_IOC_KEEP, &keep) ? -1 : 1;
}

/* Kept sessions are let go; then none is left, for any user. */
static inline void check_forgotten(void)
{
	struct ktrace_info info;
	int fd = dev_open(), more, heir, i;

	do {
		heir = dev_open();
		more = forget_one(fd, heir);
		EXPECT(more >= 0);
		close(heir);
	} while (more);
	/* What is under way in sockets and in other CPUs' work is done soon. */
	for (i = 0; i < 100; i++) {
		info = dev_info(fd);
		if (!info.sessions)
			break;
		usleep(100000);
	}
	printf("%u sessions left\n", info.sessions);
	EXPECT_EQ(info.sessions, 0);
}

#endif
