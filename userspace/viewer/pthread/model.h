/* SPDX-License-Identifier: GPL-2.0 */
/*
 * model.h - what threads and the objects they share are doing, from pthread events alone
 *
 * A model is brought up to date with each event, in order, and tells watches what changed. It
 * holds all processes. An object is known by its process and address, so an object in memory that
 * processes share is one in each of them, and of one whose user says so (pshared) the model
 * keeps what the process did, and claims nothing.
 *
 * What the events do not tell is unknown, never guessed: objects are when they are met first,
 * and all are behind a loss and where events were switched on or off. A transition is impossible
 * only if no order of what happened makes it possible: see model_trouble.c. The rules are in
 * model_rules.c, Documentation/pthread.md says how to read the results.
 *
 * Memory: some 200 bytes for each object, 400 for each thread, whatever the number of events.
 */
#ifndef VIEWER_PTHREAD_MODEL_H
#define VIEWER_PTHREAD_MODEL_H

#include <ktrace/state.h>
#include <ktrace/traceset.h>

struct model;

enum model_kind {
	MODEL_THREAD,	/* no object: what a join waits for */
	MODEL_MUTEX,	/* pthread_mutex_t, mtx_t */
	MODEL_COND,	/* pthread_cond_t, cnd_t */
	MODEL_BARRIER,
	MODEL_SEM,
	MODEL_RWLOCK,
	MODEL_SPIN,
	MODEL_ONCE,	/* pthread_once_t, once_flag */
	MODEL_KIND_NR,
};

/*
 * Of an object. Any -> UNKNOWN by a loss; any -> GONE by destroy, exec, or the end of its process.
 *
 *   mutex, spin   FREE <-> TAKEN
 *   rwlock        FREE <-> TAKEN (to write), FREE <-> SHARED (to read)
 *   sem           FREE <-> TAKEN (value 0)
 *   cond, barrier FREE <-> TAKEN (threads wait)
 *   once          FREE -> TAKEN (its routine runs) -> DONE
 */
enum model_state {
	MODEL_UNKNOWN,
	MODEL_FREE,
	MODEL_TAKEN,
	MODEL_SHARED,
	MODEL_DONE,
	MODEL_GONE,
	MODEL_STATE_NR,
};

/*
 *   UNKNOWN -> RUNNING <-> WAITING
 *   RUNNING -> ZOMBIE -> JOINED            ended, joined
 *   RUNNING, ZOMBIE -> DEAD                ended and detached; gone by exec
 */
enum model_life {
	MODEL_NOT_KNOWN,
	MODEL_RUNNING,
	MODEL_WAITING,
	MODEL_ZOMBIE,
	MODEL_JOINED,
	MODEL_DEAD,
	MODEL_LIFE_NR,
};

/**
 * struct model_process - a program's run: what was before an exec is another one
 * @serial:	names it for good, from 1
 * @machine:	number of the first trace of its boot
 * @pid:	process; 0 = not known, then @tid is its only thread
 * @tid:	thread, if @pid is 0
 * @begin:	stamp at which it began, 0 = not known
 */
struct model_process {
	__u32 serial;
	__u32 machine;
	__u32 pid;
	__u32 tid;
	__u64 begin;
};

/**
 * struct model_object - a mutex and so on; a new one at an address is a new life of the old one
 * @process:	whose it is
 * @address:	where it lies
 * @serial:	names it for good, from 0 without holes
 * @life:	number among the objects that were at its address, from 1
 * @kind:	enum model_kind
 * @state:	enum model_state
 * @is_pshared:	other processes may have it, too
 * @is_recursive: mutex: one thread has had it twice
 * @is_partial:	some events of its kind are not recorded
 * @since:	time of the latest change
 * @made:	time of its init, 0 = not seen
 * @owner:	mutex, spin, rwlock to write, once: who has it
 * @count:	mutex: how often @owner has it
 * @readers:	rwlock: how often it is had to read
 * @waiters:	threads that wait for it
 * @left:	barrier: how many are still to come
 * @value:	sem: its value, if @has_value; barrier: how many threads it takes, 0 = not known
 * @has_value:	sem: @value is known
 * @uses:	calls about it in this life
 * @waits:	of these, how many waited
 * @raw:	stamp of the latest event about it
 * @trace:	where that is; NULL: there was none
 */
