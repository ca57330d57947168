// SPDX-License-Identifier: GPL-2.0
/*
 * absent.c - programs of the command that could not take part in --pthread, and why
 *
 * The module reports each program that a descendant executes, with most causes that keep a program
 * from taking part, and each process that attaches: a program that does not attach is absent.
 *
 * Without the module, looks at descendants through /proc, often at first and then ten times a
 * second, less often if there are many: processes that begin and end between two looks are missed,
 * and one is absent if something keeps it from taking part. With the module, looks only at programs
 * without a known cause, such as a missing device.
 */
#include "absent.h"

#include <dirent.h>
#include <errno.h>
#include <ktrace/device.h>
#include <ktrace/session_exec.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/log.h"
#include "base/pids.h"
#include "base/program.h"
#include "base/read_text.h"

#define LOOK_MIN_NS 5000000ull
#define LOOK_MAX_NS 100000000ull
/* Looking takes at most a tenth of the time: there may be many processes. */
#define LOOK_PART 10
/* Limits of processes in one look, and of programs that are kept */
#define LOOK_MAX 1024u
#define ONES_MAX 65536u
#define ENVIRONMENT_MAX (256u << 10)
/* Looks after which a cause that may be momentary is believed */
#define LOOKS_SURE 2
/* Address space of libraries that a program has before it attaches */
#define LIBRARIES_MAX (64u << 20)
/* Reports of the module that are taken in one go */
#define TAKE_MAX 1024
/* Limit of names in a line */
#define NAMES_MAX 4u

static const char *const reasons[ABSENT_NR] = {
	[ABSENT_USER] = "as another user",
	[ABSENT_SECURE] = "with a set-user-ID bit or similar",
	[ABSENT_CLEARED] = "with an empty environment",
	[ABSENT_ENVIRONMENT] = "without KTRACE_SESSION in the environment",
	[ABSENT_PRELOAD] = "with an LD_PRELOAD of their own",
	[ABSENT_ROOT] = "with another root folder",
	[ABSENT_SHM] = "with another /dev/shm",
	[ABSENT_READ_ONLY] = "with a read-only /dev/shm",
	[ABSENT_DEVICE] = ("without this " KTRACE_DEVICE),
	[ABSENT_SPACE] = "with too little address space (ulimit -v)",
	[ABSENT_PROGRAM] = "that cannot load the library (static, sanitizer, musl, 32 bits)",
	[ABSENT_UNKNOWN] = "for an unknown reason",
};

/* Returns the size of all mappings of a file in this process. */
static __u64 mapped(const char *path)
{
	unsigned long long begin, end;
	__u64 sum = 0;
	char line[512];
	FILE *f;

	f = fopen("/proc/self/maps", "re");
	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, path) && sscanf(line, "%llx-%llx", &begin, &end) == 2)
			sum += end - begin;
	if (f)
		fclose(f);
	return sum;
}

void absent_begin(struct absent *a, struct ktrace_session *s, const char *env)
{
	const char *path = strchr(env, ':');
	struct ktrace_exec none;

	a->session = ktrace_session_exec(s, &none) ? NULL : s;
	a->is_device = !strncmp(env, "dev:", 4);
	a->for_all = a->is_device && !geteuid();
	a->area = mapped(a->is_device ? KTRACE_DEVICE : path ? path + 1 : env);
}

void absent_unfit(struct absent *a, const char *command)
{
	const char *slash = strrchr(command, '/');

	snprintf(a->unfit, sizeof(a->unfit), "%s", slash ? slash + 1 : command);
}

static struct absent_one *find(struct absent *a, __u32 pid)
{
	for (size_t i = a->nr; i-- > 0;)
		if (a->ones[i].pid == pid)
			return &a->ones[i];
	return NULL;
}

void absent_noted(struct absent *a, const struct ktrace_entry_copy *entry)
{
	const bool is_process = entry->type == KTRACE_ENTRY_PROCESS;
	const bool is_thread = entry->type == KTRACE_ENTRY_THREAD && entry->tid == a->command;
	struct absent_one *one;

	if (entry->pid == a->command && (is_process || is_thread) &&
	    !strncmp(entry->text, "comm=", 5))
		snprintf(a->noted, sizeof(a->noted), "%.*s", (int)strcspn(entry->text + 5, " %"),
			 entry->text + 5);
	if (!is_process)
		return;
	if (!a->attached)
		a->attached = calloc(1, sizeof(*a->attached));
	if (a->attached)
		pids_set(a->attached, entry->pid, true);
	one = find(a, entry->pid);
	if (one && one->is_unsure)
		one->reason = ABSENT_NR;
}

