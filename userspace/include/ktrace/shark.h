/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * shark.h - the S.Ha.R.K. tracer for programs: events are stored in chunks of memory
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
 * <linux/ktrace_shark.h> has events, flags and formats, Documentation/shark.md the rules. Functions
 * that return int return -1 on failure, and then have had no effect.
 *
 * Context: any thread; TRACER_LOGEVENT() and its variants also any signal handler. Once a chunk has
 * been created, a handler may also call FTrace_enable(), FTrace_disable(),
 * FTrace_actual_chunk_select(), FTrace_chunk_link(), FTrace_set_chunk_flags(),
 * FTrace_get_chunk_flags(), FTrace_get_first_chunk(), FTrace_lost() and FTrace_set_filter() (-1 if
 * it interrupted an event of its own thread), but no others. Cancellation points are only the
 * functions that send or configure sending, and FTrace_chunk_dump(); a handler that interrupts any
 * function must return, not jump out.
 *
 * fork(): the child has its own tracer, which continues with copies of the chunks. It appends to
 * the files that its parent had begun; it sends no packets before FTrace_OSD_init_udp().
 */
#ifndef KTRACE_SHARK_H
#define KTRACE_SHARK_H

#include <linux/ktrace_shark.h>

/* Bound at load time, because the dynamic linker needs more stack to bind a function lazily. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__LP64__)
#define KTRACE_SHARK_BOUND __attribute__((noplt))
#else
#define KTRACE_SHARK_BOUND
#endif

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/**
 * FTrace_enable - start storing events
 *
 * Return: 0; -1 if no chunk has ever been created, or none is selected.
 */
int FTrace_enable(void);

/**
 * FTrace_disable - stop storing events
 *
 * Return: 0; -1 if no chunk has ever been created.
 */
int FTrace_disable(void);

/**
 * FTrace_chunk_create - create a chunk
 * @normal_size:	bytes of its normal area
 * @emergency_size:	bytes of its emergency area, may be 0
 * @flags:		FTRACE_CHUNK_FLAG_*
 *
 * Return: its number, the lowest that is free; -1 for invalid sizes or flags, if there are 256
 * chunks already, or without memory.
 */
int FTrace_chunk_create(int normal_size, int emergency_size, FTrace_flags flags);

/**
 * FTrace_chunk_delete - free a chunk's memory and number
 * @n:		the chunk
 *
 * Return: 0, also for a chunk with NODEL, which is kept; -1 if there is none, or it is selected,
 * linked to, or BUSY.
 */
int FTrace_chunk_delete(int n);

/**
 * FTrace_set_chunk_flags - replace the flags of a chunk, except BUSY and COMPR
 * @n:		the chunk
 * @flags:	the new ones
 */
int FTrace_set_chunk_flags(int n, FTrace_flags flags);

/**
 * FTrace_get_chunk_flags - get the current flags of a chunk
 * @n:		the chunk
 * @flags:	out: FTRACE_CHUNK_FLAG_*
 */
int FTrace_get_chunk_flags(int n, FTrace_flags *flags);

/**
 * FTrace_actual_chunk_select - store events in this chunk from now on
 * @n:		a chunk that is FREE; clears that flag
 */
int FTrace_actual_chunk_select(int n);

/**
 * FTrace_chunk_link - set the chunk that follows a chunk once it is FULL
 * @a:		the chunk; its previous link is replaced
 * @b:		a chunk that is FREE; clears that flag
 */
int FTrace_chunk_link(int a, int b);

/**
 * FTrace_get_first_chunk - find the lowest chunk that has any of these flags
 * @flags:	FTRACE_CHUNK_FLAG_*
 *
 * Return: its number; -1 if there is none.
 */
int FTrace_get_first_chunk(FTrace_flags flags);

/**
 * FTrace_get_chunk_table - get a snapshot of all chunks
 *
 * Return: KTRACE_SHARK_CHUNK_NR pointers, NULL where there is no chunk. The snapshot is valid until
 * this thread calls again or ends. NULL without memory.
 */
FTrace_Chunk_Ptr *FTrace_get_chunk_table(void);

/**
 * FTrace_compress_chunk - replace the content of a chunk by its compressed form
 * @n:		a chunk; it becomes COMPR: it takes no events, but can be sent
 * @new_flags:	its new flags
 */
int FTrace_compress_chunk(int n, FTrace_flags new_flags);

/**
 * FTrace_send_chunk - send the content of a chunk and wait until that is done
 * @n:		the chunk; BUSY meanwhile: events for it are lost
 * @osd_flags:	not used
 * @new_flags:	its new flags; with FREE, it is emptied when it is next put into use
 *
 * Return: 0 the file is on the disk, or the packets have been passed to the network; -1 no such
 * chunk, it is already BUSY, no sender is registered, or sending failed: the chunk is unchanged.
 */
int FTrace_send_chunk(int n, int osd_flags, FTrace_flags new_flags);

