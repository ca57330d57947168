// SPDX-License-Identifier: GPL-2.0
/*
 * dev_filter.c - KTRACE_IOC_FILTER of /dev/ktrace: what it refuses, and what it keeps out
 *
 *   dev_filter TEST           run a test
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include "dev.h"

enum { CALLS = 1000, STRANGE = 0x7abc };

/* Ends of a program of one comparison */
enum { WANTED = 1, UNWANTED = 2 };

static int set_filter(int fd, unsigned int id, const struct ktrace_match_step *steps,
		      unsigned int nr, const char *texts)
{
	struct ktrace_kernel_filter f = {
		.size = sizeof(f),
		.id = (__u16)id,
		.step_nr = (__u16)nr,
		.text_size = texts ? (__u32)strlen(texts) : 0,
		.steps = (__u64)(uintptr_t)steps,
		.texts = (__u64)(uintptr_t)texts,
	};

	return ioctl(fd, KTRACE_IOC_FILTER, &f);
}

/* System calls of that number; the first argument is behind nr. */
static struct ktrace_match_step nr_is(unsigned long nr)
{
	return (struct ktrace_match_step){
		.what = KTRACE_MATCH_NUMBER, .op = KTRACE_MATCH_EQ, .size = 8, .value = nr,
		.yes = WANTED, .no = UNWANTED,
	};
}

static int open_session(struct dev_channel *ch)
{
	int fd = dev_open();

	*ch = (struct dev_channel){ .spec = dev_spec(KTRACE_CHANNEL_KERNEL) };
	dev_add_channel(fd, ch);
	return fd;
}

static const unsigned int id = KTRACE_EV_SYSCALL_ENTER;

#define REFUSE(fd, field, wrong, err)                                           \
	do {                                                                    \
		struct ktrace_match_step step_ = nr_is(1);                      \
		step_.field = (wrong);                                          \
		EXPECT_ERRNO(set_filter(fd, id, &step_, 1, "abc"), err);        \
	} while (0)

static void refuse_programs(int fd)
{
	struct ktrace_match_step text = {
		.what = KTRACE_MATCH_COMM, .op = KTRACE_MATCH_EQ, .yes = WANTED, .no = UNWANTED,
		.text_len = 3,
	};

	REFUSE(fd, what, KTRACE_MATCH_WHAT_NR, EINVAL);
	REFUSE(fd, op, KTRACE_MATCH_OP_NR, EINVAL);
	REFUSE(fd, op, KTRACE_MATCH_LIKE, EINVAL);	/* a number */
	REFUSE(fd, flags, KTRACE_MATCH_WHOLE, EINVAL);
	REFUSE(fd, flags, 0x80, EINVAL);
	REFUSE(fd, reserved, 1, EINVAL);
	REFUSE(fd, yes, 0, EINVAL);			/* for ever */
	REFUSE(fd, no, 3, EINVAL);			/* nowhere */
	REFUSE(fd, size, 3, EINVAL);
	REFUSE(fd, text_len, 1, EINVAL);
	REFUSE(fd, what, KTRACE_MATCH_PID, EINVAL);	/* which has no size */
	EXPECT_ERRNO(set_filter(fd, id, &text, 1, "abc"), 0);
	EXPECT_ERRNO(set_filter(fd, id, &text, 1, "ab"), EINVAL);
	text.text_off = ~0u;
	EXPECT_ERRNO(set_filter(fd, id, &text, 1, "abc"), EINVAL);
	text.text_off = 0;
	text.op = KTRACE_MATCH_LT;
	EXPECT_ERRNO(set_filter(fd, id, &text, 1, "abc"), EINVAL);
}

