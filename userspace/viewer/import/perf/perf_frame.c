// SPDX-License-Identifier: GPL-2.0
/*
 * perf_frame.c - parses an address with what perf knows about its code
 *
 *   ffffffff810a3b2c do_idle+0x1c ([kernel.kallsyms])
 *       7f3bed0cb63e0 ns::f(int, char const*) const (/usr/lib/libx.so (deleted))
 *       7f3bed0cb63e0 g (inlined)
 *
 * Names of C++ and of files contain blanks and parentheses: the file's name is what is in the last
 * pair of parentheses with a blank in front of it.
 */
#include "perf_frame.h"

#include <stdlib.h>
#include <string.h>

#define COLUMN 16
#define INLINED "(inlined)"

static size_t hex_len(const char *s)
{
	return strspn(s, "0123456789abcdef");
}

static void trim(char *s)
{
	for (size_t n = strlen(s); n && (s[n - 1] == ' ' || s[n - 1] == '\r'); n--)
		s[n - 1] = 0;
}

/* Cuts off "(FILE)" at the end; NULL: there is none. */
static char *cut_file(char *s)
{
	size_t n = strlen(s), depth = 0;

	if (!n || s[n - 1] != ')')
		return NULL;
	while (n--) {
		depth += s[n] == ')';
		depth -= s[n] == '(';
		if (!depth)
			break;
	}
	if (depth || (n && s[n - 1] != ' '))
		return NULL;
	s[strlen(s) - 1] = 0;
	s[n] = 0;
	return s + n + 1;
}

/* Cuts off "+0x12" at the end. */
static bool cut_offset(char *s, __u64 *offset)
{
	char *plus = NULL, *end;

	for (char *at = strstr(s, "+0x"); at; at = strstr(at + 1, "+0x"))
		plus = at;
	if (!plus || !plus[3])
		return false;
	*offset = strtoull(plus + 3, &end, 16);
	if (*end)
		return false;
	*plus = 0;
	return true;
}

static const char *known(const char *s)
{
	return s && *s && strcmp(s, "[unknown]") ? s : NULL;
}

bool perf_frame_parse(char *s, struct perf_frame *out)
{
	__u64 in_file;
	size_t n;
	char *file;

	*out = (struct perf_frame){ 0 };
	s += strspn(s, " \t");
	n = hex_len(s);
	if (!n || n > COLUMN || (s[n] && s[n] != ' ' && s[n] != '\t'))
		return false;
	out->address = strtoull(s, NULL, 16);
	s += n + strspn(s + n, " \t");
	trim(s);
	n = strlen(s);
	if (n >= strlen(INLINED) && !strcmp(s + n - strlen(INLINED), INLINED)) {
		out->code.is_inlined = true;
		s[n - strlen(INLINED)] = 0;
		trim(s);
	}
	file = cut_file(s);
	if (file)
		cut_offset(file, &in_file);
	trim(s);
	out->code.has_offset = cut_offset(s, &out->code.offset);
	out->code.function = known(s);
	out->code.module = known(file);
	return true;
}

bool perf_frame_source(char *s, struct perf_frame *frame)
{
	char *colon;

	trim(s);
	s += strspn(s, " \t");
	colon = strrchr(s, ':');
	if (!colon || colon == s || !colon[1] || colon[1 + strspn(colon + 1, "0123456789?")] ||
	    strchr(s, ' '))
		return false;
	*colon = 0;
	frame->code.file = strcmp(s, "??") ? s : NULL;
	frame->code.line = (__u32)strtoul(colon + 1, NULL, 10);
	return true;
}

static bool ends_with(const char *s, const char *end)
{
	const size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

bool perf_frame_is_kernel(const struct perf_frame *frame)
{
	static const char *const user[] = {
		"[vdso", "[vsyscall", "[heap", "[stack", "[anon", "[uprobes", NULL,
	};
	const char *module = frame->code.module;

	if (!module || !strncmp(module, "bpf_", 4))
		return frame->address >> 63;
	if (*module == '[') {
		for (int i = 0; user[i]; i++)
			if (!strncmp(module, user[i], strlen(user[i])))
				return false;
		return true;
	}
	return ends_with(module, ".ko") || ends_with(module, ".ko.gz") ||
	       ends_with(module, ".ko.xz") || ends_with(module, ".ko.zst") ||
	       strstr(module, "/vmlinux") || ends_with(module, "/kcore");
}

char *perf_frame_find(char *s)
{
	char *last = NULL;
	size_t n, blanks;

	for (char *at = s; *at; at++) {
		n = hex_len(at);
		if (!n || n > COLUMN || (at[n] && at[n] != ' ') || (at > s && at[-1] != ' '))
			continue;
		for (blanks = 0; at - blanks > s && at[-1 - (ptrdiff_t)blanks] == ' ';)
			blanks++;
		/* The column begins after the blank that separates it. */
		if (blanks + n >= COLUMN)
			last = at;
		at += n - 1;
	}
	return last;
}
