// SPDX-License-Identifier: GPL-2.0
/*
 * event_cost.c - what an event costs the program, beside what one would take instead
 *
 *   event_cost [-b shm|dev] [-p PREFIX] [-n REPETITIONS] [-s]
 *     -b  where the session's rings are (shm)
 *     -p  first part of the figures' names (writer)
 *     -n  repetitions
 *     -s  short: only the tight loop with 16 bytes
 *
 * Makes a session and runs itself inside it. In one run, repetition by repetition, all
 * variants are measured in each surrounding. Between two measurements the parent declares
 * everything read, without looking at it, so that no reader's cache misses are measured; a
 * measurement fits into a ring, opening blocks as usual. Nothing may be lost.
 *
 * LTTng-UST takes part if lttng_events.so lies beside the program and there is a session
 * that wants its events.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/rseq.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "../lttng/lttng_events.h"
#include "chunk.h"
#include "owner.h"
#include "posix.h"

#define THREAD_MAX 16
#define BATCH_MAX 20000u
#define SINGLE_NR 5000u
#define COLD_NR 64u
#define WORK_NR 2000u

/* struct variant - who is measured; @without_rseq: by a thread that has lost its rseq */
struct variant {
	const char *name;
	const struct event_loops *const *payload;
	bool without_rseq;
};

static struct variant variants[] = {
	{ "clock+store", variant_store, false },
	{ "ktrace", variant_ktrace, false },
	{ "ktrace-thread-ring", variant_ktrace, true },
	{ "lttng-ust", NULL, false },
	{ "lttng-ust+vtid", NULL, false },
	{ "clock_gettime+memcpy", variant_memcpy, false },
	{ "fprintf", variant_fprintf, false },
	{ "pipe", variant_pipe, false },
};

#define LTTNG 3		/* the first of two */
#define VARIANT_NR (sizeof(variants) / sizeof(variants[0]))

static const unsigned int payload_size[PAYLOAD_NR] = { 0, 8, 16, 64, LARGE, 16 };

static const char *prefix = "writer";
static const struct lttng_events *lttng;
static double ns_per_tick;

/* A measurement: what is done, by how many threads, and what each of them found. */
static struct {
	void (*run)(struct event_thread *t, uint64_t n);
	uint64_t n;
	bool without_rseq;
	bool is_over;
	unsigned int thread_nr;
	uint64_t begin;
	pthread_barrier_t barrier;
	struct event_thread thread[THREAD_MAX];
	double ns[THREAD_MAX];
} job;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* glibc's registration: 32 bytes. The kernel then says CPU -1, and events take another way. */
static void set_rseq(int flags)
{
	char *area = (char *)__builtin_thread_pointer() + __rseq_offset;

	if (syscall(SYS_rseq, area, 32, flags, RSEQ_SIG))
		die("event_cost: rseq");
}

static void pin(unsigned int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
}

static void *memory(size_t size)
{
	void *p = malloc(size);

	if (!p)
		die("event_cost");
	memset(p, 1, size);
	return p;
}

static void thread_init(struct event_thread *t)
{
	const char *tmp = getenv("TMPDIR");
	char path[4096];
	int fd;

	t->ring[0].data = memory(RING_SIZE + 2 * LARGE);
	t->ring[1].data = memory(RING_SIZE + 2 * LARGE);
	t->work = memory(WORK_WORDS * sizeof(*t->work));
	t->evict = memory(EVICT_SIZE);
	memset(t->bytes, 'x', sizeof(t->bytes));
	strcpy(t->text, "fifteen letters");
	snprintf(path, sizeof(path), "%s/event_cost.XXXXXX", tmp ? tmp : "/tmp");
	fd = mkstemp(path);
	if (fd < 0 || unlink(path) || pipe2(t->pipe, O_NONBLOCK) ||
	    fcntl(t->pipe[1], F_SETPIPE_SZ, 1 << 20) < 0)
		die("event_cost: files");
	t->file = fdopen(fd, "w");
}

