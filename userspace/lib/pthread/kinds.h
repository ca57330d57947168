/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * kinds.h - the event fields of the parameters and results of pthread_calls.h
 *
 * A parameter is (type, name, kind). For each kind and each of the three events a call can have -
 * IN before it, OUT after it, ONE for all of it - there are two macros: FIELDS, for KTRACE_EVENT(),
 * and VALUES, for ktrace(). Each expands to nothing, or to text that begins with a comma. Values
 * may use the wrapper's variables result and change: see wrap.c.
 *
 * Must not see <errno.h>, whose macros would replace the names of errors.
 */
#ifndef KTRACE_PTHREAD_KINDS_H
#define KTRACE_PTHREAD_KINDS_H

#define KTRACE_REGISTER_LATER
#include <ktrace/ktrace.h>

#include "load.h"

/* LIST(m, parameters...): m of each, separated by commas; ALL(m, parameters...): without commas. */
#define LIST_1(m, p) m p
#define LIST_2(m, p, ...) m p, LIST_1(m, __VA_ARGS__)
#define LIST_3(m, p, ...) m p, LIST_2(m, __VA_ARGS__)
#define LIST_4(m, p, ...) m p, LIST_3(m, __VA_ARGS__)
#define LIST(m, ...) KTRACE_CAT(LIST_, KTRACE_COUNT(__VA_ARGS__))(m, __VA_ARGS__)
#define ALL_1(m, p) m p
#define ALL_2(m, p, ...) m p ALL_1(m, __VA_ARGS__)
#define ALL_3(m, p, ...) m p ALL_2(m, __VA_ARGS__)
#define ALL_4(m, p, ...) m p ALL_3(m, __VA_ARGS__)
#define ALL(m, ...) KTRACE_CAT(ALL_, KTRACE_COUNT(__VA_ARGS__))(m, __VA_ARGS__)

/* For LIST(): a parameter's declaration and its use. */
#define PARAMETER(type, name, kind) type name
#define ARGUMENT(type, name, kind) name

/* For ALL(). */
#define IN_FIELDS(type, name, kind) IN_FIELDS_##kind(name)
#define IN_VALUES(type, name, kind) IN_VALUES_##kind(name)
#define OUT_FIELDS(type, name, kind) OUT_FIELDS_##kind(name)
#define OUT_VALUES(type, name, kind) OUT_VALUES_##kind(name)
#define ONE_FIELDS(type, name, kind) ONE_FIELDS_##kind(name)
#define ONE_VALUES(type, name, kind) ONE_VALUES_##kind(name)

/* no: not recorded */
#define IN_FIELDS_no(name)
#define IN_VALUES_no(name)
#define OUT_FIELDS_no(name)
#define OUT_VALUES_no(name)
#define ONE_FIELDS_no(name)
#define ONE_VALUES_no(name)

/* object: what the call is about */
#define IN_FIELDS_object(name) , ktrace_ptr(name)
#define IN_VALUES_object(name) , name
#define OUT_FIELDS_object(name) , ktrace_ptr(name)
#define OUT_VALUES_object(name) , name
#define ONE_FIELDS_object(name) , ktrace_ptr(name)
#define ONE_VALUES_object(name) , name

/*
 * mutex: an object that knows which thread has it; count: how often the caller has it after the
 * call
 */
#define IN_FIELDS_mutex(name) , ktrace_ptr(name), ktrace_u32(owner)
#define IN_VALUES_mutex(name) , name, ktrace_channel_thread_id(mutex_owner(name))
#define OUT_FIELDS_mutex(name) , ktrace_ptr(name), ktrace_u32(count)
#define OUT_VALUES_mutex(name) , name, mutex_count(name, result, change)
#define ONE_FIELDS_mutex(name) OUT_FIELDS_mutex(name)
#define ONE_VALUES_mutex(name) OUT_VALUES_mutex(name)

/* thread: a pthread_t, also recorded by thread_start of that thread */
#define IN_FIELDS_thread(name) , ktrace_x64(name)
#define IN_VALUES_thread(name) , name
#define OUT_FIELDS_thread(name) , ktrace_x64(name)
#define OUT_VALUES_thread(name) , name
#define ONE_FIELDS_thread(name) , ktrace_x64(name)
#define ONE_VALUES_thread(name) , name

/* new_key: where the call stores the number of a key */
#define IN_FIELDS_new_key(name)
#define IN_VALUES_new_key(name)
#define OUT_FIELDS_new_key(name) , ktrace_u32(name)
#define OUT_VALUES_new_key(name) , result ? ~0u : *name
#define ONE_FIELDS_new_key(name) OUT_FIELDS_new_key(name)
#define ONE_VALUES_new_key(name) OUT_VALUES_new_key(name)

