/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symbols.h - addresses of code as function, source file and line
 *
 * The trace says which file was where in a process; the rest comes from that file, or from
 * one with its debug information. Opens files that the trace names: only if asked for.
 */
#ifndef VIEWER_SYMBOLS_SYMBOLS_H
#define VIEWER_SYMBOLS_SYMBOLS_H

#include <ktrace/traceset.h>
#include <stdbool.h>

#define SYMBOLS_WHERE_MAX 32

/**
 * struct symbols_where - where files are
 * @is_wanted:	look at all
 * @asks_servers: those of DEBUGINFOD_URLS, too
 * @sysroot:	the paths of the trace begin here; NULL = at the root
 * @debug_dirs:	files with debug information; none = /usr/lib/debug of @sysroot
 * @path_maps:	"FROM=TO": paths of the trace that begin with FROM begin with TO here
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

#define SYMBOLS_OPTIONS \
	{ "symbols", no_argument, NULL, OPTION_SYMBOLS }, \
	{ "sysroot", required_argument, NULL, OPTION_SYSROOT }, \
	{ "path-map", required_argument, NULL, OPTION_PATH_MAP }, \
	{ "debug-dir", required_argument, NULL, OPTION_DEBUG_DIR }, \
	{ "debuginfod", no_argument, NULL, OPTION_DEBUGINFOD }
enum { OPTION_SYMBOLS = 960, OPTION_SYSROOT, OPTION_PATH_MAP, OPTION_DEBUG_DIR, OPTION_DEBUGINFOD };

#define SYMBOLS_HELP \
"  --symbols          also say which function and source line an address of code\n" \
"                     is: reads the programs and libraries that the trace names\n" \
"  --sysroot DIR      the same; their paths begin in DIR\n" \
"  --path-map FROM=TO the same; those that begin with FROM in the trace begin\n" \
"                     with TO here\n" \
"  --debug-dir DIR    the same; their debug information is in DIR, not\n" \
"                     /usr/lib/debug\n" \
"  --debuginfod       the same; it may come from the servers of DEBUGINFOD_URLS\n"

/* Takes an option of those above in, or says in @wrong what is wrong with it. False: none. */
bool symbols_option(struct symbols_where *where, int option, const char **wrong);

/* struct symbol_inlined - a function that has no code of its own, and where the place is in it */
struct symbol_inlined {
	const char *function;
	const char *file;
	int line;
};

/**
 * struct symbol - what is at an address
 * @module:	path of the file in the traced process
 * @place:	offset in that file
 * @function:	name, demangled; NULL = not known; of a variable its name
 * @offset:	bytes from its beginning
 * @file:	path of the source file; NULL = not known
 * @line:	there
 * @inlined:	functions that are inlined here, the innermost first; the others and @file are
 *		where the last of them is called
 * @inlined_nr:	how many
 * @is_kernel:	it is in the kernel, or in module @module of it
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
};

struct symbols;

/* NULL: no memory. */
struct symbols *symbols_new(const struct symbols_where *where);
/* NULL is allowed. */
void symbols_free(struct symbols *s);
/**
 * symbols_find - what is at an address
 * @s:		not used by another thread meanwhile
 * @trace:	the trace
 * @pid:	process
 * @raw:	stamp of an event
 * @address:	in that process then
 * @is_return:	it is where a call returns to: the line is that of the call
 *
 * Return: what there is, until symbols_free(); NULL: the trace knows of no code there.
 */
const struct symbol *symbols_find(struct symbols *s, const struct ktrace_trace *trace, __u32 pid,
				  __u64 raw, __u64 address, bool is_return);
/* The same of a variable of a program or library. NULL: there is none that has a name. */
const struct symbol *symbols_find_variable(struct symbols *s, const struct ktrace_trace *trace,
					   __u32 pid, __u64 raw, __u64 address);
/* The same of the kernel's code. NULL: the trace has no name for it. */
const struct symbol *symbols_find_kernel(struct symbols *s, const struct ktrace_trace *trace,
					 __u64 address, bool is_return);
/*
 * "work+0x1c at prog.c:41", "work+0x1c in libwork.so", "libwork.so+0x11c4",
 * "leaf at prog.c:7, inlined in work+0x1c at prog.c:41"; without what headers of the C++ library
 * have inlined there
 */
void symbols_put(struct ktrace_out *out, const struct symbol *symbol);
/* Its parts, for callers with a line for each */
void symbols_put_inlined(struct ktrace_out *out, const struct symbol_inlined *inlined);
void symbols_put_outer(struct ktrace_out *out, const struct symbol *symbol);
/* {"module":"/usr/lib/libwork.so","place":4548,"function":"work",...} */
void symbols_put_json(struct ktrace_out *out, const struct symbol *symbol);

#endif
