// SPDX-License-Identifier: GPL-2.0
/*
 * agent.c - answers ktrace fleet for one recording
 *
 *   ktrace fleet --broker--> this thread --port--> ktraced
 *
 * A thread with a connection of its own: files that are being sent, and a store that is away, delay
 * no answer. It asks ktraced as ktrace control does, and does only what the recorder's own options
 * allow, whatever the broker lets through. The broker tells by the subject which action is meant:
 * its accounts permit subjects. A message is copied, bounded and checked before it is used; what it
 * says becomes no path, and no word for ktraced other than those of the table.
 */
#include "agent.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <ktrace/port.h>
#include <ktrace/tracefile.h>

#include "base/clock.h"
#include "base/parts.h"
#include "base/viewer.h"

/* Time to wait for a message, and until the next attempt to connect */
#define TAKE_MS 100
#define RETRY_MS 1000
/* Time for which an answer of ktraced serves further questions */
#define FRESH_NS (200 * NS_PER_MS)
/* The same if it did not answer */
#define SILENT_NS (5 * NS_PER_S)
/* Messages of one kind until it is the other's turn */
#define TAKE_NR 64
/* Time to end: a question to ktraced may still be open, which is of no use any more. */
#define END_S 2
/* Lines about messages in a minute: who may send them must not fill the host's journal. */
#define LINES 20
#define LINES_NS (60 * NS_PER_S)

static const char *set_allow(void *to, const char *text)
{
	return fleet_allow_parse(text, &((struct agent_options *)to)->allow) ? NULL :
	       option_wrong("--allow needs a list of " FLEET_ACTIONS ", or all or none, not '%s'",
			    text);
}

static const char *add_label(void *to, const char *text)
{
	struct agent_options *o = to;

	if (!fleet_is_label(text) || o->label_nr == FLEET_LABEL_NR)
		return option_wrong("--label needs KEY=VALUE, at most %u times, not '%s'",
				    FLEET_LABEL_NR, text);
	o->labels[o->label_nr++] = text;
	return NULL;
}

static const char *set_recording(void *to, const char *text)
{
	struct agent_options *o = to;

	o->session = text;
	return command_is_session(text) ? NULL :
	       option_wrong("--recording needs a session's 16 digits, not '%s'", text);
}

#define MEMBER(member) OPTION_MEMBER(struct agent_options, member)

const struct option_row agent_options[] = {
	{ .help = "\n"
	  "Answers to ktrace fleet, with --follow:\n" },
	{ .name = "recording", .value = "SESSION", .set = set_recording,
	  .help = "answer for this session of the ktraced that started\n"
		  "the program" },
	{ .name = "allow", .value = "LIST", .set = set_allow,
	  .help = "do this with it: pause, resume, enable, disable,\n"
		  "rotate, mark, stop, all, none (default: none)" },
	{ .name = "label", .value = "KEY=VALUE", .set = add_label,
	  .help = "a label of the recording; as often as needed" },
	{ .help = NULL },
};

static bool may_log(struct agent *a)
{
	const __u64 now = now_ns();

	if (now - a->lines_ns > LINES_NS) {
		a->lines_ns = now;
		a->lines = 0;
	}
	if (a->lines == LINES)
		a->unlogged++;
	return a->lines < LINES && ++a->lines;
}

/* Values of ktraced's answer that go on to ktrace fleet; its command line does not */
static const char *const values[] = {
	"uuid", "file", "part", "paused", "ns", "recorded", "events_s", "bytes", "bytes_s", "fill",
	"lost", "programs", "free", "clock_synced", "clock_max_ns", "clock_est_ns", "waiting",
	"waiting_bytes", "lag_ns", "error", "note",
};

/* Returns the recording, NULL without memory. */
static struct ktrace_live *recording_of(struct agent *a)
{
	/* No other user's port of that name can be meant. */
	const struct ktrace_port port = { geteuid(), a->pid, strtoull(a->options->session, NULL,
								     16) };

	if (!a->found && ktrace_live_open(&a->found, &port))
		a->found = NULL;
	return a->found ? ktrace_live_at(a->found, 0) : NULL;
}

/* Result of the last message to it */
static int error_of(const struct ktrace_live *r)
{
	return r ? ktrace_live_error(r) : -ENOMEM;
}

