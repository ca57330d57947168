// SPDX-License-Identifier: LGPL-2.1
/*
 * names.c - names of event types, shared by all processes of a user
 *
 * The index of a name in the registry determines its id, so a name has the same id in all processes
 * and streams. Slots are taken in order, and a search visits all slots in use, so no name gets two.
 * A process that meets a slot being filled in by another one looks again. If the other one has
 * died, it takes over the slot. If the other one is stopped, it closes the slot, which the other
 * one notices when it continues. The wait for all slots together is limited to that for one,
 * because any process that can write to the registry can claim all of them. Behind a system call
 * filter, which may kill the process for the calls that wait, it only looks again.
 *
 * The types of a stream are those opened by its processes, and those its controller has asked for.
 */
#include "names.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define KTRACE_LIBRARY
#define KTRACE_REGISTER_LATER
#include <ktrace/channel.h>

#include "member.h"
#include "posix/base/eventset.h"
#include "ring/port.h"

/* Number of checks before such a slot is closed: its owner was stopped while claiming it. */
#define LOOKS 10000
/* The same without yielding the CPU: about 0.1 s, longer than another process lacks its CPU. */
#define CONFINED_LOOKS (1 << 22)
#define CHANGES 16

static __u32 my_claim(void)
{
	const pid_t pid = ktrace_channel_is_confined() ? ktrace_posix_member.owner.pid : getpid();

	return (__u32)posix_place_word(POSIX_PLACE_CLAIMED, pid, 0);
}

static bool is_claimed(__u32 state)
{
	return posix_place_state(state) == POSIX_PLACE_CLAIMED;
}

static __u32 state_of(const struct posix_registry_name *n)
{
	/* ORD(name_state:A) pairs ORD(name_ready:A): the text of a READY name is complete */
	return kt_load_acquire(&n->state);
}

static bool change(struct posix_registry_name *n, __u32 old, __u32 state)
{
	/* ORD(name_ready:A) pairs ORD(name_state:A): the text of a READY name is complete */
	return __atomic_compare_exchange_n(&n->state, &old, state, false, __ATOMIC_RELEASE,
					   __ATOMIC_RELAXED);
}

/* Returns false if another process has taken it meanwhile. */
static bool fill_in(struct posix_registry_name *n, const char *name)
{
	strcpy(n->text, name);
	return change(n, my_claim(), POSIX_PLACE_READY);
}

/*
 * True if the claimer has died. With a possible system call filter, treats it as stopped instead.
 */
static bool has_died(__u32 claim)
{
	return !ktrace_channel_is_confined() && kill(posix_place_pid(claim), 0) && errno == ESRCH;
}

static void relax(void)
{
	if (!ktrace_channel_is_confined())
		sched_yield();
	else
		kt_pause();
}

/* Waits while another process fills it in; @looks: remaining checks. Returns the final state. */
static __u32 settle(const struct posix_registry_name *n, int *looks)
{
	__u32 state = state_of(n);

	for (; is_claimed(state) && *looks; --*looks) {
		if (*looks % 16 == 0 && has_died(state))
			break;
		relax();
		state = state_of(n);
	}
	return state;
}

static bool has_text(const struct posix_registry_name *n, const char *name)
{
	return !strncmp(n->text, name, sizeof(n->text));
}

/* True if the slot has this name. Among honest processes it changes only a few times. */
static bool take(struct posix_registry_name *n, const char *name, bool may_add, int *looks)
{
	for (int i = 0; i < CHANGES; i++) {
		const __u32 state = settle(n, looks);

		if (state == POSIX_PLACE_READY)
			return has_text(n, name);
		if (!may_add || (state && !is_claimed(state)))
			return false;
		if (state && !has_died(state))
			change(n, state, POSIX_PLACE_CLOSING);
		else if (change(n, state, my_claim()))
			return fill_in(n, name);
	}
	return false;
}

trace_event_id_t ktrace_posix_name_open(struct posix_registry *b, const char *name, bool may_add)
{
	int looks = ktrace_channel_is_confined() ? CONFINED_LOOKS : LOOKS;
	int saved = errno;
	__u32 i;

	/* The unnamed type has the first slot, and a name too. */
	if (!strcmp(name, ktrace_posix_system_name(POSIX_ID_USER)))
		return POSIX_ID_USER;
	for (i = 1; i < POSIX_NAME_NR; i++) {
		if (take(&b->name[i], name, may_add, &looks))
			break;
		if (!kt_load(&b->name[i].state))
			i = POSIX_NAME_NR;	/* no slot after it is in use */
	}
	errno = saved;
	return i < POSIX_NAME_NR ? POSIX_ID_USER + i : 0;
}

