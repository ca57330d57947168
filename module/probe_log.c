// SPDX-License-Identifier: GPL-2.0
/* probe_log.c - family "log": TRACER_LOGEVENT of other modules */
#include "probe.h"
#include <linux/export.h>
#include <linux/ktrace.h>
#include "emit.h"

DEFINE_STATIC_KEY_FALSE(ktrace_logevent_key);
EXPORT_SYMBOL_GPL(ktrace_logevent_key);

/**
 * ktrace_logevent - what TRACER_LOGEVENT() does when somebody traces
 * @type:	event code; 0 means an empty slot in S.Ha.R.K. and is refused: nothing is
 *		stored, nothing is counted
 * @par1:	first parameter
 * @par2:	second parameter
 *
 * Recorded in every running session that has the event enabled, whoever runs.
 *
 * Context: any in which RCU is watching, NMI included.
 */
void ktrace_logevent(u16 type, u16 par1, u32 par2)
{
	const struct ktrace_ev_logevent payload = { type, par1, par2 };

	if (type)
		kt_emit(&(struct kt_event){
			.id = KTRACE_EV_LOGEVENT,
			.len = sizeof(payload),
			.payload = &payload,
		});
}
EXPORT_SYMBOL_GPL(ktrace_logevent);

struct kt_probe kt_probe_log[] = {
	{ .id = KTRACE_EV_LOGEVENT, .key = &ktrace_logevent_key },
	{ }
};
