// SPDX-License-Identifier: GPL-2.0
/*
 * writer.c - what an event costs, beside what reading the clock costs
 *
 *   writer [repetitions]
 *
 * In one run, repetition by repetition, so that all see the same machine:
 *
 *   clock		rdtsc
 *   clock + store	rdtsc, plain store of a 32-byte record into a private ring
 *   rseq		ktrace(), 16 bytes of payload, per-CPU ring
 *   thread ring	the same, by a thread whose rseq registration was taken away
 *   disabled		the same, switched off
 *
 * with one thread, then with as many as there are CPUs at the same time. Between two
 * measurements everything is declared read, without being looked at, so that no reader's
 * cache misses are measured; a measurement fits into the ring, opening blocks as usual.
 * Prints samples as bench/run wants them.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ktrace/ktrace.h>
#include <ktrace/session.h>

#if !defined(__x86_64__)
int main(void)
{
	puts("writer: measures the x86-64 writer only");
	return 0;
}
#else

KTRACE_EVENT(bench, on, ktrace_u64(a), ktrace_u64(b));
KTRACE_EVENT(bench, off, ktrace_u64(a), ktrace_u64(b));

/* Less than a ring can take. */
#define BATCH 20000
#define THREAD_NR 64
#define REPETITION_NR 1000
#define RING_SIZE (1u << 20)

struct plain_record {
	uint64_t ts, header, a, b;
};

struct plain_ring {
	struct plain_record *data;
	uint64_t head;
};

static double ns_per_tick;
static struct ktrace_control *channel;

static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void run_clock(struct plain_ring *ring)
{
	uint64_t i, sum = 0;

	for (i = 0; i < BATCH; i++) {
		sum += __builtin_ia32_rdtsc();
		__asm__ __volatile__("" : "+r" (sum));
	}
	ring->data[0].a = sum;
}

static void run_store(struct plain_ring *ring)
{
	uint64_t i;

	for (i = 0; i < BATCH; i++) {
		struct plain_record *r = &ring->data[ring->head % RING_SIZE / sizeof(*r)];

		r->ts = __builtin_ia32_rdtsc();
		r->header = 42;
		r->a = i;
		r->b = i + 1;
		__asm__ __volatile__("" : : : "memory");
		ring->head += sizeof(*r);
		__asm__ __volatile__("" : : : "memory");
	}
}

static void run_on(struct plain_ring *ring)
{
	uint64_t i;

	(void)ring;
	for (i = 0; i < BATCH; i++)
		ktrace(bench, on, i, i + 1);
}

static void run_off(struct plain_ring *ring)
{
	uint64_t i;

	(void)ring;
	for (i = 0; i < BATCH; i++)
		ktrace(bench, off, i, i + 1);
}

/* glibc's registration: 32 bytes. The kernel then says CPU -1, and events take another way. */
static void set_rseq(int flags)
{
	extern const ptrdiff_t __rseq_offset __attribute__((weak));
	char *area;

	__asm__("movq %%fs:0, %0" : "=r" (area));
	area += __rseq_offset;
	if (syscall(SYS_rseq, area, 32, flags, 0x53053053)) {
		perror("writer: rseq");
		exit(1);
	}
}

static const struct phase {
	const char *name;
	void (*run)(struct plain_ring *ring);
	int without_rseq;
} phases[] = {
	{ "clock", run_clock, 0 },
	{ "clock+store", run_store, 0 },
	{ "rseq", run_on, 0 },
	{ "thread-ring", run_on, 1 },
	{ "disabled", run_off, 0 },
};

#define PHASE_NR (sizeof(phases) / sizeof(phases[0]))

struct worker {
	pthread_t thread;
	unsigned int index, repetitions;
	double ns[PHASE_NR][REPETITION_NR];
};

static struct worker workers[THREAD_NR];
static pthread_barrier_t barrier;

/* What a daemon's reader does to writers when it keeps up. */
static void consume_all(void)
{
	char *map = (char *)channel;
	struct ktrace_tail *tail = (struct ktrace_tail *)(map + channel->tail_off);
	struct ktrace_ring *ring;
	uint32_t i;

	for (i = 0; i < channel->ring_nr; i++) {
		ring = (struct ktrace_ring *)(i < channel->cpu_nr ?
			map + channel->rings_off + i * channel->ring_stride :
			map + channel->threads_off +
			(i - channel->cpu_nr) * channel->thread_stride);
		tail[i].tail = ring->head;
	}
}

