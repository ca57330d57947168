// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_proc.c - what the kernel says about processes, and ELF notes
 *
 * Other processes choose their names, paths and command lines: files of /proc are as
 * hostile as any. Here open(), fopen() and readlink() of the sources under test give the
 * bytes of the input. The result must say what the file says, and nothing else:
 * no line or key more, the parent that the kernel told, the name without cuts.
 */
#define KTRACE_REGISTER_LATER
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

/* Room for what a note says: little, so that its end is reached. */
#define NOTE_TEXT 64

static struct memfile file;
static const char *link_text;

static int fake_open(const char *path, int flags)
{
	(void)path;
	return open(file.path, flags);
}

static FILE *fake_fopen(const char *path, const char *mode)
{
	(void)path;
	return fopen(file.path, mode);
}

static ssize_t fake_readlink(const char *path, char *buf, size_t size)
{
	size_t n = strlen(link_text);

	(void)path;
	n = n < size ? n : size;
	memcpy(buf, link_text, n);
	return (ssize_t)n;
}

static DIR *fake_opendir(const char *path)
{
	(void)path;
	return NULL;
}

#define open fake_open
#define readlink fake_readlink
#define opendir fake_opendir
#include "../../userspace/daemon/output/meta.c"
#include "../../userspace/lib/tracefile/proc.c"
#undef readlink
#undef opendir
#undef open
#include "../../userspace/lib/writer/text.c"
#include "../../userspace/lib/writer/process.c"
#define fopen fake_fopen
#include "../../userspace/lib/session/backend_shm.c"
#include "../../userspace/lib/session/memory.c"
#undef fopen

#include "traceset/trace.h"

/* process.c is here for its notes: it announces nothing. */
void registry_add(const struct channel *ch, __u16 type, __u32 tid, const char *text, __u64 ts,
		  enum registry_share share)
{
	(void)ch;
	(void)type;
	(void)tid;
	(void)text;
	(void)ts;
	(void)share;
}

__u32 ids_of(__u32 tid)
{
	return tid;
}

bool is_confined(void)
{
	return false;
}

__u32 thread_pid(void)
{
	return (__u32)getpid();
}

static void complain(void *arg, const char *path, __u64 offset, const char *message)
{
	(void)path;
	(void)offset;
	(void)message;
	++*(int *)arg;
}

/* The text as the viewer takes it in. */
static struct trace *read_back(struct ktrace_text *text, int *complaints)
{
	struct trace *t = calloc(1, sizeof(*t));

	REQUIRE(t && !text->error && text->len);
	t->parts = calloc(1, sizeof(*t->parts));
	REQUIRE(t->parts);
	t->part_nr = 1;
	t->parts->fd = -1;
	t->parts->report = complain;
	t->parts->arg = complaints;
	ktrace_meta_parse(t, 0, text->buf, text->len);
	return t;
}

/* The parent, looked for in another way than the code does it. */
static __u32 expected_parent(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + (size < 1023 ? size : 1023), *at;
	unsigned long long ppid = 0;
	int digits = 0;

	at = memchr(data, 0, (size_t)(end - data));
	end = at ? at : end;
	for (at = end; at > data && at[-1] != ')'; at--)
		;
	if (at == data || end - at < 4 || at[0] != ' ' || strchr(" \t\n\v\f\r", at[1]) ||
	    at[2] != ' ')
		return ~0u;
	for (at += 3; at < end && *at >= '0' && *at <= '9' && digits < 9; at++, digits++)
		ppid = ppid * 10 + (*at - '0');
	return digits && digits < 9 ? (__u32)ppid : ~0u;
}

static void check_process(const uint8_t *data, size_t size)
{
	struct ktrace_text text = { 0 };
	struct trace *t;
	const struct name *n;
	int complaints = 0, lines = 0;
	const char *at;
	__u32 parent = expected_parent(data, size);
	struct proc_stat stat;

	proc_stat_of(7, &stat);
	REQUIRE(parent == ~0u || stat.ppid == parent);
	meta_proc(&text, 7, 1000);
	ktrace_text_thread(&text, 7, 8, 2000);
	for (at = text.buf; at; at = strchr(at + 1, '\n'))
		lines++;
	REQUIRE(lines == 2);
	t = read_back(&text, &complaints);
	REQUIRE(!complaints && t->names.used == 2 && !t->stream_nr && !t->fact_nr);
	n = ktrace_names_find(&t->names, 8, 2000);
	REQUIRE(n && n->pid == 7);
	/* A name has up to 15 bytes, any of them, and the kernel adds a newline. */
	if (size && size <= 16 && data[size - 1] == '\n' && !memchr(data, 0, size))
		REQUIRE(strlen(n->comm) == size - 1 && !memcmp(n->comm, data, size - 1));
	ktrace_trace_free(t);
	ktrace_text_free(&text);
}

static bool contains(const uint8_t *data, size_t size, const char *needle)
{
	const uint8_t *end;
	size_t n;

	for (; size; size -= n, data += n) {
		end = memchr(data, '\n', size);
		n = end ? (size_t)(end - data) + 1 : size;
		/* The kernel writes no NUL; getline() would end a line for strstr() there. */
		if (memmem(data, strnlen((const char *)data, n), needle, strlen(needle)))
			return true;
	}
	return false;
}

static bool has_digit(const uint8_t *data, size_t size)
{
	size_t i = 0;

	while (i < size && (data[i] < '0' || data[i] > '9'))
		i++;
	return i < size;
}

static void check_maps(const uint8_t *data, size_t size)
{
	static struct ktrace_session s = { .dir = SHM_DIR "/ktrace-0-0" };

	REQUIRE(holds(&s, 1) == contains(data, size, "/ktrace-0-0"));
	/* Nothing is limited where there is no number. */
	REQUIRE(ktrace_memory_available() == ~0ull || has_digit(data, size));
}

static void check_notes(const uint8_t *data, size_t size)
{
	char *text = calloc(1, NOTE_TEXT);
	struct text l = { text, NOTE_TEXT, 0 };
	char *copy = aligned_alloc(8, (size + 8) & ~7ul);
	char *at;

	REQUIRE(copy && text);
	/* At the end of the memory, so that one byte too far is seen. */
	at = copy + ((size + 8) & ~7ul) - (size & ~3ul);
	memcpy(at, data, size & ~3ul);
	text_add_build_id(&l, at, at + (size & ~3ul));
	REQUIRE(l.len < NOTE_TEXT && !text[l.len]);
	free(text);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!file.path[0])
		memfile_make(&file);
	memfile_fill(&file, data, size);
	text = malloc(size + 1);
	REQUIRE(text);
	memcpy(text, data, size);
	text[size] = '\0';
	link_text = text;
	check_process(data, size);
	check_maps(data, size);
	check_notes(data, size);
	free(text);
	return 0;
}
