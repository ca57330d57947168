// SPDX-License-Identifier: GPL-2.0
/*
 * dso.c - looks up addresses in a program or library, with libdw
 *
 * The file is the one at the path in the trace if it has the build id that the traced process saw;
 * otherwise one found by build id: DEBUG/.build-id/ab/cdef, as debuggers do. Debug information is
 * in the file, in DEBUG/.build-id/ab/cdef.debug, or where .gnu_debuglink points, with the same
 * build id; if requested, libdw asks the servers of DEBUGINFOD_URLS.
 */
#include "dso.h"

#include "base/viewer.h"
#include "buildfile.h"
#include "debug_server.h"
#include "elf_symtab.h"
#include "srcline.h"

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEBUG_DIR "/usr/lib/debug"
#define BUILD_ID_MAX 64
#define PAGE 4096u

/**
 * struct dso - see above
 * @path:	its path in the traced process
 * @build:	build id, NULL = not known
 * @where:	where to look for files
 * @debug_dir:	folder of debug information if @where names none
 * @dwfl:	libdw's session, with this one module
 * @mod:	its module there; NULL: nothing can be looked up
 * @functions:	from its symbol table
 * @source:	from its debug information
 * @is_told:	the warning about addresses without names was printed
 */
struct dso {
	char *path;
	char *build;
	const struct symbols_where *where;
	char *debug_dir;
	Dwfl *dwfl;
	Dwfl_Module *mod;
	struct symtab functions;
	struct srcline source;
	bool is_told;
};

/* Returns folder @i with debug information, NULL: there are no more. */
static const char *debug_dir(const struct dso *m, size_t i)
{
	if (!m->where->debug_dir_nr)
		return i ? NULL : m->debug_dir;
	return i < m->where->debug_dir_nr ? m->where->debug_dirs[i] : NULL;
}

static int open_by_build(const struct dso *m, const char *end)
{
	const char *dir;
	int fd = -1;

	for (size_t i = 0; fd < 0 && (dir = debug_dir(m, i)); i++)
		fd = buildfile_in(dir, m->build, end);
	return fd;
}

/* Opens the file that .gnu_debuglink names, which has no folder, where it may be found. */
static int open_by_link(const struct dso *m, const char *file, const char *name)
{
	const char *slash = strrchr(file, '/'), *dir;
	int len = slash ? (int)(slash - file) : 0, fd;
	const char *in = strrchr(m->path, '/');

	if (!name || strchr(name, '/'))
		return -1;
	fd = buildfile_open(m->build, "%.*s/.debug/%s", len, file, name);
	for (size_t i = 0; fd < 0 && (dir = debug_dir(m, i)); i++)
		fd = buildfile_open(m->build, "%s%.*s/%s", dir, (int)(in - m->path), m->path, name);
	if (fd < 0)
		fd = buildfile_open(m->build, "%.*s/%s", len, file, name);
	return fd;
}

/*
 * Makes a file whose debug information is empty. Without a file of shared information, libdw would
 * open the path in .gnu_debugaltlink at the first reference into it: a FIFO, or a file of another
 * build.
 */
