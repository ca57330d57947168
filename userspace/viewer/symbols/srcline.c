// SPDX-License-Identifier: GPL-2.0
/*
 * srcline.c - source file, line and inlined functions of an address, from debug information
 *
 * If the file has no index of its compile units (.debug_aranges; clang writes none), one is made. A
 * place in an inlined function has a chain: the inlined function, where it was called, and so on up
 * to the function that has a symbol.
 */
#include "srcline.h"

#include "base/grow.h"
#include "base/search.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>

/* struct unit - a range of addresses of a compile unit, which may have several */
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

static int add_unit(struct srcline *s, size_t *cap, const struct unit *unit)
{
	if (!LIST_GROW(s->units, s->unit_nr, *cap))
		return -ENOMEM;
	s->units[s->unit_nr++] = *unit;
	return 0;
}

static void read_units(struct srcline *s)
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

static Dwarf_Die *find_unit(struct srcline *s, Dwarf_Addr address, Dwarf_Addr *bias)
{
	Dwarf_Die *die = dwfl_module_addrdie(s->mod, address, bias);
	size_t nr;

	if (die)
		return die;
	if (!s->has_units)
		read_units(s);
	nr = PARTITION_POINT(s->unit_nr, i, s->units[i].start <= address);
	if (!nr || s->units[nr - 1].end <= address)
		return NULL;
	*bias = s->units[nr - 1].bias;
	return s->units[nr - 1].die;
}

static const char *function_name(struct srcline *s, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name,
								 &attribute));

	return name ? demangle(&s->names, name) : dwarf_diename(die);
}

/* Sets file and line of the symbol to the call of an inlined function. */
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

/*
 * Lists inlined functions, the innermost first; the symbol's file and line become those of the call
 * of the outermost.
 */
static void take_inlined(struct srcline *s, Dwarf_Die *unit, Dwarf_Die *dies, int nr,
			 struct symbol *symbol)
{
	struct symbol_inlined *list = nr ? calloc((size_t)nr, sizeof(*list)) : NULL;

	if (!list)
		return;
	symbol->inlined = list;
	while (nr--) {
		list[symbol->inlined_nr++] = (struct symbol_inlined){
			function_name(s, &dies[nr]), symbol->file, symbol->line,
		};
		find_call(unit, &dies[nr], symbol);
	}
}

void srcline_find(struct srcline *s, Dwarf_Addr address, struct symbol *symbol)
{
	Dwarf_Die dies[DWARF_INLINED_MAX], *unit;
	Dwarf_Addr bias, pc;
	Dwarf_Line *line;
	int nr;

	unit = find_unit(s, address, &bias);
	pc = address - bias;
	nr = unit ? dwarf_inlined(&s->scopes, unit, pc, dies) : 0;
	/*
	 * The index counts gaps between units, such as code without debug information, as part of
	 * them.
	 */
	if (!unit || (nr < 0 && dwarf_haspc(unit, pc) <= 0))
		return;
	line = dwarf_getsrc_die(unit, pc);
	if (line) {
		symbol->file = dwarf_linesrc(line, NULL, NULL);
		dwarf_lineno(line, &symbol->line);
	}
	if (nr > 0)
		take_inlined(s, unit, dies, nr, symbol);
}

void srcline_free(struct srcline *s)
{
	free(s->units);
	dwarf_free(&s->scopes);
	demangle_free(&s->names);
}
