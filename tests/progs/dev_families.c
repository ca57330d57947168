// SPDX-License-Identifier: GPL-2.0
/*
 * dev_families.c - kernel events of /dev/ktrace that are provoked one by one: what they say
 *
 *   dev_families TEST         run a test
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <net/if.h>
#include <netinet/in.h>
#include <linux/if_ether.h>
#include "dev.h"

/* ---- signals ---- */

/* What was recorded, in this order. */
struct signals {
	struct ktrace_ev_signal_generate generate[16];
	__u32 sender[16];
	struct ktrace_ev_signal_deliver deliver[16];
	__u32 taker[16];
	unsigned int generated;
	unsigned int delivered;
};

static void see_signal(const struct dev_record *rec, void *arg)
{
	const __u32 tid = rec->head.tid_flags & KTRACE_TID_MASK;
	struct signals *s = arg;

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

static void is_what_was_sent(const struct signals *s, __u32 pid)
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
		EXPECT(!strcmp(s->generate[i].comm, "dev_families"));
	}
}

/* Those that it sends itself, who takes them, and the kernel's word to the parent. */
static void signals(void)
{
	static const unsigned int ids[] = {
		KTRACE_EV_SIGNAL_GENERATE, KTRACE_EV_SIGNAL_DELIVER, 0,
	};
	static struct signals s;
	struct dev_channel ch;
	int fd, go[2], status;
	__u32 pid;
	char c;

	EXPECT_ERRNO(pipe(go), 0);
	pid = (__u32)fork();
	if (!pid) {
		on_one_cpu();
		EXPECT_EQ(read(go[0], &c, 1), 1);
		send_and_take();
	}
	fd = dev_start(&ch, ids, (int)pid);
	EXPECT_EQ(write(go[1], "x", 1), 1);
	EXPECT_EQ(waitpid((pid_t)pid, &status, 0), (pid_t)pid);
	EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	dev_drain(&ch, see_signal, &s);
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

/* ---- page faults ---- */

enum { PAGE = 4096 };

/* What is done with pages, and what was seen of it. */
struct faults {
	char *pages;
	unsigned int reads;		/* of the first: it was not there */
	unsigned int writes;		/* to it then: it was there, to be read */
	unsigned int kernel_writes;	/* to the second */
	unsigned int others;		/* of these two */
};

static void see_fault(const struct dev_record *rec, void *arg)
{
	struct faults *f = arg;
	struct ktrace_ev_fault ev;
	__u64 page;

	EXPECT_EQ(rec->head.len, sizeof(ev));
	memcpy(&ev, rec->payload, sizeof(ev));
	page = (ev.address - (__u64)(uintptr_t)f->pages) / PAGE;
	if (page > 1)
		return;
	EXPECT_EQ(rec->head.tid_flags & KTRACE_TID_MASK, getpid());
	EXPECT_EQ(ev.address % PAGE, page ? 0 : 42);
	EXPECT(ev.ip);
	if (page && rec->head.id == KTRACE_EV_FAULT_KERNEL && ev.access == KTRACE_FAULT_WRITE)
		f->kernel_writes++;
	else if (page || rec->head.id == KTRACE_EV_FAULT_KERNEL)
		f->others++;
	else if (ev.access == KTRACE_FAULT_READ && !ev.is_protection)
		f->reads++;
	else if (ev.access == KTRACE_FAULT_WRITE && ev.is_protection)
		f->writes++;
	else
		f->others++;
}

static void faults(void)
{
	static const unsigned int ids[] = { KTRACE_EV_FAULT_USER, KTRACE_EV_FAULT_KERNEL, 0 };
	struct faults f = { 0 };
	struct dev_channel ch;
	int fd, zero = open("/dev/zero", O_RDONLY);

	if (!dev_has_faults())
		exit(DEV_SKIPPED);
	f.pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(f.pages != MAP_FAILED);
	fd = dev_start(&ch, ids, getpid());
	EXPECT_EQ(*(volatile char *)(f.pages + 42), 0);
	*(volatile char *)(f.pages + 42) = 1;
	EXPECT_EQ(read(zero, f.pages + PAGE, 1), 1);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	dev_drain(&ch, see_fault, &f);
	EXPECT_EQ(f.reads, 1);
	EXPECT_EQ(f.writes, 1);
	EXPECT_EQ(f.kernel_writes, 1);
	EXPECT_EQ(f.others, 0);
}

/* ---- locks ---- */

struct locks {
	unsigned int contended;
	unsigned int acquired;
};

static void see_lock(const struct dev_record *rec, void *arg)
{
	struct locks *l = arg;
	__u64 lock;

	EXPECT_EQ(rec->head.len, sizeof(struct ktrace_ev_lock_contended));
	memcpy(&lock, rec->payload, sizeof(lock));
	EXPECT(lock >> 63);
	l->contended += rec->head.id == KTRACE_EV_LOCK_CONTENDED;
	l->acquired += rec->head.id == KTRACE_EV_LOCK_ACQUIRED;
}

static void map_and_unmap(size_t size, int flags)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1,
			0);

	EXPECT(at != MAP_FAILED);
	munmap(at, size);
}

/* Holds the lock of the process's memory for long, again and again. */
static void *hold(void *arg)
{
	while (!__atomic_load_n((bool *)arg, __ATOMIC_RELAXED))
		map_and_unmap(1 << 22, MAP_POPULATE);
	return NULL;
}

