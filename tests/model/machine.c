// SPDX-License-Identifier: GPL-2.0
/* machine.c - see machine.h */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "choice.h"
#include "words.h"

#define HISTORY_MAX 203		/* not a power of two: words spread over the cache */
#define ACCESSES_MAX 100000
#define PENDING_MAX 128

/* One stored value. @time and @carries count stores, of the processor that stored. */
struct message {
	__u64 value;
	__u32 time;
	__u32 carries;		/* who acquires it has seen all until then */
};

struct word {
	__u32 nr;
	__u32 seen;		/* by the other processor, at least */
	__u32 read_at;		/* data: when the reader last loaded it, in its time */
	struct message history[HISTORY_MAX];
};

/* A store that the compiler may still move down. */
struct pending {
	__u16 word;
	__u16 index;
};

struct hidden {
	__u16 word;
	bool is_release;
	__u64 value;
};

/* A writer that is running or interrupted. */
struct level {
	unsigned int pending_nr;
	unsigned int hidden_nr;
	struct pending pending[PENDING_MAX];
	struct hidden hidden[PENDING_MAX];
	__u16 seen[RING_WORDS];		/* not older than this, even hoisted */
};

static struct {
	struct word word[MODEL_WORDS];
	__u64 kept[MODEL_WORDS];
	struct level level[MODEL_LEVELS], reader;
	__u64 clock, kept_clock;
	/* the writers' processor */
	__u32 writer_time;
	__u32 writer_fence;
	__u32 writer_acquired;	/* of the reader's time */
	/* the reader's processor */
	__u32 reader_time;
	__u32 reader_floor;	/* of the writers' time */
	__u32 reader_loaded;	/* what a load fence would take over */
	__u32 expected;		/* time of the head that it goes by */
	bool has_deviated;	/* since the last load fence */
	bool has_copy;		/* not yet followed by a barrier */
} m;

struct machine machine;

static unsigned int word_of(const volatile void *p, unsigned int *shift)
{
	const size_t off = (size_t)((const volatile char *)p - (char *)machine.memory);

	if (off >= sizeof(struct machine_memory))
		world_fail("access outside of the ring");
	*shift = 8 * (off % 8);
	return (unsigned int)(off / 8);
}

static bool is_shared(const void *p)
{
	const size_t off = (size_t)((const char *)p - (const char *)machine.memory);

	return off < sizeof(struct machine_memory);
}

static struct level *mine(void)
{
	return machine.actor == ACTOR_READER ? &m.reader : &m.level[machine.level];
}

static __u32 last(unsigned int w)
{
	return m.word[w].nr - 1;
}

static void append(unsigned int w, __u64 value, __u32 time, __u32 carries)
{
	struct word *word = &m.word[w];

	if (machine.actor == ACTOR_SETUP)
		word->nr = 0;
	if (word->nr == HISTORY_MAX)
		world_fail("no end of stores to one word");
	word->history[word->nr++] = (struct message){ value, time, carries };
}

/* Each access of anybody begins here. */
static void step(void)
{
	if (machine.actor == ACTOR_SETUP)
		return;
	machine.total++;
	if (machine.accesses++ == ACCESSES_MAX)
		world_fail("no end of accesses");
	if (m.has_copy)
		world_fail("a copy of shared bytes is used without a barrier");
	if (machine.actor == ACTOR_WRITER)
		world_point();
	else
		world_reader_point();
}

/* The compiler may move this store down to the next barrier, but not a release up. */
static void stored(unsigned int w, bool is_release)
{
	struct level *l = mine();

	if (is_release)
		l->pending_nr = 0;
	if (l->pending_nr == PENDING_MAX)
		world_fail("no end of stores without a barrier");
	l->pending[l->pending_nr++] = (struct pending){ (__u16)w, (__u16)last(w) };
	if (w < RING_WORDS)
		l->seen[w] = (__u16)last(w);
}

static void writer_append(unsigned int w, __u64 value, bool is_release)
{
	const __u32 now = ++m.writer_time;

	if (machine.actor != ACTOR_SETUP && w >= DATA_WORD && !machine.may_race &&
	    m.word[w].read_at > m.writer_acquired)
		world_fail("race: bytes are stored that the reader may still be loading");
	append(w, value, now, is_release || machine.in_order ? now : m.writer_fence);
}

