/* SPDX-License-Identifier: GPL-2.0 */
/* control.h - what the owner of a session can make it do */
#ifndef KT_CONTROL_H
#define KT_CONTROL_H

#include <linux/types.h>

struct kt_session;
struct kt_event_filter;
struct ktrace_counter;
struct ktrace_exec;
struct ktrace_stacks;

int kt_control_start(struct kt_session *s);
int kt_control_stop(struct kt_session *s);
int kt_control_enable(struct kt_session *s, u16 id, bool on);
int kt_control_filter(struct kt_session *s, u16 id, struct kt_event_filter *v);
int kt_control_map(struct kt_session *s, u32 number, u16 *id);
int kt_control_missed(struct kt_session *s, u16 id, u64 *missed);
int kt_control_follow(struct kt_session *s, s32 pid);
int kt_control_context(struct kt_session *s, u16 id, u16 bits);
int kt_control_counter(struct kt_session *s, struct ktrace_counter *spec);
void kt_control_attached(struct kt_session *s);
int kt_control_exec(struct kt_session *s, struct ktrace_exec *next);
int kt_control_stacks(struct kt_session *s, struct ktrace_stacks *arg);

#endif