/* Reads the first bytes of a file of /proc/@pid. Return: their number, 0 = unreadable */
static size_t read_file(__u32 pid, const char *name, char *buf, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	return read_text(path, buf, size);
}

/* True if the process, which may be a zombie, belongs to another user. */
static bool is_others(__u32 pid)
{
	char status[1024], *line;

	if (!read_file(pid, "status", status, sizeof(status)))
		return false;
	line = strstr(status, "\nUid:");
	return line && strtoul(line + 5, NULL, 10) != geteuid();
}

/* True if a line of the status has two first numbers that differ: real and effective ids */
static bool differ(const char *status, const char *name)
{
	const char *line = strstr(status, name);
	unsigned int real, effective;

	return line && sscanf(line + strlen(name), "%u %u", &real, &effective) == 2 &&
	       real != effective;
}

/* True if the process has other rights than before its program, and so a cleared LD_PRELOAD. */
static bool is_secure(__u32 pid)
{
	char status[1024];

	return read_file(pid, "status", status, sizeof(status)) &&
	       (differ(status, "\nUid:") || differ(status, "\nGid:"));
}

static const char *variable(const char *environment, size_t size, const char *name)
{
	const size_t len = strlen(name);
	const char *at = environment;

	for (; at < environment + size; at += strlen(at) + 1)
		if (!strncmp(at, name, len) && at[len] == '=')
			return at + len + 1;
	return NULL;
}

/* True if the process sees another folder of that name. */
static bool has_other(__u32 pid, const char *folder)
{
	struct stat own, its;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/root%s", pid, folder);
	return !stat(folder, &own) && !stat(path, &its) &&
	       (own.st_dev != its.st_dev || own.st_ino != its.st_ino);
}

/* True if a folder that the process sees is on a read-only mount, as in a sandbox of bubblewrap. */
static bool is_read_only(__u32 pid, const char *folder)
{
	struct statvfs its;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/root%s", pid, folder);
	return !statvfs(path, &its) && its.f_flag & ST_RDONLY;
}

static bool lacks_device(__u32 pid)
{
	struct stat own, its;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/root" KTRACE_DEVICE, pid);
	if (stat(KTRACE_DEVICE, &own))
		return false;
	if (!stat(path, &its))
		return own.st_rdev != its.st_rdev;
	snprintf(path, sizeof(path), "/proc/%u/root/", pid);
	return errno == ENOENT && !stat(path, &its);	/* the process still exists */
}

/* True if the limit of its address space leaves no room for the session. */
static bool lacks_space(const struct absent *a, __u32 pid)
{
	struct rlimit limit;
	char pages[64];

	return !prlimit((pid_t)pid, RLIMIT_AS, NULL, &limit) && limit.rlim_cur != RLIM_INFINITY &&
	       read_file(pid, "statm", pages, sizeof(pages)) &&
	       limit.rlim_cur < a->area + strtoull(pages, NULL, 10) * (__u64)getpagesize();
}

/* Returns the obstacle for a process that could otherwise take part. */
static enum absent_reason obstacle(const struct absent *a, __u32 pid)
{
	if (has_other(pid, "/"))
		return ABSENT_ROOT;
	if (a->is_device && lacks_device(pid))
		return ABSENT_DEVICE;
	if (!a->is_device && has_other(pid, "/dev/shm"))
		return ABSENT_SHM;
	if (!a->is_device && is_read_only(pid, "/dev/shm"))
		return ABSENT_READ_ONLY;
	return lacks_space(a, pid) ? ABSENT_SPACE : ABSENT_NR;
}

/* Returns what its environment lacks; used only without the module, which sees that better. */
static enum absent_reason lacks_variable(__u32 pid, bool is_alive)
{
	static char environment[ENVIRONMENT_MAX];
	size_t size = read_file(pid, "environ", environment, sizeof(environment));
	const char *libraries;