/* Empties what has been filled. */
static void thread_reset(struct event_thread *t)
{
	char buffer[65536];

	while (read(t->pipe[0], buffer, sizeof(buffer)) > 0)
		;
	rewind(t->file);
	if (ftruncate(fileno(t->file), 0))
		die("event_cost: file");
}

static void wait_until(uint64_t begin)
{
	while ((int64_t)(event_ticks() - begin) < 0)
		;
}

static void take_part(unsigned int index)
{
	uint64_t begin;

	if (job.without_rseq)
		set_rseq(1);
	wait_until(job.begin);
	begin = event_ticks();
	job.run(&job.thread[index], job.n);
	job.ns[index] = (double)(event_ticks() - begin) * ns_per_tick / (double)job.n;
	if (job.without_rseq)
		set_rseq(0);
}

static void *helper(void *arg)
{
	const unsigned int index = (unsigned int)(uintptr_t)arg;

	pin(index);
	for (;;) {
		pthread_barrier_wait(&job.barrier);
		if (job.is_over)
			return NULL;
		take_part(index);
		pthread_barrier_wait(&job.barrier);
	}
}

static void run_once(bool with_helpers)
{
	unsigned int i;

	owner_consume();
	for (i = 0; i < job.thread_nr; i++)
		thread_reset(&job.thread[i]);
	job.begin = event_ticks() + (with_helpers ? (uint64_t)(100000 / ns_per_tick) : 0);
	if (with_helpers)
		pthread_barrier_wait(&job.barrier);
	take_part(0);
	if (with_helpers)
		pthread_barrier_wait(&job.barrier);
}

static void prepare(void (*run)(struct event_thread *, uint64_t), uint64_t n, bool without_rseq)
{
	job.run = run;
	job.n = n;
	job.without_rseq = without_rseq;
}

/* The first round brings code and ring into the caches: the others have had them. */
static void measure(void (*run)(struct event_thread *, uint64_t), uint64_t n, bool without_rseq,
		    bool with_helpers)
{
	prepare(run, n, without_rseq);
	run_once(with_helpers);
	run_once(with_helpers);
	run_once(with_helpers);
}

static void print(const char *figure, const char *variant, const char *unit, double value)
{
	printf("%s.%s\t%s\t%s\t%.3f\n", prefix, figure, variant, unit, value);
}

static void print_x(const char *figure, const char *variant, double value, unsigned int x)
{
	printf("%s.%s\t%s\tns\t%.3f\t%u\n", prefix, figure, variant, value, x);
}

/* Events of one measurement: they fit into a ring, and into the pipe. */
static uint64_t batch(enum payload p)
{
	const unsigned int fit = (RING_SIZE / 2) / (payload_size[p] + 24);

	return fit < BATCH_MAX ? fit : BATCH_MAX;
}

static void tight(const struct variant *v, enum payload p)
{
	if (!v->payload || !v->payload[p])
		return;
	measure(v->payload[p]->tight, batch(p), v->without_rseq, false);
	if (p == PAYLOAD_STRING)
		print("string", v->name, "ns", job.ns[0]);
	else
		print_x("payload", v->name, job.ns[0], payload_size[p]);
}

/* All CPUs at once, and in relation to one alone, measured just before. */
static void threads(const struct variant *v)
{
	const struct event_loops *l = v->payload[PAYLOAD_16];
	double alone, rate = 0;
	char figure[64];
	unsigned int i;

	if (job.thread_nr < 2)
		return;
	measure(l->tight, batch(PAYLOAD_16), v->without_rseq, false);
	alone = 1 / job.ns[0];
	measure(l->tight, batch(PAYLOAD_16), v->without_rseq, true);
	for (i = 0; i < job.thread_nr; i++)
		rate += 1 / job.ns[i];
	snprintf(figure, sizeof(figure), "16B.%uthreads", job.thread_nr);
	print(figure, v->name, "ns", job.thread_nr / rate);
	snprintf(figure, sizeof(figure), "scaling.%uthreads", job.thread_nr);
	print(figure, v->name, "of-N", rate / (alone * job.thread_nr));
}

