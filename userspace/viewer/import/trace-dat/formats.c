// SPDX-License-Identifier: GPL-2.0
/*
 * formats.c - what a trace.dat file says of its events, functions and threads, for libtraceevent
 *
 * The parts are in the order of version 6, where each begins at the end of the one before.
 */
#include "formats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/viewer.h"

/* libtraceevent's messages are counted, not printed: it prints some on standard output. */
int tep_vprint(const char *name, enum tep_loglevel level, bool print_err, const char *fmt,
	       va_list ap);
int tep_vprint(const char *name, enum tep_loglevel level, bool print_err, const char *fmt,
	       va_list ap)
{
	(void)name;
	(void)level;
	(void)print_err;
	(void)fmt;
	(void)ap;
	return 0;
}

static void keep_failure(struct formats *m, const char *system, const char *text, size_t size)
{
	const char *end = memchr(text, '\n', size);
	int n = end ? (int)(end - text) : 0;

	if (n > 6 && !memcmp(text, "name: ", 6)) {
		text += 6;
		n -= 6;
	}
	if (!m->failed++)
		snprintf(m->first, sizeof(m->first), "%.40s:%.*s", system, n < 64 ? n : 64, text);
}

static int read_header(struct formats *m, struct file *f, struct bytes *b)
{
	const char *word = bytes_take(b, 12);
	__u64 size = bytes_number(b, 8);
	const char *page = bytes_take(b, size);

	(void)f;
	if (!page || memcmp(word, "header_page", 12))
		return -EBADMSG;
	tep_parse_header_page(m->tep, (char *)page, (unsigned long)size, (int)f->long_size);
	m->page_long = (unsigned int)tep_get_header_page_size(m->tep);
	word = bytes_take(b, 13);
	size = bytes_number(b, 8);
	return bytes_take(b, size) && !memcmp(word, "header_event", 13) ? 0 : -EBADMSG;
}

static void keep_switch(struct formats *m, const char *system, const char *text, size_t size)
{
	static const char name[] = "name: sched_switch\n";

	if (m->switch_text || strcmp(system, "sched") || size < sizeof(name) ||
	    memcmp(text, name, sizeof(name) - 1))
		return;
	m->switch_text = strndup(text, size);
}

/* An event whose "print fmt" is beyond libtraceevent has its fields nonetheless. */
static int read_event(struct formats *m, struct bytes *b, const char *system)
{
	const __u64 size = bytes_number(b, 8);
	const char *text = bytes_take(b, size);
	const int before = tep_get_events_count(m->tep);

	if (!text)
		return -EBADMSG;
	keep_switch(m, system, text, (size_t)size);
	if (tep_parse_event(m->tep, text, (unsigned long)size, system) &&
	    tep_get_events_count(m->tep) == before)
		keep_failure(m, system, text, (size_t)size);
	return 0;
}

static int read_ftrace(struct formats *m, struct file *f, struct bytes *b)
{
	const __u64 nr = bytes_number(b, 4);
	int ret = b->is_short ? -EBADMSG : 0;

	(void)f;
	for (__u64 i = 0; i < nr && !ret; i++)
		ret = read_event(m, b, "ftrace");
	return ret;
}

static int read_events(struct formats *m, struct file *f, struct bytes *b)
{
	const __u64 systems = bytes_number(b, 4);
	int ret = b->is_short ? -EBADMSG : 0;

	(void)f;
	for (__u64 i = 0; i < systems && !ret; i++) {
		const char *system = bytes_text(b);
		const __u64 nr = bytes_number(b, 4);

		ret = system && !b->is_short ? 0 : -EBADMSG;
		for (__u64 k = 0; k < nr && !ret; k++)
			ret = read_event(m, b, system);
	}
	return ret;
}

/* Takes text of a size that is a number of @width bytes, with a NUL after it; NULL: none. */
static int take_text(struct bytes *b, unsigned int width, char **out)
{
	const __u64 size = bytes_number(b, width);
	const char *text = bytes_take(b, size);

	*out = text ? strndup(text, (size_t)size) : NULL;
	if (!text)
		return -EBADMSG;
	return *out ? 0 : -ENOMEM;
}

