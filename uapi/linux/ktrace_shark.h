/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace_shark.h - chunks of the S.Ha.R.K. tracer: events, flags, files, packets, hand-over
 *
 * What the kernel's tracer (<linux/ktrace_shark.h> of other modules) and the library's have
 * in common with each other and with the original. Documentation/shark.md tells what the
 * functions do. The names that begin with FTrace are the original's.
 *
 * 1. Events
 *
 *    An event is 16 bytes, little endian. The low four bits of its code are its family, by
 *    which it can be filtered. Code 0 is that of an empty slot, and of no event. Of what
 *    FAST_TRACER_LOGEVENT() has stored bit 15 of the code is set, and par2 is 0.
 *
 *    Stamps are ticks; how many are a millisecond is par2 of the events trace_start and
 *    cycles_per_msec.
 *
 * 2. Chunk in memory
 *
 *    slot  0 ... normal_nr - 1                     normal area
 *          normal_nr ... + emergency_nr - 1        emergency area
 *
 *    Oldest event first, a chunk holds the slots first, first + 1, ..., events of them, each
 *    modulo normal_nr; then, from slot normal_nr on, emergency_events of them. Stamps do not
 *    decrease in that order.
 *
 *    A compressed chunk (COMPR) holds instead bytes of zstd frames, one behind the other, as
 *    zstd(1) and ZSTD_decompress() read them. Their content is the events in that order.
 *
 * 3. File
 *
 *    The events of one chunk in the order above, and nothing else. Its name is the number of
 *    the chunk in decimal, and behind it the name that FTrace_init_disk_writer() was given.
 *
 * 4. Packet
 *
 *    A UDP datagram from port 20000 to port 20000: struct ktrace_shark_packet, then 1 to 60
 *    events. All of it is little endian.
 *
 * 5. Hand-over of the kernel's chunks
 *
 *    A process becomes sender: it opens /dev/ktrace and says with SHARK_SENDER which kinds of
 *    sending it does. There is one sender of each kind at a time. Then, as often as there is
 *    something to be sent (poll() reports POLLIN, SHARK_NEXT does not wait):
 *
 *      SHARK_NEXT  struct ktrace_shark_job: which chunk, and where it lies
 *      mmap()      map_size bytes from map_off on, to read, MAP_SHARED: section 2
 *      munmap()
 *      SHARK_END   whether it worked: FTrace_send_chunk() returns
 *
 *    Several jobs may be under way at a time; they come in the order of the calls. As long
 *    as a job is under way its chunk is BUSY: what is mapped does not change. A mapping that
 *    stays longer may show newer events, or none, and is safe.
 *
 *    queued --SHARK_NEXT--> under way --SHARK_END--> ended
 *    queued, under way --who waits is killed--> ended: SHARK_END then is ENOENT, and what was
 *                        written is to be removed
 *    queued, under way --sender closes or dies--> ended: the call fails, the chunk is as it
 *                        was; of FTrace_disk_writer(): queued, for the next sender
 *
 *    Who may: CAP_PERFMON in the initial user namespace, or all who may open the device with
 *    the module parameter group_kernel=1. Chunks are events of the kernel.
 *
 *    Errors, with those that all requests have (ktrace.h):
 *
 *    SHARK_SENDER  EPERM without privilege; EINVAL kinds or reserved that cannot be; EBUSY not
 *                  a fresh descriptor, or somebody else sends so already
 *    SHARK_NEXT    EINVAL not a sender's descriptor; EAGAIN there is none
 *    SHARK_END     EINVAL not a sender's descriptor, error above 0; ENOENT no such job is
 *                  under way
 *    mmap()        ENXIO the sender has no job of that chunk under way; EINVAL beyond its end,
 *                  or MAP_PRIVATE; EPERM writable or executable
 *    poll()        POLLIN a job is queued
 *
 *    A sender's descriptor takes no other request but INFO and KEPT.
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

/* Event codes: parameters in brackets, - is none. */
enum {
	/* family 0: trace */
	FTrace_EVT_empty = 0x00,		/* an empty slot */
	FTrace_EVT_cycles_per_msec = 0x10,	/* (-, ticks of a millisecond) */
	FTrace_EVT_trace_start = 0x20,		/* (context, ticks of a millisecond) */
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
	FTrace_EVT_data_pointer = 0x1A,		/* goes on with the event before */

	/* family B: timer */
	FTrace_EVT_timer_post = 0x0B,
	FTrace_EVT_timer_delete = 0x1B,
	FTrace_EVT_timer_wakeup_start = 0x2B,
	FTrace_EVT_timer_wakeup_end = 0x3B,	/* (context, -) */

