// SPDX-License-Identifier: GPL-2.0
/*
 * program.c - facts about a program that its file shows
 *
 * Whether it has a dynamic linker, and of which kind; whether it names functions of a
 * sanitizer. The file can have any content.
 */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/programs.h"

static bool find_header(Elf *elf, GElf_Word type, GElf_Phdr *ph)
{
	size_t i, nr;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (i = 0; i < nr && gelf_getphdr(elf, (int)i, ph); i++)
		if (ph->p_type == type)
			return true;
	return false;
}

/* Finds the file offset of the data loaded at @address; false if no segment has it. */
static bool find_place(Elf *elf, GElf_Addr address, int64_t *place)
{
	GElf_Phdr ph;
	size_t i, nr;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (i = 0; i < nr && gelf_getphdr(elf, (int)i, &ph); i++) {
		if (ph.p_type != PT_LOAD || address - ph.p_vaddr >= ph.p_filesz)
			continue;
		*place = (int64_t)(ph.p_offset + (address - ph.p_vaddr));
		return true;
	}
	return false;
}

/* Returns the string table of the dynamic linker, or NULL if there is none. */
static Elf_Data *find_names(Elf *elf)
{
	GElf_Addr address = 0;
	size_t i, size = 0;
	Elf_Data *data;
	int64_t place;
	GElf_Phdr ph;
	GElf_Dyn d;

	if (!find_header(elf, PT_DYNAMIC, &ph))
		return NULL;
	data = elf_getdata_rawchunk(elf, (int64_t)ph.p_offset, ph.p_filesz, ELF_T_DYN);
	for (i = 0; data && gelf_getdyn(data, (int)i, &d) && d.d_tag != DT_NULL; i++) {
		if (d.d_tag == DT_STRTAB)
			address = d.d_un.d_ptr;
		else if (d.d_tag == DT_STRSZ)
			size = d.d_un.d_val;
	}
	return find_place(elf, address, &place) ?
	       elf_getdata_rawchunk(elf, place, size, ELF_T_BYTE) : NULL;
}

static bool has_sanitizer(Elf *elf)
{
	static const char *const marks[] = {
		"__asan_init", "__hwasan_init", "__lsan_init", "__msan_init", "__tsan_init",
	};
	Elf_Data *names = find_names(elf);
	size_t i;

	for (i = 0; names && i < sizeof(marks) / sizeof(marks[0]); i++)
		if (memmem(names->d_buf, names->d_size, marks[i], strlen(marks[i]) + 1))
			return true;
	return false;
}

/* True for the dynamic linker of the GNU C library, which can be a command with a program. */
static bool is_linker(Elf *elf)
{
	static const char name[] = "\0ld-linux";
	Elf_Data *names = find_names(elf);

	return names && memmem(names->d_buf, names->d_size, name, sizeof(name) - 1);
}

/* The linker of musl finds neither the GNU C library nor, in musl, all that our library needs. */
static bool is_for_musl(Elf *elf, const GElf_Phdr *interp)
{
	static const char name[] = "/ld-musl-";
	Elf_Data *path = elf_getdata_rawchunk(elf, (int64_t)interp->p_offset, interp->p_filesz,
					      ELF_T_BYTE);

	return path && memmem(path->d_buf, path->d_size, name, strlen(name));
}

/* True if it is a 32-bit program that this machine runs. */
static bool is_narrow(Elf *elf)
{
	GElf_Ehdr h;

	return gelf_getclass(elf) == ELFCLASS32 && gelf_getehdr(elf, &h) &&
	       h.e_machine == ARCH_NARROW_MACHINE;
}

/* True if it is of this process's kind. */
static bool is_own(Elf *elf)
{
	GElf_Ehdr h;

	return gelf_getclass(elf) == ELFCLASS64 && gelf_getehdr(elf, &h) &&
	       h.e_machine == ARCH_MACHINE;
}

/* A file that is not ELF has no obstacle of its own: it may name an ELF interpreter. */
static const char *obstacle(Elf *elf, bool has_narrow)
{
	GElf_Phdr ph;

	if (elf_kind(elf) != ELF_K_ELF)
		return NULL;
	if (is_narrow(elf) && !has_narrow)
		return "is a 32-bit program, and the 32-bit library is not installed";
	if (!is_narrow(elf) && !is_own(elf))
		return "is a program for another kind of machine";
	if (!find_header(elf, PT_INTERP, &ph))
		return is_linker(elf) ? NULL : "is statically linked";
	if (is_for_musl(elf, &ph))
		return "is for the C library musl";
	if (has_sanitizer(elf))
		return "has a sanitizer, which must be loaded first";
	return NULL;
}

/* Return: 0 or -errno */
static int check_executable(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	return S_ISREG(st.st_mode) && !access(path, X_OK) ? 0 : -EACCES;
}

/* Finds a command where execvp(3) would. Return: 0 or -errno */
static int find_command(const char *command, char path[PATH_MAX])
{
	const char *dirs = getenv("PATH"), *end;
	int error = -ENOENT, ret;

	if (strchr(command, '/'))
		return snprintf(path, PATH_MAX, "%s", command) < PATH_MAX ?
		       check_executable(path) : -ENAMETOOLONG;
	for (dirs = dirs ? dirs : "/bin:/usr/bin"; dirs; dirs = *end ? end + 1 : NULL) {
		end = strchrnul(dirs, ':');
		if (snprintf(path, PATH_MAX, "%.*s%s%s", (int)(end - dirs), dirs,
			     end > dirs ? "/" : "", command) >= PATH_MAX)
			continue;
		ret = check_executable(path);
		if (!ret)
			return 0;
		if (ret == -EACCES)
			error = ret;
	}
	return error;
}

int program_find(const char *command)
{
	char path[PATH_MAX];

	return find_command(command, path);
}

bool program_mentions(const char *command, const char *text)
{
	static char piece[64 << 10];
	const size_t size = strlen(text);
	size_t kept = 0, len;
	char path[PATH_MAX];
	bool found = false;
	ssize_t n;
	int fd;

	fd = find_command(command, path) ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	while (!found && (n = read(fd, piece + kept, sizeof(piece) - kept)) > 0) {
		len = kept + (size_t)n;
		found = memmem(piece, len, text, size);
		/* The text may cross the border of two pieces. */
		kept = len < size ? len : size - 1;
		memmove(piece, piece + len - kept, kept);
	}
	close(fd);
	return found;
}

const char *program_obstacle(const char *command, bool has_narrow)
{
	const char *reason = NULL;
	char path[PATH_MAX];
	Elf *elf;
	int fd;

	if (find_command(command, path))
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	elf_version(EV_CURRENT);
	/* Read, not mapped: the file may be truncated meanwhile. */
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf)
		reason = obstacle(elf, has_narrow);
	elf_end(elf);
	close(fd);
	return reason;
}