static void locks(void)
{
	static const unsigned int ids[] = { KTRACE_EV_LOCK_CONTENDED, KTRACE_EV_LOCK_ACQUIRED, 0 };
	struct ktrace_channel_spec spec = dev_spec(KTRACE_CHANNEL_KERNEL);
	struct locks l = { 0 };
	struct dev_channel ch;
	bool is_over = false;
	pthread_t holder;
	int fd, i;

	fd = dev_open();
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_CHANNEL, &spec), 0);
	if (!dev_try_enable(fd, ids[0]))
		exit(DEV_SKIPPED);
	close(fd);
	fd = dev_start(&ch, ids, getpid());
	EXPECT_EQ(pthread_create(&holder, NULL, hold, &is_over), 0);
	for (i = 0; i < 100000 && !(l.contended && l.acquired); i++) {
		map_and_unmap(PAGE, 0);
		dev_drain(&ch, see_lock, &l);
	}
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	EXPECT_EQ(pthread_join(holder, NULL), 0);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	EXPECT(l.contended && l.acquired);
}

/* ---- idle CPUs ---- */

struct idle {
	unsigned int begun;
	unsigned int over;
};

static void see_idle(const struct dev_record *rec, void *arg)
{
	struct ktrace_ev_power_idle ev;
	struct idle *s = arg;

	EXPECT_EQ(rec->head.len, sizeof(ev));
	memcpy(&ev, rec->payload, sizeof(ev));
	EXPECT_EQ(ev.cpu, rec->ring);
	EXPECT_EQ(rec->head.tid_flags & KTRACE_TID_MASK, 0);
	s->begun += ev.state >= 0;
	s->over += ev.state == -1;
}

static void idle(void)
{
	static const unsigned int ids[] = { KTRACE_EV_POWER_IDLE, 0 };
	struct idle s = { 0 };
	struct dev_channel ch;
	int fd, i;

	fd = dev_start(&ch, ids, KTRACE_FOLLOW_ALL);
	for (i = 0; i < 3000 && !(s.begun && s.over); i++) {
		usleep(10000);
		dev_drain(&ch, see_idle, &s);
	}
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	EXPECT(s.begun && s.over);
}

/* ---- packets ---- */

enum { PAYLOAD = 1234, IP_UDP = 28 };

struct packets {
	struct ktrace_ev_net of[3];	/* by event */
	unsigned int nr[3];
};

static void see_packet(const struct dev_record *rec, void *arg)
{
	const unsigned int i = rec->head.id - KTRACE_EV_NET_QUEUE;
	struct ktrace_ev_net ev = { 0 };
	struct packets *p = arg;

	EXPECT(i < 3);
	EXPECT_EQ(rec->head.len, i == 1 ? sizeof(struct ktrace_ev_net_xmit) : sizeof(ev));
	memcpy(&ev, rec->payload, rec->head.len);
	if (strcmp(ev.dev, "lo") ||
	    (ev.len != PAYLOAD + IP_UDP && ev.len != PAYLOAD + IP_UDP + ETH_HLEN))
		return;
	p->of[i] = ev;
	p->nr[i]++;
}

static void bring_up_loopback(int s)
{
	struct ifreq request = { .ifr_name = "lo" };

	EXPECT_ERRNO(ioctl(s, SIOCGIFFLAGS, &request), 0);
	request.ifr_flags |= IFF_UP;
	EXPECT_ERRNO(ioctl(s, SIOCSIFFLAGS, &request), 0);
}

/* A datagram to this machine itself is queued, sent, and comes. */
static void packets(void)
{
	static const unsigned int ids[] = {
		KTRACE_EV_NET_QUEUE, KTRACE_EV_NET_XMIT, KTRACE_EV_NET_RECEIVE, 0,
	};
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(to);
	struct packets p = { 0 };
	struct dev_channel ch;
	char data[PAYLOAD] = { 0 };
	int fd, s = socket(AF_INET, SOCK_DGRAM, 0);

	bring_up_loopback(s);
	EXPECT_ERRNO(bind(s, (struct sockaddr *)&to, len), 0);
	EXPECT_ERRNO(getsockname(s, (struct sockaddr *)&to, &len), 0);
	fd = dev_start(&ch, ids, KTRACE_FOLLOW_ALL);
	EXPECT_EQ(sendto(s, data, PAYLOAD, 0, (struct sockaddr *)&to, len), PAYLOAD);
	EXPECT_EQ(recv(s, data, PAYLOAD, 0), PAYLOAD);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	dev_drain(&ch, see_packet, &p);
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(p.nr[i], 1);
		EXPECT_EQ(p.of[i].packet, p.of[0].packet);
		EXPECT_EQ(p.of[i].result, 0);
	}
	EXPECT_EQ(p.of[0].protocol, ETH_P_IP);
	EXPECT_EQ(p.of[2].protocol, ETH_P_IP);
	EXPECT_EQ(p.of[2].len, PAYLOAD + IP_UDP);
	for (int i = 0; i < 3; i += 2) {
		EXPECT_EQ(p.of[i].dst_port, ntohs(to.sin_port));
		EXPECT_EQ(p.of[i].payload, PAYLOAD);
		EXPECT_EQ(p.of[i].transport, IPPROTO_UDP);
		EXPECT(!memcmp(p.of[i].ip_dst + 12, &to.sin_addr, 4));
	}
}

int main(int argc, char **argv)
{
	static const struct dev_test tests[] = {
		{ "signals", signals },
		{ "faults", faults },
		{ "locks", locks },
		{ "idle", idle },
		{ "packets", packets },
	};

	return dev_main(argc, argv, tests, NELEM(tests));
}
