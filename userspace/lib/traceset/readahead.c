// SPDX-License-Identifier: LGPL-2.1
/*
 * readahead.c - a second thread loads the sections that will be read next
 *
 * The next sections are known: each stream is read section by section. The helper takes the wanted
 * sections in order and loads each into a slot of its stream. The reader takes them from there, in
 * the same order as without a helper. The reader itself loads a section that the helper has not
 * begun, and waits only for one that is being loaded. Sections that the helper could not load are
 * loaded again by the reader, which finds, reports and counts errors as usual. So the result is the
 * same with and without the helper.
 *
 * The helper costs nothing where it is of no use: it is started only when many sections were read
 * in a row, and nothing is wanted before that, whether after a seek or after opening. It has all
 * signals blocked. A forked child has no helper and reads on without it.
 *
 * Memory: some sections for a set of few streams, at most one more for each stream of many.
 */
#include "readahead.h"

#include "trace.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* After this many sections in a row the caller is reading through, not viewing a few events. */
#define IN_A_ROW 64u
/* Memory for sections loaded ahead, for all streams together, unless there are too many of them. */
#define AHEAD_BYTES (4u << 20)

/**
 * struct ahead - the helper of a traceset
 * @cores:	as requested
 * @streams:	number of streams
 * @in_a_row:	sections read since opening or the last seek
 * @owner:	the process that started @thread, 0 = not started
 * @is_off:	the helper cannot or must not be started
 * @thread:	the helper
 * @lock:	protects the members below, and the states of slots
 * @work:	signalled when the helper has work
 * @done:	signalled when a slot that the reader waits for is done
 * @head:	first in the queue
 * @tail:	last in the queue; valid if there is a @head
 * @is_idle:	the helper waits for @work
 * @is_awaited:	the reader waits for @done
 * @is_stopping: the helper has to end
 */
struct ahead {
	enum ktrace_cores cores;
	size_t streams;
	__u32 in_a_row;
	pid_t owner;
	bool is_off;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t work;
	pthread_cond_t done;
	struct slot *head;
	struct slot *tail;
	bool is_idle;
	bool is_awaited;
	bool is_stopping;
};

/* Makes the state of a helper, which is not started yet. Returns 0, -ENOMEM. */
int ktrace_readahead_new(enum ktrace_cores cores, struct ahead **out)
{
	struct ahead *a = calloc(1, sizeof(*a));

	if (!a)
		return -ENOMEM;
	a->cores = cores;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->work, NULL);
	pthread_cond_init(&a->done, NULL);
	*out = a;
	return 0;
}

static struct slot *pop(struct ahead *a)
{
	struct slot *slot = a->head;

	a->head = slot->next;
	slot->is_queued = false;
	return slot;
}

static void load_slot(struct ahead *a, struct slot *slot)
{
	slot->state = SLOT_BUSY;
	pthread_mutex_unlock(&a->lock);
	slot->error = ktrace_reader_load_next(&slot->reader, slot->offset, slot->end, &slot->buf);
	pthread_mutex_lock(&a->lock);
	slot->state = SLOT_DONE;
	if (a->is_awaited)
		pthread_cond_signal(&a->done);
}

