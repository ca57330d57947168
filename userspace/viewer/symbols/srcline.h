/* SPDX-License-Identifier: GPL-2.0 */
/* srcline.h - source file, line and inlined functions of an address, from debug information */
#ifndef VIEWER_SYMBOLS_SRCLINE_H
#define VIEWER_SYMBOLS_SRCLINE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "demangle.h"
#include "dwarf_inline.h"
#include "symbols.h"

struct unit;

/**
 * struct srcline - lookups in a module; begins as SRCLINE_INIT
 * @mod:	libdw's module
 * @units:	compile units by address, read once the file's index lacks an address
 * @unit_nr:	number of units
 * @has_units:	they have been read
 * @scopes:	struct dwarf_unit: functions of compile units
 * @names:	demangled names
 */
struct srcline {
	Dwfl_Module *mod;
	struct unit *units;
	size_t unit_nr;
	bool has_units;
	struct hash_table scopes;
	struct demangled *names;
};

#define SRCLINE_INIT { .scopes = HASH_TABLE_INIT(struct dwarf_unit, key) }

/* Fills in file, line and inlined of the symbol; leaves them unchanged if nothing is known. */
void srcline_find(struct srcline *s, Dwarf_Addr address, struct symbol *symbol);
/* Frees it, but not the lists of inlined functions in symbols. */
void srcline_free(struct srcline *s);

#endif
