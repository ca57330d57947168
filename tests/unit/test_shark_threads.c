// SPDX-License-Identifier: GPL-2.0
/*
 * test_shark_threads.c - threads and signal handlers log while all else is called: nothing is
 * lost but what is counted
 *
 * Writers log numbered events; another thread interrupts them with signals whose handler logs,
 * too. Meanwhile chunks are made, selected, linked, sent, compressed, deleted. Chunks become
 * FREE only by being sent, so each event is in one file, or has been counted with its reason:
 *
 *	logged = in files + lost	and each event is in one file at most
 *
 * SHK-04, SHK-07, SHK-11, SHK-12, SHK-20, SHK-24, SHK-25; and fork() at any time.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>
#include <sys/wait.h>
#include <zstd.h>
#include <ktrace/shark.h>

#include "check.h"

#define WRITERS 3
#define CALLS 1500
#define EVENTS_MAX (1u << 20)	/* of each source */
#define BURST 60
#define CHUNKS 6
#define SLOTS_MAX 600
#define SOURCES (2 * WRITERS)	/* each writer, and its handler */
#define FREE FTRACE_CHUNK_FLAG_FREE
#define JTN FTRACE_CHUNK_FLAG_JTN
#define STOP FTRACE_CHUNK_FLAG_STOP

static const FTrace_flags modes[] = { JTN, JTN, STOP, 0 };

/* Of each source the number of events that it logged, and which were found. */
static unsigned int logged[SOURCES];
static unsigned char *found[SOURCES];
static unsigned long long nr_found, nr_other;
static int is_done;
static __thread int source;
static pthread_t writers[WRITERS];

/* The same numbers in each run; the threads see to the rest. */
static unsigned int rnd(unsigned int n)
{
	static unsigned int state = 1;

	state = state * 1664525 + 1013904223;
	return (state >> 16) % n;
}

static void log_next(int from)
{
	const unsigned int i = logged[from];

	__atomic_store_n(&logged[from], i + 1, __ATOMIC_RELAXED);
	TRACER_LOGEVENT(FTrace_EVT_user_event_0, (__u16)from, i);
}

static bool is_over(void)
{
	return __atomic_load_n(&is_done, __ATOMIC_ACQUIRE);
}

static void on_signal(int sig)
{
	(void)sig;
	if (logged[source + WRITERS] < EVENTS_MAX)
		log_next(source + WRITERS);
}

/* All threads give way at times: however few CPUs there are, none is waited for long. */
static void give_way(void)
{
	const struct timespec nap = { .tv_nsec = 20000 };

	nanosleep(&nap, NULL);
}

static void set_signal(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	CHECK_EQ(pthread_sigmask(how, &set, NULL), 0);
}

static void *write_events(void *arg)
{
	source = (int)(size_t)arg;
	set_signal(SIG_UNBLOCK);	/* The handler asks for the source. */
	while (!is_over()) {
		for (int i = 0; i < BURST && logged[source] < EVENTS_MAX; i++)
			log_next(source);
		give_way();
	}
	return NULL;
}

static void *interrupt(void *arg)
{
	(void)arg;
	for (int i = 0; !is_over(); i++) {
		pthread_kill(writers[i % WRITERS], SIGUSR1);
		give_way();
	}
	return NULL;
}

/* Everything that only looks. BUSY in between: what comes then is counted. */
static void *look(void *arg)
{
	static struct ktrace_shark_event events[SLOTS_MAX];
	FTrace_flags flags;

	(void)arg;
	for (int i = 0; !is_over(); i++) {
		FTrace_Chunk_Ptr *table = FTrace_get_chunk_table();

		for (int n = 0; n < CHUNKS; n++)
			CHECK(!table[n] || table[n]->number == (unsigned int)n);
		FTrace_get_chunk_flags(i % CHUNKS, &flags);
		FTrace_get_first_chunk(FREE);
		FTrace_lost((enum ktrace_shark_lost)(i % KTRACE_SHARK_LOST_NR));
		if (i % 8 == 0)
			CHECK(FTrace_chunk_read(i / 8 % CHUNKS, events, SLOTS_MAX) <= SLOTS_MAX);
		give_way();
	}
	return NULL;
}

