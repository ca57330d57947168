/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace_events.h - kernel event ids, their payloads, and the description language
 *
 * One line of text describes an event, the same for kernel and user events,
 * in the registry and in the tracefile:
 *
 *   description = provider ":" name "{" { field ";" } "}" [ "@" file ":" line ]
 *   field       = type " " name
 *   type        = scalar | scalar "[" number "]" | scalar "[]" | "string" | "bytes"
 *               | "enum<" scalar ">(" NAME "=" number { "," NAME "=" number } ")"
 *   scalar      = s8 u8 s16 u16 s32 u32 s64 u64 x8 x16 x32 x64 f32 f64 ptr char
 *   provider, name, NAME = letters, digits and _ . - + | of ASCII, at least one
 *   number, line = decimal digits, or 0x and hexadecimal digits; in an enum "-" may come first
 *
 *   demo:work{u32 item;string label;u8[4] key;s16[] samples;}@main.c:12
 *
 * The payload has the fields in order, packed: no padding, no alignment. x* are
 * unsigned and shown in hexadecimal, ptr is 64 bits. "[]" is a __u32 count, then
 * the elements; string is its bytes and a NUL; bytes is laid out as u8[], and shown as a
 * C string literal; char arrays are shown as text up to the first NUL. Readers ignore
 * bytes after the last known field, so fields may be added; fields beyond the payload's
 * end are missing.
 *
 * The scalar of an enum is neither f32 nor f64; a value without a name is shown as a number.
 * An array has at least 1 element. A file may contain any bytes but NUL, including colons:
 * the line number follows the last one.
 *
 * The structs below have no holes; tids and pids are those of the initial namespace. An id
 * never changes its meaning.
 */
#ifndef _LINUX_KTRACE_EVENTS_H
#define _LINUX_KTRACE_EVENTS_H

#include <linux/types.h>

#define KTRACE_COMM_LEN 16

/* Ids: 32 for each family; timer and hrtimer share theirs. */
enum ktrace_kernel_id {
	/* family "log": TRACER_LOGEVENT */
	KTRACE_EV_LOGEVENT = 0x20,

	/* family "sched" */
	KTRACE_EV_SCHED_SWITCH = 0x40,
	KTRACE_EV_SCHED_WAKEUP = 0x41,
	KTRACE_EV_SCHED_MIGRATE = 0x42,
	KTRACE_EV_SCHED_FORK = 0x43,
	KTRACE_EV_SCHED_EXEC = 0x44,
	KTRACE_EV_SCHED_EXIT = 0x45,
	KTRACE_EV_SCHED_COMM = 0x46,

	/* family "syscall" */
	KTRACE_EV_SYSCALL_ENTER = 0x60,
	KTRACE_EV_SYSCALL_EXIT = 0x61,

	/* family "irq" */
	KTRACE_EV_IRQ_ENTER = 0x80,
	KTRACE_EV_IRQ_EXIT = 0x81,

	/* family "softirq" */
	KTRACE_EV_SOFTIRQ_ENTER = 0xa0,
	KTRACE_EV_SOFTIRQ_EXIT = 0xa1,
	KTRACE_EV_SOFTIRQ_RAISE = 0xa2,

	/* family "block" */
	KTRACE_EV_BLOCK_ISSUE = 0xc0,
	KTRACE_EV_BLOCK_COMPLETE = 0xc1,
	KTRACE_EV_BLOCK_REQUEUE = 0xc2,

	/* family "signal" */
	KTRACE_EV_SIGNAL_GENERATE = 0xe0,
	KTRACE_EV_SIGNAL_DELIVER = 0xe1,

	/* family "fault" */
	KTRACE_EV_FAULT_USER = 0x100,
	KTRACE_EV_FAULT_KERNEL = 0x101,

	/* family "lock" */
	KTRACE_EV_LOCK_CONTENDED = 0x120,
	KTRACE_EV_LOCK_ACQUIRED = 0x121,

	/* family "power" */
	KTRACE_EV_POWER_IDLE = 0x140,
	KTRACE_EV_POWER_FREQUENCY = 0x141,

