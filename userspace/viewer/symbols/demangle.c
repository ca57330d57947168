// SPDX-License-Identifier: GPL-2.0
/*
 * demangle.c - names of functions as in their source
 *
 * C++ names are demangled if the C++ library is installed. Symbol versions are removed.
 */
#include "demangle.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The time of the library grows with the square of the length. */
#define MANGLED_MAX 2000

struct demangled {
	struct demangled *next;
	char *text;
};

static char *demangle_one(const char *name)
{
	static char *(*function)(const char *, char *, size_t *, int *);
	static bool is_loaded;
	void *library;

	if (!is_loaded) {
		is_loaded = true;
		library = dlopen("libstdc++.so.6", RTLD_NOW);
		if (library)
			*(void **)&function = dlsym(library, "__cxa_demangle");
	}
	return function ? function(name, NULL, NULL, NULL) : NULL;
}

const char *demangle(struct demangled **list, const char *name)
{
	struct demangled *d;
	char *text = NULL;

	if (strchr(name, '@'))
		text = strndup(name, strcspn(name, "@"));
	else if (!strncmp(name, "_Z", 2) && strlen(name) <= MANGLED_MAX)
		text = demangle_one(name);
	d = text ? malloc(sizeof(*d)) : NULL;
	if (!d) {
		free(text);
		return name;
	}
	*d = (struct demangled){ *list, text };
	*list = d;
	return text;
}

void demangle_free(struct demangled **list)
{
	struct demangled *d;

	while ((d = *list)) {
		*list = d->next;
		free(d->text);
		free(d);
	}
}
