/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * pthread_calls.h - the functions that are recorded: one row each
 *
 * Included by files that expand every row with their own CALL(); no include guard.
 *
 *   CALL(how, type, function, stem, result, parameters...)
 *
 * how		what its wrapper does, see wrap.c:
 *   PAIR	events stem_in before and stem_out after the call
 *   BOTH	the same; the C library has two versions of the function
 *   AFTER	one event, stem, after a call that never waits
 *   TRY		the same for a call that takes something: the event says where it was called
 *   LOCK(x)	tries to take first: one event, stem, if that succeeds; else as PAIR. x: how to try
 *   UNLOCK(x)	one event, stem, before a call that will not fail; else as PAIR
 *   HAND	the wrapper is written by hand: its events have fields of their own
 * type, result	type of the result, and what is recorded of it: RESULT_* in kinds.h
 * parameters	(type, name, kind): kinds in kinds.h say which events have it as a field
 */

CALL(HAND, int, pthread_create, thread_create, err)
CALL(HAND, void, pthread_exit, thread_exit, none)
CALL(PAIR, int, pthread_join, thread_join, err, (pthread_t, thread, thread), (void **, value, no))
CALL(PAIR, int, pthread_tryjoin_np, thread_tryjoin, err, (pthread_t, thread, thread),
     (void **, value, no))
CALL(PAIR, int, pthread_timedjoin_np, thread_timedjoin, err, (pthread_t, thread, thread),
     (void **, value, no), (const struct timespec *, until, no))
CALL(PAIR, int, pthread_clockjoin_np, thread_clockjoin, err, (pthread_t, thread, thread),
     (void **, value, no), (clockid_t, clock, s32), (const struct timespec *, until, no))
CALL(PAIR, int, pthread_cancel, thread_cancel, err, (pthread_t, thread, thread))
CALL(PAIR, int, pthread_detach, thread_detach, err, (pthread_t, thread, thread))
CALL(PAIR, int, pthread_setname_np, thread_setname, err, (pthread_t, thread, thread),
     (const char *, name, text))

CALL(PAIR, int, pthread_mutex_init, mutex_init, err, (pthread_mutex_t *, mutex, object),
     (const pthread_mutexattr_t *, attr, no))
CALL(LOCK(mutex_lock), int, pthread_mutex_lock, mutex_lock, err, (pthread_mutex_t *, mutex, mutex))
CALL(TRY, int, pthread_mutex_trylock, mutex_trylock, err, (pthread_mutex_t *, mutex, mutex))
CALL(LOCK(mutex_lock), int, pthread_mutex_timedlock, mutex_timedlock, err,
     (pthread_mutex_t *, mutex, mutex), (const struct timespec *, until, no))
CALL(LOCK(mutex_clock), int, pthread_mutex_clocklock, mutex_clocklock, err,
     (pthread_mutex_t *, mutex, mutex), (clockid_t, clock, s32),
     (const struct timespec *, until, no))
CALL(UNLOCK(mutex), int, pthread_mutex_unlock, mutex_unlock, err, (pthread_mutex_t *, mutex, mutex))
CALL(AFTER, int, pthread_mutex_consistent, mutex_consistent, err,
     (pthread_mutex_t *, mutex, object))
CALL(PAIR, int, pthread_mutex_destroy, mutex_destroy, err, (pthread_mutex_t *, mutex, object))

CALL(PAIR, int, pthread_barrier_init, barrier_init, err, (pthread_barrier_t *, barrier, object),
     (const pthread_barrierattr_t *, attr, no), (unsigned int, count, u32))
CALL(PAIR, int, pthread_barrier_wait, barrier_wait, err, (pthread_barrier_t *, barrier, object))
CALL(PAIR, int, pthread_barrier_destroy, barrier_destroy, err,
     (pthread_barrier_t *, barrier, object))

CALL(BOTH, int, pthread_cond_init, cond_init, err, (pthread_cond_t *, cond, object),
     (const pthread_condattr_t *, attr, no))