struct model_object {
	const struct model_process *process;
	__u64 address;
	__u32 serial;
	__u32 life;
	__u8 kind;
	__u8 state;
	bool is_pshared;
	bool is_recursive;
	bool is_partial;
	bool has_value;
	__u64 since;
	__u64 made;
	const struct model_thread *owner;
	__u32 count;
	__u32 readers;
	__u32 waiters;
	__u32 left;
	__s64 value;
	__u64 uses;
	__u64 waits;
	__u64 raw;
	const struct ktrace_trace *trace;
};

/**
 * struct model_thread - a thread
 * @process:	whose it is
 * @serial:	names it for good, from 0 without holes
 * @tid:	thread
 * @handle:	its pthread_t, 0 = not told
 * @number:	of its creation, 0 = not told
 * @life:	enum model_life
 * @is_detached: nobody will join it
 * @since:	time of the latest change
 * @begun:	time of its start, 0 = not seen
 * @object:	WAITING: for this; NULL = for a thread
 * @joins:	WAITING for a thread: its pthread_t
 * @calls:	events about calls so far
 * @waits:	how often it has waited
 * @trace:	where its latest event is
 * @raw:	stamp of that event
 */
struct model_thread {
	const struct model_process *process;
	__u32 serial;
	__u32 tid;
	__u64 handle;
	__u32 number;
	__u8 life;
	bool is_detached;
	__u64 since;
	__u64 begun;
	const struct model_object *object;
	__u64 joins;
	__u64 calls;
	__u64 waits;
	const struct ktrace_trace *trace;
	__u64 raw;
};

/**
 * struct model_change - one change of a state
 * @time:	when
 * @from:	enum model_state or sync_life before
 * @by:		thread whose event did it; NULL = a loss, an exec
 * @event:	the event; NULL = a loss, an exec; valid during the call
 */
struct model_change {
	__u64 time;
	__u32 from;
	const struct model_thread *by;
	const struct ktrace_trace_event *event;
};

/**
 * struct model_wait - one wait that is over
 * @thread:	who waited
 * @object:	for what; NULL = a thread, its pthread_t is @joins
 * @life:	life of the object that it was
 * @joins:	thread waited for
 * @from:	since when
 * @until:	until when
 * @holder:	thread that had the object when the wait began, 0 = not known
 * @caller:	address that the call came from, 0 = not recorded
 * @depth:	waits of the same thread that go on around it: of a signal handler
 * @is_cut:	the call did not return: the thread was cancelled, or the trace ends
 * @name:	what was called, "mutex_lock"
 */
struct model_wait {
	const struct model_thread *thread;
	const struct model_object *object;
	__u32 life;
	__u64 joins;
	__u64 from;
	__u64 until;
	__u32 holder;
	__u64 caller;
	__u32 depth;
	bool is_cut;
	const char *name;
};

/**
 * struct model_take - an object was taken
 * @thread:	by whom
 * @object:	which
 * @has_tried:	it would not have waited
 * @caller:	address that the call came from, 0 = not recorded
 * @event:	by which that is known
 */
struct model_take {
	const struct model_thread *thread;
	const struct model_object *object;
	bool has_tried;
	__u64 caller;
	const struct ktrace_trace_event *event;
};

/**
 * struct model_hold - a thread had a mutex, spin lock or read-write lock, from taking to giving it
 * @thread:	the thread
 * @object:	the lock; one that is had several times counts once, up to the last release
 * @from:	since when
 * @until:	until when
 * @caller:	address that the call came from that took it; 0 = not recorded
 * @is_cut:	the thread has it still
 */
