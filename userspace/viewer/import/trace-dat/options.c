// SPDX-License-Identifier: GPL-2.0
/* options.c - the options of a trace.dat file: facts about the recording */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum option {
	OPTION_DONE, OPTION_DATE, OPTION_CPUSTAT, OPTION_BUFFER, OPTION_TRACECLOCK, OPTION_UNAME,
	OPTION_HOOK, OPTION_OFFSET, OPTION_CPUCOUNT, OPTION_VERSION, OPTION_PROCMAPS,
	OPTION_TRACEID, OPTION_TIME_SHIFT, OPTION_GUEST, OPTION_TSC2NSEC, OPTION_STRINGS,
	OPTION_BUFFER_TEXT = 22,
};

#define SMOOTH 1u	/* TIME_SHIFT: interpolate */
#define BUFFERS 1024
#define STATS_MAX (16u << 20)

const char *options_clock(struct file *f, const char *text, size_t size)
{
	const char *from = memchr(text, '[', size);
	const char *end = from ? memchr(from, ']', size - (size_t)(from - text)) : NULL;

	return end ? file_keep(f, from + 1, (size_t)(end - from) - 1) : NULL;
}

/* Appends a line. */
static int append(char **text, size_t *len, const char *more, size_t size)
{
	char *grown;

	if (*len + size > STATS_MAX)
		return 0;
	grown = realloc(*text, *len + size + 2);
	if (!grown)
		return -ENOMEM;
	memcpy(grown + *len, more, size);
	memcpy(grown + *len + size, "\n", 2);
	*text = grown;
	*len += size + 1;
	return 0;
}

static __s64 signed_of(const struct bytes *b)
{
	char text[32] = "";

	memcpy(text, b->data, b->size < sizeof(text) ? b->size : sizeof(text) - 1);
	return strtoll(text, NULL, 0);
}

static int keep_word(struct file *f, const char *from, const char *end, const char **out)
{
	if (from == end)
		return 0;
	*out = file_keep(f, from, (size_t)(end - from));
	return *out ? 0 : -ENOMEM;
}

/* "Linux node 6.1.0-9-amd64 x86_64": the machine is last, with or without the kernel's version. */
static int read_uname(struct file *f, const struct bytes *b)
{
	const char *at = (const char *)b->data, *end = at + strnlen(at, b->size), *blank;
	const char **const words[] = { NULL, &f->host, &f->kernel };
	int ret = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && !ret; i++) {
		blank = memchr(at, ' ', (size_t)(end - at));
		if (!blank)
			return 0;
		if (words[i])
			ret = keep_word(f, at, blank, words[i]);
		at = blank + 1;
	}
	while ((blank = memchr(at, ' ', (size_t)(end - at))))
		at = blank + 1;
	return ret ? ret : keep_word(f, at, end, &f->machine);
}