static void put_values(struct ktrace_text *t, const struct ktrace_live *r)
{
	const char *value, *reason;
	char key[64];
	__u64 nr;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		value = ktrace_live_text(r, values[i]);
		if (value)
			ktrace_text_str(t, values[i], value);
	}
	for (size_t i = 0; (reason = ktrace_live_loss(r, i, &nr)); i++) {
		snprintf(key, sizeof(key), "lost_%s", reason);
		ktrace_text_u64(t, key, nr);
	}
}

/* Joins the words of a list that are chosen by a mask. */
static void put_words(struct ktrace_text *t, const char *key, const char *const *words, size_t nr,
		      __u32 mask)
{
	char text[FLEET_LABEL_NR * 2 * (FLEET_LABEL_PART + 1)];
	size_t size = 0;

	*text = '\0';
	for (size_t i = 0; i < nr; i++)
		if (mask & 1u << i)
			size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%s",
						 size ? "," : "", words[i]);
	if (size)
		ktrace_text_str(t, key, text);
}

/* Once the recording is over, ktraced cannot say what waits: all files that are left do. */
static void put_rest(const struct agent *a, struct ktrace_text *t)
{
	const __u64 now = clock_ns(CLOCK_REALTIME);
	__u64 nr = 0, bytes = 0, oldest = now;
	struct stat st;
	char **names;
	const size_t all = parts_find(a->output, &names);

	for (size_t i = 0; i < all; i++) {
		if (!stat(names[i], &st)) {
			nr++;
			bytes += (__u64)st.st_size;
			if (timespec_ns(&st.st_mtim) < oldest)
				oldest = timespec_ns(&st.st_mtim);
		}
		free(names[i]);
	}
	free(names);
	ktrace_text_u64(t, "waiting", nr);
	ktrace_text_u64(t, "waiting_bytes", bytes);
	ktrace_text_u64(t, "lag_ns", now - oldest);
}

/* How the recording goes, as far as ktraced has said so */
static void put_state(struct agent *a, struct ktrace_text *t)
{
	const struct ktrace_live *r = a->found ? ktrace_live_at(a->found, 0) : NULL;
	const int error = error_of(r);

	ktrace_text_line(t, "ok");
	ktrace_text_str(t, "boot", a->boot);
	ktrace_text_u64(t, "pid", a->pid);
	ktrace_text_u64(t, "now_ns", clock_ns(CLOCK_REALTIME));
	ktrace_text_str(t, "state", !error ? "live" :
			error == -ECONNREFUSED ? "ended" : "silent");
	put_words(t, "labels", a->options->labels, a->options->label_nr, ~0u);
	put_words(t, "allow", fleet_actions, FLEET_ACTION_NR, a->options->allow);
	if (error == -ECONNREFUSED)
		put_rest(a, t);
	if (r)
		put_values(t, r);
}

static void put_refusal(struct ktrace_text *t, const char *reason)
{
	ktrace_text_line(t, "refused");
	ktrace_text_str(t, "reason", reason);
}

static void send_answer(struct agent *a, const natsMsg *msg, struct ktrace_text *t)
{
	char subject[COMMAND_SUBJECT_MAX];

	if (!t->error && t->len < COMMAND_ANSWER_MAX &&
	    command_answer_subject(subject, natsMsg_GetReply(msg), &a->address))
		natsConnection_PublishString(a->broker.nc, subject, t->buf);
	ktrace_text_free(t);
}

/* True if the message has an inbox for the answer: nobody commands without hearing the result. */
static bool is_answerable(const struct agent *a, const natsMsg *msg)
{
	char subject[COMMAND_SUBJECT_MAX];

	return command_answer_subject(subject, natsMsg_GetReply(msg), &a->address);
}

static void drop(struct agent *a)
{
	a->bad++;
	if (may_log(a))
		complain_safely("ktrace ship: a message that is none of ktrace fleet: dropped");
}

/* Asks how it goes, unless that was just asked: many questions cost ktraced no more than a few. */
static void look(struct agent *a)
{
	struct ktrace_live *r = recording_of(a);
	const int error = error_of(r);
	const __u64 fresh = error && error != -ECONNREFUSED ? SILENT_NS : FRESH_NS;

	if (!r || (a->asked_ns && now_ns() - a->asked_ns < fresh))
		return;
	ktrace_live_status(r);
	/* Now, so that the questions that waited for this one get its answer. */
	a->asked_ns = now_ns();
}

