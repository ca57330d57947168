/* SPDX-License-Identifier: GPL-2.0 */
/* scopes.h - functions of compile units by address, and what is inlined into them */
#ifndef VIEWER_SCOPES_H
#define VIEWER_SCOPES_H

#include <elfutils/libdw.h>

#include "base/rows.h"

#define SCOPES_INLINED_MAX 64

/* Begins as ROWS_INIT(struct scopes_unit, key). */
struct scopes_unit {
	void *key;	/* where libdw has the unit */
	struct scopes_function *list;
	size_t nr;
	size_t cap;
};

/**
 * scopes_inlined - functions that are inlined at a place
 * @units:	what is known of units
 * @unit:	the compile unit that has it
 * @pc:		the place
 * @inlined:	becomes their DIEs, the outermost first; has SCOPES_INLINED_MAX
 *
 * Return: how many; -ENOENT: it is in no function of the unit.
 */
int scopes_inlined(struct rows *units, Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die *inlined);
void scopes_free(struct rows *units);

#endif
