/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * member.h - this process in the registry of its user
 *
 * Every process with this library has a slot there from its start, so that controllers can find the
 * process, and the process finds the streams that controllers have set.
 */
#ifndef KTRACE_POSIX_REGISTRY_MEMBER_H
#define KTRACE_POSIX_REGISTRY_MEMBER_H

#include "registry_shm.h"

/**
 * struct posix_member - this process
 * @registry:	NULL = none
 * @process:	its slot, NULL = none
 * @owner:	its pid and start time
 * @opened:	event types opened by this image, or by its parent before the fork
 * @opened_nr:	number of named ones among them
 */
struct posix_member {
	struct posix_registry *registry;
	struct posix_registry_process *process;
	struct posix_owner owner;
	__u64 opened[POSIX_SET_WORDS];
	__u32 opened_nr;
};

extern struct posix_member ktrace_posix_member;

/**
 * ktrace_posix_registry - get the registry of this process's user, mapped at the first call
 *
 * Context: not in a signal handler.
 * Return: NULL if there is none and none could be created.
 */
struct posix_registry *ktrace_posix_registry(void);

/** ktrace_posix_sinks_after_fork - reset sinks in the child: its thread has not recorded yet */
void ktrace_posix_sinks_after_fork(void);

/** ktrace_posix_trid_after_fork - invalidate all trids in the child */
void ktrace_posix_trid_after_fork(void);

#endif
