/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symbols.h - addresses of code as function, source file and line
 *
 * The trace says which file was where in a process; the rest comes from that file, or from
 * one with its debug information. Opens files that the trace names: only if asked for.
 */
#ifndef VIEWER_SYMBOLS_H
#define VIEWER_SYMBOLS_H

#include <ktrace/traceset.h>
#include <stdbool.h>

/**
 * struct symbols_where - where files are
 * @is_wanted:	look at all
 * @sysroot:	the paths of the trace begin here; NULL = at the root
 * @debug_dir:	files with debug information; NULL = /usr/lib/debug of @sysroot
 */
struct symbols_where {
	bool is_wanted;
	const char *sysroot;
	const char *debug_dir;
};

#define SYMBOLS_OPTIONS \
	{ "symbols", no_argument, NULL, OPTION_SYMBOLS }, \
	{ "sysroot", required_argument, NULL, OPTION_SYSROOT }, \
	{ "debug-dir", required_argument, NULL, OPTION_DEBUG_DIR }
enum { OPTION_SYMBOLS = 960, OPTION_SYSROOT, OPTION_DEBUG_DIR };

#define SYMBOLS_HELP \
"  --symbols          also say which function and source line an address of code is:\n" \
"                     reads the programs and libraries that the trace names\n" \
"  --sysroot DIR      the same; their paths begin in DIR\n" \
"  --debug-dir DIR    the same; their debug information is in DIR, not /usr/lib/debug\n"

/* Takes an option of those above in. False: it is none. */
bool symbols_option(struct symbols_where *where, int option);

/**
 * struct symbol - what is at an address
 * @module:	path of the file in the traced process
 * @place:	offset in that file
 * @function:	name, demangled; NULL = not known
 * @offset:	bytes from its beginning
 * @file:	path of the source file; NULL = not known
 * @line:	there
 */
struct symbol {
	const char *module;
	__u64 place;
	const char *function;
	__u64 offset;
	const char *file;
	int line;
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
/* "work+0x1c at prog.c:41", "work+0x1c in libwork.so", "libwork.so+0x11c4" */
void symbols_put(struct ktrace_out *out, const struct symbol *symbol);
/* {"module":"/usr/lib/libwork.so","place":4548,"function":"work",...} */
void symbols_put_json(struct ktrace_out *out, const struct symbol *symbol);

#endif
