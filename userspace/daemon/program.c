// SPDX-License-Identifier: GPL-2.0
/*
 * program.c - what can be told of a program by its file
 *
 * Whether it has a dynamic linker, and of which kind; whether it names functions of a
 * sanitizer. The file can be anything: each offset is checked before it is used. That it may
 * change meanwhile is not: who changes a program while it is started has worse to expect.
 */
#include "program.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file in memory; what is in it may be anything. */
struct image {
	const unsigned char *data;
	size_t size;
};

static const void *at(const struct image *im, size_t offset, size_t size)
{
	return offset <= im->size && size <= im->size - offset ? im->data + offset : NULL;
}

/* Program header @i, NULL if there is no such. */
static const ElfW(Phdr) *header_at(const struct image *im, unsigned int i)
{
	const ElfW(Ehdr) *eh = at(im, 0, sizeof(*eh));

	if (i >= eh->e_phnum || eh->e_phoff % sizeof(void *) ||
	    eh->e_phentsize != sizeof(ElfW(Phdr)))
		return NULL;
	return at(im, eh->e_phoff + i * sizeof(ElfW(Phdr)), sizeof(ElfW(Phdr)));
}

static const ElfW(Phdr) *find_header(const struct image *im, ElfW(Word) type)
{
	const ElfW(Phdr) *ph;
	unsigned int i;

	for (i = 0; (ph = header_at(im, i)); i++)
		if (ph->p_type == type)
			return ph;
	return NULL;
}

/* The part of the file that is loaded to @address, at most @size bytes of it. */
static const char *loaded_at(const struct image *im, ElfW(Addr) address, size_t *size)
{
	const ElfW(Phdr) *ph;
	unsigned int i;

	for (i = 0; (ph = header_at(im, i)); i++) {
		if (ph->p_type != PT_LOAD || address - ph->p_vaddr >= ph->p_filesz)
			continue;
		if (*size > ph->p_filesz - (address - ph->p_vaddr))
			*size = ph->p_filesz - (address - ph->p_vaddr);
		return at(im, ph->p_offset + (address - ph->p_vaddr), *size);
	}
	return NULL;
}

/* The names that the dynamic linker is given. */
static const char *find_names(const struct image *im, size_t *size)
{
	const ElfW(Phdr) *ph = find_header(im, PT_DYNAMIC);
	ElfW(Addr) names = 0;
	const ElfW(Dyn) *d;
	size_t i;

	d = ph && ph->p_offset % sizeof(void *) == 0 ? at(im, ph->p_offset, ph->p_filesz) : NULL;
	*size = 0;
	for (i = 0; d && i < ph->p_filesz / sizeof(*d) && d[i].d_tag != DT_NULL; i++) {
		if (d[i].d_tag == DT_STRTAB)
			names = d[i].d_un.d_ptr;
		else if (d[i].d_tag == DT_STRSZ)
			*size = d[i].d_un.d_val;
	}
	return loaded_at(im, names, size);
}

static bool has_sanitizer(const struct image *im)
{
	static const char *const marks[] = {
		"__asan_init", "__hwasan_init", "__lsan_init", "__msan_init", "__tsan_init",
	};
	const char *names;
	size_t i, size;

	names = find_names(im, &size);
	for (i = 0; names && i < sizeof(marks) / sizeof(marks[0]); i++)
		if (memmem(names, size, marks[i], strlen(marks[i]) + 1))
			return true;
	return false;
}

/* What is no ELF file may have an interpreter, which is one. */
static const char *obstacle(const struct image *im)
{
	const ElfW(Ehdr) *eh = at(im, 0, sizeof(*eh));

	if (!eh || memcmp(eh->e_ident, ELFMAG, SELFMAG))
		return NULL;
	if (eh->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
		return "is a program for another kind of machine";
	if (!find_header(im, PT_INTERP))
		return "is statically linked";
	if (has_sanitizer(im))
		return "has a sanitizer, which must come first";
	return NULL;
}

static bool is_executable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/* Where execvp(3) would find it; false: nowhere. */
static bool find_command(const char *command, char path[PATH_MAX])
{
	const char *dirs = getenv("PATH"), *end;

	if (strchr(command, '/'))
		return snprintf(path, PATH_MAX, "%s", command) < PATH_MAX && is_executable(path);
	for (dirs = dirs ? dirs : "/bin:/usr/bin"; dirs; dirs = *end ? end + 1 : NULL) {
		end = strchrnul(dirs, ':');
		if (snprintf(path, PATH_MAX, "%.*s%s%s", (int)(end - dirs), dirs,
			     end > dirs ? "/" : "", command) < PATH_MAX && is_executable(path))
			return true;
	}
	return false;
}

const char *program_obstacle(const char *command)
{
	const char *reason = NULL;
	char path[PATH_MAX];
	struct image im;
	struct stat st;
	void *map;
	int fd;

	if (!find_command(command, path))
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !st.st_size)
		goto out;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		goto out;
	im = (struct image){ map, (size_t)st.st_size };
	reason = obstacle(&im);
	munmap(map, im.size);
out:
	close(fd);
	return reason;
}
