/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symbols.h - translates addresses of code to function, source file and line
 *
 * The trace tells which file was mapped where in a process; the rest comes from that file, or from
 * one with its debug information. Opens files that the trace names only if asked to.
 */
#ifndef VIEWER_SYMBOLS_SYMBOLS_H
#define VIEWER_SYMBOLS_SYMBOLS_H

#include <ktrace/traceset.h>
#include <stdbool.h>

#include "base/option_table.h"

#define SYMBOLS_WHERE_MAX 32

/**
 * struct symbols_where - where to look for files
 * @is_wanted:	look symbols up
 * @asks_servers: ask the servers of DEBUGINFOD_URLS, too
 * @sysroot:	folder that stands for the root of the trace's paths; NULL = the root
 * @debug_dirs:	folders of debug information; none = /usr/lib/debug of @sysroot
 * @path_maps:	"FROM=TO": replaces prefix FROM of the trace's paths by TO
 */
struct symbols_where {
	bool is_wanted;
	bool asks_servers;
	const char *sysroot;
	const char *debug_dirs[SYMBOLS_WHERE_MAX];
	size_t debug_dir_nr;
	const char *path_maps[SYMBOLS_WHERE_MAX];
	size_t path_map_nr;
};

/* The options --symbols and the like; they refer to a struct symbols_where. */
extern const struct option_row symbols_options[];

/* struct symbol_inlined - an inlined function, and the place in its source */
struct symbol_inlined {
	const char *function;
	const char *file;
	int line;
};

/**
 * struct symbol - description of an address
 * @module:	path of the file in the traced process
 * @place:	offset in that file
 * @function:	name, demangled; NULL = not known; for a variable its name
 * @offset:	bytes from its beginning
 * @file:	path of the source file; NULL = not known
 * @line:	line in that file
 * @inlined:	functions that are inlined here, the innermost first; the other members describe the
 *		place where the last of them is called
 * @inlined_nr:	number of inlined functions
 * @is_kernel:	it is in the kernel, or in its module @module
 * @is_told:	from a trace that names its code: @place is the address in the process
 * @no_offset:	@offset is not known
 */
struct symbol {
	const char *module;
	__u64 place;
	const char *function;
	__u64 offset;
	const char *file;
	int line;
	const struct symbol_inlined *inlined;
	size_t inlined_nr;
	bool is_kernel;
	bool is_told;
	bool no_offset;
};

struct symbols;

/* NULL: no memory. */
struct symbols *symbols_new(const struct symbols_where *where);
/* NULL is allowed. */
void symbols_free(struct symbols *s);
/**
 * symbols_find - look up an address
 * @s:		must not be used by another thread meanwhile
 * @trace:	the trace
 * @pid:	process
 * @raw:	stamp of an event
 * @address:	address in that process at that time
 * @is_return:	it is a return address: report the line of the call
 *
 * Return: the symbol, valid until symbols_free(); NULL: the trace has no code there.
 */
const struct symbol *symbols_find(struct symbols *s, const struct ktrace_trace *trace, __u32 pid,
				  __u64 raw, __u64 address, bool is_return);
/* The same for a variable of a program or library. NULL: there is none with a name. */
const struct symbol *symbols_find_variable(struct symbols *s, const struct ktrace_trace *trace,
					   __u32 pid, __u64 raw, __u64 address);
/* The same for kernel code. NULL: the trace has no name for it. */
const struct symbol *symbols_find_kernel(struct symbols *s, const struct ktrace_trace *trace,
					 __u64 address, bool is_return);
/*
 * Writes "work+0x1c at prog.c:41", "work+0x1c in libwork.so", "libwork.so+0x11c4", "leaf at
 * prog.c:7, inlined in work+0x1c at prog.c:41"; omits innermost inlined functions that are in
 * headers of the C++ library.
 */
void symbols_put(struct ktrace_out *out, const struct symbol *symbol);
/* Write the parts of it, for callers that print a line for each. */
void symbols_put_inlined(struct ktrace_out *out, const struct symbol_inlined *inlined);
void symbols_put_outer(struct ktrace_out *out, const struct symbol *symbol);
/* Writes {"module":"/usr/lib/libwork.so","place":4548,"function":"work",...}. */
void symbols_put_json(struct ktrace_out *out, const struct symbol *symbol);

#endif