static void answer_ask(struct agent *a, const natsMsg *msg)
{
	char text[COMMAND_REQUEST_MAX];
	struct ktrace_text t = { 0 };

	if (!is_answerable(a, msg) || !command_text(msg, text, sizeof(text)) ||
	    strcmp(text, COMMAND_ASK) != 0) {
		drop(a);
		return;
	}
	look(a);
	put_state(a, &t);
	send_answer(a, msg, &t);
}

/* Sends a message to ktraced. Return: as ktrace_live_error() */
static int send_word(struct ktrace_live *r, const char *action, const char *value)
{
	struct ktrace_text t = { 0 };
	int error;

	if (!strcmp(action, "mark")) {
		error = ktrace_live_mark(r, value);
		return error ? error : ktrace_live_status(r);
	}
	ktrace_text_line(&t, action);
	if (value)
		ktrace_text_str(&t, "events", value);
	error = t.error ? t.error : t.len >= KTRACE_PORT_MESSAGE ? -E2BIG :
		ktrace_live_ask(r, t.buf);
	ktrace_text_free(&t);
	return error;
}

/* Asks ktraced. Returns NULL, or why it has not done it; valid until the next call. */
static const char *ask(struct agent *a, const char *action, const char *value)
{
	struct ktrace_live *r = recording_of(a);
	const int error = r ? send_word(r, action, value) : -ENOMEM;
	const char *reason = error == -EREMOTEIO ? ktrace_live_reason(r) : NULL;

	a->asked_ns = 0;
	switch (error) {
	case 0:
		return NULL;
	case -EREMOTEIO:
		return reason ? reason : "ktraced does not say why";
	case -ECONNREFUSED:
		return "the recording is over";
	case -ETIMEDOUT:
		return "ktraced does not answer: whether it does it later is not known";
	case -E2BIG:
		return "the request is too long";
	default:
		return strerror(-error);
	}
}

/* Returns NULL, or why it was not done. */
static const char *carry_out(struct agent *a, size_t action, const char *value)
{
	const char *word = fleet_actions[action];
	const bool has_value = fleet_action_needs(action);

	if (!(a->options->allow & 1u << action))
		return "the recorder does not allow it (ktraced --ship-allow)";
	if (has_value != (value && *value))
		return has_value ? "it needs a value" : "it takes no value";
	if (value && strlen(value) > COMMAND_MARK_MAX)
		return "the value is too long";
	return ask(a, word, value);
}

/* Returns the action in a subject that our subscription matches. */
static size_t action_of(const struct agent *a, const char *subject)
{
	const char *word = subject + strlen(a->broker.stream) + strlen(".fleet.do.");

	return fleet_action_find(word, strcspn(word, "."));
}

static void log_command(struct agent *a, size_t action, const char *text, const char *wrong)
{
	char *by = ktrace_port_value(text, "by");

	/* What is done was allowed by both sides, so it is always said. */
	if (wrong && !may_log(a))
		;
	else if (wrong)
		complain_safely("ktrace ship: ktrace fleet %s, by %.100s as it says: refused: %s",
				fleet_actions[action], by ? by : "?", wrong);
	else
		report_safely("ktrace ship: ktrace fleet %s, by %.100s as it says: done",
			      fleet_actions[action], by ? by : "?");
	free(by);
}

static void answer_command(struct agent *a, const natsMsg *msg)
{
	const size_t action = action_of(a, natsMsg_GetSubject(msg));
	char text[COMMAND_REQUEST_MAX], *value;
	struct ktrace_text t = { 0 };
	const char *wrong;

	if (action == FLEET_ACTION_NR || !is_answerable(a, msg) ||
	    !command_text(msg, text, sizeof(text)) || strncmp(text, "do ", 3) != 0) {
		drop(a);
		return;
	}
	value = ktrace_port_value(text, "value");
	wrong = carry_out(a, action, value);
	free(value);
	log_command(a, action, text, wrong);
	if (wrong) {
		a->refused++;
		put_refusal(&t, wrong);
	} else {
		a->done++;
		put_state(a, &t);
	}
	send_answer(a, msg, &t);
}

