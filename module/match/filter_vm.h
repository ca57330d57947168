/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * filter_vm.h - checks filter programs, and evaluates them for an event
 *
 * Pure: the same file in the module, in the library, and in tests. <linux/ktrace_match.h> describes
 * the programs.
 */
#ifndef KT_MATCH_FILTER_VM_H
#define KT_MATCH_FILTER_VM_H

#include <linux/ktrace_match.h>
#include "ring/port.h"

/**
 * struct kt_filter_vm - a program that kt_filter_vm_check() has accepted
 * @steps:	comparisons
 * @step_nr:	number of @steps
 * @texts:	texts that they compare with
 */
struct kt_filter_vm {
	const struct ktrace_match_step *steps;
	__u32 step_nr;
	const char *texts;
};

/**
 * struct kt_filter_vm_event - what a program can ask about an event
 * @payload:	its payload
 * @len:	bytes of it
 * @flags:	KTRACE_REC_*
 * @pid:	process
 * @tid:	thread
 * @cpu:	CPU
 * @uid:	user, if @has_owner
 * @cgroup:	cgroup, if @has_owner
 * @has_owner:	@uid and @cgroup are known
 * @comm:	name, up to a NUL or KTRACE_MATCH_COMM_LEN bytes
 */
#define KTRACE_MATCH_COMM_LEN 16
struct kt_filter_vm_event {
	const char *payload;
	__u32 len;
	__u32 flags;
	__u32 pid;
	__u32 tid;
	__u32 cpu;
	__u32 uid;
	__u64 cgroup;
	bool has_owner;
	char comm[KTRACE_MATCH_COMM_LEN];
};

bool kt_filter_vm_check(const struct kt_filter_vm *m, __u32 text_size);
bool kt_filter_vm_asks(const struct kt_filter_vm *m, __u32 what);
bool kt_filter_vm_run(const struct kt_filter_vm *m, const struct kt_filter_vm_event *e,
		      __s64 *work);

#endif
