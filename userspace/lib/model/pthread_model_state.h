/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * pthread_model_state.h - the model of threads and objects, as its parts see it
 *
 *   pthread_model_map.c        hash tables: from pairs of numbers to pointers
 *   pthread_model_bind.c       meaning of event types, offsets of their fields
 *   pthread_model_rules.c      effect of each call on its object
 *   pthread_model_call.c       calls under way, waits
 *   pthread_model_thread.c     beginning and end of threads, objects they hold
 *   pthread_model_trouble.c    impossible transitions
 *   pthread_model_choice.c     which events are recorded
 *   pthread_model_object.c     objects: memory, lookup, state
 *   pthread_model.c            processes and threads: lookup; lost events, queries of callers
 */
#ifndef KTRACE_MODEL_PTHREAD_MODEL_STATE_H
#define KTRACE_MODEL_PTHREAD_MODEL_STATE_H

#include "process_lifetimes.h"
#include "pthread_model.h"

#include <sys/queue.h>

/* Stamps of two CPUs that are this close may be in the wrong order. */
#define MODEL_SKEW_NS 1000u

struct thread;
struct object;

/* struct hold - an object that a thread holds, the object's life, and since when */
struct hold {
	struct object *object;
	__u32 life;
	__u64 from;
	__u64 caller;
};

/*
 * struct model_map - hash table with open addressing, a power of two of slots; nothing is removed
 */
struct model_map {
	struct model_slot {
		__u64 a;
		__u64 b;
		void *at;
	} *slots;
	size_t slot_nr;
	size_t used;
};

void *model_map_get(const struct model_map *m, __u64 a, __u64 b);
/* Return: 0, -ENOMEM. */
int model_map_set(struct model_map *m, __u64 a, __u64 b, void *at);
void model_map_free(struct model_map *m);

enum model_op {
	MODEL_OP_OTHER,		/* no effect in the model */
	MODEL_OP_START, MODEL_OP_END, MODEL_OP_JOIN, MODEL_OP_DETACH,
	MODEL_OP_INIT, MODEL_OP_DESTROY,
	MODEL_OP_TAKE, MODEL_OP_READ, MODEL_OP_GIVE,
	MODEL_OP_WAIT,		/* of a condition or barrier */
	MODEL_OP_SIGNAL, MODEL_OP_OPEN, MODEL_OP_ONCE,
};

enum model_phase { MODEL_ALL, MODEL_IN, MODEL_OUT };

enum model_field {
	MODEL_F_OBJECT,		/* or pthread_t */
	MODEL_F_MUTEX,		/* of a condition's wait */
	MODEL_F_COUNT, MODEL_F_OWNER, MODEL_F_RESULT, MODEL_F_VALUE, MODEL_F_NUMBER,
		MODEL_F_PSHARED,
	MODEL_F_CALLER,
	MODEL_F_NR,
};

/* struct model_binding - an event type, its meaning, and its fields; size 0 = no such field */
struct model_binding {
	const struct ktrace_event_type *type;
	__u8 kind;
	__u8 op;
	__u8 phase;
	bool has_tried;		/* would not have waited */
	bool is_thrd;		/* its result is one of <threads.h> */
	bool is_ours;		/* false: not an event of pthread calls */
	__u16 stem;		/* number of the call's name */
	__u32 need;		/* least bytes of payload */
	__u16 offset[MODEL_F_NR];
	__u8 size[MODEL_F_NR];
};

/* struct model_frame - a call under way: its event "in" */
struct model_frame {
	const struct model_binding *binding;
	__u64 address;
	struct object *object;
	struct object *mutex;		/* cond: the mutex that the wait releases */
	struct thread *peer;		/* join: the thread that has the pthread_t */
	__u32 life;
	__u32 held;		/* how often @mutex was locked */
	__u32 number;		/* barrier: its count; sem: its value */
	__u64 time;
	__u64 next;		/* time of the thread's next event, 0 = none yet */
	__u64 caller;
	__u32 holder;
	bool is_wait;
	bool is_pshared;
	bool has_pshared;	/* @is_pshared is known */
};

/**
 * struct thread - a thread, with members private to the model
 * @t:		public part
 * @until:	stamp from which its process may be another one
 * @trace_index: trace that @until applies to
 * @frames:	calls under way
 * @frame_nr:	number of these
 * @frame_cap:	room for so many
 * @is_whole:	no call was under way when its events began
 * @has_ended:	its routine has returned; destructors may still run
 * @is_joined:	another thread has joined it
 * @is_surely_joined: this thread was joined, not an earlier one with the same pthread_t
 * @holds:	objects it holds
 * @hold_nr:	number of these
 * @hold_cap:	room for so many
 * @of_process:	list of its process's threads
 * @stirred:	list of threads that may have calls, or known facts, since events were lost
 * @is_stirred:	it is in that list
 */
