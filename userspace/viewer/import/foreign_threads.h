/* SPDX-License-Identifier: GPL-2.0 */
/*
 * foreign_threads.h - processes and threads of another tool's trace
 *
 * Their ids may be any numbers, or text, and threads of different processes may have the same one.
 * A thread keeps its id if Linux could have it and no thread of another process has it; otherwise
 * it gets one that Linux does not use. The same holds for processes.
 */
#ifndef VIEWER_IMPORT_FOREIGN_THREADS_H
#define VIEWER_IMPORT_FOREIGN_THREADS_H

#include "base/hash_table.h"
#include "event_builder.h"

#include <linux/ktrace_events.h>

/**
 * struct foreign_thread - a thread, or a track of asynchronous events; @pid and @tid are the key
 * @pid:	process, as the trace calls it; text is numbered
 * @tid:	thread, likewise
 * @own_pid:	its process here, 0 = unknown
 * @own_tid:	its id here
 * @comm:	its name, "" = unknown
 * @is_named:	@comm is the thread's, not its process's
 * @newest:	time of its last slice, while the trace is read for the first time
 * @slices:	slices that have begun
 */
struct foreign_thread {
	__s64 pid;
	__s64 tid;
	__u32 own_pid;
	__u32 own_tid;
	char comm[KTRACE_COMM_LEN];
	bool is_named;
	__s64 newest;
	struct open_slices slices;
};

/**
 * struct foreign_threads - all threads
 * @threads:	struct foreign_thread
 * @taken:	ids that are in use
 * @processes:	ids of processes
 * @texts:	ids that are text
 * @made:	number of ids made up
 */
struct foreign_threads {
	struct hash_table threads;
	struct hash_table taken;
	struct hash_table processes;
	struct hash_table texts;
	__u32 made;
};

void threads_init(struct foreign_threads *t);
void threads_free(struct foreign_threads *t);
/* Bytes of an id that is text */
#define FOREIGN_ID 64u
/* Returns a number for an id that is text, padded by zeros. Without memory, *@error is -ENOMEM. */
__s64 threads_text_id(struct foreign_threads *t, const char text[FOREIGN_ID], int *error);
/* Returns the thread, valid until the next one is made; NULL: out of memory */
struct foreign_thread *threads_get(struct foreign_threads *t, __s64 pid, __s64 tid);
/* Makes a track of a process; it has no name yet. NULL: out of memory */
struct foreign_thread *threads_track(struct foreign_threads *t, __s64 pid, __u64 number);

#endif
