// SPDX-License-Identifier: GPL-2.0
/*
 * elf_events.c - reads event descriptions from a program or library without running it
 *
 * Section ktrace_desc is a sequence of strings with any number of NULs between them. An event used
 * in several source files occurs several times.
 */
#include "elf_events.h"

#include "base/viewer.h"

#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTION_NAME "ktrace_desc"

bool elf_is_object(const char *path)
{
	char magic[4];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is = fd >= 0 && pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
		  !memcmp(magic, "\177ELF", sizeof(magic));

	if (fd >= 0)
		close(fd);
	return is;
}

static int complain(const char *path, const char *message)
{
	complain_about(path, "%s", message);
	return 1;
}

static Elf_Scn *find_section(Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names;
	char *name;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		Elf64_Shdr *h64 = elf64_getshdr(scn);
		Elf32_Shdr *h32 = h64 ? NULL : elf32_getshdr(scn);

		if (!h64 && !h32)
			continue;
		name = elf_strptr(elf, names, h64 ? h64->sh_name : h32->sh_name);
		if (name && !strcmp(name, SECTION_NAME))
			return scn;
	}
	return NULL;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lists the strings in @data, sorted; ignores one without a NUL at the end. */
static size_t collect(const char *data, size_t size, const char **list)
{
	size_t nr = 0, at, len;

	for (at = 0; at < size; at += len + 1) {
		len = strnlen(data + at, size - at);
		if (len && at + len < size)
			list[nr++] = data + at;
	}
	qsort(list, nr, sizeof(*list), compare);
	return nr;
}

static int show_section(const char *path, Elf *elf,
			void (*show)(void *arg, const char *desc), void *arg)
{
	Elf_Scn *scn = find_section(elf);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	const char **list;
	size_t nr, i;

	if (!scn || !data || !data->d_buf || !data->d_size)
		return complain(path, "no events: section " SECTION_NAME " is not there");
	list = malloc((data->d_size / 2 + 1) * sizeof(*list));
	if (!list)
		return complain(path, strerror(ENOMEM));
	nr = collect(data->d_buf, data->d_size, list);
	for (i = 0; i < nr; i++)
		if (!i || strcmp(list[i], list[i - 1]))
			show(arg, list[i]);
	free(list);
	return 0;
}

int elf_events(const char *path, void (*show)(void *arg, const char *desc), void *arg)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), status;
	Elf *elf;

	if (fd < 0)
		return complain(path, strerror(errno));
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		status = show_section(path, elf, show, arg);
	else
		status = complain(path, elf_errmsg(-1));
	elf_end(elf);
	close(fd);
	return status;
}