CALL(BOTH, int, pthread_cond_wait, cond_wait, err, (pthread_cond_t *, cond, object),
     (pthread_mutex_t *, mutex, object))
CALL(BOTH, int, pthread_cond_timedwait, cond_timedwait, err, (pthread_cond_t *, cond, object),
     (pthread_mutex_t *, mutex, object), (const struct timespec *, until, no))
CALL(PAIR, int, pthread_cond_clockwait, cond_clockwait, err, (pthread_cond_t *, cond, object),
     (pthread_mutex_t *, mutex, object), (clockid_t, clock, s32),
     (const struct timespec *, until, no))
CALL(BOTH, int, pthread_cond_signal, cond_signal, err, (pthread_cond_t *, cond, object))
CALL(BOTH, int, pthread_cond_broadcast, cond_broadcast, err, (pthread_cond_t *, cond, object))
CALL(BOTH, int, pthread_cond_destroy, cond_destroy, err, (pthread_cond_t *, cond, object))

CALL(PAIR, int, sem_init, sem_init, errno, (sem_t *, sem, object), (int, pshared, s32),
     (unsigned int, value, u32))
CALL(HAND, sem_t *, sem_open, sem_open, none)
CALL(PAIR, int, sem_close, sem_close, errno, (sem_t *, sem, object))
CALL(PAIR, int, sem_unlink, sem_unlink, errno, (const char *, name, text))
CALL(PAIR, int, sem_post, sem_post, errno, (sem_t *, sem, object))
CALL(LOCK(sem), int, sem_wait, sem_wait, errno, (sem_t *, sem, object))
CALL(TRY, int, sem_trywait, sem_trywait, errno, (sem_t *, sem, object))
CALL(LOCK(sem_timed), int, sem_timedwait, sem_timedwait, errno, (sem_t *, sem, object),
     (const struct timespec *, until, no))
CALL(LOCK(sem_clock), int, sem_clockwait, sem_clockwait, errno, (sem_t *, sem, object),
     (clockid_t, clock, s32), (const struct timespec *, until, no))
CALL(PAIR, int, sem_destroy, sem_destroy, errno, (sem_t *, sem, object))

CALL(PAIR, int, pthread_rwlock_init, rwlock_init, err, (pthread_rwlock_t *, rwlock, object),
     (const pthread_rwlockattr_t *, attr, no))
CALL(LOCK(read), int, pthread_rwlock_rdlock, rwlock_rdlock, err,
     (pthread_rwlock_t *, rwlock, object))
CALL(TRY, int, pthread_rwlock_tryrdlock, rwlock_tryrdlock, err,
     (pthread_rwlock_t *, rwlock, object))
CALL(LOCK(read_timed), int, pthread_rwlock_timedrdlock, rwlock_timedrdlock, err,
     (pthread_rwlock_t *, rwlock, object), (const struct timespec *, until, no))
CALL(LOCK(read_clock), int, pthread_rwlock_clockrdlock, rwlock_clockrdlock, err,
     (pthread_rwlock_t *, rwlock, object), (clockid_t, clock, s32),
     (const struct timespec *, until, no))
CALL(LOCK(write), int, pthread_rwlock_wrlock, rwlock_wrlock, err,
     (pthread_rwlock_t *, rwlock, object))
CALL(TRY, int, pthread_rwlock_trywrlock, rwlock_trywrlock, err,
     (pthread_rwlock_t *, rwlock, object))
CALL(LOCK(write_timed), int, pthread_rwlock_timedwrlock, rwlock_timedwrlock, err,
     (pthread_rwlock_t *, rwlock, object), (const struct timespec *, until, no))
CALL(LOCK(write_clock), int, pthread_rwlock_clockwrlock, rwlock_clockwrlock, err,
     (pthread_rwlock_t *, rwlock, object), (clockid_t, clock, s32),
     (const struct timespec *, until, no))
CALL(UNLOCK(any), int, pthread_rwlock_unlock, rwlock_unlock, err,
     (pthread_rwlock_t *, rwlock, object))
