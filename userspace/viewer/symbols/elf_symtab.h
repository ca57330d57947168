/* SPDX-License-Identifier: GPL-2.0 */
/* elf_symtab.h - functions of a program or library by their addresses, from its symbol table */
#ifndef VIEWER_SYMBOLS_ELF_SYMTAB_H
#define VIEWER_SYMBOLS_ELF_SYMTAB_H

#include <elfutils/libdwfl.h>

/**
 * struct function - one function
 * @start:	first address
 * @end:	first address after it; @start = its size is not known
 * @limit:	end of its section, which bounds it if its size is not known
 * @reach:	the largest end in the table up to here
 * @rank:	of several symbols at one address, the one with the highest rank gives the name
 * @name:	owned by libdw
 */
struct function {
	GElf_Addr start;
	GElf_Addr end;
	GElf_Addr limit;
	GElf_Addr reach;
	int rank;
	const char *name;
};

/* struct symtab - functions by address; begins as { 0 } */
struct symtab {
	struct function *list;
	size_t nr;
};

/* Reads the symbol table of the module. Return: 0, -ENOMEM. */
int symtab_read(struct symtab *f, Dwfl_Module *mod);
void symtab_free(struct symtab *f);
/* Returns the only function with that name; NULL: there is none, or several. */
const struct function *symtab_named(const struct symtab *f, const char *name);
/* Returns the function at an address, the innermost of several; NULL: there is none. */
const struct function *symtab_find(const struct symtab *f, GElf_Addr address);

#endif
