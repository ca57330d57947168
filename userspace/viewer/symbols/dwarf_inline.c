// SPDX-License-Identifier: GPL-2.0
/*
 * dwarf_inline.c - functions of compile units by address, and functions inlined into them
 *
 * libdw walks a whole unit for each lookup. Here each unit is walked once and its functions are
 * sorted; the search then continues in the function that contains the address.
 */
#include "dwarf_inline.h"

#include "base/grow.h"
#include "base/search.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* Deeper nesting is malicious. */
#define DEPTH_MAX 256

struct dwarf_function {
	Dwarf_Addr start;
	Dwarf_Addr end;
	Dwarf_Die die;
};

static int compare(const void *a, const void *b)
{
	const struct dwarf_function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int add(struct dwarf_unit *u, const struct dwarf_function *f)
{
	if (!LIST_GROW(u->list, u->nr, u->cap))
		return -ENOMEM;
	u->list[u->nr++] = *f;
	return 0;
}

static int add_function(struct dwarf_unit *u, Dwarf_Die *die)
{
	struct dwarf_function f = { .die = *die };
	Dwarf_Addr base;
	ptrdiff_t at = 0;
	int ret = 0;

	while (!ret && (at = dwarf_ranges(die, at, &base, &f.start, &f.end)) > 0)
		ret = f.start < f.end ? add(u, &f) : 0;
	return ret;
}

/* Adds functions, which may be in namespaces, classes and other functions. */
static int add_children(struct dwarf_unit *u, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;
	int ret = 0;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die))
		return 0;
	do {
		if (dwarf_tag(&die) == DW_TAG_subprogram)
			ret = add_function(u, &die);
		if (!ret && dwarf_haschildren(&die) > 0)
			ret = add_children(u, &die, depth + 1);
	} while (!ret && !dwarf_siblingof(&die, &die));
	return ret;
}

/* Returns the unit, read at first use; NULL: no memory. */
static const struct dwarf_unit *get_unit(struct hash_table *units, Dwarf_Die *die)
{
	struct dwarf_unit *u = hash_table_get(units, &die->addr);

	if (!u || u->list || u->cap)
		return u;
	u->cap = 1;
	u->list = malloc(sizeof(*u->list));
	if (!u->list || add_children(u, die, 0))
		return NULL;
	qsort(u->list, u->nr, sizeof(*u->list), compare);
	return u;
}

static const struct dwarf_function *find(const struct dwarf_unit *u, Dwarf_Addr pc)
{
	const size_t nr = PARTITION_POINT(u->nr, i, u->list[i].start <= pc);

	return nr && pc < u->list[nr - 1].end ? &u->list[nr - 1] : NULL;
}

static bool is_block(int tag)
{
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* Replaces @die by its child that contains the address. */
static bool descend(Dwarf_Die *die, Dwarf_Addr pc)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child))
		return false;
	do {
		if (is_block(dwarf_tag(&child)) && dwarf_haspc(&child, pc) > 0) {
			*die = child;
			return true;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

int dwarf_inlined(struct hash_table *units, Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die *inlined)
{
	const struct dwarf_unit *u = get_unit(units, unit);
	const struct dwarf_function *f = u ? find(u, pc) : NULL;
	Dwarf_Die die;
	int nr = 0, depth;

	if (!f)
		return -ENOENT;
	die = f->die;
	for (depth = 0; depth < DEPTH_MAX && nr < DWARF_INLINED_MAX && descend(&die, pc); depth++)
		if (dwarf_tag(&die) == DW_TAG_inlined_subroutine)
			inlined[nr++] = die;
	return nr;
}

void dwarf_free(struct hash_table *units)
{
	hash_table_free_with(units, offsetof(struct dwarf_unit, list));
}
