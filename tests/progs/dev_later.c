// SPDX-License-Identifier: GPL-2.0
/*
 * dev_later.c - kernel events of what is left for later, of memory and futexes: what they say
 *
 *   dev_later TEST         run a test
 */
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <linux/futex.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include "dev.h"

/* The longest that anything may take, in hundredths of a second */
enum { PATIENCE = 3000 };

/* Stops, and reads what has been recorded until then. */
static void stop(int fd, struct dev_channel *ch, dev_visit visit, void *arg)
{
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	dev_drain(ch, visit, arg);
}

/* ---- softirqs ---- */

struct softirqs {
	unsigned int raised[256];	/* by ring: bit per vector */
	unsigned int entered;		/* that had been raised */
};

static void see_softirq(const struct dev_record *rec, void *arg)
{
	struct ktrace_ev_softirq ev;
	struct softirqs *s = arg;

	EXPECT_EQ(rec->head.len, sizeof(ev));
	memcpy(&ev, rec->payload, sizeof(ev));
	EXPECT(ev.vec < 32 && rec->ring < NELEM(s->raised));
	if (rec->head.id == KTRACE_EV_SOFTIRQ_RAISE)
		s->raised[rec->ring] |= 1u << ev.vec;
	else
		s->entered += s->raised[rec->ring] >> ev.vec & 1;
}

static void softirqs(void)
{
	static const unsigned int ids[] = { KTRACE_EV_SOFTIRQ_RAISE, KTRACE_EV_SOFTIRQ_ENTER, 0 };
	static struct softirqs s;
	struct dev_channel ch;
	int fd = dev_start(&ch, ids, KTRACE_FOLLOW_ALL);

	for (int i = 0; i < PATIENCE && !s.entered; i++) {
		usleep(10000);
		dev_drain(&ch, see_softirq, &s);
	}
	stop(fd, &ch, see_softirq, &s);
	EXPECT(s.entered);
}

/* ---- what runs functions ---- */

/* All payloads with a name: a word or two before it */
struct function {
	__u64 object;
	__s64 value;
	char name[KTRACE_FUNC_LEN];
};

static struct function function_of(const struct dev_record *rec, bool has_value)
{
	const size_t head = offsetof(struct function, value) + (has_value ? sizeof(__s64) : 0);
	struct function f = { 0 };

	EXPECT(rec->head.len > head && rec->head.len <= head + sizeof(f.name));
	memcpy(&f.object, rec->payload, sizeof(f.object));
	if (has_value)
		memcpy(&f.value, rec->payload + sizeof(f.object), sizeof(f.value));
	memcpy(f.name, rec->payload + head, rec->head.len - head);
	EXPECT_EQ(strlen(f.name), rec->head.len - head - 1);
	return f;
}

static bool is_mine(const struct dev_record *rec)
{
	return !(rec->head.tid_flags & KTRACE_REC_IRQ) &&
	       (int)(rec->head.tid_flags & KTRACE_TID_MASK) == getpid();
}

/* What a terminal is told is left to a thread of the kernel's. */
struct works {
	__u64 queued;			/* the last one that was, by this thread */
	__u64 started[256];		/* the newest of each */
	__u64 ended[256];
	unsigned int started_nr;
	unsigned int ended_nr;
};

static void see_work(const struct dev_record *rec, void *arg)
{
	const bool is_queue = rec->head.id == KTRACE_EV_WORKQUEUE_QUEUE;
	const struct function f = function_of(rec, is_queue);
	struct works *w = arg;

	EXPECT(f.object >> 63);
	if (strcmp(f.name, "flush_to_ldisc") != 0)
		return;
	if (rec->head.id == KTRACE_EV_WORKQUEUE_START) {
		w->started[w->started_nr++ % NELEM(w->started)] = f.object;
	} else if (rec->head.id == KTRACE_EV_WORKQUEUE_END) {
		w->ended[w->ended_nr++ % NELEM(w->ended)] = f.object;
	} else if (is_mine(rec)) {
		EXPECT(f.value >= -1 && f.value < sysconf(_SC_NPROCESSORS_CONF));
		w->queued = f.object;
	}
}

static bool is_in(const __u64 *list, unsigned int nr, unsigned int max, __u64 object)
{
	for (unsigned int i = 0; i < nr && i < max; i++)
		if (list[i] == object)
			return true;
	return false;
}

static bool is_done(const struct works *w)
{
	return w->queued &&
	       is_in(w->started, w->started_nr, NELEM(w->started), w->queued) &&
	       is_in(w->ended, w->ended_nr, NELEM(w->ended), w->queued);
}

