// SPDX-License-Identifier: LGPL-2.1
/*
 * session.c - the public functions: picks a back end, numbers streams over all channels
 *
 * Streams: the kernel channel's rings first, then the user channel's.
 */
#include "internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layout.h"

int session_fail(struct ktrace_session *s, int error, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(s->reason, sizeof(s->reason), format, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(s->reason))
		snprintf(s->reason + n, sizeof(s->reason) - (size_t)n, ": %s", strerror(-error));
	return error;
}

void session_fill_user(char *map, const struct ktrace_control *c, const char *filter)
{
	snprintf(map + c->filter_off, c->filter_size, "%s", filter ? filter : "");
}

/*
 * Writers check only these bytes: they start and stop the writers. Returns true if that has changed
 * anything, so that programs have to be poked.
 */
bool session_show_event(struct ktrace_session *s, __u32 id)
{
	const struct ktrace_control *c = &s->user.control;
	const char is_on = s->is_running && s->wanted[id];
	char *byte = s->user.map + c->enable_off + id;

	if (id >= layout_id_nr(c) || kt_load(byte) == is_on)
		return false;
	kt_store(byte, is_on);
	return true;
}

void session_show_events(struct ktrace_session *s)
{
	bool has_changed = false;

	for (__u32 id = 0; id < KTRACE_ID_ALL; id++)
		has_changed |= session_show_event(s, id);
	if (has_changed)
		boards_poke();
}

static int open_backend(struct ktrace_session *s, const struct session_backend *backend,
			const struct ktrace_session_options *opts)
{
	int error;

	s->backend = backend;
	error = backend->open(s, opts);
	if (error)
		backend->close(s);
	return error;
}

/* AUTO: tries the device, then shared memory; s->reason keeps why the device failed. */
static int open_any(struct ktrace_session *s, const struct ktrace_session_options *opts)
{
	int error;

	if (opts->backend != KTRACE_BACKEND_SHM) {
		error = open_backend(s, &session_backend_dev, opts);
		if (!error)
			s->reason[0] = '\0';
		/* An invalid request is invalid for every back end. */
		if (!error || opts->backend == KTRACE_BACKEND_DEV || error == -EINVAL)
			return error;
	}
	return open_backend(s, &session_backend_shm, opts);
}

static int check_options(struct ktrace_session *s, const struct ktrace_session_options *opts)
{
	if (opts->size != sizeof(*opts))
		return session_fail(s, -EINVAL, "options");
	if (opts->filter && strlen(opts->filter) >= KTRACE_FILTER_SIZE)
		return session_fail(s, -EINVAL, "list of events is too long");
	return 0;
}

struct ktrace_session *session_alloc(void)
{
	struct ktrace_session *s = calloc(1, sizeof(*s));

	if (s)
		s->fd = -1;
	return s;
}

int ktrace_session_create(const struct ktrace_session_options *opts,
			  struct ktrace_session **out, char *reason)
{
	struct ktrace_session *s = session_alloc();
	int error;

	*out = s;
	if (!s)
		return -ENOMEM;
	for (__u32 id = 0; id < KTRACE_ID_ALL; id++)
		s->wanted[id] = selection_starts_on(id);
	error = check_options(s, opts);
	if (!error)
		error = open_any(s, opts);
	if (error)
		goto err_free;
	error = registry_init(&s->registry, &s->user);
	if (error)
		goto err_close;
	return 0;

err_close:
	s->backend->close(s);
err_free:
	if (reason)
		memcpy(reason, s->reason, KTRACE_REASON_SIZE);
	*out = NULL;
	free(s);
	return error;
}

static void free_session(struct ktrace_session *s)
{
	registry_exit(&s->registry);
	selection_exit(s);
	free(s);
}

void ktrace_session_destroy(struct ktrace_session *s)
{
	if (!s)
		return;
	if (s->is_running)
		ktrace_session_stop(s);
	s->backend->close(s);
	free_session(s);
}

void ktrace_session_leave(struct ktrace_session *s)
{
	if (!s)
		return;
	s->backend->leave(s);
	free_session(s);
}

void ktrace_session_forget(struct ktrace_session *s)
{
	if (!s)
		return;
	channel_exit(&s->kernel);
	channel_exit(&s->user);
	if (s->fd >= 0)
		close(s->fd);
	free_session(s);
}

const void *ktrace_session_area(const struct ktrace_session *s, size_t *size)
{
	*size = s->registry.size;
	return s->registry.base;
}

int ktrace_session_info(struct ktrace_session *s, struct ktrace_session_info *info)
{
	*info = (struct ktrace_session_info) {
		.backend = s->backend->name,
		.reason = s->reason,
		.kernel_error = s->kernel_error,
		.env = s->env,
		.clock = s->clock.clock,
		.has_kernel = s->kernel.map,
		.is_damaged = s->is_damaged,
	};
	return s->backend->info ? s->backend->info(s, info) : 0;
}

__u64 ktrace_session_id(const struct ktrace_session *s)
{
	return s->user.control.session;
}