	if (!size)
		return is_alive ? ABSENT_CLEARED : ABSENT_NR;
	if (size == sizeof(environment) - 1)
		return ABSENT_NR;
	if (!variable(environment, size, "KTRACE_SESSION"))
		return ABSENT_ENVIRONMENT;
	libraries = variable(environment, size, "LD_PRELOAD");
	if (!libraries || !strstr(libraries, "libktrace-pthread"))
		return ABSENT_PRELOAD;
	return ABSENT_NR;
}

/* Returns ABSENT_NR if there is no obstacle, or none can be determined. */
static enum absent_reason reason_of(const struct absent *a, __u32 pid)
{
	enum absent_reason reason;
	char path[32], exe[8];
	bool is_alive;

	if (!a->for_all && is_others(pid))
		return ABSENT_USER;
	if (is_secure(pid))
		return ABSENT_SECURE;
	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	is_alive = readlink(path, exe, sizeof(exe)) > 0;
	reason = a->session ? ABSENT_NR : lacks_variable(pid, is_alive);
	if (reason == ABSENT_NR)
		reason = obstacle(a, pid);
	/* ktraced sets no LD_PRELOAD for a command that cannot load the library. */
	if ((reason == ABSENT_NR || reason == ABSENT_PRELOAD) && is_alive &&
	    program_obstacle(path, a->has_narrow))
		return ABSENT_PROGRAM;
	return reason;
}

static struct absent_one *add(struct absent *a, __u32 pid)
{
	if (a->nr == ONES_MAX || !LIST_GROW(a->ones, a->nr, a->cap))
		return NULL;
	a->ones[a->nr] = (struct absent_one){ .pid = pid };
	return &a->ones[a->nr++];
}

static struct absent_one *find_or_add(struct absent *a, __u32 pid)
{
	struct absent_one *one = find(a, pid);

	return one ? one : add(a, pid);
}

/* True in another PID namespace: its ids in the session are not the kernel's. */
static bool is_elsewhere(__u32 pid)
{
	char status[2048], *line;
	unsigned int own, inner;

	read_file(pid, "status", status, sizeof(status));
	line = strstr(status, "\nNSpid:");
	return line && sscanf(line, " NSpid: %u %u", &own, &inner) == 2;
}

/* What is known of a process: whether it takes part in the session */
enum part {
	PART_NONE,	/* its program does not */
	PART_NOT_YET,	/* it is ending, and has not been reported so far */
	PART_ONCE,	/* this program, or one that it executed before */
	PART_NOW,	/* its current program: it maps the session */
};

/*
 * An ending process has no memory any more: it takes part if it has ever attached. One of another
 * PID namespace counts as taking part, since that is unknown.
 */
static enum part part_of(const struct absent *a, __u32 pid)
{
	bool is_there = false, any = false, is_ending;
	char line[512], exe[8];
	FILE *f;

	snprintf(line, sizeof(line), "/proc/%u/maps", pid);
	f = fopen(line, "re");
	while (f && !is_there && fgets(line, sizeof(line), f)) {
		any = true;
		is_there = strstr(line, "/dev/shm/ktrace-") || strstr(line, "/ktrace\n");
	}
	is_ending = f && !any;
	if (f)
		fclose(f);
	if (is_there)
		return PART_NOW;
	/* Its memory may also have gone while it was read. */
	snprintf(line, sizeof(line), "/proc/%u/exe", pid);
	is_ending |= readlink(line, exe, sizeof(exe)) < 0 && errno == ENOENT;
	if (any && !is_ending)
		return PART_NONE;
	if ((a->attached && pids_has(a->attached, pid)) || (is_ending && is_elsewhere(pid)))
		return PART_ONCE;
	return is_ending ? PART_NOT_YET : PART_NONE;
}

static void read_comm(__u32 pid, char *comm, size_t size)
{
	read_file(pid, "comm", comm, size);
	comm[strcspn(comm, "\n")] = '\0';
}

