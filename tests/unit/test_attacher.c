// SPDX-License-Identifier: GPL-2.0
/*
 * test_attacher.c - a recorder on a board: numbers, slots, wants, and boards that are forged
 */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

#include <ktrace/attacher.h>

#include "../../userspace/lib/base/board_key.h"

static char name[64];
static struct ktrace_board *board;
static struct ktrace_board_slot *slots;
static struct ktrace_board_want *wants;
static int id;

static void open_board(void)
{
	id = shmget(board_key(geteuid(), name), KTRACE_BOARD_SIZE, 0);
	board = shmat(id, NULL, 0);
	assert(board != (void *)-1);
	slots = (void *)((char *)board + KTRACE_BOARD_SLOTS_OFF);
	wants = (void *)((char *)board + KTRACE_BOARD_WANTS_OFF);
}

static void test_numbers(void)
{
	struct ktrace_attacher *a[KTRACE_BOARD_WANTS], *more;

	for (unsigned int i = 0; i < KTRACE_BOARD_WANTS; i++)
		assert(!ktrace_attacher_open(geteuid(), name, &a[i]));
	assert(ktrace_attacher_open(geteuid(), name, &more) == -EBUSY && !more);
	ktrace_attacher_close(a[3]);
	assert(!ktrace_attacher_open(geteuid(), name, &a[3]));
	for (unsigned int i = 0; i < KTRACE_BOARD_WANTS; i++)
		ktrace_attacher_close(a[i]);
	ktrace_attacher_close(NULL);
	assert(ktrace_attacher_open(geteuid(), "none", &more) == -EOPNOTSUPP);
}

/* The number of a recorder that died is given to the next one, without what it had wanted. */
static void test_dead_recorder(void)
{
	struct ktrace_attacher *a[KTRACE_BOARD_WANTS];
	const pid_t pid = fork();

	if (!pid) {
		assert(!ktrace_attacher_open(geteuid(), name, &a[0]));
		assert(!ktrace_attacher_want_all(a[0], "shm:/x", 1));
		_exit(0);
	}
	assert(waitpid(pid, NULL, 0) == pid && board->wanted == 1);
	for (unsigned int i = 0; i < KTRACE_BOARD_WANTS; i++)
		assert(!ktrace_attacher_open(geteuid(), name, &a[i]));
	assert(!board->wanted);
	for (unsigned int i = 0; i < KTRACE_BOARD_WANTS; i++)
		ktrace_attacher_close(a[i]);
}

static void test_wants(void)
{
	char long_name[KTRACE_BOARD_SESSION + 1];
	struct ktrace_attachable found;
	struct ktrace_attacher *a;

	assert(!ktrace_attacher_open(geteuid(), name, &a));
	assert(!ktrace_attacher_next(a, 0, &found));
	slots[7].pid = (__u32)getpid();
	slots[7].since = ~0ull;
	slots[8].pid = (__u32)getpid();		/* its process has ended: this one is later */
	slots[9].pid = KTRACE_BOARD_BUSY | (__u32)getpid();
	slots[10].pid = 0x7ffffff0;
	assert(ktrace_attacher_next(a, 0, &found) && found.slot == 7 && !found.is_wanted);
	assert(found.pid == (__u32)getpid());
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	assert(ktrace_attacher_want(a, &found, long_name, 1) == -EINVAL && !slots[7].wanted);
	assert(!ktrace_attacher_want(a, &found, "shm:/x", 5) && slots[7].wanted == 1);
	assert(slots[7].off == KTRACE_BOARD_POKED_OFF && slots[7].on == KTRACE_BOARD_POKED_ON);
	assert(wants[7 * KTRACE_BOARD_WANTS].pid == (__u32)getpid());
	assert(wants[7 * KTRACE_BOARD_WANTS].pidns == 5);
	assert(!(wants[7 * KTRACE_BOARD_WANTS].seq & 1));
	assert(!strcmp(wants[7 * KTRACE_BOARD_WANTS].session, "shm:/x"));
	assert(ktrace_attacher_next(a, 0, &found) && found.is_wanted);
	assert(found.fate == KTRACE_BOARD_WAITS && !found.is_direct);
	slots[7].fate[0] = KTRACE_BOARD_REFUSED;
	slots[7].error[0] = EXDEV;
	slots[7].flags = KTRACE_BOARD_DIRECT;
	assert(ktrace_attacher_next(a, 0, &found) && found.fate == KTRACE_BOARD_REFUSED);
	assert(found.error == EXDEV && found.is_direct);
	assert(!ktrace_attacher_want(a, &found, "shm:/x", 5) && !slots[7].fate[0]);
	assert(!ktrace_attacher_next(a, 8, &found));
	slots[7].pid = 1;
	found.slot = 7;
	found.pid = (__u32)getpid();
	assert(ktrace_attacher_want(a, &found, "shm:/x", 5) == -ESRCH);
	board->full = 3;
	assert(ktrace_attacher_full(a) == 3);
	ktrace_attacher_close(a);
	assert(!slots[7].wanted && !board->recorder[0]);
}

/* Whatever the board holds, nothing outside of it is touched, and every call ends. */
static void test_forged(unsigned int seed)
{
	struct ktrace_attachable found;
	struct ktrace_attacher *a;

	srand(seed);
	for (size_t i = 8; i < KTRACE_BOARD_SIZE; i++)
		((unsigned char *)board)[i] = (unsigned char)rand();
	memset(board->recorder, 0, sizeof(board->recorder));
	assert(!ktrace_attacher_open(geteuid(), name, &a));
	for (__u32 slot = 0; ktrace_attacher_next(a, slot, &found); slot = found.slot + 1) {
		assert(found.slot >= slot && found.slot < KTRACE_BOARD_SLOTS);
		ktrace_attacher_want(a, &found, "shm:/x", 1);
	}
	ktrace_attacher_close(a);
}

static void test_refused(void)
{
	struct ktrace_attacher *a;

	board->version = KTRACE_BOARD_VERSION + 1;
	assert(ktrace_attacher_open(geteuid(), name, &a) == -EBADMSG);
	board->version = KTRACE_BOARD_VERSION;
	board->magic = 7;
	assert(ktrace_attacher_open(geteuid(), name, &a) == -EBADMSG);
	shmctl(id, IPC_RMID, NULL);
	id = shmget(board_key(geteuid(), name), KTRACE_BOARD_SIZE, IPC_CREAT | 0666);
	assert(ktrace_attacher_open(geteuid(), name, &a) == -EPERM);
	shmctl(id, IPC_RMID, NULL);
	id = shmget(board_key(geteuid(), name), 4096, IPC_CREAT | 0600);
	assert(ktrace_attacher_open(geteuid(), name, &a) == -EPERM);
	shmctl(id, IPC_RMID, NULL);
	assert(ktrace_attacher_open(geteuid() + 1, name, &a) == -ENOENT);
}

int main(void)
{
	struct ktrace_attacher *a;

	snprintf(name, sizeof(name), "test_attacher-%d", getpid());
	assert(!ktrace_attacher_open(geteuid(), name, &a));
	ktrace_attacher_close(a);
	open_board();
	test_numbers();
	test_dead_recorder();
	test_wants();
	for (unsigned int seed = 1; seed < 20; seed++)
		test_forged(seed);
	test_refused();
	puts("ok");
	return 0;
}
