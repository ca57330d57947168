/* SPDX-License-Identifier: GPL-2.0 */
/*
 * <linux/ktrace.h> inside the kernel: the ABI, and the trace point for other modules
 *
 *   TRACER_LOGEVENT(type, par1, par2);
 *
 * stores a KTRACE_EV_LOGEVENT record in every running session that has the event enabled, and, if
 * the S.Ha.R.K. tracer is enabled, an event in its selected chunk (<linux/ktrace_shark.h>). If
 * neither is active, the macro is one nop (a static key). It may be used in any context, NMI
 * included, as long as RCU is watching, i.e. not on the way into idle.
 *
 * As with the kernel's own headers, user space has the ABI part (uapi/linux/ktrace.h)
 * under the same name. Both directories go on a module's include path, this one first;
 * examples/logevent/Kbuild shows how.
 */
#ifndef _KTRACE_KERNEL_H
#define _KTRACE_KERNEL_H

#include <linux/jump_label.h>
#include <uapi/linux/ktrace.h>

DECLARE_STATIC_KEY_FALSE(ktrace_logevent_key);

/*
 * On while sessions record the event. If off, families that ktrace_chunk_off suppresses are not
 * logged.
 */
DECLARE_STATIC_KEY_FALSE(ktrace_sessions_key);
extern u32 ktrace_chunk_off;

void ktrace_logevent(u32 type, u32 par1, u32 par2);

/*
 * True if a code is suppressed. Its family is the low four bits; no filter suppresses codes with
 * bits 4 to 7 set.
 */
static __always_inline bool ktrace_is_filtered(u16 type)
{
	if (static_branch_unlikely(&ktrace_sessions_key))
		return false;
	return (type & 0xf0) != 0xf0 && READ_ONCE(ktrace_chunk_off) & 1u << (type & 0xf);
}

/* Type 0 means an empty slot in S.Ha.R.K. and is refused: nothing is stored or counted. */
static __always_inline void ktrace_logevent_checked(u16 type, u16 par1, u32 par2)
{
	if (type && likely(!ktrace_is_filtered(type)))
		ktrace_logevent(type, par1, par2);
}

#define TRACER_LOGEVENT(type, par1, par2)                               \
	do {                                                            \
		if (static_branch_unlikely(&ktrace_logevent_key))       \
			ktrace_logevent_checked(type, par1, par2);      \
	} while (0)

#endif
