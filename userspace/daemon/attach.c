// SPDX-License-Identifier: GPL-2.0
/*
 * attach.c - programs that already run: which ones the recording wants, and what became of them
 *
 * With -p, --comm and --cgroup those that match, without them and without a command all of the
 * user. Programs that start later are looked for a few times a second; if all are wanted, the
 * board itself tells them.
 */
#include "attach.h"

#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/pid_namespace.h"
#include "base/pidspace.h"
#include "base/proc_stat.h"
#include "base/read_text.h"
#include "base/sigbus_guard.h"

#define LIBRARY "libktrace.so"
#define LOOK_NS 100000000ull
/* How long a process may take until its libktrace is on the board, and how often we look */
#define START_SECONDS 2
#define START_LOOK_NS 10000000
#define STALE_MAX 64
#define ELSEWHERE "a recording from outside of its namespaces, or by an older ktraced, has it"

bool attach_is_used(const struct options *o)
{
	return o->pid_nr || o->comms || o->cgroups || !o->argv;
}

static bool is_selective(const struct options *o)
{
	return o->pid_nr || o->comms || o->cgroups;
}

/* Returns the effective user of a process, ~0: unknown. */
static __u32 user_of(__s32 pid)
{
	unsigned int real, effective = ~0u;
	char path[48], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Uid: %u %u", &real, &effective) == 2)
			break;
	if (f)
		fclose(f);
	return effective;
}

static bool is_gone(__s32 pid)
{
	struct proc_stat stat;

	if (kill(pid, 0) && errno == ESRCH)
		return true;
	return proc_stat_of((unsigned long)pid, &stat) && (stat.state == 'Z' || stat.state == 'X');
}

/* True if the mappings of a process contain @text; -1: they cannot be read */
static int maps_mention(__s32 pid, const char *text)
{
	char path[48], *line = NULL;
	size_t cap = 0;
	int found = 0;
	bool has_any = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return -1;
	while (!found && getline(&line, &cap, f) > 0) {
		has_any = true;
		found = !!strstr(line, text);
	}
	if (!found && (ferror(f) || !has_any))
		found = -1;
	free(line);
	fclose(f);
	return found;
}

bool attach_has_library(__s32 pid)
{
	return maps_mention(pid, LIBRARY) > 0;
}

static bool find_pid(const struct attach *at, __s32 pid, struct ktrace_attachable *found)
{
	for (__u32 slot = 0; at->board && ktrace_attacher_next(at->board, slot, found);
	     slot = found->slot + 1)
		if (found->pid == (__u32)pid)
			return true;
	return false;
}

/* True if a process is known to be in another PID namespace than this one. */
static bool is_in_other_space(__s32 pid)
{
	char path[48];
	__u64 space;

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", pid);
	space = namespace_of(path);
	return space && space != pid_namespace();
}

/* Returns why a process of -p cannot be attached. */
static const char *why_not(const struct attach *at, __s32 pid)
{
	const __u32 uid = user_of(pid);
	int mentions;

	if (is_gone(pid))
		return "it has ended";
	if (uid != geteuid() && geteuid())
		return "it belongs to another user: only root can attach to it";
	mentions = maps_mention(pid, LIBRARY);
	if (mentions < 0)
		return "its mappings cannot be read, so it is unknown whether it has libktrace";
	if (mentions && is_in_other_space(pid))
		return "it is in another PID namespace, such as a container's: only a ktraced in "
		       "that one can attach to it";
	if (mentions && at->is_taken)
		return "8 recordings use its board already";
	if (mentions && at->board && ktrace_attacher_full(at->board))
		return "the board of its user was full when it started";
	if (mentions)
		return "it has libktrace, but is not on this board: its libktrace is too old, or "
		       "KTRACE_BOARD, the user at its start or the IPC namespace differ";
	return "it has no libktrace, or is linked with one that is too old; start it linked with "
	       "libktrace, or with what 'ktraced --prepare' prints in its environment";
}

