// SPDX-License-Identifier: GPL-2.0
/*
 * late.c - runs until it is told to stop, and can be recorded meanwhile
 *
 *   late [-t threads] [-u us] [-l] [-f ms] [-x] [-s] [-r dir] [-i uid] [-c]
 *
 * Each of -t threads (1), named "late-N", records late:tick with its number and a sequence number
 * that grows by 1 with each event, recorded or not: a gap is a lost event. It sleeps -u us between
 * events (0 = yields now and then). -l: thread 0 takes a lock before it begins and gives it back at
 * the end. -f: forks a child each so many ms, which records late:child 10 times. -x: the child then
 * executes this program with -1, which records late:image 10 times. -s: the last thread is silent.
 * Before all that, -r makes a folder its root, -i changes its user, -c says that it will restrict
 * its system calls.
 * Prints "ready PID" first, and at SIGTERM "ended" and the events of all threads. The status is 1
 * if a child died of a signal other than SIGKILL.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <ktrace/ktrace.h>

KTRACE_EVENT(late, tick, ktrace_u32(thread), ktrace_u64(seq));
KTRACE_EVENT(late, child, ktrace_u32(seq));
KTRACE_EVENT(late, image, ktrace_u32(seq));

/* Types that are never recorded. While they get their ids, one of tick and other has none yet. */
#define DEFINE(n) KTRACE_EVENT(late, filler_##n, ktrace_u64(seq));
#define ROW(n) DEFINE(n##0) DEFINE(n##1) DEFINE(n##2) DEFINE(n##3) DEFINE(n##4) DEFINE(n##5) \
	DEFINE(n##6) DEFINE(n##7) DEFINE(n##8) DEFINE(n##9)
#define ROWS(n) ROW(n##0) ROW(n##1) ROW(n##2) ROW(n##3) ROW(n##4) ROW(n##5) ROW(n##6) ROW(n##7) \
	ROW(n##8) ROW(n##9)

ROWS(a)
ROWS(b)
ROWS(c)
KTRACE_EVENT(late, other, ktrace_u32(thread), ktrace_u64(seq));

#define THREAD_NR 64

static unsigned int threads = 1, pause_us, fork_ms;
static int has_lock, does_exec, has_silent, is_confined;
static const char *root;
static uid_t user = (uid_t)-1;
static volatile sig_atomic_t is_over;
static uint64_t count[THREAD_NR];
static int has_crashed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void end(int sig)
{
	(void)sig;
	is_over = 1;
}

static void *work(void *arg)
{
	const uint32_t nr = (uint32_t)(uintptr_t)arg;
	char name[16];
	uint64_t seq = 0;

	snprintf(name, sizeof(name), "late-%u", nr);
	pthread_setname_np(pthread_self(), name);
	if (has_lock && !nr)
		pthread_mutex_lock(&lock);
	while (!is_over) {
		if (has_silent && nr == threads - 1) {
			usleep(1000);
			continue;
		}
		seq++;
		ktrace(late, tick, nr, seq);
		if (seq % 7 == 0)
			ktrace(late, other, nr, seq);
		if (pause_us)
			usleep(pause_us);
	}
	if (has_lock && !nr)
		pthread_mutex_unlock(&lock);
	count[nr] = seq;
	return NULL;
}

static void be_child(char **argv)
{
	for (uint32_t i = 1; i <= 10; i++)
		ktrace(late, child, i);
	if (does_exec)	/* otherwise it outlives the next one */
		execl("/proc/self/exe", argv[0], "-1", NULL);
	usleep(fork_ms * 2000);
	_exit(0);
}

static void reap(void)
{
	int status;

	while (waitpid(-1, &status, WNOHANG) > 0)
		has_crashed |= WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL;
}

/* As servers do once they have begun. Returns 0, or -1. */
static int give_up_rights(void)
{
	if (root && (chroot(root) || chdir("/")))
		return -1;
	if (user != (uid_t)-1 && setuid(user))
		return -1;
	if (is_confined)
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return 0;
}

int main(int argc, char **argv)
{
	const struct sigaction at_end = { .sa_handler = end };
	pthread_t thread[THREAD_NR];
	int option;

	while ((option = getopt(argc, argv, "t:u:lf:xsr:i:c1")) != -1) {
		switch (option) {
		case 't': threads = (unsigned int)atoi(optarg); break;
		case 'u': pause_us = (unsigned int)atoi(optarg); break;
		case 'f': fork_ms = (unsigned int)atoi(optarg); break;
		case 'l': has_lock = 1; break;
		case 'x': does_exec = 1; break;
		case 's': has_silent = 1; break;
		case 'r': root = optarg; break;
		case 'i': user = (uid_t)atoi(optarg); break;
		case 'c': is_confined = 1; break;
		case '1':
			for (uint32_t i = 1; i <= 10; i++)
				ktrace(late, image, i);
			return 0;
		default: return 2;
		}
	}
	if (threads > THREAD_NR || give_up_rights())
		return 2;
	sigaction(SIGTERM, &at_end, NULL);
	for (unsigned int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, work, (void *)(uintptr_t)i))
			return 1;
	printf("ready %d\n", getpid());
	fflush(stdout);
	while (!is_over) {
		usleep(fork_ms ? fork_ms * 1000 : 100000);
		if (fork_ms && !fork())
			be_child(argv);
		reap();
	}
	for (unsigned int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	printf("ended");
	for (unsigned int i = 0; i < threads; i++)
		printf(" %llu", (unsigned long long)count[i]);
	printf("\n");
	return has_crashed;
}
