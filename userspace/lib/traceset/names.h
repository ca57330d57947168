/* SPDX-License-Identifier: LGPL-2.1 */
/* names.h - which thread had which name and process when */
#ifndef KTRACE_TRACESET_NAMES_H
#define KTRACE_TRACESET_NAMES_H

#include <stddef.h>
#include <linux/types.h>

#define NAME_SIZE 16

#define NAME_PID 1u
#define NAME_BEGIN 2u
#define NAME_COMM 4u

/**
 * struct name - what a thread is called from @raw on
 * @raw:	stamp
 * @begin:	of the program that the process runs since, as META says; 0 = not known
 * @pid:	process, 0 = not known
 * @comm:	name, NUL-terminated; empty = not known
 * @inherited:	NAME_*: members that a fact before it told
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

/* struct names - hash table of threads; open addressing, a power of two of slots */
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
