// SPDX-License-Identifier: GPL-2.0
/*
 * board.c - makes and spoils boards, for tests
 *
 *   board remove		removes the board that KTRACE_BOARD names
 *   board fill			gives all slots to this process's parent
 *   board forge SEED		fills the board with random bytes, again and again for 2 s
 *   board magic		makes it invalid
 *   board open			makes one to which others may write
 *   board wanted PID TEXT	wants a process for a session TEXT, as a forger would
 *   board show			prints slots that have a process, and who wants it
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#include "base/board_key.h"

static struct ktrace_board *board;
static struct ktrace_board_slot *slots;
static struct ktrace_board_want *wants;

static int map(key_t key, int mode)
{
	const int id = shmget(key, KTRACE_BOARD_SIZE, IPC_CREAT | mode);

	board = id < 0 ? (void *)-1 : shmat(id, NULL, 0);
	if (board == (void *)-1) {
		perror("board");
		exit(1);
	}
	slots = (void *)((char *)board + KTRACE_BOARD_SLOTS_OFF);
	wants = (void *)((char *)board + KTRACE_BOARD_WANTS_OFF);
	return id;
}

static void forge(unsigned int seed)
{
	const time_t end = time(NULL) + 2;

	srand(seed);
	while (time(NULL) < end)
		for (int i = 0; i < 10000; i++) {
			const size_t at = (size_t)rand() % KTRACE_BOARD_SIZE;

			/* The magic stays, so that the rest is read. */
			if (at >= 8)
				((volatile char *)board)[at] = (char)rand();
		}
}

static int want(__u32 pid, const char *session)
{
	for (__u32 i = 0; i < KTRACE_BOARD_SLOTS; i++) {
		struct ktrace_board_want *w = &wants[i * KTRACE_BOARD_WANTS];

		if (slots[i].pid != pid)
			continue;
		w->pid = pid;
		w->since = slots[i].since;
		memset(w->session, 'x', sizeof(w->session));
		memcpy(w->session, session, strnlen(session, sizeof(w->session) - 1) + 1);
		__atomic_fetch_or(&slots[i].wanted, 1, __ATOMIC_RELEASE);
		__atomic_store_n(&slots[i].off, KTRACE_BOARD_POKED_OFF, __ATOMIC_RELEASE);
		return 0;
	}
	return 1;
}

static void show(void)
{
	printf("wanted of all 0x%x, recorder %u\n", board->wanted, board->recorder[0]);
	for (__u32 i = 0; i < KTRACE_BOARD_SLOTS; i++) {
		const struct ktrace_board_want *w = &wants[i * KTRACE_BOARD_WANTS];

		if (slots[i].pid)
			printf("pid %u since %llu: wanted 0x%x, on %u, off %u, flags %u, fate %u, "
			       "error %u, joins %u, leaves %u; want %u for pid %u since %llu: "
			       "%.95s\n", slots[i].pid,
			       (unsigned long long)slots[i].since, slots[i].wanted, slots[i].on,
			       slots[i].off, slots[i].flags, slots[i].fate[0], slots[i].error[0],
			       slots[i].joins, slots[i].leaves, w->seq, w->pid,
			       (unsigned long long)w->since, w->session);
	}
}

int main(int argc, char **argv)
{
	const key_t key = board_key(geteuid(), getenv("KTRACE_BOARD"));
	const char *what = argc > 1 ? argv[1] : "";
	const int id = map(key, strcmp(what, "open") ? 0600 : 0666);

	if (!strcmp(what, "remove"))
		return shmctl(id, IPC_RMID, NULL) ? 1 : 0;
	if (!strcmp(what, "fill"))
		for (__u32 i = 0; i < KTRACE_BOARD_SLOTS; i++)
			slots[i].pid = (__u32)getppid();
	if (!strcmp(what, "forge"))
		forge(argc > 2 ? (unsigned int)atoi(argv[2]) : 1);
	if (!strcmp(what, "magic"))
		board->magic = 1;
	if (!strcmp(what, "show"))
		show();
	if (!strcmp(what, "wanted") && argc > 3)
		return want((__u32)atoi(argv[2]), argv[3]);
	return 0;
}
