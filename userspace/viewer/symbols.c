// SPDX-License-Identifier: GPL-2.0
/*
 * symbols.c - addresses of code as function, source file and line
 *
 * A module is opened when the first address in it is looked up; each place in it is looked
 * up once, the answer is kept: programs call from few places.
 */
#include "symbols.h"

#include "module.h"
#include "viewer.h"

#include <stdlib.h>
#include <string.h>

/* struct answer - a place in a module that was looked up */
struct answer {
	struct answer *next;
	struct module *module;
	bool is_return;
	struct symbol symbol;
};

/* struct opened - a module, and the path that symbols have */
struct opened {
	struct module *module;
	char *path;
};

#define BUCKETS 4096u

/**
 * struct symbols - what was found so far
 * @where:	where files are
 * @modules:	files
 * @module_nr:	how many
 * @last:	the one that was used last
 * @answers:	hash table of places
 */
struct symbols {
	struct symbols_where where;
	struct opened *modules;
	size_t module_nr;
	size_t last;
	struct answer *answers[BUCKETS];
};

bool symbols_option(struct symbols_where *where, int option)
{
	if (option == OPTION_SYSROOT)
		where->sysroot = optarg;
	else if (option == OPTION_DEBUG_DIR)
		where->debug_dir = optarg;
	else if (option != OPTION_SYMBOLS)
		return false;
	where->is_wanted = true;
	return true;
}

struct symbols *symbols_new(const struct symbols_where *where)
{
	struct symbols *s = calloc(1, sizeof(*s));

	if (s)
		s->where = *where;
	return s;
}

void symbols_free(struct symbols *s)
{
	struct answer *a;
	size_t i;

	if (!s)
		return;
	for (i = 0; i < BUCKETS; i++)
		while ((a = s->answers[i])) {
			s->answers[i] = a->next;
			free(a);
		}
	for (i = 0; i < s->module_nr; i++) {
		module_free(s->modules[i].module);
		free(s->modules[i].path);
	}
	free(s->modules);
	free(s);
}

/* The module that is mapped; NULL: no memory. */
static struct opened *get_module(struct symbols *s, const struct ktrace_map *map)
{
	struct opened *modules, opened;
	size_t i;

	if (s->last < s->module_nr && module_is_of(s->modules[s->last].module, map))
		return &s->modules[s->last];
	for (i = 0; i < s->module_nr; i++)
		if (module_is_of(s->modules[i].module, map)) {
			s->last = i;
			return &s->modules[i];
		}
	modules = realloc(s->modules, (s->module_nr + 1) * sizeof(*modules));
	if (!modules)
		return NULL;
	s->modules = modules;
	opened.module = module_open(map, &s->where);
	opened.path = strdup(map->path);
	if (!opened.module || !opened.path) {
		module_free(opened.module);
		free(opened.path);
		return NULL;
	}
	s->last = s->module_nr++;
	s->modules[s->last] = opened;
	return &s->modules[s->last];
}

const struct symbol *symbols_find(struct symbols *s, const struct ktrace_trace *trace, __u32 pid,
				  __u64 raw, __u64 address, bool is_return)
{
	const struct ktrace_map *map;
	struct opened *opened;
	struct answer *a, **bucket;
	__u64 place;

	if (is_return && !address--)
		return NULL;
	map = ktrace_trace_map(trace, pid, raw, address);
	opened = map ? get_module(s, map) : NULL;
	if (!opened)
		return NULL;
	place = address - map->start + map->offset + is_return;
	bucket = &s->answers[(place * 0x9e3779b97f4a7c15ull >> 40) % BUCKETS];
	for (a = *bucket; a; a = a->next)
		if (a->symbol.place == place && a->module == opened->module &&
		    a->is_return == is_return)
			return &a->symbol;
	a = calloc(1, sizeof(*a));
	if (!a)
		return NULL;
	a->next = *bucket;
	a->module = opened->module;
	a->is_return = is_return;
	a->symbol.module = opened->path;
	a->symbol.place = place;
	module_look_up(a->module, &a->symbol, is_return);
	*bucket = a;
	return &a->symbol;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void symbols_put(struct ktrace_out *out, const struct symbol *symbol)
{
	ktrace_out_safe(out, symbol->function ? symbol->function : base_name(symbol->module));
	ktrace_out_str(out, "+0x");
	ktrace_out_hex(out, symbol->function ? symbol->offset : symbol->place, 1);
	if (symbol->file) {
		ktrace_out_str(out, " at ");
		ktrace_out_safe(out, base_name(symbol->file));
		ktrace_out_char(out, ':');
		ktrace_out_u64(out, (__u64)symbol->line);
	} else if (symbol->function) {
		ktrace_out_str(out, " in ");
		ktrace_out_safe(out, base_name(symbol->module));
	}
}

static void put_json_text(struct ktrace_out *out, const char *key, const char *text)
{
	ktrace_out_str(out, key);
	ktrace_out_json(out, text, strlen(text));
}

void symbols_put_json(struct ktrace_out *out, const struct symbol *symbol)
{
	put_json_text(out, "{\"module\":", symbol->module);
	ktrace_out_str(out, ",\"place\":");
	ktrace_out_u64(out, symbol->place);
	if (symbol->function) {
		put_json_text(out, ",\"function\":", symbol->function);
		ktrace_out_str(out, ",\"offset\":");
		ktrace_out_u64(out, symbol->offset);
	}
	if (symbol->file) {
		put_json_text(out, ",\"file\":", symbol->file);
		ktrace_out_str(out, ",\"line\":");
		ktrace_out_u64(out, (__u64)symbol->line);
	}
	ktrace_out_char(out, '}');
}
