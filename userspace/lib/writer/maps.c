// SPDX-License-Identifier: LGPL-2.1
/*
 * maps.c - tell the session which code this process has, and where
 *
 * Reads /proc/self/maps. The dynamic linker has the same information, but behind locks, and the
 * calling thread may have been interrupted anywhere, so it could wait for them forever. Reported
 * mappings are remembered, so that later calls report only changes. Build ids are read through
 * /proc/self/mem, where a recently unmapped address gives an error instead of a signal. Without
 * /proc nothing is reported.
 *
 * Only one thread scans at a time; a thread that finds a scan running requests one more pass, so no
 * thread waits for another. The scanning thread blocks signals: a handler that does not return, or
 * a cancellation, would end all scanning. After a fork during a scan the child closes the files: it
 * must not read the memory of its parent.
 */
#include "maps.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include <linux/ktrace.h>

#define KTRACE_LIBRARY
#include <ktrace/writer.h>

#include "base/fnv.h"
#include "channel.h"
#include "ids.h"
#include "own.h"
#include "registry.h"
#include "system.h"
#include "text.h"
#include "thread.h"

#define KNOWN_MAX 1024
#define HEADERS_MAX 32

/* struct known_mapping - a reported mapping; @hash covers its file and its offset in it */
struct known_mapping {
	__u64 start;
	__u64 end;
	__u64 hash;
	bool is_there;
};

/* struct mapping - a line of /proc/self/maps */
struct mapping {
	__u64 start;
	__u64 end;
	__u64 offset;
	__u64 file;		/* hash of device, inode and path */
	bool is_code;
	const char *path;
};

/*
 * All but @wanted belong to the scanning thread. Static, because it may have little stack left.
 * What is used first of each array lies close together: so few pages are touched.
 *
 * @wanted:	number of requests for a scan; 0 = no thread scans
 * @told:	by index of a channel: number of the recording that knows these
 * @channel:	the process's channels
 * @all:	a bit for each of them, by index
 * @new:	those that have been told nothing
 * @file:	file of the last mapping seen that maps the beginning of a file, at @begin
 * @head:	of the file whose build id is searched: its beginning, which usually has all of it
 * @ph, @notes: what is elsewhere
 */
static struct {
	__u32 wanted;
	__u32 known_nr;
	__u64 told[OWN_CHANNELS];
	const struct channel *channel[OWN_CHANNELS];
	__u32 all;
	__u32 new;
	__u64 file;
	__u64 begin;
	union {
		ElfW(Ehdr) header;
		char bytes[1024];
	} head;
	struct known_mapping known[KNOWN_MAX];
	ElfW(Phdr) ph[HEADERS_MAX];
	char notes[512];
	char text[4096];
	char line[2 * 4096];
} maps SYSTEM_LATE;

/* /proc/self/maps and /proc/self/mem while a thread scans, else -1. Its as well. */
static volatile int list_file = -1, memory_file = -1;

static long read_memory(void *to, size_t size, __u64 from)
{
	return syscall(SYS_pread64, memory_file, to, size, from);
}

/*
 * Returns @size bytes at @from: where they are in the beginning of the file at @begin, of which
 * @have bytes have been read, else read to @to. NULL if they cannot be read.
 */
static const void *part(__u64 begin, size_t have, __u64 from, size_t size, void *to)
{
	if (from >= begin && from - begin <= have && size <= have - (from - begin) && !(from & 7))
		return maps.head.bytes + (from - begin);
	return read_memory(to, size, from) == (long)size ? to : NULL;
}

