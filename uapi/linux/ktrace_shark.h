/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace_shark.h - chunks of the S.Ha.R.K. tracer: events, flags, files, packets, sending
 *
 * The part that the kernel's tracer (<linux/ktrace_shark.h> of other modules) and that of the
 * library share with each other and with the original. Documentation/shark.md describes the
 * functions. Names that begin with FTrace are the original's.
 *
 * 1. Events
 *
 *    An event is 16 bytes, little endian. The low four bits of its code are its family, by
 *    which it can be filtered. Code 0 is an empty slot, and never an event. Events of
 *    FAST_TRACER_LOGEVENT() have bit 15 of the code set, and par2 is 0.
 *
 *    Stamps are ticks; par2 of the events trace_start and cycles_per_msec is the number of
 *    ticks in a millisecond.
 *
 * 2. Chunk in memory
 *
 *    slot  0 ... normal_nr - 1                     normal area
 *          normal_nr ... + emergency_nr - 1        emergency area
 *
 *    In order of age, a chunk has the slots first, first + 1, ..., events of them, each
 *    modulo normal_nr; then, from slot normal_nr on, emergency_events of them. Stamps do not
 *    decrease in that order.
 *
 *    A compressed chunk (COMPR) has instead consecutive zstd frames, as zstd(1) and
 *    ZSTD_decompress() read them. Their content is the events in that order.
 *
 * 3. File
 *
 *    Only the events of one chunk, in the order above. Its name is the number of the chunk in
 *    decimal, followed by the name given to FTrace_init_disk_writer().
 *
 * 4. Packet
 *
 *    A UDP datagram from port 20000 to port 20000: struct ktrace_shark_packet, then 1 to 60
 *    events. All of it is little endian.
 *
 * 5. Sending the kernel's chunks
 *
 *    A process becomes sender: it opens /dev/ktrace and names the kinds of sending that it does
 *    with SHARK_SENDER. There is one sender of each kind at a time. Then, for each job
 *    (poll() reports POLLIN, SHARK_NEXT does not wait):
 *
 *      SHARK_NEXT  struct ktrace_shark_job: the chunk, and where to map it
 *      mmap()      map_size bytes from map_off on, for reading, MAP_SHARED: section 2
 *      munmap()
 *      SHARK_END   reports the result: FTrace_send_chunk() returns
 *
 *    Several jobs may be active at a time; they come in the order of the calls. The chunk of an
 *    active job is BUSY, so mapped data does not change. A mapping that is kept longer may show
 *    newer events, or none, and is safe.
 *
 *    queued --SHARK_NEXT--> active --SHARK_END--> ended
 *    queued, active --waiting caller is killed--> ended: SHARK_END then returns ENOENT, and the
 *                        sender removes what it has written
 *    queued, active --sender closes or dies--> ended: the call fails, the chunk is unchanged;
 *                        jobs of FTrace_disk_writer() become queued, for the next sender
 *
 *    Rights: CAP_PERFMON in the initial user namespace, or any user who may open the device
 *    with the module parameter group_kernel=1, because chunks are events of the kernel.
 *
 *    Errors, in addition to those of all requests (ktrace.h):
 *
 *    SHARK_SENDER  EPERM without privilege; EINVAL invalid kinds or reserved; EBUSY not
 *                  a fresh descriptor, or there is a sender of this kind already
 *    SHARK_NEXT    EINVAL not a sender's descriptor; EAGAIN no job is queued
 *    SHARK_END     EINVAL not a sender's descriptor, error above 0; ENOENT no such active job
 *    mmap()        ENXIO the sender has no active job of that chunk; EINVAL beyond its end,
 *                  or MAP_PRIVATE; EPERM writable or executable
 *    poll()        POLLIN a job is queued
 *
 *    A sender's descriptor accepts no other requests but INFO and KEPT.
 */
#ifndef _UAPI_LINUX_KTRACE_SHARK_H
#define _UAPI_LINUX_KTRACE_SHARK_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * struct ktrace_shark_event - one event, one slot
 * @code:	FTrace_EVT_*, KTRACE_SHARK_FAST
 * @par1:	first parameter
 * @tsc_high:	stamp, upper half
 * @tsc_low:	stamp, lower half
 * @par2:	second parameter
 */
struct ktrace_shark_event {
	__u16 code;
	__u16 par1;
	__u32 tsc_high;
	__u32 tsc_low;
	__u32 par2;
};

#define KTRACE_SHARK_FAST 0x8000u
#define FTrace_family_mask 0x0F

