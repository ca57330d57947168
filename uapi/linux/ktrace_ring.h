/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace_ring.h - record, block and ring words: what writers and readers share
 *
 * A ring is a byte array whose size is a power of two, cut into blocks of equal
 * size (a power of two as well). Exactly one writer adds to it at any instant.
 *
 *   position   free-running 64-bit byte count; offset in memory = position & (size - 1)
 *   head       everything in [tail, head) is complete; everything after head is scratch
 *   tail       the reader has consumed everything before it
 *
 *        tail                                  head
 *   ------+------------------+------------------+- - - - - -
 *         | H rec rec rec pad| H rec rec rec ... | scratch of the present writer
 *   ------+------------------+------------------+- - - - - -
 *           block              block
 *
 * Rules
 *  1. A record never crosses a block, a block never crosses the end of the ring.
 *  2. Each block begins with struct ktrace_block (H).
 *  3. A record starts at a multiple of 8 and is followed by padding to 8.
 *  4. id KTRACE_ID_PAD, or fewer than 16 bytes left: the rest of the block is
 *     padding, whatever the record's length says.
 *  5. head is stored last, once, with release ordering, and is the only word that
 *     makes records visible. Padding, block header and record may share one store.
 *  6. All numbers are in the byte order of the machine that recorded.
 *  7. Stamps of a ring do not decrease, unless the clock does or a program damages the ring.
 *
 * An event longer than a record is written as fragments: one FRAG_FIRST, then FRAG_NEXT
 * until their bytes add up to the total length, all with the same id. No other record of
 * the thread in this kind of channel comes between them, but they may be in several rings,
 * each with a later stamp than the one before. The event has stamp and flags of its last
 * fragment. If another record of the thread comes first, or blocks of any ring of such a
 * channel are missing in between, the rest was lost; a FRAG_NEXT without a beginning is the
 * end of an event whose beginning was lost. A writer that loses a fragment skips the rest of
 * the event, and counts one loss.
 *
 * To write a record of n = KTRACE_RECORD_SIZE(len) bytes
 *
 *  - At a block boundary, including 0, or if n exceeds the rest of head's block:
 *    pad the block, check below whether the next block may be opened, store its H. If its
 *    @lost differs from that of the block before, or from 0 in the first one, a LOST record
 *    comes next. So n can be block_size - 64 - 80 at most.
 *  - Read the clock. H and LOST have this stamp or an earlier one.
 *  - Store the record, then head. A writer that dies before that has written nothing.
 *
 * When the block at pos may be opened: it is free if pos + block_size - tail <= size; tail is
 * loaded with acquire ordering.
 *
 *   DROP       if it is free, else the record is lost, FULL. A shorter one may still fit
 *   STOP       if it is free. Else the record is lost, STOPPED, as are all that follow
 *              until everything has been read: the rest of the block is padded, suspend
 *              and then head become pos, and no block is opened while
 *              suspend == head != tail
 *   BLOCK      if it is free, else the writer sleeps a little and tries again, for
 *              timeout_ms at most and only while there is a reader; then TIMEOUT. The
 *              record's stamp is read after the wait
 *   OVERWRITE  always. A store (release) fence after the store of a head in the block before
 *              precedes all stores to it: a reader that sees a byte of it sees that
 *              head. Blocks must be COUNTED
 *
 * Losses are counted by atomic addition in the ring that had no room, or in ring 0 if
 * there was no ring (NORING).
 *
 * The one writer of a ring
 *
 *   Kernel ring: its CPU, with preemption off.
 *
 *   User ring of a CPU: a thread on it, in a restartable sequence, rseq(2): check the CPU
 *   number, load head, read the clock, store the record, and store head as the last
 *   instruction. Of the other words only suspend (in the same sequence) and lost[] are used.
 *
 *   Thread ring: its owner. A thread claims the ring by exchanging owner from 0 to its id,
 *   acquire; then it increments generation. It releases the ring by storing 0, release;
 *   the session's owner does that for threads that have died. The next owner continues at
 *   head, even in the middle of a block.
 *
 *   Signal handlers and interrupts that write to the ring of the thread or CPU they have
 *   interrupted form a stack of writers, which share reserve and records; the outermost
 *   stores head: Documentation/ring.md. Writers that do not nest leave these words
 *   alone, so reserve may be behind head. Nesting writers reset them when they claim a ring:
 *   records that a reserve beyond head (by size at most) had handed out count as NESTED.
 *
 * Trust: everything in a user ring, its words included, can be written by any
 * process of the session at any time. A reader copies each header once, checks it
 * against block and head, then uses the copy. Kernel rings are read-only for user
 * space.
 */
