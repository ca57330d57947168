// SPDX-License-Identifier: GPL-2.0
/*
 * test_posix_registry.c - places in the registry of <trace.h>, and who takes or leaves them half
 * done; the registry's file while processes come and go
 */
#define BOARD_DIR "."
#include "../../userspace/lib/posix/registry/registry_file.c"
#include "../../userspace/lib/posix/registry/registry_shm.c"

#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define ROUNDS 200
#define COMERS 4

static struct posix_owner self;

static struct posix_owner owner_of(pid_t pid)
{
	struct posix_owner o = { .pid = pid };
	uid_t uid;

	o.start = ktrace_posix_start_time(pid, &uid);
	return o;
}

static struct posix_registry *new_registry(void)
{
	struct posix_registry *b = mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(b != MAP_FAILED);
	return b;
}

/* A process that ends in the middle of function(b). */
static void dies_in(void (*function)(struct posix_registry *b), struct posix_registry *b)
{
	const pid_t pid = fork();
	int status;

	if (!pid) {
		function(b);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static void take_stream(struct posix_registry *b)
{
	const struct posix_owner o = owner_of(getpid());

	CHECK_EQ(ktrace_posix_registry_stream(b, &o), 0);
}

static void publish_stream(struct posix_registry *b)
{
	take_stream(b);
	ktrace_posix_registry_publish(b, 0);
	posix_run(b, 1);
}

static void close_stream(struct posix_registry *b)
{
	publish_stream(b);
	CHECK(ktrace_posix_registry_close(b, 0, b->stream[0].word));
}

/* The place of a stream comes back, wherever its controller was when it died. */
static void test_streams_of_the_dead(void)
{
	void (*const died_in[])(struct posix_registry *b) = {
		take_stream, publish_stream, close_stream,
	};

	for (size_t i = 0; i < sizeof(died_in) / sizeof(died_in[0]); i++) {
		struct posix_registry *b = new_registry();

		dies_in(died_in[i], b);
		CHECK(has_streams(b));
		ktrace_posix_registry_sweep(b);
		CHECK(!has_streams(b));
		CHECK_EQ(b->running, 0);
		CHECK_EQ(ktrace_posix_registry_stream(b, &self), 0);
		munmap(b, sizeof(*b));
	}
}

/* What is being taken has the owner of the stream before: it is not that one's any more. */
static bool is_left(const char *where)
{
	remove_session(where);
	return !access(where + strlen("shm:"), F_OK);
}

/* What a registry says where a session is may be anything; root has rights to all of it. */
static void test_only_what_is_his_is_removed(void)
{
	char name[32], dir[48], link[64], file[80], other[96], above[160];

	snprintf(name, sizeof(name), "ktrace-registry-%d", (int)getpid());
	snprintf(dir, sizeof(dir), "/dev/shm/%s", name);
	snprintf(link, sizeof(link), "%s-link", dir);
	snprintf(file, sizeof(file), "shm:%s/channel", dir);
	snprintf(other, sizeof(other), "shm:%s/channel", link);
	snprintf(above, sizeof(above), "shm:%s/../%s/channel", dir, name);
	CHECK_EQ(mkdir(dir, 0700), 0);
	CHECK_EQ(symlink(dir, link), 0);
	close(open(file + strlen("shm:"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	ktrace_posix_registry_uid = geteuid() + 1;
	CHECK(is_left(file));
	ktrace_posix_registry_uid = geteuid();
	CHECK(is_left(other));
	CHECK(is_left(above));
	CHECK(!is_left(file));
	CHECK(access(dir, F_OK));
	CHECK_EQ(unlink(link), 0);
}

static void test_place_that_is_being_taken(void)
{
	struct posix_registry *b = new_registry();
	__u64 word;

	dies_in(publish_stream, b);
	b->stream[0].word = posix_place_word(POSIX_PLACE_CLAIMED, getpid(), 2);
	ktrace_posix_registry_sweep(b);
	CHECK_EQ(posix_place_state(b->stream[0].word), POSIX_PLACE_CLAIMED);
	b->stream[0].owner = self;
	word = ktrace_posix_registry_publish(b, 0);
	ktrace_posix_registry_sweep(b);
	CHECK_EQ(b->stream[0].word, word);
	/* Who saw the stream before buries nothing now. */
	ktrace_posix_registry_bury(b, 0, word - (1ull << 32));
	CHECK_EQ(b->stream[0].word, word);
	CHECK(ktrace_posix_registry_close(b, 0, word));
	CHECK(!ktrace_posix_registry_close(b, 0, word));
	ktrace_posix_registry_release(b, 0);
	CHECK(!has_streams(b));
	munmap(b, sizeof(*b));
}

/* Who has no descriptor left to look at another process takes nothing from it. */
static void test_no_descriptors(void)
{
	struct posix_registry *b = new_registry();
	const struct posix_owner parent = owner_of(getppid());
	struct rlimit old;

	CHECK_EQ(ktrace_posix_registry_stream(b, &parent), 0);
	ktrace_posix_registry_publish(b, 0);
	CHECK(!getrlimit(RLIMIT_NOFILE, &old));
	CHECK(!setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 0, old.rlim_max }));
	ktrace_posix_registry_sweep(b);
	CHECK(has_streams(b));
	CHECK(ktrace_posix_owner_lives(&parent));
	CHECK(!has_ended(parent.pid));
	CHECK(!setrlimit(RLIMIT_NOFILE, &old));
	munmap(b, sizeof(*b));
}

static void test_as_many_as_there_can_be(void)
{
	struct posix_registry *b = new_registry();

	for (int i = 0; i < (int)POSIX_STREAM_NR; i++)
		CHECK_EQ(ktrace_posix_registry_stream(b, &self), i);
	CHECK_EQ(ktrace_posix_registry_stream(b, &self), -EAGAIN);
	munmap(b, sizeof(*b));
}

static void begin_to_take_place(struct posix_registry *b)
{
	b->process[0].pid = -getpid();
}

static void take_all_places(struct posix_registry *b)
{
	const struct posix_owner o = owner_of(getpid());

	for (__u32 i = 0; i < POSIX_PROCESS_NR; i++)
		CHECK(claim_process(b, o.pid, o.start));
}

static void test_places_of_the_dead(void)
{
	struct posix_registry *b = new_registry();
	bool is_new;

	dies_in(begin_to_take_place, b);
	CHECK(!has_processes(b));
	munmap(b, sizeof(*b));
	b = new_registry();
	dies_in(take_all_places, b);
	CHECK(!has_processes(b));
	CHECK(ktrace_posix_registry_process(b, self.pid, self.start, &is_new) == &b->process[0]);
	CHECK(is_new);
	CHECK(has_processes(b));
	munmap(b, sizeof(*b));
}

static void *trace_self(void *arg)
{
	CHECK(ktrace_posix_registry_trace(arg, self.pid, self.start, 1));
	return NULL;
}

/* Whether a program or its controller is first: the program is in the stream. */
static void test_both_take_a_place(void)
{
	struct posix_registry *b = new_registry();

	for (int i = 0; i < ROUNDS; i++) {
		struct posix_registry_process *p;
		pthread_t controller;
		pid_t init = 1;
		bool is_new;

		/* Those who leave and come make the two look at different places. */
		b->process[0].pid = i % 2 ? init : 0;
		CHECK_EQ(pthread_create(&controller, NULL, trace_self, b), 0);
		__atomic_compare_exchange_n(&b->process[0].pid, &init, 0, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
		p = ktrace_posix_registry_process(b, self.pid, self.start, &is_new);
		CHECK_EQ(pthread_join(controller, NULL), 0);
		CHECK_EQ(p->streams, 1);
		ktrace_posix_registry_leave(b, &self);
		CHECK(!has_processes(b));
	}
	munmap(b, sizeof(*b));
}

/* The controller was faster by less than the program could see when it looked for its place. */
static void test_two_places(void)
{
	struct posix_registry *b = new_registry();
	bool is_new;

	CHECK(claim_process(b, self.pid, self.start) == &b->process[0]);
	CHECK(claim_process(b, self.pid, self.start) == &b->process[1]);
	CHECK(ktrace_posix_registry_trace(b, self.pid, self.start, 4));
	CHECK_EQ(b->process[0].streams, 4);
	CHECK_EQ(b->process[1].streams, 4);
	b->process[0].streams = 0;
	CHECK_EQ(ktrace_posix_registry_process(b, self.pid, self.start, &is_new)->streams, 4);
	CHECK(!is_new);
	munmap(b, sizeof(*b));
}

static bool is_current(const struct posix_registry *b)
{
	char path[PATH_ROOM];
	struct stat st;

	registry_path(path, geteuid());
	return !stat(path, &st) && st.st_ino == b->inode;
}

/* Comes and goes. While it has a place the registry stays. */
static void come_and_go(void)
{
	const struct posix_owner o = owner_of(getpid());

	for (int i = 0; i < ROUNDS / COMERS; i++) {
		struct posix_registry *b;
		const int fd = ktrace_posix_registry_map(geteuid(), &b);
		bool is_new;

		CHECK(fd >= 0);
		CHECK(ktrace_posix_registry_process(b, o.pid, o.start, &is_new));
		ktrace_posix_registry_let_go(fd);
		CHECK(is_current(b));
		if (i % 4)
			sched_yield();
		CHECK(is_current(b));
		ktrace_posix_registry_leave(b, &o);
		ktrace_posix_registry_remove(b, geteuid());
		munmap(b, sizeof(*b));
	}
}

static void test_last_one_removes_the_registry(void)
{
	char path[PATH_ROOM];
	int status;

	for (int i = 0; i < COMERS; i++) {
		const pid_t pid = fork();

		CHECK(pid >= 0);
		if (!pid) {
			come_and_go();
			_exit(0);
		}
	}
	for (int i = 0; i < COMERS; i++) {
		CHECK(wait(&status) > 0);
		CHECK_EQ(status, 0);
	}
	/* Who does not get the lock in time leaves it to the next one. */
	registry_path(path, geteuid());
	if (!access(path, F_OK))
		come_and_go();
	CHECK(access(path, F_OK));
}

/* The thread that removes it has the lock; if it is stopped there, others still come in. */
static void test_stopped_while_it_is_locked(void)
{
	struct posix_registry *b, *again;
	int fd = ktrace_posix_registry_map(geteuid(), &b), own;
	char path[PATH_ROOM];

	CHECK(fd >= 0);
	ktrace_posix_registry_let_go(fd);
	registry_path(path, geteuid());
	own = open(path, O_RDWR);
	CHECK(own >= 0 && !flock(own, LOCK_EX));
	fd = ktrace_posix_registry_map(geteuid(), &again);
	CHECK(fd >= 0);
	CHECK(is_current(again));
	ktrace_posix_registry_let_go(fd);
	close(own);
	ktrace_posix_registry_remove(b, geteuid());
	CHECK(access(path, F_OK));
	/* A registry that somebody else has made since is not ours to remove. */
	fd = ktrace_posix_registry_map(geteuid(), &again);
	CHECK(fd >= 0);
	ktrace_posix_registry_let_go(fd);
	CHECK_EQ(ktrace_posix_registry_hold(b, geteuid()), -ENOENT);
	b->inode = again->inode + 1;
	ktrace_posix_registry_remove(b, geteuid());
	CHECK(!access(path, F_OK));
	ktrace_posix_registry_remove(again, geteuid());
	CHECK(access(path, F_OK));
}

/* Another process removes the registry, which nobody uses: who comes has to wait for a moment. */
static void test_comes_while_it_is_removed(void)
{
	struct posix_registry *b;
	char path[PATH_ROOM], c;
	int fd = ktrace_posix_registry_map(geteuid(), &b), told[2];

	CHECK(fd >= 0 && !pipe(told));
	registry_path(path, geteuid());
	ktrace_posix_registry_let_go(fd);
	munmap(b, sizeof(*b));
	if (!fork()) {
		close(told[0]);
		signal(SIGIO, SIG_IGN);
		fd = open(path, O_RDONLY);
		/* Not every file system has leases. */
		if (!fcntl(fd, F_SETLEASE, F_WRLCK) && write(told[1], "l", 1) == 1)
			usleep(50000);
		unlink(path);
		_exit(0);
	}
	close(told[1]);
	if (read(told[0], &c, 1) == 1)
		CHECK(open(path, O_RDWR | O_NONBLOCK) < 0 && errno == EWOULDBLOCK);
	close(told[0]);
	fd = ktrace_posix_registry_map(geteuid(), &b);
	CHECK(fd >= 0);
	CHECK(wait(NULL) > 0);
	ktrace_posix_registry_let_go(fd);
	ktrace_posix_registry_remove(b, geteuid());
	CHECK(access(path, F_OK));
}

static void *until_told(void *arg)
{
	char c;

	_exit(read(*(int *)arg, &c, 1) == 1 ? 0 : 1);
}

/* A process lives until its last thread ends. */
static void test_first_thread_ends(void)
{
	struct posix_owner o = { .pid = 0 };
	static int fds[2];	/* not on the stack of the thread that ends */
	pthread_t thread;
	int status;
	char path[PATH_ROOM], text[1024] = "";

	CHECK(!pipe(fds));
	o.pid = fork();
	if (!o.pid) {
		CHECK(!pthread_create(&thread, NULL, until_told, &fds[0]));
		pthread_exit(NULL);
	}
	o = owner_of(o.pid);
	snprintf(path, sizeof(path), "/proc/%d/stat", o.pid);
	while (!strstr(text, ") Z")) {
		const int fd = open(path, O_RDONLY);

		CHECK(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
		close(fd);
		sched_yield();
	}
	CHECK(ktrace_posix_owner_lives(&o));
	CHECK_EQ(write(fds[1], "", 1), 1);
	CHECK_EQ(waitid(P_PID, (id_t)o.pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	CHECK(!ktrace_posix_owner_lives(&o));
	CHECK_EQ(waitpid(o.pid, &status, 0), o.pid);
	CHECK_EQ(status, 0);
}

int main(void)
{
	char folder[] = "/dev/shm/test_posix_registry.XXXXXX";

	CHECK(mkdtemp(folder) && !chdir(folder));
	self = owner_of(getpid());
	test_streams_of_the_dead();
	test_only_what_is_his_is_removed();
	test_place_that_is_being_taken();
	test_no_descriptors();
	test_as_many_as_there_can_be();
	test_places_of_the_dead();
	test_both_take_a_place();
	test_two_places();
	test_last_one_removes_the_registry();
	test_stopped_while_it_is_locked();
	test_comes_while_it_is_removed();
	test_first_thread_ends();
	CHECK(!chdir("/") && !rmdir(folder));
	return 0;
}