static void works(void)
{
	static const unsigned int ids[] = {
		KTRACE_EV_WORKQUEUE_QUEUE, KTRACE_EV_WORKQUEUE_START, KTRACE_EV_WORKQUEUE_END, 0,
	};
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), other, fd;
	static struct works w;
	struct dev_channel ch;
	char line[2];

	EXPECT(terminal >= 0);
	EXPECT_ERRNO(grantpt(terminal), 0);
	EXPECT_ERRNO(unlockpt(terminal), 0);
	other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	EXPECT(other >= 0);
	fd = dev_start(&ch, ids, KTRACE_FOLLOW_ALL);
	EXPECT_EQ(write(terminal, "x\n", 2), 2);
	EXPECT_EQ(read(other, line, 2), 2);
	for (int i = 0; i < PATIENCE && !is_done(&w); i++) {
		usleep(10000);
		dev_drain(&ch, see_work, &w);
	}
	stop(fd, &ch, see_work, &w);
	EXPECT(is_done(&w));
}

/* ---- timers ---- */

/* In microseconds */
enum { THOUSAND_SECONDS = 1000000000 };

/* Those of this thread that run a function; and what then came of each of them */
struct timers {
	const char *func;
	__u64 started[64];
	__s64 delay_ns;			/* the longest */
	unsigned int nr;
	__u64 entered[4096], exited[4096];
	unsigned int entered_nr, exited_nr;
	unsigned int cancelled;		/* by this thread */
};

static void see_timer(const struct dev_record *rec, void *arg)
{
	struct ktrace_ev_timer ev;
	struct timers *t = arg;
	struct function f;

	if (rec->head.id == KTRACE_EV_TIMER_EXIT || rec->head.id == KTRACE_EV_HRTIMER_EXIT) {
		EXPECT_EQ(rec->head.len, sizeof(ev));
		memcpy(&ev, rec->payload, sizeof(ev));
		t->exited[t->exited_nr++ % NELEM(t->exited)] = ev.timer;
		return;
	}
	f = function_of(rec, rec->head.id != KTRACE_EV_TIMER_CANCEL &&
			rec->head.id != KTRACE_EV_HRTIMER_CANCEL);
	EXPECT(f.object >> 63);
	if (strcmp(f.name, t->func) != 0)
		return;
	switch (rec->head.id) {
	case KTRACE_EV_TIMER_ENTER:
	case KTRACE_EV_HRTIMER_ENTER:
		EXPECT(f.value >= 0);
		t->entered[t->entered_nr++ % NELEM(t->entered)] = f.object;
		return;
	case KTRACE_EV_TIMER_CANCEL:
	case KTRACE_EV_HRTIMER_CANCEL:
		t->cancelled += is_mine(rec);
		return;
	}
	if (!is_mine(rec))
		return;
	t->started[t->nr++ % NELEM(t->started)] = f.object;
	if (f.value > t->delay_ns)
		t->delay_ns = f.value;
}

/* One has been started, and its function has begun and ended. */
static bool has_run(const struct timers *t)
{
	for (unsigned int i = 0; i < t->nr && i < NELEM(t->started); i++)
		if (is_in(t->entered, t->entered_nr, NELEM(t->entered), t->started[i]) &&
		    is_in(t->exited, t->exited_nr, NELEM(t->exited), t->started[i]))
			return true;
	return false;
}

/* What interrupts do may still be under way. */
static void stop_timers(int fd, struct dev_channel *ch, struct timers *t)
{
	for (int i = 0; i < PATIENCE && !(has_run(t) && t->cancelled); i++) {
		usleep(10000);
		dev_drain(ch, see_timer, t);
	}
	stop(fd, ch, see_timer, t);
	EXPECT(has_run(t));
	EXPECT(t->cancelled);
	EXPECT(t->delay_ns > 1000000000 && t->delay_ns / 1000 <= THOUSAND_SECONDS + 100000);
}

static void on_alarm(int sig)
{
	(void)sig;
}

static void set_alarm(long us, long again_us)
{
	const struct itimerval value = {
		.it_value = { us / 1000000, us % 1000000 }, .it_interval = { 0, again_us },
	};

	EXPECT_ERRNO(setitimer(ITIMER_REAL, &value, NULL), 0);
}

static void wait_for_nothing(int s, long us, int error)
{
	const struct timeval timeout = { us / 1000000, us % 1000000 };
	char c;

	EXPECT_ERRNO(setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)), 0);
	EXPECT_ERRNO(recv(s, &c, 1, 0), error);
}