static void look_at(struct absent *a, __u32 pid)
{
	enum absent_reason reason = reason_of(a, pid);
	struct absent_one *one;
	enum part part;

	if (reason == ABSENT_NR)
		return;
	part = part_of(a, pid);
	if (part == PART_ONCE || part == PART_NOW) {
		/* At the last look it had not attached yet, or was just executing this program. */
		one = part == PART_NOW ? find(a, pid) : NULL;
		if (one && one->reason == reason)
			one->reason = ABSENT_NR;
		return;
	}
	one = find_or_add(a, pid);
	if (!one)
		return;
	one->is_unsure = part == PART_NOT_YET && (one->is_unsure || !one->looks);
	one->looks = one->reason == reason ? one->looks + 1 : 1;
	one->reason = reason;
	read_comm(pid, one->comm, sizeof(one->comm));
}

/* Returns the obstacle that the module saw when the program was executed. */
static enum absent_reason reason_of_exec(const struct absent *a, const struct ktrace_exec *e)
{
	if (e->flags & KTRACE_EXEC_USER)
		return ABSENT_USER;
	if (e->flags & KTRACE_EXEC_SECURE)
		return ABSENT_SECURE;
	if (e->flags & KTRACE_EXEC_EMPTY)
		return ABSENT_CLEARED;
	if (e->flags & KTRACE_EXEC_NO_SESSION)
		return ABSENT_ENVIRONMENT;
	if (e->flags & KTRACE_EXEC_NO_LIBRARY)
		return e->flags & KTRACE_EXEC_STATIC ? ABSENT_PROGRAM : ABSENT_PRELOAD;
	if (e->flags & KTRACE_EXEC_ROOT)
		return ABSENT_ROOT;
	if (e->flags & KTRACE_EXEC_STATIC)
		return ABSENT_PROGRAM;
	return e->limit < a->area + e->used + LIBRARIES_MAX ? ABSENT_SPACE : ABSENT_UNKNOWN;
}

/* Drops an entry whose program takes part after all; frees entries at the end. */
static void forget(struct absent *a, struct absent_one *one)
{
	one->reason = ABSENT_NR;
	while (a->nr && a->ones[a->nr - 1].reason == ABSENT_NR)
		a->nr--;
}

/* Notes a program as absent, with its reason, until a report says that it attached. */
static void take_exec(struct absent *a, const struct ktrace_exec *e)
{
	struct absent_one *one;

	if (e->flags & KTRACE_EXEC_ATTACHED) {
		one = find(a, (__u32)e->pid);
		if (one)
			forget(a, one);
		return;
	}
	one = add(a, (__u32)e->pid);
	if (!one) {
		a->lost++;
		return;
	}
	one->reason = reason_of_exec(a, e);
	one->looks = LOOKS_SURE;
	memcpy(one->comm, e->comm, sizeof(one->comm));
	one->comm[sizeof(one->comm) - 1] = '\0';
	*one->name = '\0';
	if (*e->name == '/' && !(e->flags & (KTRACE_EXEC_MOUNTS | KTRACE_EXEC_CUT)))
		memcpy(one->name, e->name, sizeof(one->name));
	one->name[sizeof(one->name) - 1] = '\0';
}

/* Takes all reports of the module so far; bounded, as a program can cause new ones endlessly. */
static void take_execs(struct absent *a)
{
	struct ktrace_exec e;

	for (int i = 0; i < TAKE_MAX && a->session && !ktrace_session_exec(a->session, &e); i++) {
		a->overrun = e.lost;
		if (e.flags & KTRACE_EXEC_NONE)
			break;
		take_exec(a, &e);
	}
}

/* Appends the children of all threads of @pid. Return: the new number of @pids. */
static size_t add_children(__u32 pid, __u32 *pids, size_t nr)
{
	char path[64];
	struct dirent *e;
	unsigned int child;
	DIR *dir;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%u/task/%.10s/children", pid, e->d_name);
		f = *e->d_name == '.' ? NULL : fopen(path, "re");
		while (f && nr < LOOK_MAX && fscanf(f, "%u", &child) == 1)
			pids[nr++] = child;
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	return nr;
}

