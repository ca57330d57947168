/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * state.h - track processes, CPUs, interrupts and devices from kernel events
 *
 * A state is updated with each event, in order, and describes that point in time. Facts missing
 * from the recording are "unknown", never guessed. Each thread has a status and a stack of
 * execution modes: a system call on top of the program, an interrupt on top of that.
 *
 *	ktrace_state_new(set, &state);
 *	while (ktrace_traceset_next(set, &event) == 1)
 *		ktrace_state_update(state, &event);
 *
 * Traces of the same boot share one state: its number, "machine", is that of the first of them.
 * Memory: about 250 bytes for each thread that is alive or was not reaped, and for each resource;
 * and at most 64 MiB of saved states, or one state if that is larger. A state is saved every 50,000
 * events; when saved states take too much room, every second one is dropped and the interval
 * doubles.
 *
 * Functions return 0 or -errno. A state is used by one thread, that of the traceset.
 */
#ifndef KTRACE_STATE_H
#define KTRACE_STATE_H

#include <ktrace/filter.h>
#include <ktrace/position.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ktrace_states;

/*
 * Execution modes of a running thread. Traps come from events trap:enter and trap:exit, with a
 * field trap. The module records none: Linux reports when a page fault begins, not when it ends.
 */
enum ktrace_mode {
	KTRACE_MODE_UNKNOWN,
	KTRACE_MODE_USER,
	KTRACE_MODE_SYSCALL,	/* sub-mode: the system call, see ktrace_mode_call() */
	KTRACE_MODE_TRAP,	/* sub-mode: number of the trap */
	KTRACE_MODE_IRQ,	/* sub-mode: number of the interrupt */
	KTRACE_MODE_SOFTIRQ,	/* sub-mode: its vector */
	KTRACE_MODE_NR,
};

/*
 *   UNNAMED -> any                         unknown: not seen yet, or no longer
 *   WAIT_FORK -> WAIT_CPU -> RUN           created, woken for the first time, scheduled
 *   RUN -> WAIT_CPU -> RUN                 preempted
 *   RUN -> WAIT -> WAIT_CPU -> RUN         blocked, woken
 *   RUN -> EXIT -> ZOMBIE -> DEAD          ends, last switch, reaped by its parent
 *   EXIT -> DEAD                           a thread that does not lead its process
 */
enum ktrace_status {
	KTRACE_STATUS_UNNAMED,
	KTRACE_STATUS_WAIT_FORK,
	KTRACE_STATUS_WAIT_CPU,
	KTRACE_STATUS_EXIT,
	KTRACE_STATUS_ZOMBIE,
	KTRACE_STATUS_WAIT,
	KTRACE_STATUS_RUN,
	KTRACE_STATUS_DEAD,
	KTRACE_STATUS_NR,
};

/* struct ktrace_mode_level - a mode that was entered at @since */
struct ktrace_mode_level {
	__u64 since;
	__u32 mode;
	__u32 sub;
};

#define KTRACE_MODE_DEPTH 8

/**
 * struct ktrace_process - a thread
 * @serial:	unique for ever; counts from 0 without gaps
 * @created:	time of creation, 0 = before the recording or unknown
 * @inserted:	time of the first event about it
 * @since:	time of the latest change of status or modes
 * @stamp:	raw stamp of its latest event in the trace @machine, 0 = none
 * @machine:	number of the first trace of its boot
 * @tid:	thread id; 0 = a CPU's idle task, one for each CPU
 * @pid:	process, 0 = unknown from events: see ktrace_process_pid()
 * @ppid:	process that created it, 0 = unknown
 * @cpu:	CPU where it runs, ran or will run; -1 = unknown
 * @status:	enum ktrace_status
 * @wait:	WAIT: the reason, enum ktrace_task_state
 * @is_woken:	WAIT_CPU: true if woken, false if preempted
 * @waker:	thread that woke it last, 0 = none, or an interrupt
 * @waker_mode:	IRQ or SOFTIRQ if one of these woke it
 * @is_reaped:	EXIT: its parent has reaped it
 * @depth:	levels in use, at least 1
 * @over:	levels dropped for lack of room
 * @is_followed: true if a recording of selected processes includes its thread; others have only
 *		isolated events and status UNNAMED
 * @stack:	modes, from the program upwards
 * @comm:	name; empty = unknown from events: see ktrace_process_name()
 */
struct ktrace_process {
	__u64 serial;
	__u64 created;
	__u64 inserted;
	__u64 since;
	__u64 stamp;
	__u32 machine;
	__u32 tid;
	__u32 pid;
	__u32 ppid;
	__s32 cpu;
	__u32 status;
	__u32 wait;
	__u32 is_woken;
	__u32 waker;
	__u32 waker_mode;
	__u32 is_reaped;
	__u32 depth;
	__u32 over;
	__u32 is_followed;
	struct ktrace_mode_level stack[KTRACE_MODE_DEPTH];
	char comm[16];
};

