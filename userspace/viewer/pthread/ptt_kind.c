// SPDX-License-Identifier: GPL-2.0
/* ptt_kind.c - event types of the POSIX Threads Trace Toolkit, by name */
#include "ptt_kind.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/*
 * Names and verbs; a type without a verb has no event to derive it from, see
 * Documentation/pthread.md.
 */
static const char *const states[PTT_STATE_NR][2] = {
	[PTT_THREAD_INIT] = { "THREAD_INIT", "begins as" },
	[PTT_THREAD_DETACH] = { "THREAD_DETACH", "detaches" },
	[PTT_THREAD_STATE_WAIT] = { "THREAD_STATE_WAIT", "waits for" },
	[PTT_THREAD_STATE_WAKE] = { "THREAD_STATE_WAKE", "wakes from waiting for" },
	[PTT_THREAD_STATE_DEAD] = { "THREAD_STATE_DEAD", "ends as" },
	[PTT_THREAD_STATE_WAIT_BARRIER] = { "THREAD_STATE_WAIT_BARRIER", "waits at" },
	[PTT_THREAD_STATE_WAKE_BARRIER] = { "THREAD_STATE_WAKE_BARRIER", "wakes from waiting at" },
	[PTT_MUTEX_STATE_REQUIRE] = { "MUTEX_STATE_REQUIRE", "requires" },
	[PTT_MUTEX_STATE_TAKEN] = { "MUTEX_STATE_TAKEN", "takes" },
	[PTT_MUTEX_STATE_FREE] = { "MUTEX_STATE_FREE", "frees" },
	[PTT_MUTEX_COUNT_INC] = { "MUTEX_COUNT_INC", "takes one more lock of" },
	[PTT_MUTEX_COUNT_DEC] = { "MUTEX_COUNT_DEC", "gives back one lock of" },
	[PTT_MUTEX_OWNER] = { "MUTEX_OWNER", "sets the owner of" },
	[PTT_BARRIER_INIT] = { "BARRIER_INIT", "initializes" },
	[PTT_BARRIER_LEFT_DEC] = { "BARRIER_LEFT_DEC", "arrives at" },
	[PTT_BARRIER_LEFT_INC] = { "BARRIER_LEFT_INC", "leaves" },
	[PTT_BARRIER_LOCK_REQUIRE] = { "BARRIER_LOCK_REQUIRE", "" },
	[PTT_BARRIER_LOCK_TAKEN] = { "BARRIER_LOCK_TAKEN", "" },
	[PTT_BARRIER_LOCK_FREE] = { "BARRIER_LOCK_FREE", "" },
	[PTT_LOST] = { "LOST", "events were lost:" },
};

static const struct {
	const char *function;
	const char *stem;
} calls[] = {
#define CALL(how, type, function, stem, ...) { #function, #stem },
#include "base/pthread_calls.h"
};

#define CALL_NR (sizeof(calls) / sizeof(calls[0]))
#define KIND_NR (PTT_STATE_NR + 2 * CALL_NR)

/* True for functions that PTT had. */
static bool ptt_had(const char *stem)
{
	static const char *const stems[] = {
		"thread_create", "thread_join", "thread_cancel",
		"mutex_init", "mutex_lock", "mutex_unlock", "mutex_destroy",
		"barrier_init", "barrier_wait", "barrier_destroy",
		"cond_init", "cond_wait", "cond_signal", "cond_broadcast", "cond_destroy",
		"sem_init", "sem_open", "sem_unlink", "sem_post", "sem_wait", "sem_trywait",
		"sem_destroy",
	};
	size_t i;

	for (i = 0; i < sizeof(stems) / sizeof(stems[0]); i++)
		if (!strcmp(stems[i], stem))
			return true;
	return false;
}

static void make_call(struct ptt_kind *kind, size_t call, bool is_out)
{
	const char *stem = calls[call].stem;
	size_t i;

	snprintf(kind->name, sizeof(kind->name), "%s_%s", stem, is_out ? "OUT" : "IN");
	for (i = 0; kind->name[i]; i++)
		kind->name[i] = (char)toupper((unsigned char)kind->name[i]);
	snprintf(kind->verb, sizeof(kind->verb), "%s %s with", is_out ? "returns from" : "calls",
		 calls[call].function);
	kind->in_ptt = ptt_had(stem);
	/* Functions that end the thread do not return. */
	kind->is_seen = !is_out || (strcmp(stem, "thread_exit") && strcmp(stem, "thrd_exit"));
	kind->is_call = true;
}

static void make_state(struct ptt_kind *kind, size_t state)
{
	snprintf(kind->name, sizeof(kind->name), "%s", states[state][0]);
	snprintf(kind->verb, sizeof(kind->verb), "%s", states[state][1]);
	kind->in_ptt = state != PTT_LOST;
	kind->is_seen = *kind->verb;
}

const struct ptt_kind *ptt_kinds(size_t *nr)
{
	static struct ptt_kind kinds[KIND_NR];
	size_t i;

	for (i = 0; i < KIND_NR && !*kinds[KIND_NR - 1].name; i++) {
		if (i < PTT_STATE_NR)
			make_state(&kinds[i], i);
		else
			make_call(&kinds[i], (i - PTT_STATE_NR) / 2, (i - PTT_STATE_NR) % 2);
		kinds[i].name_size = strlen(kinds[i].name);
		kinds[i].verb_size = strlen(kinds[i].verb);
	}
	*nr = KIND_NR;
	return kinds;
}

const struct ptt_kind *ptt_kind_of_call(const char *stem, size_t size)
{
	const struct ptt_kind *kinds;
	size_t i, nr;

	kinds = ptt_kinds(&nr);
	for (i = 0; i < CALL_NR; i++)
		if (strlen(calls[i].stem) == size && !memcmp(calls[i].stem, stem, size))
			return &kinds[PTT_STATE_NR + 2 * i];
	return NULL;
}
