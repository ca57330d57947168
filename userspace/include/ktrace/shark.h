/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * shark.h - the tracer of S.Ha.R.K. for programs: chunks of memory that events go to
 *
 *   #include <ktrace/shark.h>
 *
 *   int a = FTrace_chunk_create(1 << 20, 0, FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_CYC);
 *
 *   FTrace_init_disk_writer("trace", 0, NULL, NULL);
 *   FTrace_actual_chunk_select(a);
 *   FTrace_enable();
 *   TRACER_LOGEVENT(FTrace_EVT_user_event_0, 1, 2);		// anywhere
 *   FTrace_disable();
 *   FTrace_send_chunk(a, 0, FTRACE_CHUNK_FLAG_FREE);		// to the file 0trace
 *
 * Link with -lktrace-shark. The functions have the names and meanings of the original;
 * <linux/ktrace_shark.h> has events, flags and formats, Documentation/shark.md the rules.
 * Those that return int return -1 when they fail, and have done nothing then.
 *
 * Context: any thread; TRACER_LOGEVENT() and its relatives any signal handler too. When a chunk
 * has been made, a handler may also call FTrace_enable(), FTrace_disable(),
 * FTrace_actual_chunk_select(), FTrace_chunk_link(), FTrace_set_chunk_flags(),
 * FTrace_get_chunk_flags(), FTrace_get_first_chunk(), FTrace_lost() and FTrace_set_filter() (-1
 * where it has interrupted an event of its own thread), and no others. None is a cancellation
 * point but those that send or say how, and FTrace_chunk_dump(); a handler that interrupts any
 * must return, and not jump out.
 *
 * fork(): the child has a tracer of its own, which goes on with copies of the chunks. It
 * appends to the files that its parent had begun; packets it does not send before
 * FTrace_OSD_init_udp().
 */
#ifndef KTRACE_SHARK_H
#define KTRACE_SHARK_H

#include <linux/ktrace_shark.h>

/* Bound when it is loaded: the dynamic linker takes more stack to bind a function at its call. */
#if defined(__GNUC__) && !defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
#define KTRACE_SHARK_BOUND __attribute__((noplt))
#else
#define KTRACE_SHARK_BOUND
#endif

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/**
 * FTrace_enable - begin to store events
 *
 * Return: 0; -1 no chunk was ever made, or none is selected.
 */
int FTrace_enable(void);

/**
 * FTrace_disable - store no more events
 *
 * Return: 0; -1 no chunk was ever made.
 */
int FTrace_disable(void);

/**
 * FTrace_chunk_create - make a chunk
 * @normal_size:	bytes of its normal area
 * @emergency_size:	bytes of its emergency area, which may be 0
 * @flags:		FTRACE_CHUNK_FLAG_*
 *
 * Return: its number, the lowest that is free; -1 sizes or flags that cannot be, 256 chunks
 * are there, no memory.
 */
int FTrace_chunk_create(int normal_size, int emergency_size, FTrace_flags flags);

/**
 * FTrace_chunk_delete - give back a chunk's memory and number
 * @n:		the chunk
 *
 * Return: 0, also of a chunk with NODEL, which stays; -1 there is none, or it is selected,
 * linked to, or BUSY.
 */
int FTrace_chunk_delete(int n);

/**
 * FTrace_set_chunk_flags - replace the flags of a chunk, but for BUSY and COMPR
 * @n:		the chunk
 * @flags:	the new ones
 */
int FTrace_set_chunk_flags(int n, FTrace_flags flags);

/**
 * FTrace_get_chunk_flags - the flags of a chunk as they are now
 * @n:		the chunk
 * @flags:	out
 */
int FTrace_get_chunk_flags(int n, FTrace_flags *flags);

/**
 * FTrace_actual_chunk_select - events go to this chunk from now on
 * @n:		a chunk that is FREE, and then is not any more
 */
int FTrace_actual_chunk_select(int n);

/**
 * FTrace_chunk_link - where events go on when a chunk is FULL
 * @a:		that chunk; its link, if it has one, is replaced
 * @b:		a chunk that is FREE, and then is not any more
 */
int FTrace_chunk_link(int a, int b);

/**
 * FTrace_get_first_chunk - the lowest chunk that has any of these flags
 * @flags:	FTRACE_CHUNK_FLAG_*
 *
 * Return: its number; -1 there is none.
 */
int FTrace_get_first_chunk(FTrace_flags flags);

/**
 * FTrace_get_chunk_table - what there is to be said of all chunks
 *
 * Return: KTRACE_SHARK_CHUNK_NR pointers, NULL where there is no chunk: as they are now, good
 * until this thread asks again or ends. NULL without memory.
 */
FTrace_Chunk_Ptr *FTrace_get_chunk_table(void);

/**
 * FTrace_compress_chunk - replace what a chunk holds by the same, compressed
 * @n:		a chunk, which is COMPR from then on: it takes no events, but can be sent
 * @new_flags:	its flags then
 */
int FTrace_compress_chunk(int n, FTrace_flags new_flags);

/**
 * FTrace_send_chunk - send what a chunk holds, and wait until that is done
 * @n:		the chunk; BUSY meanwhile: events for it are lost
 * @osd_flags:	not used
 * @new_flags:	its flags then; with FREE it is emptied when it is taken in use
 *
 * Return: 0 the file is on the disk, the packets are with the network; -1 no such chunk, it is
 * BUSY already, nobody has been registered to send, or that failed: the chunk is as it was.
 */
int FTrace_send_chunk(int n, int osd_flags, FTrace_flags new_flags);