static int read_kallsyms(struct formats *m, struct file *f, struct bytes *b)
{
	char *text;
	int ret = take_text(b, 4, &text);

	(void)f;
	if (!ret && *text)
		tep_parse_kallsyms(m->tep, text);
	free(text);
	return ret;
}

/* Registers a line "0xADDRESS : "TEXT"". libtraceevent reads before strings below 2 bytes. */
static void take_printk(struct formats *m, const char *line, size_t size)
{
	char *text = strndup(line, size), *end;
	const __u64 address = text ? strtoull(text, &end, 0) : 0;
	const char *from = text ? strchr(end, '"') : NULL;
	const size_t n = from ? strlen(from) : 0;
	char padded[] = "\"x\\n\"";

	if (n >= 4 && from[n - 1] == '"') {
		tep_register_print_string(m->tep, from, address);
	} else if (n == 3 && from[2] == '"') {
		padded[1] = from[1];
		tep_register_print_string(m->tep, padded, address);
	}
	free(text);
}

static int read_printk(struct formats *m, struct file *f, struct bytes *b)
{
	char *text;
	int ret = take_text(b, 4, &text);

	(void)f;
	for (const char *line = text; line && *line; line += *line == '\n') {
		const size_t n = strcspn(line, "\n");

		take_printk(m, line, n);
		line += n;
	}
	free(m->printk);
	m->printk = text;
	return ret;
}

static int read_threads(struct formats *m, struct file *f, struct bytes *b)
{
	char *text;
	int ret = take_text(b, 8, &text);

	(void)f;
	if (!ret && *text)
		tep_parse_saved_cmdlines(m->tep, text);
	free(text);
	return ret;
}

static int read_tail(struct formats *m, struct file *f, struct bytes *b)
{
	(void)m;
	return file_read_tail(f, b);
}

static const struct part {
	enum file_section section;
	const char *name;
	int (*read)(struct formats *m, struct file *f, struct bytes *b);
} parts[] = {
	{ FILE_HEADER_INFO, "the format of pages", read_header },
	{ FILE_FTRACE_EVENTS, "formats of ftrace's own events", read_ftrace },
	{ FILE_EVENT_FORMATS, "formats of events", read_events },
	{ FILE_KALLSYMS, "names of functions", read_kallsyms },
	{ FILE_PRINTK, "formats of trace_printk()", read_printk },
	{ FILE_CMDLINES, "names of threads", read_threads },
	{ 0, "the list of CPUs", read_tail },
};

#define PARTS (sizeof(parts) / sizeof(parts[0]))

/* A damaged part of version 6 hides all that follow it. */
static int read_sequence(struct formats *m, struct file *f)
{
	struct bytes b = f->all;
	int ret = 0;

	b.at = (size_t)f->section[FILE_HEADER_INFO];
	for (size_t i = 0; i < PARTS && !ret; i++) {
		ret = parts[i].read(m, f, &b);
		if (ret == -EBADMSG)
			file_damage(f, b.data + b.at, parts[i].name);
	}
	return ret;
}

static int read_sections(struct formats *m, struct file *f)
{
	int ret = 0;

	for (size_t i = 0; i < PARTS && parts[i].section && ret != -ENOMEM; i++) {
		struct bytes b;
		void *memory;

		ret = file_open_section(f, parts[i].section, &b, &memory);
		if (!ret && b.size)
			ret = parts[i].read(m, f, &b);
		if (ret == -EBADMSG)
			file_damage(f, b.data + b.at, parts[i].name);
		free(memory);
	}
	return ret;
}

int formats_read(struct formats *m, struct file *f)
{
	int ret;

	*m = (struct formats){ .tep = tep_alloc() };
	if (!m->tep)
		return -ENOMEM;
	tep_set_file_bigendian(m->tep, f->all.is_big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(m->tep, (int)f->long_size);
	ret = f->version > 6 ? read_sections(m, f) : read_sequence(m, f);
	if (m->page_long != 4 && m->page_long != 8)
		m->page_long = f->long_size;
	if (ret != -EBADMSG && ret)
		return ret;
	if (!tep_is_old_format(m->tep))
		return 0;
	complain_about(f->path, "pages of Linux before 2.6.31 cannot be read");
	return -ECANCELED;
}

void formats_free(struct formats *m)
{
	tep_free(m->tep);
	free(m->printk);
	free(m->switch_text);
}
