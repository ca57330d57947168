/* SPDX-License-Identifier: GPL-2.0 */
/* source.h - source file, line and inlined functions of an address, from debug information */
#ifndef VIEWER_SOURCE_H
#define VIEWER_SOURCE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "demangle.h"
#include "scopes.h"
#include "symbols.h"

struct unit;

/**
 * struct source - of a module; begins as SOURCE_INIT
 * @mod:	libdw's module
 * @units:	compile units by address, once an index in the file did not have one
 * @unit_nr:	how many
 * @has_units:	they have been read
 * @scopes:	struct scopes_unit: functions of units
 * @names:	of C++
 */
struct source {
	Dwfl_Module *mod;
	struct unit *units;
	size_t unit_nr;
	bool has_units;
	struct rows scopes;
	struct demangled *names;
};

#define SOURCE_INIT { .scopes = ROWS_INIT(struct scopes_unit, key) }

/* Fills in file, line and inlined of the symbol; they stay as they are if nothing is known. */
void source_find(struct source *s, Dwarf_Addr address, struct symbol *symbol);
/* Frees it, but not what symbols were given. */
void source_free(struct source *s);

#endif
