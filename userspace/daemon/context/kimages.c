// SPDX-License-Identifier: GPL-2.0
/*
 * kimages.c - the kernel and its modules: their build ids and addresses
 *
 * With these, a later reader of the trace finds the files with debug information, and can check
 * that they are the right ones.
 */
#include "kimages.h"

#include "base/grow.h"
#include "buildid.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL "vmlinux"
#define NAME_MAX_OF_ONE 64

/* Notes a name. Returns true if it was noted already, or cannot be. */
static bool is_told(struct kimages *k, const char *name)
{
	const size_t size = strlen(name) + 1;

	for (size_t at = 0; at < k->size; at += strlen(k->told + at) + 1)
		if (!strcmp(k->told + at, name))
			return true;
	if (!LIST_RESIZE(k->told, k->size + size))
		return true;
	memcpy(k->told + k->size, name, size);
	k->size += size;
	return false;
}

/* Returns the start of a module's code; 0 = hidden from us */
static __u64 text_of(const char *module)
{
	unsigned long long text = 0;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/%s/sections/.text", module);
	f = fopen(path, "re");
	if (f && fscanf(f, "%llx", &text) != 1)
		text = 0;
	if (f)
		fclose(f);
	return text;
}

static void tell(struct ktrace_text *meta, const char *name)
{
	char path[128] = "/sys/kernel/notes", build[BUILDID_TEXT];
	const bool is_module = strcmp(name, KERNEL);
	const __u64 text = is_module ? text_of(name) : 0;

	if (is_module)
		snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", name);
	ktrace_text_line(meta, "image");
	ktrace_text_str(meta, "name", name);
	if (buildid_of_notes_file(path, build))
		ktrace_text_str(meta, "build", build);
	if (text)
		ktrace_text_u64(meta, "text", text);
}

void kimages_tell(struct kimages *k, struct ktrace_text *meta, const char *symbol)
{
	char name[NAME_MAX_OF_ONE] = KERNEL;
	const char *module = strstr(symbol, " [");

	/* Checks the name even though the kernel chose it: it becomes part of a path here. */
	if (module && (sscanf(module, " [%63[^]/.]", name) != 1))
		return;
	if (!is_told(k, name))
		tell(meta, name);
}

void kimages_free(struct kimages *k)
{
	free(k->told);
	*k = (struct kimages){ NULL, 0 };
}
