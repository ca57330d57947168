// SPDX-License-Identifier: LGPL-2.1
/*
 * attach.c - find the session that the environment names, and map it
 *
 * Runs once, from the first constructor that needs it. If anything goes wrong, the program
 * continues untraced and without a message, unless KTRACE_DEBUG is set.
 */
#include "attach.h"

#include <ktrace/channel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "backend.h"
#include "channel.h"
#include "ids.h"
#include "maps.h"
#include "process.h"
#include "race_checker.h"
#include "system.h"
#include "thread.h"
#include "thread_ring.h"

static void tell(const char *session, const char *what)
{
	char line[256];
	int n;

	if (!secure_getenv("KTRACE_DEBUG"))
		return;
	n = snprintf(line, sizeof(line), "libktrace: %.180s: %s\n", session, what);
	syscall(SYS_write, STDERR_FILENO, line, (size_t)n);
}

/*
 * Maps the whole channel read-only, then the registry and the rings again as writable: the device
 * grants each part only the rights it may have.
 */
static int map_channel(const struct backend_channel *bc, char **map, struct ktrace_control *c)
{
	int err;

	*map = mmap(NULL, bc->size, PROT_READ, MAP_SHARED, bc->fd, (off_t)bc->offset);
	if (*map == MAP_FAILED)
		return -errno;
	memcpy(c, *map, sizeof(*c));
	kt_barrier();	/* the copy is checked and used, whatever happens to the page */
	err = channel_check(c, bc->size);
	if (err)
		goto err_unmap;
	if (mmap(*map + c->registry_off, bc->size - c->registry_off, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED, bc->fd, (off_t)(bc->offset + c->registry_off)) ==
	    MAP_FAILED) {
		err = -errno;
		goto err_unmap;
	}
	return 0;
err_unmap:
	munmap(*map, bc->size);
	return err;
}

/* Attaches to @session. @c: room for a copy of the control page, too large for a small stack */
static int attach(struct channel *ch, const char *session, size_t *size, struct ktrace_control *c)
{
	struct backend_channel bc;
	const struct backend *backend;
	const char *where;
	char *map;
	int err;

	backend = backend_find(session, &where);
	if (!backend)
		return -EINVAL;
	err = backend->open(where, ch == &channel ? thread_word() : 0, &bc);
	if (err)
		return err;
	err = bc.size < sizeof(*c) ? -EINVAL : map_channel(&bc, &map, c);
	system_close(bc.fd);
	if (err)
		return err;
	race_checker_ignore(map, bc.size);
	channel_init(ch, map, c, backend->is_shared_memory);
	*size = bc.size;
	return 0;
}

/**
 * attach_once - attach this process to its session if it has one
 *
 * The C library's functions called here may be replaced by another library, whose versions call us.
 *
 * Context: constructors; later calls do nothing.
 * Return: false if an earlier call is still running.
 */
bool attach_once(void)
{
	static struct ktrace_control seen;
	enum { NOT_BEGUN, RUNS, OVER };
	static int state;
	int from = NOT_BEGUN;
	const char *session;
	int saved = errno;
	size_t size;
	int err;

	/* ORD(attach_seen:A) pairs ORD(attach_over:A): everything attaching stores is visible */
	if (!__atomic_compare_exchange_n(&state, &from, RUNS, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_ACQUIRE))
		return from == OVER;
	session = secure_getenv("KTRACE_SESSION");
	if (!session || !*session) {
		tell("KTRACE_SESSION", "not set, not attached");
		goto out;
	}
	err = attach(&channel, session, &size, &seen);
	tell(session, err ? strerror(-err) : "attached");
	if (err)
		goto out;
	ids_init();
	/* Stands in for rseq in all threads that have not recorded yet */
	race_checker_ignore(ktrace_thread.rseq, sizeof(struct ktrace_no_rseq));
	thread_init_process();
	process_announce("own", 0);
	maps_announce();
out:
	/* ORD(attach_over:A) pairs ORD(attach_seen:A): the channel is stored first */
	kt_store_release(&state, OVER);
	errno = saved;
	return true;
}

int ktrace_channel_attach(const char *session, struct ktrace_channel **out)
{
	/*
	 * Uses the same flags as ktrace_channel_retire(), so that the kernel merges both mappings
	 * into one area.
	 */
	struct ktrace_channel *c = mmap(NULL, sizeof(*c), PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct channel *ch = &c->ch;
	int saved = errno, error;

	if (c == MAP_FAILED)
		return -ENOMEM;
	error = attach(ch, session, &c->size, &c->seen);
	errno = saved;
	if (error) {
		munmap(c, sizeof(*c));
		return error;
	}
	if (ch->registry_size >= KTRACE_CHANNEL_LOST_OFF + ((__u64)ch->thread.index +
	    ch->thread_nr) * sizeof(*ch->first_lost))
		ch->first_lost = (struct ktrace_channel_lost *)((char *)ch->registry +
								KTRACE_CHANNEL_LOST_OFF);
	*out = c;
	return 0;
}

void ktrace_channel_detach(struct ktrace_channel *c)
{
	munmap((void *)c->ch.control, c->size);
	munmap(c, sizeof(*c));
}

void ktrace_channel_retire(struct ktrace_channel *c)
{
	mmap((void *)c->ch.control, c->size, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

bool ktrace_channel_has_reader(const struct ktrace_channel *c)
{
	return channel_has_reader(&c->ch);
}

void ktrace_channel_lose(const struct ktrace_channel *c, enum ktrace_lost_reason why)
{
	channel_lose(&c->ch, why);
}

void ktrace_channel_after_fork(const struct ktrace_channel *c, struct ktrace_thread *t)
{
	thread_ring_after_fork(&c->ch, t);
}

/* 101: runs before constructors that create threads or record events. */
static __attribute__((constructor(101))) void attach_at_load(void)
{
	attach_once();
}
