// SPDX-License-Identifier: LGPL-2.1
/*
 * glob.c - match an event's name against a session's filter
 *
 * fnmatch(3) without locale and without allocation, over text in shared memory that
 * may change and need not be NUL-terminated: each byte is read inside known bounds.
 */
#include "glob.h"

/* A piece of text, [at, end). */
struct text {
	const char *at;
	const char *end;
};

/* One character against a class whose '[' has been read; moves behind its ']'. */
static bool class_matches(struct text *p, char c)
{
	bool is_negated = p->at < p->end && (*p->at == '!' || *p->at == '^');
	bool is_in = false;
	bool is_first = true;
	char low, high;

	p->at += is_negated;
	while (p->at < p->end && (is_first || *p->at != ']')) {
		is_first = false;
		low = high = *p->at++;
		if (p->end - p->at >= 2 && *p->at == '-' && p->at[1] != ']') {
			high = p->at[1];
			p->at += 2;
		}
		is_in |= low <= c && c <= high;
	}
	p->at += p->at < p->end;
	return is_in != is_negated;
}

/* One pattern. A star that fails later is retried one character further on. */
static bool glob_matches(struct text p, struct text s)
{
	struct text star = { NULL, NULL };
	struct text star_s = s;

	for (;;) {
		if (p.at < p.end && *p.at == '*') {
			p.at++;
			star = p;
			star_s = s;
			continue;
		}
		if (s.at == s.end && p.at == p.end)
			return true;
		if (s.at < s.end && p.at < p.end) {
			char c = *p.at++;

			if (c == '[' ? class_matches(&p, *s.at) : c == '?' || c == *s.at) {
				s.at++;
				continue;
			}
		}
		if (!star.at || star_s.at == star_s.end)
			return false;
		p = star;
		s = star_s;
		s.at = ++star_s.at;
	}
}

/**
 * glob_list_matches - whether a name matches one of several patterns
 * @list:	patterns with * ? [a-z] [!a-z], separated by commas, ended by a NUL
 * @size:	bytes of @list at most
 * @name:	the name
 * @len:	its length
 *
 * Return: true also for an empty list.
 */
bool glob_list_matches(const char *list, size_t size, const char *name, size_t len)
{
	const struct text s = { name, name + len };
	struct text p = { list, list };

	if (!size || !*list)
		return true;
	for (;;) {
		p.at = p.end;
		while (p.end < list + size && *p.end && *p.end != ',')
			p.end++;
		if (glob_matches(p, s))
			return true;
		if (p.end == list + size || !*p.end)
			return false;
		p.end++;
	}
}