	/* family "module" */
	KTRACE_EV_MODULE_LOAD = 0x160,
	KTRACE_EV_MODULE_FREE = 0x161,
	KTRACE_EV_MODULE_REQUEST = 0x162,

	/* family "net" */
	KTRACE_EV_NET_QUEUE = 0x180,
	KTRACE_EV_NET_XMIT = 0x181,
	KTRACE_EV_NET_RECEIVE = 0x182,

	/* family "workqueue" */
	KTRACE_EV_WORKQUEUE_QUEUE = 0x1a0,
	KTRACE_EV_WORKQUEUE_START = 0x1a1,
	KTRACE_EV_WORKQUEUE_END = 0x1a2,

	/* family "timer" */
	KTRACE_EV_TIMER_START = 0x1c0,
	KTRACE_EV_TIMER_CANCEL = 0x1c1,
	KTRACE_EV_TIMER_ENTER = 0x1c2,
	KTRACE_EV_TIMER_EXIT = 0x1c3,

	/* family "hrtimer" */
	KTRACE_EV_HRTIMER_START = 0x1d0,
	KTRACE_EV_HRTIMER_CANCEL = 0x1d1,
	KTRACE_EV_HRTIMER_ENTER = 0x1d2,
	KTRACE_EV_HRTIMER_EXIT = 0x1d3,

	/* family "memory" */
	KTRACE_EV_MEMORY_RSS = 0x1e0,
	KTRACE_EV_MEMORY_OOM = 0x1e1,

	/* family "futex" */
	KTRACE_EV_FUTEX_ENTER = 0x200,
	KTRACE_EV_FUTEX_EXIT = 0x201,
};

/*
 * Ids that KTRACE_IOC_TRACEPOINT gives to tracepoints and dynamic probes; they differ by session.
 * The payload is the kernel's record, as its "format" file describes it.
 */
#define KTRACE_EV_DYNAMIC 0x400
#define KTRACE_EV_DYNAMIC_NR 1024

/* TRACER_LOGEVENT(type, par1, par2), S.Ha.R.K. event codes */
struct ktrace_ev_logevent {
	__u16 type;
	__u16 par1;
	__u32 par2;
};

/* prev_state: why the task stopped running; the kernel's own bits differ by version */
enum ktrace_task_state {
	KTRACE_TASK_RUNNABLE = 0,	/* preempted or yielded */
	KTRACE_TASK_SLEEP = 1,		/* interruptible */
	KTRACE_TASK_DISK = 2,		/* uninterruptible */
	KTRACE_TASK_STOPPED = 3,
	KTRACE_TASK_TRACED = 4,
	KTRACE_TASK_DEAD = 5,		/* dead or zombie */
	KTRACE_TASK_IDLE = 6,		/* kernel thread that waits and does not count as load */
	KTRACE_TASK_PARKED = 7,
};

/*
 * Without CAP_PERFMON, tasks that are not followed stay hidden: their tid and priority are 0 and
 * their name is empty (except for the idle task), and the tid in the header of any record is 0.
 */
struct ktrace_ev_sched_switch {
	__u32 prev_tid;
	__u32 next_tid;
	__s32 prev_prio;
	__s32 next_prio;
	__u32 prev_state;	/* enum ktrace_task_state */
	char prev_comm[KTRACE_COMM_LEN];
	char next_comm[KTRACE_COMM_LEN];
};

struct ktrace_ev_sched_wakeup {
	__u32 tid;
	__s32 prio;
	__u32 target_cpu;
	char comm[KTRACE_COMM_LEN];
};

struct ktrace_ev_sched_migrate {
	__u32 tid;
	__s32 prio;
	__u32 from_cpu;
	__u32 to_cpu;
	char comm[KTRACE_COMM_LEN];
};

struct ktrace_ev_sched_fork {
	__u32 parent_tid;
	__u32 parent_pid;
	__u32 child_tid;
	__u32 child_pid;	/* equals parent_pid for a new thread */
	char comm[KTRACE_COMM_LEN];
};

/* NUL-terminated file name follows */
struct ktrace_ev_sched_exec {
	__u32 pid;
	__u32 old_tid;
};

struct ktrace_ev_sched_exit {
	__u32 tid;
	__u32 pid;
	__s32 prio;
	char comm[KTRACE_COMM_LEN];
};

