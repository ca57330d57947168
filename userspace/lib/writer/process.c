// SPDX-License-Identifier: LGPL-2.1
/*
 * process.c - tell the session who records: names, executable, build id
 *
 * No allocation, no lock: also called in the child of a fork and at a thread's first event, which
 * may be in a signal handler.
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
#include <sys/syscall.h>
#include <linux/ktrace.h>

#include "confined.h"
#include "ids.h"
#include "registry.h"
#include "system.h"
#include "text.h"
#include "thread.h"

#define COMM_SIZE 16

/*
 * What the process announced last, for when it may not ask the kernel. Static also because the
 * stack may be small. Only one thread writes them: when the process attaches, and in the child of a
 * fork.
 */
static char known_comm[COMM_SIZE];
static char known_exe[512] SYSTEM_LATE;
static __u32 known_pid;
static char announcement[2048] SYSTEM_LATE;

static void add_comm(struct text *t, char comm[COMM_SIZE])
{
	if (!is_confined())
		syscall(SYS_prctl, PR_GET_NAME, comm, 0, 0, 0);
	text_add_value(t, "comm", comm);
}

static void add_exe(struct text *t)
{
	ssize_t n;

	if (!is_confined()) {
		n = readlink("/proc/self/exe", known_exe, sizeof(known_exe) - 1);
		known_exe[n > 0 ? n : 0] = '\0';
	}
	if (*known_exe)
		text_add_value(t, "exe", known_exe);
}

/*
 * Returns the parent's id. In a confined program, or if the parent is in another pid namespace,
 * that is the process that announced itself last: the one that forked.
 */
static __u32 parent_pid(void)
{
	const __u32 seen = is_confined() ? 0 : (__u32)getppid();
	const __u32 parent = seen ? ids_of(seen) : known_pid;

	known_pid = thread_pid();
	return parent;
}

/* Finds the executable's ELF header: it begins the page that holds its program headers. */
static const ElfW(Ehdr) *find_header(const ElfW(Phdr) *ph)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)((uintptr_t)ph & ~(uintptr_t)4095);

	if (!ph || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    (uintptr_t)header + header->e_phoff != (uintptr_t)ph)
		return NULL;
	return header;
}

/* Adds the build id from the mapped executable: no file is read. */
static void add_build(struct text *t)
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
		if (ph[i].p_type == PT_NOTE && text_add_build_id(t, at, at + ph[i].p_memsz))
			return;
	}
}

/**
 * process_announce - make an entry for this process
 * @ch:		the channel
 * @maps:	"own": maps_announce() will report its code; "parent": it has its parent's
 * @ts:		start time of the process, 0 = now
 *
 * Context: attaching, and in the child of a fork.
 */
void process_announce(const struct channel *ch, const char *maps, __u64 ts)
{
	struct text t = { announcement, sizeof(announcement), 0 };

	add_comm(&t, known_comm);
	add_exe(&t);
	add_build(&t);
	text_add_value(&t, "maps", maps);
	registry_add(ch, KTRACE_ENTRY_PROCESS, parent_pid(), t.text, ts, REGISTRY_ALL);
}

/**
 * process_announce_thread - make an entry for the calling thread
 * @ch:		the channel
 * @tid:	its id
 * @ts:	time from which it has been recording
 *
 * In a confined program the thread is given the name of its process, which is every thread's
 * default.
 *
 * Context: any.
 */
void process_announce_thread(const struct channel *ch, __u32 tid, __u64 ts)
{
	char text[64];	/* a signal handler's stack may be small */
	struct text t = { text, sizeof(text), 0 };
	char comm[COMM_SIZE];

	memcpy(comm, known_comm, sizeof(comm));
	add_comm(&t, comm);
	registry_add(ch, KTRACE_ENTRY_THREAD, tid, t.text, ts, REGISTRY_ALL);
}

/**
 * process_announce_name - make an entry for a thread of this process that was renamed
 * @ch:		the channel
 * @tid:	its id
 * @name:	its new name; bytes after the 15th are ignored
 *
 * Context: any.
 */
void process_announce_name(const struct channel *ch, __u32 tid, const char *name)
{
	char text[64];
	struct text t = { text, sizeof(text), 0 };
	char comm[COMM_SIZE] = "";

	memcpy(comm, name, strnlen(name, sizeof(comm) - 1));
	text_add_value(&t, "comm", comm);
	registry_add(ch, KTRACE_ENTRY_THREAD, tid, t.text, 0, REGISTRY_HALF);
}