static int compare_samples(const void *a, const void *b)
{
	const struct file_sample *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

static int read_samples(struct bytes *b, struct file_shift *s)
{
	const __u64 nr = bytes_number(b, 4);

	if (b->is_short || nr > (b->size - b->at) / 24)
		return -EBADMSG;
	s->samples = calloc(nr ? (size_t)nr : 1, sizeof(*s->samples));
	if (!s->samples)
		return -ENOMEM;
	s->nr = (__u32)nr;
	for (__u32 i = 0; i < s->nr; i++)
		s->samples[i].time = (__s64)bytes_number(b, 8);
	for (__u32 i = 0; i < s->nr; i++)
		s->samples[i].offset = (__s64)bytes_number(b, 8);
	for (__u32 i = 0; i < s->nr; i++)
		s->samples[i].scaling = bytes_number(b, 8);
	return 0;
}

/* Sorts samples; of several with one time the first stays. */
static void sort_samples(struct file_shift *s)
{
	__u32 kept = 0;

	qsort(s->samples, s->nr, sizeof(*s->samples), compare_samples);
	for (__u32 i = 0; i < s->nr; i++)
		if (!kept || s->samples[i].time != s->samples[kept - 1].time)
			s->samples[kept++] = s->samples[i];
	s->nr = kept;
}

/* trace-cmd before 3.0 wrote no fractions, and no factors but 1. */
static int read_shifts(struct file *f, struct bytes *b)
{
	__u64 cpus;
	int ret = 0;

	if (f->shifts || b->size < 16)
		return 0;
	f->peer = bytes_number(b, 8);
	f->is_smooth = bytes_number(b, 4) & SMOOTH;
	cpus = bytes_number(b, 4);
	if (cpus > (b->size - b->at) / 4)
		return -EBADMSG;
	f->shifts = calloc(cpus ? (size_t)cpus : 1, sizeof(*f->shifts));
	if (!f->shifts)
		return -ENOMEM;
	f->shift_nr = (__u32)cpus;
	for (__u32 i = 0; i < f->shift_nr && !ret; i++)
		ret = read_samples(b, &f->shifts[i]);
	for (__u32 i = 0; i < f->shift_nr && !ret && b->at < b->size; i++)
		for (__u32 k = 0; k < f->shifts[i].nr; k++)
			f->shifts[i].samples[k].fraction = bytes_number(b, 8);
	for (__u32 i = 0; i < f->shift_nr && !ret; i++)
		sort_samples(&f->shifts[i]);
	f->is_guest = true;
	return ret ? ret : b->is_short ? -EBADMSG : 0;
}

static int read_guest(struct file *f, struct bytes *b)
{
	const char *name = bytes_text(b);
	size_t len = f->guests ? strlen(f->guests) : 0;

	if (!name)
		return -EBADMSG;
	if (!LIST_GROW(f->guest_ids, f->guest_nr, f->guest_cap))
		return -ENOMEM;
	f->guest_ids[f->guest_nr++] = bytes_number(b, 8);
	if (len)
		f->guests[len - 1] = ' ';	/* was '\n' */
	if (!*name)
		name = "(no name)";
	return append(&f->guests, &len, name, strlen(name));
}

static int read_cpus(struct file_buffer *buffer, struct bytes *b)
{
	const __u64 nr = bytes_number(b, 4);

	if (b->is_short || nr > (b->size - b->at) / 20 || nr > FILE_CPUS)
		return -EBADMSG;
	buffer->cpus = calloc(nr ? (size_t)nr : 1, sizeof(*buffer->cpus));
	if (!buffer->cpus)
		return -ENOMEM;
	buffer->cpu_nr = (__u32)nr;
	for (__u32 i = 0; i < buffer->cpu_nr; i++) {
		buffer->cpus[i].cpu = (__u32)bytes_number(b, 4);
		buffer->cpus[i].offset = bytes_number(b, 8);
		buffer->cpus[i].size = bytes_number(b, 8);
	}
	return 0;
}

static int keep_text(struct file *f, struct bytes *b, const char **out)
{
	const char *text = bytes_text(b);

	if (!text)
		return -EBADMSG;
	*out = file_keep(f, text, strlen(text));
	return *out ? 0 : -ENOMEM;
}

static int read_buffer(struct file *f, struct bytes *b, bool is_text)
{
	struct file_buffer *grown, *buffer;
	int ret;

	if (f->buffer_nr >= BUFFERS)
		return -EBADMSG;
	grown = realloc(f->buffers, (f->buffer_nr + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	f->buffers = grown;
	buffer = &grown[f->buffer_nr];
	*buffer = (struct file_buffer){
		.offset = bytes_number(b, 8), .is_text = is_text, .page_size = f->page_size,
	};
	ret = keep_text(f, b, &buffer->name);
	if (!ret && f->version > 6)
		ret = keep_text(f, b, &buffer->clock);
	if (ret)
		return ret;
	f->buffer_nr++;
	if (f->version < 7 || is_text)
		return 0;
	buffer->page_size = (__u32)bytes_number(b, 4);
	return read_cpus(buffer, b);
}

static int read_clock_option(struct file *f, const struct bytes *b)
{
	const char *clock = options_clock(f, (const char *)b->data, b->size);

	if (clock)
		f->clock = clock;
	f->has_clock_list = true;
	return 0;
}

static void read_tsc(struct file *f, struct bytes *b)
{
	if (b->size < 16)
		return;
	f->tsc_mult = (__u32)bytes_number(b, 4);
	f->tsc_shift = (__u32)bytes_number(b, 4);
}

static int take_option(struct file *f, unsigned int id, struct bytes *b)
{
	switch (id) {
	case OPTION_DATE:
		f->date_ns += signed_of(b) * 1000;
		f->has_date = true;
		return 0;
	case OPTION_OFFSET:
		f->offset_ns += signed_of(b);
		return 0;
	case OPTION_CPUSTAT:
		return append(&f->stats, &f->stats_size, (const char *)b->data,
			      strnlen((const char *)b->data, b->size));
	case OPTION_BUFFER:
	case OPTION_BUFFER_TEXT:
		return read_buffer(f, b, id == OPTION_BUFFER_TEXT);
	case OPTION_TRACECLOCK:
		return read_clock_option(f, b);
	case OPTION_UNAME:
		return read_uname(f, b);
	case OPTION_CPUCOUNT:
		f->cpu_nr = (__u32)bytes_number(b, 4);
		return 0;
	case OPTION_VERSION:
		return keep_text(f, b, &f->writer) == -ENOMEM ? -ENOMEM : 0;
	case OPTION_TRACEID:
		f->id = bytes_number(b, 8);
		return 0;
	case OPTION_TIME_SHIFT:
		return read_shifts(f, b);
	case OPTION_GUEST:
		return read_guest(f, b);
	case OPTION_TSC2NSEC:
		read_tsc(f, b);
		return 0;
	}
	if (id >= FILE_HEADER_INFO && id <= FILE_CMDLINES)
		f->section[id] = bytes_number(b, 8);
	return 0;
}

int options_read(struct file *f, struct bytes *b, __u64 *next)
{
	*next = 0;
	for (;;) {
		const unsigned int id = (unsigned int)bytes_number(b, 2);
		struct bytes option = { .is_big = b->is_big };
		int ret;

		if (id == OPTION_DONE && f->version < 7)
			return b->is_short ? -EBADMSG : 0;
		option.size = (size_t)bytes_number(b, 4);
		option.data = bytes_take(b, option.size);
		if (!option.data)
			return -EBADMSG;
		if (id == OPTION_DONE) {
			*next = bytes_number(&option, 8);
			return 0;
		}
		ret = take_option(f, id, &option);
		if (ret == -EBADMSG)
			file_damage(f, option.data, "an option");
		else if (ret)
			return ret;
	}
}
