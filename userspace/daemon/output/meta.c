// SPDX-License-Identifier: GPL-2.0
/*
 * meta.c - META lines, <linux/ktrace_file.h>
 *
 * Text from the registry is untrusted: it is split into key=value pairs, decoded
 * and encoded again, and cannot set the keys that ktraced writes.
 */
#include "meta.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ktrace/level.h>

#include "base/clock.h"
#include "base/kernel_clock.h"
#include "events/event_rules.h"

/* Joins the words of a command line without quotes: a shell could read only simple ones again. */
static void join(char *buf, size_t size, char **argv)
{
	size_t len = 0;

	buf[0] = '\0';
	for (; argv && *argv && len < size; argv++) {
		int n = snprintf(buf + len, size - len, "%s%s", len ? " " : "", *argv);

		len += n > 0 ? (size_t)n : 0;
	}
}

void meta_cmd(struct ktrace_text *t, char **argv)
{
	char text[4096];

	join(text, sizeof(text), argv);
	ktrace_text_str(t, "cmd", text);
}

void meta_choice_pairs(struct ktrace_text *t, const struct choice *choice)
{
	char names[KTRACE_FILTER_SIZE], *filters = event_rules_filters(choice->events);

	if (choice->has_levels && !ktrace_level_names(choice->levels, names, sizeof(names)))
		ktrace_text_str(t, "levels", names);
	if (choice->events) {
		event_rules_strip(choice->events, names, sizeof(names));
		ktrace_text_str(t, "events", names);
	}
	if (filters)
		ktrace_text_str(t, "filters", filters);
	if (choice->where)
		ktrace_text_str(t, "where", choice->where);
	free(filters);
}

void meta_choice(struct ktrace_text *t, const struct choice *choice, __u64 ts)
{
	ktrace_text_line(t, "choice");
	ktrace_text_u64(t, "ts", ts);
	meta_choice_pairs(t, choice);
}

void meta_trace(struct ktrace_text *t, const struct ktrace_session_info *info, char **argv)
{
	ktrace_text_line(t, "trace");
	ktrace_text_u64(t, "version", KTRACE_FILE_VERSION);
	ktrace_text_u64(t, "start_ns", clock_ns(CLOCK_REALTIME));
	ktrace_text_str(t, "backend", info->backend);
	ktrace_text_str(t, "clock", info->clock == KTRACE_CLOCK_TSC ? "tsc" : "monotonic");
	meta_cmd(t, argv);

	ktrace_text_host(t);
}

void meta_clock(struct ktrace_text *t, const struct ktrace_reading *r)
{
	struct kernel_clock k;

	ktrace_text_line(t, "clock");
	ktrace_text_u64(t, "raw", r->raw);
	ktrace_text_u64(t, "mono_ns", r->mono_ns);
	ktrace_text_u64(t, "real_ns", r->real_ns);
	ktrace_text_u64(t, "boot_ns", r->boot_ns);
	ktrace_text_u64(t, "hz", r->hz);
	if (kernel_clock_read(&k)) {
		ktrace_text_u64(t, "max_error_ns", k.max_error_ns);
		ktrace_text_u64(t, "est_error_ns", k.est_error_ns);
		ktrace_text_s64(t, "freq_ppb", k.freq_ppb);
		ktrace_text_u64(t, "synced", k.is_synced);
	}
	ktrace_text_u64(t, "raw_mono_ns", kernel_clock_raw_mono_ns(r->mono_ns));
}

static void put_event(struct ktrace_text *t, const char *kind, __u64 id, const char *desc)
{
	ktrace_text_line(t, "event");
	ktrace_text_str(t, "kind", kind);
	ktrace_text_u64(t, "id", id);
	ktrace_text_str(t, "desc", desc);
}

void meta_kernel_events(struct ktrace_text *t)
{
	const struct ktrace_kernel_event *ev;

	for (__u32 i = 0; (ev = ktrace_kernel_event(i)); i++)
		put_event(t, "kernel", ev->id, ev->desc);
}

void meta_stream(struct ktrace_text *t, __u32 id, const struct ktrace_stream *stream)
{
	ktrace_text_line(t, "stream");
	ktrace_text_u64(t, "id", id);
	ktrace_text_str(t, "kind", stream->kind == KTRACE_CHANNEL_USER ? "user" : "kernel");
	ktrace_text_u64(t, stream->is_thread ? "thread" : "cpu", stream->ring);
	ktrace_text_u64(t, "ring", stream->size);
	ktrace_text_u64(t, "block", stream->block_size);
	ktrace_text_str(t, "policy", ktrace_policy_name(stream->policy));
}

void meta_proc(struct ktrace_text *t, __u32 pid, __u64 ts)
{
	struct dirent *e;
	char path[64];
	DIR *dir;

	ktrace_text_process(t, pid, ts);
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir)))
		if (isdigit((unsigned char)e->d_name[0]))
			ktrace_text_thread(t, pid, (__u32)strtoul(e->d_name, NULL, 10), ts);
	if (dir)
		closedir(dir);
}

