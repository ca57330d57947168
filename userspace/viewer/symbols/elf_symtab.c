// SPDX-License-Identifier: GPL-2.0
/*
 * elf_symtab.c - functions of a program or library by their addresses, from its symbol table
 *
 * libdw scans all symbols for each address; here they are sorted once.
 */
#include "elf_symtab.h"


#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"

enum { RANK_LABEL, RANK_LOCAL, RANK_WEAK, RANK_GLOBAL };

/* Returns the end of a code section; 0 for any other section. */
static GElf_Addr end_of_section(Elf *elf, GElf_Word index)
{
	Elf_Scn *scn = elf ? elf_getscn(elf, index) : NULL;
	GElf_Shdr header;

	if (!scn || !gelf_getshdr(scn, &header) || !(header.sh_flags & SHF_EXECINSTR))
		return 0;
	return header.sh_addr + header.sh_size;
}

/* True for functions; those in assembler may have neither type nor size. */
static bool is_function(const GElf_Sym *sym, GElf_Word section, GElf_Addr section_end)
{
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return section != SHN_UNDEF;
	case STT_NOTYPE:
		return section_end;
	default:
		return false;
	}
}

static int rank_of(const GElf_Sym *sym)
{
	if (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE)
		return RANK_LABEL;
	return GELF_ST_BIND(sym->st_info) == STB_LOCAL ? RANK_LOCAL :
	       GELF_ST_BIND(sym->st_info) == STB_WEAK ? RANK_WEAK : RANK_GLOBAL;
}

static int compare(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if ((x->end == x->start) != (y->end == y->start))
		return x->end == x->start ? -1 : 1;
	return x->rank - y->rank;
}

static void sort(struct symtab *f)
{
	GElf_Addr reach = 0;
	size_t i;

	if (f->nr)
		qsort(f->list, f->nr, sizeof(*f->list), compare);
	for (i = 0; i < f->nr; i++) {
		reach = f->list[i].end > reach ? f->list[i].end : reach;
		f->list[i].reach = reach;
	}
}

int symtab_read(struct symtab *f, Dwfl_Module *mod)
{
	int i, nr = dwfl_module_getsymtab(mod);
	GElf_Word section;
	GElf_Addr at, end, bias;
	const char *name;
	GElf_Sym sym;
	Elf *elf;

	f->list = nr > 0 ? calloc((size_t)nr, sizeof(*f->list)) : NULL;
	if (nr > 0 && !f->list)
		return -ENOMEM;
	for (i = 1; i < nr; i++) {
		name = dwfl_module_getsym_info(mod, i, &sym, &at, &section, &elf, &bias);
		end = end_of_section(elf, section);
		if (!name || !*name || !is_function(&sym, section, end))
			continue;
		f->list[f->nr++] = (struct function){
			.start = at, .end = at + sym.st_size < at ? at : at + sym.st_size,
			.limit = end + bias, .rank = rank_of(&sym), .name = name,
		};
	}
	sort(f);
	return 0;
}

void symtab_free(struct symtab *f)
{
	free(f->list);
	*f = (struct symtab){ 0 };
}

const struct function *symtab_named(const struct symtab *f, const char *name)
{
	const struct function *found = NULL;

	for (size_t i = 0; i < f->nr; i++) {
		if (strcmp(f->list[i].name, name))
			continue;
		if (found && found->start != f->list[i].start)
			return NULL;
		found = &f->list[i];
	}
	return found;
}

const struct function *symtab_find(const struct symtab *f, GElf_Addr address)
{
	const size_t nr = PARTITION_POINT(f->nr, i, f->list[i].start <= address);
	size_t i;

	for (i = nr; i && f->list[i - 1].reach > address; i--)
		if (f->list[i - 1].end > address)
			return &f->list[i - 1];
	/* A function without a size extends to the next one. */
	return nr && f->list[nr - 1].end == f->list[nr - 1].start &&
	       address < f->list[nr - 1].limit ? &f->list[nr - 1] : NULL;
}