/* What @l adds to an application's work; the least of several attempts. */
static double added(const struct event_loops *l, bool without_rseq)
{
	double with = 1e9, without = 1e9;
	unsigned int i;

	for (i = 0; i < 5; i++) {
		prepare(nothing_loops.work, WORK_NR, false);
		run_once(false);
		without = job.ns[0] < without ? job.ns[0] : without;
		prepare(l->work, WORK_NR, without_rseq);
		run_once(false);
		with = job.ns[0] < with ? job.ns[0] : with;
	}
	return with - without;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Timed one by one. The clock, read twice, is part of it. */
static void single(const char *name, const struct event_loops *l, bool without_rseq)
{
	static uint64_t ticks[SINGLE_NR];

	measure(l->tight, BATCH_MAX / 10, without_rseq, false);
	owner_consume();
	thread_reset(&job.thread[0]);
	if (without_rseq)
		set_rseq(1);
	l->timed(&job.thread[0], SINGLE_NR, ticks);
	qsort(ticks, SINGLE_NR, sizeof(ticks[0]), compare);
	print("single.p50", name, "ns", (double)ticks[SINGLE_NR / 2] * ns_per_tick);
	print("single.p99", name, "ns", (double)ticks[SINGLE_NR / 100 * 99] * ns_per_tick);
	print("single.p99.9", name, "ns",
	      (double)ticks[SINGLE_NR / 1000 * 999] * ns_per_tick);
	l->cold(&job.thread[0], COLD_NR, ticks);
	qsort(ticks, COLD_NR, sizeof(ticks[0]), compare);
	print("cold", name, "ns", (double)ticks[COLD_NR / 2] * ns_per_tick);
	if (without_rseq)
		set_rseq(0);
}

static void off(void)
{
	const struct { const char *figure, *name; const struct event_loops *l; } rows[] = {
		{ "disabled", "loop", &nothing_loops },
		{ "disabled", "ktrace", &none_loops },
		{ "disabled", "lttng-ust", lttng ? lttng->off : NULL },
		{ "filtered", "ktrace", &off_loops },
		{ "filtered", "lttng-ust", lttng ? lttng->filtered : NULL },
	};
	char figure[64];
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!rows[i].l)
			continue;
		measure(rows[i].l->tight, BATCH_MAX, false, false);
		print(rows[i].figure, rows[i].name, "ns", job.ns[0]);
		snprintf(figure, sizeof(figure), "%s.in-work", rows[i].figure);
		if (rows[i].l != &nothing_loops)
			print(figure, rows[i].name, "ns", added(rows[i].l, false));
	}
}

static void chunk(void)
{
	static const char *const figures[] = { "chunk", "suppressed" };
	unsigned int i;

	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		if (!chunk_begin(i)) {
			fprintf(stderr, "event_cost: there can be no chunk\n");
			exit(1);
		}
		measure(chunk_loops.tight, BATCH_MAX, false, false);
		print(figures[i], "ktrace", "ns", job.ns[0]);
	}
	chunk_end();
}

/* Beside the event of ktrace's own, measured just before. */
static void posix_beside(const char *figure)
{
	const uint64_t n = batch(PAYLOAD_64);

	measure(variant_ktrace[PAYLOAD_16]->tight, n, false, false);
	print(figure, "ktrace", "ns", job.ns[0]);
	measure(posix_loops.tight, n, false, false);
	print(figure, "posix_trace_event", "ns", job.ns[0]);
}

static void posix(void)
{
	if (!posix_begin()) {
		fprintf(stderr, "event_cost: there can be no POSIX stream\n");
		exit(1);
	}
	posix_beside("posix");
	if (!posix_share())
		die("event_cost: thread");
	posix_beside("posix.shared");
	posix_end();
	measure(none_loops.tight, BATCH_MAX, false, false);
	print("posix.disabled", "ktrace", "ns", job.ns[0]);
	measure(posix_loops.tight, BATCH_MAX, false, false);
	print("posix.disabled", "posix_trace_event", "ns", job.ns[0]);
}

