// SPDX-License-Identifier: GPL-2.0
/* probe_hits.c - how to hit each tracepoint, and what event must come out */
#include "probe_hits.h"
#include "probe_hits_later.h"
#include <linux/binfmts.h>
#include <linux/blkdev.h>
#include <linux/if_ether.h>
#include <linux/interrupt.h>
#include <linux/ipv6.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/sched/signal.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <trace/events/lock.h>
#include <trace/events/power.h>
#include <trace/events/signal.h>
#include <asm/syscall.h>
#include <asm/trap_pf.h>
#include "compat.h"

struct task_struct *followed, *other;

static struct kt_probe *const families[] = {
#define FAMILY(name, first, last) kt_probe_##name,
	KT_PROBE_FAMILIES(FAMILY)
#undef FAMILY
};

#define for_each_row(f, p)                                              \
	for ((f) = 0; (f) < ARRAY_SIZE(families); (f)++)                \
		for ((p) = families[f]; (p)->id; (p)++)

struct tracepoint *row_of(u16 id, u32 nth)
{
	struct kt_probe *p;
	u32 f;

	for_each_row(f, p)
		if (p->id == id && !nth--)
			return p->tp;
	return NULL;
}

void hit_switch(void)
{
	HIT(row_of(KTRACE_EV_SCHED_SWITCH, 0),
	    void (*)(void *, bool, struct task_struct *, struct task_struct *, unsigned int),
	    false, other, followed, TASK_UNINTERRUPTIBLE);
}

static void hit_wakeup(void)
{
	HIT(row_of(KTRACE_EV_SCHED_WAKEUP, 0), void (*)(void *, struct task_struct *), followed);
}

static void hit_wakeup_new(void)
{
	HIT(row_of(KTRACE_EV_SCHED_WAKEUP, 1), void (*)(void *, struct task_struct *), followed);
}

static void hit_migrate(void)
{
	HIT(row_of(KTRACE_EV_SCHED_MIGRATE, 0), void (*)(void *, struct task_struct *, int),
	    followed, 77);
}

static void hit_fork(void)
{
	HIT(row_of(KTRACE_EV_SCHED_FORK, 0),
	    void (*)(void *, struct task_struct *, struct task_struct *), followed, other);
}

static void hit_exec(void)
{
	static struct linux_binprm bprm = { .filename = "/bin/none" };

	HIT(row_of(KTRACE_EV_SCHED_EXEC, 0),
	    void (*)(void *, struct task_struct *, pid_t, struct linux_binprm *), followed, 4321,
	    &bprm);
}

static void hit_exit(void)
{
	HIT(row_of(KTRACE_EV_SCHED_EXIT, 0), void (*)(void *, struct task_struct *), followed);
}

static void hit_comm(void)
{
	HIT(row_of(KTRACE_EV_SCHED_COMM, 0), void (*)(void *, struct task_struct *, const char *),
	    followed, "a name that is too long");
}

static void hit_syscall_enter(void)
{
	struct pt_regs regs = { .di = 1, .si = 2, .dx = 3, .r10 = 4, .r8 = 5, .r9 = ~0ul };

	HIT(row_of(KTRACE_EV_SYSCALL_ENTER, 0), void (*)(void *, struct pt_regs *, long), &regs,
	    0x4242);
}

static void hit_syscall_exit(void)
{
	struct pt_regs regs = { .orig_ax = 0x4242 };

	HIT(row_of(KTRACE_EV_SYSCALL_EXIT, 0), void (*)(void *, struct pt_regs *, long), &regs,
	    -ENOSYS);
}

static void hit_irq_enter(void)
{
	static struct irqaction action = { .name = "a device with a long name" };

	HIT(row_of(KTRACE_EV_IRQ_ENTER, 0), void (*)(void *, int, struct irqaction *), 4242,
	    &action);
}

static void hit_irq_exit(void)
{
	HIT(row_of(KTRACE_EV_IRQ_EXIT, 0), void (*)(void *, int, struct irqaction *, int), 4242,
	    NULL, IRQ_HANDLED);
}