bool ktrace_session_mend(struct ktrace_session *s, void *addr)
{
	struct kt_reader *reader;

	if (!channel_mend(&s->user, addr))
		return false;
	s->is_damaged = true;
	reader = channel_reader_at(&s->user, addr);
	if (reader)
		reader->lost.count[KTRACE_LOST_CORRUPT]++;
	return true;
}

int ktrace_session_enable(struct ktrace_session *s, __u32 kind, __u16 id, bool on)
{
	if (kind == KTRACE_CHANNEL_KERNEL)
		return s->kernel.map ? s->backend->enable(s, id, on) : -ENOENT;
	if (!s->user.map)
		return -ENOENT;
	if (id < KTRACE_ID_FIRST || id >= layout_id_nr(&s->user.control) || id >= KTRACE_ID_ALL)
		return -EINVAL;
	s->wanted[id] = on;
	if (session_show_event(s, id))
		boards_poke();
	return 0;
}

int ktrace_session_tracepoint(struct ktrace_session *s, __u32 number, __u16 *id)
{
	return s->kernel.map ? s->backend->tracepoint(s, number, id) : -ENOENT;
}

int ktrace_session_missed(struct ktrace_session *s, __u16 id, __u64 *missed)
{
	*missed = 0;
	return s->kernel.map ? s->backend->missed(s, id, missed) : -ENOENT;
}

int ktrace_session_exec(struct ktrace_session *s, struct ktrace_exec *next)
{
	return s->backend->exec ? s->backend->exec(s, next) : -EOPNOTSUPP;
}

int ktrace_session_undecided(struct ktrace_session *s, __u64 *undecided)
{
	*undecided = 0;
	return s->kernel.map ? s->backend->undecided(s, undecided) : -ENOENT;
}

int ktrace_session_follow(struct ktrace_session *s, __s32 pid)
{
	return s->kernel.map ? s->backend->follow(s, pid) : -ENOENT;
}

int ktrace_session_filter(struct ktrace_session *s, const struct ktrace_kernel_filter *filter)
{
	return s->kernel.map ? s->backend->filter(s, filter) : -ENOENT;
}

int ktrace_session_context(struct ktrace_session *s, __u16 id, __u16 bits)
{
	return s->kernel.map ? s->backend->context(s, id, bits) : -ENOENT;
}

int ktrace_session_counter(struct ktrace_session *s, __u32 type, __u64 config, __u16 *bit)
{
	__u32 index = 0;
	int error = s->kernel.map ? s->backend->counter(s, type, config, &index) : -ENOENT;

	*bit = (__u16)(KTRACE_CONTEXT_COUNTER << index);
	return error;
}

int ktrace_session_stacks(struct ktrace_session *s, __u64 *pos, void *buf, __u32 size,
			  __u64 *dropped)
{
	struct ktrace_stacks arg = {
		.size = sizeof(arg), .bytes = size, .pos = *pos, .buf = (__u64)(uintptr_t)buf,
	};
	int error = s->kernel.map ? s->backend->stacks(s, &arg) : -ENOENT;

	if (error)
		return error;
	*pos = arg.pos;
	*dropped = arg.dropped;
	return (int)arg.bytes;
}

int ktrace_session_start(struct ktrace_session *s)
{
	int error = s->backend->set_running(s, true);

	if (error)
		return error;
	s->is_running = true;
	session_show_events(s);
	return 0;
}

int ktrace_session_stop(struct ktrace_session *s)
{
	int error;

	s->is_running = false;
	session_show_events(s);
	error = s->backend->set_running(s, false);
	/* ORD(session_stop:A) pairs ORD(join_late:A): stopped before the registry is read again */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return error;
}

int ktrace_session_fd(const struct ktrace_session *s)
{
	return s->backend == &session_backend_dev ? s->fd : -1;
}

int ktrace_session_reclaim(struct ktrace_session *s)
{
	return s->backend->reclaim(s);
}

int ktrace_session_holders(struct ktrace_session *s, __u32 limit, struct ktrace_holders *h)
{
	*h = (struct ktrace_holders) { 0 };
	return s->backend->holders(s, limit, h);
}

void ktrace_session_clock(struct ktrace_session *s, struct ktrace_reading *r)
{
	clock_read(&s->clock, r);
}

__u64 ktrace_session_stamp(const struct ktrace_session *s)
{
	return kt_clock(s->clock.clock);
}

__u32 ktrace_stream_nr(const struct ktrace_session *s)
{
	return s->kernel.control.ring_nr + s->user.control.ring_nr;
}

static const struct channel *channel_of(const struct ktrace_session *s, __u32 stream, __u32 *ring)
{
	__u32 kernel_nr = s->kernel.control.ring_nr;

	*ring = stream < kernel_nr ? stream : stream - kernel_nr;
	return stream < kernel_nr ? &s->kernel : &s->user;
}

static struct kt_reader *reader_of(const struct ktrace_session *s, __u32 stream)
{
	__u32 ring;
	const struct channel *ch = channel_of(s, stream, &ring);

	return &ch->readers[ring];
}

