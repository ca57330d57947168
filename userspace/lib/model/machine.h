/* SPDX-License-Identifier: LGPL-2.1 */
/* machine.h - which traces are of one boot of a machine */
#ifndef KTRACE_MODEL_MACHINE_H
#define KTRACE_MODEL_MACHINE_H

#include <ktrace/traceset.h>

/*
 * Returns the number of the trace's host: its own, or that of the first trace of the same boot. A
 * file that does not name its boot counts as a host of its own.
 */
__u32 machine_of(const struct ktrace_traceset *set, const struct ktrace_trace *trace);

#endif
