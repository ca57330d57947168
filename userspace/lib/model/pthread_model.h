/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * pthread_model.h - a model of threads and the objects they share, built from pthread events alone
 *
 * The model is updated with each event, in order, and reports changes to watches. It covers all
 * processes. An object is identified by process and address, so an object in shared memory is a
 * separate one in each process. If the program declares it as shared (pshared), the model keeps
 * what each process did, and makes no claims.
 *
 * What the events do not tell is unknown, never guessed: objects are unknown when first met, and
 * all are after lost events and where events were switched on or off. A transition is impossible
 * only if no order of events makes it possible: see pthread_model_trouble.c. The rules are in
 * pthread_model_rules.c; Documentation/pthread.md tells how to read the results.
 *
 * Memory: about 200 bytes an object and 400 a thread, whatever the number of events.
 */
#ifndef KTRACE_MODEL_PTHREAD_MODEL_H
#define KTRACE_MODEL_PTHREAD_MODEL_H

#include <ktrace/state.h>
#include <ktrace/traceset.h>

struct model;

enum model_kind {
	MODEL_THREAD,	/* not an object: the target of a join */
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
 * State of an object. Any -> UNKNOWN by lost events; any -> GONE by destroy, exec, or the end of
 * its process.
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
 * struct model_process - one run of a program: exec starts another one
 * @serial:	its permanent number, from 1
 * @machine:	number of the first trace of its boot
 * @pid:	process; 0 = not known, then it has @tid as its only thread
 * @tid:	thread, if @pid is 0
 * @begin:	stamp of its beginning, 0 = not known
 */
struct model_process {
	__u32 serial;
	__u32 machine;
	__u32 pid;
	__u32 tid;
	__u64 begin;
};

/**
 * struct model_object - a mutex or other object; a new object at an address is a new life of the
 * old one
 * @process:	its process
 * @address:	its address
 * @serial:	its permanent number, from 0 without gaps
 * @life:	its number among the objects at its address, from 1
 * @kind:	enum model_kind
 * @state:	enum model_state
 * @is_pshared:	other processes may use it, too
 * @is_recursive: mutex: a thread has locked it twice
 * @is_partial:	some events of its kind are not recorded
 * @since:	time of the latest change
 * @made:	time of its init, 0 = not seen
 * @owner:	mutex, spin, rwlock to write, once: the thread that has it
 * @count:	mutex: how often @owner has locked it
 * @readers:	rwlock: number of locks to read
 * @waiters:	number of threads waiting for it
 * @left:	barrier: number of threads still to arrive
 * @value:	sem: its value, if @has_value; barrier: number of threads in a round, 0 = not known
 * @has_value:	sem: @value is known
 * @uses:	number of calls about it in this life
 * @waits:	number of these that waited
 * @raw:	stamp of its latest event
 * @trace:	trace of that event; NULL: there was none
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
 * @process:	its process
 * @serial:	its permanent number, from 0 without gaps
 * @tid:	thread
 * @handle:	its pthread_t, 0 = not known
 * @number:	number of its creation, 0 = not known
 * @life:	enum model_life
 * @is_detached: no thread will join it
 * @since:	time of the latest change
 * @begun:	time of its start, 0 = not seen
 * @object:	WAITING: the object; NULL = it waits for a thread
 * @joins:	WAITING for a thread: the pthread_t of that thread
 * @calls:	number of events about calls so far
 * @waits:	number of waits so far
 * @trace:	trace of its latest event
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
 * struct model_change - a change of a state
 * @time:	time of the change
 * @from:	enum model_state or model_life before
 * @by:		thread whose event caused it; NULL = lost events, an exec
 * @event:	the event; NULL = lost events, an exec; valid during the call
 */
struct model_change {
	__u64 time;
	__u32 from;
	const struct model_thread *by;
	const struct ktrace_trace_event *event;
};

/**
 * struct model_wait - a wait that is over
 * @thread:	the waiting thread
 * @object:	the object; NULL = it waited for a thread, whose pthread_t is @joins
 * @life:	life of the object at that time
 * @joins:	pthread_t of the thread waited for
 * @from:	start time
 * @until:	end time
 * @holder:	thread that had the object when the wait began, 0 = not known
 * @caller:	address that the call came from, 0 = not recorded
 * @depth:	number of waits of the same thread around it: it is in a signal handler
 * @is_cut:	the call did not return: the thread was cancelled, or the trace ends
 * @name:	name of the call, "mutex_lock"
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
 * @thread:	the thread that took it
 * @object:	the object
 * @has_tried:	the call would not have waited
 * @caller:	address that the call came from, 0 = not recorded
 * @event:	event that shows it
 */
struct model_take {
	const struct model_thread *thread;
	const struct model_object *object;
	bool has_tried;
	__u64 caller;
	const struct ktrace_trace_event *event;
};

/**
 * struct model_hold - a thread held a mutex, spin lock or read-write lock, from taking to releasing
 * it
 * @thread:	the thread
 * @object:	the lock; one that is locked several times counts once, up to the last release
 * @from:	start time
 * @until:	end time
 * @caller:	address that the taking call came from; 0 = not recorded
 * @is_cut:	the thread still has it
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
 * struct model_watch - callbacks after changes; members may be NULL
 * @thread:	a thread's life, or what it waits for, has changed
 * @object:	an object's state, owner, count, readers, waiters, value or left has changed
 * @wait:	a wait is over
 * @taken:	a thread has taken an object, to read or to write. Objects it already had:
 *		model_held()
 * @given:	a thread has released a lock
 * @arg:	argument of all of them
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
 * struct model_trouble - an impossible transition, or a misuse that POSIX leaves undefined
 * @time:	time of the event
 * @raw:	its stamp
 * @trace:	its file
 * @cpu:	its CPU, -1 for a thread's ring
 * @name:	name of the event
 * @pid:	process
 * @tid:	thread
 * @address:	object
 * @kind:	kind of the object
 * @is_misuse:	a misuse, which a program can do
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
 * model_new - make a model that knows nothing
 * @set:	the files; must stay
 * @states:	states of that set, for its machines; must stay
 * @watch:	callbacks; NULL = none
 * @out:	the model
 *
 * Return: 0, -ENOMEM.
 */
int model_new(struct ktrace_traceset *set, const struct ktrace_states *states,
	      const struct model_watch *watch, struct model **out);
void model_free(struct model *s);
/* Updates the model with the next event. Return: 0, -ENOMEM. */
int model_update(struct model *s, const struct ktrace_trace_event *e);
/*
 * Return the thread of the latest event, and its object; NULL = it is not about a call, or has
 * none.
 */
const struct model_thread *model_actor(const struct model *s);
const struct model_object *model_target(const struct model *s);
/*
 * Handles programs that have ended before @until without another event: what they did lasts at most
 * to @last, where the window ends. Called after the last event, before model_flush().
 */
void model_end(struct model *s, __u64 until, __u64 last);
/* Reports open waits and holds as if they ended at @until. */
void model_flush(struct model *s, __u64 until);

/* Return thread or object number @i, NULL after the last. */
const struct model_thread *model_thread(const struct model *s, size_t i);
const struct model_object *model_object(const struct model *s, size_t i);
/*
 * Maximum number of held objects that model_held() returns: with more, the order of locks means
 * nothing.
 */
#define MODEL_HELD_MAX 64u
/* Returns number @i of the latest objects that the thread holds; NULL after the last. */
const struct model_object *model_held(const struct model_thread *t, size_t i);
/* Returns since when the thread holds the object; false: it does not hold it. */
bool model_held_since(const struct model_thread *t, const struct model_object *o, __u64 *since);
/* Returns the thread that has this pthread_t now, or had it last; NULL = not known. */
const struct model_thread *model_find_handle(const struct model *s, const struct model_process *p,
					     __u64 handle);

/*
 * Returns trouble number @i, in order; NULL after the last, or beyond those kept. Lost events that
 * are read later may withdraw the latest: call it when everything is read.
 */
const struct model_trouble *model_trouble(const struct model *s, size_t i);
/* Return the number of events handled, and of waits and holds whose end lost events hide. */
__u64 model_events(const struct model *s);
__u64 model_waits_lost(const struct model *s);
__u64 model_holds_lost(const struct model *s);

/* True if a thread has the object exclusively or shares it, until it gives it back. */
static inline bool model_is_lock(const struct model_object *o)
{
	return o->kind == MODEL_MUTEX || o->kind == MODEL_RWLOCK || o->kind == MODEL_SPIN;
}

const char *model_kind_name(__u32 kind);
const char *model_state_name(__u32 state);
const char *model_life_name(__u32 life);

#endif
