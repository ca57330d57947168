// SPDX-License-Identifier: GPL-2.0
/*
 * kernel_code.c - source lines of kernel functions, from files with debug information
 *
 * The trace has names and addresses of functions, and build ids; a file is used only if its build
 * id is the same. The kernel's address changes at each boot, and modules are loaded wherever there
 * is room. The offset comes from a function of the same name in the file or, if the name is not
 * unique, from the address of the module's .text in the trace.
 */
#include "kernel_code.h"

#include "buildfile.h"
#include "elf_symtab.h"
#include "srcline.h"

#include <elfutils/libdwfl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEBUG_DIR "/usr/lib/debug"
#define KERNEL "vmlinux"

/**
 * struct kernel_code - the kernel or one of its modules
 * @dwfl:	libdw's session, NULL = no file was found
 * @functions:	from its symbol table
 * @source:	from its debug information
 * @slide:	difference of addresses in the trace and in the file; valid if @has_slide
 */
struct kernel_code {
	Dwfl *dwfl;
	struct symtab functions;
	struct srcline source;
	__u64 slide;
	bool has_slide;
};

/* struct search - a search for a file: image, kernel release, root folder */
struct search {
	const struct ktrace_kernel_image *image;
	const char *release;
	const char *sysroot;
};

static bool is_word(const char *name)
{
	return name && *name && *name != '.' && !strpbrk(name, "/:");
}

/* Searches a folder with debug information. */
static int find_in(const struct search *s, const char *dir)
{
	const char *build = s->image->build, *name = s->image->name;
	int fd = buildfile_in(dir, build, ".debug");

	if (strcmp(name, KERNEL)) {
		fd = fd < 0 ? buildfile_open(build, "%s/%s.ko.debug", dir, name) : fd;
		return fd < 0 ? buildfile_open(build, "%s/%s.ko", dir, name) : fd;
	}
	fd = fd < 0 ? buildfile_open(build, "%s/" KERNEL, dir) : fd;
	fd = fd < 0 ? buildfile_open(build, "%s/" KERNEL "-%s", dir, s->release) : fd;
	fd = fd < 0 ? buildfile_open(build, "%s/boot/" KERNEL "-%s", dir, s->release) : fd;
	return fd < 0 ? buildfile_open(build, "%s/lib/modules/%s/" KERNEL, dir, s->release) : fd;
}

/*
 * Checks whether a line of modules.dep is about the module. Returns the length of its path, without
 * the suffix of a compressed file, or 0. File names may have - where module names have _.
 */
static int is_of(const char *line, const char *name)
{
	const char *at = strchr(line, ':');

	if (!at)
		return 0;
	while (at > line && at[-1] != '/')
		at--;
	for (; *name && (*at == *name || (*at == '-' && *name == '_')); at++)
		name++;
	return *name || strncmp(at, ".ko", 3) ? 0 : (int)(at - line) + 3;
}

/* Reads a line, dropping what does not fit; false: there are no more. */
static bool get_line(FILE *f, char *line, size_t size)
{
	int c = 0;

	if (!fgets(line, (int)size, f))
		return false;
	if (!strchr(line, '\n'))
		while (c != '\n' && c != EOF)
			c = getc(f);
	return true;
}

/* Opens modules.dep of the release; NULL: it does not exist. */
static FILE *open_list(const struct search *s)
{
	int fd = buildfile_open(NULL, "%s/lib/modules/%s/modules.dep", s->sysroot, s->release);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	if (!f && fd >= 0)
		close(fd);
	return f;
}

/*
 * Opens the module's file, either where packages put debug information or where the kernel loads it
 * from.
 */
static int find_module(const struct search *s)
{
	FILE *f = open_list(s);
	char line[PATH_MAX];
	int fd = -1, len;

	while (f && fd < 0 && get_line(f, line, sizeof(line))) {
		len = is_of(line, s->image->name);
		if (!len)
			continue;
		fd = buildfile_open(s->image->build, "%s" DEBUG_DIR "/lib/modules/%s/%.*s",
				    s->sysroot, s->release, len, line);
		fd = fd < 0 ? buildfile_open(s->image->build, "%s/lib/modules/%s/%.*s", s->sysroot,
					     s->release, len, line) : fd;
	}
	if (f)
		fclose(f);
	return fd;
}