static void hit_softirq_enter(void)
{
	HIT(row_of(KTRACE_EV_SOFTIRQ_ENTER, 0), void (*)(void *, unsigned int), 4242);
}

static void hit_softirq_exit(void)
{
	HIT(row_of(KTRACE_EV_SOFTIRQ_EXIT, 0), void (*)(void *, unsigned int), 4242);
}

static void hit_softirq_raise(void)
{
	HIT(row_of(KTRACE_EV_SOFTIRQ_RAISE, 0), void (*)(void *, unsigned int), 4242);
}

/* A request of device 259:7, of its third queue; a scheduler's tag counts before the driver's. */
static struct gendisk disk = { .major = 259, .first_minor = 7 };
static struct request_queue queue = { .disk = &disk };
static struct blk_mq_hw_ctx hctx = { .queue_num = 2 };
struct request request = {
	.q = &queue, .mq_hctx = &hctx, .tag = 5, .internal_tag = 6, .__sector = 1ull << 40,
	.__data_len = 8192, .cmd_flags = REQ_OP_SECURE_ERASE | REQ_SYNC,
};

void hit_block_issue(void)
{
	HIT(row_of(KTRACE_EV_BLOCK_ISSUE, 0), void (*)(void *, struct request *), &request);
}

void hit_block_complete(void)
{
	HIT(row_of(KTRACE_EV_BLOCK_COMPLETE, 0),
	    void (*)(void *, struct request *, blk_status_t, unsigned int), &request,
	    BLK_STS_IOERR, 512);
}

static void hit_block_requeue(void)
{
	HIT(row_of(KTRACE_EV_BLOCK_REQUEUE, 0), void (*)(void *, struct request *), &request);
}

void hit_signal_generate(void)
{
	static struct kernel_siginfo info = { .si_code = SI_QUEUE };

	HIT(row_of(KTRACE_EV_SIGNAL_GENERATE, 0),
	    void (*)(void *, int, struct kernel_siginfo *, struct task_struct *, int, int),
	    64, &info, followed, 7, TRACE_SIGNAL_LOSE_INFO);
}

static void hit_signal_deliver(void)
{
	static struct k_sigaction action = {
		.sa.sa_handler = (__sighandler_t)0x123456789abcul, .sa.sa_flags = SA_RESTART,
	};

	HIT(row_of(KTRACE_EV_SIGNAL_DELIVER, 0),
	    void (*)(void *, int, struct kernel_siginfo *, struct k_sigaction *), 64,
	    SEND_SIG_PRIV, &action);
}

static void hit_fault_user(void)
{
	struct pt_regs regs = { .ip = 0x1234 };

	HIT(row_of(KTRACE_EV_FAULT_USER, 0),
	    void (*)(void *, unsigned long, struct pt_regs *, unsigned long), 0x5678000, &regs,
	    X86_PF_USER | X86_PF_INSTR | X86_PF_PROT);
}

void hit_fault_kernel(void)
{
	struct pt_regs regs = { .ip = SOME_KERNEL_ADDRESS };

	HIT(row_of(KTRACE_EV_FAULT_KERNEL, 0),
	    void (*)(void *, unsigned long, struct pt_regs *, unsigned long),
	    SOME_KERNEL_ADDRESS + 1, &regs, X86_PF_WRITE);
}

void hit_lock_contended(void)
{
	HIT(row_of(KTRACE_EV_LOCK_CONTENDED, 0), void (*)(void *, void *, unsigned int),
	    (void *)SOME_KERNEL_ADDRESS, LCB_F_SPIN | LCB_F_READ);
}

static void hit_lock_acquired(void)
{
	HIT(row_of(KTRACE_EV_LOCK_ACQUIRED, 0), void (*)(void *, void *, int),
	    (void *)SOME_KERNEL_ADDRESS, -EINTR);
}

static void hit_power_idle(void)
{
	HIT(row_of(KTRACE_EV_POWER_IDLE, 0), void (*)(void *, unsigned int, unsigned int),
	    PWR_EVENT_EXIT, 4242);
}