	/*
	 * The filter was changed: (1 suppressed, 0 let through; -). Codes whose upper four
	 * bits are set are let through by every filter. In a file 0xFF can only be the filter
	 * of family F.
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

	/* Logged, it stores nothing: the writer goes on to the chunk that is linked. */
	FTrace_EVT_next_chunk = 0xFF,
};

/* What a data pointer points to */
enum {
	FTrace_DATA_int = 1,
	FTrace_DATA_char = 2,
};

/* Flags of a chunk */
typedef __u8 FTrace_flags;
#define FTRACE_CHUNK_FLAG_FREE 0x01	/* may be selected, or linked to */
#define FTRACE_CHUNK_FLAG_FULL 0x02	/* no more events are taken */
#define FTRACE_CHUNK_FLAG_CYC 0x00	/* mode: when full, overwrite the oldest */
#define FTRACE_CHUNK_FLAG_JTN 0x04	/* mode: when full, go to the chunk that is linked */
#define FTRACE_CHUNK_FLAG_STOP 0x08	/* mode: when full, take no more */
#define FTRACE_CHUNK_FLAG_BUSY 0x10	/* is being sent or compressed */
#define FTRACE_CHUNK_FLAG_NODEL 0x20	/* is not deleted */
#define FTRACE_CHUNK_FLAG_COMPR 0x40	/* is compressed */
#define KTRACE_SHARK_MODE_MASK 0x0c

#define KTRACE_SHARK_CHUNK_NR 256

/* Why an event is not in a chunk, or no longer. What a filter suppresses is not lost. */
enum ktrace_shark_lost {
	KTRACE_SHARK_LOST_FULL = 0,	/* the chunk is FULL, and there is no other */
	KTRACE_SHARK_LOST_BUSY = 1,	/* the chunk is BUSY */
	KTRACE_SHARK_LOST_OVERWRITTEN = 2, /* CYC: the oldest made room for the newest */
	KTRACE_SHARK_LOST_NOCHUNK = 3,	/* no chunk is selected */
	/* too many interrupted each other while one was stored, or storing one did not end */
	KTRACE_SHARK_LOST_NESTED = 4,
	KTRACE_SHARK_LOST_NR = 5,
};

#define KTRACE_SHARK_CHUNK_ID 0xFFAAFFBBu

/**
 * struct FTrace_Chunk - what FTrace_get_chunk_table() tells of a chunk
 * @id:		KTRACE_SHARK_CHUNK_ID
 * @number:	its slot in the table
 * @flags:	FTRACE_CHUNK_FLAG_*
 * @is_selected: 1 = events go to it
 * @reserved:	0
 * @size:	bytes of the normal area
 * @emergency_size: bytes of the emergency area
 * @next:	number of the chunk that is linked, -1: none
 * @first:	slot of the oldest event
 * @events:	events in the normal area
 * @emergency_events: events in the emergency area
 * @reserved2:	0
 * @bytes:	compressed: bytes of that
 * @lost:	events lost since the chunk was taken in use, enum ktrace_shark_lost
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
 * @events:	that follow
 * @size:	bytes of the datagram
 */
struct ktrace_shark_packet {
	char id[12];
	__u32 number;
	__u32 events;
	__u32 size;
};

/* Kinds of sending, a bit each */
#define KTRACE_SHARK_TO_DISK 1u		/* FTrace_init_disk_writer() */
#define KTRACE_SHARK_TO_UDP 2u		/* FTrace_OSD_init_udp() */

/* Names and addresses, with their NUL */
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
 * struct ktrace_shark_job - KTRACE_IOC_SHARK_NEXT: a chunk that is to be sent
 * @size:	sizeof(struct ktrace_shark_job); in; all else is out
 * @kind:	KTRACE_SHARK_TO_DISK or _UDP
 * @job:	names the job, never 0
 * @chunk:	number of the chunk
 * @flags:	FTRACE_CHUNK_FLAG_*, as they were before it was BUSY
 * @osd_flags:	what FTrace_send_chunk() was given
 * @clk_per_msec: ticks of a millisecond, 0 = unknown
 * @first:	section 2
 * @events:	section 2
 * @normal_nr:	section 2
 * @emergency_events: section 2
 * @bytes:	of the zstd frames if it is compressed, otherwise 0
 * @map_off:	offset for mmap()
 * @map_size:	bytes to map, 0 = nothing there
 * @lost:	events lost since the chunk was taken in use, enum ktrace_shark_lost
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
 * struct ktrace_shark_end - KTRACE_IOC_SHARK_END: a job has come to its end
 * @job:	which
 * @error:	0 everything is out: on the disk, or given to the network; -errno otherwise
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
