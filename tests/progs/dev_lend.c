// SPDX-License-Identifier: GPL-2.0
/*
 * dev_lend.c - a thread that makes a child in its memory is told: struct ktrace_attach.thread_word
 *
 * The words here are this program's own; libktrace's are in fork.bats.
 */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include "dev.h"

enum { UNTOLD = 5, WORD_NR = 6, TOLD_MAX = 4, STACK_SIZE = 1 << 16 };

/* Each attachment has its own; some beside, of which the kernel does not know. */
static __thread unsigned int words[WORD_NR];

static __s32 place_of(const void *at)
{
	return (__s32)((const char *)at - (const char *)__builtin_thread_pointer());
}

/* A writer of the owner's session. Returns what it has mapped; @size: out, unless NULL. */
static void *attach_sized(int owner, __s32 place, size_t *size)
{
	struct ktrace_attach a = { .size = sizeof(a), .thread_word = place };
	const int fd = dev_open();
	void *map;

	a.session = dev_info(owner).session;
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_ATTACH, &a), 0);
	map = mmap(NULL, a.map_size, PROT_READ, MAP_SHARED, fd, (off_t)a.map_off);
	EXPECT(map != MAP_FAILED);
	close(fd);
	if (size)
		*size = a.map_size;
	return map;
}

static void attach(int owner, __s32 place)
{
	attach_sized(owner, place, NULL);
}

static int new_session(void)
{
	struct dev_channel ch = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	const int owner = dev_open();

	dev_add_channel(owner, &ch);
	munmap(ch.map, ch.spec.map_size);
	return owner;
}

static void await(pid_t pid)
{
	int status;

	EXPECT(pid > 0);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

static unsigned int expected;

static int check_word(void *arg)
{
	(void)arg;
	return words[0] != expected;
}

/* What the child finds, and then the parent. */
static void expect_after_clone(int flags, unsigned int before, unsigned int after)
{
	static char stack[STACK_SIZE] __attribute__((aligned(16)));

	words[0] = before;
	expected = after;
	await(clone(check_word, stack + sizeof(stack), flags | SIGCHLD, NULL));
	EXPECT_EQ(words[0], after);
}

static void expect_after_vfork(unsigned int before, unsigned int after)
{
	pid_t pid;

	words[0] = before;
	expected = after;
	pid = vfork();
	if (!pid)
		_exit(words[0] != expected);
	await(pid);
	EXPECT_EQ(words[0], after);
}

static void told(void)
{
	attach(new_session(), place_of(&words[0]));
	expect_after_vfork(UNTOLD, KTRACE_THREAD_ASKS);
	expect_after_clone(CLONE_VM, UNTOLD, KTRACE_THREAD_LENT);
	expect_after_vfork(KTRACE_THREAD_LENT, KTRACE_THREAD_LENT);
	expect_after_clone(CLONE_VM, KTRACE_THREAD_ASKS, KTRACE_THREAD_LENT);
	expect_after_vfork(KTRACE_THREAD_MUTE, KTRACE_THREAD_MUTE);
	expect_after_clone(CLONE_VM, KTRACE_THREAD_MUTE, KTRACE_THREAD_MUTE);
	expect_after_clone(0, UNTOLD, UNTOLD);
}

static void *check_in_thread(void *arg)
{
	const int owner = *(int *)arg;

	attach(owner, place_of(&words[1]));
	words[1] = UNTOLD;
	expect_after_vfork(UNTOLD, KTRACE_THREAD_ASKS);
	EXPECT_EQ(words[1], KTRACE_THREAD_ASKS);
	return NULL;
}

/* The word is the thread's own that makes the child; a thread has its own words. */
static void threads(void)
{
	int owner = new_session();
	pthread_t thread;

	attach(owner, place_of(&words[0]));
	words[0] = UNTOLD;
	words[1] = UNTOLD;
	EXPECT_EQ(pthread_create(&thread, NULL, check_in_thread, &owner), 0);
	pthread_join(thread, NULL);
	EXPECT_EQ(words[0], UNTOLD);
	EXPECT_EQ(words[1], UNTOLD);
}

/* The child of a fork has the mapping, and so has what the kernel knows of it. */
static void after_fork(void)
{
	pid_t pid;

	attach(new_session(), place_of(&words[0]));
	words[0] = UNTOLD;
	pid = fork();
	if (!pid) {
		expect_after_clone(CLONE_VM, UNTOLD, KTRACE_THREAD_LENT);
		exit(0);
	}
	await(pid);
	EXPECT_EQ(words[0], UNTOLD);
	expect_after_vfork(UNTOLD, KTRACE_THREAD_ASKS);
}

/* Another program has other things at that place: who is given a descriptor maps what it is. */
static void given_away(void)
{
	const int owner = new_session(), fd = dev_open();
	struct ktrace_attach a = { .size = sizeof(a), .thread_word = place_of(&words[0]) };
	pid_t pid;

	a.session = dev_info(owner).session;
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_ATTACH, &a), 0);
	pid = fork();
	if (!pid) {
		const size_t half = a.map_size / 2 & ~(sysconf(_SC_PAGESIZE) - 1ul);
		char *map = mmap(NULL, a.map_size, PROT_READ, MAP_SHARED, fd, (off_t)a.map_off);

		EXPECT(map != MAP_FAILED);
		expect_after_vfork(UNTOLD, UNTOLD);
		munmap(map, half);
		expect_after_clone(CLONE_VM, UNTOLD, UNTOLD);
		exit(0);
	}
	await(pid);
	EXPECT(mmap(NULL, a.map_size, PROT_READ, MAP_SHARED, fd, (off_t)a.map_off) != MAP_FAILED);
	expect_after_vfork(UNTOLD, KTRACE_THREAD_ASKS);
}

