/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * shark.h - the S.Ha.R.K. tracer's core: chunks, their flags, the writer, the filter
 *
 * The same files are in the module and in the library: they allocate no memory, send and compress
 * nothing, and everything that depends on the environment is in port.h. There is one tracer in
 * each. Documentation/shark.md explains why it is correct.
 *
 * One lock, held for a few instructions with interrupts off, protects everything here. So all
 * events have one order, stamps never decrease in it, and each function happens between two events.
 * A context that has interrupted the holder of the lock (an NMI, a signal handler) leaves its event
 * where the holder finds it afterwards; functions other than kt_shark_log() then fail with
 * -EDEADLK.
 *
 * In the kernel, CPUs that find the lock held get it in order of arrival. A CPU that finds it free
 * between two holders overtakes them, but lets the first one pass before its next event. An event
 * waits for some milliseconds, and is lost if the holder does not go on: LOST_NESTED. Only in a
 * panic does that last.
 *
 * Rules
 *
 *   A FREE chunk is taken into use when it is selected, when it is linked to, and when the
 *   writer jumps into it: FREE and FULL are cleared, and it becomes empty. Until then a FREE
 *   chunk keeps its old content.
 *
 *   Events go to the selected chunk. There
 *     CYC   when the last slot is stored, the next event goes to the first
 *     STOP  when the last slot is stored, the chunk is FULL
 *     JTN   an event that finds no slot makes it FULL
 *   An event that finds the chunk FULL
 *     JTN   jumps to the linked chunk, which is selected from then on, and is stored there,
 *           if that chunk is not BUSY or COMPR, and FREE, or neither FULL nor without slots
 *     else, if it is critical and there is a slot, is stored in the emergency area
 *     else is lost: LOST_FULL
 *   One that finds the chunk BUSY is lost: LOST_BUSY.
 *
 *   FTrace_EVT_next_chunk makes the selected chunk FULL and jumps in the same way, whatever
 *   its mode. Without a chunk to jump to it stays selected, and later events find it FULL.
 *
 *   As long as there are events in the emergency area, FULL cannot be cleared: events stored
 *   after them would be younger.
 *
 *   BUSY and COMPR are facts; flags from callers do not change them. BUSY begins with
 *   kt_shark_hold() and ends with kt_shark_release(). If the chunk then is FREE, or COMPR, it
 *   is deselected.
 *
 *   A filter suppresses codes of its family, except for those whose bits 4 to 7 are set, fast
 *   ones (KT_SHARK_UNFILTERED), and what kt_shark_set_filter() stores itself.
 */
#ifndef KT_SHARK_H
#define KT_SHARK_H

#include "port.h"

#define KT_SHARK_NONE (-1)

/* How an event is logged */
#define KT_SHARK_CRITICAL 1u	/* may use the emergency area */
#define KT_SHARK_UNFILTERED 2u	/* whatever its family */

/**
 * struct kt_shark_chunk - a chunk; all under the tracer's lock
 * @pos:	slot of the next event in the normal area
 * @limit:	the slot that needs a decision: kt_shark_store_slow(); @pos, if already the next one
 *		does
 * @slots:	normal area, emergency area after it; NULL: no such chunk
 * @normal_nr:	slots of the normal area
 * @emergency_nr: slots of the emergency area
 * @emergency_used: events in it
 * @flags:	FTRACE_CHUNK_FLAG_*
 * @next:	number of the linked chunk, or KT_SHARK_NONE
 * @links:	chunks that are linked to this one
 * @packed:	COMPR: events in the compressed data
 * @bytes:	COMPR: size of the compressed data, which @slots points to
 * @laps:	how often @pos has wrapped
 * @lost:	events lost since it was taken into use, by reason
 */
