// SPDX-License-Identifier: GPL-2.0
/*
 * default_path.c - chooses the name of a trace if none was given
 *
 *   app-20260131-235959-1234.bin
 *
 * Two ktraced of one machine have different pids. Those of two containers may have the same pid
 * and share a folder: then one gets a number after its name.
 */
#include "default_path.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "parts.h"

#define STEM_SIZE 64
#define TRIES 100u

/* Reduces the command's name to characters that need no quotes in a shell and hide no file. */
static void make_stem(char stem[STEM_SIZE], char **argv)
{
	const char *slash = argv ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : argv ? argv[0] : "ktraced";

	snprintf(stem, STEM_SIZE, "%s", *name ? name : "ktraced");
	for (char *at = stem; *at; at++)
		if (!isalnum((unsigned char)*at) && (at == stem || !strchr("+-._", *at)))
			*at = '_';
}

static bool is_free(const char *name)
{
	char *part = parts_name(name, 1);
	bool is_there = !access(name, F_OK) || (part && !access(part, F_OK));

	free(part);
	return !is_there;
}

char *default_path(const char *folder, char **argv)
{
	char stem[STEM_SIZE], date[32] = "", more[16] = "", *name;
	time_t now = time(NULL);
	struct tm local;

	make_stem(stem, argv);
	if (localtime_r(&now, &local))
		strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &local);
	for (unsigned int i = 2;; i++) {
		if (asprintf(&name, "%s%s-%s-%d%s.bin", folder, stem, date, getpid(), more) < 0)
			return NULL;
		if (i > TRIES || is_free(name))
			return name;
		free(name);
		snprintf(more, sizeof(more), "-%u", i);
	}
}
