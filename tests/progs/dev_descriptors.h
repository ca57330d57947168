/* SPDX-License-Identifier: GPL-2.0 */
/* dev_descriptors.h - for dev_mutate.c: descriptors of the log, and ours for them */
#ifndef TESTS_DEV_DESCRIPTORS_H
#define TESTS_DEV_DESCRIPTORS_H

#include "dev_corpus.h"
#include "dev_counts.h"
#include "dev_pass.h"

enum { FD_NR = 32 };

/* A descriptor of the log and ours. Both threads use ours. */
static struct entry {
	int pid, fd, ours;
} entries[FD_NR];

static int opener = -1;		/* a socket, to who may open the device */

static inline int ask_opener(void)
{
	char byte = 0;
	int fd = send(opener, &byte, 1, 0) == 1 ? receive_fd(opener) : -1;

	if (fd >= 0)
		add(&counts->passed);
	return fd;
}

/* Gives the device away to whoever asks, until nobody is left who could. */
static inline void run_opener(int from)
{
	char byte;
	int fd;

	while (recv(from, &byte, 1, 0) == 1) {
		fd = dev_open();
		send_fd(from, fd);
		close(fd);
	}
	_exit(0);
}

static inline int open_device(void)
{
	int fd = open("/dev/ktrace", O_RDWR | O_CLOEXEC);

	add(&counts->opened[fd >= 0]);
	return fd < 0 && opener >= 0 ? ask_opener() : fd;
}

static inline struct entry *find_entry(int pid, int fd)
{
	int i;

	for (i = 0; i < FD_NR; i++)
		if (entries[i].ours >= 0 && entries[i].pid == pid && entries[i].fd == fd)
			return &entries[i];
	return NULL;
}

static inline void put_entry(int pid, int fd, int ours)
{
	struct entry *e = find_entry(pid, fd);
	int i, old;

	for (i = 0; i < FD_NR && !e; i++)
		if (entries[i].ours < 0)
			e = &entries[i];
	if (!e)
		e = &entries[below(FD_NR)];
	e->pid = pid;
	e->fd = fd;
	old = __atomic_exchange_n(&e->ours, ours, __ATOMIC_RELAXED);
	if (old >= 0)
		close(old);
}

static inline int fd_for(const struct op *op)
{
	const struct entry *e = find_entry(op->pid, op->fd);
	int ours;

	if (e)
		return e->ours;
	ours = open_device();
	if (ours >= 0)
		put_entry(op->pid, op->fd, ours);
	return ours;
}

/* Mostly one that is open. */
static inline int any_fd(void)
{
	const unsigned int from = (unsigned int)below(FD_NR);
	unsigned int i;
	int fd = -1;

	for (i = 0; i < FD_NR && fd < 0 && (!i || !one_in(256)); i++)
		fd = __atomic_load_n(&entries[(from + i) % FD_NR].ours, __ATOMIC_RELAXED);
	return fd;
}

/* The child has what the parent has. */
static inline void copy_entries(int child, int parent)
{
	int i;

	for (i = 0; i < FD_NR; i++)
		if (entries[i].ours >= 0 && entries[i].pid == parent)
			put_entry(child, entries[i].fd, dup(entries[i].ours));
}

/* Of one process; 0: of all. */
static inline void close_entries(int pid)
{
	int i, old;

	for (i = 0; i < FD_NR; i++) {
		if (pid && entries[i].pid != pid)
			continue;
		old = __atomic_exchange_n(&entries[i].ours, -1, __ATOMIC_RELAXED);
		if (old >= 0)
			close(old);
	}
}

#endif