/* Adds the build id of the file whose beginning is mapped at @begin. */
static void add_build(struct text *t, __u64 begin)
{
	const ElfW(Ehdr) *header = &maps.head.header;
	const long have = read_memory(maps.head.bytes, sizeof(maps.head.bytes), begin);
	const ElfW(Phdr) *ph;
	const char *notes;
	__u64 bias = begin;
	int i, nr;

	if (have < (long)sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_phentsize != sizeof(*ph))
		return;
	nr = header->e_phnum < HEADERS_MAX ? header->e_phnum : HEADERS_MAX;
	ph = part(begin, (size_t)have, begin + header->e_phoff, (size_t)nr * sizeof(*ph), maps.ph);
	for (i = 0; ph && i < nr; i++)
		if (ph[i].p_type == PT_LOAD && !ph[i].p_offset)
			bias = begin - ph[i].p_vaddr;
	for (i = 0; ph && i < nr; i++) {
		const size_t size = ph[i].p_filesz;

		if (ph[i].p_type != PT_NOTE || size > sizeof(maps.notes))
			continue;
		notes = part(begin, (size_t)have, bias + ph[i].p_vaddr, size, maps.notes);
		if (notes && text_add_build_id(t, notes, notes + size))
			return;
	}
}

/* Tells the recordings of @to, a bit for each channel. */
static void tell(__u32 to, const struct mapping *m)
{
	struct text t = { maps.text, sizeof(maps.text), 0 };

	text_add_number(&t, "start", m->start);
	text_add_number(&t, "end", m->end);
	if (m->path) {
		text_add_number(&t, "offset", m->offset);
		if (m->file == maps.file)
			add_build(&t, maps.begin);
		text_add_value(&t, "path", m->path);
	}
	for (__u32 i = 0; i < OWN_CHANNELS && !text_is_full(&t); i++)
		if (to & 1u << i)
			registry_add(maps.channel[i], KTRACE_ENTRY_MAP, 0, t.text, 0,
				     REGISTRY_HALF);
}

/*
 * Forgets what was mapped at these addresses before. Returns whether the mapping is known
 * unchanged.
 */
static bool is_known(const struct mapping *m, __u64 hash)
{
	struct known_mapping *k;
	__u32 i;

	for (i = 0; i < maps.known_nr; i++) {
		k = &maps.known[i];
		if (k->start >= m->end || k->end <= m->start)
			continue;
		if (k->start == m->start && k->end == m->end && k->hash == hash) {
			k->is_there = true;
			return true;
		}
		*k = maps.known[--maps.known_nr];
		i--;
	}
	return false;
}

static void take(const struct mapping *m)
{
	const __u64 hash = fnv(m->file, &m->offset, sizeof(m->offset));

	if (!m->offset) {
		maps.file = m->file;
		maps.begin = m->start;
	}
	if (!m->is_code)
		return;
	if (is_known(m, hash)) {
		if (maps.new)
			tell(maps.new, m);
		return;
	}
	if (maps.known_nr == KNOWN_MAX)
		return;
	maps.known[maps.known_nr++] = (struct known_mapping){ m->start, m->end, hash, true };
	tell(maps.all, m);
}

static __u64 take_number(char **at)
{
	__u64 value = 0;
	int digit;

	for (;; (*at)++) {
		if (**at >= '0' && **at <= '9')
			digit = **at - '0';
		else if (**at >= 'a' && **at <= 'f')
			digit = **at - 'a' + 10;
		else
			return value;
		value = value << 4 | (unsigned int)digit;
	}
}

/* Parses "start-end rwxp offset major:minor inode /path"; returns false if it has no file. */
static bool parse(char *at, struct mapping *m)
{
	const char *device;

	m->start = take_number(&at);
	at++;
	m->end = take_number(&at);
	if (strnlen(at, 6) < 6)
		return false;
	m->is_code = at[3] == 'x';
	at += 6;
	m->offset = take_number(&at);
	device = at;
	m->path = strchr(at, '/');
	if (!m->path)
		return false;
	m->file = fnv(FNV_BASIS, device, strlen(device));
	return true;
}

static void take_line(char *line)
{
	struct mapping m;

	if (parse(line, &m))
		take(&m);
}

/*
 * Returns whether all lines were read. A line longer than the buffer ends the scan: no path is that
 * long.
 */
