// SPDX-License-Identifier: LGPL-2.1
/*
 * front.c - have the program call this library's functions where the C library comes first
 *
 * This library's vfork() and clone() must be called instead of the C library's. Symbol order
 * ensures that if the program itself is linked with this library, or the library is preloaded. If
 * only a library or a plug-in of the program is linked with it, the C library comes first. Then
 * this file replaces the address that each object calls, in the object's global offset table. It
 * does so only while the program would call the C library's function: any other library that
 * interposes these functions stays in place.
 *
 * Objects loaded later are handled when one of them registers events.
 */
#include "front.h"

#include "arch/arch.h"
#include "ring/port.h"

#if defined(ARCH_VFORK) && defined(__GLIBC__)

#include <elf.h>
#include <link.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>

extern __typeof__(vfork) front_vfork __attribute__((visibility("hidden")));
extern __typeof__(clone) front_clone __attribute__((visibility("hidden")));
extern __typeof__(vfork) __vfork;
extern __typeof__(clone) __clone;

/**
 * struct function - a function to be called instead of the C library's
 * @name:	its name
 * @bound:	function that the program calls by that name
 * @libc:	the C library's function
 * @own:	this library's function
 */
struct function {
	const char *name;
	uintptr_t bound;
	uintptr_t libc;
	uintptr_t own;
};

/* An object: its addresses, the part of it that becomes read-only, and its tables. */
struct object {
	uintptr_t base;
	uintptr_t begin, end;
	uintptr_t relro, relro_end;
	const ElfW(Sym) *symbols;
	const char *strings;
	const ElfW(Rela) *plt, *data;
	size_t plt_size, data_size, relative_nr;
};

static void find_segments(struct object *o, const struct dl_phdr_info *info)
{
	o->begin = UINTPTR_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		const uintptr_t from = o->base + ph->p_vaddr, to = from + ph->p_memsz;

		if (ph->p_type == PT_LOAD) {
			o->begin = from < o->begin ? from : o->begin;
			o->end = to > o->end ? to : o->end;
		} else if (ph->p_type == PT_GNU_RELRO) {
			o->relro = from;
			o->relro_end = to;
		}
	}
}

/*
 * Relies on glibc having turned these into addresses. It does not for the vDSO, which calls no
 * function.
 */
static void find_tables(struct object *o, const ElfW(Dyn) *dynamic)
{
	for (const ElfW(Dyn) *d = dynamic; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SYMTAB)
			o->symbols = (const ElfW(Sym) *)d->d_un.d_ptr;
		else if (d->d_tag == DT_STRTAB)
			o->strings = (const char *)d->d_un.d_ptr;
		else if (d->d_tag == DT_JMPREL)
			o->plt = (const ElfW(Rela) *)d->d_un.d_ptr;
		else if (d->d_tag == DT_PLTRELSZ)
			o->plt_size = d->d_un.d_val;
		else if (d->d_tag == DT_RELA)
			o->data = (const ElfW(Rela) *)d->d_un.d_ptr;
		else if (d->d_tag == DT_RELASZ)
			o->data_size = d->d_un.d_val;
		else if (d->d_tag == DT_RELACOUNT)
			o->relative_nr = d->d_un.d_val;
	}
}

/* Finds the object of @info; returns false if it has no tables, or they are not addresses yet. */
static bool find_object(struct object *o, const struct dl_phdr_info *info)
{
	*o = (struct object){ .base = info->dlpi_addr };
	find_segments(o, info);
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			find_tables(o, (const ElfW(Dyn) *)(o->base + info->dlpi_phdr[i].p_vaddr));
	return (uintptr_t)o->symbols >= o->begin && (uintptr_t)o->symbols < o->end && o->strings;
}

/* Stores to a word that may have been made read-only after the object was loaded. */
static void replace(const struct object *o, uintptr_t *word, uintptr_t value)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const bool is_relro = (uintptr_t)word >= o->relro && (uintptr_t)word < o->relro_end;
	char *start = (char *)((uintptr_t)word & -page);

	if (is_relro && mprotect(start, page, PROT_READ | PROT_WRITE))
		return;
	kt_store(word, value);
	if (is_relro)
		mprotect(start, page, PROT_READ);
}

/*
 * Replaces the word of @o that @rela describes, if it holds the address of a function to be
 * replaced.
 */
static void look_at(const struct object *o, const ElfW(Rela) *rela, const struct function *f)
{
	const unsigned int kind = ELF64_R_TYPE(rela->r_info);
	const ElfW(Sym) *symbol = &o->symbols[ELF64_R_SYM(rela->r_info)];
	uintptr_t *word = (uintptr_t *)(o->base + rela->r_offset);
	const uintptr_t value = *word;

	if (!ARCH_IS_ADDRESS(kind) || symbol->st_shndx != SHN_UNDEF)
		return;
	for (; f->name; f++)
		/*
		 * Within the object: the stub that makes the dynamic linker look it up at the first
		 * call
		 */
		if ((value == f->libc || (value >= o->begin && value < o->end)) &&
		    f->bound == f->libc && !strcmp(o->strings + symbol->st_name, f->name))
			replace(o, word, f->own);
}

struct search {
	const struct function *functions;
	unsigned long long *seen;
};

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct search *s = arg;
	struct object o;
	size_t i;

	(void)size;
	/*
	 * Is this counter unchanged, so that no object was loaded since the last pass? All objects
	 * report it.
	 */
	if (info->dlpi_adds == *s->seen)
		return 1;
	if (!find_object(&o, info))
		return 0;
	for (i = 0; i < o.plt_size / sizeof(*o.plt); i++)
		look_at(&o, &o.plt[i], s->functions);
	for (i = o.relative_nr; i < o.data_size / sizeof(*o.data); i++)
		look_at(&o, &o.data[i], s->functions);
	return 0;
}

static int count_loads(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	*(unsigned long long *)arg = info->dlpi_adds;
	return 1;
}

/**
 * front_place - make all loaded objects call our functions
 *
 * Context: constructors.
 */
void front_place(void)
{
	static unsigned long long seen;
	const struct function functions[] = {
		{ "vfork", (uintptr_t)vfork, (uintptr_t)__vfork, (uintptr_t)front_vfork },
		{ "clone", (uintptr_t)clone, (uintptr_t)__clone, (uintptr_t)front_clone },
		{ NULL, 0, 0, 0 },
	};
	struct search s = { functions, &seen };

	if (functions[0].bound == functions[0].own && functions[1].bound == functions[1].own)
		return;
	dl_iterate_phdr(look, &s);
	dl_iterate_phdr(count_loads, &seen);
}

#else

void front_place(void)
{
}

#endif