/* Answers all messages that wait. Return: NATS_OK, or the connection is bad */
static natsStatus answer_all(struct agent *a, natsSubscription *from, int wait_ms,
			     void (*answer)(struct agent *a, const natsMsg *msg))
{
	natsStatus status = NATS_OK;
	natsMsg *msg = NULL;

	for (int nr = 0; nr < TAKE_NR; nr++) {
		status = natsSubscription_NextMsg(&msg, from, wait_ms);
		if (status != NATS_OK)
			break;
		answer(a, msg);
		natsMsg_Destroy(msg);
		if (a->is_stopped)
			return NATS_OK;
		wait_ms = 1;
	}
	return status == NATS_TIMEOUT ? NATS_OK : status;
}

static natsStatus subscribe(struct agent *a)
{
	char subject[COMMAND_SUBJECT_MAX];
	natsStatus status;
	const char *denied;

	command_ask_subject(subject, a->broker.stream);
	status = natsConnection_SubscribeSync(&a->asks, a->broker.nc, subject);
	command_do_subject(subject, a->broker.stream, "*", &a->address);
	if (status == NATS_OK)
		status = natsConnection_SubscribeSync(&a->commands, a->broker.nc, subject);
	denied = status == NATS_OK ? broker_denies(&a->broker) : NULL;
	if (denied)
		complain_about(a->broker.options->url, "%s%s", a->broker.purpose, denied);
	return status;
}

static void leave(struct agent *a)
{
	if (a->broker.nc)
		natsConnection_FlushTimeout(a->broker.nc, RETRY_MS);
	natsSubscription_Destroy(a->asks);
	natsSubscription_Destroy(a->commands);
	a->asks = a->commands = NULL;
	broker_disconnect(&a->broker);
}

static void serve(struct agent *a)
{
	natsStatus status;

	if (!broker_open(&a->broker))
		return;
	status = subscribe(a);
	if (status == NATS_OK)
		broker_works(&a->broker);
	while (status == NATS_OK && !a->is_stopped) {
		status = answer_all(a, a->asks, TAKE_MS, answer_ask);
		if (status == NATS_OK)
			status = answer_all(a, a->commands, 1, answer_command);
	}
	if (status != NATS_OK)
		broker_tell(&a->broker, "connection", status);
}

static void *run(void *arg)
{
	struct agent *a = arg;

	while (!a->is_stopped) {
		serve(a);
		leave(a);
		for (int ms = 0; ms < RETRY_MS && !a->is_stopped; ms += TAKE_MS)
			poll(NULL, 0, TAKE_MS);
	}
	nats_ReleaseThreadMemory();
	return NULL;
}

static int read_boot(char *boot, size_t size)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	const bool is_read = f && fgets(boot, (int)size, f);

	if (f)
		fclose(f);
	boot[is_read ? strcspn(boot, "\n") : 0] = '\0';
	return is_read ? 0 : -ENOENT;
}

static int start(struct agent *a)
{
	sigset_t all, before;
	struct utsname host;
	int error;

	uname(&host);
	if (!message_host(a->address.host, host.nodename))
		return -EINVAL;
	error = read_boot(a->boot, sizeof(a->boot));
	if (error)
		return error;
	/* Signals are for the main thread, which they wake up. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	error = pthread_create(&a->thread, NULL, run, a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	a->is_running = !error;
	return -error;
}

void agent_begin(struct agent *a, const struct agent_options *o, const struct broker_options *b,
		 const char *output)
{
	int error;

	a->options = o;
	a->output = output;
	if (!o->session)
		return;
	broker_init(&a->broker, b);
	a->broker.purpose = "ktrace fleet: ";
	strcpy(a->address.session, o->session);
	a->pid = (__u32)getppid();
	error = start(a);
	if (error)
		complain_safely("ktrace ship: ktrace fleet gets no answers: %s", strerror(-error));
}

void agent_end(struct agent *a)
{
	struct timespec end;

	if (!a->is_running)
		return;
	a->is_stopped = true;
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += END_S;
	if (pthread_timedjoin_np(a->thread, NULL, &end))
		return;
	a->is_running = false;
	ktrace_live_free(a->found);
	if (a->refused || a->bad || a->unlogged)
		complain_safely("ktrace ship: of ktrace fleet: %llu commands done, %llu refused; "
				"%llu messages that are none of it; %llu lines not printed",
				a->done, a->refused, a->bad, a->unlogged);
}