static int find_system(const struct search *s)
{
	char *dir = NULL;
	int fd = -1;

	if (asprintf(&dir, "%s" DEBUG_DIR, s->sysroot) > 0)
		fd = find_in(s, dir);
	free(dir);
	if (fd >= 0)
		return fd;
	if (strcmp(s->image->name, KERNEL))
		return find_module(s);
	fd = buildfile_open(s->image->build, "%s/boot/" KERNEL "-%s", s->sysroot, s->release);
	return fd < 0 ? buildfile_open(s->image->build, "%s/lib/modules/%s/build/" KERNEL,
				       s->sysroot, s->release) : fd;
}

static int find_file(const struct search *s, const struct symbols_where *where)
{
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < where->debug_dir_nr; i++)
		fd = find_in(s, where->debug_dirs[i]);
	return fd < 0 ? find_system(s) : fd;
}

/* The file already is the one with debug information: look for no other. */
static int find_no_debuginfo(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base,
			     const char *file, const char *link, GElf_Word crc, char **found)
{
	(void)mod, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc;
	*found = NULL;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_no_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* Finds the start of a module's .text in the file; false: it has no function there. */
static bool find_text(const struct kernel_code *k, Dwarf_Addr *text)
{
	const char *section;
	Dwarf_Addr offset;
	GElf_Word index;
	int nr;

	for (size_t i = 0; i < k->functions.nr; i++) {
		offset = k->functions.list[i].start;
		nr = dwfl_module_relocate_address(k->source.mod, &offset);
		section = nr < 0 ? NULL :
			  dwfl_module_relocation_info(k->source.mod, (unsigned int)nr, &index);
		if (section && !strcmp(section, ".text")) {
			*text = k->functions.list[i].start - offset;
			return true;
		}
	}
	return false;
}

static void report(struct kernel_code *k, const struct ktrace_kernel_image *image, int fd)
{
	Dwarf_Addr text;

	k->dwfl = dwfl_begin(&callbacks);
	if (k->dwfl) {
		dwfl_report_begin(k->dwfl);
		k->source.mod = dwfl_report_offline(k->dwfl, image->name, image->name, fd);
		dwfl_report_end(k->dwfl, NULL, NULL);
	}
	if (!k->source.mod) {
		close(fd);
		return;
	}
	symtab_read(&k->functions, k->source.mod);
	if (image->text && find_text(k, &text)) {
		k->slide = image->text - text;
		k->has_slide = true;
	}
}

struct kernel_code *kernel_code_open(const struct ktrace_kernel_image *image, const char *release,
				     const struct symbols_where *where)
{
	struct kernel_code *k = calloc(1, sizeof(*k));
	struct search s = { image, is_word(release) ? release : "unknown",
			    where->sysroot ? where->sysroot : "" };
	int fd;

	if (!k)
		return NULL;
	k->source = (struct srcline)SRCLINE_INIT;
	if (!image->build || !buildfile_is_id(image->build) || !is_word(image->name))
		return k;
	elf_version(EV_CURRENT);
	fd = find_file(&s, where);
	if (fd >= 0)
		report(k, image, fd);
	return k;
}

void kernel_code_close(struct kernel_code *k)
{
	if (!k)
		return;
	symtab_free(&k->functions);
	srcline_free(&k->source);
	if (k->dwfl)
		dwfl_end(k->dwfl);
	free(k);
}

/* Finds the function in the file. */
static const struct function *find(struct kernel_code *k, const char *name, __u64 start)
{
	const struct function *f = NULL;

	if (k->has_slide)
		f = symtab_find(&k->functions, start - k->slide);
	if (f && f->start == start - k->slide && !strcmp(f->name, name))
		return f;
	f = symtab_named(&k->functions, name);
	if (f && !k->has_slide) {
		k->slide = start - f->start;
		k->has_slide = true;
	}
	return f;
}

void kernel_code_look_up(struct kernel_code *k, const char *function, __u64 start, __u64 offset,
			 struct symbol *symbol)
{
	const struct function *f = k->source.mod ? find(k, function, start) : NULL;

	if (!f || (f->end > f->start && offset >= f->end - f->start))
		return;
	symbol->place = f->start + offset;
	srcline_find(&k->source, f->start + offset, symbol);
}
