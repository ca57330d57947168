// SPDX-License-Identifier: LGPL-2.1
/*
 * attach.c - find the session that the environment or the board names, and map it
 *
 * Runs from the first constructor that needs it, and from an event when the board says that a
 * recording wants the process (<linux/ktrace_board.h>). If anything goes wrong, the program
 * continues untraced and without a message, unless KTRACE_DEBUG is set.
 */
#include "attach.h"

#include <ktrace/channel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "backend.h"
#include "base/pid_namespace.h"
#include "board.h"
#include "channel.h"
#include "confined.h"
#include "event.h"
#include "ids.h"
#include "maps.h"
#include "own.h"
#include "process.h"
#include "race_checker.h"
#include "system.h"
#include "thread.h"
#include "thread_ring.h"

#define LOCK_NAP_NS 100000
/* How often to follow wants in one go: a forged board may have new ones for ever. */
#define FOLLOW_MAX 4

static bool is_debug;

static kt_noinline void tell(const char *session, const char *what)
{
	char line[256];
	int n;

	if (!is_debug)
		return;
	n = snprintf(line, sizeof(line), "libktrace: %.180s: %s\n", session, what);
	syscall(SYS_write, STDERR_FILENO, line, (size_t)n);
}

/*
 * Maps the whole channel read-only, then the registry and the rings again as writable: the device
 * grants each part only the rights it may have. Takes the addresses that @ch has, if there is room:
 * see own.c.
 */
static int map_channel(const struct backend_channel *bc, struct channel *ch,
		       struct ktrace_control *c)
{
	const bool is_there = ch->map_size >= bc->size;
	char *map = mmap(is_there ? ch->map : NULL, bc->size, PROT_READ,
			 MAP_SHARED | (is_there ? MAP_FIXED : 0), bc->fd, (off_t)bc->offset);
	int err;

	if (map == MAP_FAILED)
		return -errno;
	/* Former addresses stay as they are, empty. */
	if (!is_there)
		ch->map_size = bc->size;
	ch->map = map;
	memcpy(c, map, sizeof(*c));
	kt_barrier();	/* the copy is checked and used, whatever happens to the page */
	err = channel_check(c, bc->size);
	if (!err && mmap(map + c->registry_off, bc->size - c->registry_off, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, bc->fd,
			 (off_t)(bc->offset + c->registry_off)) == MAP_FAILED)
		err = -errno;
	return err;
}

/*
 * Attaches to @session. @c: room for a copy of the control page, too large for a small stack. After
 * an error @ch can only be given back.
 */
static int attach(struct channel *ch, const char *session, __s32 word, struct ktrace_control *c)
{
	struct backend_channel bc;
	const struct backend *backend;
	const char *where;
	int err;

	backend = backend_find(session, &where);
	if (!backend)
		return -EINVAL;
	err = backend->open(where, word, &bc);
	if (err)
		return err;
	err = bc.size < sizeof(*c) ? -EINVAL : map_channel(&bc, ch, c);
	system_close(bc.fd);
	if (err)
		return err;
	race_checker_ignore(ch->map, bc.size);
	channel_init(ch, ch->map, c, backend->is_shared_memory);
	return 0;
}

/* True while this process joins or leaves, or changes the list of objects with events. */
static __u32 is_busy;

/* With the lock: not all of the process has changed over. */
static bool is_moving;