/* Each error that is documented but EDQUOT and ENOMEM, which the suites in the kernel have. */
static void errors(void)
{
	struct dev_channel user = { .spec = dev_spec(KTRACE_CHANNEL_USER) }, ch;
	const struct ktrace_match_step step = nr_is(1);
	struct ktrace_kernel_filter odd = { .size = sizeof(odd), .id = id, .reserved = 1 };
	__u32 keep = 1;
	struct ktrace_adopt adopt = { .size = sizeof(adopt) };
	int fd = dev_open();

	EXPECT_ERRNO(set_filter(fd, id, &step, 1, NULL), EINVAL);	/* fresh */
	dev_add_channel(fd, &user);
	EXPECT_ERRNO(set_filter(fd, id, &step, 1, NULL), EINVAL);	/* no kernel channel */
	close(fd);
	fd = open_session(&ch);
	EXPECT_ERRNO(set_filter(fd, 0x1f, &step, 1, NULL), EINVAL);
	EXPECT_ERRNO(set_filter(fd, 0xffff, &step, 1, NULL), EINVAL);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_FILTER, &odd), EINVAL);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_FILTER, NULL), EFAULT);
	EXPECT_ERRNO(set_filter(fd, id, NULL, 1, NULL), EFAULT);
	EXPECT_ERRNO(set_filter(fd, id, NULL, 0, "abc"), EINVAL);
	EXPECT_ERRNO(set_filter(fd, id, &step, KTRACE_MATCH_STEPS_MAX + 1, NULL), EINVAL);
	refuse_programs(fd);
	EXPECT_ERRNO(set_filter(fd, id, &step, 1, NULL), 0);
	EXPECT_ERRNO(set_filter(fd, id, NULL, 0, NULL), 0);
	EXPECT_ERRNO(set_filter(fd, id, NULL, 0, NULL), 0);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_KEEP, &keep), 0);
	adopt.session = dev_info(fd).session;
	munmap(ch.map, ch.spec.map_size);
	close(fd);
	fd = dev_open();
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_ADOPT, &adopt), 0);
	EXPECT_ERRNO(set_filter(fd, id, &step, 1, NULL), EBUSY);
	keep = 0;
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_KEEP, &keep), 0);
}

static void count_strange(const struct dev_record *rec, void *arg)
{
	struct ktrace_ev_syscall_enter enter;

	memcpy(&enter, rec->payload, sizeof(enter));
	*(unsigned int *)arg += enter.nr == STRANGE;
}

static __u64 bytes_written(const struct dev_channel *ch)
{
	__u64 sum = 0;

	for (unsigned int i = 0; i < ch->control->ring_nr; i++)
		sum += dev_ring(ch, i)->head;
	return sum;
}

static void call_strangely(void)
{
	for (int i = 0; i < CALLS; i++)
		syscall(STRANGE, i);
}

/*
 * What is filtered out costs nothing in the rings, is not lost, and shows again as soon as the
 * filter is gone; nothing that it wants is missed while it is changed.
 */
static void room(void)
{
	struct ktrace_match_step never = nr_is(STRANGE + 1), strange = nr_is(STRANGE);
	struct dev_channel ch;
	int fd = open_session(&ch);
	unsigned int nr = 0;

	dev_enable(fd, id, 1);
	dev_follow(fd, getpid());
	EXPECT_ERRNO(set_filter(fd, id, &never, 1, NULL), 0);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), 0);
	call_strangely();
	EXPECT_EQ(bytes_written(&ch), 0);
	EXPECT_EQ(dev_lost(&ch), 0);
	EXPECT_ERRNO(set_filter(fd, id, &strange, 1, NULL), 0);
	call_strangely();
	EXPECT_EQ(dev_drain(&ch, count_strange, &nr), CALLS);
	EXPECT_EQ(nr, CALLS);
	EXPECT_ERRNO(set_filter(fd, id, NULL, 0, NULL), 0);
	call_strangely();
	dev_drain(&ch, count_strange, &nr);
	EXPECT_EQ(nr, 2 * CALLS);
	EXPECT_ERRNO(set_filter(fd, id, &strange, 1, NULL), 0);
	call_strangely();
	dev_drain(&ch, count_strange, &nr);
	EXPECT_EQ(nr, 3 * CALLS);
	EXPECT_EQ(dev_lost(&ch), 0);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
}