/** ktrace_process_mode - get the mode on top of the stack */
static inline const struct ktrace_mode_level *ktrace_process_mode(const struct ktrace_process *p)
{
	return &p->stack[p->depth - 1];
}

enum ktrace_resource_kind {
	KTRACE_RESOURCE_CPU,
	KTRACE_RESOURCE_IRQ,
	KTRACE_RESOURCE_SOFTIRQ,
	KTRACE_RESOURCE_TRAP,
	KTRACE_RESOURCE_BLOCK,	/* block device; its number is the kernel's dev_t */
	KTRACE_RESOURCE_NR,
};

enum ktrace_resource_mode {
	KTRACE_RES_UNKNOWN,
	KTRACE_RES_IDLE,
	KTRACE_RES_BUSY,
	KTRACE_RES_IRQ,		/* CPU: this and the next two */
	KTRACE_RES_SOFTIRQ,
	KTRACE_RES_TRAP,
	KTRACE_RES_READ,	/* block device: all pending requests are reads */
	KTRACE_RES_WRITE,	/* block device: some pending requests are not reads */
	KTRACE_RES_MODE_NR,
};

#define KTRACE_RESOURCE_DEPTH 16

/**
 * struct ktrace_resource - a CPU, interrupt, softirq, trap or block device
 * @since:	time of the latest change of its mode
 * @machine:	number of the first trace of its boot
 * @kind:	enum ktrace_resource_kind
 * @number:	which of its kind
 * @tid:	CPU: the running thread
 * @depth:	levels in use, at least 1
 * @over:	levels dropped for lack of room
 * @reads:	block device: pending reads
 * @writes:	block device: other pending requests
 * @modes:	enum ktrace_resource_mode; the last is the current one
 * @name:	interrupt: its name, if known from events
 */
struct ktrace_resource {
	__u64 since;
	__u32 machine;
	__u32 kind;
	__u32 number;
	__u32 tid;
	__u32 depth;
	__u32 over;
	__u32 reads;
	__u32 writes;
	__u8 modes[KTRACE_RESOURCE_DEPTH];
	char name[16];
};

/** ktrace_resource_mode - get the current mode */
static inline __u32 ktrace_resource_mode(const struct ktrace_resource *r)
{
	return r->modes[r->depth - 1];
}

/**
 * struct ktrace_state_watch - callbacks for changes, called before each change; members may be NULL
 * @span:	the thread did not change between its @since and @until
 * @left:	the thread leaves @level at @until; @value: the system call's return value, or
 *		whether the interrupt was handled
 * @woken:	the thread is woken by @by, which is NULL if unknown
 * @resource:	the resource did not change until @until
 * @arg:	argument of all callbacks
 */
struct ktrace_state_watch {
	void (*span)(void *arg, const struct ktrace_process *p, __u64 until);
	void (*left)(void *arg, const struct ktrace_process *p,
		     const struct ktrace_mode_level *level, __u64 until, __s64 value);
	void (*woken)(void *arg, const struct ktrace_process *p,
		      const struct ktrace_process *by, __u64 time);
	void (*resource)(void *arg, const struct ktrace_resource *r, __u64 until);
	void *arg;
};

#define KTRACE_STATE_WATCHES 4

/**
 * ktrace_state_new - create a state in which everything is unknown
 * @set:	the traceset being read; must outlive the state
 * @out:	the state
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_state_new(struct ktrace_traceset *set, struct ktrace_states **out);

/** ktrace_state_free - free everything; NULL is allowed */
void ktrace_state_free(struct ktrace_states *state);

/**
 * ktrace_state_watch - receive changes from now on; @watch must remain valid
 *
 * Return: 0, -ENOSPC if there are KTRACE_STATE_WATCHES already.
 */
int ktrace_state_watch(struct ktrace_states *state, const struct ktrace_state_watch *watch);

/**
 * ktrace_state_update - update a state with the next event
 * @event:	as delivered by ktrace_traceset_next() or ktrace_traceset_read()
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_state_update(struct ktrace_states *state, const struct ktrace_trace_event *event);

/**
 * ktrace_state_seek - seek to a time, both the traceset and the state
 *
 * The result is the same as after updates with all events from the first one up to but not
 * including @time; the traceset's next event is the first one at @time or later. Events read before
 * are not read again, except those after the nearest saved state. Watches are not called.
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_state_seek(struct ktrace_states *state, __u64 time);

/**
 * ktrace_state_seek_position - seek to a position in the same way
 *
 * The result is the same as after updates with all events in front of @pos. Seeking to a position
 * that is not set is a no-op.
 *
 * Return: 0; or as ktrace_traceset_seek_position(), and the state is unchanged; -ENOMEM.
 */
