/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * state.h - what processes, CPUs, interrupts and devices are doing, from kernel events
 *
 * A state is brought up to date with each event, in order. It says what is known at that
 * point; what the recording does not tell is "unknown", never guessed. Each thread has
 * a status and a stack of modes of execution: a system call on top of the program, an
 * interrupt on top of that.
 *
 *	ktrace_state_new(set, &state);
 *	while (ktrace_traceset_next(set, &event) == 1)
 *		ktrace_state_update(state, &event);
 *
 * Traces of the same boot share one state: its number, "machine", is that of the first
 * of them. Memory: some 250 bytes for each thread that is alive or was not reaped, and
 * for each resource; and at most 64 MiB of saved states, or one if that is more. One is
 * saved every 50,000 events; when they take too much room, every second one is dropped
 * and the distance doubles.
 *
 * Functions return 0 or -errno. A state is used by one thread, the traceset's.
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
 * What a thread is doing when it runs. Traps are those of events trap:enter and trap:exit, with a
 * field trap. The module records none: Linux tells when a page fault begins, not when it ends.
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
 *   UNNAMED -> any                         not known yet, or not any more
 *   WAIT_FORK -> WAIT_CPU -> RUN           made, woken for the first time, scheduled
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
 * @serial:	names it for good; from 0, without holes
 * @created:	time it was made, 0 = before the recording or not told
 * @inserted:	time of the first event about it
 * @since:	time of the latest change of status or modes
 * @stamp:	raw stamp of its own latest event in the trace @machine, 0 = none
 * @machine:	number of the first trace of its boot
 * @tid:	thread; 0 = a CPU's idle task, one for each CPU
 * @pid:	process, 0 = no event told it: see ktrace_process_pid()
 * @ppid:	process that made it, 0 = not known
 * @cpu:	where it runs, ran or is to run; -1 = not known
 * @status:	enum ktrace_status
 * @wait:	WAIT: enum ktrace_task_state, why
 * @is_woken:	WAIT_CPU: it was woken; otherwise it was preempted
 * @waker:	thread that woke it last, 0 = none, or an interrupt
 * @waker_mode:	IRQ or SOFTIRQ if one of these did
 * @is_reaped:	EXIT: its parent knows
 * @depth:	levels in use, at least 1
 * @over:	levels that found no room
 * @is_followed: a recording of some processes has this one's thread; of others it has
 *		single events, and their status is UNNAMED
 * @stack:	modes, from the program upwards
 * @comm:	name; empty = no event told it: see ktrace_process_name()
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

/** ktrace_process_mode - the mode on top of the stack */
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
	KTRACE_RES_READ,	/* block device: all its requests under way read */
	KTRACE_RES_WRITE,	/* block device: some do something else */
	KTRACE_RES_MODE_NR,
};

#define KTRACE_RESOURCE_DEPTH 16

/**
 * struct ktrace_resource - a CPU, interrupt, softirq, trap or block device
 * @since:	time of the latest change of its mode
 * @machine:	number of the first trace of its boot
 * @kind:	enum ktrace_resource_kind
 * @number:	which of its kind
 * @tid:	CPU: the thread that runs
 * @depth:	levels in use, at least 1
 * @over:	levels that found no room
 * @reads:	block device: requests under way that read
 * @writes:	and others
 * @modes:	enum ktrace_resource_mode; the last is what it does now
 * @name:	interrupt: its name, if events told it
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

/** ktrace_resource_mode - what it does now */
static inline __u32 ktrace_resource_mode(const struct ktrace_resource *r)
{
	return r->modes[r->depth - 1];
}

/**
 * struct ktrace_state_watch - told of changes, before they are made; members may be NULL
 * @span:	the thread was as it is from its @since until @until
 * @left:	it leaves @level at @until; @value: what the system call returned, whether
 *		the interrupt was handled
 * @woken:	it is woken by @by, which is NULL if that is not known
 * @resource:	the resource was as it is until @until
 * @arg:	for all of them
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
 * ktrace_state_new - a state in which nothing is known
 * @set:	what is read; it must stay until the state is freed
 * @out:	the state
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_state_new(struct ktrace_traceset *set, struct ktrace_states **out);

/** ktrace_state_free - free everything; NULL is allowed */
void ktrace_state_free(struct ktrace_states *state);

/**
 * ktrace_state_watch - be told of changes from now on; @watch must stay
 *
 * Return: 0, -ENOSPC if there are KTRACE_STATE_WATCHES already.
 */
int ktrace_state_watch(struct ktrace_states *state, const struct ktrace_state_watch *watch);

