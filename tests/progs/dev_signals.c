// SPDX-License-Identifier: GPL-2.0
/*
 * dev_signals.c - family "signal" of /dev/ktrace: who is sent what, and who takes it
 *
 *   dev_signals TEST          run a test
 */
#include <sched.h>
#include <stdint.h>
#include "dev.h"

/* What was recorded, in this order. */
struct seen {
	struct ktrace_ev_signal_generate generate[16];
	__u32 sender[16];
	struct ktrace_ev_signal_deliver deliver[16];
	__u32 taker[16];
	unsigned int generated;
	unsigned int delivered;
};

static void see(const struct dev_record *rec, void *arg)
{
	const __u32 tid = rec->head.tid_flags & KTRACE_TID_MASK;
	struct seen *s = arg;

	if (rec->head.id == KTRACE_EV_SIGNAL_GENERATE) {
		EXPECT(s->generated < NELEM(s->generate));
		EXPECT_EQ(rec->head.len, sizeof(s->generate[0]));
		memcpy(&s->generate[s->generated], rec->payload, sizeof(s->generate[0]));
		s->sender[s->generated++] = tid;
	} else {
		EXPECT_EQ(rec->head.id, KTRACE_EV_SIGNAL_DELIVER);
		EXPECT(s->delivered < NELEM(s->deliver));
		EXPECT_EQ(rec->head.len, sizeof(s->deliver[0]));
		memcpy(&s->deliver[s->delivered], rec->payload, sizeof(s->deliver[0]));
		s->taker[s->delivered++] = tid;
	}
}

static void on_signal(int sig)
{
	(void)sig;
}

/* So that all of it is in one ring, in order. */
static void on_one_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	EXPECT_ERRNO(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
}

/* All that the followed process does: signals to itself, one of each result that can be had. */
static void send_and_take(void)
{
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_NODEFER };
	sigset_t blocked;

	EXPECT_ERRNO(sigaction(SIGUSR1, &action, NULL), 0);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	kill(getpid(), SIGURG);				/* ignored */
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	kill(getpid(), SIGUSR1);			/* queued */
	kill(getpid(), SIGUSR1);			/* pending */
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);	/* taken */
	raise(SIGKILL);
}

static void is_what_was_sent(const struct seen *s, __u32 pid)
{
	static const struct {
		__u32 sig;
		__s32 code;
		__u32 is_group;
		__u32 result;
	} want[] = {
		{ SIGURG, SI_USER, 1, KTRACE_SIGNAL_IGNORED },
		{ SIGUSR1, SI_USER, 1, KTRACE_SIGNAL_QUEUED },
		{ SIGUSR1, SI_USER, 1, KTRACE_SIGNAL_PENDING },
		{ SIGKILL, SI_TKILL, 0, KTRACE_SIGNAL_QUEUED },
	};

	EXPECT(s->generated >= NELEM(want));
	for (size_t i = 0; i < NELEM(want); i++) {
		EXPECT_EQ(s->sender[i], pid);
		EXPECT_EQ(s->generate[i].sig, want[i].sig);
		EXPECT_EQ(s->generate[i].code, want[i].code);
		EXPECT_EQ(s->generate[i].tid, pid);
		EXPECT_EQ(s->generate[i].pid, pid);
		EXPECT_EQ(s->generate[i].is_group, want[i].is_group);
		EXPECT_EQ(s->generate[i].result, want[i].result);
		EXPECT(!strcmp(s->generate[i].comm, "dev_signals"));
	}
}

/* Those that it sends itself, who takes them, and the kernel's word to the parent. */
static void sent_and_taken(void)
{
	static struct seen s;
	struct dev_channel ch;
	int fd = dev_open(), go[2], status;
	__u32 pid;
	char c;

	EXPECT_ERRNO(pipe(go), 0);
	pid = (__u32)fork();
	if (!pid) {
		on_one_cpu();
		EXPECT_EQ(read(go[0], &c, 1), 1);
		send_and_take();
	}
	ch.spec = dev_spec(KTRACE_CHANNEL_KERNEL);
	dev_add_channel(fd, &ch);
	dev_enable(fd, KTRACE_EV_SIGNAL_GENERATE, 1);
	dev_enable(fd, KTRACE_EV_SIGNAL_DELIVER, 1);
	dev_follow(fd, (int)pid);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), 0);
	EXPECT_EQ(write(go[1], "x", 1), 1);
	EXPECT_EQ(waitpid((pid_t)pid, &status, 0), (pid_t)pid);
	EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	dev_drain(&ch, see, &s);
	EXPECT_EQ(dev_lost(&ch), 0);
	is_what_was_sent(&s, pid);
	EXPECT_EQ(s.generated, 5);
	EXPECT_EQ(s.generate[4].sig, SIGCHLD);
	EXPECT_EQ(s.generate[4].code, CLD_KILLED);
	EXPECT_EQ(s.generate[4].tid, getpid());
	EXPECT_EQ(s.delivered, 2);
	EXPECT_EQ(s.taker[0], pid);
	EXPECT_EQ(s.deliver[0].sig, SIGUSR1);
	EXPECT_EQ(s.deliver[0].code, SI_USER);
	EXPECT_EQ(s.deliver[0].handler, (__u64)(uintptr_t)on_signal);
	EXPECT(s.deliver[0].flags & SA_NODEFER);
	EXPECT_EQ(s.deliver[1].sig, SIGKILL);
	EXPECT_EQ(s.deliver[1].handler, 0);
}

int main(int argc, char **argv)
{
	static const struct dev_test tests[] = {
		{ "sent_and_taken", sent_and_taken },
	};

	return dev_main(argc, argv, tests, NELEM(tests));
}