static void account(const struct ktrace_shark_event *events, size_t nr)
{
	unsigned int next[SOURCES] = { 0 };
	__u64 last = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct ktrace_shark_event *e = &events[i];
		const __u64 now = (__u64)e->tsc_high << 32 | e->tsc_low;

		CHECK(now >= last);
		last = now;
		if (e->code != FTrace_EVT_user_event_0) {
			CHECK((e->code & 0xff) >= FTrace_filter_trace_Events);
			nr_other++;
			continue;
		}
		CHECK(e->par1 < SOURCES && e->par2 < EVENTS_MAX);
		CHECK(e->par2 >= next[e->par1]);
		next[e->par1] = e->par2 + 1;
		CHECK(!found[e->par1][e->par2]++);
		nr_found++;
	}
}

/* A file that send has left: events, or frames of them. */
static void collect(int n)
{
	static struct ktrace_shark_event events[SLOTS_MAX];
	static char bytes[2 * sizeof(events)];
	char name[32];
	ssize_t size;
	int fd;

	snprintf(name, sizeof(name), "%dsent", n);
	fd = open(name, O_RDONLY);
	CHECK(fd >= 0);
	size = read(fd, bytes, sizeof(bytes));
	close(fd);
	unlink(name);
	CHECK(size >= 0 && (size_t)size < sizeof(bytes));
	if (size >= 4 && !memcmp(bytes, "\x28\xb5\x2f\xfd", 4)) {
		size = (ssize_t)ZSTD_decompress(events, sizeof(events), bytes, (size_t)size);
		CHECK(!ZSTD_isError((size_t)size));
	} else {
		memcpy(events, bytes, (size_t)size);
	}
	CHECK(size % 16 == 0);
	account(events, (size_t)size / 16);
}

/* What it holds is in a file, and it is FREE, but for what writers do in the meantime. */
static bool is_away(int n)
{
	FTrace_flags flags;

	return !FTrace_get_chunk_flags(n, &flags) && flags & FREE;
}

static bool send_away(int n)
{
	if (!is_away(n)) {
		if (FTrace_send_chunk(n, 0, FREE | modes[rnd(4)]))
			return false;
		collect(n);
	}
	return true;
}

static unsigned long long nr_filters;

static void call_something(void)
{
	const int n = (int)rnd(CHUNKS);

	switch (rnd(12)) {
	case 0:
		FTrace_chunk_create(16 * (1 + (int)rnd(300)), 16 * (int)rnd(3),
				    FREE | modes[rnd(4)]);
		break;
	case 1:
		if (send_away(n))
			FTrace_chunk_delete(n);
		break;
	case 2:
		if (!is_away(n))
			FTrace_compress_chunk(n, modes[rnd(4)]);
		break;
	case 3:
		FTrace_set_filter(FTrace_filter_trace_Events | (__u8)rnd(9), (int)rnd(2));
		nr_filters++;
		break;
	case 4:
		if (!is_away(n))
			FTrace_set_chunk_flags(n, modes[rnd(4)]);
		break;
	case 5:
		FTrace_enable();
		TRACER_LOGEVENT(FTrace_EVT_next_chunk, 0, 0);
		break;
	case 6:
	case 7:
		FTrace_chunk_link(n, (int)rnd(CHUNKS));
		break;
	case 8:
	case 9:
		send_away(n);
		break;
	default:
		FTrace_actual_chunk_select(n);
	}
}

/* Some events later, unless all have been logged. */
static void let_them_log(void)
{
	static unsigned int before;
	unsigned int now;

	do {
		give_way();
		now = 0;
		for (int i = 0; i < WRITERS; i++)
			now += __atomic_load_n(&logged[i], __ATOMIC_RELAXED);
	} while (now - before < BURST && now < WRITERS * EVENTS_MAX);
	before = now;
}

