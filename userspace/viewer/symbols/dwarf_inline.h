/* SPDX-License-Identifier: GPL-2.0 */
/* dwarf_inline.h - functions of compile units by address, and what is inlined into them */
#ifndef VIEWER_SYMBOLS_DWARF_INLINE_H
#define VIEWER_SYMBOLS_DWARF_INLINE_H

#include <elfutils/libdw.h>

#include "base/hash_table.h"

#define DWARF_INLINED_MAX 64

/* Begins as HASH_TABLE_INIT(struct dwarf_unit, key). */
struct dwarf_unit {
	void *key;	/* where libdw has the unit */
	struct dwarf_function *list;
	size_t nr;
	size_t cap;
};

/**
 * dwarf_inlined - functions that are inlined at a place
 * @units:	what is known of units
 * @unit:	the compile unit that has it
 * @pc:		the place
 * @inlined:	becomes their DIEs, the outermost first; has DWARF_INLINED_MAX
 *
 * Return: how many; -ENOENT: it is in no function of the unit.
 */
int dwarf_inlined(struct hash_table *units, Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die *inlined);
void dwarf_free(struct hash_table *units);

#endif