static void store_word(unsigned int w, __u64 value, bool is_release)
{
	trace_access(is_release ? "stores, release," : "stores", w, value);
	if (machine.actor == ACTOR_READER) {
		m.reader_time++;
		append(w, value, m.reader_time, is_release ? m.reader_time : 0);
	} else {
		writer_append(w, value, is_release);
	}
	if (machine.actor != ACTOR_SETUP)
		stored(w, is_release);
}

/* Index of the newest message that was there at @time. */
static __u32 index_at(unsigned int w, __u32 time)
{
	const struct word *word = &m.word[w];
	__u32 i = last(w);

	while (i && word->history[i].time > time)
		i--;
	return i;
}

static __u32 writer_chooses(unsigned int w)
{
	struct level *l = &m.level[machine.level];
	__u32 i = last(w);

	if (w == TAIL_WORD) {
		i -= choose(i - m.word[w].seen + 1);
		m.word[w].seen = i;
	} else if (w < RING_WORDS) {
		/* As it was before the interrupt; what is stored during one is not seen. */
		if (i != l->seen[w] && machine.reorders_left && choose(2)) {
			machine.reorders_left--;
			i = l->seen[w];
		}
		l->seen[w] = (__u16)i;
	}
	return i;
}

static __u32 reader_chooses_data(unsigned int w, __u32 oldest)
{
	__u32 i = index_at(w, m.expected), n, k;

	m.word[w].read_at = m.reader_time;
	if (!machine.may_race) {
		if (oldest != last(w))
			world_fail("race: bytes are loaded whose store is not ordered before");
		return oldest;
	}
	if (i < oldest)
		i = oldest;
	n = last(w) - oldest;
	if (!n || m.has_deviated || !machine.deviations_left)
		return i;
	k = choose(n + 1);
	if (!k)
		return i;
	m.has_deviated = true;
	machine.deviations_left--;
	return oldest + k - 1 < i ? oldest + k - 1 : oldest + k;
}

static __u32 reader_chooses(unsigned int w)
{
	__u32 oldest, i;

	m.reader_time++;
	if (w >= TAIL_WORD && w < DATA_WORD)
		return last(w);
	oldest = index_at(w, m.reader_floor);
	if (oldest < m.word[w].seen)
		oldest = m.word[w].seen;
	i = w >= DATA_WORD ? reader_chooses_data(w, oldest) :
			     last(w) - choose(last(w) - oldest + 1);
	m.word[w].seen = i;
	return i;
}

static void acquire(const struct message *msg, unsigned int w, bool now)
{
	if (machine.actor == ACTOR_WRITER) {
		if (now && w == TAIL_WORD && msg->carries > m.writer_acquired)
			m.writer_acquired = msg->carries;
		return;
	}
	if (msg->carries > m.reader_loaded)
		m.reader_loaded = msg->carries;
	if (now && msg->carries > m.reader_floor)
		m.reader_floor = msg->carries;
	if (now && w == HEAD_WORD)
		m.expected = msg->time;
}

static __u64 load_word(unsigned int w, enum model_order order)
{
	const struct message *msg;
	__u32 i = last(w);

	if (machine.actor == ACTOR_WRITER) {
		if (w == TAIL_WORD)
			world_tail_load();
		i = writer_chooses(w);
	} else if (machine.actor == ACTOR_READER) {
		i = reader_chooses(w);
	}
	msg = &m.word[w].history[i];
	if (machine.actor != ACTOR_SETUP)
		acquire(msg, w, order == MODEL_ACQUIRE);
	trace_access(i == last(w) ? "loads" : "loads an old", w, msg->value);
	return msg->value;
}

static __u64 mask(unsigned int size)
{
	return size == 8 ? ~0ull : (1ull << 8 * size) - 1;
}

__u64 model_load(const volatile void *p, unsigned int size, enum model_order order)
{
	unsigned int shift, w = word_of(p, &shift);

	step();
	return load_word(w, order) >> shift & mask(size);
}

void model_store(volatile void *p, unsigned int size, __u64 value, enum model_order order)
{
	unsigned int shift, w = word_of(p, &shift);
	__u64 others;

	step();
	others = m.word[w].history[last(w)].value & ~(mask(size) << shift);
	store_word(w, others | (value & mask(size)) << shift, order == MODEL_RELEASE);
}

