/* SPDX-License-Identifier: GPL-2.0 */
/*
 * model_state.h - the model of threads and objects, as its parts see it
 *
 *   model_map.c      pairs of numbers to pointers
 *   model_bind.c     what an event type says, and where its fields lie
 *   model_rules.c    what each call does to its object
 *   model_call.c     calls under way, waits
 *   model_thread.c   beginning and end of threads, what they have
 *   model_trouble.c  what cannot be
 *   model_choice.c   what is recorded at all
 *   model_object.c   objects: room, finding, state
 *   model.c          processes, threads: finding, losses, what callers ask
 */
#ifndef VIEWER_PTHREAD_MODEL_STATE_H
#define VIEWER_PTHREAD_MODEL_STATE_H

#include "events/process_lifetimes.h"
#include "model.h"

#include <sys/queue.h>

/* Stamps of two CPUs may be in the wrong order if they are that close. */
#define MODEL_SKEW_NS 1000u

struct thread;
struct object;

/* struct hold - what a thread has, in which life of the object, since when */
struct hold {
	struct object *object;
	__u32 life;
	__u64 from;
	__u64 caller;
};

/* struct model_map - hash table, open addressing, a power of two of slots; nothing is removed */
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
	MODEL_OP_OTHER,		/* does nothing here */
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

/* struct model_binding - an event type, what it says, and where fields lie; size 0 = not there */
struct model_binding {
	const struct ktrace_event_type *type;
	__u8 kind;
	__u8 op;
	__u8 phase;
	bool has_tried;		/* would not have waited */
	bool is_thrd;		/* result is of <threads.h> */
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
	struct object *mutex;		/* cond: that was had, and is given meanwhile */
	struct thread *peer;		/* join: the thread that has the pthread_t */
	__u32 life;
	__u32 held;		/* how often @mutex was had */
	__u32 number;		/* barrier: its count; sem: its value */
	__u64 time;
	__u64 next;		/* of the thread's next event, 0 = none yet */
	__u64 caller;
	__u32 holder;
	bool is_wait;
	bool is_pshared;
	bool has_pshared;	/* and that is told */
};

/**
 * struct thread - a thread, and what only the model needs to know
 * @t:		what others see
 * @until:	stamp from which its process may be another
 * @trace_index: where that was asked
 * @frames:	calls under way
 * @frame_nr:	how many
 * @frame_cap:	room
 * @is_whole:	there was no call under way when its events began
 * @has_ended:	its routine has returned; destructors may still run
 * @is_joined:	another has joined it
 * @is_surely_joined: it was that thread, and none before it that had the same pthread_t
 * @holds:	what it has
 * @hold_nr:	how many
 * @hold_cap:	room
 * @of_process:	list of its process's
 * @stirred:	list of those of which something may be known since a loss, or that may have calls
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
 * struct object - an object, and what only the model needs to know
 * @o:		what others see
 * @of_process:	list of all that its process has had
 * @next_known:	list of those whose state is not unknown, of the process
 * @is_listed:	it is in that list
 * @doubts:	calls under way that may change it at any time
 * @ghost:	thread that seemed to have it when another took it
 * @trouble:	number of the latest trouble about it, + 1
 * @trouble_time: when that was
 * @arrived:	barrier: calls so far
 * @gone:	barrier: of these, how many have returned
 * @serials:	barrier: of these, how many as the last to arrive
 * @reader:	rwlock: the thread that took it last to read
 * @is_blamed:	a misuse of it has been told
 * @has_pshared: barrier: whether it is shared is told
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
 * struct process - a program's run
 * @p:		what others see
 * @known:	its objects that are not unknown
 * @next_knowing: list of those that have some
 * @is_knowing:	it is in that list, though it may have none any more
 * @threads:	all that it has had
 * @objects:	the same
 * @next:	list of all
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

/* struct stream_end - where a stream was read up to */
struct stream_end {
	const struct ktrace_trace_stream *stream;
	__u64 time;
};

