// SPDX-License-Identifier: GPL-2.0
/*
 * detector.c - does anybody change registers, memory or files of a program?
 *
 *   detector SECONDS FILE [DAMAGE]
 *
 * Processes of several kinds have known contents and compare: registers under signals, faults and
 * preemption (detector.h); restartable sequences; a heap and fresh pages; pages that a fork shares;
 * a copy of FILE, mapped and read. Handlers and loops record events, so that they are also
 * interrupted in libktrace when the program is recorded. Each kind prints its number of rounds.
 *
 * DAMAGE: general, flags, control, vector, sequence, heap, fresh, shared, file: is changed once on
 * purpose. Status 0: nothing was changed; 1: something was, and is printed; 2: not tried.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <ktrace/ktrace.h>

#include "detector.h"

KTRACE_EVENT(detector, signal, ktrace_u64(number));
KTRACE_EVENT(detector, round, ktrace_string(kind), ktrace_u64(number));

#define SHOWN_MAX 10

static time_t end_at;
static const char *damage = "";
static const char *kind;
static unsigned int found;
static volatile bool was_damaged;
static uint64_t seed = 88172645463325252ull;

static uint64_t next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static bool is_over(long round)
{
	ktrace(detector, round, kind, (uint64_t)round);
	return time(NULL) >= end_at;
}

/* True once, if @what is to be damaged. */
static bool damages(const char *what)
{
	if (was_damaged || strcmp(damage, what))
		return false;
	was_damaged = true;
	return true;
}

static void differs(const char *what, long at, uint64_t got, uint64_t want)
{
	if (found++ < SHOWN_MAX)
		printf("CHANGED %s %ld: %#llx, not %#llx (process %d, CPU %d)\n", what, at,
		       (unsigned long long)got, (unsigned long long)want, getpid(),
		       sched_getcpu());
}

static void compare(const char *what, long at, uint64_t got, uint64_t want)
{
	if (got != want)
		differs(what, at, got, want);
}

/* Registers */

static struct registers in, out;
static volatile uint64_t signals;

static void on_timer(int sig, siginfo_t *info, void *context)
{
	const uintptr_t at = interrupted_at(context);
	static const struct {
		const char *what;
		void (*change)(ucontext_t *uc);
	} changes[] = {
		{ "general", damage_general }, { "flags", damage_flags },
		{ "control", damage_control }, { "vector", damage_vector },
	};

	(void)sig;
	(void)info;
	ktrace(detector, signal, signals);
	signals++;
	madvise((void *)(uintptr_t)held_page, 4096, MADV_DONTNEED);
	if (at <= (uintptr_t)hold || at >= (uintptr_t)hold_end || held_spins < 100)
		return;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		if (held_spins < in.spins && damages(changes[i].what))
			changes[i].change(context);
}

static void compare_registers(void)
{
	unsigned int i, j;

	for (i = 0; i < GENERAL_NR; i++)
		compare("general", i, out.general[i], in.general[i]);
	compare("flags", 0, out.flags & FLAGS_MASK, FLAGS_WANTED);
	compare("control", 0, out.control & CONTROL_MASK, in.control & CONTROL_MASK);
	for (i = 0; i < vector_nr; i++)
		for (j = 0; j < vector_size; j += 8)
			compare("vector", i * 100 + j, *(uint64_t *)&out.vector[i][j],
				*(uint64_t *)&in.vector[i][j]);
}

static long check_registers(void)
{
	struct sigaction action = { .sa_sigaction = on_timer, .sa_flags = SA_RESTART | SA_SIGINFO };
	const struct itimerval often = { { 0, 3000 }, { 0, 3000 } };
	uint64_t *words = (uint64_t *)&in;
	long round;
	size_t i;

	held_page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (round = 0; !is_over(round); round++) {
		for (i = 0; i < sizeof(in) / 8; i++)
			words[i] = next();
		in.control = controls[round % CONTROL_NR];
		in.spins = 20000 + next() % 60000;
		memset(&out, 0x5a, sizeof(out));
		hold(&in, &out);
		__asm__ volatile("" ::: "memory");
		arch_reset_control();
		compare_registers();
	}
	printf("registers of %u bytes: %ld rounds, %llu signals\n", vector_size, round,
	       (unsigned long long)signals);
	return round;
}