#ifndef _LINUX_KTRACE_RING_H
#define _LINUX_KTRACE_RING_H

#include <linux/types.h>

#define KTRACE_ALIGN 8u
#define KTRACE_BLOCK_MIN 4096u
#define KTRACE_BLOCK_MAX (1u << 20)
#define KTRACE_RING_BLOCKS_MIN 4u
#define KTRACE_RING_MAX (1ull << 34)
/* Largest payload of one record; longer ones are fragmented. */
#define KTRACE_LEN_MAX 65528u

/**
 * struct ktrace_record - header of each record, followed by @len payload bytes
 * @ts:		time stamp, raw value of the session's clock, all 64 bits
 * @id:		event type; below KTRACE_ID_FIRST: enum ktrace_control_id
 * @len:	exact payload length in bytes
 * @tid_flags:	thread id in the low 24 bits, 0 = idle CPU; KTRACE_REC_* above
 */
struct ktrace_record {
	__u64 ts;
	__u16 id;
	__u16 len;
	__u32 tid_flags;
};

#define KTRACE_TID_MASK 0x00ffffffu

/*
 * Ids of processes and threads in pid namespaces other than the owner's, whose inode is in the
 * environment as KTRACE_PIDNS. No kernel uses these ids. KTRACE_IDS_STEP numbers of such a
 * namespace, from a multiple of that on, get the ids from KTRACE_IDS_FIRST + id * KTRACE_IDS_STEP
 * on, where id is that of an IDS entry in the registry. The entry is shared like that of an event,
 * and comes before the first record. Its id is reserved[KTRACE_REGISTRY_IDS] + 1, which is stored
 * there; ids end below KTRACE_IDS_NR.
 */
#define KTRACE_IDS_FIRST (1u << 22)
#define KTRACE_IDS_STEP 256u
#define KTRACE_IDS_NR ((KTRACE_TID_MASK + 1 - KTRACE_IDS_FIRST) / KTRACE_IDS_STEP)
#define KTRACE_REC_TRUNCATED (1u << 24)	/* the event's own maximum cut it */
#define KTRACE_REC_FRAG_FIRST (1u << 25) /* payload: __u32 total length of the bytes, bytes */
#define KTRACE_REC_FRAG_NEXT (1u << 26)	/* payload: more bytes */
#define KTRACE_REC_IRQ (1u << 27)	/* recorded in interrupt context */
#define KTRACE_REC_CRITICAL (1u << 28)	/* important; no writer sets it yet */
#define KTRACE_REC_CONTEXT (1u << 29)	/* kernel: context after the payload, ktrace_context.h */
/* The other bits are 0; readers ignore them. */

enum ktrace_control_id {
	KTRACE_ID_PAD = 0,	/* the rest of the block is padding */
	KTRACE_ID_LOST = 1,	/* payload: struct ktrace_lost, only the writers' reasons count */
	KTRACE_ID_FIRST = 16,	/* first event type; readers skip ids between LOST and this */
};

/* Bytes that a record with @len payload bytes takes in the ring */
#define KTRACE_RECORD_SIZE(len) \
	(((__u32)(len) + (__u32)sizeof(struct ktrace_record) + KTRACE_ALIGN - 1) & \
	 ~(KTRACE_ALIGN - 1))

/*
 * Why records were lost. Counts never decrease. Writers count FULL to NORING in the
 * ring's words, the reader counts OVERWRITTEN and CORRUPT, and the writer of the tracefile
 * UNWRITTEN.
 */
enum ktrace_lost_reason {
	KTRACE_LOST_FULL = 0,		/* drop: no free block */
	KTRACE_LOST_STOPPED = 1,	/* stop: suspended until drained */
	KTRACE_LOST_TIMEOUT = 2,	/* block: waited for timeout_ms, or no reader left */
	/* also hits of tracepoints of which the kernel made no record: struct ktrace_missed */
	KTRACE_LOST_NESTED = 3,		/* an interrupted writer pins the ring, or never resumed */
	KTRACE_LOST_NORING = 4,		/* no ring for this thread or CPU */
	KTRACE_LOST_OVERWRITTEN = 5,	/* overwrite: overwritten before it was read */
	KTRACE_LOST_CORRUPT = 6,	/* damaged places, one each, number of records unknown */
	KTRACE_LOST_UNWRITTEN = 7,	/* read, but could not be written to the tracefile */
	KTRACE_LOST_NR = 8,
};

