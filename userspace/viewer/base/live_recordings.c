// SPDX-License-Identifier: GPL-2.0
/*
 * live_recordings.c - live recordings that the user means, and messages about them
 *
 * Answers are printed with control characters escaped.
 */
#include "live_recordings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ktrace/session.h>

#include "base/descriptors.h"
#include "viewer.h"

/* As many recordings without an answer are listed; of further ones only the number is printed. */
#define SILENT_MAX 8u
#define STALE_MAX 64u

bool live_find(struct live_recordings *all, const char *name, const char *word)
{
	/* Ask all at once if possible, so that each has the full time to answer. */
	descriptors_allow_all();
	return !ktrace_live_find(&all->list, name, word);
}

struct ktrace_live *live_at(const struct live_recordings *all, size_t i)
{
	struct ktrace_live *r;

	for (size_t k = 0; (r = ktrace_live_at(all->list, k)); k++) {
		const bool is_session = ktrace_live_kind(r) == KTRACE_LIVE_SESSION;

		if (!(is_session && all->is_without_sessions) && !i--)
			break;
	}
	return r;
}

static int fail_none(const struct live_recordings *all, const char *name)
{
	struct ktrace_stale list[STALE_MAX];
	const size_t nr = ktrace_session_list_stale(list, STALE_MAX);
	size_t stale = 0;

	/* Nothing can be saved from sessions that were never completely set up. */
	for (size_t i = 0; i < nr && i < STALE_MAX; i++)
		if (!list[i].is_unfinished)
			list[stale++] = list[i];
	if (ktrace_live_is_others(all->list))
		complain_safely("%s: %s is another user's recording: only its user and root may "
				"ask for it", all->who, name);
	else if (name)
		complain_safely("%s: no live recording %s", all->who, name);
	else
		complain_safely("%s: nothing is being recorded", all->who);
	if (stale && !ktrace_live_is_others(all->list))
		complain_safely("%s: %zu session%s left behind by a ktraced that died, e.g. %s; "
				"ktraced --recover saves what %s", all->who, stale,
				stale == 1 ? "" : "s", list[0].where,
				stale == 1 ? "it holds" : "they hold");
	return STATUS_DAMAGED;
}

int live_fail(const struct live_recordings *all, const char *name)
{
	size_t nr = 0;

	while (live_at(all, nr))
		nr++;
	if (!nr)
		return fail_none(all, name);
	fprintf(stderr, "%s: %zu live recordings, say which:", all->who, nr);
	for (size_t i = 0; i < nr; i++)
		fprintf(stderr, " %s", ktrace_live_name(live_at(all, i)));
	fprintf(stderr, "; %s lists them\n", all->who);
	return STATUS_USAGE;
}

int live_say_answer(const struct live_recordings *all, const struct ktrace_live *r)
{
	const char *reason = ktrace_live_reason(r), *note = ktrace_live_text(r, "note");
	const char *name = ktrace_live_name(r);
	const int error = ktrace_live_error(r);

	if (reason)
		complain_about("refused", "%s", reason);
	else if (note)
		complain_about("note", "%s", note);
	else if (error == -ETIMEDOUT)
		complain_safely("%s: ktraced %s does not answer: is it stopped?", all->who, name);
	else if (error == -EPROTO || error == -EREMOTEIO)
		complain_safely("%s: ktraced %s answers in words not known here", all->who, name);
	else if (error)
		complain_safely("%s: ktraced %s: %s", all->who, name, strerror(-error));
	return error ? STATUS_DAMAGED : STATUS_OK;
}

void live_say_silent(const struct live_recordings *all)
{
	const size_t nr = all->list ? ktrace_live_silent(all->list) : 0;

	if (nr > SILENT_MAX)
		complain_safely("%s: %zu more do not answer: they are stopped, or no recordings",
				all->who, nr - SILENT_MAX);
}

void live_free(struct live_recordings *all)
{
	ktrace_live_free(all->list);
}
