/* SPDX-License-Identifier: LGPL-2.1 */
/* names.h - which thread had which name and process, and when */
#ifndef KTRACE_TRACESET_NAMES_H
#define KTRACE_TRACESET_NAMES_H

#include <stddef.h>
#include <linux/types.h>

#define NAME_SIZE 16

#define NAME_PID 1u
#define NAME_BEGIN 2u
#define NAME_COMM 4u

/**
 * struct name - name and process of a thread from @raw on
 * @raw:	stamp
 * @begin:	when the process began to run its program, from META; 0 = unknown
 * @pid:	process, 0 = unknown
 * @comm:	name, NUL-terminated; empty = unknown
 * @inherited:	NAME_*: members taken from an earlier fact
 */
struct name {
	__u64 raw;
	__u64 begin;
	__u32 pid;
	char comm[NAME_SIZE];
	__u32 inherited;
};

/* struct thread - the names of one thread, in order of stamps */
struct thread {
	__u32 tid;
	__u32 nr;
	__u32 cap;
	struct name *names;
};

/* struct names - hash table of threads; open addressing, the number of slots is a power of two */
struct names {
	struct thread *slots;
	size_t slot_nr;
	size_t used;
};

int ktrace_names_add(struct names *n, __u32 tid, const struct name *name);
const struct name *ktrace_names_find(const struct names *n, __u32 tid, __u64 raw);
__u64 ktrace_names_until(const struct names *n, __u32 tid, __u64 raw);
void ktrace_names_free(struct names *n);

#endif
