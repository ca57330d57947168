// SPDX-License-Identifier: GPL-2.0
/*
 * answers.c - asks recordings through the broker, and gathers their answers for a bounded time
 *
 * Whoever may write to our inbox may send anything there. A message counts only if its subject
 * names a recording, its text is bounded, and each of its numbers is one.
 */
#include "answers.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <ktrace/port.h>
#include <ktrace/tracefile.h>

#include "base/clock.h"
#include "base/fleet_words.h"
#include "base/grow.h"
#include "base/viewer.h"
#include "base/when.h"

/* Time for the answer to a command that the broker has denied */
#define DENIED_MS 1000
/* Most answers, and bytes of them */
#define ANSWERS_MAX 100000u
#define BYTES_MAX (64u << 20)

bool answer_is_ok(const struct answer *a)
{
	return a->text && !strncmp(a->text, "ok ", 3);
}

char *answer_value(const struct answer *a, const char *key)
{
	return a->text ? ktrace_port_value(a->text, key) : NULL;
}

/* Returns 1; 0 if there is none; -1 if it is no number. */
static int read_u64(const struct answer *a, const char *key, __u64 *value)
{
	char *text = answer_value(a, key);
	const int ret = !text ? 0 : number_parse(text, 0, ~0ull, value) ? 1 : -1;

	free(text);
	return ret;
}

bool answer_u64(const struct answer *a, const char *key, __u64 *value)
{
	return read_u64(a, key, value) > 0;
}

bool answer_has_label(const struct answer *a, const char *label)
{
	char *labels = answer_value(a, "labels"), *rest = labels, *one;
	bool has = false;

	while (!has && rest && (one = strsep(&rest, ",")))
		has = !strcmp(one, label);
	free(labels);
	return has;
}

bool answer_offset(const struct answer *a, __s64 *offset_ns, __u64 *error_ns)
{
	__u64 now;

	if (!answer_u64(a, "now_ns", &now) || a->got_ns < a->sent_ns)
		return false;
	*error_ns = (a->got_ns - a->sent_ns + 1) / 2;
	*offset_ns = (__s64)(now - a->sent_ns - *error_ns);
	return true;
}

static bool are_labels(const struct answer *a)
{
	char *labels = answer_value(a, "labels"), *rest = labels, *one;
	bool are = true;

	while (are && rest && (one = strsep(&rest, ",")))
		are = fleet_is_label(one);
	free(labels);
	return are;
}

/* True if each number is one, and each label. */
static bool is_right(const struct answer *a)
{
	static const char *const numbers[] = {
		"pid", "now_ns", "part", "paused", "ns", "recorded", "events_s", "bytes", "bytes_s",
		"fill", "lost", "programs", "free", "clock_synced", "clock_max_ns", "clock_est_ns",
		"waiting", "waiting_bytes", "lag_ns",
	};
	char key[32];
	__u64 value;

	if (!strncmp(a->text, "refused ", 8))
		return true;
	if (!answer_is_ok(a) || !are_labels(a))
		return false;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (read_u64(a, numbers[i], &value) < 0)
			return false;
	for (__u32 i = 0; i < KTRACE_LOST_NR; i++) {
		snprintf(key, sizeof(key), "lost_%s", ktrace_lost_name(i));
		if (read_u64(a, key, &value) < 0)
			return false;
	}
	return true;
}

static struct answer *find(struct answers *a, const struct command_address *from)
{
	for (size_t i = 0; i < a->nr; i++)
		if (!strcmp(a->list[i].from.session, from->session) &&
		    !strcmp(a->list[i].from.host, from->host))
			return &a->list[i];
	return NULL;
}

static struct answer *add(struct answers *a, const struct command_address *from)
{
	if (a->nr == ANSWERS_MAX)
		return NULL;
	if (!LIST_GROW(a->list, a->nr, a->cap))
		return NULL;
	a->list[a->nr] = (struct answer){ .from = *from };
	return &a->list[a->nr++];
}

/* struct round - one question, or several commands, and the inbox for their answers */
struct round {
	natsInbox *inbox;
	natsSubscription *sub;
	__u64 sent_ns;
};

static natsStatus round_begin(struct round *r, struct broker *b)
{
	char subject[COMMAND_SUBJECT_MAX];
	natsStatus s = natsInbox_Create(&r->inbox);

	r->sent_ns = clock_ns(CLOCK_REALTIME);
	if (s != NATS_OK)
		return s;
	snprintf(subject, sizeof(subject), "%s.>", r->inbox);
	return natsConnection_SubscribeSync(&r->sub, b->nc, subject);
}

static void round_end(struct round *r)
{
	natsSubscription_Destroy(r->sub);
	natsInbox_Destroy(r->inbox);
}