static void hit_power_frequency(void)
{
	HIT(row_of(KTRACE_EV_POWER_FREQUENCY, 0), void (*)(void *, unsigned int, unsigned int),
	    3400000, 4242);
}

static struct module some_module = { .name = "some_module" };

static void hit_module_load(void)
{
	HIT(row_of(KTRACE_EV_MODULE_LOAD, 0), void (*)(void *, struct module *), &some_module);
}

static void hit_module_free(void)
{
	HIT(row_of(KTRACE_EV_MODULE_FREE, 0), void (*)(void *, struct module *), &some_module);
}

static void hit_module_request(void)
{
	static char name[] = "a name that is longer than any that a module may have, by far";

	HIT(row_of(KTRACE_EV_MODULE_REQUEST, 0), void (*)(void *, char *, bool, unsigned long),
	    name, true, 0);
}

static struct net_device net_device = { .name = "device_of_15chr" };
/* The first piece of a packet, and what the kernel has at its end */
static struct {
	struct ipv6hdr ip;
	struct tcphdr tcp;
	struct skb_shared_info shared;
} packet_bytes = {
	.ip = {
		.version = 6, .payload_len = cpu_to_be16(4202), .nexthdr = IPPROTO_TCP,
		.saddr.s6_addr = { 0xfe, 0x80, [15] = 1 },
		.daddr.s6_addr = { 0xfe, 0x80, [15] = 2 },
	},
	.tcp = {
		.source = cpu_to_be16(40001), .dest = cpu_to_be16(80), .doff = 5, .ack = 1,
		.seq = cpu_to_be32(0xfedcba98), .ack_seq = cpu_to_be32(0x89abcdef),
	},
	.shared = { .gso_size = 1400, .gso_segs = 3 },
};
static struct sk_buff packet = {
	.dev = &net_device, .len = 4242, .data_len = 4182, .protocol = cpu_to_be16(ETH_P_IPV6),
	.head = (void *)&packet_bytes, .data = (void *)&packet_bytes,
	.end = offsetof(typeof(packet_bytes), shared),
};

void hit_net_queue(void)
{
	HIT(row_of(KTRACE_EV_NET_QUEUE, 0), void (*)(void *, struct sk_buff *), &packet);
}

void hit_net_xmit(void)
{
	HIT(row_of(KTRACE_EV_NET_XMIT, 0),
	    void (*)(void *, struct sk_buff *, int, struct net_device *, unsigned int), &packet,
	    NETDEV_TX_BUSY, &net_device, 4243);
}

void hit_net_receive(void)
{
	HIT(row_of(KTRACE_EV_NET_RECEIVE, 0), void (*)(void *, struct sk_buff *), &packet);
}

void hit_log(void)
{
	TRACER_LOGEVENT(11, 22, 0x33445566);
}