CALL(PAIR, int, pthread_rwlock_destroy, rwlock_destroy, err, (pthread_rwlock_t *, rwlock, object))

CALL(PAIR, int, pthread_spin_init, spin_init, err, (pthread_spinlock_t *, spin, object),
     (int, pshared, s32))
CALL(LOCK(spin), int, pthread_spin_lock, spin_lock, err, (pthread_spinlock_t *, spin, object))
CALL(TRY, int, pthread_spin_trylock, spin_trylock, err, (pthread_spinlock_t *, spin, object))
CALL(UNLOCK(any), int, pthread_spin_unlock, spin_unlock, err, (pthread_spinlock_t *, spin, object))
CALL(PAIR, int, pthread_spin_destroy, spin_destroy, err, (pthread_spinlock_t *, spin, object))

CALL(PAIR, int, pthread_once, once, err, (pthread_once_t *, once, object),
     (init_routine, init, code))

CALL(AFTER, int, pthread_key_create, key_create, err, (pthread_key_t *, key, new_key),
     (destroy_value, destructor, code))
CALL(AFTER, int, pthread_key_delete, key_delete, err, (pthread_key_t, key, u32))
CALL(AFTER, int, pthread_setspecific, key_set, err, (pthread_key_t, key, u32),
     (const void *, value, data))
CALL(AFTER, void *, pthread_getspecific, key_get, address, (pthread_key_t, key, u32))

CALL(HAND, int, thrd_create, thrd_create, thrd)
CALL(HAND, void, thrd_exit, thrd_exit, none)
CALL(PAIR, int, thrd_join, thrd_join, thrd, (thrd_t, thread, thread), (int *, value, no))
CALL(PAIR, int, thrd_detach, thrd_detach, thrd, (thrd_t, thread, thread))
CALL(PAIR, int, mtx_init, mtx_init, thrd, (mtx_t *, mutex, object), (int, type, s32))
CALL(LOCK(mtx), int, mtx_lock, mtx_lock, thrd, (mtx_t *, mutex, mutex))
CALL(TRY, int, mtx_trylock, mtx_trylock, thrd, (mtx_t *, mutex, mutex))
CALL(LOCK(mtx), int, mtx_timedlock, mtx_timedlock, thrd, (mtx_t *, mutex, mutex),
     (const struct timespec *, until, no))
CALL(UNLOCK(mutex), int, mtx_unlock, mtx_unlock, thrd, (mtx_t *, mutex, mutex))
CALL(PAIR, void, mtx_destroy, mtx_destroy, none, (mtx_t *, mutex, object))
CALL(PAIR, int, cnd_init, cnd_init, thrd, (cnd_t *, cond, object))
CALL(PAIR, int, cnd_wait, cnd_wait, thrd, (cnd_t *, cond, object), (mtx_t *, mutex, object))
CALL(PAIR, int, cnd_timedwait, cnd_timedwait, thrd, (cnd_t *, cond, object),
     (mtx_t *, mutex, object), (const struct timespec *, until, no))
CALL(PAIR, int, cnd_signal, cnd_signal, thrd, (cnd_t *, cond, object))
CALL(PAIR, int, cnd_broadcast, cnd_broadcast, thrd, (cnd_t *, cond, object))
CALL(PAIR, void, cnd_destroy, cnd_destroy, none, (cnd_t *, cond, object))
CALL(PAIR, void, call_once, call_once, none, (once_flag *, once, object),
     (init_routine, init, code))
CALL(AFTER, int, tss_create, tss_create, thrd, (tss_t *, key, new_key),
     (destroy_value, destructor, code))
CALL(AFTER, void, tss_delete, tss_delete, none, (tss_t, key, u32))
CALL(AFTER, int, tss_set, tss_set, thrd, (tss_t, key, u32), (void *, value, data))
CALL(AFTER, void *, tss_get, tss_get, address, (tss_t, key, u32))

#undef CALL