void model_fence_load(void)
{
	step();
	if (machine.actor != ACTOR_READER)
		return;
	if (m.reader_loaded > m.reader_floor)
		m.reader_floor = m.reader_loaded;
	m.has_deviated = false;
}

void model_barrier(void)
{
	struct level *l = mine();
	unsigned int w;

	m.has_copy = false;
	step();
	l->pending_nr = 0;
	for (w = 0; w < RING_WORDS; w++)
		l->seen[w] = (__u16)last(w);
}

void model_fence_store(void)
{
	step();
	m.writer_fence = m.writer_time;
	model_barrier();
}

bool model_cmpxchg(__u64 *p, __u64 old, __u64 new_value)
{
	unsigned int shift, w = word_of(p, &shift);

	step();
	trace_access("exchanges", w, new_value);
	if (machine.actor == ACTOR_WRITER && w < RING_WORDS)
		m.level[machine.level].seen[w] = (__u16)last(w);
	if (m.word[w].history[last(w)].value != old)
		return false;
	writer_append(w, new_value, false);
	if (machine.actor == ACTOR_WRITER && w < RING_WORDS)
		m.level[machine.level].seen[w] = (__u16)last(w);
	return true;
}

void model_count(__u64 *p, __u64 n)
{
	unsigned int shift, w = word_of(p, &shift);

	step();
	trace_access("counts", w, n);
	writer_append(w, m.word[w].history[last(w)].value + n, false);
}

/* A writer is interrupted before the first and the second word, and behind the last. */
static void copy_in(char *to, const char *from, size_t n)
{
	unsigned int shift, w = word_of(to, &shift);
	__u64 value;
	size_t i;

	for (i = 0; i < n / 8; i++) {
		memcpy(&value, from + 8 * i, 8);
		if (i < 2)
			step();
		store_word(w + (unsigned int)i, value, false);
	}
}

static void copy_out(char *to, const char *from, size_t n)
{
	unsigned int shift, w = word_of(from, &shift);
	__u64 value;
	size_t i;

	step();
	for (i = 0; i < n / 8; i++) {
		value = load_word(w + (unsigned int)i, MODEL_RELAXED);
		memcpy(to + 8 * i, &value, 8);
	}
	m.has_copy = machine.check_copies && machine.actor != ACTOR_SETUP;
}

void model_memcpy(void *to, const void *from, size_t n)
{
	if (n % 8 || is_shared(to) == is_shared(from))
		world_fail("copy of another kind than the model knows");
	if (is_shared((char *)to + n - 1) != is_shared(to) ||
	    is_shared((const char *)from + n - 1) != is_shared(from))
		world_fail("copy across the end of the ring");
	if (is_shared(to))
		copy_in(to, from, n);
	else
		copy_out(to, from, n);
}

__u64 model_clock(void)
{
	step();
	return ++m.clock;
}

