// SPDX-License-Identifier: GPL-2.0
/*
 * kprobe.c - creates, finds and removes dynamic probes on functions of the kernel
 *
 * A probe is a line in tracefs's kprobe_events and from then on an event like others:
 *
 *   p:GROUP/ePID_N FUNCTION[+OFFSET] [ARGUMENT...]
 *
 * GROUP is ktrace_PID_START of this process: a later ktraced can recognise the probes of one that
 * died. The kernel refuses to remove a probe that a session still uses.
 */
#include "kprobe.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/proc_stat.h"
#include "kprobe_args.h"
#include "noprobe.h"
#include "tracefs.h"

#define PREFIX "ktrace_"
#define EVENTS "kprobe_events"
/* Calls whose return may be pending at a time: functions that sleep have many */
#define RETURNS_MAX 1024

static const char *behind_prefix(const char *item)
{
	return strncmp(item, "kprobe:", 7) && strncmp(item, "kretprobe:", 10) ? NULL :
		strchr(item, ':') + 1;
}

bool kprobe_is(const char *item)
{
	return behind_prefix(item);
}

/* Returns the length of the function's name or pattern. */
static size_t function_len(const char *item)
{
	const char *at = behind_prefix(item);

	return strcspn(at, "+% ");
}

bool kprobe_is_pattern(const char *item)
{
	const char *at = behind_prefix(item);

	return at && strcspn(at, "*?[") < function_len(item);
}

char *kprobe_pattern(const char *item)
{
	return strndup(behind_prefix(item), function_len(item));
}

char *kprobe_expand(const char *item, const char *function)
{
	const char *at = behind_prefix(item);
	char *one;

	if (asprintf(&one, "%.*s%s%s", (int)(at - item), item, function,
		     at + function_len(item)) < 0)
		return NULL;
	return one;
}

bool kprobe_matches(const char *item, const char *other)
{
	const char *at = behind_prefix(item), *function = behind_prefix(other);
	char *pattern, *name;
	bool matches;

	if (!strcmp(item, other))
		return true;
	if (!kprobe_is_pattern(item) || at - item != function - other ||
	    strcmp(at + function_len(item), function + function_len(other)))
		return false;
	pattern = kprobe_pattern(item);
	name = kprobe_pattern(other);
	matches = pattern && name && !strchr(pattern, ':') == !strchr(name, ':') &&
		  !fnmatch(pattern, name, 0);
	free(pattern);
	free(name);
	return matches;
}

/* Replaces characters that names of events cannot have: a module's ':' becomes '.'. */
char *kprobe_name(const char *item)
{
	const char *probe = behind_prefix(item);
	size_t n = (size_t)(probe - item) + strcspn(probe, " ");
	char *name = strndup(item, n);

	for (char *at = name ? name + (probe - item) : NULL; at && *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("_.-+", *at))
			*at = *at == ':' ? '.' : '_';
	return name;
}

static void name_group(struct kprobes *k)
{
	unsigned long pid = (unsigned long)getpid();
	struct proc_stat stat;

	if (*k->group)
		return;
	proc_stat_of(pid, &stat);
	snprintf(k->group, sizeof(k->group), PREFIX "%lu_%llu", pid, stat.start);
}

/* Writes three lines: the error, the text, and a mark below the place. */
static void put_reason(char *reason, const char *what, const char *item, size_t column)
{
	if (!reason)
		return;
	snprintf(reason, KPROBE_REASON_MAX, "%s, column %zu:\n  %s\n  %*s^", what, column + 1,
		 item, (int)column, "");
}

/*
 * Replaces the kernel's general messages for functions that allow no probe: they say only that
 * probing failed, or that the name is wrong. Return: the reason.
 */
static const char *explain(const char *what, const char *item, int error, char *buf, size_t size)
{
	if (strcmp(what, "Failed to register probe event") &&
	    strcmp(what, "Invalid probed address or symbol"))
		return what;
	noprobe_why(behind_prefix(item), error, buf, size);
	return buf;
}

/*
 * Looks up in error_log why the kernel refused @line with @error. Puts the reason, @item and a mark
 * below the place into @reason. Returns false if error_log has no entry for the line.
 */
static bool kernel_reason(char *reason, const char *line, const char *item, size_t head, int error)
{
	static const char begin[] = "\n  Command: ";
	char *log = tracefs_read("error_log"), *at = log, *found = NULL;
	char *what, *mark, why[256];
	size_t column;

	while (at && (at = strstr(at, begin))) {
		at += strlen(begin);
		if (!strncmp(at, line, strlen(line)) && at[strlen(line)] == '\n')
			found = at;
	}
	if (!found) {
		free(log);
		return false;
	}
	mark = found + strlen(line) + 1;
	column = strspn(mark, " ");
	column = column > strlen("  Command: ") ? column - strlen("  Command: ") : 0;
	found[-(long)strlen(begin)] = '\0';
	what = strrchr(log, '\n');
	what = strstr(what ? what : log, "error: ");
	/* The line in error_log has another prefix than the item of -e. */
	column = column > head ? column - head : 0;
	put_reason(reason, explain(what ? what + strlen("error: ") : "refused", item, error, why,
				   sizeof(why)),
		   item, column + (size_t)(behind_prefix(item) - item));
	free(log);
	return true;
}

