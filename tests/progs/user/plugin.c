// SPDX-License-Identifier: GPL-2.0
/* plugin.c - a shared library with an event, to be loaded and unloaded (user_life.c) */
#include <ktrace/ktrace.h>

KTRACE_EVENT(flood, PLUGIN, ktrace_u32(writer), ktrace_u64(seq));

void plugin_use(unsigned int writer, uint64_t seq);

void plugin_use(unsigned int writer, uint64_t seq)
{
	ktrace(flood, PLUGIN, writer, seq);
}