/**
 * FTrace_init_disk_writer - send chunks to files from now on
 * @fname:	their name; the number of the chunk precedes its last part
 * @flag:	not used
 * @l_ip:	not used
 * @t_ip:	not used
 *
 * If ktraced records the program, ktraced writes the files to the folder it announces, and
 * completes started files when the program dies. The program itself writes files with a folder in
 * their name, and all files when it runs alone.
 *
 * The first time a chunk is sent, it replaces an existing file; later sends append.
 *
 * Return: 0; -1 if the name is too long or empty.
 */
int FTrace_init_disk_writer(const char *fname, int flag, const char *l_ip, const char *t_ip);

/**
 * FTrace_disk_writer - write a chunk to its file
 * @c:		the chunk, from FTrace_get_chunk_table()
 *
 * Writes at once, whereas the original waits for the end of the system. The flags do not change.
 */
void FTrace_disk_writer(FTrace_Chunk_Ptr c);

/**
 * FTrace_OSD_init_udp - send chunks as packets from now on
 * @flag:	not used: the network is assumed to be up
 * @l_ip:	source address, with or without a port (KTRACE_SHARK_UDP_PORT); NULL, "" any
 * @t_ip:	destination address
 *
 * Return: 0; -1 if the addresses are invalid, or the port is in use.
 */
int FTrace_OSD_init_udp(int flag, const char *l_ip, const char *t_ip);

/**
 * FTrace_set_filter - suppress a family of events, or let it through
 * @family:	FTrace_filter_*
 * @status:	1 suppress, 0 let through
 *
 * The change is recorded as an event: code @family, par1 @status.
 */
void FTrace_set_filter(__u8 family, int status);

/**
 * FTrace_chunk_dump - print a description of a chunk on standard error
 * @n:		the chunk
 */
void FTrace_chunk_dump(int n);

/**
 * TRACER_LOGEVENT - store an event
 * @type:	FTrace_EVT_*; 0 is refused
 * @par1:	16 bits
 * @par2:	32 bits
 *
 * Costs one load and one test if nothing is enabled or the family is suppressed: only @type is
 * evaluated then. Expands to nothing if KTRACE_NO_SHARK is defined. If ktraced records the program,
 * the trace also gets the event log:event, regardless of chunks and filters.
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
 * FAST_TRACER_LOGEVENT - store an event regardless of filters
 * @type:	FTrace_EVT_*; bit 15 is set when it is stored
 * @par1:	16 bits
 * @...:	an optional second parameter, which is not stored
 */
#define FAST_TRACER_LOGEVENT(type, par1, ...) \
	KTRACE_SHARK_POINT(type, 1, ktrace_shark_log_fast(ktrace_shark_type, par1))

/**
 * FTrace_chunk_read - read the events of a chunk
 * @n:		the chunk; BUSY meanwhile
 * @events:	out: the events, oldest first
 * @max:	size of @events in entries
 *
 * Return: number of events, possibly more than @max; -1 if there is no such chunk or it is BUSY.
 */
int FTrace_chunk_read(int n, struct ktrace_shark_event *events, int max);

/**
 * FTrace_lost - count the events lost since the program started
 * @reason:	enum ktrace_shark_lost
 */
__u64 FTrace_lost(enum ktrace_shark_lost reason);

/**
 * FTrace_clk_per_msec - get the ticks per millisecond, for trace_start and cycles_per_msec
 *
 * The first call may take some milliseconds.
 */
__u32 FTrace_clk_per_msec(void);

/* Everything below is implementation. */

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

/** ktrace_shark_off - bit f: TRACER_LOGEVENT() of family f is a no-op; 16: all are */
extern __u32 ktrace_shark_off;

/** ktrace_shark_byte - where a pointer is to the byte that is set while a recording wants events */
extern const __u8 *const *const ktrace_shark_byte;

/** ktrace_shark_log - implementation of TRACER_LOGEVENT() */
KTRACE_SHARK_BOUND void ktrace_shark_log(__u16 code, __u16 par1, __u32 par2);

/** ktrace_shark_log_critical - implementation of TRACER_LOGCRITICAL() */
KTRACE_SHARK_BOUND void ktrace_shark_log_critical(__u16 code, __u16 par1, __u32 par2);

/** ktrace_shark_log_fast - implementation of FAST_TRACER_LOGEVENT() */
KTRACE_SHARK_BOUND void ktrace_shark_log_fast(__u16 code, __u16 par1);

#pragma GCC visibility pop

static inline int ktrace_shark_wants(__u16 code)
{
	const __u32 bit = (code & 0xf0) == 0xf0 ? 16 : code & FTrace_family_mask;

	if (!(__atomic_load_n(&ktrace_shark_off, __ATOMIC_RELAXED) >> bit & 1))
		return 1;
	return __atomic_load_n(__atomic_load_n(ktrace_shark_byte, __ATOMIC_RELAXED),
			       __ATOMIC_RELAXED);
}

#ifdef __cplusplus
}
#endif

#endif
