// SPDX-License-Identifier: GPL-2.0
/* boards.c - what programs with <trace.h> have left behind in shared memory */
#include "boards.h"

#include "base/log.h"
#include "base/unused_boards.h"

void boards_sweep(bool all)
{
	const struct unused_boards removed = ktrace_unused_boards(all, true);

	if (removed.nr)
		log_note("%u board%s of <trace.h> that nobody used removed, %llu bytes",
			 removed.nr, removed.nr == 1 ? "" : "s", removed.bytes);
}
