// SPDX-License-Identifier: GPL-2.0
/* file.c - a file of trace-cmd: its header, options, and where its parts are */
#include "file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/viewer.h"
#include "options.h"

#define MAGIC "\x17\x08\x44tracing"
#define SECTION_PACKED 1u
#define BUFFER 3u		/* kinds of sections */
#define BUFFER_TEXT 22u
#define LISTS 1024		/* of options */
#define PAGE_MIN 64u
#define PAGE_MAX (64u << 20)

int file_damage(struct file *f, const void *at, const char *what)
{
	const unsigned char *p = at;

	if (!f->damaged) {
		f->damaged = what;
		if (p >= f->all.data && p <= f->all.data + f->all.size)
			f->damage = (__u64)(p - f->all.data);
	}
	return -EBADMSG;
}

static int damage_here(struct file *f, const struct bytes *b, const char *what)
{
	return file_damage(f, b->data + b->at, what);
}

const char *file_keep(struct file *f, const char *text, size_t size)
{
	char **grown = realloc(f->texts, (f->text_nr + 1) * sizeof(*grown));

	if (!grown)
		return NULL;
	f->texts = grown;
	grown[f->text_nr] = strndup(text, size);
	return grown[f->text_nr] ? grown[f->text_nr++] : NULL;
}