struct thread {
	struct model_thread t;
	struct process *process;
	__u64 until;
	size_t trace_index;
	struct model_frame *frames;
	__u32 frame_nr;
	__u32 frame_cap;
	bool is_whole;
	bool has_ended;
	bool is_joined;
	bool is_surely_joined;
	struct hold *holds;
	__u32 hold_nr;
	__u32 hold_cap;
	STAILQ_ENTRY(thread) of_process;
	STAILQ_ENTRY(thread) stirred;
	bool is_stirred;
};

/**
 * struct object - an object, with members private to the model
 * @o:		public part
 * @of_process:	list of all objects of its process
 * @next_known:	list of the process's objects with a known state
 * @is_listed:	it is in that list
 * @doubts:	number of calls under way that may change it at any time
 * @ghost:	thread that seemed to hold it when another took it
 * @trouble:	number of the latest trouble about it, + 1
 * @trouble_time: time of that
 * @arrived:	barrier: number of calls so far
 * @gone:	barrier: number of these that have returned
 * @serials:	barrier: number of these that returned as the last to arrive
 * @reader:	rwlock: the latest thread that took it to read
 * @is_blamed:	a misuse of it was reported
 * @has_pshared: barrier: it is known whether it is shared
 */
struct object {
	struct model_object o;
	STAILQ_ENTRY(object) of_process;
	struct object *next_known;
	bool is_listed;
	bool is_blamed;
	bool has_pshared;
	__u32 doubts;
	const struct model_thread *ghost;
	__u64 trouble_time;
	__u64 arrived;
	__u64 gone;
	__u64 serials;
	const struct model_thread *reader;
	__u32 trouble;
};

/* struct model_objects - all objects by serial, in chunks; slots of a hash table: serial + 1 */
struct model_objects {
	struct object **chunks;
	size_t nr;
	size_t chunk_cap;
	__u32 *slots;
	size_t slot_nr;
};

/**
 * struct process - a run of a program
 * @p:		public part
 * @known:	its objects with a known state
 * @next_knowing: list of processes that have known objects
 * @is_knowing:	it is in that list, though it may have no known objects any more
 * @threads:	all threads that it has had
 * @objects:	all objects that it has had
 * @next:	list of all processes
 */
struct process {
	struct model_process p;
	struct object *known;
	struct process *next_knowing;
	bool is_knowing;
	STAILQ_HEAD(, thread) threads;
	STAILQ_HEAD(, object) objects;
	struct process *next;
};

/* struct stream_end - the position up to which a stream was read */
struct stream_end {
	const struct ktrace_trace_stream *stream;
	__u64 time;
};

/**
 * struct model - the model
 * @set:	the files
 * @states:	states, for the machines
 * @watch:	callbacks
 * @by_type:	bindings of event types
 * @by_stream:	ends of streams
 * @by_pid:	processes by machine and pid
 * @by_tid:	threads by machine and tid
 * @by_handle:	threads by process and pthread_t
 * @last_end:	last lookup in @by_stream
 * @last_binding: last lookup in @by_type
 * @stems:	names of calls
 * @stem_nr:	number of these
 * @is_partial:	kinds of objects whose events are not all recorded all the time
 * @choice_trace: the trace that the following members are about
 * @choice_at:	index of its next choice but one
 * @choice_raw:	stamp of its next choice
 * @choice_since: stamp of its latest choice
 * @processes:	list of processes
 * @knowing:	processes that have known objects
 * @stirred:	threads that have something to forget when events are lost
 * @process_nr:	number of processes so far
 * @threads:	threads by serial
 * @thread_nr:	number of these
 * @thread_cap:	room for so many
 * @objects:	all objects
 * @troubles:	troubles in order; those with an empty text are withdrawn
 * @trouble_nr:	number of these
 * @trouble_cap: room for so many
 * @events:	number of events handled
 * @waits_lost:	waits whose end lost events hide
 * @holds_lost:	holds whose end is hidden by lost events or the end of the object
 * @error:	-ENOMEM from where it cannot be returned
 */
struct model {
	struct ktrace_traceset *set;
	const struct ktrace_states *states;
	struct model_watch watch;
	struct model_map by_type;
	struct model_map by_stream;
	struct model_map by_pid;
	struct model_map by_tid;
	struct model_map by_handle;
	struct lifetimes *births;
	struct stream_end *last_end;
	struct model_binding *last_binding;
	char **stems;
	size_t stem_nr;
	bool is_partial[MODEL_KIND_NR];
	const struct ktrace_trace *choice_trace;
	size_t choice_at;
	__u64 choice_raw;
	__u64 choice_since;
	struct process *processes;
	struct process *knowing;
	STAILQ_HEAD(, thread) stirred;
	__u32 process_nr;
	struct thread **threads;
	size_t thread_nr;
	size_t thread_cap;
	struct model_objects objects;
	struct model_trouble *troubles;
	size_t trouble_nr;
	size_t trouble_cap;
	__u64 events;
	__u64 waits_lost;
	__u64 holds_lost;
	int error;
	const struct model_thread *actor;
	const struct model_object *target;
};