/* Root attaches to programs of the user of the first process; others to their own. */
static int open_board(struct attach *at)
{
	const struct options *o = at->options;
	const char *name = getenv("KTRACE_BOARD");
	struct ktrace_attachable found;
	int error;

	at->uid = geteuid();
	error = ktrace_attacher_open(at->uid, name, &at->board);
	if (at->uid || !o->pid_nr || find_pid(at, o->pids[0], &found))
		return error;
	at->uid = user_of(o->pids[0]);
	if (!at->uid || at->uid == ~0u) {
		at->uid = 0;
		return error;
	}
	ktrace_attacher_close(at->board);
	at->board = NULL;
	error = ktrace_attacher_open(at->uid, name, &at->board);
	if (error)
		at->uid = 0;
	return error;
}

int attach_open(struct attach *at, const struct options *o)
{
	int error;

	at->options = o;
	if (!attach_is_used(o))
		return -1;
	for (unsigned int i = 0; i < o->pid_nr; i++)
		if (is_gone(o->pids[i])) {
			log_error("process %d: No such process", o->pids[i]);
			return EXIT_OWN;
		}
	error = open_board(at);
	at->is_taken = error == -EBUSY;
	if (!error || error == -ENOENT || error == -EOPNOTSUPP || error == -ENOSYS)
		return -1;
	/* Without -p and the like, programs may still come with KTRACE_SESSION. */
	if (!is_selective(o) || o->pid_nr) {
		log_note("running programs cannot be attached: the board: %s", error == -EBUSY ?
			 "8 recordings use it" : strerror(-error));
		return -1;
	}
	log_error("the board of running programs: %s", error == -EBUSY ? "8 recordings use it"
		  : strerror(-error));
	return EXIT_OWN;
}

static bool has_just_begun(__s32 pid)
{
	const __u64 hz = (__u64)sysconf(_SC_CLK_TCK), age = START_SECONDS * hz;
	struct proc_stat stat;
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return !is_gone(pid) && proc_stat_of((unsigned long)pid, &stat) &&
	       (__u64)now.tv_sec * hz < stat.start + age;
}

/* True if a process is on the board, or comes there while it starts: "app & ktraced -p $!" */
static bool comes_to_board(const struct attach *at, __s32 pid)
{
	static const struct timespec nap = { .tv_nsec = START_LOOK_NS };
	struct ktrace_attachable found;

	while (!find_pid(at, pid, &found)) {
		/* That of another user is another board. */
		if (!at->board || user_of(pid) != at->uid || !has_just_begun(pid))
			return false;
		nanosleep(&nap, NULL);
	}
	return true;
}

int attach_check(const struct attach *at, bool has_kernel)
{
	const struct options *o = at->options;
	struct ktrace_attachable found;

	for (unsigned int i = 0; i < o->pid_nr; i++) {
		/* Kernel events do not wait; attach_look() finds the process later. */
		if (has_kernel ? find_pid(at, o->pids[i], &found) : comes_to_board(at, o->pids[i]))
			continue;
		if (has_kernel) {
			log_note("process %d: only kernel events: %s", o->pids[i],
				 why_not(at, o->pids[i]));
			continue;
		}
		log_error("process %d cannot be attached: %s", o->pids[i], why_not(at, o->pids[i]));
		return EXIT_OWN;
	}
	if ((o->comms || o->cgroups) && !at->board) {
		log_error("--comm, --cgroup: there is no board of running programs here");
		return EXIT_OWN;
	}
	return -1;
}

/* True if an item of the comma-separated list matches. */
static bool list_matches(const char *list, const void *of,
			 bool (*matches)(const char *pattern, const void *of))
{
	char *copy = strdup(list), *rest = copy, *item;
	bool does = false;

	while (copy && !does && (item = strsep(&rest, ",")))
		does = *item && matches(item, of);
	free(copy);
	return does;
}

static bool comm_matches(const char *pattern, const void *comm)
{
	return !fnmatch(pattern, comm, 0);
}

/* True if a component of a cgroup's path has the name of a unit or container. */
static bool component_matches(const char *pattern, const char *component)
{
	static const char *const forms[] = { "%s", "%s.service", "%s.scope", "docker-%s*.scope",
					     "libpod-%s*", "cri-containerd-%s*.scope" };
	char form[256];

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		int n;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		n = snprintf(form, sizeof(form), forms[i], pattern);
#pragma GCC diagnostic pop
		if (n > 0 && (size_t)n < sizeof(form) && !fnmatch(form, component, 0))
			return true;
	}
	return false;
}

