/* SPDX-License-Identifier: GPL-2.0 */
/* chunk_send.h - chunks on their way to a sender process: uapi/linux/ktrace_shark.h */
#ifndef KT_CHUNK_SEND_H
#define KT_CHUNK_SEND_H

#include <linux/poll.h>
#include <linux/types.h>
#include <uapi/linux/ktrace_shark.h>

struct kt_chunk_sender;
struct vm_area_struct;

void kt_chunk_sender_exit(void);

int kt_chunk_sender_open(u32 kinds, struct kt_chunk_sender **out);
void kt_chunk_sender_close(struct kt_chunk_sender *s);
int kt_chunk_sender_next(struct kt_chunk_sender *s, struct ktrace_shark_job *job);
void kt_chunk_sender_undo(struct kt_chunk_sender *s, u64 id);
int kt_chunk_sender_end(struct kt_chunk_sender *s, const struct ktrace_shark_end *end);
__poll_t kt_chunk_sender_poll(struct kt_chunk_sender *s, struct file *file, poll_table *wait);
int kt_chunk_sender_mmap(struct kt_chunk_sender *s, struct vm_area_struct *vma);

#endif