void meta_proc_all(struct ktrace_text *t, __u64 ts)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (isdigit((unsigned char)e->d_name[0]))
			meta_proc(t, (__u32)strtoul(e->d_name, NULL, 10), ts);
	if (dir)
		closedir(dir);
}

void meta_file(struct ktrace_text *t, const char *path, const __u8 uuid[16])
{
	char hex[33];

	for (int i = 0; i < 16; i++)
		snprintf(hex + 2 * i, 3, "%02x", uuid[i]);
	ktrace_text_line(t, "file");
	ktrace_text_str(t, "uuid", hex);
	ktrace_text_str(t, "path", path);
}

bool meta_parse_file(const char *line, char *path, __u8 uuid[16])
{
	static const char head[] = "file uuid=", middle[] = " path=";
	const char *hex = line + strlen(head), *value;

	if (strncmp(line, head, strlen(head)) || strspn(hex, "0123456789abcdef") != 32 ||
	    strncmp(hex + 32, middle, strlen(middle)))
		return false;
	for (int i = 0; i < 16; i++) {
		char byte[3] = { hex[2 * i], hex[2 * i + 1], '\0' };

		uuid[i] = (__u8)strtoul(byte, NULL, 16);
	}
	value = hex + 32 + strlen(middle);
	memcpy(path, value, strcspn(value, "\n"));
	path[strcspn(value, "\n")] = '\0';
	ktrace_text_decode(path);
	return path[0];
}

static bool key_ok(const char *key)
{
	static const char *const ours[] = { "pid", "ppid", "tid", "ts", "id", "kind", "desc" };
	size_t n = strspn(key, "abcdefghijklmnopqrstuvwxyz_");

	if (!n || n > 16 || key[n])
		return false;
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (!strcmp(key, ours[i]))
			return false;
	return true;
}

static void pairs(struct ktrace_text *t, const char *text)
{
	char copy[KTRACE_ENTRY_TEXT_MAX], *rest = copy, *key;

	snprintf(copy, sizeof(copy), "%s", text);
	while ((key = strsep(&rest, " "))) {
		char *value = strchr(key, '=');

		if (!value)
			continue;
		*value++ = '\0';
		if (!key_ok(key))
			continue;
		ktrace_text_decode(value);
		ktrace_text_str(t, key, value);
	}
}

void meta_entry(struct ktrace_text *t, const struct ktrace_entry_copy *entry)
{
	switch (entry->type) {
	case KTRACE_ENTRY_EVENT:
		put_event(t, "user", entry->id, entry->text);
		return;
	case KTRACE_ENTRY_IDS:
		ktrace_text_line(t, "ids");
		ktrace_text_u64(t, "first", KTRACE_IDS_FIRST + entry->id * KTRACE_IDS_STEP);
		ktrace_text_u64(t, "nr", KTRACE_IDS_STEP);
		break;
	case KTRACE_ENTRY_PROCESS:
		ktrace_text_line(t, "process");
		ktrace_text_u64(t, "pid", entry->pid);
		ktrace_text_u64(t, "ppid", entry->tid);
		break;
	case KTRACE_ENTRY_MAP:
		ktrace_text_line(t, "map");
		ktrace_text_u64(t, "pid", entry->pid);
		break;
	default:
		ktrace_text_line(t, "thread");
		ktrace_text_u64(t, "tid", entry->tid);
		ktrace_text_u64(t, "pid", entry->pid);
		break;
	}
	ktrace_text_u64(t, "ts", entry->ts);
	pairs(t, entry->text);
}

void meta_exit(struct ktrace_text *t, __u32 pid, __u64 ts)
{
	ktrace_text_line(t, "exit");
	ktrace_text_u64(t, "pid", pid);
	ktrace_text_u64(t, "ts", ts);
}

void meta_registry(struct ktrace_text *t, const struct ktrace_session *s)
{
	struct ktrace_registry_use use;

	ktrace_registry_use(s, &use);
	ktrace_text_line(t, "registry");
	ktrace_text_u64(t, "used", use.used);
	ktrace_text_u64(t, "size", use.size);
	ktrace_text_u64(t, "most", use.most);
	ktrace_text_u64(t, "slots", use.slots);
	ktrace_text_u64(t, "reused", use.reused);
	ktrace_text_u64(t, "missing", (__u64)use.missing + use.unfinished);
}

void meta_end(struct ktrace_text *t, int status, const char *reason)
{
	ktrace_text_line(t, "end");
	if (status >= 0)
		ktrace_text_u64(t, "status", WIFSIGNALED(status) ? 128u + (__u64)WTERMSIG(status)
								 : (__u64)WEXITSTATUS(status));
	ktrace_text_str(t, "reason", reason);
}
