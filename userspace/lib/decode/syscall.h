/* SPDX-License-Identifier: LGPL-2.1 */
/* syscall.h - names of system calls, of each ABI that a machine has */
#ifndef KTRACE_DECODE_SYSCALL_H
#define KTRACE_DECODE_SYSCALL_H

#include <ktrace/decode.h>
#include <linux/ktrace_events.h>

/*
 * What the field "nr" is in a call of @abi. @field: of a type with ktrace_syscall_bind(), or any
 * other. NULL: it is not the number of a call, or no "abi" is behind it. Of an ABI that is not
 * known it has no names.
 */
const struct ktrace_field *ktrace_syscall_field(const struct ktrace_field *field, __u32 abi);

/* Gives a value of "nr" the field of its ABI; the payload reaches up to @end. */
void ktrace_syscall_choose(struct ktrace_value *v, const char *end);

/* "nr" and "abi" read as one number of 64 bits, which begins where "nr" does */
__u64 ktrace_syscall_pair(__u32 abi, __s64 nr);

/* "i386:" and so on, what marks a call of another ABI; "" of the machine's own */
const char *ktrace_syscall_mark(__u32 abi);

/* Number and ABI as the sub-mode of a state has them */
__u32 ktrace_syscall_sub(__u32 abi, __s64 nr);
/* The number of a sub-mode */
__s64 ktrace_syscall_sub_nr(__u32 sub);
/* Its ABI; @compat: that of the machine's 32-bit programs */
__u32 ktrace_syscall_sub_abi(__u32 sub, __u32 compat);

/* Is it the number of a call, and has names? Files of 0.1.0 have such without ABIs. */
bool ktrace_syscall_is(const struct ktrace_field *field);

#endif