static int map_file(struct file *f)
{
	const int fd = open(f->path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *all = MAP_FAILED;
	int ret = fd < 0 || fstat(fd, &st) ? -errno : 0;

	if (!ret && (!S_ISREG(st.st_mode) || !st.st_size))
		ret = -EMEDIUMTYPE;
	if (!ret) {
		all = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		ret = all == MAP_FAILED ? -errno : 0;
	}
	if (!ret) {
		f->all.data = all;
		f->all.size = (size_t)st.st_size;
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

/* "trace.dat.cpu0": trace-cmd record has such a file for each CPU until it ends. */
static bool is_fragment(const char *path)
{
	const char *cpu = strrchr(path, '.');

	return cpu && !strncmp(cpu, ".cpu", 4) && isdigit((unsigned char)cpu[4]);
}

static int refuse(const struct file *f)
{
	const size_t n = f->all.size < 4096 ? f->all.size : 4096;

	if (is_fragment(f->path))
		complain_about(f->path, "the pages of one CPU, of a recording that was not "
			       "finished: 'trace-cmd restore' makes a trace.dat of all of them");
	else if (n && f->all.data[0] == '{' && memmem(f->all.data, n, "kshark", 6))
		complain_about(f->path, "a session of KernelShark, which has no events: import the "
			       "trace that it names");
	else
		complain_about(f->path, "damaged, or not a file of trace-cmd");
	return -ECANCELED;
}

static int read_codec(struct file *f, struct bytes *b)
{
	const char *name = bytes_text(b), *version = bytes_text(b);

	if (!version)
		return damage_here(f, b, "the name of the compression");
	f->codec = compress_codec(name);
	if (f->codec != COMPRESS_UNKNOWN)
		return 0;
	complain_about(f->path, "compressed with %s %s: only zlib and zstd can be read", name,
		       version);
	return -ECANCELED;
}

/* Reads what comes first in each file. */
static int read_start(struct file *f, struct bytes *b)
{
	const char *version;

	if (f->all.size < sizeof(MAGIC) || memcmp(f->all.data, MAGIC, sizeof(MAGIC) - 1))
		return refuse(f);
	b->at = sizeof(MAGIC) - 1;
	version = bytes_text(b);
	f->version = version ? (unsigned int)strtoul(version, NULL, 10) : 0;
	if (version && f->version != 6 && f->version != 7) {
		complain_about(f->path, "version %s of the format: only 6 and 7 can be read",
			       version);
		return -ECANCELED;
	}
	f->all.is_big = b->is_big = bytes_number(b, 1);
	f->long_size = (unsigned int)bytes_number(b, 1);
	f->page_size = (__u32)bytes_number(b, 4);
	if (b->is_short || (f->long_size != 4 && f->long_size != 8) || f->page_size < PAGE_MIN ||
	    f->page_size > PAGE_MAX)
		return damage_here(f, b, "the sizes of a long and of a page");
	return f->version > 6 ? read_codec(f, b) : 0;
}

/* Opens the section at a position; *@flags: of its header. Return: 0, -EBADMSG. */
static int section_at(const struct file *f, __u64 at, unsigned int id, struct bytes *out,
		      unsigned int *flags)
{
	struct bytes b = f->all;
	__u64 size;
	unsigned int found;

	b.at = at < b.size ? (size_t)at : b.size;
	*out = b;
	found = (unsigned int)bytes_number(&b, 2);
	*flags = (unsigned int)bytes_number(&b, 2);
	bytes_number(&b, 4);
	size = bytes_number(&b, 8);
	if (b.is_short || found != id)
		return -EBADMSG;
	*out = (struct bytes){ .data = b.data + b.at, .is_big = b.is_big,
			       .size = b.size - b.at < size ? b.size - b.at : (size_t)size };
	return 0;
}

static int open_packed(const struct file *f, __u64 at, unsigned int id, struct bytes *out,
		       void **memory)
{
	unsigned int flags;
	int ret = section_at(f, at, id, out, &flags);

	*memory = NULL;
	if (ret || !(flags & SECTION_PACKED))
		return ret;
	ret = compress_read(out, f->codec, memory, &out->size);
	if (!ret) {
		out->data = *memory;
		out->at = 0;
	}
	return ret;
}

int file_open_section(const struct file *f, enum file_section section, struct bytes *out,
		      void **memory)
{
	*memory = NULL;
	*out = (struct bytes){ .data = f->all.data };
	if (!f->section[section])
		return 0;
	return open_packed(f, f->section[section], section, out, memory);
}

/* Version 7: follows the chain of lists of options. */
static int read_lists(struct file *f, __u64 at)
{
	int ret = 0;

	for (int i = 0; at && i < LISTS && !ret; i++) {
		struct bytes list;
		void *memory;

		ret = open_packed(f, at, 0, &list, &memory);
		if (!ret)
			ret = options_read(f, &list, &at);
		if (ret == -EBADMSG)
			damage_here(f, &list, "options");
		free(memory);
	}
	return ret;
}

/* Moves the top buffer to the front. */
static void sort_buffers(struct file *f)
{
	for (__u32 i = 1; i < f->buffer_nr; i++)
		if (!*f->buffers[i].name && *f->buffers[0].name) {
			struct file_buffer top = f->buffers[i];

			f->buffers[i] = f->buffers[0];
			f->buffers[0] = top;
		}
}

/* Version 7: looks at the headers of buffers. */
static void check_buffers(struct file *f)
{
	for (__u32 i = 0; i < f->buffer_nr; i++) {
		struct file_buffer *buffer = &f->buffers[i];
		struct bytes b;
		unsigned int flags = 0;

		int ret = section_at(f, buffer->offset, buffer->is_text ? BUFFER_TEXT : BUFFER, &b,
				     &flags);

		if (!buffer->is_text && (buffer->page_size < PAGE_MIN ||
					 buffer->page_size > PAGE_MAX))
			ret = -EBADMSG;
		if (ret) {
			damage_here(f, &b, "a buffer");
			buffer->cpu_nr = 0;
		}
		buffer->is_packed = flags & SECTION_PACKED;
	}
}

int file_open(struct file *f, const char *path)
{
	struct bytes b;
	int ret;

	*f = (struct file){ .path = path };
	ret = map_file(f);
	if (ret == -EMEDIUMTYPE)
		return refuse(f);
	if (ret) {
		complain_about(path, "%s", strerror(-ret));
		return -ECANCELED;
	}
	b = f->all;
	ret = read_start(f, &b);
	if (!ret && f->version > 6) {
		ret = read_lists(f, bytes_number(&b, 8));
		sort_buffers(f);
		check_buffers(f);
	} else if (!ret) {
		f->section[FILE_HEADER_INFO] = b.at;
	}
	if (ret == -ECANCELED || ret == -ENOMEM)
		file_close(f);
	return ret == -EBADMSG ? 0 : ret;
}

/* The list of CPUs of a buffer in version 6, after "flyrecord" */
static int read_cpus(struct file *f, struct file_buffer *buffer, struct bytes *b)
{
	if (f->cpu_nr > (b->size - b->at) / 16 || f->cpu_nr > FILE_CPUS)
		return damage_here(f, b, "the list of CPUs");
	buffer->cpus = calloc(f->cpu_nr ? f->cpu_nr : 1, sizeof(*buffer->cpus));
	if (!buffer->cpus)
		return -ENOMEM;
	buffer->cpu_nr = f->cpu_nr;
	for (__u32 i = 0; i < f->cpu_nr; i++) {
		buffer->cpus[i].cpu = i;
		buffer->cpus[i].offset = bytes_number(b, 8);
		buffer->cpus[i].size = bytes_number(b, 8);
	}
	return 0;
}

/* Reads a word of 10 bytes and the list of CPUs, or text of a tracer after it. */
static int read_buffer(struct file *f, struct file_buffer *buffer, struct bytes *b)
{
	__u64 next;
	const char *word = bytes_take(b, 10);
	int ret;

	if (word && !memcmp(word, "options", 7)) {
		ret = options_read(f, b, &next);
		if (ret)
			return ret == -EBADMSG ? damage_here(f, b, "options") : ret;
		word = bytes_take(b, 10);
	}
	if (word && !memcmp(word, "latency", 7)) {
		buffer->is_text = true;
		buffer->offset = b->at;
		return 0;
	}
	if (!word || memcmp(word, "flyrecord", 9))
		return damage_here(f, b, "the kind of a buffer");
	return read_cpus(f, buffer, b);
}

/* The clock, after the list of CPUs of the top buffer */
static void read_clock(struct file *f, struct bytes *b)
{
	const __u64 size = bytes_number(b, 8);
	const char *text = bytes_take(b, size), *clock;

	clock = text ? options_clock(f, text, (size_t)size) : NULL;
	if (clock)
		f->clock = clock;
}

int file_read_tail(struct file *f, struct bytes *b)
{
	struct file_buffer top = { .name = "", .page_size = f->page_size };
	struct file_buffer *grown;
	int ret;

	f->cpu_nr = (__u32)bytes_number(b, 4);
	ret = read_buffer(f, &top, b);
	if (!ret && !top.is_text && f->has_clock_list)
		read_clock(f, b);
	for (__u32 i = 0; i < f->buffer_nr && !ret; i++) {
		struct bytes at = f->all;

		at.at = f->buffers[i].offset < at.size ? (size_t)f->buffers[i].offset : at.size;
		ret = read_buffer(f, &f->buffers[i], &at);
	}
	grown = realloc(f->buffers, (f->buffer_nr + 1) * sizeof(*grown));
	if (!grown) {
		free(top.cpus);
		return -ENOMEM;
	}
	f->buffers = grown;
	memmove(grown + 1, grown, f->buffer_nr++ * sizeof(*grown));
	grown[0] = top;
	return ret;
}

void file_close(struct file *f)
{
	for (__u32 i = 0; i < f->buffer_nr; i++)
		free(f->buffers[i].cpus);
	for (__u32 i = 0; i < f->shift_nr; i++)
		free(f->shifts[i].samples);
	for (size_t i = 0; i < f->text_nr; i++)
		free(f->texts[i]);
	free(f->buffers);
	free(f->shifts);
	free(f->texts);
	free(f->stats);
	free(f->guests);
	free(f->guest_ids);
	if (f->all.data)
		munmap((void *)f->all.data, f->all.size);
	*f = (struct file){ .path = f->path };
}
