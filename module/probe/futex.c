// SPDX-License-Identifier: GPL-2.0
/*
 * futex.c - family "futex": system calls futex() and futex_waitv(), with their arguments
 *
 * Hooks the tracepoints of all system calls, and looks only at the number of the others.
 */
#include "probe.h"
#include <linux/compat.h>
#include <linux/sched.h>
#include <asm/syscall.h>
#include <asm/unistd.h>
#include <trace/events/syscalls.h>
#include <uapi/linux/futex.h>
#include "compat.h"
#include "emit.h"

/* Older kernels, which refuse them, do not know their numbers: until 5.14 and 5.16. */
#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif
#ifndef __NR_futex_waitv
#define __NR_futex_waitv 449
#endif

static_assert(KTRACE_FUTEX_WAIT == FUTEX_WAIT && KTRACE_FUTEX_WAKE == FUTEX_WAKE &&
	      KTRACE_FUTEX_FD == FUTEX_FD && KTRACE_FUTEX_REQUEUE == FUTEX_REQUEUE &&
	      KTRACE_FUTEX_CMP_REQUEUE == FUTEX_CMP_REQUEUE &&
	      KTRACE_FUTEX_WAKE_OP == FUTEX_WAKE_OP && KTRACE_FUTEX_LOCK_PI == FUTEX_LOCK_PI &&
	      KTRACE_FUTEX_UNLOCK_PI == FUTEX_UNLOCK_PI &&
	      KTRACE_FUTEX_TRYLOCK_PI == FUTEX_TRYLOCK_PI &&
	      KTRACE_FUTEX_WAIT_BITSET == FUTEX_WAIT_BITSET &&
	      KTRACE_FUTEX_WAKE_BITSET == FUTEX_WAKE_BITSET &&
	      KTRACE_FUTEX_WAIT_REQUEUE_PI == FUTEX_WAIT_REQUEUE_PI &&
	      KTRACE_FUTEX_CMP_REQUEUE_PI == FUTEX_CMP_REQUEUE_PI &&
	      KTRACE_FUTEX_LOCK_PI2 == FUTEX_LOCK_PI2);
static_assert(!(FUTEX_CMD_MASK & KTRACE_FUTEX_WAITV));	/* cannot be an op of futex() */

/* Numbers of 32-bit programs on 64-bit kernels: x86 and ARM have the same ones. */
enum { COMPAT_FUTEX = 240, COMPAT_FUTEX_TIME64 = 422 };

/* Arguments that each op of futex() uses */
enum {
	VALUE = 1 << 0,
	TIMEOUT = 1 << 1,
	VALUE2 = 1 << 2,	/* where others have the time-out */
	ADDRESS2 = 1 << 3,
	VALUE3 = 1 << 4,
};

static const u8 uses[] = {
	[FUTEX_WAIT] = VALUE | TIMEOUT,
	[FUTEX_WAKE] = VALUE,
	[FUTEX_FD] = VALUE,
	[FUTEX_REQUEUE] = VALUE | VALUE2 | ADDRESS2,
	[FUTEX_CMP_REQUEUE] = VALUE | VALUE2 | ADDRESS2 | VALUE3,
	[FUTEX_WAKE_OP] = VALUE | VALUE2 | ADDRESS2 | VALUE3,
	[FUTEX_LOCK_PI] = TIMEOUT,
	[FUTEX_UNLOCK_PI] = 0,
	[FUTEX_TRYLOCK_PI] = 0,
	[FUTEX_WAIT_BITSET] = VALUE | TIMEOUT | VALUE3,
	[FUTEX_WAKE_BITSET] = VALUE | VALUE3,
	[FUTEX_WAIT_REQUEUE_PI] = VALUE | TIMEOUT | ADDRESS2,
	[FUTEX_CMP_REQUEUE_PI] = VALUE | VALUE2 | ADDRESS2 | VALUE3,
	[FUTEX_LOCK_PI2] = TIMEOUT,
};