static void start(pthread_t *thread, void *(*run)(void *), size_t arg)
{
	CHECK_EQ(pthread_create(thread, NULL, run, (void *)arg), 0);
}

static void test_ledger(void)
{
	unsigned long long nr_logged = 0, nr_lost = 0;
	pthread_t looker, interrupter;

	for (int i = 0; i < SOURCES; i++) {
		found[i] = calloc(1, EVENTS_MAX);
		CHECK(found[i]);
	}
	for (int n = 0; n < CHUNKS; n++)
		CHECK_EQ(FTrace_chunk_create(16 * 200, 32, FREE | modes[rnd(4)]), n);
	CHECK_EQ(FTrace_actual_chunk_select(0), 0);
	CHECK_EQ(FTrace_enable(), 0);
	CHECK_EQ(FTrace_init_disk_writer("sent", 0, NULL, NULL), 0);
	for (size_t i = 0; i < WRITERS; i++)
		start(&writers[i], write_events, i);
	start(&looker, look, 0);
	start(&interrupter, interrupt, 0);
	for (int i = 0; i < CALLS; i++) {
		call_something();
		let_them_log();
	}
	__atomic_store_n(&is_done, 1, __ATOMIC_RELEASE);
	pthread_join(interrupter, NULL);
	pthread_join(looker, NULL);
	for (int i = 0; i < WRITERS; i++)
		pthread_join(writers[i], NULL);
	for (int n = 0; n < KTRACE_SHARK_CHUNK_NR; n++)
		if (FTrace_get_chunk_table()[n])
			CHECK(send_away(n));
	for (int i = 0; i < SOURCES; i++)
		nr_logged += logged[i];
	for (int i = 0; i < KTRACE_SHARK_LOST_NR; i++)
		nr_lost += FTrace_lost((enum ktrace_shark_lost)i);
	printf("%llu logged, %llu filters; %llu and %llu in files, lost %llu\n", nr_logged,
	       nr_filters, nr_found, nr_other, nr_lost);
	CHECK_EQ(nr_logged + nr_filters, nr_found + nr_other + nr_lost);
	CHECK(nr_found);
}

/* ThreadSanitizer does not follow a process with several threads into its child. */
#ifndef __SANITIZE_THREAD__
/* A child finds chunks between two events, whatever other threads were doing. */
static void test_fork(void)
{
	pthread_t looker;
	int status;

	is_done = 0;
	memset(logged, 0, sizeof(logged));
	FTrace_actual_chunk_select(FTrace_chunk_create(1600, 0, FREE));
	for (size_t i = 0; i < WRITERS; i++)
		start(&writers[i], write_events, i);
	start(&looker, look, 0);
	for (int i = 0; i < 40; i++) {
		pid_t pid = fork();
		int n;

		CHECK(pid >= 0);
		if (!pid) {
			n = FTrace_chunk_create(160, 0, FREE);
			CHECK(n >= 0);
			CHECK_EQ(FTrace_get_first_chunk(FTRACE_CHUNK_FLAG_BUSY), -1);
			CHECK_EQ(FTrace_actual_chunk_select(n), 0);
			TRACER_LOGEVENT(FTrace_EVT_user_event_1, 1, 2);
			CHECK_EQ(FTrace_chunk_read(n, NULL, 0), 1);
			/* No end as others have: a checker would look for what the threads had. */
			execlp("true", "true", NULL);
			_exit(1);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(status, 0);
	}
	__atomic_store_n(&is_done, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < WRITERS; i++)
		pthread_join(writers[i], NULL);
	pthread_join(looker, NULL);
}

#else
static void test_fork(void)
{
}
#endif

int main(void)
{
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	char folder[] = "/dev/shm/test_shark.XXXXXX";

	CHECK(mkdtemp(folder) && !chdir(folder));
	CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	set_signal(SIG_BLOCK);
	test_ledger();
	test_fork();
	CHECK_EQ(rmdir(folder), 0);
	for (int i = 0; i < SOURCES; i++)
		free(found[i]);
	return 0;
}