/* One that runs out, and one that a signal makes superfluous */
static void timers(void)
{
	static const unsigned int ids[] = {
		KTRACE_EV_TIMER_START, KTRACE_EV_TIMER_CANCEL, KTRACE_EV_TIMER_ENTER,
		KTRACE_EV_TIMER_EXIT, 0,
	};
	const struct sigaction action = { .sa_handler = on_alarm };
	static struct timers t = { .func = "process_timeout" };
	struct dev_channel ch;
	int fd, s[2];

	EXPECT_ERRNO(socketpair(AF_UNIX, SOCK_DGRAM, 0, s), 0);
	EXPECT_ERRNO(sigaction(SIGALRM, &action, NULL), 0);
	fd = dev_start(&ch, ids, KTRACE_FOLLOW_ALL);
	wait_for_nothing(s[0], 10000, EAGAIN);
	set_alarm(10000, 10000);
	wait_for_nothing(s[0], THOUSAND_SECONDS, EINTR);
	set_alarm(0, 0);
	stop_timers(fd, &ch, &t);
}

static void hrtimers(void)
{
	static const unsigned int ids[] = {
		KTRACE_EV_HRTIMER_START, KTRACE_EV_HRTIMER_CANCEL, KTRACE_EV_HRTIMER_ENTER,
		KTRACE_EV_HRTIMER_EXIT, 0,
	};
	const struct sigaction action = { .sa_handler = on_alarm };
	static struct timers t = { .func = "it_real_fn" };
	struct dev_channel ch;
	sigset_t none, alarm;
	int fd;

	sigemptyset(&none);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	EXPECT_ERRNO(sigaction(SIGALRM, &action, NULL), 0);
	EXPECT_ERRNO(sigprocmask(SIG_BLOCK, &alarm, NULL), 0);
	fd = dev_start(&ch, ids, KTRACE_FOLLOW_ALL);
	set_alarm(10000, 0);
	EXPECT_ERRNO(sigsuspend(&none), EINTR);
	set_alarm(THOUSAND_SECONDS, 0);
	set_alarm(0, 0);
	stop_timers(fd, &ch, &t);
}

/* ---- memory ---- */

enum { MEMORY = 8 << 20 };

/* What this process was said to use of its own */
struct memory {
	__u64 least;
	__u64 most;
	unsigned int files;
};

static void see_memory(const struct dev_record *rec, void *arg)
{
	struct ktrace_ev_memory_rss ev;
	struct memory *m = arg;

	EXPECT_EQ(rec->head.len, sizeof(ev));
	memcpy(&ev, rec->payload, sizeof(ev));
	EXPECT_EQ(rec->head.tid_flags & KTRACE_TID_MASK, getpid());
	EXPECT_EQ(ev.pid, getpid());
	EXPECT(ev.kind <= KTRACE_MEMORY_SHM);
	EXPECT_EQ(ev.bytes % (__u64)sysconf(_SC_PAGESIZE), 0);
	m->files += ev.kind == KTRACE_MEMORY_FILE;
	if (ev.kind != KTRACE_MEMORY_ANON)
		return;
	if (!m->most || ev.bytes < m->least)
		m->least = ev.bytes;
	if (ev.bytes > m->most)
		m->most = ev.bytes;
}

/* Kernels tell every page or every 64, or a huge one: so there is room for error. */
static void memory(void)
{
	static const unsigned int ids[] = { KTRACE_EV_MEMORY_RSS, 0 };
	struct memory m = { 0 };
	struct dev_channel ch;
	char *at = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd;

	EXPECT(at != MAP_FAILED);
	fd = dev_start(&ch, ids, getpid());
	for (size_t i = 0; i < MEMORY; i += 4096) {
		*(volatile char *)(at + i) = 1;
		dev_drain(&ch, see_memory, &m);
	}
	stop(fd, &ch, see_memory, &m);
	EXPECT(m.most - m.least > MEMORY / 2 && m.most - m.least < 2 * MEMORY);
}

/* ---- futexes ---- */

/* What was done, and what is to be told of it */
struct futex_call {
	struct ktrace_ev_futex_enter enter;
	long result;
};

struct futex_calls {
	struct futex_call of[16];
	unsigned int nr;
	unsigned int entered;
	unsigned int exited;
};

