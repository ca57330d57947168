// SPDX-License-Identifier: LGPL-2.1
/*
 * kernel_events.c - the one table of kernel events: id, family, name, payload, description
 *
 * To add an event, add a row. Its description must agree with its struct of
 * <linux/ktrace_events.h>: tests/unit/test_session.c adds up the fields of each row.
 */
#include <ktrace/session.h>

#include "base/shark_codes.h"

#define EVENT(number, fam, ev, payload, fields) \
	{ .id = number, .size = sizeof(struct payload), .family = fam, .name = ev, \
	  .desc = fam ":" ev "{" fields "}" }

_Static_assert(KTRACE_COMM_LEN == 16, "char[16] below");

#define PREV_STATE \
	"enum<u32>(RUNNABLE=0,SLEEP=1,DISK=2,STOPPED=3,TRACED=4,DEAD=5,IDLE=6,PARKED=7)"
#define SYSCALL_ABI "enum<u32>(native=0,i386=1,x32=2,arm=3,compat=4)"
#define SOFTIRQ_VEC \
	"enum<u32>(HI=0,TIMER=1,NET_TX=2,NET_RX=3,BLOCK=4,IRQ_POLL=5,TASKLET=6,SCHED=7," \
	"HRTIMER=8,RCU=9)"
#define BLOCK_OP \
	"enum<u32>(READ=0,WRITE=1,FLUSH=2,DISCARD=3,ZEROES=4,OTHER=5)"
/* Numbers as on all machines except alpha, mips, parisc and sparc */
#define SIGNALS \
	"enum<u32>(" \
	"SIGHUP=1,SIGINT=2,SIGQUIT=3,SIGILL=4,SIGTRAP=5,SIGABRT=6,SIGBUS=7," \
	"SIGFPE=8,SIGKILL=9,SIGUSR1=10,SIGSEGV=11,SIGUSR2=12,SIGPIPE=13," \
	"SIGALRM=14,SIGTERM=15,SIGSTKFLT=16,SIGCHLD=17,SIGCONT=18,SIGSTOP=19," \
	"SIGTSTP=20,SIGTTIN=21,SIGTTOU=22,SIGURG=23,SIGXCPU=24,SIGXFSZ=25," \
	"SIGVTALRM=26,SIGPROF=27,SIGWINCH=28,SIGIO=29,SIGPWR=30,SIGSYS=31)"
#define SIGNAL_RESULT \
	"enum<u32>(QUEUED=0,IGNORED=1,PENDING=2,OVERFLOW=3,LOST_INFO=4)"

#define FAULT_FIELDS \
	"x64 address;x64 ip;enum<u32>(READ=0,WRITE=1,EXEC=2) access;u32 is_protection;"
#define MODULE_FIELDS "char[56] name;"
#define NET_FIELDS "x64 packet;u32 len;x16 protocol;s16 result;char[16] dev;"
/* Readers show ip_src and ip_dst as addresses: struct ktrace_field, is_address. */
#define PACKET_FIELDS \
	"u8[16] ip_src;u8[16] ip_dst;u16 src_port;u16 dst_port;u32 seq;u32 ack;" \
	"u32 payload;x64 data;" \
	"enum<u8>(ICMP=1,IGMP=2,IPIP=4,TCP=6,UDP=17,IPV6=41,GRE=47,ESP=50,ICMPV6=58,SCTP=132," \
	"UDPLITE=136) transport;x8 tcp_flags;u16 ip_id;u16 gso_size;u16 gso_segs;"
#define MEMORY_KIND "enum<u32>(FILE=0,ANON=1,SWAP=2,SHM=3)"
#define FUTEX_OP \
	"enum<u32>(WAIT=0,WAKE=1,FD=2,REQUEUE=3,CMP_REQUEUE=4,WAKE_OP=5,LOCK_PI=6,UNLOCK_PI=7," \
	"TRYLOCK_PI=8,WAIT_BITSET=9,WAKE_BITSET=10,WAIT_REQUEUE_PI=11,CMP_REQUEUE_PI=12," \
	"LOCK_PI2=13,WAITV=128)"
_Static_assert(KTRACE_MODULE_LEN == 56 && KTRACE_NETDEV_LEN == 16, "char[] above");

