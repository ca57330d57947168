// SPDX-License-Identifier: LGPL-2.1
/*
 * vfork.c - a vfork() after which parent and child are told apart
 *
 * The child runs in its parent's memory, thread-local storage included, but the kernel no longer
 * knows its restartable sequences: the CPU number it sees is frozen. So before the C library's own
 * function is entered, thread_before_vfork() sends the thread through the library at its next
 * event. A jump enters that function, not a call: it returns twice to our caller.
 */
#include "arch/arch.h"
#include "thread.h"

#if defined(ARCH_VFORK) && defined(__GLIBC__)

ARCH_VFORK(thread_before_vfork, front_vfork, __vfork);

#endif