static bool cgroup_matches(const char *pattern, const void *path)
{
	const size_t len = strlen(pattern);
	char copy[1024], *rest = copy, *component;

	if (*pattern == '/')
		return !strncmp(path, pattern, len) &&
		       (pattern[len - 1] == '/' || strchr("/", ((const char *)path)[len]));
	snprintf(copy, sizeof(copy), "%s", (const char *)path);
	while ((component = strsep(&rest, "/")))
		if (*component && component_matches(pattern, component))
			return true;
	return false;
}

static bool is_in_cgroup(__u32 pid, const char *list)
{
	char path[48], line[1024];
	bool is_in = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
	f = fopen(path, "re");
	while (f && !is_in && fgets(line, sizeof(line), f)) {
		const char *colon = strchr(line, ':');

		colon = colon ? strchr(colon + 1, ':') : NULL;
		line[strcspn(line, "\n")] = '\0';
		is_in = colon && list_matches(list, colon + 1, cgroup_matches);
	}
	if (f)
		fclose(f);
	return is_in;
}

static bool is_asked_for(const struct options *o, __u32 pid)
{
	char path[48], comm[64];

	if (!is_selective(o))
		return true;
	for (unsigned int i = 0; i < o->pid_nr; i++)
		if (o->pids[i] == (__s32)pid)
			return true;
	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	if (o->comms && read_line(path, comm, sizeof(comm)) &&
	    list_matches(o->comms, comm, comm_matches))
		return true;
	return o->cgroups && is_in_cgroup(pid, o->cgroups);
}

static void say_refused(const struct ktrace_attachable *p)
{
	const char *why = strerror((int)p->error);

	if (p->error == EPERM)
		why = "it restricts its system calls, or the recording's owner and mode do not "
		      "suit it";
	else if (p->error == ENOENT)
		why = "it does not find the recording: it may have another root folder, or other "
		      "mounts";
	else if (p->error == EACCES)
		why = "it runs as a user who must not open the recording";
	else if (p->error == ESHUTDOWN)
		why = "the recording seemed to be over";
	else if (p->error == EXDEV)
		why = ELSEWHERE;
	else if (p->error == ENOMEM)
		why = "it takes part in 8 recordings, or lacks memory";
	log_error("process %u could not be attached: %s", p->pid, why);
}

static void say_old(const struct ktrace_attachable *p)
{
	if (p->has_old)
		log_note("process %u has events that were compiled with headers of ktrace 0.1: "
			 "they are in another recording until that ends", p->pid);
}

static void look_at(struct attach *at, const struct ktrace_attachable *p)
{
	if (at->chosen[p->slot].pid != p->pid)
		at->chosen[p->slot].fate = ATTACH_NOT_CHOSEN;
	switch (at->chosen[p->slot].fate) {
	case ATTACH_NOT_CHOSEN:
		if (!p->is_wanted && (!is_asked_for(at->options, p->pid) ||
				      ktrace_attacher_want(at->board, p, at->session, at->pidns)))
			return;
		at->chosen[p->slot].pid = p->pid;
		/* A child has the recording of its parent. */
		at->chosen[p->slot].fate = p->is_wanted && p->fate == KTRACE_BOARD_JOINED ?
					   ATTACH_JOINED : ATTACH_WAITS;
		break;
	case ATTACH_WAITS:
		if (p->fate == KTRACE_BOARD_JOINED) {
			at->chosen[p->slot].fate = ATTACH_JOINED;
			say_old(p);
		} else if (p->fate == KTRACE_BOARD_REFUSED && !p->is_wanted) {
			at->chosen[p->slot].fate = ATTACH_REFUSED;
			say_refused(p);
		} else {
			ktrace_attacher_poke(at->board, p);
		}
		break;
	case ATTACH_JOINED:
	case ATTACH_REFUSED:
		break;
	}
}

static void look_at_all(struct attach *at)
{
	struct ktrace_attachable found;

	for (__u32 slot = 0; ktrace_attacher_next(at->board, slot, &found); slot = found.slot + 1)
		look_at(at, &found);
}

