// SPDX-License-Identifier: GPL-2.0
/*
 * symbols.c - translates addresses of code to function, source file and line
 *
 * Opens a module when its first address is looked up. Keeps the result for each place: programs
 * call from few places.
 */
#include "symbols.h"

#include "base/hash_table.h"
#include "base/json.h"
#include "base/table.h"
#include "base/viewer.h"
#include "dso.h"
#include "kernel_code.h"

#include <stdlib.h>
#include <string.h>

/*
 * struct opened - an open file; members up to @nr are the key: a hash of path and build id, and a
 * number
 */
struct opened {
	__u64 hash;
	__u64 nr;
	struct dso *module;
	char *path;
};

/* struct answer - result for a place; members up to @as are the key; @in: the module or trace */
struct answer {
	const void *in;
	__u64 place;
	__u64 as;
	struct symbol *symbol;
};

enum { AS_ADDRESS, AS_RETURN, AS_VARIABLE };

/* struct image - the kernel of one trace, or one of its modules */
struct image {
	const struct ktrace_kernel_image *image;
	struct kernel_code *code;
};

/**
 * struct symbols - results so far
 * @where:	where to look for files
 * @opened:	open files
 * @images:	images of the kernel
 * @answers:	results by place
 */
struct symbols {
	struct symbols_where where;
	struct hash_table opened;
	struct hash_table images;
	struct hash_table answers;
};

static const char *add_word(const char **list, size_t *nr, const char *word)
{
	if (*nr == SYMBOLS_WHERE_MAX)
		return "--debug-dir, --path-map: 32 at most";
	list[(*nr)++] = word;
	return NULL;
}

static const char *set_sysroot(void *to, const char *value)
{
	struct symbols_where *where = to;

	where->sysroot = value;
	where->is_wanted = true;
	return NULL;
}

static const char *add_path_map(void *to, const char *value)
{
	struct symbols_where *where = to;

	where->is_wanted = true;
	if (*value != '/' || !strchr(value, '='))
		return "--path-map: not as /from=/to";
	return add_word(where->path_maps, &where->path_map_nr, value);
}

static const char *add_debug_dir(void *to, const char *value)
{
	struct symbols_where *where = to;

	where->is_wanted = true;
	return add_word(where->debug_dirs, &where->debug_dir_nr, value);
}

static const char *set_debuginfod(void *to, const char *value)
{
	struct symbols_where *where = to;

	(void)value;
	where->is_wanted = where->asks_servers = true;
	return getenv("DEBUGINFOD_URLS") ? NULL :
	       "--debuginfod: DEBUGINFOD_URLS is not set, which says whom to ask";
}

const struct option_row symbols_options[] = {
	{ .name = "symbols", .flag = OPTION_MEMBER(struct symbols_where, is_wanted),
	  .help = "print function and source line of code addresses: reads\n"
		  "the programs and libraries that the trace names" },
	{ .name = "sysroot", .value = "DIR", .set = set_sysroot,
	  .help = "--symbols, with their paths below DIR" },
	{ .name = "path-map", .value = "FROM=TO", .set = add_path_map,
	  .help = "--symbols, with TO instead of FROM at the beginning of\n"
		  "their paths" },
	{ .name = "debug-dir", .value = "DIR", .set = add_debug_dir,
	  .help = "--symbols, with debug information from DIR instead of\n"
		  "/usr/lib/debug" },
	{ .name = "debuginfod", .set = set_debuginfod,
	  .help = "--symbols, with debug information from the servers of\n"
		  "DEBUGINFOD_URLS, too" },
	{ .help = NULL },
};

struct symbols *symbols_new(const struct symbols_where *where)
{
	struct symbols *s = calloc(1, sizeof(*s));

	if (s)
		*s = (struct symbols){
			.where = *where,
			.opened = HASH_TABLE_INIT(struct opened, nr),
			.images = HASH_TABLE_INIT(struct image, image),
			.answers = HASH_TABLE_INIT(struct answer, as),
		};
	return s;
}