static void see_futex(const struct dev_record *rec, void *arg)
{
	struct futex_calls *c = arg;
	struct ktrace_ev_futex_exit ev;

	EXPECT_EQ(rec->head.tid_flags & KTRACE_TID_MASK, getpid());
	if (rec->head.id == KTRACE_EV_FUTEX_ENTER) {
		EXPECT_EQ(c->entered, c->exited);
		EXPECT(c->entered < c->nr);
		EXPECT_EQ(rec->head.len, sizeof(c->of[0].enter));
		EXPECT(!memcmp(rec->payload, &c->of[c->entered++].enter, rec->head.len));
		return;
	}
	EXPECT_EQ(rec->head.len, sizeof(ev));
	EXPECT_EQ(c->entered, c->exited + 1);
	memcpy(&ev, rec->payload, sizeof(ev));
	EXPECT_EQ(ev.address, c->of[c->exited].enter.address);
	EXPECT_EQ(ev.op, c->of[c->exited].enter.op);
	EXPECT_EQ(ev.result, c->of[c->exited++].result);
}

static void add_call(struct futex_calls *c, struct ktrace_ev_futex_enter enter, long ret)
{
	EXPECT(c->nr < NELEM(c->of));
	c->of[c->nr++] = (struct futex_call){ enter, ret < 0 ? -errno : ret };
}

/* What an op does not use is made up, as it is when a C library calls. */
static void call_futex(struct futex_calls *c, __u32 *word, int op, __u32 value,
		       const struct timespec *timeout, struct ktrace_ev_futex_enter enter)
{
	enter.address = (uintptr_t)word;
	add_call(c, enter, syscall(SYS_futex, word, op, value, timeout, 0xabc000ul, 0x55));
}

static void call_futexes(struct futex_calls *c)
{
	static const struct timespec past = { 0, 1 };
	static __u32 word = 5, other, lock;
	static struct futex_waitv list = {
		.val = 6, .uaddr = (uintptr_t)&word, .flags = FUTEX_32,
	};

	call_futex(c, &word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 6, NULL,
		   (struct ktrace_ev_futex_enter){
			.op = KTRACE_FUTEX_WAIT, .flags = KTRACE_FUTEX_PRIVATE, .value = 6 });
	call_futex(c, &word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 5, &past,
		   (struct ktrace_ev_futex_enter){
			.op = KTRACE_FUTEX_WAIT_BITSET, .value = 5, .value3 = 0x55,
			.flags = KTRACE_FUTEX_REALTIME | KTRACE_FUTEX_TIMEOUT });
	call_futex(c, &word, FUTEX_WAKE, INT_MAX, &past,
		   (struct ktrace_ev_futex_enter){ .op = KTRACE_FUTEX_WAKE, .value = INT_MAX });
	call_futex(c, &lock, FUTEX_LOCK_PI, 7, NULL,
		   (struct ktrace_ev_futex_enter){ .op = KTRACE_FUTEX_LOCK_PI });
	call_futex(c, &lock, FUTEX_UNLOCK_PI, 7, NULL,
		   (struct ktrace_ev_futex_enter){ .op = KTRACE_FUTEX_UNLOCK_PI });
	call_futex(c, &word, 99, 7, &past, (struct ktrace_ev_futex_enter){ .op = 99 });
	add_call(c, (struct ktrace_ev_futex_enter){
			.address = (uintptr_t)&word, .address2 = (uintptr_t)&other,
			.op = KTRACE_FUTEX_CMP_REQUEUE, .value = 1, .value2 = 7, .value3 = 9 },
		 syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE, 1, 7ul, &other, 9));
	add_call(c, (struct ktrace_ev_futex_enter){
			.address = (uintptr_t)&list, .op = KTRACE_FUTEX_WAITV, .value = 1 },
		 syscall(SYS_futex_waitv, &list, 1, 0, NULL, CLOCK_REALTIME));
}

/* So that all of it is in one ring, in order. */
static void on_one_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	EXPECT_ERRNO(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
}

static void futexes(void)
{
	static const unsigned int ids[] = { KTRACE_EV_FUTEX_ENTER, KTRACE_EV_FUTEX_EXIT, 0 };
	static struct futex_calls c;
	struct dev_channel ch;
	int fd;

	on_one_cpu();
	fd = dev_start(&ch, ids, getpid());
	call_futexes(&c);
	stop(fd, &ch, see_futex, &c);
	EXPECT_EQ(c.exited, c.nr);
	EXPECT_EQ(c.of[0].result, -EAGAIN);
	EXPECT_EQ(c.of[1].result, -ETIMEDOUT);
	/* futex_waitv() exists since 5.16. */
	EXPECT(c.of[c.nr - 1].result == -EAGAIN || c.of[c.nr - 1].result == -ENOSYS);
}

int main(int argc, char **argv)
{
	static const struct dev_test tests[] = {
		{ "softirqs", softirqs },
		{ "works", works },
		{ "timers", timers },
		{ "hrtimers", hrtimers },
		{ "memory", memory },
		{ "futexes", futexes },
	};

	return dev_main(argc, argv, tests, NELEM(tests));
}