void attach_begin(struct attach *at, const struct ktrace_session_info *info, __u64 now)
{
	if (!at->board)
		return;
	snprintf(at->session, sizeof(at->session), "%s", info->env);
	at->pidns = pidspace_own();
	at->full = ktrace_attacher_full(at->board);
	if (!is_selective(at->options))
		ktrace_attacher_want_all(at->board, at->session, at->pidns);
	look_at_all(at);
	at->next_look = now + LOOK_NS;
}

void attach_look(struct attach *at, __u64 now)
{
	if (!at->board || now < at->next_look)
		return;
	look_at_all(at);
	at->next_look = now + LOOK_NS;
}

bool attach_is_over(const struct attach *at)
{
	const struct options *o = at->options;

	for (unsigned int i = 0; i < o->pid_nr; i++)
		if (!is_gone(o->pids[i]))
			return false;
	return o->pid_nr && !o->comms && !o->cgroups;
}

/* True if the program in this slot, which has not joined us, cannot do so. */
static bool is_elsewhere(const struct attach *at, __u32 slot)
{
	struct ktrace_attachable found;

	return ktrace_attacher_next(at->board, slot, &found) && found.slot == slot &&
	       found.is_direct;
}

bool attach_end(struct attach *at)
{
	__u32 nr = 0, silent = 0, elsewhere = 0, pid = 0, full;
	bool has_joined = false;

	if (!at->board)
		return false;
	look_at_all(at);
	for (__u32 i = 0; i < KTRACE_BOARD_SLOTS; i++) {
		if (at->chosen[i].fate == ATTACH_NOT_CHOSEN)
			continue;
		nr++;
		if (is_gone((__s32)at->chosen[i].pid))
			continue;
		/* One that waits may be joining right now. */
		has_joined |= at->chosen[i].fate != ATTACH_REFUSED;
		if (at->chosen[i].fate != ATTACH_WAITS)
			continue;
		if (is_elsewhere(at, i)) {
			elsewhere++;
			continue;
		}
		silent++;
		pid = at->chosen[i].pid;
	}
	full = ktrace_attacher_full(at->board);
	ktrace_attacher_close(at->board);
	at->board = NULL;
	if (is_selective(at->options) && !nr)
		log_note("no running program matched");
	if (is_selective(at->options) && silent)
		log_note("%u of %u chosen programs had no event, and so did not attach; pid %u %s",
			 silent, nr, pid, silent == 1 ? "is the one" : "is one of them");
	if (elsewhere)
		log_note("%u of %u chosen programs did not attach: " ELSEWHERE, elsewhere, nr);
	if (full != at->full)
		log_note("%u programs found no free slot on the board: they could not be attached",
			 full - at->full);
	return has_joined;
}

/* Reads which programs take part: whether they can leave. */
static void read_registry(struct ktrace_session *s)
{
	static struct ktrace_entry_copy entry;
	int ret;

	do
		ret = ktrace_registry_next(s, &entry);
	while (ret == 1 || ret == -EAGAIN);
}

/* True if a program that is asked for takes part in this session, in shared memory. */
static bool holds_asked_for(const struct attach *at, const struct ktrace_stale *which)
{
	struct ktrace_attachable found;

	for (__u32 slot = 0; ktrace_attacher_next(at->board, slot, &found); slot = found.slot + 1)
		if (is_asked_for(at->options, found.pid) &&
		    maps_mention((__s32)found.pid, which->where) > 0)
			return true;
	return false;
}

void attach_release_stale(const struct attach *at)
{
	struct ktrace_stale list[STALE_MAX];
	char reason[KTRACE_REASON_SIZE];
	static struct ktrace_session *s;
	size_t nr = at->board ? ktrace_session_list_stale(list, STALE_MAX) : 0;

	for (size_t i = 0; i < nr && i < STALE_MAX; i++) {
		if (list[i].is_unfinished || list[i].uid != geteuid() ||
		    list[i].backend != KTRACE_BACKEND_SHM || !holds_asked_for(at, &list[i]))
			continue;
		sigbus_guard_session(&s);
		if (!ktrace_session_adopt(&list[i], &s, reason)) {
			read_registry(s);
			ktrace_session_dismiss(s);
			ktrace_session_leave(s);
			s = NULL;
		}
		sigbus_guard_end();
	}
}
