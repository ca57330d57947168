// SPDX-License-Identifier: GPL-2.0
/*
 * shared.c - children that record in the memory of their parent, of a program that has no events
 * and is not linked with libktrace: shared vfork | clone | unseen | unseen-clone [EVENTS]
 *
 * Linked with shared_lib.c, which has the events. A line for each writer: user_ledger.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

#define ROUNDS 200
#define STACK_SIZE (1 << 18)

enum writer { PARENT, THREAD, CHILD };

void shared_record(unsigned int writer, unsigned int nr);
void shared_say_who(void);
pid_t __vfork(void);
extern __typeof__(clone) __clone;

static volatile int is_over;

/* Of a child, and of its parent beside it. */
static unsigned int events_nr;

static void say(unsigned int writer, unsigned int nr)
{
	printf("wrote %u %u %u\n", writer, nr, nr);
	fflush(stdout);
}

static void await(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || status) {
		fprintf(stderr, "shared: a child has failed\n");
		exit(1);
	}
}

/* On the same CPUs, so that two who write to one ring would meet. */
static void *record_beside(void *arg)
{
	(void)arg;
	while (!is_over) {
		shared_say_who();
		usleep(20);	/* an emulated machine would take minutes to read more */
	}
	return NULL;
}

static void run_vfork(void)
{
	pthread_t thread;

	shared_record(PARENT, 1);
	pthread_create(&thread, NULL, record_beside, NULL);
	for (volatile unsigned int i = 0; i < ROUNDS; i++) {
		const pid_t pid = vfork();

		if (!pid) {
			shared_say_who();
			shared_record(CHILD + i, 20);
			_exit(0);
		}
		shared_say_who();
		await(pid);
	}
	is_over = 1;
	pthread_join(thread, NULL);
	say(PARENT, 1);
	for (unsigned int i = 0; i < ROUNDS; i++)
		say(CHILD + i, 20);
}

static int be_child(void *arg)
{
	(void)arg;
	shared_say_who();
	shared_record(CHILD, events_nr);
	shared_say_who();
	_exit(0);
}

typedef int (*make_child)(int (*function)(void *arg), void *stack, int flags, void *arg, ...);

/* Both go on at the same time. */
static void run_clone(make_child make)
{
	static char stack[STACK_SIZE] __attribute__((aligned(16)));
	pid_t pid;

	shared_say_who();
	pid = make(be_child, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
	shared_record(PARENT, events_nr);
	shared_say_who();
	await(pid);
	say(PARENT, events_nr);
	say(CHILD, events_nr);
}

/* By a name that no library stands in front of. */
static void run_unseen(void)
{
	pid_t pid;

	shared_record(PARENT, 1);
	pid = __vfork();
	if (!pid) {
		shared_record(CHILD, events_nr);
		_exit(0);
	}
	shared_say_who();
	await(pid);
	say(PARENT, 1);
	say(CHILD, events_nr);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	events_nr = argc > 2 ? (unsigned int)atoi(argv[2]) : 20000;
	if (!strcmp(mode, "vfork"))
		run_vfork();
	else if (!strcmp(mode, "clone"))
		run_clone(clone);
	else if (!strcmp(mode, "unseen"))
		run_unseen();
	else if (!strcmp(mode, "unseen-clone"))
		run_clone(__clone);
	else
		return 2;
	return 0;
}
