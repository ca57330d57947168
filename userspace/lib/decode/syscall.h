/* SPDX-License-Identifier: LGPL-2.1 */
/* syscall.h - names of system calls, for each ABI of a machine */
#ifndef KTRACE_DECODE_SYSCALL_H
#define KTRACE_DECODE_SYSCALL_H

#include <ktrace/decode.h>
#include <linux/ktrace_events.h>

/*
 * Returns the field "nr" for a call of @abi. @field: any field, also of a type without
 * ktrace_syscall_bind(). NULL: it is not the number of a call, or no "abi" follows it. The field of
 * an unknown ABI has no names.
 */
const struct ktrace_field *ktrace_syscall_field(const struct ktrace_field *field, __u32 abi);

/* Gives a value of "nr" the field of its ABI; the payload ends at @end. */
void ktrace_syscall_choose(struct ktrace_value *v, const char *end);

/* Returns "nr" and "abi" as the one 64-bit number at the address of "nr" */
__u64 ktrace_syscall_pair(__u32 abi, __s64 nr);

/* Returns the mark of a foreign ABI's call, such as "i386:"; "" for the machine's own ABI */
const char *ktrace_syscall_mark(__u32 abi);

/* Returns number and ABI as the sub-mode of a state */
__u32 ktrace_syscall_sub(__u32 abi, __s64 nr);
/* Returns the number of a call from its sub-mode */
__s64 ktrace_syscall_sub_nr(__u32 sub);
/* Returns the ABI of a sub-mode; @compat: the ABI of the machine's 32-bit programs */
__u32 ktrace_syscall_sub_abi(__u32 sub, __u32 compat);

/*
 * True if it is the number of a call and has names. In files of 0.1.0 there are such fields without
 * ABIs.
 */
bool ktrace_syscall_is(const struct ktrace_field *field);

#endif