static const struct ktrace_kernel_event events[] = {
	EVENT(KTRACE_EV_LOGEVENT, "log", "event", ktrace_ev_logevent,
	      SHARK_CODES " type;u16 par1;u32 par2;"),
	EVENT(KTRACE_EV_SCHED_SWITCH, "sched", "switch", ktrace_ev_sched_switch,
	      "u32 prev_tid;u32 next_tid;s32 prev_prio;s32 next_prio;" PREV_STATE " prev_state;"
	      "char[16] prev_comm;char[16] next_comm;"),
	EVENT(KTRACE_EV_SCHED_WAKEUP, "sched", "wakeup", ktrace_ev_sched_wakeup,
	      "u32 tid;s32 prio;u32 target_cpu;char[16] comm;"),
	EVENT(KTRACE_EV_SCHED_MIGRATE, "sched", "migrate", ktrace_ev_sched_migrate,
	      "u32 tid;s32 prio;u32 from_cpu;u32 to_cpu;char[16] comm;"),
	EVENT(KTRACE_EV_SCHED_FORK, "sched", "fork", ktrace_ev_sched_fork,
	      "u32 parent_tid;u32 parent_pid;u32 child_tid;u32 child_pid;char[16] comm;"),
	EVENT(KTRACE_EV_SCHED_EXEC, "sched", "exec", ktrace_ev_sched_exec,
	      "u32 pid;u32 old_tid;string filename;"),
	EVENT(KTRACE_EV_SCHED_EXIT, "sched", "exit", ktrace_ev_sched_exit,
	      "u32 tid;u32 pid;s32 prio;char[16] comm;"),
	EVENT(KTRACE_EV_SCHED_COMM, "sched", "comm", ktrace_ev_sched_comm,
	      "u32 tid;u32 pid;char[16] comm;"),
	EVENT(KTRACE_EV_SYSCALL_ENTER, "syscall", "enter", ktrace_ev_syscall_enter,
	      "s32 nr;" SYSCALL_ABI " abi;x64[6] args;"),
	EVENT(KTRACE_EV_SYSCALL_EXIT, "syscall", "exit", ktrace_ev_syscall_exit,
	      "s32 nr;" SYSCALL_ABI " abi;s64 ret;"),
	EVENT(KTRACE_EV_IRQ_ENTER, "irq", "enter", ktrace_ev_irq_enter,
	      "u32 irq;char[16] name;"),
	EVENT(KTRACE_EV_IRQ_EXIT, "irq", "exit", ktrace_ev_irq_exit,
	      "u32 irq;u32 handled;"),
	EVENT(KTRACE_EV_SOFTIRQ_ENTER, "softirq", "enter", ktrace_ev_softirq,
	      SOFTIRQ_VEC " vec;"),
	EVENT(KTRACE_EV_SOFTIRQ_EXIT, "softirq", "exit", ktrace_ev_softirq,
	      SOFTIRQ_VEC " vec;"),
	EVENT(KTRACE_EV_SOFTIRQ_RAISE, "softirq", "raise", ktrace_ev_softirq,
	      SOFTIRQ_VEC " vec;"),
	EVENT(KTRACE_EV_BLOCK_ISSUE, "block", "issue", ktrace_ev_block,
	      "u32 dev;u32 tag;u64 sector;u32 bytes;" BLOCK_OP " op;"),
	EVENT(KTRACE_EV_BLOCK_COMPLETE, "block", "complete", ktrace_ev_block_complete,
	      "u32 dev;u32 tag;u64 sector;u32 bytes;" BLOCK_OP " op;u32 left;s32 error;"),
	EVENT(KTRACE_EV_BLOCK_REQUEUE, "block", "requeue", ktrace_ev_block,
	      "u32 dev;u32 tag;u64 sector;u32 bytes;" BLOCK_OP " op;"),
	EVENT(KTRACE_EV_SIGNAL_GENERATE, "signal", "generate", ktrace_ev_signal_generate,
	      SIGNALS " sig;s32 code;u32 tid;u32 pid;u32 is_group;" SIGNAL_RESULT " result;"
	      "char[16] comm;"),
	EVENT(KTRACE_EV_SIGNAL_DELIVER, "signal", "deliver", ktrace_ev_signal_deliver,
	      SIGNALS " sig;s32 code;x64 handler;x64 flags;"),
	EVENT(KTRACE_EV_FAULT_USER, "fault", "user", ktrace_ev_fault, FAULT_FIELDS),
	EVENT(KTRACE_EV_FAULT_KERNEL, "fault", "kernel", ktrace_ev_fault, FAULT_FIELDS),
	EVENT(KTRACE_EV_LOCK_CONTENDED, "lock", "contended", ktrace_ev_lock_contended,
	      "x64 lock;x64 flags;"),
	EVENT(KTRACE_EV_LOCK_ACQUIRED, "lock", "acquired", ktrace_ev_lock_acquired,
	      "x64 lock;s64 result;"),
	EVENT(KTRACE_EV_POWER_IDLE, "power", "idle", ktrace_ev_power_idle, "u32 cpu;s32 state;"),
	EVENT(KTRACE_EV_POWER_FREQUENCY, "power", "frequency", ktrace_ev_power_frequency,
	      "u32 cpu;u32 khz;"),
	EVENT(KTRACE_EV_MODULE_LOAD, "module", "load", ktrace_ev_module, MODULE_FIELDS),
	EVENT(KTRACE_EV_MODULE_FREE, "module", "free", ktrace_ev_module, MODULE_FIELDS),
	EVENT(KTRACE_EV_MODULE_REQUEST, "module", "request", ktrace_ev_module, MODULE_FIELDS),
	EVENT(KTRACE_EV_NET_QUEUE, "net", "queue", ktrace_ev_net, NET_FIELDS PACKET_FIELDS),
	EVENT(KTRACE_EV_NET_XMIT, "net", "xmit", ktrace_ev_net_xmit, NET_FIELDS),
	EVENT(KTRACE_EV_NET_RECEIVE, "net", "receive", ktrace_ev_net, NET_FIELDS PACKET_FIELDS),
	EVENT(KTRACE_EV_WORKQUEUE_QUEUE, "workqueue", "queue", ktrace_ev_workqueue_queue,
	      "x64 work;s64 cpu;string func;"),
	EVENT(KTRACE_EV_WORKQUEUE_START, "workqueue", "start", ktrace_ev_workqueue,
	      "x64 work;string func;"),
	EVENT(KTRACE_EV_WORKQUEUE_END, "workqueue", "end", ktrace_ev_workqueue,
	      "x64 work;string func;"),
	EVENT(KTRACE_EV_TIMER_START, "timer", "start", ktrace_ev_timer_start,
	      "x64 timer;s64 delay_ns;string func;"),
	EVENT(KTRACE_EV_TIMER_CANCEL, "timer", "cancel", ktrace_ev_timer, "x64 timer;string func;"),
	EVENT(KTRACE_EV_TIMER_ENTER, "timer", "enter", ktrace_ev_timer_enter,
	      "x64 timer;s64 late_ns;string func;"),
	EVENT(KTRACE_EV_TIMER_EXIT, "timer", "exit", ktrace_ev_timer, "x64 timer;"),
	EVENT(KTRACE_EV_HRTIMER_START, "hrtimer", "start", ktrace_ev_timer_start,
	      "x64 timer;s64 delay_ns;string func;"),
	EVENT(KTRACE_EV_HRTIMER_CANCEL, "hrtimer", "cancel", ktrace_ev_timer,
	      "x64 timer;string func;"),
	EVENT(KTRACE_EV_HRTIMER_ENTER, "hrtimer", "enter", ktrace_ev_timer_enter,
	      "x64 timer;s64 late_ns;string func;"),
	EVENT(KTRACE_EV_HRTIMER_EXIT, "hrtimer", "exit", ktrace_ev_timer, "x64 timer;"),
	EVENT(KTRACE_EV_MEMORY_RSS, "memory", "rss", ktrace_ev_memory_rss,
	      "u64 bytes;u32 pid;" MEMORY_KIND " kind;"),
	EVENT(KTRACE_EV_MEMORY_OOM, "memory", "oom", ktrace_ev_memory_oom,
	      "u32 tid;u32 pid;s32 score_adj;char[16] comm;"),
	EVENT(KTRACE_EV_FUTEX_ENTER, "futex", "enter", ktrace_ev_futex_enter,
	      "x64 address;x64 address2;" FUTEX_OP " op;u32 flags;u32 value;u32 value2;"
	      "x64 value3;"),
	EVENT(KTRACE_EV_FUTEX_EXIT, "futex", "exit", ktrace_ev_futex_exit,
	      "x64 address;" FUTEX_OP " op;s32 result;"),
};

const struct ktrace_kernel_event *ktrace_kernel_event(__u32 index)
{
	return index < sizeof(events) / sizeof(events[0]) ? &events[index] : NULL;
}