/* s32, u32, text, code, data: input values */
#define IN_FIELDS_s32(name) , ktrace_s32(name)
#define IN_VALUES_s32(name) , name
#define OUT_FIELDS_s32(name)
#define OUT_VALUES_s32(name)
#define ONE_FIELDS_s32(name) , ktrace_s32(name)
#define ONE_VALUES_s32(name) , name
#define IN_FIELDS_u32(name) , ktrace_u32(name)
#define IN_VALUES_u32(name) , name
#define OUT_FIELDS_u32(name)
#define OUT_VALUES_u32(name)
#define ONE_FIELDS_u32(name) , ktrace_u32(name)
#define ONE_VALUES_u32(name) , name
#define IN_FIELDS_text(name) , ktrace_string(name)
#define IN_VALUES_text(name) , name
#define OUT_FIELDS_text(name)
#define OUT_VALUES_text(name)
#define ONE_FIELDS_text(name) , ktrace_string(name)
#define ONE_VALUES_text(name) , name
/* A function pointer does not fit a pointer to data, but its address is a number as well. */
#define IN_FIELDS_code(name) , ktrace_ptr(name)
#define IN_VALUES_code(name) , (void *)(uintptr_t)(name)
#define OUT_FIELDS_code(name)
#define OUT_VALUES_code(name)
#define ONE_FIELDS_code(name) , ktrace_ptr(name)
#define ONE_VALUES_code(name) , (void *)(uintptr_t)(name)
#define IN_FIELDS_data(name) , ktrace_ptr(name)
#define IN_VALUES_data(name) , name
#define OUT_FIELDS_data(name)
#define OUT_VALUES_data(name)
#define ONE_FIELDS_data(name) , ktrace_ptr(name)
#define ONE_VALUES_data(name) , name

/* In each IN event, and in each event that took something: the wrapper's return address */
#define CALLER_FIELD ktrace_ptr(caller)
#define CALLER_VALUE load_caller(__builtin_return_address(0))

/* Errors by name; OK and SERIAL, the last arrival at a barrier, are no errors. */
#define ERRORS \
	ktrace_enum(s32, result, (OK, 0), (SERIAL, -1), (EPERM, 1), (ENOENT, 2), (ESRCH, 3), \
		    (EINTR, 4), (EAGAIN, 11), (ENOMEM, 12), (EACCES, 13), (EBUSY, 16), \
		    (EEXIST, 17), (EINVAL, 22), (ENFILE, 23), (EMFILE, 24), (ENOSPC, 28), \
		    (ERANGE, 34), (EDEADLK, 35), (ENAMETOOLONG, 36), (ENOSYS, 38), \
		    (EOVERFLOW, 75), (ENOTSUP, 95), (ETIMEDOUT, 110), (EOWNERDEAD, 130), \
		    (ENOTRECOVERABLE, 131))

/*
 * Results: field, value, and what a wrapper does with the call's result. err: an errno; errno: -1
 * and errno; thrd: the codes of <threads.h>; address: a pointer; none: no result.
 */
#define RESULT_FIELD_err , ERRORS
#define RESULT_VALUE_err , result
#define RESULT_FIELD_errno , ERRORS
#define RESULT_VALUE_errno , result ? *own_errno() : 0
#define RESULT_FIELD_thrd \
	, ktrace_enum(s32, result, (OK, 0), (busy, 1), (error, 2), (nomem, 3), (timedout, 4))
#define RESULT_VALUE_thrd , result
#define RESULT_FIELD_address , ktrace_ptr(result)
#define RESULT_VALUE_address , result
#define RESULT_FIELD_none
#define RESULT_VALUE_none

#define RESULT_VARIABLE_err(type) type result;
#define RESULT_VARIABLE_errno(type) type result;
#define RESULT_VARIABLE_thrd(type) type result;
#define RESULT_VARIABLE_address(type) type result;
#define RESULT_VARIABLE_none(type)
#define RESULT_KEEP_err result =
#define RESULT_KEEP_errno result =
#define RESULT_KEEP_thrd result =
#define RESULT_KEEP_address result =
#define RESULT_KEEP_none
#define RESULT_RETURN_err return result;
#define RESULT_RETURN_errno return result;
#define RESULT_RETURN_thrd return result;
#define RESULT_RETURN_address return result;
#define RESULT_RETURN_none

#endif
