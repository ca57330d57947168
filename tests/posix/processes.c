// SPDX-License-Identifier: GPL-2.0
/*
 * processes.c - fork(), exec and posix_spawn() of programs that are traced, and that trace
 *
 * usage: processes [tell NAME NUMBER [ID] | make | all READY GO]
 *
 * With arguments it is a program that this one has started. tell: an event, and before it one by
 * a number ID that is none of its own; make: streams; all: see controls_all().
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

/* PTRC-32 */
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

/* PTRC-32 */
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

/* PTRC-33: A traced process executes another program: it goes on being traced. */
static void exec_of_the_traced(void)
{
	char before[32];
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
			snprintf(before, sizeof(before), "%u", event("before exec"));
			execl("/proc/self/exe", "processes", "tell", "behind exec", "2", before,
			      NULL);
		}
		_exit(1);
	}
	trid = inherited_by(pid, POSIX_TRACE_CLOSE_FOR_CHILD);
	need(write(go[1], "", 1) == 1 ? 0 : errno);
	waitpid(pid, NULL, 0);
	tells(EXEC, trid, ACTIVE, "before exec behind exec",
	      "a process that executes a program goes on being traced; that has to open its types");
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

/* PTRC-21: One controller, a stream for each of two processes and for itself */
static void each_its_own(void)
{
	static const char *const names[2] = { "of the first", "of the second" };
	trace_id_t own = inherited_by(0, POSIX_TRACE_CLOSE_FOR_CHILD), trid[2];
	pid_t pid[2];
	int go[2];
	char c;

	need(pipe(go) ? errno : 0);
	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		pid[i] = fork();
		need(pid[i] < 0 ? errno : 0);
		if (pid[i] == 0) {
			close(go[1]);
			if (read(go[0], &c, 1) == 0)
				tell(event(names[i]), 1);
			_exit(0);
		}
		trid[i] = inherited_by(pid[i], POSIX_TRACE_CLOSE_FOR_CHILD);
	}
	close(go[0]);
	close(go[1]);
	tell(event("own"), 1);
	for (int i = 0; i < 2; i++) {
		waitpid(pid[i], NULL, 0);
		tells("XSH 2.11", trid[i], ACTIVE, names[i],
		      "streams of several processes: each has the events of its own");
		need(posix_trace_shutdown(trid[i]));
	}
	tells("XSH 2.11", own, ACTIVE, "own", "and so has that of the controller");
	need(posix_trace_shutdown(own));
}

static void *late_thread(void *argument)
{
	tell(*(trace_event_id_t *)argument, 1);
	return NULL;
}

/* PTRC-34 */
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

/* PTRC-35: A stream of all processes: of those that are there, and of those that come. */
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

/* Another user's process, which may trace all of that user: tells @ready, looks when told @go */
static int controls_all(int ready, int go)
{
	trace_id_t trid = inherited_by(POSIX_TRACE_ALLPROC, POSIX_TRACE_CLOSE_FOR_CHILD);
	const char *text;
	char c;

	if (write(ready, "", 1) != 1 || read(go, &c, 1) != 1)
		return 1;
	tell(event("own"), 1);
	text = story(trid, ACTIVE);
	if (strcmp(text, "of one of his own"))
		note("another user's stream of all processes has \"%s\"", text);
	return strcmp(text, "of one of his own");
}

/* as_another - this program, executed by another user in that user's environment */
static pid_t as_another(const char *first, const char *second, const char *third)
{
	char path[4096], *none[] = { NULL };
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	pid_t pid;

	need(n < 0 ? errno : 0);
	path[n] = '\0';
	fflush(stdout);
	pid = fork();
	need(pid < 0 ? errno : 0);
	if (pid == 0) {
		if (!setgid(65534) && !setuid(65534))
			execle(path, "processes", first, second, third, NULL, none);
		_exit(77);
	}
	return pid;
}

/* PTRC-35: a user without privileges traces all of their own processes, and no others. */
static void all_processes_of_another(void)
{
	int ready[2], go[2], how;
	char out[16], in[16], c;
	pid_t pid;

	need(pipe(ready) || pipe(go) ? errno : 0);
	snprintf(out, sizeof(out), "%d", ready[1]);
	snprintf(in, sizeof(in), "%d", go[0]);
	pid = as_another("all", out, in);
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1) {
		note("another user cannot execute this program: not tested what he may trace");
	} else {
		tell(event("of one that is not his"), 1);
		waitpid(as_another("tell", "of one of his", "2"), NULL, 0);
		need(write(go[1], "", 1) == 1 ? 0 : errno);
	}
	close(go[0]);
	close(go[1]);
	close(ready[0]);
	waitpid(pid, &how, 0);
	if (!WIFEXITED(how) || WEXITSTATUS(how) != 77)
		choice("posix_trace(7)", how == 0,
		       "another user's stream of all processes has those of his");
}

#else

static void all_processes(void)
{
}

static void all_processes_of_another(void)
{
}

static int controls_all(int ready, int go)
{
	return ready == go;
}

#endif

static int started_program(int argc, char **argv)
{
	trace_event_id_t id;

	if (!strcmp(argv[1], "make"))
		return make();
	if (!strcmp(argv[1], "all"))
		return controls_all(atoi(argv[2]), atoi(argv[3]));
	if (argc > 4)
		tell(strtoul(argv[4], NULL, 0), 0);
	if (argc < 4 || posix_trace_eventid_open(argv[2], &id))
		return 1;
	tell(id, strtoull(argv[3], NULL, 0));
	return 0;
}

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
	each_its_own();
	threads();
	all_processes();
	if (geteuid() == 0)
		all_processes_of_another();
	return done();
}