/**
 * struct model_step - the event being handled
 * @s:		the model
 * @time:	its time
 * @e:		the event; NULL: lost events, an exec or the end, which have only @time
 * @b:		its meaning
 * @t:		its thread
 * @o:		its object, NULL = none
 * @result:	result of the call, 0 = success; 0 for "in"
 * @caller:	address that the call came from, 0 = not recorded
 */
struct model_step {
	struct model *s;
	__u64 time;
	const struct ktrace_trace_event *e;
	const struct model_binding *b;
	struct thread *t;
	struct object *o;
	__s32 result;
	__u64 caller;
};

/* pthread_model_bind.c. NULL: no memory */
const struct model_binding *model_bind(struct model *s, const struct ktrace_event_type *type);
__u64 model_value(const struct model_step *st, enum model_field field);

static inline bool model_has(const struct model_step *st, enum model_field field)
{
	return st->b->size[field];
}

/* pthread_model_object.c */
void model_objects_free(struct model_objects *all);
/* Returns the object of an event. NULL: no memory */
struct object *model_object_at(struct model_step *st, __u64 address, __u32 kind);
/* Starts a new object at the address, about which nothing is known. */
void model_object_renew(struct model_step *st, struct object *o, __u32 kind);
/* Reports a change of the object, whose state was @from. */
void model_changed(struct model_step *st, struct object *o, __u32 from);
void model_set_state(struct model_step *st, struct object *o, __u32 state);

/* pthread_model.c */
/* Replaces the thread by a new one with the same tid, in the step, too. Return: 0, -ENOMEM. */
int model_thread_renew(struct model_step *st);

/* Adds the thread to those that have something to forget when events are lost. */
void model_stir(struct model *s, struct thread *t);

/* pthread_model_call.c */
/* Return: 0, -ENOMEM. */
int model_call_in(struct model_step *st);
/* Removes the call's frame, and ends its wait; false: there is no frame, and @frame is all zero. */
bool model_call_out(struct model_step *st, struct model_frame *frame);
static inline struct model_frame *model_call(const struct model_step *st)
{
	return &st->t->frames[st->t->frame_nr - 1];
}
/* Makes the current call wait from now on, for the holder. */
void model_wait_begin(struct model_step *st, __u32 holder);
/*
 * Drops calls under way that end without an event: at the thread's end, or as lost events hide
 * their ends.
 */
void model_calls_drop(struct model_step *st, struct thread *t, bool is_lost);
/* Reports open waits as if they ended. */
void model_calls_flush(struct model_step *st, struct thread *t);
/* Sets the thread's life from its calls and its end. */
void model_settle(struct model_step *st, struct thread *t);
/* Makes the thread's life unknown. */
void model_forget_life(struct model_step *st, struct thread *t);

/* pthread_model_thread.c. Return: 0, -ENOMEM. */
int model_thread_start(struct model_step *st);
int model_thread_end(struct model_step *st);
void model_join_in(struct model_step *st);
void model_join_out(struct model_step *st, const struct model_frame *f);
void model_detach_out(struct model_step *st);
/* Records that the thread of the step holds the object. */
int model_hold_add(struct model_step *st, struct object *o);
/* Removes one hold of the object, and reports it; false: the thread had none. */
bool model_hold_remove(struct model_step *st, struct thread *t, const struct object *o);
/* Drops all holds; their ends are not known. */
void model_holds_forget(struct model_step *st, struct thread *t);
/* Reports what the thread holds as if the holds ended. */
void model_holds_flush(struct model_step *st, const struct thread *t);

/* pthread_model_rules.c. Return: 0, -ENOMEM. */
int model_apply(struct model_step *st);

/* pthread_model_choice.c */
/* Finds out which kinds are partial. Return: 0, -ENOMEM. */
int model_choices(struct model *s);
/* True if a new choice of events has begun before this event. */
bool model_choice_is_new(struct model *s, const struct ktrace_trace_event *e);

/* pthread_model_trouble.c */
__attribute__((format(printf, 3, 4)))
void model_complain(struct model_step *st, struct object *o, const char *format, ...);
__attribute__((format(printf, 3, 4)))
void model_complain_misuse(struct model_step *st, struct object *o, const char *format, ...);
/*
 * Withdraws the latest trouble of the object if stamps in the wrong order explain it; else returns
 * false.
 */
bool model_excuse(struct model_step *st, struct object *o);
/* Withdraws all troubles from @time on. */
void model_withdraw(struct model *s, __u64 time);

#endif