const struct ktrace_ev_sched_switch want_sched_switch = {
	SOME_PID - 2, SOME_PID, 99, 99, KTRACE_TASK_DISK, "other", "followed",
};
static const struct ktrace_ev_sched_wakeup want_sched_wakeup = { SOME_PID, 99, 0, "followed" };
static const struct ktrace_ev_sched_migrate want_sched_migrate = {
	SOME_PID, 99, 0, 77, "followed",
};
static const struct ktrace_ev_sched_fork want_sched_fork = {
	SOME_PID, SOME_PID + 1, SOME_PID - 2, SOME_PID - 1, "other",
};
static const struct {
	struct ktrace_ev_sched_exec head;
	char name[10];
} __packed want_sched_exec = { { SOME_PID + 1, 4321 }, "/bin/none" };
static const struct ktrace_ev_sched_exit want_sched_exit = {
	SOME_PID, SOME_PID + 1, 99, "followed",
};
static const struct ktrace_ev_sched_comm want_sched_comm = {
	SOME_PID, SOME_PID + 1, "a name that is ",
};
static const struct ktrace_ev_syscall_enter want_syscall_enter = {
	.nr = 0x4242, .args = { 1, 2, 3, 4, 5, ~0ull },
};
static const struct ktrace_ev_syscall_exit want_syscall_exit = { .nr = 0x4242, .ret = -ENOSYS };
static const struct ktrace_ev_irq_enter want_irq_enter = { 4242, "a device w~name" };
static const struct ktrace_ev_irq_exit want_irq_exit = { 4242, 1 };
static const struct ktrace_ev_softirq want_softirq = { 4242 };
const struct ktrace_ev_block want_block = {
	259 << 20 | 7, 2 << 16 | 6, 1ull << 40, 8192, KTRACE_BLOCK_DISCARD,
};
const struct ktrace_ev_block_complete want_block_complete = {
	259 << 20 | 7, 2 << 16 | 6, 1ull << 40, 512, KTRACE_BLOCK_DISCARD, 7680, -EIO,
};
static const struct ktrace_ev_signal_generate want_signal_generate = {
	64, SI_QUEUE, SOME_PID, SOME_PID + 1, 1, KTRACE_SIGNAL_LOST_INFO, "followed",
};
static const struct ktrace_ev_signal_deliver want_signal_deliver = {
	64, SI_KERNEL, 0x123456789abcul, SA_RESTART,
};
static const struct ktrace_ev_fault want_fault_user = {
	0x5678000, 0x1234, KTRACE_FAULT_EXEC, 1,
};
static const struct ktrace_ev_fault want_fault_kernel = {
	SOME_KERNEL_ADDRESS + 1, SOME_KERNEL_ADDRESS, KTRACE_FAULT_WRITE, 0,
};
static const struct ktrace_ev_lock_contended want_lock_contended = {
	SOME_KERNEL_ADDRESS, KTRACE_LOCK_SPIN | KTRACE_LOCK_READ,
};
static const struct ktrace_ev_lock_acquired want_lock_acquired = { SOME_KERNEL_ADDRESS, -EINTR };
static const struct ktrace_ev_power_idle want_power_idle = { 4242, -1 };
static const struct ktrace_ev_power_frequency want_power_frequency = { 4242, 3400000 };
static const struct ktrace_ev_module want_module = { "some_module" };
static const struct ktrace_ev_module want_module_request = {
	"a name that is longer than any that a module may have, ",
};
static const struct ktrace_ev_net want_net = {
	(unsigned long)&packet, 4242, ETH_P_IPV6, 0, "device_of_15chr",
	{ 0xfe, 0x80, [15] = 1 }, { 0xfe, 0x80, [15] = 2 }, 40001, 80, 0xfedcba98, 0x89abcdef,
	4182, 0, IPPROTO_TCP, 16, 0, 1400, 3,
};
static const struct ktrace_ev_net_xmit want_net_xmit = {
	(unsigned long)&packet, 4243, 0, NETDEV_TX_BUSY, "device_of_15chr",
};
static const struct ktrace_ev_logevent want_logevent = { 11, 22, 0x33445566 };

