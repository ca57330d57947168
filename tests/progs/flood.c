// SPDX-License-Identifier: GPL-2.0
/*
 * flood.c - writes events and says how many: the left side of the ledger
 *
 *   flood [-p PROCESSES] [-t THREADS] [-n EVENTS] [-u US] [-k MS] [-d MS] [-m] [-o]
 *         [-x pthread|raw]
 *
 * PROCESSES children with THREADS threads each write EVENTS events each, with a pause
 * of US microseconds after each. The last line says "written MIN MAX": what was written
 * at least and at most; they differ where threads were killed (-k, SIGKILL to all after
 * MS milliseconds). -d: the children sleep MS before they begin, and the first process
 * does not wait for them (they outlive it; then each child says what it wrote).
 * -m: say "at N" every 20 ms. -o: count only what is written while the event is on; each
 * thread may then have counted one more, when it was switched off. -n 0: -m, until SIGTERM,
 * passed on to the children. -x: SIGUSR1 to a child ends one of its writing threads, by
 * pthread_exit() after an event, or by the raw system call wherever it is.
 *
 * Counters lie in memory that survives the children. A thread counts an event when the
 * call has returned, so a killed one has written at most one more than it counted.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <ktrace/ktrace.h>

KTRACE_EVENT(flood, item, ktrace_u32(process), ktrace_u32(thread), ktrace_u64(seq));

#define WRITER_MAX 1024

struct flood {
	unsigned long processes, threads, events, pause_us, kill_ms, detach_ms;
	int is_monitored, counts_only_on;
	unsigned long *counts;	/* one for each thread of each process, shared */
	const char *exit_by;
	sigset_t usr1;
	unsigned int killed;	/* children that a signal has ended */
};

static volatile sig_atomic_t has_to_stop;
static __thread volatile sig_atomic_t is_writer, has_to_leave;

static void on_term(int sig)
{
	(void)sig;
	has_to_stop = 1;
}

static void on_usr1_leave(int sig)
{
	(void)sig;
	has_to_leave = is_writer;
}

static void on_usr1_exit(int sig)
{
	(void)sig;
	if (is_writer)
		syscall(SYS_exit, 0);
}

struct writer {
	const struct flood *f;
	unsigned int process, thread;
	pthread_t id;
};

static void nap_us(unsigned long us)
{
	const struct timespec t = { (time_t)(us / 1000000), (long)(us % 1000000) * 1000 };

	nanosleep(&t, NULL);
}

static unsigned long *count_of(const struct flood *f, unsigned int process, unsigned int thread)
{
	return &f->counts[process * f->threads + thread];
}

static void *write_events(void *arg)
{
	const struct writer *w = arg;
	unsigned long *count = count_of(w->f, w->process, w->thread);

	pthread_sigmask(SIG_UNBLOCK, &w->f->usr1, NULL);
	is_writer = 1;
	for (unsigned long seq = 0; !has_to_stop && (!w->f->events || seq < w->f->events); seq++) {
		int is_on = !w->f->counts_only_on || ktrace_enabled(flood, item);

		ktrace(flood, item, w->process, w->thread, seq);
		if (is_on)
			__atomic_store_n(count, *count + 1, __ATOMIC_RELEASE);
		if (w->f->pause_us)
			nap_us(w->f->pause_us);
		if (has_to_leave)
			pthread_exit(NULL);
	}
	is_writer = 0;
	return NULL;
}

static unsigned long total(const struct flood *f, unsigned int from, unsigned int to)
{
	unsigned long sum = 0;

	for (unsigned int p = from; p < to; p++)
		for (unsigned int t = 0; t < f->threads; t++)
			sum += __atomic_load_n(count_of(f, p, t), __ATOMIC_ACQUIRE);
	return sum;
}

static void run_process(const struct flood *f, unsigned int process)
{
	struct writer writers[WRITER_MAX];

	nap_us(f->detach_ms * 1000);
	for (unsigned int t = 0; t < f->threads; t++) {
		writers[t] = (struct writer) { .f = f, .process = process, .thread = t };
		if (pthread_create(&writers[t].id, NULL, write_events, &writers[t]))
			abort();
	}
	for (unsigned int t = 0; t < f->threads; t++)
		pthread_join(writers[t].id, NULL);
	if (f->detach_ms) {
		printf("written %lu %lu\n", total(f, process, process + 1),
		       total(f, process, process + 1));
		fflush(stdout);
	}
}