static void *help(void *arg)
{
	struct ahead *a = arg;
	struct slot *slot;

	pthread_mutex_lock(&a->lock);
	while (!a->is_stopping) {
		if (!a->head) {
			a->is_idle = true;
			pthread_cond_wait(&a->work, &a->lock);
			a->is_idle = false;
			continue;
		}
		slot = pop(a);
		if (slot->state == SLOT_WANTED)
			load_slot(a, slot);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

static bool has_second_core(void)
{
	cpu_set_t cpus;

	return !sched_getaffinity(0, sizeof(cpus), &cpus) && CPU_COUNT(&cpus) > 1;
}

static bool start(struct ahead *a)
{
	sigset_t all, before;
	int ret;

	a->is_off = a->cores == KTRACE_CORES_AUTO && !has_second_core();
	if (a->is_off)
		return false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(&a->thread, NULL, help, a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	a->is_off = ret;
	if (ret)
		return false;
	pthread_setname_np(a->thread, "ktrace-ahead");
	a->owner = getpid();
	return true;
}

/* True if there is a helper; starts one if it is time to. */
static bool is_helped(struct ahead *a)
{
	if (a->is_off || (a->in_a_row < IN_A_ROW && a->cores == KTRACE_CORES_AUTO))
		return false;
	if (!a->owner)
		return start(a);
	a->is_off = a->owner != getpid();
	return !a->is_off;
}

/* Takes back the first slot of @lane, loaded or not. */
static struct slot *take_slot(struct ahead *a, struct lane *lane, bool *is_loaded)
{
	struct slot *slot = &lane->slots[lane->first];

	pthread_mutex_lock(&a->lock);
	a->is_awaited = true;
	while (slot->state == SLOT_BUSY)
		pthread_cond_wait(&a->done, &a->lock);
	a->is_awaited = false;
	*is_loaded = slot->state == SLOT_DONE;
	slot->state = SLOT_FREE;
	pthread_mutex_unlock(&a->lock);
	lane->first = (lane->first + 1) % AHEAD_MAX;
	lane->nr--;
	return slot;
}

static bool take(struct ahead *a, struct stream *s, const struct entry *e)
{
	struct section_buf loaded = s->loaded;
	bool is_loaded, is_it = false;
	struct slot *slot;

	while (s->lane->nr && !is_it) {
		slot = take_slot(a, s->lane, &is_loaded);
		is_it = slot->offset == entry_offset(e) && slot->end == entry_end(e);
	}
	if (!is_it || !is_loaded || slot->error)
		return false;
	s->loaded = slot->buf;
	slot->buf = loaded;
	return true;
}

/* Like ktrace_reader_load_next(), for the next section @e of @s. */
int ktrace_readahead_load(struct stream *s, const struct entry *e)
{
	struct ahead *a = s->trace->ahead;

	if (a && s->lane && s->loaded.offset != entry_offset(e) && is_helped(a) && take(a, s, e))
		return 0;
	return ktrace_reader_load_next(trace_reader(s->trace, entry_offset(e)), entry_offset(e),
				       entry_end(e), &s->loaded);
}

/* Returns how many sections of @s may be loaded ahead. */
static __u32 depth_of(const struct ahead *a, const struct stream *s)
{
	size_t nr = AHEAD_BYTES / (a->streams * (s->loaded.cap + s->loaded.raw_cap + 1));

	return nr < 1 ? 1 : nr > AHEAD_MAX ? AHEAD_MAX : (__u32)nr;
}

/* Requests the next undamaged section of @s. Returns false if there is none. */
static bool want_one(struct ahead *a, struct stream *s)
{
	struct lane *lane = s->lane;
	struct slot *slot = &lane->slots[(lane->first + lane->nr) % AHEAD_MAX];
	const struct entry *e;

	while (lane->entry < s->entry_nr && s->entries[lane->entry].place & ENTRY_BAD)
		lane->entry++;
	if (lane->entry == s->entry_nr)
		return false;
	e = &s->entries[lane->entry++];
	slot->reader = *trace_reader(s->trace, entry_offset(e));
	slot->offset = entry_offset(e);
	slot->end = entry_end(e);
	slot->state = SLOT_WANTED;
	lane->nr++;
	if (slot->is_queued)
		return true;
	slot->is_queued = true;
	slot->next = NULL;
	if (a->head)
		a->tail->next = slot;
	else
		a->head = slot;
	a->tail = slot;
	return true;
}

/* Requests the sections after the loaded one of @s; several at once, to keep this cheap. */
void ktrace_readahead_want(struct stream *s)
{
	struct ahead *a = s->trace->ahead;
	__u32 depth;

	if (!a)
		return;
	a->in_a_row += a->in_a_row < IN_A_ROW;
	if (!is_helped(a))
		return;
	if (!s->lane)
		s->lane = calloc(1, sizeof(*s->lane));
	if (!s->lane)
		return;
	depth = depth_of(a, s);
	if (s->lane->nr > depth / 2)
		return;
	if (!s->lane->nr)
		s->lane->entry = s->next;
	pthread_mutex_lock(&a->lock);
	while (s->lane->nr < depth && want_one(a, s))
		;
	if (a->head && a->is_idle)
		pthread_cond_signal(&a->work);
	pthread_mutex_unlock(&a->lock);
}

/* Sets the number of streams to @nr. */
void ktrace_readahead_share(struct ahead *a, size_t nr)
{
	if (a)
		a->streams = nr;
}

/* Tells the helper that reading continues at another place. */
void ktrace_readahead_turn(struct ahead *a)
{
	if (a)
		a->in_a_row = 0;
}

/* Ends the helper; afterwards no slot is busy. */
void ktrace_readahead_stop(struct ahead *a)
{
	if (!a || !a->owner || a->owner != getpid())
		return;
	pthread_mutex_lock(&a->lock);
	a->is_stopping = true;
	pthread_cond_signal(&a->work);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
}

/* Frees @a, which must have been stopped. */
void ktrace_readahead_free(struct ahead *a)
{
	free(a);
}

/* Frees a lane. In a forked child, memory that the helper was using is lost. */
void ktrace_readahead_free_lane(struct lane *lane)
{
	size_t i;

	for (i = 0; lane && i < AHEAD_MAX; i++)
		if (lane->slots[i].state != SLOT_BUSY)
			ktrace_section_buf_free(&lane->slots[i].buf);
	free(lane);
}
