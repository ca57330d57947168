/* SPDX-License-Identifier: GPL-2.0 */
/* import_machines.h - the tracefiles of a trace of several machines */
#ifndef VIEWER_IMPORT_IMPORT_MACHINES_H
#define VIEWER_IMPORT_IMPORT_MACHINES_H

#include "import.h"

#include <ktrace/decode.h>

/* Adds up what was written; no-op for one machine. */
void import_machines_sum(struct import *x);
/* Calls @print for each machine, with its file and counters in place of those of the run. */
void import_machines_print(const struct import *x, struct ktrace_out *out,
			   void (*print)(const struct import *x, struct ktrace_out *out));
void import_machines_free(struct import *x);

#endif
