/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch.h - what differs between architectures, as functions with our names
 *
 *   kt_arch_has_counter()	true if there is a counter that programs can read, too:
 *				KTRACE_CLOCK_COUNTER
 *   kt_arch_counter_is_stable() true if the kernel guarantees that it is the same on all CPUs;
 *				context: process, interrupts on
 *   kt_arch_counter_khz()	its frequency, 0 = unknown
 *   kt_arch_counter()		reads it; any context, not ordered against other loads
 *   kt_arch_inc_local(p)	adds 1 to a word that no other code stores to meanwhile
 *   kt_arch_syscall_abi(nr)	enum ktrace_syscall_abi of the system call that current is in, which
 *				has this number; -1 is none
 *   kt_arch_plain_nr(nr)	the number without bits that tell the ABI
 *   kt_arch_is_exec(nr)	true if the system call that current is in is an exec()
 *   kt_arch_is_64bit(regs)	true if the program is a 64-bit one; its registers when it entered
 *				the kernel
 *   kt_arch_thread_pointer(where)  gets the thread pointer of current, a 64-bit program; false:
 *				not known
 *   struct kt_arch_frame	what a program's frame pointer points to
 *   kt_arch_code_address(at)	a return address of a program without what the processor keeps in
 *				its upper bits
 *   KT_ARCH_HAS_FAULTS		defined if there are tracepoints for page faults; then
 *				kt_arch_fault_access(error), enum ktrace_fault_access of the
 *				processor's error code, and kt_arch_fault_is_protection(error)
 *
 * The file of an architecture has those that are not generic, and a macro with the name of each.
 * This is the only place that chooses one. Registers, arguments of system calls and the kernel's
 * own stack are read by the kernel's functions, which exist on all of them.
 */
#ifndef KT_ARCH_H
#define KT_ARCH_H

#include <linux/types.h>

#if defined(CONFIG_X86)
#include "x86.h"
#elif defined(CONFIG_ARM64)
#include "arm64.h"
#endif
#include "generic.h"

#endif