int ktrace_state_seek_position(struct ktrace_states *state, const struct ktrace_position *pos);

/**
 * ktrace_state_flush - report everything that is still open to watches, as if it ended at @until
 */
void ktrace_state_flush(struct ktrace_states *state, __u64 until);

/**
 * ktrace_state_process - get thread number @i in arbitrary order, NULL after the last
 *
 * Valid until the next update.
 */
const struct ktrace_process *ktrace_state_process(const struct ktrace_states *state, size_t i);

/** ktrace_state_find - find a thread, NULL = not met; @cpu matters for @tid 0 only */
const struct ktrace_process *ktrace_state_find(const struct ktrace_states *state, __u32 machine,
					       __u32 tid, __s32 cpu);

/** ktrace_state_resource - get resource number @i in any order, NULL after the last */
const struct ktrace_resource *ktrace_state_resource(const struct ktrace_states *state, size_t i);

/** ktrace_state_find_resource - find a resource, NULL = not met */
const struct ktrace_resource *ktrace_state_find_resource(const struct ktrace_states *state,
							 __u32 machine, __u32 kind, __u32 number);

/** ktrace_state_machine - get the number of the first trace of the same boot */
__u32 ktrace_state_machine(const struct ktrace_states *state, const struct ktrace_trace *trace);

/** ktrace_process_name - get its name, from events or the file's META; NULL = unknown */
const char *ktrace_process_name(const struct ktrace_states *state, const struct ktrace_process *p);

/** ktrace_process_name_until - get the stamp from which META may change the name, ~0 = none */
__u64 ktrace_process_name_until(const struct ktrace_states *state, const struct ktrace_process *p);

/** ktrace_process_pid - get its process, from events or the file's META; 0 = unknown */
__u32 ktrace_process_pid(const struct ktrace_states *state, const struct ktrace_process *p);

/** ktrace_status_name - get the name of a status: "run" and so on */
const char *ktrace_status_name(__u32 status);
/** ktrace_mode_name - get the name of a mode: "syscall" and so on */
const char *ktrace_mode_name(__u32 mode);
/** ktrace_wait_name - get the name of an enum ktrace_task_state: "sleep" and so on */
const char *ktrace_wait_name(__u32 wait);
/** ktrace_resource_kind_name - get the name of a kind: "cpu" and so on */
const char *ktrace_resource_kind_name(__u32 kind);
/** ktrace_resource_mode_name - get the name of a resource's mode: "busy" and so on */
const char *ktrace_resource_mode_name(__u32 mode);

/** ktrace_mode_sub_name - get the name of a system call, interrupt or softirq, NULL = unknown */
const char *ktrace_mode_sub_name(const struct ktrace_states *state, __u32 machine, __u32 mode,
				 __u32 sub);

/**
 * ktrace_mode_sub_text - get the text shown for a sub-mode: its name or number
 * @state:	the state
 * @machine:	machine of the thread
 * @mode:	enum ktrace_mode
 * @sub:	its sub-mode
 * @text:	buffer for the text; system calls of a foreign ABI get a prefix: "i386:read"
 * @size:	size of @text; KTRACE_MODE_SUB_SIZE is enough for system calls
 *
 * Return: @text.
 */
const char *ktrace_mode_sub_text(const struct ktrace_states *state, __u32 machine, __u32 mode,
				 __u32 sub, char *text, size_t size);

#define KTRACE_MODE_SUB_SIZE 64u

/**
 * struct ktrace_mode_syscall - a system call
 * @nr:		its number; negative for numbers that no kernel has
 * @abi:	enum ktrace_syscall_abi
 * @mark:	"" for native calls, "i386:" and so on for others
 * @name:	name without @mark, NULL = unknown
 */
struct ktrace_mode_syscall {
	__s64 nr;
	__u32 abi;
	const char *mark;
	const char *name;
};

/**
 * ktrace_mode_call - get the system call of a sub-mode
 * @state:	the state
 * @sub:	sub-mode of KTRACE_MODE_SYSCALL; for native calls it is the number
 * @call:	filled in
 */
void ktrace_mode_call(const struct ktrace_states *state, __u32 sub,
		      struct ktrace_mode_syscall *call);

/**
 * ktrace_state_source - provide filter fields state.*: what the thread of an event is doing
 * @state:	the state, NULL = unknown yet: then set @source->arg to it later
 * @source:	filled in, for struct ktrace_filter_options
 *
 * The values are those of the current state: update the state with an event before matching it.
 */
void ktrace_state_source(struct ktrace_states *state, struct ktrace_filter_source *source);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
