// SPDX-License-Identifier: LGPL-2.1
/*
 * sink.c - map the channel of a stream at its first event in this process
 *
 * Called for events, also in signal handlers: never takes a lock, never allocates from the heap and
 * is not a cancellation point.
 */
#include "sink.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "arch/arch.h"
#include "posix/base/event.h"
#include "posix/registry/member.h"
#include "posix/registry/single_thread.h"

struct posix_sink *ktrace_posix_sinks[POSIX_STREAM_NR];
struct ktrace_no_rseq ktrace_posix_no_rseq = { .cpu_id = ~0u };

__thread struct posix_entry ktrace_posix_entries[POSIX_ENTRY_NR]
	__attribute__((tls_model("initial-exec"))) = {
	[0 ... POSIX_ENTRY_NR - 1] = { .thread = KTRACE_CHANNEL_THREAD(&ktrace_posix_no_rseq) },
};

__u64 ktrace_posix_single_thread[POSIX_STREAM_NR];

void ktrace_posix_sinks_after_fork(void)
{
	memset(ktrace_posix_single_thread, 0, sizeof(ktrace_posix_single_thread));
	for (int i = 0; i < POSIX_ENTRY_NR; i++) {
		struct posix_entry *e = &ktrace_posix_entries[i];

		if (e->sink)
			ktrace_channel_after_fork(e->sink->channel, &e->thread);
		e->sink = NULL;
	}
}

/* Returns false if another thread was faster; *old is then its sink. */
static bool publish_sink(__u32 nr, struct posix_sink **old, struct posix_sink *sink)
{
	/* ORD(publish_sink:A) pairs ORD(find_sink:A): a sink that is found is complete */
	return __atomic_compare_exchange_n(&ktrace_posix_sinks[nr], old, sink, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Words of slots whose session is gone: events do not try to map it again. */
static __u64 gone[POSIX_STREAM_NR];

static int attach_channel(const struct posix_registry_stream *s, struct ktrace_channel **channel)
{
	char where[POSIX_WHERE_SIZE];

	return ktrace_posix_place_where(s, where) ? ktrace_channel_attach(where, channel) : -EINVAL;
}

/* True if the error is a lack of resources, which may be temporary. */
static bool is_want(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM || error == -EAGAIN;
}

/* Makes a sink for the stream at @s, seen as @word; NULL on failure. */
static struct posix_sink *make_sink(struct posix_registry_stream *s, __u32 nr, __u64 word)
{
	/* Maps it like ktrace_channel_attach(), so that the kernel merges them into one area. */
	struct posix_sink *sink = mmap(NULL, sizeof(*sink), PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	const __u64 pointer = (__u64)(uintptr_t)arch_thread_pointer();
	int error;

	if (sink == MAP_FAILED)
		return NULL;
	error = attach_channel(s, &sink->channel);
	if (error) {
		if (!is_want(error))
			kt_store(&gone[nr], word);
		munmap(sink, sizeof(*sink));
		return NULL;
	}
	sink->bit = 1ull << nr;
	sink->place = s;
	sink->word = word;
	sink->stream = nr;
	sink->sole = &ktrace_posix_single_thread[nr];
	sink->entry = (__u64)(uintptr_t)&ktrace_posix_entries[nr % POSIX_ENTRY_NR] - pointer;
	sink->self = arch_self() - pointer;
	sink->max_data = kt_load(&s->max_data);
	if (sink->max_data > POSIX_DATA_MAX)
		sink->max_data = POSIX_DATA_MAX;
	/* The fast path cannot truncate data. */
	sink->quick_end = !arch_has_ordered_counter() ? 0 : sink->max_data < KTRACE_DIRECT_MAX / 2
		? sink->max_data + 1 : KTRACE_DIRECT_MAX / 2;
	return sink;
}

/* Returns the word of a READY slot; 0 if there is no stream. */
static __u64 ready_word(const struct posix_registry_stream *s)
{
	/* ORD(posix_attach:A) pairs ORD(posix_stream_ready:A): a READY slot is complete */
	const __u64 word = kt_load_acquire(&s->word);

	return posix_place_state(word) == POSIX_PLACE_READY ? word : 0;
}

struct posix_sink *ktrace_posix_sink_attach(struct posix_registry *b, __u32 nr)
{
	struct posix_registry_stream *s = &b->stream[nr];
	struct posix_sink *old = posix_find_sink(nr), *sink;
	const __u64 word = ready_word(s);
	const bool is_gone = kt_load(&gone[nr]) == word;
	int saved = errno;

	if (!word)
		return NULL;
	if (old && old->word == word)
		return old;	/* another thread, or a handler, was faster */
	/*
	 * Retire it first: the new mapping is then adjacent to it, and does not create another
	 * area.
	 */
	if (old && !is_gone)
		ktrace_channel_retire(old->channel);
	sink = is_gone ? NULL : make_sink(s, nr, word);
	if (!sink) {
		__atomic_fetch_add(&s->missed, 1, __ATOMIC_RELAXED);
	} else if (!publish_sink(nr, &old, sink)) {
		ktrace_channel_detach(sink->channel);
		munmap(sink, sizeof(*sink));
		sink = old;
	}
	errno = saved;
	return sink;
}

/* True if its session or its reader is gone; false if that cannot be determined. */
static bool is_unread(const struct posix_registry_stream *s)
{
	struct ktrace_channel *channel;
	char where[POSIX_WHERE_SIZE];
	bool has_reader;
	int error;

	if (!ktrace_posix_place_where(s, where))
		return false;
	error = ktrace_channel_attach(where, &channel);
	if (error)
		return error == -ENOENT &&
		       (strncmp(where, "dev:", 4) || !access("/dev/ktrace", F_OK));
	has_reader = ktrace_channel_has_reader(channel);
	ktrace_channel_detach(channel);
	return !has_reader;
}

void ktrace_posix_sinks_sweep(struct posix_registry *b)
{
	for (__u32 i = 0; i < POSIX_STREAM_NR; i++) {
		const __u64 word = ready_word(&b->stream[i]);

		if (word && b->stream[i].owner.pid != getpid() && is_unread(&b->stream[i]))
			ktrace_posix_registry_bury(b, i, word);
	}
}
