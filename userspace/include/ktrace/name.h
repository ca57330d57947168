/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * name.h - readable names for addresses and threads, set by the program
 *
 *   #include <ktrace/name.h>
 *
 *   ktrace_name_object(&queue->lock, "queue lock");
 *   ktrace_name_thread("collector");
 *
 * A name is recorded as an event of the provider "name", with its time. From then on ktrace shows
 * it with the address, until the object is destroyed; see Documentation/pthread.md. PTT's
 * new_object_alias() and new_thread_alias() correspond to these two functions; its alias_init() is
 * not needed.
 *
 * Everything that ktrace.h says of ktrace() applies: any context, two loads and a test while
 * nothing is traced.
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
 * ktrace_name_object - name an object
 * @object:	its address: a mutex, a condition, or any address in events; or a pthread_t
 * @name:	its name; NULL or empty removes the name
 *
 * A name applies to the process, and to children forked later. It may be set before the object is
 * initialised. It ends when the object is destroyed or initialised again.
 *
 * Context: any.
 */
static KTRACE_INLINE void ktrace_name_object(const void *object, const char *name)
{
	ktrace(name, object, object, name ? name : "");
}

/**
 * ktrace_name_thread - name the calling thread
 * @name:	its name, of any length; NULL or empty removes the name
 *
 * To name another thread, name its pthread_t with ktrace_name_object().
 *
 * Context: any.
 */
static KTRACE_INLINE void ktrace_name_thread(const char *name)
{
	ktrace(name, thread, name ? name : "");
}

#endif