static void not_any_more(void)
{
	const int owner = new_session();
	const size_t page = sysconf(_SC_PAGESIZE);
	size_t size;
	char *map = attach_sized(owner, place_of(&words[0]), &size);

	expect_after_vfork(UNTOLD, KTRACE_THREAD_ASKS);
	munmap(map + page, page);	/* two are left */
	expect_after_vfork(UNTOLD, KTRACE_THREAD_ASKS);
	munmap(map, page);
	expect_after_vfork(UNTOLD, KTRACE_THREAD_ASKS);
	munmap(map, size);
	expect_after_vfork(UNTOLD, UNTOLD);
	attach(owner, place_of(&words[0]));
	expect_after_vfork(UNTOLD, KTRACE_THREAD_ASKS);
	close(owner);
	expect_after_vfork(UNTOLD, UNTOLD);
}

/* It may be killed for what it asks when it has been told. */
static void filtered(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &allow };

	attach(new_session(), place_of(&words[0]));
	expect_after_vfork(UNTOLD, KTRACE_THREAD_ASKS);
	EXPECT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	EXPECT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
	expect_after_vfork(UNTOLD, UNTOLD);
	expect_after_clone(CLONE_VM, UNTOLD, UNTOLD);
}

/* Places where there is nothing, or nothing to write to, are left alone. */
static void odd_places(void)
{
	static const __s32 places[] = { INT_MIN, INT_MIN + 1, INT_MAX, INT_MAX - 3 };
	const int owner = new_session();
	unsigned int *read_only;
	size_t i;

	read_only = mmap((char *)__builtin_thread_pointer() - (1 << 28), 4096, PROT_READ,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(read_only != MAP_FAILED);
	for (i = 0; i < NELEM(places); i++) {
		const pid_t pid = fork();

		if (!pid) {
			attach(owner, places[i]);
			expect_after_clone(CLONE_VM, UNTOLD, UNTOLD);
			_exit(0);
		}
		await(pid);
	}
	attach(owner, place_of(read_only));
	expect_after_clone(CLONE_VM, UNTOLD, UNTOLD);
	EXPECT_EQ(*read_only, 0);
}

static void many_places(void)
{
	const int owner = new_session();
	int i, nr = 0;

	for (i = 0; i < WORD_NR; i++) {
		attach(owner, place_of(&words[i]));
		attach(owner, place_of(&words[i]));
		words[i] = UNTOLD;
	}
	expect_after_vfork(UNTOLD, KTRACE_THREAD_ASKS);
	for (i = 0; i < WORD_NR; i++)
		nr += words[i] == KTRACE_THREAD_ASKS;
	EXPECT_EQ(nr, TOLD_MAX);
}

int main(int argc, char **argv)
{
	static const struct dev_test tests[] = {
		{ "told", told },
		{ "threads", threads },
		{ "after_fork", after_fork },
		{ "given_away", given_away },
		{ "not_any_more", not_any_more },
		{ "filtered", filtered },
		{ "odd_places", odd_places },
		{ "many_places", many_places },
	};

	return dev_main(argc, argv, tests, NELEM(tests));
}
