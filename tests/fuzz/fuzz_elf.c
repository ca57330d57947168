// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_elf.c - event descriptions in hostile programs and libraries
 *
 * The input is a file that claims to be ELF. Descriptions come in order, each once, and
 * only strings that are in the file.
 */
#include <elf.h>

#include "fuzz.h"

#include "../../userspace/viewer/events/elf_events.c"

#include <ktrace/decode.h>

static struct memfile file;

/* struct shown - what has been shown so far */
struct shown {
	const uint8_t *data;
	size_t size;
	char *last;
};

void complain_about(const char *path, const char *format, ...)
{
	REQUIRE(path && format);
}

static void show(void *arg, const char *desc)
{
	struct ktrace_event_type *type;
	struct shown *s = arg;

	REQUIRE(memmem(s->data, s->size, desc, strlen(desc) + 1));
	REQUIRE(!s->last || strcmp(s->last, desc) < 0);
	free(s->last);
	s->last = strdup(desc);
	if (!ktrace_event_type_parse(desc, &type))
		ktrace_event_type_free(type);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shown s = { data, size, NULL };

	if (!file.path[0])
		memfile_make(&file);
	memfile_fill(&file, data, size);
	REQUIRE(elf_is_object(file.path) == (size >= 4 && !memcmp(data, ELFMAG, SELFMAG)));
	elf_events(file.path, show, &s);
	free(s.last);
	return 0;
}