/* Takes a message. @is_open: unknown recordings may answer. Returns true if it is an answer. */
static bool take(struct answers *a, const struct round *r, const natsMsg *msg, bool is_open)
{
	static char text[COMMAND_ANSWER_MAX];
	struct answer got = { .text = text, .sent_ns = r->sent_ns };
	struct answer *place;

	got.got_ns = clock_ns(CLOCK_REALTIME);
	if (!command_answer_parse(natsMsg_GetSubject(msg), r->inbox, &got.from) ||
	    !command_text(msg, text, sizeof(text)) || !is_right(&got)) {
		a->bad++;
		return false;
	}
	place = find(a, &got.from);
	if (place && place->text) {
		a->repeats++;
		return false;
	}
	if (!place && !is_open) {
		a->bad++;
		return false;
	}
	if (a->bytes + strlen(text) > BYTES_MAX) {
		a->too_many++;
		return false;
	}
	if (!place)
		place = add(a, &got.from);
	got.text = place ? strdup(text) : NULL;
	if (!got.text) {
		a->too_many++;
		return false;
	}
	a->bytes += strlen(text);
	*place = got;
	return true;
}

/* Takes messages until @left recordings have answered, or the time is over. */
static void gather(struct answers *a, const struct round *r, size_t left, __u64 wait_ms,
		   bool is_open)
{
	const __u64 end = now_ns() + wait_ms * NS_PER_MS;
	natsStatus status = NATS_OK;
	natsMsg *msg = NULL;

	while (left && status == NATS_OK) {
		const __u64 now = now_ns();

		if (now >= end)
			return;
		status = natsSubscription_NextMsg(&msg, r->sub,
						  (int64_t)((end - now) / NS_PER_MS + 1));
		if (status == NATS_OK) {
			left -= take(a, r, msg, is_open);
			natsMsg_Destroy(msg);
		}
	}
	a->late = status != NATS_OK && status != NATS_TIMEOUT;
}

static bool told(struct broker *b, const char *what, natsStatus s)
{
	const char *denied = s == NATS_OK ? broker_denies(b) : NULL;

	if (s != NATS_OK)
		broker_tell(b, what, s);
	if (denied)
		complain_about(b->options->url, "%s", denied);
	return s != NATS_OK || denied;
}

bool answers_ask(struct answers *a, struct broker *b, __u64 wait_ms)
{
	struct round r = { .inbox = NULL };
	char subject[COMMAND_SUBJECT_MAX];
	natsStatus s = round_begin(&r, b);
	bool is_bad;

	command_ask_subject(subject, b->stream);
	if (s == NATS_OK)
		s = natsConnection_PublishRequestString(b->nc, subject, r.inbox, COMMAND_ASK);
	is_bad = told(b, "cannot ask", s);
	if (!is_bad)
		gather(a, &r, ANSWERS_MAX, wait_ms, true);
	round_end(&r);
	return !is_bad;
}

/* Writes a command: who commands is for the host's log, and nobody checks it. */
static char *command_request(const char *value)
{
	const struct passwd *user = getpwuid(geteuid());
	struct ktrace_text t = { 0 };
	struct utsname host;
	char by[128];

	uname(&host);
	snprintf(by, sizeof(by), "%.60s@%.60s", user ? user->pw_name : "?", host.nodename);
	ktrace_text_line(&t, COMMAND_DO);
	ktrace_text_str(&t, "by", by);
	if (value)
		ktrace_text_str(&t, "value", value);
	if (!t.error && t.len < COMMAND_REQUEST_MAX)
		return t.buf;
	ktrace_text_free(&t);
	return NULL;
}

static natsStatus send_commands(struct answers *to, const struct round *r, struct broker *b,
				const char *action, const char *text)
{
	char subject[COMMAND_SUBJECT_MAX];
	natsStatus s = NATS_OK;

	for (size_t i = 0; i < to->nr && s == NATS_OK; i++) {
		command_do_subject(subject, b->stream, action, &to->list[i].from);
		s = natsConnection_PublishRequestString(b->nc, subject, r->inbox, text);
	}
	return s;
}

bool answers_command(struct answers *to, struct broker *b, const char *action, const char *value,
		     __u64 wait_ms)
{
	char *text = command_request(value);
	struct round r = { .inbox = NULL };
	natsStatus s;
	bool is_bad;

	if (!text) {
		complain_safely("ktrace fleet: the request is too long");
		return false;
	}
	s = round_begin(&r, b);
	if (s == NATS_OK)
		s = send_commands(to, &r, b, action, text);
	free(text);
	is_bad = told(b, "cannot send", s);
	/* The broker may have let some of them through. */
	gather(to, &r, to->nr, is_bad && to->nr == 1 ? DENIED_MS : wait_ms, false);
	round_end(&r);
	return !is_bad;
}

void answers_free(struct answers *a)
{
	for (size_t i = 0; i < a->nr + a->others; i++)
		free(a->list[i].text);
	free(a->list);
}

static int compare(const void *a, const void *b)
{
	const struct answer *one = a, *two = b;
	const int order = strcmp(one->from.host, two->from.host);

	return order ? order : strcmp(one->from.session, two->from.session);
}

void answers_sort(struct answers *a)
{
	if (a->nr)
		qsort(a->list, a->nr, sizeof(*a->list), compare);
}