void symbols_free(struct symbols *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->answers.nr; i++) {
		struct answer *a = hash_table_at(&s->answers, i);

		if (a->symbol)
			free((void *)a->symbol->inlined);
		free(a->symbol);
	}
	for (i = 0; i < s->opened.nr; i++) {
		struct opened *o = hash_table_at(&s->opened, i);

		dso_free(o->module);
		free(o->path);
	}
	for (i = 0; i < s->images.nr; i++)
		kernel_code_close(((struct image *)hash_table_at(&s->images, i))->code);
	hash_table_free(&s->answers);
	hash_table_free(&s->images);
	hash_table_free(&s->opened);
	free(s);
}

static __u64 hash_text(__u64 hash, const char *text)
{
	for (; text && *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	return hash;
}

/* Returns the mapped module, opening it at first use; NULL: no memory. */
static struct opened *get_module(struct symbols *s, const struct ktrace_map *map)
{
	struct { __u64 hash, nr; } key = { .nr = 0 };
	struct opened *o;

	key.hash = hash_text(hash_text(0xcbf29ce484222325ull, map->path), map->build);
	for (; (o = hash_table_get(&s->opened, &key)) && o->module; key.nr++)
		if (dso_is_of(o->module, map))
			return o;
	if (!o)
		return NULL;
	o->module = dso_open(map, &s->where);
	free(o->path);
	o->path = strdup(map->path);
	return o->module && o->path ? o : NULL;
}

static struct symbol *new_symbol(const struct opened *o, __u64 place)
{
	struct symbol *symbol = calloc(1, sizeof(*symbol));

	if (symbol)
		*symbol = (struct symbol){ .module = o->path, .place = place };
	return symbol;
}

/* Returns the result for a place in a module; a new one has no symbol. NULL: no memory. */
static struct answer *get_answer(struct symbols *s, const struct opened *o, __u64 place, __u64 as)
{
	const struct { const void *in; __u64 place, as; } key = { o->module, place, as };

	return hash_table_get(&s->answers, &key);
}

const struct symbol *symbols_find(struct symbols *s, const struct ktrace_trace *trace, __u32 pid,
				  __u64 raw, __u64 address, bool is_return)
{
	const struct ktrace_map *map;
	const struct opened *o;
	struct answer *a;
	__u64 place;

	if (is_return && !address--)
		return NULL;
	map = ktrace_trace_map(trace, pid, raw, address);
	o = map ? get_module(s, map) : NULL;
	if (!o)
		return NULL;
	place = address - map->start + map->offset + is_return;
	a = get_answer(s, o, place, is_return ? AS_RETURN : AS_ADDRESS);
	if (!a || a->symbol)
		return a ? a->symbol : NULL;
	a->symbol = new_symbol(o, place);
	if (a->symbol)
		dso_look_up(o->module, a->symbol, is_return);
	return a->symbol;
}

const struct symbol *symbols_find_variable(struct symbols *s, const struct ktrace_trace *trace,
					   __u32 pid, __u64 raw, __u64 address)
{
	const struct ktrace_map *map = ktrace_trace_map_below(trace, pid, raw, address);
	const struct opened *o = map ? get_module(s, map) : NULL;
	struct answer *a;

	if (!o)
		return NULL;
	a = get_answer(s, o, address - map->start + map->offset, AS_VARIABLE);
	if (a && !a->symbol) {
		a->symbol = new_symbol(o, a->place);
		if (a->symbol)
			dso_look_up_variable(o->module, a->symbol, map->offset);
	}
	return a && a->symbol && a->symbol->function ? a->symbol : NULL;
}

/* Returns the code of a kernel image, opening its file at first use; NULL: the trace lacks it. */
static struct kernel_code *get_image(struct symbols *s, const struct ktrace_trace *trace,
				     const char *name)
{
	const struct ktrace_kernel_image *image = ktrace_trace_kernel_image(trace, name);
	struct image *i = image ? hash_table_get(&s->images, &image) : NULL;

	if (i && !i->code)
		i->code = kernel_code_open(image, ktrace_trace_meta(trace, "host", "kernel"),
					   &s->where);
	return i ? i->code : NULL;
}

/* @name is "function" or "function [module]". */
static struct symbol *look_up_kernel(struct symbols *s, const struct ktrace_trace *trace,
				     const char *name, __u64 start, __u64 offset)
{
	const char *bracket = strstr(name, " [");
	const size_t len = bracket ? (size_t)(bracket - name) : strlen(name);
	char *function = strndup(name, len), *module = NULL;
	struct symbol *symbol = calloc(1, sizeof(*symbol));
	struct kernel_code *code;

	if (bracket)
		module = strndup(bracket + 2, strcspn(bracket + 2, "]"));
	if (symbol && function && (module || !bracket)) {
		*symbol = (struct symbol){
			.module = bracket ? bracket + 1 : "vmlinux", .function = name,
			.offset = offset, .is_kernel = true,
		};
		code = get_image(s, trace, module ? module : "vmlinux");
		if (code)
			kernel_code_look_up(code, function, start, offset, symbol);
	}
	free(function);
	free(module);
	return symbol;
}

const struct symbol *symbols_find_kernel(struct symbols *s, const struct ktrace_trace *trace,
					 __u64 address, bool is_return)
{
	const struct { const void *in; __u64 place, as; } key = { trace, address, is_return };
	const char *name;
	struct answer *a;
	__u64 offset;

	name = ktrace_trace_kernel_symbol(trace, address - is_return, &offset);
	a = name ? hash_table_get(&s->answers, &key) : NULL;
	if (a && !a->symbol) {
		a->symbol = look_up_kernel(s, trace, name, address - is_return - offset, offset);
		if (a->symbol)
			a->symbol->offset += is_return;
	}
	return a ? a->symbol : NULL;
}

static void put_source(struct ktrace_out *out, const char *file, int line)
{
	ktrace_out_str(out, " at ");
	ktrace_out_safe(out, basename(file));
	out_printf(out, ":%d", line);
}

void symbols_put_inlined(struct ktrace_out *out, const struct symbol_inlined *inlined)
{
	ktrace_out_safe(out, inlined->function ? inlined->function : "?");
	if (inlined->file)
		put_source(out, inlined->file, inlined->line);
}

void symbols_put_outer(struct ktrace_out *out, const struct symbol *symbol)
{
	if (symbol->function || !symbol->is_told)
		ktrace_out_safe(out, symbol->function ? symbol->function :
				     basename(symbol->module));
	if (!symbol->function || !symbol->no_offset) {
		ktrace_out_str(out, symbol->function || !symbol->is_told ? "+0x" : "0x");
		ktrace_out_hex(out, symbol->function ? symbol->offset : symbol->place, 1);
	}
	if (symbol->file) {
		put_source(out, symbol->file, symbol->line);
	} else if (symbol->module && (symbol->is_told || symbol->function) &&
		   !symbol->is_kernel) {
		ktrace_out_str(out, " in ");
		ktrace_out_safe(out, basename(symbol->module));
	}
}

/* For a lock_guard, the user wants the place in the program, not in the library's headers. */
static bool is_of_cxx_headers(const char *file)
{
	return file && strstr(file, "/include/") && strstr(file, "/c++/");
}

void symbols_put(struct ktrace_out *out, const struct symbol *symbol)
{
	size_t i = 0;

	while (i < symbol->inlined_nr && is_of_cxx_headers(symbol->inlined[i].file))
		i++;
	for (; i < symbol->inlined_nr; i++) {
		symbols_put_inlined(out, &symbol->inlined[i]);
		ktrace_out_str(out, ", inlined in ");
	}
	symbols_put_outer(out, symbol);
}

static void put_json_source(struct ktrace_out *out, const char *file, int line)
{
	json_str(out, "file", file);
	if (file)
		json_u64(out, "line", (__u64)line);
}

static void put_json_inlined(struct ktrace_out *out, const struct symbol *symbol)
{
	const struct symbol_inlined *inlined = symbol->inlined;

	if (!symbol->inlined_nr)
		return;
	json_open(out, "inlined", '[');
	for (size_t i = 0; i < symbol->inlined_nr; i++) {
		json_element(out);
		ktrace_out_char(out, '{');
		json_str(out, "function", inlined[i].function ? inlined[i].function : "?");
		put_json_source(out, inlined[i].file, inlined[i].line);
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
}

void symbols_put_json(struct ktrace_out *out, const struct symbol *symbol)
{
	ktrace_out_char(out, '{');
	json_str(out, "module", symbol->module);
	json_u64(out, symbol->is_told ? "address" : "place", symbol->place);
	json_str(out, "function", symbol->function);
	if (symbol->function && !symbol->no_offset)
		json_u64(out, "offset", symbol->offset);
	put_json_source(out, symbol->file, symbol->line);
	put_json_inlined(out, symbol);
	ktrace_out_char(out, '}');
}
