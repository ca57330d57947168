/* SPDX-License-Identifier: GPL-2.0 */
/* session.h - a session: its channels, its state, its end */
#ifndef KT_SESSION_H
#define KT_SESSION_H

#include <linux/poll.h>
#include <linux/types.h>
#include <linux/ktrace.h>
#include "buffer.h"

struct kt_session;

int kt_session_init(void);

int kt_session_create(struct kt_session **out);
int kt_session_find(u64 id, struct kt_session **out);
void kt_session_close(struct kt_session *s);
void kt_session_put(struct kt_session *s);

int kt_session_add_channel(struct kt_session *s, struct ktrace_channel_spec *spec);
int kt_session_start(struct kt_session *s);
int kt_session_stop(struct kt_session *s);
int kt_session_enable(struct kt_session *s, u16 id, bool on);
int kt_session_follow(struct kt_session *s, s32 pid);
void kt_session_info(struct kt_session *s, struct ktrace_info *info);
int kt_session_user_channel(struct kt_session *s, struct ktrace_attach *attach);

struct kt_buffer *kt_session_channel(struct kt_session *s, u32 index);
void kt_session_add_writer(struct kt_session *s);
void kt_session_remove_writer(struct kt_session *s);
__poll_t kt_session_poll(struct kt_session *s, struct file *file, poll_table *wait);

#endif