struct ktrace_ev_sched_comm {
	__u32 tid;
	__u32 pid;
	char comm[KTRACE_COMM_LEN];
};

/* The kernel's table of system calls that a number belongs to */
enum ktrace_syscall_abi {
	KTRACE_SYSCALL_NATIVE = 0,	/* 64-bit programs */
	KTRACE_SYSCALL_I386 = 1,	/* x86: 32-bit programs, and int $0x80 in all programs */
	KTRACE_SYSCALL_X32 = 2,		/* x86: the number has bit 30 set */
	KTRACE_SYSCALL_ARM = 3,		/* arm64: 32-bit programs */
	KTRACE_SYSCALL_COMPAT = 4,	/* other machines: 32-bit programs */
	KTRACE_SYSCALL_ABI_NR,
};

/*
 * The number is the kernel's at that time: at the exit of rt_sigreturn() it is -1, and at the exit
 * of an exec() that changes the ABI it is that of exec() in the new ABI. Version 0.1.0 had a
 * __u64 nr in place of nr and abi.
 */
struct ktrace_ev_syscall_enter {
	__s32 nr;
	__u32 abi;		/* enum ktrace_syscall_abi */
	__u64 args[6];
};

struct ktrace_ev_syscall_exit {
	__s32 nr;
	__u32 abi;
	__s64 ret;
};

/*
 * A name that does not fit is shortened to its first 10 bytes, '~' and its last 4 bytes, because
 * names of one device's interrupts mostly differ in their ends. Before 0.2 it was truncated without
 * a mark.
 */
#define KTRACE_IRQ_NAME_HEAD 10
#define KTRACE_IRQ_NAME_TAIL 4

struct ktrace_ev_irq_enter {
	__u32 irq;
	char name[KTRACE_COMM_LEN];
};

struct ktrace_ev_irq_exit {
	__u32 irq;
	__u32 handled;
};

/* all softirq events */
struct ktrace_ev_softirq {
	__u32 vec;
};

/* Operation of a request; the kernel's own numbers differ by version */
enum ktrace_block_op {
	KTRACE_BLOCK_READ = 0,
	KTRACE_BLOCK_WRITE = 1,
	KTRACE_BLOCK_FLUSH = 2,		/* the device's cache */
	KTRACE_BLOCK_DISCARD = 3,
	KTRACE_BLOCK_ZEROES = 4,
	KTRACE_BLOCK_OTHER = 5,		/* zones, commands of the driver itself */
};

/*
 * A request issued to a block device, or returned undone by its driver to be issued again later.
 * Requests of one device that are in flight at the same time have different tags. Without
 * CAP_PERFMON the sector is 0.
 */
struct ktrace_ev_block {
	__u32 dev;		/* major << 20 | minor */
	__u32 tag;
	__u64 sector;		/* of 512 bytes */
	__u32 bytes;
	__u32 op;		/* enum ktrace_block_op */
};

/* The device has done part of a request, or all of it */
struct ktrace_ev_block_complete {
	__u32 dev;
	__u32 tag;
	__u64 sector;
	__u32 bytes;		/* completed now */
	__u32 op;
	__u32 left;		/* bytes still to do; 0: the request is complete */
	__s32 error;		/* 0 or -errno */
};

/* Result of sending a signal */
enum ktrace_signal_result {
	KTRACE_SIGNAL_QUEUED = 0,
	KTRACE_SIGNAL_IGNORED = 1,
	KTRACE_SIGNAL_PENDING = 2,	/* was already pending: no effect */
	KTRACE_SIGNAL_OVERFLOW = 3,	/* no memory for the signal: not sent */
	KTRACE_SIGNAL_LOST_INFO = 4,	/* no memory for its siginfo: sent without */
};

/* Without CAP_PERFMON tid and pid of tasks that are not followed are 0, and comm is empty */
struct ktrace_ev_signal_generate {
	__u32 sig;
	__s32 code;		/* si_code: 0 by kill(), above 0 by the kernel */
	__u32 tid;		/* receiver */
	__u32 pid;
	__u32 is_group;		/* to any thread of the process */
	__u32 result;		/* enum ktrace_signal_result */
	char comm[KTRACE_COMM_LEN];
};