/* Restartable sequences: each thread adds to the counter of its CPU, and to one of its own. */

#if defined(ARCH_ADD_HERE) && defined(__GLIBC__)

#define CPU_NR 4096
#define ADDER_NR 3

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

static struct {
	uint64_t count;
} __attribute__((aligned(64))) of_cpu[CPU_NR];

/* Adds 1 to a CPU's counter, @spins rounds later; false: interrupted, nothing was done. */
static bool add_here(char *rseq, uint64_t spins)
{
	ARCH_ADD_HERE(rseq, of_cpu, spins, aborted);
	return true;
aborted:
	return false;
}

static uint64_t added[ADDER_NR], aborts[ADDER_NR];

static void *add(void *arg)
{
	const size_t nr = (size_t)arg;
	char *rseq = (char *)__builtin_thread_pointer() + __rseq_offset;

	for (long round = 0; !is_over(round); round++)
		for (int i = 0; i < 1000; i++) {
			if (add_here(rseq, 100 + i))
				added[nr]++;
			else
				aborts[nr]++;
			if (damages("sequence"))
				of_cpu[0].count++;
		}
	return NULL;
}

static long check_sequences(void)
{
	uint64_t sum = 0, total = 0, aborted = 0;
	pthread_t thread[ADDER_NR];
	size_t i;

	if (!&__rseq_size || !__rseq_size)
		return 1;
	for (i = 0; i < ADDER_NR; i++)
		if (pthread_create(&thread[i], NULL, add, (void *)i))
			exit(2);
	for (i = 0; i < ADDER_NR; i++) {
		pthread_join(thread[i], NULL);
		total += added[i];
		aborted += aborts[i];
	}
	for (i = 0; i < CPU_NR; i++)
		sum += of_cpu[i].count;
	compare("sequence", 0, sum, total);
	printf("sequences: %llu, %llu aborted\n", (unsigned long long)total,
	       (unsigned long long)aborted);
	return (long)total;
}

#else

static long check_sequences(void)
{
	return strcmp(damage, "sequence") ? 1 : 0;
}

#endif

/* Heap and fresh pages: every word of every block is known, pages come and go. */

#define BLOCK_NR 24
#define WORD_NR ((1 << 20) / 8)

static uint64_t word_of(uint64_t key, size_t i)
{
	return key ^ i * 0x9e3779b97f4a7c15ull;
}

