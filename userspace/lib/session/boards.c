// SPDX-License-Identifier: LGPL-2.1
/*
 * boards.c - tell programs that something has changed that they have to know
 *
 * Which events are on, or that a session is over. Programs find out which of their recordings it
 * is: all programs of the user's boards are told, for root those of all boards. Each looks once,
 * at its next event. See <linux/ktrace_board.h>.
 */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/shm.h>

#include "base/board_key.h"

/* boards_poke_slot - the same for one program */
void boards_poke_slot(struct ktrace_board_slot *slot)
{
	/* ORD(poke:A) pairs ORD(board_poked:A): what has changed is there before the poke */
	kt_store_release(&slot->off, KTRACE_BOARD_POKED_OFF);
	/* ORD(poke:B) pairs ORD(board_poked:B): likewise */
	kt_store_release(&slot->on, KTRACE_BOARD_POKED_ON);
}

static void poke_all(struct ktrace_board *board)
{
	struct ktrace_board_slot *slots = (void *)((char *)board + KTRACE_BOARD_SLOTS_OFF);

	for (__u32 i = 0; i < KTRACE_BOARD_SLOTS; i++)
		if (kt_load(&slots[i].pid))
			boards_poke_slot(&slots[i]);
}

/* Pokes a segment if it is a board of a user whose programs may take part in our sessions. */
static void poke_segment(int id)
{
	const __u32 uid = geteuid();
	struct ktrace_board *board;
	struct shmid_ds ds;

	if (shmctl(id, IPC_STAT, &ds) || (uid && ds.shm_perm.cuid != uid) ||
	    !board_is_trusted(&ds, ds.shm_perm.cuid))
		return;
	board = shmat(id, NULL, 0);
	if (board == (void *)-1)
		return;
	if (kt_load(&board->magic) == KTRACE_BOARD_MAGIC &&
	    kt_load(&board->version) == KTRACE_BOARD_VERSION)
		poke_all(board);
	shmdt(board);
}

void boards_poke(void)
{
	FILE *f = fopen("/proc/sysvipc/shm", "re");
	unsigned long size;
	char line[512];
	int id;

	/* Without /proc, at least the user's own board */
	if (!f)
		poke_segment(shmget(board_key(geteuid(), getenv("KTRACE_BOARD")), 0, 0));
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %d %*s %lu", &id, &size) == 2 && size >= KTRACE_BOARD_SIZE)
			poke_segment(id);
	if (f)
		fclose(f);
}
