/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * port_model.h - port.h for the model: every access goes to the machine of machine.h
 *
 * Included before the ring's sources (cc -include), it takes the place of port.h. Shared
 * memory has addresses but no access rights, so an access that goes around the port is
 * a fault, not a gap in the proof.
 */
#ifndef KT_RING_PORT_H
#define KT_RING_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/ktrace.h>

enum model_order { MODEL_RELAXED, MODEL_ACQUIRE, MODEL_RELEASE };

__u64 model_load(const volatile void *p, unsigned int size, enum model_order order);
void model_store(volatile void *p, unsigned int size, __u64 value, enum model_order order);
void model_fence_load(void);
void model_fence_store(void);
void model_barrier(void);
bool model_cmpxchg(__u64 *p, __u64 old, __u64 new_value);
void model_count(__u64 *p, __u64 n);
void model_memcpy(void *to, const void *from, size_t n);
__u64 model_clock(void);

#define kt_likely(x) (x)
#define kt_unlikely(x) (x)
#define kt_noinline
#define kt_load(p) ((__typeof__(*(p)))model_load((p), sizeof(*(p)), MODEL_RELAXED))
#define kt_store(p, v) model_store((p), sizeof(*(p)), (v), MODEL_RELAXED)
#define kt_again(p, v) ((void)(v), kt_load(p))
#define kt_load_acquire(p) ((__typeof__(*(p)))model_load((p), sizeof(*(p)), MODEL_ACQUIRE))
#define kt_store_release(p, v) model_store((p), sizeof(*(p)), (v), MODEL_RELEASE)
#define kt_fence_load() model_fence_load()
#define kt_fence_store() model_fence_store()
#define kt_barrier() model_barrier()
#define kt_branch(x) ((void)(x))
#define kt_cmpxchg_local(p, old, new_value) model_cmpxchg((p), (old), (new_value))
#define kt_inc_local(p) kt_store((p), kt_load(p) + 1)
#define kt_count(p, n) model_count((p), (n))
#define kt_memcpy(to, from, n) model_memcpy((to), (from), (n))
#define kt_assign(to, s) model_memcpy((to), &(__typeof__(*(to))[]){ s }, sizeof(*(to)))
#define kt_clock(clock) ((void)(clock), model_clock())
#define kt_clock_quick(clock) kt_clock(clock)
#define KT_TESTPOINT(name) do { } while (0)

#endif
