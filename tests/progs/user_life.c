// SPDX-License-Identifier: GPL-2.0
/*
 * user_life.c - record events at the odd moments of a process's life
 *
 *   user_life constructor | exec | closeall | daemon | vfork | spawn | kill | crash |
 *	       text SIZE | errno | longjmp | plugin FILE...
 *
 * Says what it has recorded as user_flood.c does.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ktrace/ktrace.h>

KTRACE_EVENT(flood, life, ktrace_u32(writer), ktrace_u64(seq));
KTRACE_EVENT(life, text, ktrace_string(text));
TRACE_ID(TR_LIFE_2, object, left);

#define ROUNDS 200

enum writer { MAIN, EARLY_THREAD, FIRST_CHILD, CHILD = 10, LATE = 1000 };

static const char *mode = "";
static pthread_t early_thread;
static uint64_t seq;

static void say(unsigned int writer, unsigned long long nr)
{
	printf("wrote %u %llu %llu\n", writer, nr, nr);
	fflush(stdout);
}

static void record(unsigned int writer, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		ktrace(flood, life, writer, seq++);
}

static void *run_early(void *arg)
{
	(void)arg;
	ktrace(flood, life, EARLY_THREAD, 0);
	return NULL;
}

/* Before main(), where the mode is not known yet. */
static __attribute__((constructor)) void begin(int argc, char **argv)
{
	if (argc != 2 || strcmp(argv[1], "constructor"))
		return;
	record(MAIN, 1);
	pthread_create(&early_thread, NULL, run_early, NULL);
	pthread_join(early_thread, NULL);
}

static void at_exit(void)
{
	record(MAIN, 1);
}

static __attribute__((destructor)) void end(void)
{
	if (!strcmp(mode, "constructor"))
		record(MAIN, 1);
}

static void run_constructor(void)
{
	atexit(at_exit);
	record(MAIN, 1);
	say(MAIN, 4);
	say(EARLY_THREAD, 1);
}

static void run_exec(char **argv, int n)
{
	char left[16];

	record(CHILD + (unsigned int)n, 3);
	say(CHILD + (unsigned int)n, 3);
	if (!n)
		return;
	snprintf(left, sizeof(left), "%d", n - 1);
	execl("/proc/self/exe", argv[0], "exec", left, NULL);
	_exit(126);
}

static void close_all(void)
{
	struct rlimit limit;
	int fd;

	getrlimit(RLIMIT_NOFILE, &limit);
	for (fd = 0; fd < (int)limit.rlim_cur && fd < 4096; fd++)
		close(fd);
}

static void run_closeall(char **argv)
{
	say(MAIN, 10);
	say(CHILD, 3);
	close_all();
	record(MAIN, 10);
	/* The new image prints what it wrote to a closed descriptor. */
	execl("/proc/self/exe", argv[0], "exec", "0", NULL);
}

static void run_daemon(void)
{
	say(MAIN, 7);
	if (fork())
		_exit(0);
	setsid();
	if (fork())
		_exit(0);
	if (chdir("/"))
		_exit(1);
	close_all();
	usleep(50000);
	record(MAIN, 7);
}

/* A thread whose first event is its child's, and which must not become that child. */
static void *vfork_first(void *arg)
{
	const unsigned int nr = (unsigned int)(uintptr_t)arg;
	pid_t pid = vfork();

	if (!pid) {
		ktrace(flood, life, FIRST_CHILD + nr, 0);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	ktrace(flood, life, MAIN + nr, 0);
	if ((pid_t)(ktrace_thread.tid_flags >> 32) != gettid())
		exit(1);
	return NULL;
}

static void run_vfork(void)
{
	volatile unsigned int i;
	pthread_t thread;

	vfork_first((void *)MAIN);
	seq++;
	pthread_create(&thread, NULL, vfork_first, (void *)EARLY_THREAD);
	pthread_join(thread, NULL);
	for (i = 0; i < ROUNDS; i++) {
		pid_t pid;

		record(MAIN, 1);
		pid = vfork();
		if (!pid) {
			/* A writer each: numbers of processes begin again one day. */
			ktrace(flood, life, CHILD + i, 0);
			if (i % 2)
				execl("/bin/true", "true", NULL);
			_exit(0);
		}
		record(MAIN, 1);
		waitpid(pid, NULL, 0);
	}
	say(MAIN, 1 + 2 * ROUNDS);
	say(EARLY_THREAD, 1);
	say(FIRST_CHILD, 1);
	say(FIRST_CHILD + EARLY_THREAD, 1);
	for (i = 0; i < ROUNDS; i++)
		say(CHILD + i, 1);
}

static void *spawn_storm(void *arg)
{
	char *argv[] = { "true", NULL };
	unsigned int i;
	pid_t pid;

	(void)arg;
	for (i = 0; i < ROUNDS / 4; i++)
		if (!posix_spawn(&pid, "/bin/true", NULL, NULL, argv, NULL))
			waitpid(pid, NULL, 0);
	return NULL;
}

static void run_spawn(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, spawn_storm, NULL);
	record(MAIN, ROUNDS * 100);
	pthread_join(thread, NULL);
	say(MAIN, ROUNDS * 100);
}

