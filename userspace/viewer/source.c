// SPDX-License-Identifier: GPL-2.0
/*
 * source.c - source file, line and inlined functions of an address, from debug information
 *
 * Where the file has no index of its compile units (.debug_aranges; clang writes none), one is
 * made. A place in an inlined function has a chain: what it is in, where that was called, and
 * so on to the function that has a symbol.
 */
#include "source.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>

#define INLINED_MAX 64

/* struct unit - addresses of a compile unit, which may have several */
struct unit {
	Dwarf_Addr start;
	Dwarf_Addr end;
	Dwarf_Die *die;
	Dwarf_Addr bias;
};

static int compare(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int add_unit(struct source *s, size_t *cap, const struct unit *unit)
{
	struct unit *units = s->units;

	if (s->unit_nr == *cap) {
		*cap = *cap ? 2 * *cap : 256;
		units = realloc(units, *cap * sizeof(*units));
		if (!units)
			return -ENOMEM;
		s->units = units;
	}
	units[s->unit_nr++] = *unit;
	return 0;
}

static void read_units(struct source *s)
{
	struct unit unit = { .die = NULL };
	Dwarf_Addr base, start, end;
	size_t cap = 0;
	ptrdiff_t at;

	s->has_units = true;
	while ((unit.die = dwfl_module_nextcu(s->mod, unit.die, &unit.bias)))
		for (at = 0; (at = dwarf_ranges(unit.die, at, &base, &start, &end)) > 0;) {
			unit.start = start + unit.bias;
			unit.end = end + unit.bias;
			if (start < end && add_unit(s, &cap, &unit))
				break;
		}
	if (s->unit_nr)
		qsort(s->units, s->unit_nr, sizeof(*s->units), compare);
}

static Dwarf_Die *find_unit(struct source *s, Dwarf_Addr address, Dwarf_Addr *bias)
{
	Dwarf_Die *die = dwfl_module_addrdie(s->mod, address, bias);
	size_t low = 0, high, middle;

	if (die)
		return die;
	if (!s->has_units)
		read_units(s);
	for (high = s->unit_nr; low < high;) {
		middle = low + (high - low) / 2;
		if (s->units[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || s->units[low - 1].end <= address)
		return NULL;
	*bias = s->units[low - 1].bias;
	return s->units[low - 1].die;
}

static const char *function_name(struct source *s, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name,
								 &attribute));

	return name ? demangle(&s->names, name) : dwarf_diename(die);
}

/* The call of an inlined function. */
static void find_call(Dwarf_Die *unit, Dwarf_Die *die, struct symbol *symbol)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word value;
	size_t nr;

	symbol->file = NULL;
	symbol->line = 0;
	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &value) &&
	    !dwarf_getsrcfiles(unit, &files, &nr) && value < nr)
		symbol->file = dwarf_filesrc(files, value, NULL, NULL);
	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &value))
		symbol->line = (int)value;
}

/* Those of @scopes that are inlined, the innermost first; the symbol's place is their call. */
static void take_inlined(struct source *s, Dwarf_Die *unit, Dwarf_Die *scopes, int nr,
			 struct symbol *symbol)
{
	struct symbol_inlined list[INLINED_MAX], *copy;
	size_t found = 0;
	int i;

	for (i = 0; i < nr && found < INLINED_MAX; i++) {
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
			break;
		if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
			continue;
		list[found++] = (struct symbol_inlined){
			function_name(s, &scopes[i]), symbol->file, symbol->line,
		};
		find_call(unit, &scopes[i], symbol);
	}
	copy = found ? calloc(found, sizeof(*copy)) : NULL;
	if (!copy)
		return;
	for (symbol->inlined_nr = 0; symbol->inlined_nr < found; symbol->inlined_nr++)
		copy[symbol->inlined_nr] = list[symbol->inlined_nr];
	symbol->inlined = copy;
}

static void find_inlined(struct source *s, Dwarf_Die *unit, Dwarf_Addr pc, struct symbol *symbol)
{
	Dwarf_Die *scopes = NULL, *chain = NULL;
	int nr;

	/* The first answer leads from an inlined function to its definition, not to its call. */
	if (dwarf_getscopes(unit, pc, &scopes) > 0) {
		nr = dwarf_getscopes_die(&scopes[0], &chain);
		if (nr > 0)
			take_inlined(s, unit, chain, nr, symbol);
	}
	free(chain);
	free(scopes);
}

void source_find(struct source *s, Dwarf_Addr address, struct symbol *symbol)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = find_unit(s, address, &bias);
	Dwarf_Line *line = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;

	if (!unit)
		return;
	if (line) {
		symbol->file = dwarf_linesrc(line, NULL, NULL);
		dwarf_lineno(line, &symbol->line);
	}
	find_inlined(s, unit, address - bias, symbol);
}

void source_free(struct source *s)
{
	free(s->units);
	demangle_free(&s->names);
	*s = (struct source){ 0 };
}