/** attach_try_lock - begin to change what events point to; false: another thread is doing so */
bool attach_try_lock(void)
{
	__u32 free = 0;

	/* ORD(attach_lock:A) pairs ORD(attach_unlock:A): the list is whole */
	return __atomic_compare_exchange_n(&is_busy, &free, 1, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/** attach_lock - the same, waits; not in a signal handler that may have interrupted a holder */
void attach_lock(void)
{
	while (!attach_try_lock())
		system_sleep_ns(LOCK_NAP_NS);
}

/** attach_unlock - end it */
void attach_unlock(void)
{
	/* ORD(attach_unlock:A) pairs ORD(attach_lock:A): all changes are done */
	kt_store_release(&is_busy, 0);
}

/* How the process's events reach its recordings; only with the lock. */
static enum board_use present_use(void)
{
	if (own_is_many())
		return BOARD_MANY;
	return own_channel && own_channel->is_direct ? BOARD_DIRECT : BOARD_ALONE;
}

/*
 * Lets the process leave a recording that is over; only with the lock. While others go on, no event
 * of theirs may be missed: meanwhile the library writes them.
 */
static void leave(struct channel *ch)
{
	struct channel *first = own_next_first(ch);

	kt_store(&is_moving, true);
	if (!first)
		events_rest();
	else if (first != own_channel)
		events_change_first(first);
	own_leave(ch);
	own_set_many(own_mask & (own_mask - 1));
	events_look();
	board_left();
	kt_store(&is_moving, false);
}

static void leave_what_is_over(void)
{
	for (__u32 i = 0; i < OWN_CHANNELS; i++)
		if (own_channels[i] && channel_is_over(own_channels[i]))
			leave(own_channels[i]);
}

/*
 * True if the recorder will find the process, which has announced itself: it reads the registry
 * once more after it has stopped.
 */
static bool is_in_time(const struct channel *ch)
{
	/* ORD(join_late:A) pairs ORD(session_stop:A): announced before the state is looked at */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return kt_load(&ch->control->state) == KTRACE_STATE_RUNNING;
}

/* Not by strtoull(): it needs pages of the C library that a program that starts has not touched. */
static __u64 take_number(const char **at)
{
	__u64 value = 0;

	for (; **at >= '0' && **at <= '9'; (*at)++)
		value = value * 10 + (__u64)(**at - '0');
	return value;
}

/*
 * True if the owner of the recording that the environment names can reach the process's board:
 * both are in the same namespaces, and it is the same user or root. @home: KTRACE_PIDNS, NULL =
 * not set; @space: out: the PID namespace there, 0 = unknown
 */
static bool is_in_reach(const char *home, __u64 *space)
{
	__u64 value[3] = { 0 };		/* PID namespace, IPC namespace, user */
	const char *at = home;

	*space = 0;
	for (int i = 0; home && *at && i < 3; i++) {
		value[i] = take_number(&at);
		*space = value[0];
		if (*at == ':')
			at++;
		else if (i < 2)
			return false;
	}
	return home && value[0] == pid_namespace() && value[1] &&
	       value[1] == namespace_of("/proc/self/ns/ipc") &&
	       (!value[2] || value[2] == geteuid());
}

/* Takes part in the process's first recording. */
static void enter_first(struct channel *ch)
{
	events_rest();
	own_publish(ch);
	own_again();
	thread_init_channel(ch);
	process_announce(ch, "own", 0);
}

/* Takes part in one more; the process goes on recording into the others meanwhile. */
static int enter_more(struct channel *ch)
{
	const int err = events_enter_more(ch);

	if (err)
		return err;
	own_publish(ch);
	process_announce(ch, "own", 0);
	return 0;
}

/* Why the process must not take part in another recording than that it has; 0 = it may. */
static int why_alone(const struct channel *ch)
{
	if (!own_channel)
		return 0;
	if (own_channel->is_direct || own_channel->ids.is_foreign || !board_on())
		return -EXDEV;
	return ch->ids.is_foreign ? -EXDEV : 0;
}

/**
 * join - take part in a recording; only with the lock
 * @session:	as in KTRACE_SESSION
 * @home:	as in KTRACE_PIDNS, 0 = unknown
 * @is_late:	the process has run for a while: a recording that is over is refused
 * @is_direct:	as in struct channel
 *
 * Return: 0; -EALREADY: the process takes part already; or -errno.
 */
static int join(const char *session, __u64 home, bool is_late, bool is_direct)
{
	static struct ktrace_control seen;
	struct channel *ch = own_alloc();
	const bool is_first = !own_channel;
	int err = ch ? attach(ch, session, thread_word(), &seen) : -ENOMEM;

	if (!err && own_has_session(ch->session))
		err = -EALREADY;
	if (!err && is_late && (!channel_has_reader(ch) || !is_in_time(ch)))
		err = -ESHUTDOWN;
	if (!err) {
		ids_init(ch, home);
		ch->leaves = board_off();
		ch->is_direct = is_direct;
		err = why_alone(ch);
	}
	if (!err) {
		kt_store(&is_moving, true);
		if (is_first)
			enter_first(ch);
		else
			err = enter_more(ch);
	}
	if (err) {
		kt_store(&is_moving, false);
		if (ch)
			own_free(ch);
		return err;
	}
	if (is_late && !is_in_time(ch)) {
		leave(ch);
		return -ESHUTDOWN;
	}
	maps_announce(own_outermost);
	if (is_first)
		events_enter();
	else
		own_set_many(true);
	kt_store(&is_moving, false);
	return 0;
}

/* Joins the recordings that the board names; only with the lock. Returns true if it tried. */
static bool follow_board(void)
{
	struct board_wish wish;
	bool is_new = false;
	int err;

	for (__u32 i = 0; i < KTRACE_BOARD_WANTS && board_wish(&wish); i++) {
		err = join(wish.session, wish.pidns, true, false);
		if (!err)
			board_joined();
		if (err && err != -EALREADY)
			board_refused(&wish, err);
		else
			board_fulfilled(&wish);
		/* No strerror(): this is an event, which may have interrupted malloc(). */
		tell(wish.session, err ? "not attached while running" : "attached while running");
		is_new = true;
	}
	return is_new;
}

/* A confined process joins nothing: the calls might kill it. */
static void refuse_all(void)
{
	if (!attach_try_lock())
		return;
	leave_what_is_over();
	board_look(present_use());
	board_refuse_all(-EPERM);
	events_look();
	attach_unlock();
}

/**
 * attach_again - leave recordings that are over, and join those that want the process
 *
 * Called between own_enter() and own_exit() by an event that finds no channel, one that is over, or
 * that the board has been poked. Does nothing if another thread is at it: the event then precedes
 * that thread's joining.
 *
 * Return: the first channel, NULL = none.
 */
struct channel *attach_again(void)
{
	struct system_signals signals;

	if (is_confined()) {
		refuse_all();
		return own_again();
	}
	system_block_signals(&signals);
	if (attach_try_lock()) {
		leave_what_is_over();
		board_look(present_use());
		for (int i = 0; i < FOLLOW_MAX && follow_board(); i++)
			board_look(present_use());
		events_look();
		attach_unlock();
	}
	system_restore_signals(&signals);
	return own_again();
}

/** attach_after_fork - in the child: a thread that was joining or leaving is not there */
void attach_after_fork(void)
{
	const bool was_moving = is_busy && is_moving;

	is_busy = 0;
	is_moving = false;
	board_after_fork();
	if (was_moving)
		own_forget();
	if (!own_is_there())
		events_rest();
	events_look();
}

/**
 * attach_once - attach this process to its session if it has one, and take a slot on the board
 *
 * The C library's functions called here may be replaced by another library, whose versions call us.
 *
 * Context: constructors; later calls do nothing.
 * Return: false if an earlier call is still running.
 */
bool attach_once(void)
{
	enum { NOT_BEGUN, RUNS, OVER };
	static int state;
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	int from = NOT_BEGUN;
	const char *session;
	bool is_reached;
	int saved = errno;
	__u64 home;
	int err;

	/* ORD(attach_seen:A) pairs ORD(attach_over:A): everything attaching stores is visible */
	if (!__atomic_compare_exchange_n(&state, &from, RUNS, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_ACQUIRE))
		return from == OVER;
	/* Stands in for rseq in all threads that have not recorded yet: this one does below. */
	race_checker_ignore(ktrace_thread.rseq, sizeof(struct ktrace_no_rseq));
	is_debug = secure_getenv("KTRACE_DEBUG");
	board_take_slot();
	session = secure_getenv("KTRACE_SESSION");
	is_reached = is_in_reach(secure_getenv("KTRACE_PIDNS"), &home);
	if (!session || !*session) {
		tell("KTRACE_SESSION", "not set, not attached");
	} else {
		attach_lock();
		own_enter(frame);
		err = join(session, home, false, !is_reached);
		own_exit(frame);
		attach_unlock();
		tell(session, err ? strerror(-err) : "attached");
	}
	if (board_problem())
		tell("board", board_problem());
	if (own_is_there() || board_off())
		thread_init_process();
	if (own_is_there()) {
		board_joined();
		board_use(present_use());
	}
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
	error = attach(ch, session, 0, &c->seen);
	errno = saved;
	if (error) {
		if (ch->map)
			munmap(ch->map, ch->map_size);
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
	munmap(c->ch.map, c->ch.map_size);
	munmap(c, sizeof(*c));
}

void ktrace_channel_retire(struct ktrace_channel *c)
{
	mmap(c->ch.map, c->ch.map_size, PROT_READ | PROT_WRITE,
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

/*
 * A process that ends by exit() leaves a free slot; those that are killed are found by others. Its
 * threads may still have events, which must not test the bytes of another process. If one of them
 * is joining or leaving just now, the slot stays.
 */
static __attribute__((destructor(101))) void give_back_slot(void)
{
	struct system_signals signals;

	if (is_confined())
		return;
	system_block_signals(&signals);
	if (attach_try_lock()) {
		board_hide();
		events_look();
		board_give_back();
		attach_unlock();
	}
	system_restore_signals(&signals);
}

/* 101: runs before constructors that create threads or record events. */
static __attribute__((constructor(101))) void attach_at_load(void)
{
	attach_once();
}