struct ktrace_ev_signal_deliver {
	__u32 sig;
	__s32 code;
	__u64 handler;		/* 0 default */
	__u64 flags;		/* of sigaction() */
};

/* Access that caused a page fault */
enum ktrace_fault_access {
	KTRACE_FAULT_READ = 0,
	KTRACE_FAULT_WRITE = 1,
	KTRACE_FAULT_EXEC = 2,
};

/* User and kernel faults; without CAP_PERFMON kernel addresses are 0, with is_protection 1 */
struct ktrace_ev_fault {
	__u64 address;
	__u64 ip;		/* the instruction */
	__u32 access;		/* enum ktrace_fault_access */
	__u32 is_protection;	/* the page was present, but did not allow this access */
};

/* Kinds of kernel locks; a lock can have several, such as SPIN and READ */
enum ktrace_lock_flags {
	KTRACE_LOCK_SPIN = 1 << 0,
	KTRACE_LOCK_READ = 1 << 1,
	KTRACE_LOCK_WRITE = 1 << 2,
	KTRACE_LOCK_RT = 1 << 3,
	KTRACE_LOCK_PERCPU = 1 << 4,
	KTRACE_LOCK_MUTEX = 1 << 5,
};

/* Without CAP_PERFMON lock is 0 */
struct ktrace_ev_lock_contended {
	__u64 lock;		/* address */
	__u64 flags;		/* enum ktrace_lock_flags */
};

struct ktrace_ev_lock_acquired {
	__u64 lock;
	__s64 result;		/* 0 or -errno */
};

struct ktrace_ev_power_idle {
	__u32 cpu;
	__s32 state;		/* begins; -1: the CPU leaves idle */
};

struct ktrace_ev_power_frequency {
	__u32 cpu;
	__u32 khz;
};

/* Longer names are truncated. */
#define KTRACE_MODULE_LEN 56
#define KTRACE_NETDEV_LEN 16

/* Load, free and request */
struct ktrace_ev_module {
	char name[KTRACE_MODULE_LEN];
};

/*
 * Queue and receive. Without CAP_PERFMON all fields are 0, and so are those that a packet does not
 * have or that cannot be read: of packets that are not IP, of ports and what follows them if it is
 * neither TCP nor UDP, a later fragment, or truncated. Of packets within packets the outer ones.
 * Numbers are in the byte order of the host.
 */
struct ktrace_ev_net {
	__u64 packet;		/* address: identifies the packet as long as it exists */
	__u32 len;		/* bytes */
	__u16 protocol;		/* ETH_P_* */
	__s16 result;		/* 0 */
	char dev[KTRACE_NETDEV_LEN];
	__u8 ip_src[16];	/* IPv6, or IPv4 as ::ffff:a.b.c.d */
	__u8 ip_dst[16];
	__u16 src_port;
	__u16 dst_port;
	__u32 seq;		/* TCP */
	__u32 ack;		/* TCP */
	__u32 payload;		/* bytes after the header of TCP or UDP, in this packet */
	__u64 data;		/* UDP: the first 8 of them, big endian, padded with 0 */
	__u8 transport;		/* IPPROTO_*, after the extension headers of IPv6 */
	__u8 tcp_flags;		/* 1 FIN, 2 SYN, 4 RST, 8 PSH, 16 ACK, 32 URG, 64 ECE, 128 CWR */
	__u16 ip_id;		/* IPv4 */
	__u16 gso_size;		/* payload of each packet that it will be, or was; 0: it is one */
	__u16 gso_segs;		/* number of these packets */
};

/* Without CAP_PERFMON all fields are 0 */
struct ktrace_ev_net_xmit {
	__u64 packet;		/* address: the packet may no longer exist */
	__u32 len;		/* bytes */
	__u16 protocol;		/* 0 */
	__s16 result;		/* the driver's result, 0 = taken */
	char dev[KTRACE_NETDEV_LEN];
};

/*
 * After some of these structs follows the name of a kernel function, NUL-terminated, and with
 * " [module]" if it belongs to a module; empty if it is unknown. A longer name is truncated, and
 * the record marked KTRACE_REC_TRUNCATED. Records have no addresses, because these may change.
 */