static void reap(struct flood *f, int flags)
{
	int status;
	pid_t pid;

	do {
		pid = waitpid(-1, &status, flags);
		f->killed += pid > 0 && WIFSIGNALED(status);
	} while (pid > 0 || (pid < 0 && errno == EINTR));
}

static void tell_to_stop(const struct flood *f, const pid_t *pids)
{
	static int was_told;

	for (unsigned int p = 0; has_to_stop && !was_told && p < f->processes; p++)
		kill(pids[p], SIGTERM);
	was_told |= has_to_stop;
}

static void monitor(struct flood *f, const pid_t *pids)
{
	siginfo_t info;

	while (!waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT)) {
		reap(f, WNOHANG);
		printf("at %lu\n", total(f, 0, (unsigned int)f->processes));
		fflush(stdout);
		tell_to_stop(f, pids);
		nap_us(20000);
	}
}

static void wait_for_all(struct flood *f, const pid_t *pids)
{
	if (f->kill_ms) {
		nap_us(f->kill_ms * 1000);
		for (unsigned int p = 0; p < f->processes; p++)
			kill(pids[p], SIGKILL);
	}
	if (f->is_monitored || !f->events)
		monitor(f, pids);
	reap(f, 0);
}

static void set_signals(struct flood *f)
{
	const struct sigaction term = { .sa_handler = on_term };
	const struct sigaction usr1 = {
		.sa_handler = !f->exit_by || *f->exit_by == 'p' ? on_usr1_leave : on_usr1_exit,
		.sa_flags = SA_RESTART,
	};

	sigemptyset(&f->usr1);
	sigaddset(&f->usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &f->usr1, NULL);
	sigaction(SIGUSR1, &usr1, NULL);
	if (!f->events)
		sigaction(SIGTERM, &term, NULL);
}

static int parse(struct flood *f, int argc, char **argv)
{
	int opt;

	*f = (struct flood) { .processes = 1, .threads = 1, .events = 1000 };
	while ((opt = getopt(argc, argv, "p:t:n:u:k:d:mox:")) != -1) {
		unsigned long n = optarg ? strtoul(optarg, NULL, 10) : 0;

		switch (opt) {
		case 'p': f->processes = n; break;
		case 't': f->threads = n; break;
		case 'n': f->events = n; break;
		case 'u': f->pause_us = n; break;
		case 'k': f->kill_ms = n; break;
		case 'd': f->detach_ms = n; break;
		case 'm': f->is_monitored = 1; break;
		case 'o': f->counts_only_on = 1; break;
		case 'x': f->exit_by = optarg; break;
		default: return -1;
		}
	}
	if (!f->processes || f->processes > WRITER_MAX || !f->threads || f->threads > WRITER_MAX)
		return -1;
	f->counts = mmap(NULL, f->processes * f->threads * sizeof(*f->counts),
			 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return f->counts == MAP_FAILED ? -1 : 0;
}

int main(int argc, char **argv)
{
	pid_t pids[WRITER_MAX];
	unsigned long sum, slack;
	struct flood f;

	if (parse(&f, argc, argv)) {
		fprintf(stderr, "flood: bad arguments\n");
		return 2;
	}
	set_signals(&f);
	if (!ktrace_enabled(flood, item))
		printf("untraced\n");
	fflush(stdout);
	for (unsigned int p = 0; p < f.processes; p++) {
		pids[p] = fork();
		if (pids[p] < 0)
			abort();
		if (!pids[p]) {
			run_process(&f, p);
			exit(0);
		}
	}
	if (f.detach_ms)
		return 0;
	wait_for_all(&f, pids);
	sum = total(&f, 0, (unsigned int)f.processes);
	slack = f.counts_only_on ? f.processes * f.threads : 0;
	printf("written %lu %lu\n", sum > slack ? sum - slack : 0,
	       sum + (f.kill_ms || f.exit_by ? f.processes * f.threads : f.killed * f.threads));
	return 0;
}