struct kt_shark_chunk {
	struct ktrace_shark_event *pos;
	struct ktrace_shark_event *limit;
	struct ktrace_shark_event *slots;
	__u32 normal_nr;
	__u32 emergency_nr;
	__u32 emergency_used;
	__u32 flags;
	__s32 next;
	__u32 links;
	__u32 packed;
	__u64 bytes;
	__u64 laps;
	__u64 lost[KTRACE_SHARK_LOST_NR];
};

/**
 * struct kt_shark - the tracer
 * @owner:	the lock: NULL, or kt_shark_pending() of its holder
 * @stuck:	holder of the lock when another gave up waiting
 * @line:	those who wait for the lock
 * @target:	where events go: the selected chunk, or @nowhere
 * @last:	the last stamp
 * @off:	families that are suppressed, a bit each; may be read without the lock
 * @special:	codes, by their low five bits, that kt_shark_log_quick() leaves to the slow path:
 *		those of families that are off, family F with the marker; all without the counter
 * @clock:	enum ktrace_clock
 * @is_enabled:	between enable and disable
 * @is_init:	a chunk has been created since the start
 * @selected:	number of the selected chunk, or KT_SHARK_NONE
 * @lost:	by reason: counts of deleted and reused chunks, and events that no chunk counts;
 *		LOST_NESTED is written without the lock
 * @nowhere:	takes no events
 * @chunks:	the table
 */
struct kt_shark {
	struct kt_shark_pending *owner;
	struct kt_shark_line line;
	struct kt_shark_pending *stuck;
	struct kt_shark_chunk *target;
	__u64 last;
	__u32 off;
	__u32 special;
	__u32 clock;
	__u32 is_enabled;
	__u32 is_init;
	__s32 selected;
	__u64 lost[KTRACE_SHARK_LOST_NR];
	struct kt_shark_chunk nowhere;
	struct kt_shark_chunk chunks[KTRACE_SHARK_CHUNK_NR];
};

/**
 * struct kt_shark_view - what a chunk holds, for the caller that holds it BUSY
 * @slots:	its memory
 * @status:	everything else
 */
struct kt_shark_view {
	const struct ktrace_shark_event *slots;
	struct FTrace_Chunk status;
};

void kt_shark_init(struct kt_shark *t, __u32 clock);

/* writer.c */
void kt_shark_log(struct kt_shark *t, __u16 code, __u16 par1, __u32 par2, __u32 how);
int kt_shark_set_filter(struct kt_shark *t, __u8 family, int status);

/* table.c: 0 or a number, or -errno */
int kt_shark_enable(struct kt_shark *t);
int kt_shark_disable(struct kt_shark *t);
int kt_shark_check_flags(__u32 flags);
int kt_shark_check_create(int normal_size, int emergency_size, __u32 flags);
int kt_shark_create(struct kt_shark *t, void *memory, int normal_size, int emergency_size,
		    __u32 flags);
int kt_shark_delete(struct kt_shark *t, int n, void **memory);
int kt_shark_set_flags(struct kt_shark *t, int n, __u32 flags);
int kt_shark_get_flags(struct kt_shark *t, int n, FTrace_flags *flags);
int kt_shark_select(struct kt_shark *t, int n);
int kt_shark_link(struct kt_shark *t, int a, int b);
int kt_shark_first(struct kt_shark *t, __u32 flags);
int kt_shark_status(struct kt_shark *t, int n, struct FTrace_Chunk *status);
int kt_shark_lost(struct kt_shark *t, __u32 reason, __u64 *count);

/* hold.c: chunks that are BUSY */
int kt_shark_hold(struct kt_shark *t, int n, struct kt_shark_view *view);
void kt_shark_release(struct kt_shark *t, int n, __u32 new_flags);
void kt_shark_restore(struct kt_shark *t, int n);
void *kt_shark_replace(struct kt_shark *t, int n, void *memory, __u64 bytes);
const struct ktrace_shark_event *kt_shark_event_at(const struct kt_shark_view *view, __u32 i);

#endif