static int open_empty(void)
{
	static const char names[] = "\0.debug_info\0.shstrtab";
	const Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB,
			     EV_CURRENT },
		.e_type = ET_REL, .e_version = EV_CURRENT, .e_ehsize = sizeof(head),
		.e_shoff = sizeof(head), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3,
		.e_shstrndx = 2,
	};
	/* One byte is too short for a compile unit. */
	const Elf64_Shdr sections[3] = {
		{ .sh_type = SHT_NULL },
		{ .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_size = 1,
		  .sh_offset = sizeof(head) + sizeof(sections), .sh_addralign = 1 },
		{ .sh_name = 13, .sh_type = SHT_STRTAB, .sh_size = sizeof(names),
		  .sh_offset = sizeof(head) + sizeof(sections), .sh_addralign = 1 },
	};
	int fd = memfd_create("empty", MFD_CLOEXEC);

	if (fd >= 0 && (write(fd, &head, sizeof(head)) != (ssize_t)sizeof(head) ||
			write(fd, sections, sizeof(sections)) != (ssize_t)sizeof(sections) ||
			write(fd, names, sizeof(names)) != (ssize_t)sizeof(names))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/*
 * Opens the debug information that dwz(1) has moved to a shared file: found by its own build id, or
 * at the path in .gnu_debugaltlink, relative to @file.
 */
static int open_shared(const struct dso *m, Dwfl_Module *mod, const char *file)
{
	char build[2 * BUILD_ID_MAX + 1];
	const char *path = "", *slash = strrchr(file, '/'), *dir;
	const unsigned char *id;
	const void *bits;
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(mod, &bias);
	ssize_t size = dwarf ? dwelf_dwarf_gnu_debugaltlink(dwarf, &path, &bits) : 0;
	int fd = -1, len = slash && *path != '/' ? (int)(slash - file) + 1 : 0;

	if (size <= 0)
		return -1;
	if (size < 2 || size > BUILD_ID_MAX)
		return open_empty();
	for (id = bits; id < (const unsigned char *)bits + size; id++)
		sprintf(build + 2 * (id - (const unsigned char *)bits), "%02x", *id);
	for (size_t i = 0; fd < 0 && (dir = debug_dir(m, i)); i++)
		fd = buildfile_in(dir, build, ".debug");
	if (fd < 0 && *path == '/' && m->where->sysroot)
		fd = buildfile_open(build, "%s%s", m->where->sysroot, path);
	fd = fd < 0 ? buildfile_open(build, "%.*s%s", len, file, path) : fd;
	return fd < 0 ? open_empty() : fd;
}

/* Returns the path of an open file, for free(); NULL: not known. */
static char *path_of(int fd)
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return realpath(link, NULL);
}