/* Event codes: parameters in parentheses, - = unused */
enum {
	/* family 0: trace */
	FTrace_EVT_empty = 0x00,		/* an empty slot */
	FTrace_EVT_cycles_per_msec = 0x10,	/* (-, ticks in a millisecond) */
	FTrace_EVT_trace_start = 0x20,		/* (context, ticks in a millisecond) */
	FTrace_EVT_trace_stop = 0x30,
	FTrace_EVT_blackout_start = 0x40,
	FTrace_EVT_blackout_end = 0x50,
	FTrace_EVT_id = 0x60,			/* (context, pid) */
	FTrace_EVT_numevents = 0x70,
	FTrace_EVT_numeevents = 0x70,		/* as the original spells it */

	/* family 1: ipoint */
	FTrace_EVT_ipoint = 0x01,		/* (number, -) */

	/* family 2: task */
	FTrace_EVT_task_create = 0x02,		/* (context, pid) */
	FTrace_EVT_task_activate = 0x12,	/* (context, -) */
	FTrace_EVT_task_dispatch = 0x22,
	FTrace_EVT_task_epilogue = 0x32,
	FTrace_EVT_task_end = 0x42,		/* (context, pid) */
	FTrace_EVT_task_begin_cycle = 0x52,
	FTrace_EVT_task_end_cycle = 0x62,	/* (context, level) */
	FTrace_EVT_task_sleep = 0x72,
	FTrace_EVT_task_schedule = 0x82,	/* (shadow context, context) */
	FTrace_EVT_task_timer = 0x92,		/* (context, level) */
	FTrace_EVT_task_disable = 0xA2,
	FTrace_EVT_task_deadline_miss = 0xB2,	/* (context, -) */
	FTrace_EVT_task_wcet_violation = 0xC2,	/* (context, -) */

	/* family 3: interrupt */
	FTrace_EVT_interrupt_start = 0x03,	/* (interrupt, -) */
	FTrace_EVT_interrupt_end = 0x13,	/* (interrupt, -) */
	FTrace_EVT_interrupt_hit = 0x23,	/* an instant: there is no end */
	FTrace_EVT_interrupt_count = 0x33,	/* number since the last of these */

	/* family 4: CPU */
	FTrace_EVT_to_real_mode = 0x04,
	FTrace_EVT_to_protected_mode = 0x14,
	FTrace_EVT_CLI = 0x24,
	FTrace_EVT_STI = 0x34,

	/* family 5: priority */
	FTrace_EVT_set_priority = 0x05,
	FTrace_EVT_context_switch = 0x15,	/* (context, -) */
	FTrace_EVT_inheritance = 0x25,		/* (shadow context, context) */

	/* family 6: mutex */
	FTrace_EVT_set_mutex_create = 0x06,
	FTrace_EVT_set_mutex_lock = 0x16,	/* (context, mutex) */
	FTrace_EVT_set_mutex_inherit = 0x26,
	FTrace_EVT_set_mutex_unlock = 0x36,	/* (context, mutex); manual: 43, a misprint */
	FTrace_EVT_set_mutex_wait = 0x46,	/* (context, mutex) */
	FTrace_EVT_set_mutex_post = 0x56,	/* (context, mutex) */

	/* family 7: signal */
	FTrace_EVT_signal = 0x07,

	/* family 8: server */
	FTrace_EVT_server_create = 0x08,	/* (-, server) */
	FTrace_EVT_server_replenish = 0x18,	/* (-, server) */
	FTrace_EVT_server_exhaust = 0x28,	/* (-, server) */
	FTrace_EVT_server_reclaiming = 0x38,	/* (-, server) */
	FTrace_EVT_server_remove = 0x48,	/* (-, server) */
	FTrace_EVT_server_active = 0x58,	/* (-, server) */
	FTrace_EVT_server_using_rec = 0x68,	/* (reclaiming, server) */

	/* family 9: user, both parameters free */
	FTrace_EVT_user_event_0 = 0x09,
	FTrace_EVT_user_event_1 = 0x19,
	FTrace_EVT_user_event_2 = 0x29,
	FTrace_EVT_user_event_3 = 0x39,
	FTrace_EVT_user_event_4 = 0x49,
	FTrace_EVT_user_event_5 = 0x59,
	FTrace_EVT_user_event_6 = 0x69,
	FTrace_EVT_user_event_7 = 0x79,
	FTrace_EVT_user_event_8 = 0x89,
	FTrace_EVT_user_event_9 = 0x99,
	FTrace_EVT_user_event_10 = 0xA9,
	FTrace_EVT_user_event_11 = 0xB9,
	FTrace_EVT_user_event_12 = 0xC9,
	FTrace_EVT_user_event_13 = 0xD9,
	FTrace_EVT_user_event_14 = 0xE9,

