/* SPDX-License-Identifier: GPL-2.0 */
/* buffer.h - memory of one channel: its layout, its pages, who may write where */
#ifndef KT_BUFFER_H
#define KT_BUFFER_H

#include <linux/list.h>
#include <linux/types.h>
#include "ring/ring.h"

struct page;

/* Memory is short when less than 1/KT_SPARE_PART of it is available. */
#define KT_SPARE_PART 20

enum kt_role {
	KT_ROLE_NONE = 0,	/* no request yet */
	KT_ROLE_OWNER,
	KT_ROLE_WRITER,
	KT_ROLE_SENDER,		/* of S.Ha.R.K. chunks; no session */
};

/*
 * struct kt_layout - geometry of a channel, checked; members as in struct ktrace_control
 *
 * @is_privileged: may use up the machine's memory
 *
 * Never changes once computed. The copy in the control page is for user space only.
 */
struct kt_layout {
	u32 kind;
	u32 policy;
	u32 block_size;
	u32 cpu_nr;
	u32 ring_nr;
	u32 timeout_ms;
	u32 watermark;
	u32 enable_off;
	u32 filter_off;
	u32 note_off;
	u64 ring_size;
	u64 thread_size;
	u64 registry_size;
	u64 tail_off;
	u64 registry_off;
	u64 rings_off;
	u64 threads_off;
	u64 map_size;
	bool is_privileged;
};

/**
 * struct kt_buffer - the memory of one channel
 * @l:		layout
 * @node:	kernel channels: in the list that is walked when a CPU comes online
 * @pages:	all pages, in the order of the mapping; NULL: data of a CPU that has not been online
 *		since
 * @base:	areas before the rings, mapped into the kernel
 * @cpu_rings:	kernel channels: a copy of @rings in each CPU's own memory
 * @rings:	the kernel's view of the rings, written to in kernel channels only; those of user
 *		channels have no data pointer
 */
struct kt_buffer {
	struct kt_layout l;
	struct list_head node;
	struct page **pages;
	char *base;
	struct kt_ring __percpu *cpu_rings;
	struct kt_ring rings[];
};

int kt_buffer_init(void);
void kt_buffer_exit(void);

int kt_layout_init(struct kt_layout *l, const struct ktrace_channel_spec *spec);
struct kt_buffer *kt_buffer_alloc(const struct kt_layout *l, u64 session, u32 clock);
void kt_buffer_free(struct kt_buffer *b);
u64 kt_buffer_bytes(const struct kt_layout *l);

struct page *kt_buffer_page(const struct kt_buffer *b, u64 off);
bool kt_buffer_may_write(const struct kt_buffer *b, enum kt_role role, u64 off, u64 end);

void kt_buffer_set_state(struct kt_buffer *b, enum ktrace_state state);
void kt_buffer_show_enabled(struct kt_buffer *b, u16 id, bool on);
void kt_buffer_close(struct kt_buffer *b);
bool kt_buffer_has_data(const struct kt_buffer *b);

#endif