static int find_debuginfo(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **found)
{
	const struct dso *m = *data;
	int fd = -1;

	/*
	 * A .gnu_debuglink has no folder, but a checksum; anything else is the link to shared
	 * information.
	 */
	if (link && (!crc || strchr(link, '/')))
		return open_shared(m, mod, file ? file : "");
	if (m->build)
		fd = open_by_build(m, ".debug");
	if (m->build && fd < 0 && file)
		fd = open_by_link(m, file, link);
	if (fd >= 0)
		*found = path_of(fd);
	/* Without file names, libdw searches by build id alone. */
	if (fd < 0 && m->where->asks_servers && debug_server_begin(m->dwfl))
		fd = dwfl_standard_find_debuginfo(mod, data, name, base, NULL, NULL, crc, found);
	return fd;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* Finds the longest prefix of the path that the user has mapped. */
static const char *find_map(const struct dso *m, int *len)
{
	const char *best = NULL, *map, *to;
	size_t n;

	*len = 0;
	for (size_t i = 0; i < m->where->path_map_nr; i++) {
		map = m->where->path_maps[i];
		to = strchr(map, '=');
		n = (size_t)(to - map);
		if ((int)n < *len || strncmp(m->path, map, n) ||
		    (n && map[n - 1] != '/' && m->path[n] != '/' && m->path[n]))
			continue;
		best = to + 1;
		*len = (int)n;
	}
	return best;
}

/* Returns its path on this machine; NULL: no memory. */
static char *name_here(const struct dso *m)
{
	const char *sysroot = m->where->sysroot, *to;
	char *path;
	int len;

	to = find_map(m, &len);
	if (asprintf(&path, "%s%s", to ? to : sysroot ? sysroot : "", m->path + len) < 0)
		return NULL;
	return path;
}

/* Opens the file at @path, or another one with its build id. Reports errors. */
static int find_file(const struct dso *m, const char *path)
{
	int fd = buildfile_open(m->build, "%s", path);

	if (fd < 0 && m->build)
		fd = open_by_build(m, "");
	if (fd >= 0)
		return fd;
	fd = buildfile_regular(path);
	complain_about(path, "%s, so no names of functions", fd < 0 ? "not there or not a file" :
		       "not the file that was traced (other build id)");
	if (fd >= 0)
		close(fd);
	return -1;
}

static void report(struct dso *m, int fd, const char *path)
{
	void **data;

	m->dwfl = dwfl_begin(&callbacks);
	if (!m->dwfl) {
		close(fd);
		return;
	}
	dwfl_report_begin(m->dwfl);
	m->mod = dwfl_report_offline(m->dwfl, m->path, path, fd);
	if (!m->mod) {
		close(fd);
		complain_about(path, "%s", dwfl_errmsg(-1));
		return;
	}
	dwfl_module_info(m->mod, &data, NULL, NULL, NULL, NULL, NULL, NULL);
	*data = m;
	dwfl_report_end(m->dwfl, NULL, NULL);
	m->source.mod = m->mod;
	if (symtab_read(&m->functions, m->mod))
		complain_about(path, "%s", strerror(ENOMEM));
}

struct dso *dso_open(const struct ktrace_map *map, const struct symbols_where *where)
{
	struct dso *m = calloc(1, sizeof(*m));
	char *path;
	int fd;

	if (!m)
		return NULL;
	m->where = where;
	m->source = (struct srcline)SRCLINE_INIT;
	m->path = strdup(map->path);
	m->build = map->build && buildfile_is_id(map->build) ? strdup(map->build) : NULL;
	if (asprintf(&m->debug_dir, "%s" DEBUG_DIR, where->sysroot ? where->sysroot : "") < 0)
		m->debug_dir = NULL;
	if (!m->path || !m->debug_dir || *m->path != '/')
		return m;
	elf_version(EV_CURRENT);
	path = name_here(m);
	fd = path ? find_file(m, path) : -1;
	if (fd >= 0)
		report(m, fd, path);
	free(path);
	return m;
}

void dso_free(struct dso *m)
{
	if (!m)
		return;
	symtab_free(&m->functions);
	srcline_free(&m->source);
	if (m->dwfl)
		dwfl_end(m->dwfl);
	free(m->path);
	free(m->build);
	free(m->debug_dir);
	free(m);
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool dso_is_of(const struct dso *m, const struct ktrace_map *map)
{
	return is_same(m->path, map->path) && is_same(m->build, map->build);
}

/* Converts offset @place of the file to libdw's address; false if no segment has it. */
static bool find_address(const struct dso *m, __u64 place, Dwarf_Addr *address)
{
	GElf_Addr bias;
	Elf *elf = m->mod ? dwfl_module_getelf(m->mod, &bias) : NULL;
	GElf_Phdr ph;
	size_t i, nr;

	if (!elf || elf_getphdrnum(elf, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
		    place < ph.p_offset || place - ph.p_offset >= ph.p_filesz)
			continue;
		*address = place - ph.p_offset + ph.p_vaddr + bias;
		return true;
	}
	return false;
}

static void complain_once(struct dso *m)
{
	if (!m->is_told)
		complain_about(m->path, "has no name for some addresses: stripped, and no debug "
			       "information found (build id %s)", m->build ? m->build : "none");
	m->is_told = true;
}

void dso_look_up(struct dso *m, struct symbol *symbol, bool is_return)
{
	const struct function *function;
	Dwarf_Addr address;

	if (!find_address(m, symbol->place - is_return, &address))
		return;
	function = symtab_find(&m->functions, address);
	if (function) {
		symbol->function = demangle(&m->source.names, function->name);
		symbol->offset = address - function->start + is_return;
	}
	srcline_find(&m->source, address, symbol);
	if (!function && !symbol->file)
		complain_once(m);
}

/* Finds the code segment that is mapped from offset @code of the file; false: there is none. */
static bool find_code(Elf *elf, __u64 code, GElf_Phdr *ph)
{
	size_t i, nr;

	if (!elf || elf_getphdrnum(elf, &nr))
		return false;
	for (i = 0; i < nr; i++)
		if (gelf_getphdr(elf, (int)i, ph) && ph->p_type == PT_LOAD &&
		    ph->p_flags & PF_X && code >= ph->p_offset / PAGE * PAGE &&
		    code < ph->p_offset + ph->p_filesz)
			return true;
	return false;
}

void dso_look_up_variable(struct dso *m, struct symbol *symbol, __u64 code)
{
	GElf_Addr bias;
	Elf *elf = m->mod ? dwfl_module_getelf(m->mod, &bias) : NULL;
	GElf_Off offset;
	const char *name;
	GElf_Phdr ph;
	GElf_Sym sym;

	if (!find_code(elf, code, &ph))
		return;
	name = dwfl_module_addrinfo(m->mod, symbol->place - ph.p_offset + ph.p_vaddr + bias,
				    &offset, &sym, NULL, NULL, NULL);
	if (!name || GELF_ST_TYPE(sym.st_info) != STT_OBJECT || offset >= sym.st_size)
		return;
	symbol->function = demangle(&m->source.names, name);
	symbol->offset = offset;
}