static uint64_t *new_block(uint64_t key)
{
	uint64_t *block = mmap(NULL, WORD_NR * 8, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	if (block == MAP_FAILED)
		exit(2);
	if (damages("fresh"))
		block[17 + 512] = 1;
	for (i = 0; i < WORD_NR; i += 512)
		compare("fresh", (long)i, block[i + 17], 0);
	for (i = 0; i < WORD_NR; i++)
		block[i] = word_of(key, i);
	return block;
}

static long check_heap(void)
{
	uint64_t *block[BLOCK_NR] = { NULL }, key[BLOCK_NR];
	long round;

	for (round = 0; !is_over(round); round++) {
		const size_t b = next() % BLOCK_NR;

		if (block[b]) {
			if (damages("heap"))
				block[b][round % WORD_NR] ^= 1;
			for (size_t i = 0; i < WORD_NR; i++)
				compare("heap", (long)i, block[b][i], word_of(key[b], i));
			munmap(block[b], WORD_NR * 8);
		}
		key[b] = next();
		block[b] = new_block(key[b]);
	}
	printf("heap: %ld rounds of 1 MiB\n", round);
	return round;
}

/* Pages that a fork shares: both sides have theirs, and the child's stack. */

#define SHARED_NR 4096

static uint64_t shared[SHARED_NR], wanted[SHARED_NR];

static int in_child(long round)
{
	volatile uint64_t stack[2048];

	for (int i = 0; i < 2048; i++)
		stack[i] = word_of((uint64_t)round, (size_t)i);
	for (int i = 0; i < SHARED_NR; i += 512)
		shared[i]++;
	sched_yield();
	for (int i = 0; i < 2048; i++)
		if (stack[i] != word_of((uint64_t)round, (size_t)i))
			return 3;
	for (int i = 0; i < SHARED_NR; i++)
		if (shared[i] != wanted[i] + (i % 512 == 0))
			return 4;
	return 0;
}

static long check_shared(void)
{
	int status;
	long round;

	for (int i = 0; i < SHARED_NR; i++)
		shared[i] = wanted[i] = next();
	for (round = 0; !is_over(round); round++) {
		const pid_t pid = fork();

		if (!pid)
			_exit(in_child(round));
		if (damages("shared"))
			shared[7] ^= 1;
		if (waitpid(pid, &status, 0) != pid)
			exit(2);
		compare("child", round, (uint64_t)status, 0);
		for (int i = 0; i < SHARED_NR; i++)
			compare("shared", i, shared[i], wanted[i]);
	}
	printf("forks: %ld\n", round);
	return round;
}

/* A file: what is mapped, what is read, and a copy in memory. */

#define FILE_SIZE (1 << 20)

static long check_file(const char *name)
{
	static uint64_t copy[FILE_SIZE / 8], again[FILE_SIZE / 8];
	char path[] = "detector.XXXXXX";
	int from = open(name, O_RDONLY), fd = mkstemp(path);
	const uint64_t *map;
	long round;

	if (from < 0 || fd < 0 || read(from, copy, FILE_SIZE) < 4096)
		exit(2);
	unlink(path);
	if (pwrite(fd, copy, FILE_SIZE, 0) != FILE_SIZE)
		exit(2);
	map = mmap(NULL, FILE_SIZE, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		exit(2);
	for (round = 0; !is_over(round); round++) {
		if (round == 1 && damages("file") && pwrite(fd, "x", 1, 4096 * 9 + 5) != 1)
			exit(2);
		if (pread(fd, again, FILE_SIZE, 0) != FILE_SIZE)
			exit(2);
		for (size_t i = 0; i < FILE_SIZE / 8; i++) {
			compare("file mapped", (long)i, map[i], copy[i]);
			compare("file read", (long)i, again[i], copy[i]);
		}
	}
	printf("file: %ld rounds of 1 MiB\n", round);
	return round;
}

static int run(int nr, const char *file)
{
	static const char *const kinds[] = { "registers", "registers", "sequences", "heap",
					     "shared", "file" };
	long rounds = 0;

	kind = kinds[nr];
	seed ^= (uint64_t)(nr + 1) * 0x123456789abcdefull;
	switch (nr) {
	case 0:
	case 1:
		rounds = check_registers();
		break;
	case 2:
		rounds = check_sequences();
		break;
	case 3:
		rounds = check_heap();
		break;
	case 4:
		rounds = check_shared();
		break;
	case 5:
		rounds = check_file(file);
		break;
	}
	fflush(stdout);
	return found ? 1 : rounds ? 0 : 2;
}

int main(int argc, char **argv)
{
	int status, worst = 0;

	if (argc < 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	end_at = time(NULL) + atoi(argv[1]);
	damage = argc > 3 ? argv[3] : "";
	choose_registers();
	for (int i = 0; i < 6; i++)
		if (!fork())
			_exit(run(i, argv[2]));
	for (int i = 0; i < 6; i++) {
		if (wait(&status) < 0)
			return 2;
		if (!WIFEXITED(status))
			printf("CHANGED: a process ended with %#x\n", (unsigned int)status);
		status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
		if (status == 1 || (status && !worst))
			worst = status;
	}
	printf("detector: %s\n", worst ? "something is wrong" : "nothing was changed");
	return worst;
}
