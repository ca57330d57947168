/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session.h - a session: its birth, its channels, its end
 *
 * Requests of its owner are in control.h.
 */
#ifndef KT_SESSION_H
#define KT_SESSION_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/ktrace.h>
#include "buffer.h"
#include "emit.h"

#define KT_CHANNELS_MAX 8

/**
 * struct kt_session - one session
 * @ref:	holders: the owner's descriptor, or the list of kept sessions; each attached
 *		writer's descriptor (mappings hold descriptors)
 * @id:		random, never 0
 * @owner:	user who made it
 * @payer:	user who is charged for it: kt_account_user()
 * @for_all:	its owner had CAP_SYS_ADMIN: programs of any user may attach
 * @clock:	enum ktrace_clock, of all its channels
 *
 * Under kt_sessions_lock:
 * @node:	in kt_sessions, until freed
 * @open:	not closed: is counted, and can be found
 * @is_owned:	there is an owner, or the session is kept: @payer is charged
 * @bytes:	charged memory
 * @holders:	struct kt_holder, one per user; charged when there is no owner any more
 * @refused:	attachments refused because the user held too much memory
 *
 * Under lock:
 * @lock:	one request at a time
 * @running:	between start and stop
 * @started:	has been running
 * @wanted:	kernel events that are enabled
 * @is_fading:	an event was switched off, and emitters may still be recording it
 * @mapped:	ids from KTRACE_EV_DYNAMIC on that it may enable, a bit each
 * @ended:	has been closed; a process that adopts it owns it again
 * @execs:	programs that its owner's descendants execute; NULL: not requested yet; RCU
 *
 * Under the lock of the owner's descriptor, of which there is one at a time:
 * @keep:	to be kept when the owner is gone
 *
 * Under kept_lock (orphans.c):
 * @kept_node:	in kept, while it has no owner
 * @kept_until:	when it is freed, in 64-bit jiffies
 * @was_adopted: a process has begun to save it
 *
 * Written under @lock, published by @channel_nr, then constant:
 * @channels:	the channels
 * @kernel:	the kernel channel, or NULL
 * @has_programs: has a user channel: new tasks are watched
 * @channel_nr:	their number
 *
 * Any context:
 * @target:	what the hot path knows of the session; published from the creation of @kernel to
 *		the end
 * @writers:	mappings by attached writers
 * @had_writers: @writers has been above 0
 * @wait:	wait queue of the owner's poll()
 * @tick:	looks at the rings on behalf of a poller: user rings are filled without
 *		system calls
 */
struct kt_session {
	struct kref ref;
	u64 id;
	kuid_t owner;
	kuid_t payer;
	bool for_all;
	u32 clock;

	struct list_head node;
	bool open;
	bool is_owned;
	u64 bytes;
	struct list_head holders;
	u32 refused;

	struct mutex lock;
	bool running;
	bool started;
	DECLARE_BITMAP(wanted, KT_EVENT_NR);
	bool is_fading;
	DECLARE_BITMAP(mapped, KTRACE_EV_DYNAMIC_NR);
	bool ended;
	struct kt_execs __rcu *execs;

	bool keep;

	struct list_head kept_node;
	u64 kept_until;
	bool was_adopted;

	struct kt_buffer *channels[KT_CHANNELS_MAX];
	struct kt_buffer *kernel;
	bool has_programs;
	u32 channel_nr;

	struct kt_emit_target target;
	atomic_t writers;
	bool had_writers;
	wait_queue_head_t wait;
	struct delayed_work tick;
};

/*
 * Protects the list of all sessions and the members listed above as such; taken inside
 * kt_session.lock.
 */
extern struct mutex kt_sessions_lock;
extern struct list_head kt_sessions;

int kt_session_init(void);
u32 kt_session_clock(void);

int kt_session_create(struct kt_session **out);
int kt_session_find(u64 id, struct kt_session **out);
void kt_session_end(struct kt_session *s);
void kt_session_disown(struct kt_session *s);
void kt_session_close(struct kt_session *s);
void kt_session_put(struct kt_session *s);

bool kt_session_may_kernel(void);
int kt_session_add_channel(struct kt_session *s, struct ktrace_channel_spec *spec);
void kt_session_info(struct kt_session *s, struct ktrace_info *info);
int kt_session_user_channel(struct kt_session *s, struct ktrace_attach *attach);

struct kt_buffer *kt_session_channel(struct kt_session *s, u32 index);
void kt_session_add_writer(struct kt_session *s);
void kt_session_remove_writer(struct kt_session *s);
__poll_t kt_session_poll(struct kt_session *s, struct file *file, poll_table *wait);

#endif