static void repetition(bool is_short)
{
	unsigned int i, p;

	posix();
	for (p = 0; p < PAYLOAD_NR; p++)
		for (i = 0; i < VARIANT_NR; i++)
			if (!is_short || p == PAYLOAD_16)
				tight(&variants[i], p);
	off();
	chunk();
	if (is_short)
		return;
	for (i = 0; i < VARIANT_NR; i++)
		if (variants[i].payload)
			threads(&variants[i]);
	for (i = 0; i < VARIANT_NR; i++)
		if (variants[i].payload)
			print("in-work", variants[i].name, "ns",
			      added(variants[i].payload[PAYLOAD_16],
				    variants[i].without_rseq));
	single("clock", &clock_loops, false);
	for (i = 0; i < VARIANT_NR; i++)
		if (variants[i].payload)
			single(variants[i].name, variants[i].payload[PAYLOAD_16],
			       variants[i].without_rseq);
}

static void find_lttng(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 32);
	void *object;

	path[n < 0 ? 0 : n] = '\0';
	strcpy(strrchr(path, '/') + 1, "lttng_events.so");
	object = getenv("BENCH_LTTNG") ? dlopen(path, RTLD_NOW) : NULL;
	lttng = object ? dlsym(object, "lttng_events") : NULL;
	if (lttng && !lttng->are_enabled()) {
		fprintf(stderr, "event_cost: the LTTng session does not have our events on\n");
		exit(1);
	}
	if (lttng) {
		variants[LTTNG].payload = lttng->payload;
		variants[LTTNG + 1].payload = lttng->vtid;
	}
}

static void calibrate(void)
{
	struct timespec a, b;
	uint64_t ticks;

	clock_gettime(CLOCK_MONOTONIC, &a);
	ticks = event_ticks();
	usleep(100000);
	clock_gettime(CLOCK_MONOTONIC, &b);
	ns_per_tick = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) /
		      (double)(event_ticks() - ticks);
}

static int measure_all(unsigned int repetitions, bool is_short)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t thread[THREAD_MAX];
	unsigned int i;

	if (!variants_are_ready()) {
		fprintf(stderr, "event_cost: not in a session of its own\n");
		return 1;
	}
	calibrate();
	job.thread_nr = is_short ? 1 : cpus < THREAD_MAX ? (unsigned int)cpus : THREAD_MAX;
	for (i = 0; i < job.thread_nr; i++)
		thread_init(&job.thread[i]);
	find_lttng();
	pin(0);
	pthread_barrier_init(&job.barrier, NULL, job.thread_nr);
	for (i = 1; i < job.thread_nr; i++)
		pthread_create(&thread[i], NULL, helper, (void *)(uintptr_t)i);
	for (i = 0; i < repetitions; i++)
		repetition(is_short);
	job.is_over = true;
	pthread_barrier_wait(&job.barrier);
	for (i = 1; i < job.thread_nr; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int repetitions = getenv("BENCH_QUICK") ? 2 : 50;
	int backend = KTRACE_BACKEND_SHM, option;
	bool is_short = false;

	while ((option = getopt(argc, argv, "b:p:n:s")) != -1) {
		if (option == 'b')
			backend = strcmp(optarg, "dev") ? KTRACE_BACKEND_SHM : KTRACE_BACKEND_DEV;
		else if (option == 'p')
			prefix = optarg;
		else if (option == 'n')
			repetitions = (unsigned int)atoi(optarg);
		else if (option == 's')
			is_short = true;
		else
			return 2;
	}
	if (!owner_is_there())
		return owner_run(backend, RING_SIZE, "bench:e*", argv);
	return measure_all(repetitions, is_short);
}
