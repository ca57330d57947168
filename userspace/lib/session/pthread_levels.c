// SPDX-License-Identifier: LGPL-2.1
/*
 * pthread_levels.c - the one table of levels of libktrace-pthread's events
 *
 * Most events stand for a call and for its effect: a level cannot have one without the other. So an
 * object's "-io" level has the same events as the object, except for threads, which begin and end
 * without a call. Documentation/pthread.md has the table for users.
 */
#include <ktrace/level.h>

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define P "pthread:"
#define THREAD_CALLS \
	P "thread_create*," P "thread_exit," P "thread_*join*," P "thread_cancel*," \
	P "thread_detach*," P "thread_setname*," P "thrd_*"
#define THREAD THREAD_CALLS "," P "thread_start," P "thread_end"
#define BARRIER P "barrier_*"
#define MUTEX P "mutex_*," P "mtx_*"
#define COND P "cond_*," P "cnd_*"
#define SEM P "sem_*"
#define RWLOCK P "rwlock_*"
#define SPIN P "spin_*"
#define ONCE P "once*," P "call_once*"
#define KEY P "key_*," P "tss_*"
#define CALLS \
	THREAD_CALLS "," BARRIER "," MUTEX "," COND "," SEM "," RWLOCK "," SPIN "," ONCE "," KEY

static const struct ktrace_level levels[] = {
	{ "none", "" },
	{ "all", P "*" },
	{ "io", CALLS },
	{ "thread", THREAD },
	{ "thread-io", THREAD_CALLS },
	{ "barrier", BARRIER },
	{ "barrier-io", BARRIER },
	{ "mutex", MUTEX },
	{ "mutex-io", MUTEX },
	{ "cond", COND },
	{ "cond-io", COND },
	{ "sem", SEM },
	{ "sem-io", SEM },
	{ "rwlock", RWLOCK },
	{ "rwlock-io", RWLOCK },
	{ "spin", SPIN },
	{ "spin-io", SPIN },
	{ "once", ONCE },
	{ "once-io", ONCE },
	{ "key", KEY },
	{ "key-io", KEY },
};

#define LEVEL_NR (sizeof(levels) / sizeof(levels[0]))
_Static_assert(LEVEL_NR <= 32, "a bit for each");

/* Bits of the first rows */
#define NONE (1u << 0)
#define ALL (1u << 1)

const struct ktrace_level *ktrace_level(__u32 index)
{
	return index < LEVEL_NR ? &levels[index] : NULL;
}

/* Compares a level's name: LEVEL_MUTEX_ALL is mutex, LEVEL_ALL is all. */
static bool is_called(const char *name, const char *word, size_t len)
{
	size_t i;

	if (len > 6 && (!strncasecmp(word, "level_", 6) || !strncasecmp(word, "level-", 6))) {
		word += 6;
		len -= 6;
	}
	if (len > 4 && (!strncasecmp(word + len - 4, "_all", 4) ||
			!strncasecmp(word + len - 4, "-all", 4)))
		len -= 4;
	for (i = 0; i < len && name[i]; i++)
		if (name[i] != (word[i] == '_' ? '-' : tolower((unsigned char)word[i])))
			return false;
	return i == len && !name[i];
}

static __u32 find(const char *word, size_t len)
{
	__u32 i;

	for (i = 0; i < LEVEL_NR && !is_called(levels[i].name, word, len); i++)
		;
	return i;
}

bool ktrace_level_parse(const char *list, __u32 *out, char *bad, size_t size)
{
	*out = 0;
	for (;;) {
		size_t len = strcspn(list, ",");
		__u32 i = find(list, len);

		if (i == LEVEL_NR) {
			snprintf(bad, size, "%.*s", (int)len, list);
			return false;
		}
		*out |= 1u << i;
		if (!list[len])
			break;
		list += len + 1;
	}
	if (*out & ~NONE)
		*out &= ~NONE;
	return true;
}

static int join(__u32 wanted, bool globs, char *to, size_t size)
{
	size_t len = 0;

	*to = '\0';
	for (__u32 i = 0; i < LEVEL_NR; i++) {
		const char *text = globs ? levels[i].globs : levels[i].name;
		int n;

		/* The globs of one level may be part of another's. */
		if (!(wanted & (1u << i)) || !*text || (globs && strstr(to, text)))
			continue;
		n = snprintf(to + len, size - len, "%s%s", len ? "," : "", text);
		if (n < 0 || (size_t)n >= size - len)
			return -ENAMETOOLONG;
		len += (size_t)n;
	}
	return 0;
}

int ktrace_level_names(__u32 wanted, char *names, size_t size)
{
	return join(wanted, false, names, size);
}

int ktrace_level_globs(__u32 wanted, char *globs, size_t size)
{
	return join(wanted & ALL ? ALL : wanted, true, globs, size);
}

const char *ktrace_level_choices(void)
{
	return "none, all, io, and thread, barrier, mutex, cond, sem, rwlock, spin, once, key, "
	       "each also with -io";
}
