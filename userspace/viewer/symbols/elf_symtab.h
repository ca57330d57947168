/* SPDX-License-Identifier: GPL-2.0 */
/* elf_symtab.h - functions of a program or library by their addresses, from its symbol table */
#ifndef VIEWER_SYMBOLS_ELF_SYMTAB_H
#define VIEWER_SYMBOLS_ELF_SYMTAB_H

#include <elfutils/libdwfl.h>

/**
 * struct function - one of them
 * @start:	first address
 * @end:	behind the last; @start = the table does not say
 * @limit:	it is not behind this if the table does not say: the end of its section
 * @reach:	the largest end so far in the table
 * @rank:	of several at one address, the highest is the name
 * @name:	libdw's
 */
struct function {
	GElf_Addr start;
	GElf_Addr end;
	GElf_Addr limit;
	GElf_Addr reach;
	int rank;
	const char *name;
};

/* struct symtab - a table, by address; begins as { 0 } */
struct symtab {
	struct function *list;
	size_t nr;
};

/* Reads the symbol table of the module. Return: 0, -ENOMEM. */
int symtab_read(struct symtab *f, Dwfl_Module *mod);
void symtab_free(struct symtab *f);
/* The only one of that name; NULL: there is none, or several. */
const struct function *symtab_named(const struct symtab *f, const char *name);
/* The function at an address, of several the innermost; NULL: there is none. */
const struct function *symtab_find(const struct symtab *f, GElf_Addr address);

#endif