const struct hit hits[] = {
#define ROW(id, payload, fn) { id, sizeof(payload), &(payload), fn }
	ROW(KTRACE_EV_LOGEVENT, want_logevent, hit_log),
	ROW(KTRACE_EV_SCHED_SWITCH, want_sched_switch, hit_switch),
	ROW(KTRACE_EV_SCHED_WAKEUP, want_sched_wakeup, hit_wakeup),
	ROW(KTRACE_EV_SCHED_WAKEUP, want_sched_wakeup, hit_wakeup_new),
	ROW(KTRACE_EV_SCHED_MIGRATE, want_sched_migrate, hit_migrate),
	ROW(KTRACE_EV_SCHED_FORK, want_sched_fork, hit_fork),
	ROW(KTRACE_EV_SCHED_EXEC, want_sched_exec, hit_exec),
	ROW(KTRACE_EV_SCHED_EXIT, want_sched_exit, hit_exit),
	ROW(KTRACE_EV_SCHED_COMM, want_sched_comm, hit_comm),
	ROW(KTRACE_EV_SYSCALL_ENTER, want_syscall_enter, hit_syscall_enter),
	ROW(KTRACE_EV_SYSCALL_EXIT, want_syscall_exit, hit_syscall_exit),
	ROW(KTRACE_EV_IRQ_ENTER, want_irq_enter, hit_irq_enter),
	ROW(KTRACE_EV_IRQ_EXIT, want_irq_exit, hit_irq_exit),
	ROW(KTRACE_EV_SOFTIRQ_ENTER, want_softirq, hit_softirq_enter),
	ROW(KTRACE_EV_SOFTIRQ_EXIT, want_softirq, hit_softirq_exit),
	ROW(KTRACE_EV_SOFTIRQ_RAISE, want_softirq, hit_softirq_raise),
	ROW(KTRACE_EV_BLOCK_ISSUE, want_block, hit_block_issue),
	ROW(KTRACE_EV_BLOCK_COMPLETE, want_block_complete, hit_block_complete),
	ROW(KTRACE_EV_BLOCK_REQUEUE, want_block, hit_block_requeue),
	ROW(KTRACE_EV_SIGNAL_GENERATE, want_signal_generate, hit_signal_generate),
	ROW(KTRACE_EV_SIGNAL_DELIVER, want_signal_deliver, hit_signal_deliver),
	ROW(KTRACE_EV_FAULT_USER, want_fault_user, hit_fault_user),
	ROW(KTRACE_EV_FAULT_KERNEL, want_fault_kernel, hit_fault_kernel),
	ROW(KTRACE_EV_LOCK_CONTENDED, want_lock_contended, hit_lock_contended),
	ROW(KTRACE_EV_LOCK_ACQUIRED, want_lock_acquired, hit_lock_acquired),
	ROW(KTRACE_EV_POWER_IDLE, want_power_idle, hit_power_idle),
	ROW(KTRACE_EV_POWER_FREQUENCY, want_power_frequency, hit_power_frequency),
	ROW(KTRACE_EV_MODULE_LOAD, want_module, hit_module_load),
	ROW(KTRACE_EV_MODULE_FREE, want_module, hit_module_free),
	ROW(KTRACE_EV_MODULE_REQUEST, want_module_request, hit_module_request),
	ROW(KTRACE_EV_NET_QUEUE, want_net, hit_net_queue),
	ROW(KTRACE_EV_NET_XMIT, want_net_xmit, hit_net_xmit),
	ROW(KTRACE_EV_NET_RECEIVE, want_net, hit_net_receive),
	ROW(KTRACE_EV_WORKQUEUE_QUEUE, want_workqueue_queue, hit_workqueue_queue),
	ROW(KTRACE_EV_WORKQUEUE_START, want_workqueue_start, hit_workqueue_start),
	ROW(KTRACE_EV_WORKQUEUE_END, want_workqueue_end, hit_workqueue_end),
	ROW(KTRACE_EV_TIMER_START, want_timer_start, hit_timer_start),
	ROW(KTRACE_EV_TIMER_CANCEL, want_timer_cancel, hit_timer_cancel),
	ROW(KTRACE_EV_TIMER_ENTER, want_timer_enter, hit_timer_enter),
	ROW(KTRACE_EV_TIMER_EXIT, want_timer_exit, hit_timer_exit),
#ifdef KT_HAS_HRTIMER_GET_TIME
	ROW(KTRACE_EV_HRTIMER_START, want_hrtimer_start, hit_hrtimer_start),
#endif
	ROW(KTRACE_EV_HRTIMER_CANCEL, want_hrtimer_cancel, hit_hrtimer_cancel),
	ROW(KTRACE_EV_HRTIMER_ENTER, want_hrtimer_enter, hit_hrtimer_enter),
	ROW(KTRACE_EV_HRTIMER_EXIT, want_timer_exit, hit_hrtimer_exit),
	ROW(KTRACE_EV_MEMORY_RSS, want_memory_rss, hit_memory_rss),
	ROW(KTRACE_EV_MEMORY_OOM, want_memory_oom, hit_memory_oom),
	ROW(KTRACE_EV_FUTEX_ENTER, want_futex_enter, hit_futex_enter),
	ROW(KTRACE_EV_FUTEX_EXIT, want_futex_exit, hit_futex_exit),
#undef ROW
};

const u32 hit_nr = ARRAY_SIZE(hits);
