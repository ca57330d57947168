// SPDX-License-Identifier: GPL-2.0
/*
 * dev_log.c - ledger of TRACER_LOGEVENT: logged = read + lost + still in the ring
 *
 *   dev_log MODULE POLICY RING_SIZE PAUSE_US COUNT RATE
 *
 * Starts a session, loads the example module logevent, which logs COUNT events from each
 * of process, interrupt and kernel thread, and reads the rings every PAUSE_US (0: only
 * at the end, as it must be with the overwrite policy). Each event must be delivered at
 * most once and belong to where it says; what is missing must be counted.
 *
 *   dev_log code0 MODULE      code 0 is neither recorded nor counted
 *   dev_log two MODULE        two sessions get every event, one that is off none; then
 *                             the one that is left gets all
 */
#include "dev.h"

enum { PLACES = 3, COUNT_MAX = 200000 };

struct ledger {
	unsigned char got[PLACES][COUNT_MAX];
	unsigned long read;
};

static void see(const struct dev_record *rec, void *arg)
{
	static const __u16 codes[PLACES] = { 0x09, 0x19, 0x29 };
	struct ktrace_ev_logevent ev;
	struct ledger *l = arg;

	EXPECT_EQ(rec->head.id, KTRACE_EV_LOGEVENT);
	EXPECT_EQ(rec->head.len, sizeof(ev));
	memcpy(&ev, rec->payload, sizeof(ev));
	EXPECT(ev.par1 < PLACES);
	EXPECT_EQ(ev.type, codes[ev.par1]);
	EXPECT_EQ(!!(rec->head.tid_flags & KTRACE_REC_IRQ), ev.par1 == 1);
	EXPECT(ev.par2 < COUNT_MAX);
	EXPECT_EQ(l->got[ev.par1][ev.par2]++, 0);
	l->read++;
}

static void load(const char *module, const char *parameters)
{
	char cmd[512];

	snprintf(cmd, sizeof(cmd), "insmod %s %s", module, parameters);
	EXPECT_EQ(system(cmd), 0);
}

static void unload(void)
{
	EXPECT_EQ(system("rmmod logevent"), 0);
}

/* Logged so far in all places. */
static unsigned long logged(void)
{
	FILE *f = fopen("/sys/module/logevent/parameters/logged", "r");
	unsigned long n[PLACES];

	EXPECT(f);
	EXPECT_EQ(fscanf(f, "%lu,%lu,%lu", &n[0], &n[1], &n[2]), PLACES);
	fclose(f);
	return n[0] + n[1] + n[2];
}

static int open_session(struct dev_channel *ch, unsigned int policy, __u64 ring_size)
{
	int fd = dev_open();

	ch->spec = dev_spec(KTRACE_CHANNEL_KERNEL);
	ch->spec.policy = policy;
	ch->spec.ring_size = ring_size;
	ch->spec.block_size = ch->spec.watermark = 4096;	/* so the ring may be quick */
	dev_add_channel(fd, ch);
	dev_enable(fd, KTRACE_EV_LOGEVENT, 1);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), 0);
	return fd;
}

/* Published by all rings, by the writers' own count. */
static __u64 written(const struct dev_channel *ch)
{
	__u64 sum = 0;
	unsigned int i;

	for (i = 0; i < ch->control->ring_nr; i++)
		sum += dev_ring(ch, i)->records;
	return sum;
}

/* Overwrite: behind head at least all blocks but the one that comes next are whole. */
static void skip_overwritten(const struct dev_channel *ch)
{
	const struct ktrace_control *c = ch->control;
	unsigned int i;

	for (i = 0; i < c->ring_nr; i++) {
		__u64 head = dev_ring(ch, i)->head;
		__u64 end = ((head + c->block_size - 1) & ~(__u64)(c->block_size - 1)) +
			    c->block_size;

		dev_tail(ch, i)->tail = end > c->ring_size ? end - c->ring_size : 0;
	}
}

/* The thread is the last to end (it sleeps longer than the timer): its newest are there. */
static void expect_newest(const struct ledger *l, unsigned long count)
{
	unsigned long seq;

	for (seq = count - 100; seq < count; seq++)
		EXPECT_EQ(l->got[PLACES - 1][seq], 1);
}

static void run_ledger(char **argv)
{
	static struct ledger l;
	const unsigned int policy = (unsigned int)atoi(argv[2]);
	const unsigned int pause_us = (unsigned int)atoi(argv[4]);
	const unsigned long all = PLACES * strtoul(argv[5], NULL, 0);
	struct dev_channel ch;
	char parameters[64];
	int fd = open_session(&ch, policy, strtoull(argv[3], NULL, 0));

	EXPECT(all <= PLACES * COUNT_MAX);
	snprintf(parameters, sizeof(parameters), "count=%s rate=%s", argv[5], argv[6]);
	load(argv[1], parameters);
	while (logged() < all) {
		usleep(pause_us ? pause_us : 10000);
		if (pause_us)
			dev_drain(&ch, see, &l);
	}
	unload();
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	if (policy == KTRACE_POLICY_OVERWRITE)
		skip_overwritten(&ch);
	dev_drain(&ch, see, &l);
	printf("logged %lu read %lu lost %llu\n", all, l.read, dev_lost(&ch));
	EXPECT_EQ(written(&ch) + dev_lost(&ch), all);
	if (policy == KTRACE_POLICY_OVERWRITE)
		expect_newest(&l, all / PLACES);
	else
		EXPECT_EQ(l.read + dev_lost(&ch), all);
}

static void run_code0(const char *module)
{
	struct dev_channel ch;
	int fd = open_session(&ch, KTRACE_POLICY_DROP, 1 << 20);

	load(module, "count=50 rate=1000 codes=0,0,0");
	while (logged() < PLACES * 50)
		usleep(1000);
	unload();
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	EXPECT_EQ(dev_drain(&ch, NULL, NULL), 0);
	EXPECT_EQ(dev_lost(&ch), 0);
}

static void log_500(const char *module)
{
	load(module, "count=500 rate=5000");
	while (logged() < PLACES * 500)
		usleep(1000);
	unload();
}

static void run_two(const char *module)
{
	static struct ledger l[3];
	struct dev_channel ch[3];
	int i, fds[3];

	for (i = 0; i < 3; i++)
		fds[i] = open_session(&ch[i], KTRACE_POLICY_DROP, 1 << 20);
	dev_enable(fds[2], KTRACE_EV_LOGEVENT, 0);
	log_500(module);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(dev_drain(&ch[i], see, &l[i]), PLACES * 500);
		EXPECT_EQ(dev_lost(&ch[i]), 0);
	}
	EXPECT_EQ(dev_drain(&ch[2], NULL, NULL), 0);
	dev_enable(fds[0], KTRACE_EV_LOGEVENT, 0);
	log_500(module);
	EXPECT_EQ(dev_drain(&ch[1], see, &l[2]), PLACES * 500);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(dev_lost(&ch[i]), 0);
		EXPECT_EQ(dev_drain(&ch[i], NULL, NULL), 0);
	}
}

int main(int argc, char **argv)
{
	if (argc == 7)
		run_ledger(argv);
	else if (argc == 3 && !strcmp(argv[1], "code0"))
		run_code0(argv[2]);
	else if (argc == 3 && !strcmp(argv[1], "two"))
		run_two(argv[2]);
	else
		return 2;
	return 0;
}