/**
 * struct ktrace_lost - lost records of one ring since it was created, by reason
 * @count: indexed by enum ktrace_lost_reason
 *
 * Counts are cumulative, so a lost or repeated report does no harm: the reader takes, for
 * each reason, the difference to the largest value it has seen in this ring.
 */
struct ktrace_lost {
	__u64 count[KTRACE_LOST_NR];
};

#define KTRACE_BLOCK_MAGIC 0x4b54424bu	/* "KBTK" in memory on little endian */
#define KTRACE_BLOCK_COUNTED (1u << 0)	/* @records is valid */

/**
 * struct ktrace_block - begins each block; a reader resynchronises here
 * @pos:	own position
 * @ts:		not later than any stamp in the block
 * @lost:	records lost so far, sum over the writer's reasons
 * @records:	records written before this block, without padding and LOST. A writer that
 *		has not counted them adds @records of the block before and the records in it
 * @magic:	KTRACE_BLOCK_MAGIC
 * @flags:	KTRACE_BLOCK_*
 * @ring:	index of the ring in its channel
 * @owner:	CPU number, or in a thread's ring the thread that opened the block; each
 *		record names its own
 * @generation:	as in struct ktrace_ring when the block was opened
 * @reserved:	0
 */
struct ktrace_block {
	__u64 pos;
	__u64 ts;
	__u64 lost;
	__u64 records;
	__u32 magic;
	__u32 flags;
	__u32 ring;
	__u32 owner;
	__u32 generation;
	__u32 reserved[3];
};

/**
 * struct ktrace_ring - the writer's words of one ring
 * @head:	published position, see rule 5
 * @reserve:	nesting writers only: position handed out (in units of 8, low 44
 *		bits) and number of records handed out (high 20 bits)
 * @suspend:	stop policy: head at which the ring was, or was about to be, suspended; stays
 *		when the ring continues
 * @records:	nesting writers only: records published
 * @owner:	thread rings: thread id of the owner, 0 = free
 * @reserved0:	0
 * @generation:	thread rings: incremented by each new owner, otherwise 0
 * @reserved1:	0
 * @sealed:	published position if @head is KTRACE_HEAD_SEALED
 * @reserved:	0
 * @lost:	what writers lost
 *
 * Written by writers only. All zero = empty and free.
 */
struct ktrace_ring {
	__u64 head;
	__u64 reserve;
	__u64 suspend;
	__u64 records;
	__u32 owner;
	__u32 reserved0;
	__u32 generation;
	__u32 reserved1;
	__u64 sealed;
	__u32 reserved[2];
	struct ktrace_lost lost;
};

/*
 * The recording is over, and the ring takes no more records: the fast path finds no room before
 * this position. Stored in user rings of CPUs, by the session's owner or whoever cleans up after
 * it: on that CPU, so that no sequence that loaded the former head is still under way.
 */
#define KTRACE_HEAD_SEALED (~(__u64)0)

/**
 * struct ktrace_tail_lost - the reader's losses when tail was @pos
 * @pos:	position from which on these counts are valid
 * @unwritten:	as KTRACE_LOST_UNWRITTEN
 * @corrupt:	as KTRACE_LOST_CORRUPT
 */
struct ktrace_tail_lost {
	__u64 pos;
	__u64 unwritten;
	__u64 corrupt;
};

/**
 * struct ktrace_tail - the reader's words of one ring, a cache line of their own
 * @tail:	consumed position
 * @lost:	the reader's losses. The valid entry is the one with the larger @pos that is
 *		not above @tail; the other one is written before @tail moves. So a process
 *		that continues after the reader's death finds a matching position and losses
 * @reserved:	0
 *
 * Only the reader writes this; the page is read-only for writers.
 */
struct ktrace_tail {
	__u64 tail;
	struct ktrace_tail_lost lost[2];
	__u64 reserved;
};

/* What happens when the next block has not been read yet; rules for writers above. */
enum ktrace_policy {
	KTRACE_POLICY_DROP = 0,		/* keep the oldest, drop and count new records */
	KTRACE_POLICY_OVERWRITE = 1,	/* keep the newest (flight recorder) */
	KTRACE_POLICY_BLOCK = 2,	/* wait for the reader, bounded; user rings only */
	KTRACE_POLICY_STOP = 3,		/* suspend the ring until it has been drained */
	KTRACE_POLICY_NR,
};

#endif
