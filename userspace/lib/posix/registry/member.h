/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * member.h - this process in the registry of its user
 *
 * Every process that has the library loaded has a place there from its start on, so that a
 * controller can find it, and finds what a controller has left there for it.
 */
#ifndef KTRACE_POSIX_REGISTRY_MEMBER_H
#define KTRACE_POSIX_REGISTRY_MEMBER_H

#include "registry_shm.h"

/**
 * struct posix_member - this process
 * @registry:	NULL = none
 * @process:	its place, NULL = none
 * @owner:	its name
 * @opened:	event types that this image has opened, and those of its parent before the fork
 * @opened_nr:	named ones among them
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
 * ktrace_posix_registry - the registry of this process's user, mapped at the first call
 *
 * Context: not in signal handlers.
 * Return: NULL if there is none and none could be made.
 */
struct posix_registry *ktrace_posix_registry(void);

/** ktrace_posix_sinks_after_fork - in the child: its thread has not recorded yet */
void ktrace_posix_sinks_after_fork(void);

/** ktrace_posix_trid_after_fork - in the child: no trid is valid */
void ktrace_posix_trid_after_fork(void);

#endif
