/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * name.h - readable names for addresses and threads, told by the program
 *
 *   #include <ktrace/name.h>
 *
 *   ktrace_name_object(&queue->lock, "queue lock");
 *   ktrace_name_thread("collector");
 *
 * A name is an event of the provider "name", recorded with its time: ktrace shows it with
 * the address, from then on until the object is destroyed; see Documentation/pthread.md. What
 * PTT calls new_object_alias() and new_thread_alias() are these two; its alias_init() has
 * nothing to do here.
 *
 * All that ktrace.h says of ktrace() holds: any context, two loads and a test when nobody
 * traces.
 */
#ifndef KTRACE_NAME_H
#define KTRACE_NAME_H

#include <ktrace/ktrace.h>

#ifdef KTRACE_OLD_STANDARD
#pragma GCC system_header
#endif

KTRACE_EVENT(name, object, ktrace_ptr(object), ktrace_string(name));
KTRACE_EVENT(name, thread, ktrace_string(name));

/**
 * ktrace_name_object - say what an object is called
 * @object:	its address: a mutex, a condition, or whatever events have addresses of; or a
 *		pthread_t
 * @name:	its name; NULL or empty: it has none any more
 *
 * A name holds in the process, and in its children if they fork later. It may be given before
 * the object is made. It ends with the object: when it is destroyed, or made again.
 *
 * Context: any.
 */
static KTRACE_INLINE void ktrace_name_object(const void *object, const char *name)
{
	ktrace(name, object, object, name ? name : "");
}

/**
 * ktrace_name_thread - say what the calling thread is called
 * @name:	its name, of any length; NULL or empty: it has none any more
 *
 * Of other threads than the calling one, name the pthread_t as an object.
 *
 * Context: any.
 */
static KTRACE_INLINE void ktrace_name_thread(const char *name)
{
	ktrace(name, thread, name ? name : "");
}

#endif
