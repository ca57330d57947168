// SPDX-License-Identifier: LGPL-2.1
/*
 * process.c - tell the session who records: names, executable, build id
 *
 * No allocation, no lock: also called in the child of a fork and at a thread's first
 * event, which may be in a signal handler.
 */
#include "process.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <linux/ktrace.h>

#include "registry.h"

#define COMM_SIZE 16

/* A line being put together; what does not fit is left out. @size: room in @text. */
struct line {
	char *text;
	size_t size;
	size_t len;
};

static void add_char(struct line *l, char c)
{
	if (l->len < l->size - 1)
		l->text[l->len++] = c;
	l->text[l->len] = '\0';
}

static void add_hex(struct line *l, unsigned char byte)
{
	static const char digits[] = "0123456789abcdef";

	add_char(l, digits[byte >> 4]);
	add_char(l, digits[byte & 15]);
}

/* key=value, the value encoded as <linux/ktrace_file.h> says. */
static void add_value(struct line *l, const char *key, const char *value)
{
	if (l->len)
		add_char(l, ' ');
	for (; *key; key++)
		add_char(l, *key);
	add_char(l, '=');
	for (; *value; value++) {
		unsigned char c = (unsigned char)*value;

		if (c > 0x20 && c != 0x7f && c != '%') {
			add_char(l, *value);
			continue;
		}
		add_char(l, '%');
		add_hex(l, c);
	}
}

static void add_comm(struct line *l)
{
	char comm[COMM_SIZE] = "";

	prctl(PR_GET_NAME, comm);
	add_value(l, "comm", comm);
}

static void add_exe(struct line *l)
{
	char exe[512];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n <= 0)
		return;
	exe[n] = '\0';
	add_value(l, "exe", exe);
}

static __u64 padded(__u32 size)
{
	return ((__u64)size + 3) & ~3ull;
}

/* The build id among the notes of one PT_NOTE segment, which need not make sense. */
static bool add_build_id(struct line *l, const char *at, const char *end)
{
	const ElfW(Nhdr) *note;
	const char *name, *id;
	size_t i;

	while ((size_t)(end - at) >= sizeof(*note)) {
		note = (const ElfW(Nhdr) *)at;
		name = at + sizeof(*note);
		if (padded(note->n_namesz) > (size_t)(end - name))
			return false;
		id = name + padded(note->n_namesz);
		if (note->n_descsz > (size_t)(end - id))
			return false;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(name, "GNU", 4)) {
			add_value(l, "build", "");
			for (i = 0; i < note->n_descsz; i++)
				add_hex(l, (unsigned char)id[i]);
			return true;
		}
		if (padded(note->n_descsz) > (size_t)(end - id))
			return false;
		at = id + padded(note->n_descsz);
	}
	return false;
}

/* The executable's ELF header: it begins the page on which its program headers lie. */
static const ElfW(Ehdr) *find_header(const ElfW(Phdr) *ph)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)((uintptr_t)ph & ~(uintptr_t)4095);

	if (!ph || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    (uintptr_t)header + header->e_phoff != (uintptr_t)ph)
		return NULL;
	return header;
}

/* From what the kernel has mapped: no file is read. */
static void add_build(struct line *l)
{
	const ElfW(Phdr) *ph = (const ElfW(Phdr) *)getauxval(AT_PHDR);
	const ElfW(Ehdr) *header = find_header(ph);
	uintptr_t bias = (uintptr_t)header;
	const char *at;
	size_t i;

	for (i = 0; header && i < header->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && !ph[i].p_offset)
			bias = (uintptr_t)header - ph[i].p_vaddr;
	for (i = 0; header && i < header->e_phnum; i++) {
		at = (const char *)(bias + ph[i].p_vaddr);
		if (ph[i].p_type == PT_NOTE && add_build_id(l, at, at + ph[i].p_memsz))
			return;
	}
}

/**
 * process_announce - make an entry for this process
 *
 * Context: attaching, and in the child of a fork.
 */
void process_announce(void)
{
	char text[2048];
	struct line l = { text, sizeof(text), 0 };

	add_comm(&l);
	add_exe(&l);
	add_build(&l);
	registry_add(KTRACE_ENTRY_PROCESS, (__u32)getppid(), l.text);
}

/**
 * process_announce_thread - make an entry for the calling thread
 * @tid:	its id
 *
 * Context: any.
 */
void process_announce_thread(__u32 tid)
{
	char text[64];	/* in a handler's small stack, perhaps */
	struct line l = { text, sizeof(text), 0 };

	add_comm(&l);
	registry_add(KTRACE_ENTRY_THREAD, tid, l.text);
}