void absent_look(struct absent *a, __u64 now, bool is_early)
{
	__u32 pids[LOOK_MAX];
	__u64 pause;
	size_t nr;

	take_execs(a);
	if (!a->begun_ns)
		a->begun_ns = now;
	if (is_early && a->command && !a->session)
		read_comm(a->command, a->last, sizeof(a->last));
	pause = is_early ? 0 : (now - a->begun_ns) / 4;
	pause = pause < LOOK_MIN_NS ? LOOK_MIN_NS : pause > LOOK_MAX_NS ? LOOK_MAX_NS : pause;
	pause = pause < LOOK_PART * a->took_ns ? LOOK_PART * a->took_ns : pause;
	if (a->last_ns && now - a->last_ns < pause)
		return;
	a->last_ns = now;
	for (size_t i = 0; a->session && i < a->nr; i++)
		if (a->ones[i].reason == ABSENT_UNKNOWN)
			look_at(a, a->ones[i].pid);
	if (a->command && !a->session && part_of(a, a->command) == PART_NOW)
		read_comm(a->command, a->noted, sizeof(a->noted));
	nr = a->session ? 0 : add_children((__u32)getpid(), pids, 0);
	for (size_t i = 0; i < nr; i++) {
		if (pids[i] == a->own[0] || pids[i] == a->own[1] || pids[i] == a->own[2])
			continue;
		look_at(a, pids[i]);
		nr = add_children(pids[i], pids, nr);
	}
	a->took_ns = now_ns() - now;
}

static bool is_absent(const struct absent *a, size_t i, enum absent_reason reason)
{
	/* While a program is being executed, its environment appears empty for a moment. */
	return a->ones[i].reason == reason &&
	       (reason != ABSENT_CLEARED || a->ones[i].looks >= LOOKS_SURE);
}

/* True if no earlier entry of this reason has the same name. */
static bool is_new(const struct absent *a, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (is_absent(a, k, a->ones[i].reason) && !strcmp(a->ones[k].comm, a->ones[i].comm))
			return false;
	return true;
}

static bool say_reason(const struct absent *a, enum absent_reason reason)
{
	char names[NAMES_MAX * (sizeof(a->ones->comm) + 2) + 8] = "";
	size_t nr = 0, named = 0, len = 0;

	for (size_t i = 0; i < a->nr; i++) {
		if (!is_absent(a, i, reason))
			continue;
		nr++;
		if (named > NAMES_MAX || !is_new(a, i))
			continue;
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "",
					named == NAMES_MAX ? "..." : a->ones[i].comm);
		named++;
	}
	if (nr)
		log_note("%zu program%s could not take part, %s: %s", nr, nr == 1 ? "" : "s",
			 reasons[reason], names);
	return nr;
}

/* Finds a reason that is still unknown. If reports were lost, such a program may have attached. */
static void explain(struct absent *a, struct absent_one *one)
{
	if (one->reason == ABSENT_UNKNOWN && *one->name &&
	    program_obstacle(one->name, a->has_narrow))
		one->reason = ABSENT_PROGRAM;
	if (one->reason == ABSENT_UNKNOWN && a->overrun) {
		one->reason = ABSENT_NR;
		a->lost++;
	}
}

/*
 * Judges a command that may have ended before it was looked at by its last name: if that is not
 * the noted one, it has executed a program that does not take part. Names are compared up to the
 * first character that notes encode.
 */
static void judge_command(struct absent *a)
{
	struct absent_one *one = *a->last ? find(a, a->command) : NULL;

	if (!*a->last || (one && one->reason != ABSENT_CLEARED))
		return;
	if (a->attached && pids_has(a->attached, a->command) &&
	    !strncmp(a->last, a->noted, strcspn(a->last, " %")))
		return;
	if (!one) {
		one = add(a, a->command);
		if (one)
			one->reason = strcmp(a->last, a->unfit) ? ABSENT_UNKNOWN : ABSENT_PROGRAM;
	}
	if (!one)
		return;
	one->looks = LOOKS_SURE;
	memcpy(one->comm, a->last, sizeof(one->comm));
}

void absent_say(struct absent *a)
{
	bool any = false;

	take_execs(a);
	judge_command(a);
	for (size_t i = 0; i < a->nr; i++)
		explain(a, &a->ones[i]);
	for (int reason = 0; reason < ABSENT_NR; reason++)
		any |= say_reason(a, reason);
	if (a->session && a->lost + a->overrun)
		log_note("it is unknown whether %llu other programs could take part",
			 (unsigned long long)(a->lost + a->overrun));
	else if (!a->session && any)
		log_note("programs that ran for a short time may have been missed");
}

void absent_free(struct absent *a)
{
	free(a->ones);
	free(a->attached);
}
