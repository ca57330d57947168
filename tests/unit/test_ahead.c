// SPDX-License-Identifier: GPL-2.0
/*
 * test_ahead.c - reading with a second core says the same as reading with one
 *
 * Two tracesets of the same files, one with a helper and one without, are taken through the
 * same random walk: read, seek, save and go back, look for more. Events, bytes, damages and
 * counts have to agree all the way.
 */
#include <ktrace/position.h>

#include "make_trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRACES 2u
#define STREAMS 3u
#define EVENTS 1500u
#define DAMAGES 400u
#define MANY 64

static char paths[TRACES][64];
static unsigned int seed = 6;

static unsigned int random_below(unsigned int n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

/* struct side - one of the two tracesets, and the damages that it has met */
struct side {
	struct ktrace_traceset *set;
	struct ktrace_position *place;
	struct {
		char path[64];
		__u64 offset;
		char message[96];
	} damages[DAMAGES];
	unsigned int damage_nr;
};

static struct side one, two;

static void note_damage(void *arg, const struct ktrace_damage *damage)
{
	struct side *side = arg;

	if (side->damage_nr == DAMAGES)
		return;
	snprintf(side->damages[side->damage_nr].path, 64, "%s", damage->path);
	snprintf(side->damages[side->damage_nr].message, 96, "%s", damage->message);
	side->damages[side->damage_nr++].offset = damage->offset;
}

static struct ktrace_traceset *open_set(enum ktrace_cores cores, void *arg, bool is_live)
{
	struct ktrace_traceset_options opts = { .size = sizeof(opts), .is_live = is_live,
		.cores = cores, .report = arg ? note_damage : NULL, .arg = arg };
	struct ktrace_traceset *set;
	unsigned int i;

	CHECK_EQ(ktrace_traceset_open(&opts, &set), 0);
	for (i = 0; i < TRACES; i++)
		CHECK_EQ(ktrace_traceset_add(set, paths[i]), 0);
	return set;
}

static void open_side(struct side *side, enum ktrace_cores cores, bool is_live)
{
	memset(side, 0, sizeof(*side));
	CHECK_EQ(ktrace_position_new(&side->place), 0);
	side->set = open_set(cores, side, is_live);
}

static void close_side(struct side *side)
{
	ktrace_traceset_close(side->set);
	ktrace_position_free(side->place);
}

static void open_both(bool is_live)
{
	open_side(&one, KTRACE_CORES_ONE, is_live);
	open_side(&two, KTRACE_CORES_TWO, is_live);
}

/* So far they have said the same. */
static void check_both(void)
{
	struct ktrace_traceset_stats a, b;
	unsigned int i;

	ktrace_traceset_stats(one.set, &a);
	ktrace_traceset_stats(two.set, &b);
	CHECK(!memcmp(&a, &b, sizeof(a)));
	CHECK_EQ(one.damage_nr, two.damage_nr);
	for (i = 0; i < one.damage_nr; i++) {
		CHECK_STR(one.damages[i].path, two.damages[i].path);
		CHECK_EQ(one.damages[i].offset, two.damages[i].offset);
		CHECK_STR(one.damages[i].message, two.damages[i].message);
	}
}

static void close_both(void)
{
	check_both();
	close_side(&one);
	close_side(&two);
}

static void check_same(const struct ktrace_trace_event *a, const struct ktrace_trace_event *b)
{
	CHECK_EQ(a->time, b->time);
	CHECK_EQ(a->raw, b->raw);
	CHECK_EQ(ktrace_trace_index(a->stream->trace), ktrace_trace_index(b->stream->trace));
	CHECK_EQ(a->stream->id, b->stream->id);
	CHECK_EQ(a->id, b->id);
	CHECK_EQ(a->tid, b->tid);
	CHECK_EQ(a->flags, b->flags);
	CHECK_EQ(a->len, b->len);
	CHECK(!memcmp(a->payload, b->payload, a->len));
}

/* Reads up to @max events of both. Return: how many. */
static int read_both(int max)
{
	struct ktrace_trace_event a[MANY], b[MANY];
	int i, n = ktrace_traceset_read(one.set, a, max);

	CHECK(n >= 0);
	CHECK_EQ(ktrace_traceset_read(two.set, b, max), n);
	for (i = 0; i < n; i++)
		check_same(&a[i], &b[i]);
	return n;
}

static void read_rest(void)
{
	while (read_both(1 + (int)random_below(MANY)))
		;
	check_both();
}

static void seek_both(__u64 time)
{
	CHECK_EQ(ktrace_traceset_seek(one.set, time), 0);
	CHECK_EQ(ktrace_traceset_seek(two.set, time), 0);
}

static void save_both(void)
{
	CHECK_EQ(ktrace_position_save(one.set, one.place), 0);
	CHECK_EQ(ktrace_position_save(two.set, two.place), 0);
	CHECK_EQ(ktrace_position_compare(one.place, two.place), 0);
}

static void go_back_both(void)
{
	int ret = ktrace_traceset_seek_position(one.set, one.place);

	CHECK_EQ(ktrace_traceset_seek_position(two.set, two.place), ret);
}

static void step_both(void)
{
	unsigned int i, n = random_below(60);

	switch (random_below(6)) {
	case 0:
		seek_both(random_below(3 * EVENTS));
		break;
	case 1:
		save_both();
		break;
	case 2:
		go_back_both();
		break;
	default:
		for (i = 0; i < n; i++)
			read_both(1 + (int)random_below(MANY));
		break;
	}
	check_both();
}

/* Some hundred blocks in each stream, many equal stamps, some losses */
static void make_files(void)
{
	struct maker m[STREAMS];
	unsigned int t, s, i;

	for (t = 0; t < TRACES; t++) {
		struct ktrace_tracefile *tf = make_file(paths[t], 1);
		__u64 ts = 100, lost[STREAMS] = { 0 };

		for (s = 0; s < STREAMS; s++)
			make_stream(&m[s], tf, 10 * s);
		for (i = 0; i < EVENTS * STREAMS; i++) {
			s = random_below(STREAMS);
			ts += random_below(3) ? 0 : random_below(5);
			if (!random_below(100))
				make_lost(&m[s], ts, ++lost[s], 0);
			make_event(&m[s], ts, i);
			if (!random_below(6))
				make_end_block(&m[s]);
		}
		for (s = 0; s < STREAMS; s++)
			make_end_block(&m[s]);
		CHECK_EQ(ktrace_tracefile_close(tf), 0);
	}
}

/* Changes bytes here and there behind the beginning, and may cut the end off. */
static void damage_files(void)
{
	unsigned int t, i;

	for (t = 0; t < TRACES; t++) {
		int fd = open(paths[t], O_RDWR);
		off_t size = lseek(fd, 0, SEEK_END);

		CHECK(fd >= 0 && size > 1000);
		for (i = random_below(20); i; i--) {
			unsigned char byte = (unsigned char)random_below(256);
			off_t place = 700 + (off_t)random_below((unsigned int)size - 700);

			CHECK_EQ(pwrite(fd, &byte, 1, place), 1);
		}
		if (!random_below(3))
			CHECK_EQ(ftruncate(fd, size - (off_t)random_below(2000)), 0);
		close(fd);
	}
}

static void test_walks(void)
{
	unsigned int round, i;

	for (round = 0; round < 12; round++) {
		make_storage = (enum make_storage)(round / 3 % 3);
		make_files();
		if (round % 3)
			damage_files();
		open_both(false);
		if (round % 2)
			read_rest();
		for (i = 0; i < 25; i++)
			step_both();
		seek_both(0);
		read_rest();
		close_both();
	}
}

/* A file is read while it is written; a reader that has come to its end looks for more. */
static void test_growth(void)
{
	struct ktrace_tracefile *tf = make_file(paths[0], 1), *other = make_file(paths[1], 1);
	unsigned int round, i;
	struct maker a, b;
	__u64 ts = 10;

	make_stream(&a, tf, 1);
	make_stream(&b, tf, 2);
	open_both(true);
	for (round = 0; round < 60; round++) {
		if (round == 30)
			make_stream(&b, other, 3);
		for (i = 0; i < random_below(40); i++) {
			make_event(random_below(2) ? &a : &b, ++ts, i);
			if (!random_below(3))
				make_end_block(random_below(2) ? &a : &b);
		}
		CHECK_EQ(ktrace_traceset_poll(one.set), ktrace_traceset_poll(two.set));
		if (random_below(3))
			read_rest();
		else
			step_both();
	}
	make_end_block(&a);
	make_end_block(&b);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	CHECK_EQ(ktrace_tracefile_close(other), 0);
	CHECK_EQ(ktrace_traceset_poll(one.set), ktrace_traceset_poll(two.set));
	read_rest();
	seek_both(0);
	read_rest();
	close_both();
}

/* Closed while the helper is at work, wherever it is */
static void test_early_close(void)
{
	struct ktrace_trace_event e[MANY];
	struct ktrace_traceset *set;
	unsigned int round;

	make_files();
	for (round = 0; round < 60; round++) {
		set = open_set(KTRACE_CORES_TWO, NULL, false);
		if (round % 2)
			CHECK(ktrace_traceset_read(set, e, 1 + (int)random_below(MANY)) > 0);
		if (round % 3)
			CHECK_EQ(ktrace_traceset_seek(set, random_below(2 * EVENTS)), 0);
		ktrace_traceset_close(set);
	}
}

/* The child reads on without a helper, whatever that was doing; the parent with it. */
static __attribute__((unused)) void test_fork(void)
{
	unsigned int round, i;
	int status;
	pid_t pid;

	make_files();
	for (round = 0; round < 40; round++) {
		open_both(false);
		for (i = 0; i < 1 + round / 4; i++)
			read_both(1 + (int)(round % 4));
		pid = fork();
		CHECK(pid >= 0);
		if (round % 3)
			seek_both(EVENTS);
		read_rest();
		close_both();
		if (!pid) {
			/* valgrind would complain of memory that only the helper knew. */
			execlp("true", "true", NULL);
			_exit(1);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(WIFEXITED(status));
		CHECK_EQ(WEXITSTATUS(status), 0);
	}
}

/* Helpers of this process; @blocked: signals that one of them has blocked */
static int helpers(__u64 *blocked)
{
	DIR *dir = opendir("/proc/self/task");
	char path[300], line[128];
	struct dirent *d;
	int nr = 0;

	CHECK(dir);
	while ((d = readdir(dir))) {
		bool is_helper = false;
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%s/status", d->d_name);
		file = fopen(path, "r");
		while (file && fgets(line, sizeof(line), file)) {
			is_helper |= !strcmp(line, "Name:\tktrace-ahead\n");
			if (!strncmp(line, "SigBlk:", 7) && is_helper)
				*blocked = strtoull(line + 7, NULL, 16);
		}
		if (file)
			fclose(file);
		nr += is_helper;
	}
	closedir(dir);
	return nr;
}

/* A thread that was joined may be seen for a little longer. */
static void wait_for_none(void)
{
	__u64 blocked;
	int i;

	for (i = 0; i < 30000 && helpers(&blocked); i++)
		usleep(1000);
	CHECK(i < 30000);
}

static void bind_to(const cpu_set_t *cpus)
{
	CHECK_EQ(sched_setaffinity(0, sizeof(*cpus), cpus), 0);
}

/* Reads all with such a helper. Return: how many helpers there are then. */
static int read_all(enum ktrace_cores cores)
{
	struct ktrace_traceset *set = open_set(cores, NULL, false);
	struct ktrace_trace_event e[MANY];
	__u64 blocked;
	int nr;

	while (ktrace_traceset_read(set, e, MANY) > 0)
		;
	nr = helpers(&blocked);
	ktrace_traceset_close(set);
	wait_for_none();
	return nr;
}

/* The first event of many streams is no long read. */
static void test_many_streams(void)
{
	struct ktrace_tracefile *tf = make_file(paths[0], 1);
	struct ktrace_traceset *set;
	struct ktrace_trace_event e;
	struct maker m;
	__u64 blocked;
	__u32 i;

	for (i = 0; i < 100; i++) {
		make_stream(&m, tf, i);
		make_event(&m, i, i);
		make_end_block(&m);
		make_event(&m, 1000, i);
		make_end_block(&m);
	}
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	set = open_set(KTRACE_CORES_AUTO, NULL, false);
	wait_for_none();
	CHECK_EQ(ktrace_traceset_next(set, &e), 1);
	CHECK_EQ(helpers(&blocked), 0);
	ktrace_traceset_close(set);
}

/* A look at some events does not start a helper, nor do many seeks; a long read does. */
static void test_when(void)
{
	struct ktrace_traceset *set = open_set(KTRACE_CORES_AUTO, NULL, false);
	struct ktrace_trace_event e;
	cpu_set_t all, first;
	__u64 blocked;
	int i;

	wait_for_none();
	for (i = 0; i < 100; i++) {
		CHECK_EQ(ktrace_traceset_seek(set, (__u64)(10 * i)), 0);
		CHECK_EQ(ktrace_traceset_next(set, &e), 1);
	}
	CHECK_EQ(helpers(&blocked), 0);
	ktrace_traceset_close(set);
	CHECK_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
	CHECK_EQ(read_all(KTRACE_CORES_AUTO), CPU_COUNT(&all) > 1);
	CHECK_EQ(read_all(KTRACE_CORES_TWO), 1);
	CHECK_EQ(read_all(KTRACE_CORES_ONE), 0);
	CPU_ZERO(&first);
	for (i = 0; !CPU_ISSET(i, &all); i++)
		;
	CPU_SET(i, &first);
	bind_to(&first);
	CHECK_EQ(read_all(KTRACE_CORES_AUTO), 0);
	CHECK_EQ(read_all(KTRACE_CORES_TWO), 1);
	bind_to(&all);
}

/* Signals are the program's: the helper takes none. */
static void test_signals(void)
{
	static const int some[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE, SIGUSR1, SIGALRM };
	struct ktrace_traceset *set = open_set(KTRACE_CORES_TWO, NULL, false);
	struct ktrace_trace_event e;
	__u64 blocked = 0;
	sigset_t before, after;
	size_t i;

	CHECK_EQ(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);
	CHECK_EQ(ktrace_traceset_next(set, &e), 1);
	CHECK_EQ(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
	CHECK_EQ(helpers(&blocked), 1);
	for (i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		CHECK(blocked & 1ull << (some[i] - 1));
		CHECK_EQ(sigismember(&before, some[i]), sigismember(&after, some[i]));
	}
	ktrace_traceset_close(set);
}

/* Where there is no room for a thread, reading goes on without. */
static void test_no_thread(void)
{
	pthread_attr_t usual, huge;
	__u64 blocked;

	CHECK_EQ(pthread_getattr_default_np(&usual), 0);
	CHECK_EQ(pthread_getattr_default_np(&huge), 0);
	CHECK_EQ(pthread_attr_setstacksize(&huge, (size_t)1 << 50), 0);
	CHECK_EQ(pthread_setattr_default_np(&huge), 0);
	wait_for_none();
	open_both(false);
	read_rest();
	CHECK_EQ(helpers(&blocked), 0);
	seek_both(0);
	read_rest();
	close_both();
	CHECK_EQ(pthread_setattr_default_np(&usual), 0);
	pthread_attr_destroy(&usual);
	pthread_attr_destroy(&huge);
}

static void test_options(void)
{
	struct ktrace_traceset_options opts = {
		.size = sizeof(opts), .cores = KTRACE_CORES_TWO + 1,
	};
	struct ktrace_traceset *set;

	CHECK_EQ(ktrace_traceset_open(&opts, &set), -EINVAL);
}

int main(void)
{
	unsigned int i;

	for (i = 0; i < TRACES; i++)
		temporary_file(paths[i], sizeof(paths[i]), "ktrace-ahead");
	test_options();
	test_walks();
	test_growth();
	test_early_close();
	/*
	 * ASan's allocator (gcc 12) does not take its locks for a fork: a child waits for ever for
	 * one that the helper had. TSan and valgrind run this.
	 */
#ifndef __SANITIZE_ADDRESS__
	test_fork();
#endif
	test_many_streams();
	make_files();
	test_when();
	test_signals();
	test_no_thread();
	for (i = 0; i < TRACES; i++)
		unlink(paths[i]);
	return 0;
}