	/* family A: data */
	FTrace_EVT_data_pointer = 0x1A,		/* continues the event before */

	/* family B: timer */
	FTrace_EVT_timer_post = 0x0B,
	FTrace_EVT_timer_delete = 0x1B,
	FTrace_EVT_timer_wakeup_start = 0x2B,
	FTrace_EVT_timer_wakeup_end = 0x3B,	/* (context, -) */

	/*
	 * The filter has changed: (1 suppressed, 0 passed; -). Every filter passes codes whose
	 * upper four bits are set. In a file 0xFF can only be the filter of family F.
	 */
	FTrace_filter_trace_Events = 0xF0,
	FTrace_filter_ipoint = 0xF1,
	FTrace_filter_task = 0xF2,
	FTrace_filter_interrupt = 0xF3,
	FTrace_filter_CPU = 0xF4,
	FTrace_filter_priority = 0xF5,
	FTrace_filter_mutex = 0xF6,
	FTrace_filter_signal = 0xF7,
	FTrace_filter_server = 0xF8,
	FTrace_filter_user = 0xF9,
	FTrace_filter_data = 0xFA,
	FTrace_filter_timer = 0xFB,

	/* Logging it stores nothing, but makes the writer continue in the linked chunk. */
	FTrace_EVT_next_chunk = 0xFF,
};

/* Type of the object of a data pointer */
enum {
	FTrace_DATA_int = 1,
	FTrace_DATA_char = 2,
};

/* Flags of a chunk */
typedef __u8 FTrace_flags;
#define FTRACE_CHUNK_FLAG_FREE 0x01	/* may be selected, or linked to */
#define FTRACE_CHUNK_FLAG_FULL 0x02	/* accepts no more events */
#define FTRACE_CHUNK_FLAG_CYC 0x00	/* mode: when full, overwrite the oldest */
#define FTRACE_CHUNK_FLAG_JTN 0x04	/* mode: when full, jump to the linked chunk */
#define FTRACE_CHUNK_FLAG_STOP 0x08	/* mode: when full, accept no more */
#define FTRACE_CHUNK_FLAG_BUSY 0x10	/* being sent or compressed */
#define FTRACE_CHUNK_FLAG_NODEL 0x20	/* cannot be deleted */
#define FTRACE_CHUNK_FLAG_COMPR 0x40	/* compressed */
#define KTRACE_SHARK_MODE_MASK 0x0c

#define KTRACE_SHARK_CHUNK_NR 256

/* Why a chunk does not have an event, or no longer; events that a filter suppresses do not count */
enum ktrace_shark_lost {
	KTRACE_SHARK_LOST_FULL = 0,	/* the chunk is FULL, and there is no other */
	KTRACE_SHARK_LOST_BUSY = 1,	/* the chunk is BUSY */
	KTRACE_SHARK_LOST_OVERWRITTEN = 2, /* CYC: a newer event replaced it */
	KTRACE_SHARK_LOST_NOCHUNK = 3,	/* no chunk is selected */
	/* too many handlers were nested while one event was stored, or storing one did not end */
	KTRACE_SHARK_LOST_NESTED = 4,
	KTRACE_SHARK_LOST_NR = 5,
};

#define KTRACE_SHARK_CHUNK_ID 0xFFAAFFBBu

/**
 * struct FTrace_Chunk - a chunk as FTrace_get_chunk_table() describes it
 * @id:		KTRACE_SHARK_CHUNK_ID
 * @number:	its slot in the table
 * @flags:	FTRACE_CHUNK_FLAG_*
 * @is_selected: 1 = events go to it
 * @reserved:	0
 * @size:	bytes of the normal area
 * @emergency_size: bytes of the emergency area
 * @next:	number of the linked chunk, -1: none
 * @first:	slot of the oldest event
 * @events:	events in the normal area
 * @emergency_events: events in the emergency area
 * @reserved2:	0
 * @bytes:	compressed chunks: bytes of the frames
 * @lost:	events lost since the chunk was taken into use, enum ktrace_shark_lost
 */