/**
 * FTrace_init_disk_writer - chunks are sent to files
 * @fname:	their name; the number of the chunk stands before its last part
 * @flag:	not used
 * @l_ip:	not used
 * @t_ip:	not used
 *
 * ktraced, if it records the program, writes them, into the folder of its own that it says,
 * and finishes what it has begun when the program dies. A name with a folder the program
 * writes itself, as it does all when it runs alone.
 *
 * A file that is there is replaced when a chunk is sent for the first time; from then on what
 * is sent is appended.
 *
 * Return: 0; -1 a name that is too long, or none.
 */
int FTrace_init_disk_writer(const char *fname, int flag, const char *l_ip, const char *t_ip);

/**
 * FTrace_disk_writer - write a chunk to its file
 * @c:		the chunk, from FTrace_get_chunk_table()
 *
 * At once, where the original waits for the end of the system. Its flags stay.
 */
void FTrace_disk_writer(FTrace_Chunk_Ptr c);

/**
 * FTrace_OSD_init_udp - chunks are sent as packets
 * @flag:	not used: the network is up
 * @l_ip:	address to send from, with or without a port (KTRACE_SHARK_UDP_PORT); NULL, "" any
 * @t_ip:	address to send to
 *
 * Return: 0; -1 these are no addresses, or somebody else has the port.
 */
int FTrace_OSD_init_udp(int flag, const char *l_ip, const char *t_ip);

/**
 * FTrace_set_filter - suppress a family of events, or let it through
 * @family:	FTrace_filter_*
 * @status:	1 suppress, 0 let through
 *
 * The change is an event: code @family, par1 @status.
 */
void FTrace_set_filter(__u8 family, int status);

/**
 * FTrace_chunk_dump - print what there is to be said of a chunk, on standard error
 * @n:		the chunk
 */
void FTrace_chunk_dump(int n);

/**
 * TRACER_LOGEVENT - store an event
 * @type:	FTrace_EVT_*; 0 is refused
 * @par1:	16 bits
 * @par2:	32 bits
 *
 * One load and one test if nothing is enabled, or its family suppressed: only @type is
 * evaluated then. Nothing at all if KTRACE_NO_SHARK is defined. If ktraced records
 * the program, the event log:event is in the trace, too, whatever chunks and filters say.
 */
#define TRACER_LOGEVENT(type, par1, par2) \
	KTRACE_SHARK_POINT(type, ktrace_shark_wants(ktrace_shark_type), \
			   ktrace_shark_log(ktrace_shark_type, par1, par2))

/**
 * TRACER_LOGCRITICAL - store an event, in the emergency area if the chunk is FULL
 * @type:	FTrace_EVT_*
 * @par1:	16 bits
 * @par2:	32 bits
 */
#define TRACER_LOGCRITICAL(type, par1, par2) \
	KTRACE_SHARK_POINT(type, ktrace_shark_wants(ktrace_shark_type), \
			   ktrace_shark_log_critical(ktrace_shark_type, par1, par2))

/**
 * FAST_TRACER_LOGEVENT - store an event whatever the filters say
 * @type:	FTrace_EVT_*; bit 15 is set when it is stored
 * @par1:	16 bits
 * @...:	a second parameter, if there is one, is not stored
 */
#define FAST_TRACER_LOGEVENT(type, par1, ...) \
	KTRACE_SHARK_POINT(type, 1, ktrace_shark_log_fast(ktrace_shark_type, par1))

/**
 * FTrace_chunk_read - the events of a chunk
 * @n:		the chunk; BUSY meanwhile
 * @events:	where to put them, oldest first
 * @max:	room for so many
 *
 * Return: how many there are, which may be more than @max; -1 no such chunk, or it is BUSY.
 */
int FTrace_chunk_read(int n, struct ktrace_shark_event *events, int max);

/**
 * FTrace_lost - events lost since the program started
 * @reason:	enum ktrace_shark_lost
 */
__u64 FTrace_lost(enum ktrace_shark_lost reason);

/**
 * FTrace_clk_per_msec - ticks of a millisecond, for trace_start and cycles_per_msec
 *
 * The first call may take some milliseconds.
 */
__u32 FTrace_clk_per_msec(void);

/* The rest is how. */

#ifdef KTRACE_NO_SHARK
#define KTRACE_SHARK_POINT(type, is_wanted, log) do { } while (0)
#else
#define KTRACE_SHARK_POINT(type, is_wanted, log) \
	do { \
		const __u16 ktrace_shark_type = (__u16)(type); \
\
		if (is_wanted) \
			log; \
	} while (0)
#endif

/** ktrace_shark_off - bit f: TRACER_LOGEVENT() of family f has nothing to do; 16: nothing at all */
extern __u32 ktrace_shark_off;

/** ktrace_shark_log - what TRACER_LOGEVENT() calls */
KTRACE_SHARK_BOUND void ktrace_shark_log(__u16 code, __u16 par1, __u32 par2);

/** ktrace_shark_log_critical - what TRACER_LOGCRITICAL() calls */
KTRACE_SHARK_BOUND void ktrace_shark_log_critical(__u16 code, __u16 par1, __u32 par2);

/** ktrace_shark_log_fast - what FAST_TRACER_LOGEVENT() calls */
KTRACE_SHARK_BOUND void ktrace_shark_log_fast(__u16 code, __u16 par1);

#pragma GCC visibility pop

static inline int ktrace_shark_wants(__u16 code)
{
	const __u32 bit = (code & 0xf0) == 0xf0 ? 16 : code & FTrace_family_mask;

	return !(__atomic_load_n(&ktrace_shark_off, __ATOMIC_RELAXED) >> bit & 1);
}

#ifdef __cplusplus
}
#endif

#endif