static void run_kill(int sig)
{
	static volatile int *volatile nowhere;
	const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	say(MAIN, ROUNDS);
	record(MAIN, ROUNDS);
	if (sig == SIGSEGV)
		*nowhere = 1;
	raise(sig);
}

static void run_text(size_t size)
{
	char *text = malloc(size + 1);

	memset(text, 'x', size);
	text[size] = '\0';
	ktrace(life, text, text);
	ktrace(life, text, NULL);
	TRACE(TR_LIFE_2, text, -1);
	free(text);
	ktrace(life, text, "end");
}

/* Errno before each event, and whether it is untouched: the first one sets up a thread. */
static void *check_errno(void *arg)
{
	unsigned int i;

	(void)arg;
	for (i = 0; i < ROUNDS * 100; i++) {
		errno = 12345;
		record(MAIN, 1);
		if (errno != 12345)
			printf("BAD errno %d\n", errno);
	}
	return NULL;
}

static void run_errno(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, check_errno, NULL);
	pthread_join(thread, NULL);
	say(MAIN, ROUNDS * 100);
}

static sigjmp_buf back;

static void jump(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

/* Out of a handler that has interrupted an event, into which nobody returns. */
static void run_longjmp(void)
{
	const struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };
	static volatile uint64_t written;
	static volatile int rounds;

	signal(SIGALRM, jump);
	sigsetjmp(back, 1);
	if (rounds++ < ROUNDS) {
		setitimer(ITIMER_REAL, &often, NULL);
		for (;;) {
			ktrace(flood, life, MAIN, written + (uint64_t)rounds);
			written++;
		}
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("wrote %u %llu %llu\n", MAIN, (unsigned long long)written,
	       (unsigned long long)written + ROUNDS);
}

/* Loaded, used, unloaded; the same events again each time. */
static void run_plugins(char **files)
{
	unsigned int i;
	char **file;

	for (i = 0; i < ROUNDS; i++)
		for (file = files; *file; file++) {
			void (*use)(unsigned int writer, uint64_t seq);
			void *plugin = dlopen(*file, RTLD_NOW);

			if (!plugin) {
				fprintf(stderr, "%s\n", dlerror());
				exit(1);
			}
			*(void **)&use = dlsym(plugin, "plugin_use");
			use(CHILD + (unsigned int)(file - files), i);
			dlclose(plugin);
			sched_yield();
		}
	for (file = files; *file; file++)
		say(CHILD + (unsigned int)(file - files), ROUNDS);
}

int main(int argc, char **argv)
{
	mode = argc > 1 ? argv[1] : "";
	if (!strcmp(mode, "constructor"))
		run_constructor();
	else if (!strcmp(mode, "exec"))
		run_exec(argv, argc > 2 ? atoi(argv[2]) : 5);
	else if (!strcmp(mode, "closeall"))
		run_closeall(argv);
	else if (!strcmp(mode, "daemon"))
		run_daemon();
	else if (!strcmp(mode, "vfork"))
		run_vfork();
	else if (!strcmp(mode, "spawn"))
		run_spawn();
	else if (!strcmp(mode, "kill"))
		run_kill(SIGKILL);
	else if (!strcmp(mode, "crash"))
		run_kill(SIGSEGV);
	else if (!strcmp(mode, "text"))
		run_text(argc > 2 ? strtoul(argv[2], NULL, 0) : 10);
	else if (!strcmp(mode, "errno"))
		run_errno();
	else if (!strcmp(mode, "longjmp"))
		run_longjmp();
	else if (!strcmp(mode, "plugin"))
		run_plugins(argv + 2);
	else
		return 2;
	return 0;
}