#define KTRACE_FUNC_LEN 64

/*
 * Without CAP_PERFMON the address of a work or timer is 0, and in an interrupt, which may work for
 * another task, the name of the function is empty and times are 0.
 */

/* Work is given to another thread; name follows */
struct ktrace_ev_workqueue_queue {
	__u64 work;		/* address: identifies the work as long as it exists */
	__s64 cpu;		/* where it is to run, -1: any */
};

/* Start and end; name follows */
struct ktrace_ev_workqueue {
	__u64 work;
};

/* timer:start and hrtimer:start: the timer is set to call a function; name follows */
struct ktrace_ev_timer_start {
	__u64 timer;		/* address: identifies the timer as long as it exists */
	__s64 delay_ns;		/* from now to the earliest time */
};

/* timer:enter and hrtimer:enter: the function begins; name follows */
struct ktrace_ev_timer_enter {
	__u64 timer;
	__s64 late_ns;		/* since the earliest time */
};

/* Cancel, name follows; exit, without a name */
struct ktrace_ev_timer {
	__u64 timer;
};

/* Kinds of memory */
enum ktrace_memory_kind {
	KTRACE_MEMORY_FILE = 0,
	KTRACE_MEMORY_ANON = 1,
	KTRACE_MEMORY_SWAP = 2,	/* no longer in memory */
	KTRACE_MEMORY_SHM = 3,
};

/* Without CAP_PERFMON bytes and pid are 0, except for followed processes */
struct ktrace_ev_memory_rss {
	__u64 bytes;		/* in use now */
	__u32 pid;		/* 0: unknown, because it is being created or is ending */
	__u32 kind;		/* enum ktrace_memory_kind */
};

/* The OOM killer ends this process; without CAP_PERFMON all is 0, except for followed processes */
struct ktrace_ev_memory_oom {
	__u32 tid;
	__u32 pid;
	__s32 score_adj;	/* of /proc/PID/oom_score_adj */
	char comm[KTRACE_COMM_LEN];
};

/* FUTEX_* of futex(), and futex_waitv() */
enum ktrace_futex_op {
	KTRACE_FUTEX_WAIT = 0,
	KTRACE_FUTEX_WAKE = 1,
	KTRACE_FUTEX_FD = 2,
	KTRACE_FUTEX_REQUEUE = 3,
	KTRACE_FUTEX_CMP_REQUEUE = 4,
	KTRACE_FUTEX_WAKE_OP = 5,
	KTRACE_FUTEX_LOCK_PI = 6,
	KTRACE_FUTEX_UNLOCK_PI = 7,
	KTRACE_FUTEX_TRYLOCK_PI = 8,
	KTRACE_FUTEX_WAIT_BITSET = 9,
	KTRACE_FUTEX_WAKE_BITSET = 10,
	KTRACE_FUTEX_WAIT_REQUEUE_PI = 11,
	KTRACE_FUTEX_CMP_REQUEUE_PI = 12,
	KTRACE_FUTEX_LOCK_PI2 = 13,
	KTRACE_FUTEX_WAITV = 128,	/* futex_waitv() */
};

enum ktrace_futex_flags {
	KTRACE_FUTEX_PRIVATE = 1 << 0,	/* private to the process */
	KTRACE_FUTEX_REALTIME = 1 << 1,	/* the time-out is by the wall clock */
	KTRACE_FUTEX_TIMEOUT = 1 << 2,	/* there is a time-out */
};

/* A system call begins; fields that it does not use are 0 */
struct ktrace_ev_futex_enter {
	__u64 address;		/* of the futex; WAITV: of the list */
	__u64 address2;		/* of the second futex */
	__u32 op;		/* enum ktrace_futex_op */
	__u32 flags;		/* enum ktrace_futex_flags */
	__u32 value;		/* expected value, or how many to wake; WAITV: length of the list */
	__u32 value2;		/* how many to wake or move at the second futex */
	__u64 value3;		/* bit set, expected value or operation; see futex(2) */
};

struct ktrace_ev_futex_exit {
	__u64 address;
	__u32 op;
	__s32 result;		/* negative: error number */
};

#endif