/**
 * ktrace_state_update - take the next event in
 * @event:	as ktrace_traceset_next() or ktrace_traceset_read() delivered it
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_state_update(struct ktrace_states *state, const struct ktrace_trace_event *event);

/**
 * ktrace_state_seek - go to a time: the traceset, and the state with it
 *
 * The state becomes what updates from the first event up to @time would have made it,
 * @time itself not included; the traceset's next event is the first at @time or later.
 * What was read before is not read again, but for what lies behind the nearest saved
 * state. Watches are not called.
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_state_seek(struct ktrace_states *state, __u64 time);

/**
 * ktrace_state_seek_position - the same for a position
 *
 * The state becomes what updates with all events in front of @pos would have made it. To a
 * position that is not set it does not go.
 *
 * Return: 0, or as ktrace_traceset_seek_position(), then the state is as before; -ENOMEM.
 */
int ktrace_state_seek_position(struct ktrace_states *state, const struct ktrace_position *pos);

/** ktrace_state_flush - tell watches of all that lasts, as if it ended at @until */
void ktrace_state_flush(struct ktrace_states *state, __u64 until);

/**
 * ktrace_state_process - thread number @i in no order, NULL behind the last
 *
 * Valid until the next update.
 */
const struct ktrace_process *ktrace_state_process(const struct ktrace_states *state, size_t i);

/** ktrace_state_find - a thread, NULL = not met; @cpu counts for @tid 0 only */
const struct ktrace_process *ktrace_state_find(const struct ktrace_states *state, __u32 machine,
					       __u32 tid, __s32 cpu);

/** ktrace_state_resource - resource number @i in no order, NULL behind the last */
const struct ktrace_resource *ktrace_state_resource(const struct ktrace_states *state, size_t i);

/** ktrace_state_find_resource - a resource, NULL = not met */
const struct ktrace_resource *ktrace_state_find_resource(const struct ktrace_states *state,
							 __u32 machine, __u32 kind, __u32 number);

/** ktrace_state_machine - number of the first trace of the same boot */
__u32 ktrace_state_machine(const struct ktrace_states *state, const struct ktrace_trace *trace);

/** ktrace_process_name - its name, also what only the file's META tells; NULL = not known */
const char *ktrace_process_name(const struct ktrace_states *state, const struct ktrace_process *p);

/** ktrace_process_name_until - stamp from which META may tell another name, ~0 = none */
__u64 ktrace_process_name_until(const struct ktrace_states *state, const struct ktrace_process *p);

/** ktrace_process_pid - its process, also what only the file's META tells; 0 = not known */
__u32 ktrace_process_pid(const struct ktrace_states *state, const struct ktrace_process *p);

/** ktrace_status_name - "run" and so on */
const char *ktrace_status_name(__u32 status);
/** ktrace_mode_name - "syscall" and so on */
const char *ktrace_mode_name(__u32 mode);
/** ktrace_wait_name - why a thread waits: "sleep" and so on, of enum ktrace_task_state */
const char *ktrace_wait_name(__u32 wait);
/** ktrace_resource_kind_name - "cpu" and so on */
const char *ktrace_resource_kind_name(__u32 kind);
/** ktrace_resource_mode_name - "busy" and so on */
const char *ktrace_resource_mode_name(__u32 mode);

/** ktrace_mode_sub_name - name of a system call, interrupt or softirq, NULL = not known */
const char *ktrace_mode_sub_name(const struct ktrace_states *state, __u32 machine, __u32 mode,
				 __u32 sub);

/**
 * ktrace_mode_sub_text - what people are shown of a sub-mode: its name or number
 * @state:	the state
 * @machine:	of the thread
 * @mode:	enum ktrace_mode
 * @sub:	its sub-mode
 * @text:	filled in; system calls of another ABI than the machine's are marked: "i386:read"
 * @size:	room in it; KTRACE_MODE_SUB_SIZE is enough for system calls
 *
 * Return: @text.
 */
const char *ktrace_mode_sub_text(const struct ktrace_states *state, __u32 machine, __u32 mode,
				 __u32 sub, char *text, size_t size);

#define KTRACE_MODE_SUB_SIZE 64u

/**
 * struct ktrace_mode_syscall - a system call
 * @nr:		its number; below 0 of what no kernel has
 * @abi:	enum ktrace_syscall_abi
 * @mark:	"" of the machine's own, "i386:" and so on of others
 * @name:	without it, NULL = not known
 */
struct ktrace_mode_syscall {
	__s64 nr;
	__u32 abi;
	const char *mark;
	const char *name;
};

/**
 * ktrace_mode_call - the system call that a sub-mode is
 * @state:	the state
 * @sub:	sub-mode of KTRACE_MODE_SYSCALL; of the machine's own calls it is the number
 * @call:	filled in
 */
void ktrace_mode_call(const struct ktrace_states *state, __u32 sub,
		      struct ktrace_mode_syscall *call);

/**
 * ktrace_state_source - fields state.* for filters: what the thread of an event is doing
 * @state:	the state, NULL = not known yet: then @source->arg is to be set to it
 * @source:	is filled in, for struct ktrace_filter_options
 *
 * Their values are those of the state at hand: take an event in before asking about it.
 */
void ktrace_state_source(struct ktrace_states *state, struct ktrace_filter_source *source);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
