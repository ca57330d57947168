// SPDX-License-Identifier: GPL-2.0
/*
 * processes.c - fork(), exec and posix_spawn() of programs that are traced, and that trace
 *
 * usage: processes [tell NAME NUMBER]	tell: what a program does that this one has started
 */
#include "suite.h"

#include <spawn.h>
#include <sys/wait.h>

#define INHERIT "XSH posix_trace_attr_getinherited, DESCRIPTION"
#define FORK "XSH fork, DESCRIPTION"
#define EXEC "XSH exec, DESCRIPTION"

extern char **environ;

static trace_id_t inherited_by(pid_t pid, int policy)
{
	trace_attr_t attr;
	trace_id_t trid;

	need(posix_trace_attr_init(&attr));
	need(posix_trace_attr_setinherited(&attr, policy));
	need(posix_trace_create(pid, &attr, &trid));
	need(posix_trace_start(trid));
	drain(trid);
	return trid;
}

static void tells_one(void *number)
{
	tell(event("from the child"), (uintptr_t)number);
}

static void child_by_fork(void)
{
	trace_id_t yes = inherited_by(0, POSIX_TRACE_INHERITED);
	trace_id_t no = inherited_by(0, POSIX_TRACE_CLOSE_FOR_CHILD);
	trace_event_id_t again;
	char name[TRACE_EVENT_NAME_MAX + 1] = "";
	struct seen e;

	in_good_child(tells_one, (void *)5);
	tells(INHERIT, no, ACTIVE, "", "CLOSE_FOR_CHILD: a child is not traced");
	tell(event("own"), 6);
	tells(INHERIT, no, ACTIVE, "own", "tracing of its parent goes on");
	check(INHERIT, try_next(yes, &e) && number_of(&e) == 5, "INHERITED: a child is traced");
	check("XSH 2.11.1", e.info.posix_pid > 0 && e.info.posix_pid != getpid(),
	      "its events have its number");
	need(posix_trace_eventid_get_name(yes, e.info.posix_event_id, name));
	check(FORK, !strcmp(name, "from the child"), "a name that it has opened is the stream's");
	again = event("from the child");
	check(FORK, posix_trace_eventid_equal(yes, again, e.info.posix_event_id),
	      "its parent gets the same id for it");
	check(INHERIT, try_next(yes, &e) && number_of(&e) == 6, "its parent is traced as well");
	need(posix_trace_shutdown(yes));
	need(posix_trace_shutdown(no));
}

static void forks_again(void *argument)
{
	in_good_child(tells_one, argument);
}

static void grandchild(void)
{
	trace_id_t trid = inherited_by(0, POSIX_TRACE_INHERITED);

	in_good_child(forks_again, (void *)7);
	tells(INHERIT, trid, ACTIVE, "from the child", "a child's child is traced");
	need(posix_trace_shutdown(trid));
}

static void child_by_spawn(void)
{
	trace_id_t yes = inherited_by(0, POSIX_TRACE_INHERITED);
	trace_id_t no = inherited_by(0, POSIX_TRACE_CLOSE_FOR_CHILD);
	char *const arguments[] = { "processes", "tell", "spawned", "8", NULL };
	struct seen e = { .len = 0 };
	pid_t pid;

	need(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, environ));
	waitpid(pid, NULL, 0);
	tells(INHERIT, no, ACTIVE, "", "CLOSE_FOR_CHILD: a spawned process is not traced");
	check(INHERIT, try_next(yes, &e) && number_of(&e) == 8, "INHERITED: a spawned process is");
	same("XSH 2.11.1", e.info.posix_pid, pid, "its events have its number");
	need(posix_trace_shutdown(yes));
	need(posix_trace_shutdown(no));
}

/* A traced process executes another program: it goes on being traced. */
static void exec_of_the_traced(void)
{
	int go[2];
	trace_id_t trid;
	pid_t pid;
	char c;

	need(pipe(go) ? errno : 0);
	fflush(stdout);
	pid = fork();
	need(pid < 0 ? errno : 0);
	if (pid == 0) {
		if (read(go[0], &c, 1) == 1) {
			tell(event("before exec"), 1);
			execl("/proc/self/exe", "processes", "tell", "behind exec", "2", NULL);
		}
		_exit(1);
	}
	trid = inherited_by(pid, POSIX_TRACE_CLOSE_FOR_CHILD);
	need(write(go[1], "", 1) == 1 ? 0 : errno);
	waitpid(pid, NULL, 0);
	tells(EXEC, trid, ACTIVE, "before exec behind exec",
	      "a process that executes a program goes on being traced");
	need(posix_trace_shutdown(trid));
	close(go[0]);
	close(go[1]);
}

