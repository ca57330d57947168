/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * state.h - the internals of a state, shared by its parts
 *
 *   state_map.c      maps numbers to array indexes
 *   state_bind.c     finds an event type's rule and the rule's fields
 *   state_events.c   the rules: what each event changes
 *   state_fields.c   fields for filters
 *   state_change.c   the changes: status, stacks of modes, resources
 *   state.c          threads and resources, saved states, queries
 */
#ifndef KTRACE_STATE_STATE_H
#define KTRACE_STATE_STATE_H

#include <ktrace/state.h>

#define STATE_INTERVAL 50000u
#define STATE_SAVED_MAX (64u << 20)
#define BIND_FIELDS 6

/* struct state_map - hash table, open addressing, slot count a power of two; never removes keys */
struct state_map {
	struct state_slot {
		__u64 key;
		__u32 place;	/* + 1; 0 = free */
	} *slots;
	size_t slot_nr;
	size_t used;
};

/* struct core - the part of a state that is saved and restored */
struct core {
	struct ktrace_process *processes;
	__u32 process_nr;
	__u32 process_cap;
	struct ktrace_resource *resources;
	__u32 resource_nr;
	__u32 resource_cap;
	__u64 next_serial;
	__u64 events;	/* applied so far, without losses */
	__u64 latest;	/* the largest time so far */
};

/* struct saved - the state before the first event at @time or later */
struct saved {
	__u64 time;
	struct core core;
};

/* struct state_trace - a trace of the set */
struct state_trace {
	__u32 machine;		/* number of the first trace of its boot, + 1; 0 = unknown yet */
	bool is_partial;	/* its kernel events are only of followed processes */
};

struct state_rule;

/* struct binding - an event type, its rule, and where the rule's fields are */
struct binding {
	const struct state_rule *rule;	/* NULL = none */
	__u32 offset[BIND_FIELDS];
	__u32 size[BIND_FIELDS];
	bool is_signed[BIND_FIELDS];
	__u32 need;			/* minimum bytes of payload */
};

/**
 * struct ktrace_states - see <ktrace/state.h>
 * @set:	the traceset being read
 * @now:	the current state
 * @by_thread:	indexes in @now.processes
 * @by_resource: indexes in @now.resources
 * @bindings:	one for each event type met
 * @binding_nr:	number of @bindings
 * @by_type:	indexes in @bindings
 * @saved:	saved states, in order of time
 * @saved_nr:	number of @saved
 * @saved_bytes: size of the saved states in bytes
 * @interval:	number of events between saved states
 * @traces:	indexed by number of the trace
 * @trace_nr:	entries of @traces
 * @nr_field:	field of system call numbers, for their names
 * @vec_field:	field of softirq vectors, for their names
 * @compat_abi:	ABI of the machine's 32-bit programs, as far as known from events
 * @watches:	watches to notify
 * @watch_nr:	number of @watches
 * @is_muted:	true while watches are not notified
 * @room:	buffer for a number as text, see state_fields.c
 */
struct ktrace_states {
	struct ktrace_traceset *set;
	struct core now;
	struct state_map by_thread;
	struct state_map by_resource;
	struct binding *bindings;
	__u32 binding_nr;
	struct state_map by_type;
	struct saved *saved;
	size_t saved_nr;
	size_t saved_bytes;
	__u64 interval;
	struct state_trace *traces;
	size_t trace_nr;
	const struct ktrace_field *nr_field;
	const struct ktrace_field *vec_field;
	__u32 compat_abi;
	const struct ktrace_state_watch *watches[KTRACE_STATE_WATCHES];
	__u32 watch_nr;
	bool is_muted;
	char room[16];
};

/**
 * struct step - one event being applied
 * @state:	the state
 * @event:	the event
 * @binding:	its rule and fields
 * @time:	time of the event
 * @machine:	machine where it was recorded
 * @is_partial:	true for a recording of followed processes
 * @self:	thread that recorded it
 * @cpu:	CPU that recorded it, NULL for a thread's ring
 */
struct step {
	struct ktrace_states *state;
	const struct ktrace_trace_event *event;
	const struct binding *binding;
	__u64 time;
	__u32 machine;
	bool is_partial;
	struct ktrace_process *self;
	struct ktrace_resource *cpu;
};

/**
 * struct state_rule - the effect of an event
 * @name:	provider:name
 * @apply:	applies the effect, NULL = no effect
 * @fields:	fields that it needs; their order defines their numbers. "?" marks an optional one
 * @is_of_others: recorded even if the running thread is not followed, because of another thread
 */
struct state_rule {
	const char *name;
	void (*apply)(struct step *st);
	const char *fields[BIND_FIELDS + 1];
	bool is_of_others;
};

/* state_map.c */
int ktrace_map_reserve(struct state_map *m, size_t nr);
void ktrace_map_set(struct state_map *m, __u64 key, __u32 place);
/* Returns the index of @key, ~0 = none. */
__u32 ktrace_map_get(const struct state_map *m, __u64 key);
void ktrace_map_clear(struct state_map *m);
void ktrace_map_free(struct state_map *m);

/* state_bind.c */
int ktrace_step_bind(struct ktrace_states *s, const struct ktrace_event_type *type,
	       const struct binding **out);
__s64 ktrace_step_value(const struct step *st, __u32 field);
/* Copies a field of characters into @to, which has 16 bytes including the NUL. */
void ktrace_step_text(const struct step *st, __u32 field, char *to);

/* state_events.c */
const struct state_rule *ktrace_rule_find(const char *name);

/* state_change.c */
void ktrace_step_status(struct step *st, struct ktrace_process *p, __u32 status);
void ktrace_step_stack(struct step *st, struct ktrace_process *p, __u32 mode);
void ktrace_step_push(struct step *st, struct ktrace_process *p, __u32 mode, __u32 sub);
void ktrace_step_pop(struct step *st, struct ktrace_process *p, __u32 mode, __s64 value);
void ktrace_step_drop(struct step *st, struct ktrace_process *p, __u32 mode);
void ktrace_step_begin(struct step *st, struct ktrace_resource *r, __u32 mode);
void ktrace_step_end(struct step *st, struct ktrace_resource *r);
/* Marks the resource's mode as unknown. */
void ktrace_step_forget(struct step *st, struct ktrace_resource *r);
/* Called before @p runs: marks the CPU where @p was thought to run as unknown. */
void ktrace_step_leave(struct step *st, const struct ktrace_process *p);
void ktrace_step_requests(struct step *st, struct ktrace_resource *r, __u32 reads, __u32 writes);
void ktrace_step_run_on(struct step *st, struct ktrace_resource *cpu,
			const struct ktrace_process *p);
void ktrace_tell_span(const struct ktrace_states *s, const struct ktrace_process *p, __u64 until);
void ktrace_tell_resource(const struct ktrace_states *s, const struct ktrace_resource *r,
			 __u64 until);

/* state.c: make_room() has reserved memory for one event, so these never fail */
struct ktrace_process *ktrace_step_thread(struct step *st, __u32 tid, __s32 cpu);
struct ktrace_process *ktrace_step_known(struct step *st, __u32 tid);
void ktrace_step_renew(struct step *st, struct ktrace_process *p);
struct ktrace_resource *ktrace_step_resource(struct step *st, __u32 kind, __u32 number);

#endif