static bool is_futex(long nr)
{
	const u32 abi = kt_arch_syscall_abi((int)nr);

	/* x32 calls are otherwise the machine's own. */
	if (abi != KTRACE_SYSCALL_NATIVE && abi != KTRACE_SYSCALL_X32)
		return nr == COMPAT_FUTEX || nr == COMPAT_FUTEX_TIME64;
	return kt_arch_plain_nr(nr) == __NR_futex;
}

/* True for futex_waitv(), whose number is the same for all kinds of programs. */
static bool is_waitv(long nr)
{
	return kt_arch_plain_nr(nr) == __NR_futex_waitv;
}

static u32 flags_of(bool is_private, bool is_realtime, bool has_timeout)
{
	return (is_private ? KTRACE_FUTEX_PRIVATE : 0) |
	       (is_realtime ? KTRACE_FUTEX_REALTIME : 0) |
	       (has_timeout ? KTRACE_FUTEX_TIMEOUT : 0);
}

/* futex(address, op, value, timeout or value2, address2, value3) */
static void take_futex_apart(const unsigned long args[6], struct ktrace_ev_futex_enter *p)
{
	const u32 op = args[1] & FUTEX_CMD_MASK;
	const u8 used = op < ARRAY_SIZE(uses) ? uses[op] : 0;

	p->address = args[0];
	p->address2 = used & ADDRESS2 ? args[4] : 0;
	p->op = op;
	p->flags = flags_of(args[1] & FUTEX_PRIVATE_FLAG, args[1] & FUTEX_CLOCK_REALTIME,
			    (used & TIMEOUT) && args[3]);
	p->value = used & VALUE ? args[2] : 0;
	p->value2 = used & VALUE2 ? args[3] : 0;
	p->value3 = used & VALUE3 ? (u32)args[5] : 0;
}

/* futex_waitv(list, how many, flags, timeout, clock) */
static void take_waitv_apart(const unsigned long args[6], struct ktrace_ev_futex_enter *p)
{
	p->address = args[0];
	p->op = KTRACE_FUTEX_WAITV;
	p->flags = flags_of(false, args[3] && args[4] == CLOCK_REALTIME, args[3]);
	p->value = args[1];
}

/* Not inlined, so that the test whether the event is wanted stays short. */
static noinline void futex_record_enter(struct pt_regs *regs, long nr)
{
	struct ktrace_ev_futex_enter payload = { 0 };
	unsigned long args[6];

	syscall_get_arguments(current, regs, args);
	if (is_waitv(nr))
		take_waitv_apart(args, &payload);
	else
		take_futex_apart(args, &payload);
	kt_emit_current(KTRACE_EV_FUTEX_ENTER, &payload, sizeof(payload), NULL);
}

static void on_futex_enter(void *data, struct pt_regs *regs, long nr)
{
	if (unlikely(is_futex(nr) || is_waitv(nr)) &&
	    kt_emit_wants(KTRACE_EV_FUTEX_ENTER, current))
		futex_record_enter(regs, nr);
}

static noinline void futex_record_exit(struct pt_regs *regs, long nr, long ret)
{
	struct ktrace_ev_futex_exit payload = { .op = KTRACE_FUTEX_WAITV, .result = ret };
	unsigned long args[6];

	syscall_get_arguments(current, regs, args);
	payload.address = args[0];
	if (!is_waitv(nr))
		payload.op = args[1] & FUTEX_CMD_MASK;
	kt_emit_current(KTRACE_EV_FUTEX_EXIT, &payload, sizeof(payload), NULL);
}

static void on_futex_exit(void *data, struct pt_regs *regs, long ret)
{
	const long nr = syscall_get_nr(current, regs);

	if (unlikely(is_futex(nr) || is_waitv(nr)) &&
	    kt_emit_wants(KTRACE_EV_FUTEX_EXIT, current))
		futex_record_exit(regs, nr, ret);
}

struct kt_probe kt_probe_futex[] = {
	{ KT_TRACEPOINT(KTRACE_EV_FUTEX_ENTER, sys_enter, on_futex_enter) },
	{ KT_TRACEPOINT(KTRACE_EV_FUTEX_EXIT, sys_exit, on_futex_exit) },
	{ }
};
