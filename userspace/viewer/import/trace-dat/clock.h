/* SPDX-License-Identifier: GPL-2.0 */
/* clock.h - converts stamps of a trace.dat file to nanoseconds of one clock */
#ifndef VIEWER_IMPORT_TRACE_DAT_CLOCK_H
#define VIEWER_IMPORT_TRACE_DAT_CLOCK_H

#include "file.h"

/** clock_ns - ns of a stamp of a CPU: shifted to the host's clock, from cycles, with the offset */
__s64 clock_ns(const struct file *f, __u32 cpu, __u64 stamp);

/**
 * clock_is_wall - true if a clock shows the time since the epoch: of "tai" by some seconds
 * @name:	its name, NULL = unknown
 * @ns:		a time of it
 */
bool clock_is_wall(const char *name, __s64 ns);

/** clock_note - what is to be known of times of this clock of @f; NULL: nothing */
const char *clock_note(const struct file *f, const char *name);

#endif
