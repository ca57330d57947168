// SPDX-License-Identifier: GPL-2.0
/*
 * atrace.c - parses marks of Android's programs
 *
 *   B|PID|NAME  E|PID  E  S|PID|NAME|ID  F|PID|NAME|ID  I|PID|NAME  C|PID|NAME|VALUE
 *   C|PID|NAME|VALUE|GROUP  G|PID|TRACK|NAME|ID  H|PID|TRACK|ID  H|PID|TRACK|NAME|ID
 *   N|PID|TRACK|NAME
 *
 * A name may contain '|', except before a number: that is what follows the last one.
 */
#include "atrace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_SIZE 24

/* Cuts the part before the first '|' off the front of a text. */
static bool cut_first(const char **at, size_t *size, const char **part, size_t *part_size)
{
	const char *bar = memchr(*at, '|', *size);

	if (!bar)
		return false;
	*part = *at;
	*part_size = (size_t)(bar - *at);
	*size -= *part_size + 1;
	*at = bar + 1;
	return true;
}

static bool take_number(const char *at, size_t size, __s64 *out)
{
	char text[NUMBER_SIZE], *end;

	while (size && (at[size - 1] == ' ' || at[size - 1] == '\r'))
		size--;
	if (!size || size >= sizeof(text))
		return false;
	memcpy(text, at, size);
	text[size] = 0;
	errno = 0;
	*out = strtoll(text, &end, 10);
	/* Some programs write unsigned numbers. */
	if (errno == ERANGE && *text != '-') {
		errno = 0;
		*out = (__s64)strtoull(text, &end, 10);
	}
	return !*end && !errno;
}

/* Cuts the number after the last '|' off the end of a text. */
static bool cut_number(const char *at, size_t *size, __s64 *out)
{
	const char *bar = memrchr(at, '|', *size);

	if (!bar || !take_number(bar + 1, *size - (size_t)(bar + 1 - at), out))
		return false;
	*size = (size_t)(bar - at);
	return true;
}

/* The same if a group follows the value of a counter: "name|5|group". */
static bool cut_value(const char *at, size_t *size, __s64 *out)
{
	const char *bar = memrchr(at, '|', *size);
	size_t n = bar ? (size_t)(bar - at) : 0;

	if (!n || !cut_number(at, &n, out))
		return false;
	*size = n;
	return true;
}

/* Parses what follows the process. */
static bool take_rest(struct atrace_mark *m, const char *at, size_t size)
{
	switch (m->phase) {
	case 'B':
	case 'I':
		break;
	case 'C':
		if (!cut_number(at, &size, &m->value) && !cut_value(at, &size, &m->value))
			return false;
		break;
	case 'S':
	case 'F':
		if (!cut_number(at, &size, &m->id))
			return false;
		break;
	case 'N':
		if (!cut_first(&at, &size, &m->track, &m->track_size))
			return false;
		break;
	case 'G':
	case 'H':
		if (!cut_number(at, &size, &m->id))
			return false;
		m->track = at;
		m->track_size = size;
		if (!cut_first(&at, &size, &m->track, &m->track_size) && m->phase == 'G')
			return false;
		if (m->track == at)
			return true;
		break;
	default:
		return false;
	}
	m->name = at;
	m->name_size = size;
	return true;
}

bool atrace_is_like(const char *text, size_t size)
{
	return size > 1 && text[1] == '|' && *text && strchr("BEISFCNGH", *text);
}

bool atrace_parse(const char *text, size_t size, struct atrace_mark *m)
{
	const char *pid;
	size_t pid_size;
	__s64 number;

	while (size && (text[size - 1] == '\n' || text[size - 1] == '\r' || text[size - 1] == ' '))
		size--;
	*m = (struct atrace_mark){ .phase = size ? *text : 0 };
	if (size == 1)
		return m->phase == 'E';
	if (!atrace_is_like(text, size))
		return false;
	text += 2;
	size -= 2;
	if (m->phase == 'E') {
		const char *bar = memchr(text, '|', size);

		pid = text;
		pid_size = bar ? (size_t)(bar - text) : size;
		if (pid_size && !take_number(pid, pid_size, &number))
			return false;
		m->pid = pid_size && number > 0 ? (__u32)number : 0;
		return true;
	}
	if (!cut_first(&text, &size, &pid, &pid_size))
		return false;
	/* Chrome writes no process in old marks. */
	if (pid_size && !take_number(pid, pid_size, &number))
		return false;
	m->pid = pid_size && number > 0 ? (__u32)number : 0;
	return take_rest(m, text, size);
}