bool ktrace_posix_name_get(const struct posix_registry *b, trace_event_id_t id,
			   char name[TRACE_EVENT_NAME_MAX + 1])
{
	const struct posix_registry_name *n = &b->name[id - POSIX_ID_USER];

	if (id <= POSIX_ID_USER || id >= POSIX_ID_NR || state_of(n) != POSIX_PLACE_READY)
		return false;
	memcpy(name, n->text, TRACE_EVENT_NAME_MAX + 1);
	name[TRACE_EVENT_NAME_MAX] = '\0';
	return true;
}

void ktrace_posix_names_join(struct posix_registry *b, __u32 stream)
{
	/* ORD(names_join:A) pairs ORD(names_opened:A): at least one side sees the other's store */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (__u32 i = 0; i < POSIX_PROCESS_NR; i++) {
		struct posix_registry_process *p = &b->process[i];

		if (!kt_load(&p->pid) || !(kt_load(&p->streams) & 1ull << stream))
			continue;
		for (__u32 w = 0; w < POSIX_SET_WORDS; w++)
			if (kt_load(&p->opened[w]))
				__atomic_fetch_or(&b->stream[stream].types[w],
						  kt_load(&p->opened[w]), __ATOMIC_RELAXED);
	}
}

/* Adds this program's types of word @w to the streams of this process. */
static void tell_streams(struct posix_registry *b, __u32 w)
{
	const struct posix_member *m = &ktrace_posix_member;
	__u64 mask;

	/* ORD(names_opened:A) pairs ORD(names_join:A): at least one side sees the other's store */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (mask = kt_load(ktrace_posix_streams); mask; mask &= mask - 1)
		__atomic_fetch_or(&b->stream[__builtin_ctzll(mask)].types[w],
				  kt_load(&m->opened[w]), __ATOMIC_RELAXED);
}

void ktrace_posix_names_place(struct posix_registry *b)
{
	const struct posix_member *m = &ktrace_posix_member;

	for (__u32 w = 0; w < POSIX_SET_WORDS; w++) {
		kt_store(&m->process->opened[w], kt_load(&m->opened[w]));
		if (kt_load(&m->opened[w]))
			tell_streams(b, w);
	}
}

/* Counts another type of this program. Returns false at the limit. */
static bool count_one(struct posix_member *m)
{
	__u32 nr = kt_load(&m->opened_nr);

	do {
		if (nr >= TRACE_USER_EVENT_MAX - 1)
			return false;
	} while (!__atomic_compare_exchange_n(&m->opened_nr, &nr, nr + 1, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return true;
}

/* True if a stream of this process has the type, from its controller or another process. */
static bool is_mapped(const struct posix_registry *b, trace_event_id_t id)
{
	for (__u64 mask = kt_load(ktrace_posix_streams); mask; mask &= mask - 1)
		if (kt_load(&b->stream[__builtin_ctzll(mask)].types[id / 64]) >> id % 64 & 1)
			return true;
	return false;
}

/* Notes that this program records type @id. Returns false if it has too many types. */
static bool use(struct posix_member *m, trace_event_id_t id)
{
	const __u64 bit = 1ull << id % 64;
	__u64 *word = &m->opened[id / 64];
	bool counts;

	if (kt_load(word) & bit)
		return true;
	counts = count_one(m);
	if (!counts && !is_mapped(m->registry, id))
		return false;
	if (__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit && counts)
		__atomic_fetch_sub(&m->opened_nr, 1, __ATOMIC_RELAXED);	/* counted twice */
	if (m->process)
		__atomic_fetch_or(&m->process->opened[id / 64], bit, __ATOMIC_RELAXED);
	tell_streams(m->registry, id / 64);
	return true;
}

/**
 * posix_trace_eventid_open - get the event type of a name, creating it if necessary (PTRC-54)
 * @event_name:	at most TRACE_EVENT_NAME_MAX bytes
 * @event_id:	out: the type; POSIX_TRACE_UNNAMED_USEREVENT if this program has
 *		TRACE_USER_EVENT_MAX - 1 others and no stream that traces it has the name, or if the
 *		user's processes have the maximum number of types
 *
 * The same name gives the same id in all processes of a user.
 *
 * Context: any thread, not in a signal handler; not a cancellation point.
 * Return: 0; EINVAL for NULL; ENAMETOOLONG.
 */
int posix_trace_eventid_open(const char *restrict event_name,
			     trace_event_id_t *restrict event_id)
{
	struct posix_member *m = &ktrace_posix_member;
	struct posix_registry *b = ktrace_posix_registry();
	trace_event_id_t id = 0;
	bool may_add;

	if (!event_name || !event_id)
		return EINVAL;
	if (strnlen(event_name, TRACE_EVENT_NAME_MAX + 1) > TRACE_EVENT_NAME_MAX)
		return ENAMETOOLONG;
	may_add = kt_load(&m->opened_nr) < TRACE_USER_EVENT_MAX - 1;
	if (b)
		id = ktrace_posix_name_open(b, event_name, may_add);
	*event_id = id && use(m, id) ? id : POSIX_TRACE_UNNAMED_USEREVENT;
	return 0;
}
