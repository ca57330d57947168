/* SPDX-License-Identifier: LGPL-2.1 */
/* build_id.h - the build id among the notes of an ELF file */
#ifndef KTRACE_BASE_BUILD_ID_H
#define KTRACE_BASE_BUILD_ID_H

#include <elf.h>
#include <stddef.h>
#include <string.h>

/* Finds it in notes that may be malformed. Returns its first byte and sets @nr, NULL = none. */
static inline const unsigned char *build_id_find(const void *notes, size_t size, size_t *nr)
{
	const unsigned char *at = notes;
	Elf64_Nhdr h;	/* the same as Elf32_Nhdr */

	while (size >= sizeof(h)) {
		size_t name, id;

		memcpy(&h, at, sizeof(h));
		name = ((size_t)h.n_namesz + 3) & ~(size_t)3;
		id = ((size_t)h.n_descsz + 3) & ~(size_t)3;
		if (h.n_namesz > size || h.n_descsz > size || sizeof(h) + name + h.n_descsz > size)
			break;
		*nr = h.n_descsz;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && h.n_descsz &&
		    !memcmp(at + sizeof(h), "GNU", 4))
			return at + sizeof(h) + name;
		if (sizeof(h) + name + id > size)
			break;
		at += sizeof(h) + name + id;
		size -= sizeof(h) + name + id;
	}
	return NULL;
}

#endif