struct model_hold {
	const struct model_thread *thread;
	const struct model_object *object;
	__u64 from;
	__u64 until;
	__u64 caller;
	bool is_cut;
};

/**
 * struct model_watch - told of what changes, after it has; members may be NULL
 * @thread:	a thread's life, or what it waits for
 * @object:	an object's state, owner, count, readers, waiters, value or left
 * @wait:	a wait is over
 * @taken:	a thread has taken an object, to read or else. What it has already: model_held()
 * @given:	a thread has given a lock back
 * @arg:	for all of them
 */
struct model_watch {
	void (*thread)(void *arg, const struct model_thread *t, const struct model_change *c);
	void (*object)(void *arg, const struct model_object *o, const struct model_change *c);
	void (*wait)(void *arg, const struct model_wait *w);
	void (*taken)(void *arg, const struct model_take *take);
	void (*given)(void *arg, const struct model_hold *hold);
	void *arg;
};

/**
 * struct model_trouble - a transition that cannot be, or a misuse: what POSIX leaves undefined
 * @time:	of the event
 * @raw:	its stamp
 * @trace:	its file
 * @cpu:	its CPU, -1 for a thread's ring
 * @name:	of the event
 * @pid:	process
 * @tid:	thread
 * @address:	object
 * @kind:	of the object
 * @is_misuse:	a program can do it
 * @text:	what is wrong
 */
struct model_trouble {
	__u64 time;
	__u64 raw;
	const struct ktrace_trace *trace;
	__s32 cpu;
	const char *name;
	__u32 pid;
	__u32 tid;
	__u64 address;
	__u8 kind;
	bool is_misuse;
	char text[72];
};

/**
 * model_new - a model that knows nothing
 * @set:	what is read; must stay
 * @states:	of that set, for its machines; must stay
 * @watch:	NULL = nobody wants to know
 * @out:	the model
 *
 * Return: 0, -ENOMEM.
 */
int model_new(struct ktrace_traceset *set, const struct ktrace_states *states,
	      const struct model_watch *watch, struct model **out);
void model_free(struct model *s);
/* Takes the next event in. Return: 0, -ENOMEM. */
int model_update(struct model *s, const struct ktrace_trace_event *e);
/* The thread of the latest event, and its object; NULL = it was no event about calls, has none */
const struct model_thread *model_actor(const struct model *s);
const struct model_object *model_target(const struct model *s);
/*
 * Takes in which programs have ended before @until without another event. Before model_flush(),
 * when no event follows.
 */
void model_end(struct model *s, __u64 until);
/* Waits that go on, and locks that are had, are told as if that ended at @until. */
void model_flush(struct model *s, __u64 until);

/* Thread or object number @i, NULL behind the last */
const struct model_thread *model_thread(const struct model *s, size_t i);
const struct model_object *model_object(const struct model *s, size_t i);
/* So many that a thread has are told: what one takes while it has very many is no order. */
#define MODEL_HELD_MAX 64u
/* The thread's object number @i, of the latest ones that it has now; NULL behind the last. */
const struct model_object *model_held(const struct model_thread *t, size_t i);
/* Since when the thread has the object; false: it does not have it */
bool model_held_since(const struct model_thread *t, const struct model_object *o, __u64 *since);
/* The thread that has this pthread_t now, or had it last; NULL = not known */
const struct model_thread *model_find_handle(const struct model *s, const struct model_process *p,
					     __u64 handle);

/*
 * Trouble number @i, in order; NULL behind the last, or if there is more than is kept. A loss that
 * is met later may withdraw the latest: ask when all is read.
 */
const struct model_trouble *model_trouble(const struct model *s, size_t i);
/* Events taken in, and waits and holds whose end a loss hides */
__u64 model_events(const struct model *s);
__u64 model_waits_lost(const struct model *s);
__u64 model_holds_lost(const struct model *s);

const char *model_kind_name(__u32 kind);
const char *model_state_name(__u32 state);
const char *model_life_name(__u32 life);

#endif
