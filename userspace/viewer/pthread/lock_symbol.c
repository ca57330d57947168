// SPDX-License-Identifier: GPL-2.0
/* lock_symbol.c - names of the program variables that are mutexes and other objects */
#include "lock_symbol.h"

#include "analysis/analysis.h"


const struct symbol *lock_symbol_of(struct symbols *s, const struct ktrace_trace *trace,
				    const struct model_object *o, __u64 raw)
{
	return s && o ? symbols_find_variable(s, trace, o->process->pid, raw, o->address) : NULL;
}

void lock_symbol_put(struct ktrace_out *out, const struct symbol *variable)
{
	if (!variable)
		return;
	ktrace_out_str(out, " (");
	ktrace_out_safe(out, variable->function);
	if (variable->offset) {
		ktrace_out_str(out, "+0x");
		ktrace_out_hex(out, variable->offset, 1);
	}
	ktrace_out_char(out, ')');
}

void lock_symbol_json(struct ktrace_out *out, const struct symbol *variable)
{
	if (!variable)
		return;
	json_str(out, "variable", variable->function);
	json_u64(out, "variable_offset", variable->offset);
}
