// SPDX-License-Identifier: GPL-2.0
/*
 * stats.c - losses in the kernel's statistics of a CPU of a buffer
 *
 * Statistics of instances follow a line "Buffer: NAME", those of a CPU a line "CPU: N".
 */
#include "stats.h"

#include <stdlib.h>
#include <string.h>

/* True if the line has this key; *@value: what follows it. */
static bool has_key(const char *line, const char *key, const char **value)
{
	const size_t n = strlen(key);

	if (strncmp(line, key, n))
		return false;
	*value = line + n;
	return true;
}

static bool is_value(const char *value, const char *text)
{
	const size_t n = strlen(text);

	return !strncmp(value, text, n) && (value[n] == '\n' || !value[n]);
}

static void take_count(const char *line, struct stats *s)
{
	const char *value;

	if (has_key(line, "overrun: ", &value))
		s->overwritten = strtoull(value, NULL, 10);
	else if (has_key(line, "commit overrun: ", &value))
		s->nested = strtoull(value, NULL, 10);
	else if (has_key(line, "dropped events: ", &value))
		s->dropped = strtoull(value, NULL, 10);
}

struct stats stats_find(const struct file *f, const char *buffer, __u32 cpu)
{
	struct stats s = { 0 };
	bool is_buffer = !*buffer, is_cpu = false;

	for (const char *line = f->stats; line && *line; line += strcspn(line, "\n"),
						      line += *line == '\n') {
		const char *value;

		if (has_key(line, "Buffer: ", &value)) {
			is_buffer = is_value(value, buffer);
			is_cpu = false;
		} else if (has_key(line, "CPU: ", &value)) {
			is_cpu = strtoull(value, NULL, 10) == cpu;
		} else if (is_buffer && is_cpu) {
			take_count(line, &s);
		}
	}
	return s;
}