/** machine_init - get the addresses */
void machine_init(void)
{
	void *p = mmap(NULL, sizeof(struct machine_memory), PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(2);
	machine.memory = p;
}

/** machine_clear - memory holds zero, the setup begins */
void machine_clear(void)
{
	unsigned int w;

	memset(&m, 0, sizeof(m));
	machine.actor = ACTOR_SETUP;
	for (w = 0; w < MODEL_WORDS; w++)
		append(w, 0, 0, 0);
}

/** machine_keep - the setup is done: each execution begins with what is there now */
void machine_keep(void)
{
	unsigned int w;

	for (w = 0; w < MODEL_WORDS; w++)
		m.kept[w] = m.word[w].history[last(w)].value;
	m.kept_clock = m.clock;
}

/** machine_begin - an execution begins; both processors know all that was kept */
void machine_begin(void)
{
	unsigned int w;

	for (w = 0; w < MODEL_WORDS; w++) {
		m.word[w].nr = 1;
		m.word[w].seen = 0;
		m.word[w].read_at = 0;
		m.word[w].history[0] = (struct message){ m.kept[w], 0, 0 };
	}
	memset(m.level, 0, sizeof(m.level));
	m.reader.pending_nr = 0;
	m.clock = m.kept_clock;
	m.writer_time = m.writer_fence = m.writer_acquired = 0;
	m.reader_time = m.reader_floor = m.reader_loaded = m.expected = 0;
	m.has_deviated = m.has_copy = false;
	machine.accesses = 0;
	machine.level = 0;
}

/** machine_latest - what a word holds, for assertions */
__u64 machine_latest(const volatile void *p)
{
	unsigned int shift, w = word_of(p, &shift);

	return m.word[w].history[last(w)].value;
}

/** machine_poke - set a word during the setup */
void machine_poke(volatile void *p, __u64 value)
{
	unsigned int shift;

	append(word_of(p, &shift), value, 0, 0);
}

/** machine_join - the reader now sees all that has been stored */
void machine_join(void)
{
	unsigned int w;

	m.reader_floor = m.writer_time;
	for (w = 0; w < MODEL_WORDS; w++)
		m.word[w].seen = last(w);
}

static bool can_hide(const struct pending *p)
{
	return last(p->word) == p->index && p->index > m.word[p->word].seen;
}

/*
 * What may be late: pending words one by one, the ring's bytes as one, all together.
 * Words that nobody else stored to; nor has the reader seen them.
 */
static unsigned int late_groups(unsigned int group[PENDING_MAX + 2])
{
	const struct level *l = mine();
	unsigned int i, n = 0, data = 0;

	for (i = 0; i < l->pending_nr; i++) {
		if (!can_hide(&l->pending[i]))
			continue;
		if (l->pending[i].word >= DATA_WORD)
			data++;
		else
			group[n++] = l->pending[i].word;
	}
	if (data)
		group[n++] = DATA_WORD;
	if (n > 1)
		group[n++] = MODEL_WORDS;
	return n;
}

/** machine_delays - ways in which stores of the present writer may be late */
unsigned int machine_delays(void)
{
	unsigned int group[PENDING_MAX + 2];

	return machine.reorders_left ? late_groups(group) : 0;
}

static void hide(unsigned int group)
{
	struct level *l = mine();
	unsigned int i, w, kept = 0;

	for (i = 0; i < l->pending_nr; i++) {
		w = l->pending[i].word;
		if (!can_hide(&l->pending[i]) ||
		    (group != MODEL_WORDS && group != (w >= DATA_WORD ? DATA_WORD : w))) {
			l->pending[kept++] = l->pending[i];
			continue;
		}
		trace_access("has not stored yet", w, m.word[w].history[last(w)].value);
		l->hidden[l->hidden_nr++] = (struct hidden){ (__u16)w,
			m.word[w].history[last(w)].carries == m.word[w].history[last(w)].time,
			m.word[w].history[last(w)].value };
		m.word[w].nr--;
	}
	l->pending_nr = kept;
}

/** machine_cut - the present writer or reader goes on later, or never; 0: nothing is late */
void machine_cut(unsigned int delay)
{
	unsigned int group[PENDING_MAX + 2];

	mine()->hidden_nr = 0;
	if (!delay)
		return;
	late_groups(group);
	machine.reorders_left--;
	hide(group[delay - 1]);
}

/** machine_interrupt - an inner writer begins; what is not late has been stored by now */
void machine_interrupt(void)
{
	struct level *l = mine();
	unsigned int w;

	l->pending_nr = 0;
	l = &m.level[++machine.level];
	l->pending_nr = 0;
	for (w = 0; w < RING_WORDS; w++)
		l->seen[w] = (__u16)last(w);
}

/** machine_resume - the inner writer is done; stores that were late are done now */
void machine_resume(void)
{
	struct level *l = &m.level[--machine.level];
	unsigned int i;

	for (i = 0; i < l->hidden_nr; i++) {
		trace_access("stores late", l->hidden[i].word, l->hidden[i].value);
		writer_append(l->hidden[i].word, l->hidden[i].value, l->hidden[i].is_release);
		stored(l->hidden[i].word, false);
	}
	l->hidden_nr = 0;
}

/** machine_new_reader - the reader is dead; another begins, knowing what it did */
void machine_new_reader(void)
{
	m.reader.pending_nr = 0;
	m.has_copy = false;
}

/** machine_new_writer - all writers are dead; another begins, knowing what they did */
void machine_new_writer(void)
{
	struct level *l = &m.level[0];
	unsigned int w;

	machine.level = 0;
	l->pending_nr = 0;
	for (w = 0; w < RING_WORDS; w++)
		l->seen[w] = (__u16)last(w);
}