void ktrace_stream_info(const struct ktrace_session *s, __u32 stream, struct ktrace_stream *info)
{
	__u32 ring;
	const struct channel *ch = channel_of(s, stream, &ring);
	const struct kt_ring *r = &ch->readers[ring].ring;

	*info = (struct ktrace_stream) {
		.kind = ch->control.kind,
		.ring = ring,
		.is_thread = ring >= ch->control.cpu_nr,
		.policy = r->policy,
		.block_size = r->block_size,
		.size = r->size,
	};
}

__u64 ktrace_stream_pos(const struct ktrace_session *s, __u32 stream)
{
	return reader_of(s, stream)->pos;
}

__u64 ktrace_stream_unread(const struct ktrace_session *s, __u32 stream)
{
	return kt_reader_unread(reader_of(s, stream));
}

static struct kt_chunk to_core(const struct ktrace_chunk *c)
{
	return (struct kt_chunk) {
		.pos = c->pos,
		.data = c->data,
		.next_pos = c->next_pos,
		.first_ts = c->first_ts,
		.last_ts = c->last_ts,
		.size = c->size,
		.records = c->records,
		.corrupt = c->corrupt,
	};
}

static struct ktrace_chunk from_core(const struct kt_chunk *c)
{
	return (struct ktrace_chunk) {
		.pos = c->pos,
		.next_pos = c->next_pos,
		.first_ts = c->first_ts,
		.last_ts = c->last_ts,
		.data = c->data,
		.size = c->size,
		.records = c->records,
		.corrupt = c->corrupt,
	};
}

bool ktrace_stream_peek(struct ktrace_session *s, __u32 stream, bool partial,
			struct ktrace_chunk *chunk)
{
	struct kt_chunk c;

	if (!kt_reader_peek(reader_of(s, stream), partial, &c))
		return false;
	*chunk = from_core(&c);
	return true;
}

/* A second reader, which publishes nothing, reads ahead; it stops at the first irregular block. */
__u32 ktrace_stream_peek_blocks(struct ktrace_session *s, __u32 stream, __u32 max,
				struct ktrace_chunk *chunks)
{
	struct kt_reader ahead = *reader_of(s, stream);
	struct kt_chunk c;
	__u32 nr;

	ahead.ring.tail = NULL;
	for (nr = 0; nr < max; nr++) {
		const __u64 pos = ahead.pos;

		if (!kt_reader_peek(&ahead, false, &c) || c.corrupt || c.pos != pos)
			break;
		chunks[nr] = from_core(&c);
		kt_reader_advance(&ahead, &c);
	}
	return nr;
}

bool ktrace_stream_still_valid(const struct ktrace_session *s, __u32 stream,
			       const struct ktrace_chunk *chunk)
{
	struct kt_chunk c = to_core(chunk);

	return kt_reader_still_valid(reader_of(s, stream), &c);
}

void ktrace_stream_advance(struct ktrace_session *s, __u32 stream,
			   const struct ktrace_chunk *chunk)
{
	struct kt_chunk c = to_core(chunk);

	kt_reader_advance(reader_of(s, stream), &c);
}

void ktrace_stream_resume(struct ktrace_session *s, __u32 stream,
			  const struct ktrace_stream_taken *taken)
{
	kt_reader_resume(reader_of(s, stream), taken->pos, taken->records, taken->overwritten);
}

void ktrace_stream_unwritten(struct ktrace_session *s, __u32 stream, __u32 records)
{
	kt_reader_unwritten(reader_of(s, stream), records);
}

void ktrace_stream_lost(const struct ktrace_session *s, __u32 stream, struct ktrace_lost *sum)
{
	kt_reader_lost(reader_of(s, stream), sum);
}

int ktrace_registry_next(struct ktrace_session *s, struct ktrace_entry_copy *entry)
{
	int ret = registry_next(&s->registry, entry);

	shm_grow_registry(s);
	if (ret == 1 && entry->type == KTRACE_ENTRY_EVENT)
		selection_learn(s, entry);
	if (ret == 1)
		dismiss_learn(s, entry);
	/* Once for all entries: root pokes the boards of all users. */
	if (!ret && s->must_poke) {
		s->must_poke = false;
		boards_poke();
	}
	return ret;
}

void ktrace_registry_saved(struct ktrace_session *s)
{
	registry_slots_free(&s->registry.slots);
}

void ktrace_registry_use(const struct ktrace_session *s, struct ktrace_registry_use *use)
{
	const struct registry *r = &s->registry;

	*use = (struct ktrace_registry_use) {
		.used = r->off,
		.size = r->size,
		.most = s->registry_most > r->size ? s->registry_most : r->size,
		.reused = r->slots.next,
		.slots = r->slots.nr,
		.unfinished = registry_unfinished(r),
		.missing = ktrace_registry_full(s),
	};
}

__u32 ktrace_registry_full(const struct ktrace_session *s)
{
	const struct ktrace_registry *r = (const struct ktrace_registry *)s->registry.base;

	return r ? kt_load(&r->full) : 0;
}

__u32 ktrace_registry_guests(const struct ktrace_session *s)
{
	const struct ktrace_registry *r = (const struct ktrace_registry *)s->registry.base;

	return r ? kt_load(&r->reserved[KTRACE_REGISTRY_GUESTS]) : 0;
}
