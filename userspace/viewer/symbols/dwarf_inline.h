/* SPDX-License-Identifier: GPL-2.0 */
/* dwarf_inline.h - functions of compile units by address, and functions inlined into them */
#ifndef VIEWER_SYMBOLS_DWARF_INLINE_H
#define VIEWER_SYMBOLS_DWARF_INLINE_H

#include <elfutils/libdw.h>

#include "base/hash_table.h"

#define DWARF_INLINED_MAX 64

/* One compile unit; the table begins as HASH_TABLE_INIT(struct dwarf_unit, key). */
struct dwarf_unit {
	void *key;	/* libdw's address of the unit */
	struct dwarf_function *list;
	size_t nr;
	size_t cap;
};

/**
 * dwarf_inlined - find the functions inlined at an address
 * @units:	units read so far
 * @unit:	the compile unit that contains it
 * @pc:		the address
 * @inlined:	becomes their DIEs, the outermost first; has room for DWARF_INLINED_MAX
 *
 * Return: their number; -ENOENT: the address is in no function of the unit.
 */
int dwarf_inlined(struct hash_table *units, Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die *inlined);
void dwarf_free(struct hash_table *units);

#endif