struct FTrace_Chunk {
	__u32 id;
	__u32 number;
	FTrace_flags flags;
	__u8 is_selected;
	__u16 reserved;
	__u32 size;
	__u32 emergency_size;
	__s32 next;
	__u32 first;
	__u32 events;
	__u32 emergency_events;
	__u32 reserved2;
	__u64 bytes;
	__u64 lost[KTRACE_SHARK_LOST_NR];
};

typedef struct FTrace_Chunk *FTrace_Chunk_Ptr;

#define KTRACE_SHARK_PACKET_ID "TRACER-V1.0"
#define KTRACE_SHARK_PACKET_EVENTS 60
#define KTRACE_SHARK_PACKET_MAX 1000	/* bytes: a packet is shorter */
#define KTRACE_SHARK_UDP_PORT 20000
#define KTRACE_SHARK_PACKET_PAUSE_MS 5	/* after each packet */

/**
 * struct ktrace_shark_packet - begins a UDP datagram
 * @id:		KTRACE_SHARK_PACKET_ID, padded with NUL
 * @number:	1, 2, ...: counts the packets of a sender, over all its chunks
 * @events:	number of events that follow
 * @size:	bytes of the datagram
 */
struct ktrace_shark_packet {
	char id[12];
	__u32 number;
	__u32 events;
	__u32 size;
};

/* Kinds of sending, one bit each */
#define KTRACE_SHARK_TO_DISK 1u		/* FTrace_init_disk_writer() */
#define KTRACE_SHARK_TO_UDP 2u		/* FTrace_OSD_init_udp() */

/* Size of names and addresses, including the NUL */
#define KTRACE_SHARK_TEXT 64

/**
 * struct ktrace_shark_serve - KTRACE_IOC_SHARK_SENDER: become sender
 * @size:	sizeof(struct ktrace_shark_serve); in
 * @kinds:	KTRACE_SHARK_TO_*, at least one; in
 * @reserved:	0
 */
struct ktrace_shark_serve {
	__u32 size;
	__u32 kinds;
	__u64 reserved;
};

/**
 * struct ktrace_shark_job - KTRACE_IOC_SHARK_NEXT: a chunk to send
 * @size:	sizeof(struct ktrace_shark_job); in; all others are out
 * @kind:	KTRACE_SHARK_TO_DISK or _UDP
 * @job:	names the job, never 0
 * @chunk:	number of the chunk
 * @flags:	FTRACE_CHUNK_FLAG_*, as they were before it was BUSY
 * @osd_flags:	argument of FTrace_send_chunk()
 * @clk_per_msec: ticks in a millisecond, 0 = unknown
 * @first:	section 2
 * @events:	section 2
 * @normal_nr:	section 2
 * @emergency_events: section 2
 * @bytes:	bytes of the zstd frames if the chunk is compressed, otherwise 0
 * @map_off:	offset for mmap()
 * @map_size:	bytes to map, 0 = the chunk is empty
 * @lost:	events lost since the chunk was taken into use, enum ktrace_shark_lost
 * @name:	DISK: base name of the file
 * @local:	UDP: address to send from, may be empty
 * @target:	UDP: address to send to
 * @reserved:	0
 */
struct ktrace_shark_job {
	__u32 size;
	__u32 kind;
	__u64 job;
	__u32 chunk;
	__u32 flags;
	__s32 osd_flags;
	__u32 clk_per_msec;
	__u32 first;
	__u32 events;
	__u32 normal_nr;
	__u32 emergency_events;
	__u64 bytes;
	__u64 map_off;
	__u64 map_size;
	__u64 lost[KTRACE_SHARK_LOST_NR];
	char name[KTRACE_SHARK_TEXT];
	char local[KTRACE_SHARK_TEXT];
	char target[KTRACE_SHARK_TEXT];
	__u64 reserved[4];
};

/**
 * struct ktrace_shark_end - KTRACE_IOC_SHARK_END: report the result of a job
 * @job:	names the job
 * @error:	0: all of the chunk is on the disk, or given to the network; -errno otherwise
 * @reserved:	0
 */
struct ktrace_shark_end {
	__u64 job;
	__s32 error;
	__u32 reserved;
};

#define KTRACE_IOC_SHARK_SENDER _IOW('k', 0x50, struct ktrace_shark_serve)
#define KTRACE_IOC_SHARK_NEXT _IOWR('k', 0x51, struct ktrace_shark_job)
#define KTRACE_IOC_SHARK_END _IOW('k', 0x52, struct ktrace_shark_end)

#endif
