// SPDX-License-Identifier: GPL-2.0
/* foreign_threads.c - processes and threads of another tool's trace */
#include "foreign_threads.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Linux has no ids from here on. */
#define TID_MAX 0x400000
/* Numbers of texts, and of tracks, in place of ids */
#define TEXT_ID (-(1ll << 62))
#define TRACK_ID (-(1ll << 61))

/* struct taken - an id in use; @tid is the key */
struct taken {
	__u32 tid;
	__s64 pid;
};

struct process {
	__s64 pid;
	__u32 own_pid;
};

struct text {
	char text[FOREIGN_ID];
};

void threads_init(struct foreign_threads *t)
{
	*t = (struct foreign_threads){
		.threads = HASH_TABLE_INIT(struct foreign_thread, tid),
		.taken = HASH_TABLE_INIT(struct taken, tid),
		.processes = HASH_TABLE_INIT(struct process, pid),
		.texts = HASH_TABLE_INIT(struct text, text),
	};
}

void threads_free(struct foreign_threads *t)
{
	hash_table_free_with(&t->threads, offsetof(struct foreign_thread, slices.open));
	hash_table_free(&t->taken);
	hash_table_free(&t->processes);
	hash_table_free(&t->texts);
}

__s64 threads_text_id(struct foreign_threads *t, const char text[FOREIGN_ID], int *error)
{
	const struct text *row = hash_table_need(&t->texts, text, error);

	return row ? TEXT_ID + (__s64)((size_t)((char *)row - t->texts.at) / t->texts.size) : 0;
}

static __u32 make_id(struct foreign_threads *t)
{
	const __u32 id = BUILDER_TID_MIN + t->made;

	if (id >= KTRACE_TID_MASK - 1)
		return KTRACE_TID_MASK - 1;
	t->made++;
	return id;
}

static __u32 process_of(struct foreign_threads *t, __s64 pid, int *error)
{
	struct process *p;

	if (pid > 0 && pid < TID_MAX)
		return (__u32)pid;
	p = hash_table_need(&t->processes, &pid, error);
	if (p && !p->own_pid)
		p->own_pid = make_id(t);
	return p ? p->own_pid : 0;
}

/* True if the thread can keep its id; then no other thread can. */
static bool take(struct foreign_threads *t, __s64 pid, __s64 tid, int *error)
{
	const __u32 key = (__u32)tid;
	const size_t nr = t->taken.nr;
	struct taken *taken;

	if (tid <= 0 || tid >= TID_MAX)
		return false;
	taken = hash_table_need(&t->taken, &key, error);
	if (taken && t->taken.nr > nr)
		taken->pid = pid;
	return taken && taken->pid == pid;
}

/* Names a thread with a made-up id so that the trace's own ids can be told. */
static void name_made(const struct foreign_threads *t, struct foreign_thread *thread)
{
	const struct text *text;
	char name[32];

	if (thread->tid < TEXT_ID + (1 << 30)) {
		text = hash_table_at(&t->texts, (size_t)(thread->tid - TEXT_ID));
		snprintf(thread->comm, sizeof(thread->comm), "%.*s", KTRACE_COMM_LEN - 1,
			 text->text);
		return;
	}
	snprintf(name, sizeof(name), "tid %lld", (long long)thread->tid);
	memcpy(thread->comm, name, sizeof(thread->comm) - 1);
}

struct foreign_thread *threads_get(struct foreign_threads *t, __s64 pid, __s64 tid)
{
	const struct { __s64 pid; __s64 tid; } key = { pid, tid };
	const size_t nr = t->threads.nr;
	struct foreign_thread *thread = hash_table_get(&t->threads, &key);
	int error = 0;

	if (!thread || t->threads.nr == nr)
		return thread;
	thread->newest = INT64_MIN;
	thread->own_pid = process_of(t, pid, &error);
	if (take(t, pid, tid, &error)) {
		thread->own_tid = (__u32)tid;
	} else {
		/* The main thread of a process whose id was made up */
		thread->own_tid = pid == tid ? thread->own_pid : make_id(t);
		name_made(t, thread);
	}
	return error ? NULL : thread;
}

struct foreign_thread *threads_track(struct foreign_threads *t, __s64 pid, __u64 number)
{
	return threads_get(t, pid, TRACK_ID + (__s64)number);
}
