// SPDX-License-Identifier: GPL-2.0
/* posix_registries.c - removes what programs with <trace.h> have left in shared memory */
#include "posix_registries.h"

#include "base/log.h"
#include "base/unused_registries.h"

void registries_sweep(bool all)
{
	const struct unused_registries removed = ktrace_unused_registries(all, true);

	if (removed.nr)
		log_note("removed %u unused registr%s of <trace.h>, %llu bytes",
			 removed.nr, removed.nr == 1 ? "y" : "ies", removed.bytes);
}