static bool take_lines(void)
{
	size_t have = 0;
	char *line, *end;
	long n;

	while (have < sizeof(maps.line) - 1) {
		n = syscall(SYS_read, list_file, maps.line + have, sizeof(maps.line) - 1 - have);
		if (n <= 0)
			return !n;
		have += (size_t)n;
		line = maps.line;
		while ((end = memchr(line, '\n', have - (size_t)(line - maps.line)))) {
			*end = '\0';
			take_line(line);
			line = end + 1;
		}
		have -= (size_t)(line - maps.line);
		memmove(maps.line, line, have);
	}
	return false;
}

static void tell_gone(void)
{
	struct known_mapping *k;
	__u32 i;

	for (i = 0; i < maps.known_nr; i++) {
		k = &maps.known[i];
		if (k->is_there)
			continue;
		tell(maps.all & ~maps.new, &(struct mapping){ .start = k->start, .end = k->end });
		*k = maps.known[--maps.known_nr];
		i--;
	}
}

static void close_both(void)
{
	if (memory_file >= 0)
		system_close(memory_file);
	if (list_file >= 0)
		system_close(list_file);
	memory_file = -1;
	list_file = -1;
}

/* Finds the recordings, and those among them that know nothing yet. */
static void find_channels(uintptr_t frame)
{
	struct ktrace_thread *t;
	struct channel *ch;
	__u32 i = 0;

	maps.all = 0;
	maps.new = 0;
	while ((ch = own_each(&i, frame, &t))) {
		maps.channel[ch->index] = ch;
		maps.all |= 1u << ch->index;
		if (maps.told[ch->index] != ch->number)
			maps.new |= 1u << ch->index;
		maps.told[ch->index] = ch->number;
	}
}

static void look(uintptr_t frame)
{
	__u32 i;

	find_channels(frame);
	list_file = system_open("/proc/self/maps", O_RDONLY);
	memory_file = system_open("/proc/self/mem", O_RDONLY);
	maps.file = 0;
	for (i = 0; i < maps.known_nr; i++)
		maps.known[i].is_there = false;
	if (list_file >= 0 && take_lines())
		tell_gone();
	close_both();
}

/**
 * maps_announce - report what changed since the last call, to a new recording everything
 * @frame:	of the own_enter() that the caller is in
 *
 * Context: any.
 */
void maps_announce(uintptr_t frame)
{
	struct system_signals signals;
	__u32 seen;

	system_block_signals(&signals);
	/* ORD(maps_begin:A) pairs ORD(maps_end:A): the previous thread's state is complete */
	seen = __atomic_add_fetch(&maps.wanted, 1, __ATOMIC_ACQUIRE);
	if (seen != 1)
		goto out;
	do {
		seen = __atomic_load_n(&maps.wanted, __ATOMIC_RELAXED);
		look(frame);
		/* ORD(maps_end:A) pairs ORD(maps_begin:A): all is written before release */
	} while (!__atomic_compare_exchange_n(&maps.wanted, &seen, 0, false, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
out:
	system_restore_signals(&signals);
}

/**
 * maps_after_fork - drop a scan that was running in the parent
 *
 * Context: the child of a fork.
 */
void maps_after_fork(void)
{
	if (__atomic_load_n(&maps.wanted, __ATOMIC_RELAXED))
		close_both();
	__atomic_store_n(&maps.wanted, 0, __ATOMIC_RELAXED);
}

/* True if the caller is in the memory of another process, between vfork() and exec. */
static bool is_guest(void)
{
	const __u32 tid = thread_id(&ktrace_thread);

	return tid && tid != ids_of(system_gettid());
}

int ktrace_maps_changed(void)
{
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	int saved = errno;
	const struct channel *ch = own_enter(frame);
	bool does_look = ch && !is_guest();

	if (does_look)
		maps_announce(frame);
	own_exit(frame);
	errno = saved;
	return does_look;
}