static void check_nothing_lost(void)
{
	struct ktrace_ring *ring;
	uint32_t i, k;

	for (i = 0; i < channel->cpu_nr; i++) {
		ring = (struct ktrace_ring *)((char *)channel + channel->rings_off +
					      i * channel->ring_stride);
		for (k = 0; k < KTRACE_LOST_NR; k++)
			if (ring->lost.count[k]) {
				fprintf(stderr, "writer: events were lost\n");
				exit(1);
			}
	}
}

static void map_channel(const char *env)
{
	struct stat st;
	int fd = open(strchr(env, ':') + 1, O_RDWR);

	if (fd >= 0 && !fstat(fd, &st))
		channel = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
			       fd, 0);
	if (!channel || channel == MAP_FAILED) {
		perror("writer: map");
		exit(1);
	}
}

static void *measure(void *arg)
{
	struct worker *w = arg;
	struct plain_ring ring = { malloc(RING_SIZE), 0 };
	unsigned int i, p;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(w->index, &cpus);
	pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
	memset(ring.data, 1, RING_SIZE);
	for (i = 0; i < w->repetitions; i++)
		for (p = 0; p < PHASE_NR; p++) {
			uint64_t begin;

			if (phases[p].without_rseq)
				set_rseq(1);
			if (pthread_barrier_wait(&barrier))
				consume_all();
			pthread_barrier_wait(&barrier);
			begin = __builtin_ia32_rdtsc();
			phases[p].run(&ring);
			w->ns[p][i] = (double)(__builtin_ia32_rdtsc() - begin) *
				      ns_per_tick / BATCH;
			if (phases[p].without_rseq)
				set_rseq(0);
		}
	free(ring.data);
	return NULL;
}

/* Of the first thread; the others keep it company. */
static void report(unsigned int threads, unsigned int repetitions)
{
	unsigned int i, p;

	for (i = 0; i < repetitions; i++)
		for (p = 0; p < PHASE_NR; p++)
			printf("writer.16B.%uthread\t%s\tns\t%.3f\n", threads, phases[p].name,
			       workers[0].ns[p][i]);
}

static void run(unsigned int threads, unsigned int repetitions)
{
	unsigned int i;

	pthread_barrier_init(&barrier, NULL, threads);
	for (i = 0; i < threads; i++) {
		workers[i].index = i;
		workers[i].repetitions = repetitions;
		pthread_create(&workers[i].thread, NULL, measure, &workers[i]);
	}
	for (i = 0; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
	check_nothing_lost();
	report(threads, repetitions);
}

static void calibrate(void)
{
	uint64_t ns = clock_ns(), ticks = __builtin_ia32_rdtsc();

	usleep(100000);
	ns_per_tick = (double)(clock_ns() - ns) / (double)(__builtin_ia32_rdtsc() - ticks);
}

/* Makes a session and runs this program again inside it. */
static int run_in_session(char **argv)
{
	const struct ktrace_session_options opts = {
		.size = sizeof(opts), .backend = KTRACE_BACKEND_SHM,
		.policy = KTRACE_POLICY_DROP, .ring_size = 1 << 20, .thread_size = 1 << 20,
		.registry_size = 65536, .block_size = 1 << 16, .thread_nr = 16,
		.filter = "bench:on",
	};
	char reason[KTRACE_REASON_SIZE];
	struct ktrace_session_info info;
	struct ktrace_session *s;
	int status = 1;

	if (ktrace_session_create(&opts, &s, reason)) {
		fprintf(stderr, "writer: %s\n", reason);
		return 1;
	}
	ktrace_session_info(s, &info);
	ktrace_session_start(s);
	if (!fork()) {
		setenv("KTRACE_SESSION", info.env, 1);
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	wait(&status);
	ktrace_session_destroy(s);
	return status != 0;
}

int main(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int repetitions = argc > 1 ? (unsigned int)atoi(argv[1]) :
				   getenv("BENCH_QUICK") ? 10 : 200;

	if (!getenv("KTRACE_SESSION"))
		return run_in_session(argv);
	map_channel(getenv("KTRACE_SESSION"));
	if (!ktrace_enabled(bench, on) || ktrace_enabled(bench, off) ||
	    repetitions < 1 || repetitions > REPETITION_NR) {
		fprintf(stderr, "writer: not in a session of its own\n");
		return 1;
	}
	calibrate();
	run(1, repetitions);
	if (cpus > 1)
		run(cpus < THREAD_NR ? (unsigned int)cpus : THREAD_NR, repetitions);
	return 0;
}

#endif
