/* SPDX-License-Identifier: GPL-2.0 */
/*
 * <linux/ktrace_shark.h> inside the kernel: the S.Ha.R.K. tracer for other modules
 *
 *   a = FTrace_chunk_create(1000000, 0, FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_CYC);
 *   FTrace_actual_chunk_select(a);
 *   FTrace_enable();
 *   TRACER_LOGEVENT(FTrace_EVT_ipoint, 1000, 0);
 *
 * There is one tracer with 256 chunks, and all modules share it. Chunks stay when the module that
 * created them is unloaded, until they are deleted. TRACER_LOGEVENT() is that of <linux/ktrace.h>:
 * its events go to the selected chunk and to sessions, whichever there are.
 *
 * Functions that return int return -1 when they fail. Documentation/shark.md describes each; its
 * context is also given where it is defined, module/chunk*.c:
 *
 *   may sleep      enable, disable, chunk_create, chunk_delete, compress_chunk, send_chunk,
 *                  disk_writer, init_disk_writer, OSD_init_udp, get_chunk_table, chunk_dump
 *   any but NMI    the others
 *   any            TRACER_LOGEVENT, FAST_TRACER_LOGEVENT, TRACER_LOGCRITICAL, as long as RCU
 *                  is watching
 */
#ifndef _KTRACE_SHARK_KERNEL_H
#define _KTRACE_SHARK_KERNEL_H

#include <linux/ktrace.h>
#include <uapi/linux/ktrace_shark.h>

void ktrace_logevent_fast(u16 type, u16 par1);
void ktrace_logevent_critical(u16 type, u16 par1, u32 par2);

/* Not filtered. Sets KTRACE_SHARK_FAST and ignores par2, which old callers may give. */
#define FAST_TRACER_LOGEVENT(type, par1, ...)                                   \
	do {                                                                    \
		if (static_branch_unlikely(&ktrace_logevent_key))               \
			ktrace_logevent_fast(type, par1);                       \
	} while (0)

/* May use the chunk's emergency area when it is FULL. */
#define TRACER_LOGCRITICAL(type, par1, par2)                                    \
	do {                                                                    \
		if (static_branch_unlikely(&ktrace_logevent_key))               \
			ktrace_logevent_critical(type, par1, par2);             \
	} while (0)

int FTrace_enable(void);
int FTrace_disable(void);

int FTrace_chunk_create(int normal_size, int emergency_size, FTrace_flags flags);
int FTrace_chunk_delete(int n);
int FTrace_set_chunk_flags(int n, FTrace_flags flags);
int FTrace_get_chunk_flags(int n, FTrace_flags *flags);
int FTrace_actual_chunk_select(int n);
int FTrace_chunk_link(int chunk_a, int chunk_b);
int FTrace_get_first_chunk(FTrace_flags flags);
FTrace_Chunk_Ptr *FTrace_get_chunk_table(void);
void FTrace_chunk_dump(int n);

void FTrace_set_filter(u8 family, int status);

int FTrace_compress_chunk(int n, FTrace_flags new_flags);
int FTrace_send_chunk(int n, int osd_flags, FTrace_flags new_flags);

int FTrace_init_disk_writer(const char *fname, int flag, const char *l_ip, const char *t_ip);
void FTrace_disk_writer(FTrace_Chunk_Ptr c);
int FTrace_OSD_init_udp(int flag, const char *l_ip, const char *t_ip);

/* Additions to S.Ha.R.K.'s functions */
u64 FTrace_lost(enum ktrace_shark_lost reason);
u32 FTrace_clk_per_msec(void);

#endif