/* ---- the share of one user among many ---- */

enum { ATTACKER = 4321, SESSIONS = 8 };

struct watched {
	int fd;
	struct dev_channel ch;
};

static void watch(struct watched *w)
{
	dev_add_channel(w->fd, &w->ch);
	dev_enable(w->fd, id, 1);
	dev_follow(w->fd, getpid());
	EXPECT_ERRNO(ioctl(w->fd, KTRACE_IOC_START), 0);
}

/* As many comparisons as may be, of which none is true */
static void filter_slowly(const struct watched *w)
{
	enum { NR = KTRACE_MATCH_WORK_MAX / KTRACE_MATCH_WORK_STEP };
	struct ktrace_match_step steps[NR + 1];

	for (unsigned int i = 0; i <= NR; i++) {
		steps[i] = nr_is(STRANGE + 1 + i);
		steps[i].yes = NR;
		steps[i].no = (__u16)(i + 1 < NR ? i + 1 : NR + 1);
	}
	EXPECT_ERRNO(set_filter(w->fd, id, steps, NR, NULL), 0);
	steps[NR - 1].no = NR;
	steps[NR].yes = steps[NR].no = NR + 1;
	EXPECT_ERRNO(set_filter(w->fd, id, steps, NR + 1, NULL), EINVAL);
}

/* Strange calls that were recorded because there was no time for the filter */
static unsigned int undecided(struct watched *w)
{
	const __u64 before = dev_info(w->fd).undecided;
	unsigned int nr = 0;

	dev_drain(&w->ch, count_strange, &nr);
	nr = 0;
	call_strangely();
	dev_drain(&w->ch, count_strange, &nr);
	EXPECT(nr <= dev_info(w->fd).undecided - before);
	return nr;
}

/* Root records the attacker, too. */
static void attack(void *arg)
{
	const struct watched *root = arg;
	struct watched w[SESSIONS];
	int i;

	for (i = 0; i < SESSIONS; i++)
		w[i] = (struct watched){ dev_open(), { .spec = dev_spec(KTRACE_CHANNEL_KERNEL) } };
	dev_become_user(ATTACKER);
	for (i = 0; i < SESSIONS; i++)
		watch(&w[i]);
	filter_slowly(&w[0]);
	EXPECT_EQ(undecided(&w[0]), 0);
	for (i = 1; i < SESSIONS; i++)
		filter_slowly(&w[i]);
	EXPECT_EQ(undecided(&w[0]), CALLS);
	EXPECT_EQ(undecided(&w[SESSIONS - 1]), CALLS);
	for (i = 1; i < SESSIONS; i++)
		EXPECT_ERRNO(set_filter(w[i].fd, id, NULL, 0, NULL), 0);
	EXPECT_EQ(undecided(&w[0]), 0);
	EXPECT_EQ(dev_info(root->fd).undecided, 0);
}

/*
 * A user has the time of one filter, however many sessions filter; those that do not take none of
 * it. What another user does changes nothing.
 */
static void share(void)
{
	struct watched root = { dev_open(), { .spec = dev_spec(KTRACE_CHANNEL_KERNEL) } };

	watch(&root);
	filter_slowly(&root);
	dev_in_child(attack, &root);
	EXPECT_EQ(undecided(&root), 0);
}

/* System calls that are none, for recordings: 31000 to 31003, each with five lists of arguments */
static void strange(void)
{
	for (long nr = 31000; nr < 31004; nr++)
		for (long arg = 0; arg < 5; arg++)
			syscall(nr, arg, -arg, 1ul << (59 + arg));
}

int main(int argc, char **argv)
{
	static const struct dev_test tests[] = {
		{ "errors", errors },
		{ "room", room },
		{ "share", share },
		{ "strange", strange },
	};

	return dev_main(argc, argv, tests, NELEM(tests));
}