/* Who has made streams, and executes a program, has none any more. */
static void makes_all_and_execs(void *argument)
{
	char *const arguments[] = { "processes", "make", NULL };
	trace_id_t trid;

	(void)argument;
	for (int i = 0; i < _POSIX_TRACE_SYS_MAX; i++)
		need(posix_trace_create(0, NULL, &trid));
	fflush(stdout);
	execv("/proc/self/exe", arguments);
	_exit(1);
}

static int make(void)
{
	trace_id_t trid;

	for (int i = 0; i < TRACE_SYS_MAX; i++)
		if (posix_trace_create(0, NULL, &trid))
			return i < TRACE_SYS_MAX - _POSIX_TRACE_SYS_MAX;
	return 0;
}

static int started_program(int argc, char **argv)
{
	trace_event_id_t id;

	if (!strcmp(argv[1], "make"))
		return make();
	if (argc != 4 || posix_trace_eventid_open(argv[2], &id))
		return 1;
	tell(id, strtoull(argv[3], NULL, 0));
	return 0;
}

/* A stream of a process that has ended */
static void ended(void)
{
	int go[2];
	trace_id_t trid;
	pid_t pid;
	char c;

	need(pipe(go) ? errno : 0);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (read(go[0], &c, 1) == 1)
			tell(event("last words"), 1);
		_exit(0);
	}
	trid = inherited_by(pid, POSIX_TRACE_CLOSE_FOR_CHILD);
	need(write(go[1], "", 1) == 1 ? 0 : errno);
	waitpid(pid, NULL, 0);
	tells("XSH 2.11", trid, ACTIVE, "last words", "its events are read when it is gone");
	is_in("XSH 2.11", trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL,
	      "the stream is still there");
	same("XSH 2.11", posix_trace_shutdown(trid), 0, "and can be shut down");
	close(go[0]);
	close(go[1]);
}

static void *late_thread(void *argument)
{
	tell(*(trace_event_id_t *)argument, 1);
	return NULL;
}

static void threads(void)
{
	trace_id_t trid = started(0, 0);
	trace_event_id_t id = event("thread");
	struct seen e;
	pthread_t thread;

	need(pthread_create(&thread, NULL, late_thread, &id));
	check("XSH 2.11", pthread_join(thread, NULL) == 0 && try_next(trid, &e),
	      "a thread that came later is traced");
	check("XSH 2.11.1", pthread_equal(e.info.posix_thread_id, thread),
	      "its events have its id");
	need(posix_trace_shutdown(trid));
}

#ifdef POSIX_TRACE_ALLPROC

/* A stream of all processes: of those that are there, and of those that come. */
static void all_processes(void)
{
	char *const arguments[] = { "processes", "tell", "of one that came", "2", NULL };
	int go[2];
	trace_id_t trid;
	pid_t first, second;
	char c;

	need(pipe(go) ? errno : 0);
	fflush(stdout);
	first = fork();
	need(first < 0 ? errno : 0);
	if (first == 0) {
		if (read(go[0], &c, 1) == 1)
			tell(event("of one that was there"), 1);
		_exit(0);
	}
	trid = inherited_by(POSIX_TRACE_ALLPROC, POSIX_TRACE_CLOSE_FOR_CHILD);
	need(write(go[1], "", 1) == 1 ? 0 : errno);
	waitpid(first, NULL, 0);
	need(posix_spawn(&second, "/proc/self/exe", NULL, NULL, arguments, environ));
	waitpid(second, NULL, 0);
	in_good_child(tells_one, (void *)3);
	tell(event("own"), 4);
	tells("XRAT B.2.11", trid, ACTIVE,
	      "of one that was there of one that came from the child own",
	      "POSIX_TRACE_ALLPROC: all processes are traced");
	need(posix_trace_shutdown(trid));
	tell(event("own"), 5);
	close(go[0]);
	close(go[1]);
}

#else

static void all_processes(void)
{
}

#endif

int main(int argc, char **argv)
{
	if (argc > 1)
		return started_program(argc, argv);
	child_by_fork();
	grandchild();
	child_by_spawn();
	exec_of_the_traced();
	same("XSH posix_trace_create, DESCRIPTION", in_child(makes_all_and_execs, NULL), 0,
	     "a process that executes a program has no streams any more");
	ended();
	threads();
	all_processes();
	return done();
}