/* Creates the probe at @path. @resolved: its text after the prefix */
static int define(const char *path, const char *item, const char *resolved, char *reason)
{
	bool is_return = item[1] == 'r';
	char line[2 * KPROBE_TEXT_MAX], shown[2 * KPROBE_TEXT_MAX], why[256];
	int head, error;

	if (is_return)
		head = snprintf(line, sizeof(line), "r%d:%s ", RETURNS_MAX, path);
	else
		head = snprintf(line, sizeof(line), "p:%s ", path);
	snprintf(line + head, sizeof(line) - (size_t)head, "%s", resolved);
	snprintf(shown, sizeof(shown), "%.*s%s", (int)(behind_prefix(item) - item), item, resolved);
	error = tracefs_append(EVENTS, line);
	if (error && reason && !kernel_reason(reason, line, shown, (size_t)head, error)) {
		noprobe_why(resolved, error, why, sizeof(why));
		snprintf(reason, KPROBE_REASON_MAX, "%s: %s", item, why);
	}
	return error;
}

__attribute__((format(printf, 2, 3)))
static void put_text(char *reason, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	if (reason)
		vsnprintf(reason, KPROBE_REASON_MAX, format, ap);
	va_end(ap);
}

int kprobe_make(struct kprobes *k, const char *item, char *path, size_t path_size, char *reason)
{
	const char *probe = behind_prefix(item);
	char resolved[KPROBE_TEXT_MAX], what[160];
	size_t column;
	int error;

	if (strlen(item) >= KPROBE_TEXT_MAX / 2) {
		put_text(reason, "a probe of %zu bytes is too long", strlen(item));
		return -ENAMETOOLONG;
	}
	/* Each line is a probe, so a second line would never be removed. */
	for (const char *at = item; *at; at++)
		if (iscntrl((unsigned char)*at)) {
			put_text(reason, "a probe must not have control characters: column %td",
				 at - item + 1);
			return -EINVAL;
		}
	if (!*probe || *probe == ' ') {
		put_reason(reason, "the name of the function is missing", item,
			   (size_t)(probe - item));
		return -EINVAL;
	}
	error = kprobe_args_resolve(probe, resolved, sizeof(resolved), what, sizeof(what), &column);
	if (error) {
		put_reason(reason, what, item, column + (size_t)(probe - item));
		return error;
	}
	name_group(k);
	snprintf(path, path_size, "%s/e%d_%u", k->group, (int)getpid(), k->nr);
	error = define(path, item, resolved, reason);
	k->nr += !error;
	return error;
}

/* Accepts the names of name_group(); a module's tracepoints may begin like these, too. */
bool kprobe_is_group(const char *path)
{
	int len = 0;

	return sscanf(path, PREFIX "%*u_%*u%n", &len) == 0 && len && path[len] == '/';
}

__u64 kprobe_missed(const char *path)
{
	const char *event = strchr(path, '/') + 1;
	char *text = tracefs_read("kprobe_profile"), *rest = text, *line;
	unsigned long long missed = 0, n;
	char name[64];

	while (rest && (line = strsep(&rest, "\n")))
		if (sscanf(line, "%63s %*u %llu", name, &n) == 2 && !strcmp(name, event))
			missed = n;
	free(text);
	return missed;
}

/* Removes one of our lines if it is meant: "p:GROUP/EVENT FUNCTION..." or "rN:GROUP/EVENT ..." */
static void remove_line(const char *line, bool (*is_meant)(const char *group, const void *arg),
			const void *arg)
{
	const char *group = strchr(line, ':'), *slash = group ? strchr(group, '/') : NULL;
	char name[64], removal[160];

	if (!slash || strncmp(group + 1, PREFIX, strlen(PREFIX)) ||
	    slash - group > (long)sizeof(name))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)(slash - group - 1), group + 1);
	if (!is_meant(name, arg))
		return;
	snprintf(removal, sizeof(removal), "-:%.*s", (int)strcspn(group + 1, " "), group + 1);
	tracefs_append(EVENTS, removal);
}

static void remove_lines(bool (*is_meant)(const char *group, const void *arg), const void *arg)
{
	char *text = tracefs_read(EVENTS), *rest = text, *line;

	while (rest && (line = strsep(&rest, "\n")))
		remove_line(line, is_meant, arg);
	free(text);
}

static bool is_same(const char *group, const void *arg)
{
	return !strcmp(group, arg);
}

void kprobe_remove_all(struct kprobes *k)
{
	if (*k->group && k->nr)
		remove_lines(is_same, k->group);
	k->nr = 0;
}

static bool is_dead(const char *group, const void *unused)
{
	unsigned long long start;
	struct proc_stat stat;
	unsigned long pid;
	int end = 0;

	(void)unused;
	if (sscanf(group, PREFIX "%lu_%llu%n", &pid, &start, &end) != 2 || group[end])
		return false;
	proc_stat_of(pid, &stat);
	return stat.start != start;
}

void kprobe_sweep(void)
{
	remove_lines(is_dead, NULL);
}