/**
 * struct model - the model
 * @set:	what is read
 * @states:	its machines
 * @watch:	what is called
 * @by_type:	bindings of event types
 * @by_stream:	ends of streams
 * @by_pid:	processes by machine and pid
 * @by_tid:	threads by machine and tid
 * @by_handle:	threads by process and pthread_t
 * @last_end:	found last
 * @last_binding: found last
 * @stems:	names of calls
 * @stem_nr:	how many
 * @is_partial:	kinds of which not all is recorded all the time
 * @choice_trace: the trace of the members below
 * @choice_at:	its next choice but one
 * @choice_raw:	stamp of the next one
 * @choice_since: stamp of the latest one
 * @processes:	list
 * @knowing:	those of them that know something of objects
 * @stirred:	threads of which a loss makes forget something
 * @process_nr:	how many there have been
 * @threads:	by serial
 * @thread_nr:	how many
 * @thread_cap:	room
 * @objects:	all of them
 * @troubles:	in order; those with an empty text are withdrawn
 * @trouble_nr:	how many
 * @trouble_cap: room
 * @events:	taken in
 * @waits_lost:	waits that a loss cuts
 * @holds_lost:	holds whose end a loss hides, or the end of the object
 * @error:	-ENOMEM met where it cannot be returned
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
 * struct model_step - one event being taken in
 * @s:		the model
 * @time:	when
 * @e:		the event; NULL: a loss, an exec, the end, and there is no more than @time
 * @b:		what it says
 * @t:		its thread
 * @o:		its object, NULL = none
 * @result:	0 = OK; of "in" 0
 * @caller:	where the call came from, 0 = not recorded
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

/* model_bind.c. NULL: no memory */
const struct model_binding *model_bind(struct model *s, const struct ktrace_event_type *type);
__u64 model_value(const struct model_step *st, enum model_field field);

static inline bool model_has(const struct model_step *st, enum model_field field)
{
	return st->b->size[field];
}

/* model_object.c */
void model_objects_free(struct model_objects *all);
/* The object of an event. NULL: no memory */
struct object *model_object_at(struct model_step *st, __u64 address, __u32 kind);
/* A new object at the address: nothing is known of it. */
void model_object_renew(struct model_step *st, struct object *o, __u32 kind);
/* Tells that the object, whose state was @from, is not what it was. */
void model_changed(struct model_step *st, struct object *o, __u32 from);
void model_set_state(struct model_step *st, struct object *o, __u32 state);

/* model.c */
/* The thread is another one from now on, in the step, too. Return: 0, -ENOMEM. */
int model_thread_renew(struct model_step *st);

/* A loss makes forget what is known of the thread. */
void model_stir(struct model *s, struct thread *t);

/* model_call.c */
/* Return: 0, -ENOMEM. */
int model_call_in(struct model_step *st);
/* Takes the call's frame off, and ends its wait; false: it has none, and @frame is all zero */
bool model_call_out(struct model_step *st, struct model_frame *frame);
static inline struct model_frame *model_call(const struct model_step *st)
{
	return &st->t->frames[st->t->frame_nr - 1];
}
/* The call at hand waits from now on, for the holder. */
void model_wait_begin(struct model_step *st, __u32 holder);
/* Calls under way end untold: by the thread's end, or as a loss hides what they do */
void model_calls_drop(struct model_step *st, struct thread *t, bool is_lost);
/* Tells of waits that go on, as if they ended. */
void model_calls_flush(struct model_step *st, struct thread *t);
/* The thread's life is what its calls and its end make it. */
void model_settle(struct model_step *st, struct thread *t);
/* ... is not known. */
void model_forget_life(struct model_step *st, struct thread *t);

/* model_thread.c. Return: 0, -ENOMEM. */
int model_thread_start(struct model_step *st);
int model_thread_end(struct model_step *st);
void model_join_in(struct model_step *st);
void model_join_out(struct model_step *st, const struct model_frame *f);
void model_detach_out(struct model_step *st);
/* The thread of the step has it. */
int model_hold_add(struct model_step *st, struct object *o);
/* Takes one hold of it away, and tells it; false: the thread had none */
bool model_hold_remove(struct model_step *st, struct thread *t, const struct object *o);
/* Takes all away: when they end is not known. */
void model_holds_forget(struct model_step *st, struct thread *t);
/* Tells of what the thread has, as if it ended. */
void model_holds_flush(struct model_step *st, const struct thread *t);

/* model_rules.c. Return: 0, -ENOMEM. */
int model_apply(struct model_step *st);

/* model_choice.c */
/* Which kinds are partial. Return: 0, -ENOMEM. */
int model_choices(struct model *s);
/* Has another choice begun with this event? */
bool model_choice_is_new(struct model *s, const struct ktrace_trace_event *e);

/* model_trouble.c */
__attribute__((format(printf, 3, 4)))
void model_complain(struct model_step *st, struct object *o, const char *format, ...);
__attribute__((format(printf, 3, 4)))
void model_complain_misuse(struct model_step *st, struct object *o, const char *format, ...);
/* What was said of the object last was but stamps in the wrong order: false if it was not. */
bool model_excuse(struct model_step *st, struct object *o);
/* Forgets what was said of what is as late as @time. */
void model_withdraw(struct model *s, __u64 time);

#endif
