// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ktrace store: takes the pieces of files from a broker and writes the files
 *
 *   take a few messages -> add their pieces to files -> fsync -> confirm the messages
 *                                                     \-> file complete: check, rename, fsync
 *
 * Repeats are dropped, whether a broker sent them or a host: what a file has is known from its
 * length. Hosts ask, between two batches, which files are complete; they keep theirs until then.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/clock.h"
#include "base/viewer.h"
#include "base/when.h"
#include "metrics.h"
#include "metrics/place.h"
#include "store.h"

#define CONSUMER "store"
/* Messages that are confirmed together, by one fsync() for each file */
#define BATCH 32
/* Time to wait for messages: hosts that ask wait as long. */
#define TAKE_MS 50
/* Time after which the broker sends again what was not confirmed */
#define ACK_WAIT_NS (10 * (int64_t)NS_PER_S)
/* Time until a message is sent again that came before those that belong before it */
#define EARLY_MS 1000
/* ... and how often: then it is dropped, and its host sends it again */
#define EARLY_MAX 200
#define RETRY_MS 500
/* Time for another store to say that it is there */
#define RIVAL_MS 1000

/**
 * struct taken - a message
 * @msg:	the message
 * @part:	the file that it is about
 * @result:	1 = confirm it; 0 = confirm it once the file is on the disk; -errno = see settle()
 */
struct taken {
	natsMsg *msg;
	struct message_part part;
	int result;
};

static volatile sig_atomic_t is_stopped;

static void on_signal(int sig)
{
	(void)sig;
	is_stopped = 1;
}

static const char *header(natsMsg *msg, const char *name)
{
	const char *value = NULL;

	return natsMsgHeader_Get(msg, name, &value) == NATS_OK ? value : NULL;
}

/* Returns the piece's bytes, decompressed if necessary, until the next call; NULL: wrong ones. */
static const char *piece_of(natsMsg *msg, size_t *size)
{
	static char raw[MESSAGE_PIECE];
	const char *text = header(msg, MESSAGE_HEADER_RAW), *data = natsMsg_GetData(msg);
	__u64 length;

	*size = (size_t)natsMsg_GetDataLength(msg);
	if (!text)
		return *size && *size <= MESSAGE_PIECE ? data : NULL;
	if (!number_parse(text, 1, MESSAGE_PIECE, &length) ||
	    ZSTD_decompress(raw, sizeof(raw), data, *size) != length)
		return NULL;
	*size = (size_t)length;
	return raw;
}

/* Takes a piece. Return: as in struct taken; -EBADMSG: it is none. */
static int take(struct store *s, struct taken *t)
{
	const char *text = header(t->msg, MESSAGE_HEADER_PART);
	const char *at = header(t->msg, MESSAGE_HEADER_OFFSET), *data;
	__u64 offset;
	size_t size;
	int ret;

	if (!text || !at || !message_parse(text, &t->part) ||
	    !number_parse(at, 0, t->part.size - 1, &offset))
		return -EBADMSG;
	data = piece_of(t->msg, &size);
	if (!data || size > t->part.size - offset)
		return -EBADMSG;
	if (files_has(&s->files, &t->part, t->part.number)) {
		s->repeats++;
		return 1;
	}
	ret = files_add(&s->files, &t->part, offset, data, size);
	s->repeats += ret == FILES_HAS;
	/* Even a repeat may be of bytes that are not on the disk yet. */
	return ret < 0 ? ret : 0;
}

/* Tells about the first part that is missing before this one. */
static void see_gap(struct store *s, const struct message_part *p)
{
	char path[MESSAGE_TEXT_MAX];

	if (p->number < 2 || files_has(&s->files, p, p->number - 1))
		return;
	s->gaps++;
	message_path(path, p);
	complain_about(path, "stored, but the part before it is not there");
}

static void completed(struct store *s, const struct message_part *p)
{
	char path[MESSAGE_TEXT_MAX];

	s->stored++;
	s->bytes += p->size;
	hosts_see(&s->hosts, p->host, clock_ns(CLOCK_REALTIME));
	see_gap(s, p);
	message_path(path, p);
	if (!s->is_quiet)
		report_safely("ktrace store: %s, %llu bytes", path, p->size);
}

/* Writes to the disk what a message has added, once for all messages with the same file. */
static int sync_part(struct store *s, const struct taken *t)
{
	char path[MESSAGE_TEXT_MAX];
	int ret = files_sync(&s->files, &t->part);

	if (ret > 0)
		completed(s, &t->part);
	if (ret != -EBADMSG)
		return ret < 0 ? ret : 1;
	s->broken++;
	message_path(path, &t->part);
	complain_about(path, "came with a wrong checksum: dropped, its host sends it again");
	return 1;
}

static bool is_same(const struct message_part *a, const struct message_part *b)
{
	return a->number == b->number && !strcmp(a->uuid, b->uuid);
}

static void sync_batch(struct store *s, struct taken *list, int nr)
{
	for (int i = 0; i < nr; i++) {
		int ret;

		if (list[i].result)
			continue;
		ret = sync_part(s, &list[i]);
		for (int k = nr - 1; k >= i; k--)
			if (!list[k].result && is_same(&list[k].part, &list[i].part))
				list[k].result = ret;
	}
}

static void tell_full(struct store *s, int error)
{
	if (error == s->full)
		return;
	s->full = error;
	if (error)
		complain_about(s->path, "%s; hosts keep their files until it works again",
			       output_error(error));
	else
		complain_about(s->path, "works again");
}

static int deliveries(natsMsg *msg)
{
	jsMsgMetaData *meta = NULL;
	int nr = 0;

	if (natsMsg_GetMetaData(&meta, msg) == NATS_OK)
		nr = (int)meta->NumDelivered;
	jsMsgMetaData_Destroy(meta);
	return nr;
}

/* Tells the broker what became of a message. */
static natsStatus settle(struct store *s, const struct taken *t)
{
	if (t->result > 0)
		return natsMsg_Ack(t->msg, NULL);
	if (t->result == -EBADMSG) {
		s->bad++;
		return natsMsg_Term(t->msg, NULL);
	}
	if (t->result != -EAGAIN)
		return natsMsg_NakWithDelay(t->msg, EARLY_MS * (int64_t)NS_PER_MS, NULL);
	s->early++;
	if (deliveries(t->msg) <= EARLY_MAX)
		return natsMsg_NakWithDelay(t->msg, EARLY_MS * (int64_t)NS_PER_MS, NULL);
	s->dropped++;
	return natsMsg_Term(t->msg, NULL);
}

static natsStatus take_batch(struct store *s, natsMsgList *batch)
{
	struct taken list[BATCH];
	natsStatus status = NATS_OK;
	int error = 0;

	for (int i = 0; i < batch->Count; i++) {
		list[i] = (struct taken){ .msg = batch->Msgs[i] };
		list[i].result = take(s, &list[i]);
	}
	s->messages += (__u64)batch->Count;
	sync_batch(s, list, batch->Count);
	for (int i = 0; i < batch->Count && status == NATS_OK; i++) {
		const int ret = list[i].result;

		if (ret < 0 && ret != -EBADMSG && ret != -EAGAIN)
			error = ret;
		status = settle(s, &list[i]);
	}
	s->failures += error != 0;
	tell_full(s, error);
	return status;
}

/*
 * Answers a host: "stored", "other" (another file is there), "have BYTES"; to a store: "here". Only
 * to an inbox: who asks must not publish elsewhere with the store's rights.
 */
static void answer(struct store *s, natsMsg *msg)
{
	char text[MESSAGE_TEXT_MAX], reply[64] = "here";
	struct message_part p;
	int ret;

	if (!message_is_inbox(natsMsg_GetReply(msg)))
		return;
	snprintf(text, sizeof(text), "%.*s", natsMsg_GetDataLength(msg), natsMsg_GetData(msg));
	if (message_parse(text, &p)) {
		ret = files_compare(&s->files, &p);
		if (ret >= 0)
			strcpy(reply, ret ? "stored" : "other");
		else if (ret == -ENOENT)
			snprintf(reply, sizeof(reply), "have %llu",
				 (unsigned long long)files_have(&s->files, &p));
		else
			tell_full(s, ret);
	}
	natsConnection_PublishString(s->broker.nc, natsMsg_GetReply(msg), reply);
}

static natsStatus answer_all(struct store *s)
{
	natsMsg *msg = NULL;
	natsStatus status;

	while ((status = natsSubscription_NextMsg(&msg, s->asks, 1)) == NATS_OK) {
		s->busy_ns = now_ns();
		answer(s, msg);
		natsMsg_Destroy(msg);
	}
	return status == NATS_TIMEOUT ? NATS_OK : status;
}

static natsStatus turn(struct store *s)
{
	natsMsgList batch = { .Count = 0 };
	jsErrCode error = 0;
	natsStatus status;

	metrics_look(s);
	status = natsSubscription_Fetch(&batch, s->data, BATCH, TAKE_MS, &error);

	if (status == NATS_OK) {
		s->busy_ns = now_ns();
		status = take_batch(s, &batch);
	} else if (status == NATS_TIMEOUT) {
		status = NATS_OK;
	}
	natsMsgList_Destroy(&batch);
	return status == NATS_OK ? answer_all(s) : status;
}

/*
 * We are the only one: a consumer of before would send again only after ACK_WAIT_NS what a store
 * that was killed has not confirmed.
 */
static natsStatus subscribe(struct store *s)
{
	char subject[NATS_STREAM_MAX + sizeof(".data.>")];
	jsSubOptions options;
	jsErrCode error = 0;
	natsStatus status;

	js_DeleteConsumer(s->broker.js, s->broker.stream, CONSUMER, NULL, &error);
	jsSubOptions_Init(&options);
	options.Stream = s->broker.stream;
	options.ManualAck = true;
	options.Config.AckPolicy = js_AckExplicit;
	options.Config.AckWait = ACK_WAIT_NS;
	options.Config.MaxDeliver = -1;
	snprintf(subject, sizeof(subject), "%s.data.>", s->broker.stream);
	status = js_PullSubscribe(&s->data, s->broker.js, subject, CONSUMER, NULL, &options,
				  &error);
	snprintf(subject, sizeof(subject), "%s.ask", s->broker.stream);
	if (status == NATS_OK)
		status = natsConnection_SubscribeSync(&s->asks, s->broker.nc, subject);
	return status;
}

/*
 * Two stores would each get some of a file's pieces. True if another one answers. Asked before we
 * answer ourselves.
 */
static bool has_rival(struct store *s)
{
	char subject[NATS_STREAM_MAX + sizeof(".ask")];
	natsMsg *reply = NULL;
	natsStatus status;

	snprintf(subject, sizeof(subject), "%s.ask", s->broker.stream);
	status = natsConnection_RequestString(&reply, s->broker.nc, subject, "store", RIVAL_MS);
	natsMsg_Destroy(reply);
	return status == NATS_OK;
}

static void leave(struct store *s)
{
	natsSubscription_Destroy(s->data);
	natsSubscription_Destroy(s->asks);
	s->data = s->asks = NULL;
	broker_disconnect(&s->broker);
}

static bool is_idle(const struct store *s)
{
	return s->idle_ms && now_ns() - s->busy_ns > s->idle_ms * NS_PER_MS;
}

/* Return: 0; -EEXIST: another store is there */
static int serve(struct store *s)
{
	natsStatus status = NATS_OK;

	metrics_look(s);
	if (!broker_connect(&s->broker)) {
		s->broker_failures++;
		return 0;
	}
	if (has_rival(s))
		return -EEXIST;
	status = subscribe(s);
	if (status == NATS_OK)
		broker_works(&s->broker);
	while (status == NATS_OK && !is_stopped && !is_idle(s))
		status = turn(s);
	s->broker_failures += status != NATS_OK;
	if (status != NATS_OK)
		broker_tell(&s->broker, "connection", status);
	return 0;
}

static void report(const struct store *s)
{
	const unsigned int left = files_incoming(&s->files);

	if (s->is_quiet && !left && !s->gaps && !s->bad && !s->broken)
		return;
	report_safely("ktrace store: %u file%s stored, %llu bytes; %u not complete yet; %llu "
		      "pieces came again, %llu too early; %llu gaps, %llu files with a wrong "
		      "checksum, %llu messages that are none of ktrace ship", s->stored,
		      s->stored == 1 ? "" : "s", s->bytes, left, s->repeats, s->early, s->gaps,
		      s->broken, s->bad);
}

static int store(struct store *s)
{
	int ret = files_open(&s->files, s->path);

	if (ret) {
		complain_about(s->path, "%s", ret == -EBUSY ? "another ktrace store writes there" :
			       strerror(-ret));
		return STATUS_DAMAGED;
	}
	if (metrics_open(s, s->place)) {
		files_close(&s->files);
		return STATUS_DAMAGED;
	}
	broker_init(&s->broker, &s->options);
	s->busy_ns = now_ns();
	while (!ret && !is_stopped && !is_idle(s)) {
		ret = serve(s);
		leave(s);
		if (!ret && !is_stopped && !is_idle(s))
			usleep(RETRY_MS * 1000);
	}
	nats_Close();
	metrics_close(s);
	if (ret)
		complain_about(s->options.url, "another ktrace store takes the messages of this "
			       "stream; /NAME at the end of the URL chooses another stream");
	else
		report(s);
	files_close(&s->files);
	return ret ? STATUS_DAMAGED : STATUS_OK;
}

static const char *set_idle(void *to, const char *text)
{
	struct store *s = to;

	return when_parse_wait(text, &s->idle_ms) ? NULL : "--idle: " NO_WAIT("1ms");
}

static const char *set_metrics(void *to, const char *text)
{
	const char *wrong = metrics_place_wrong(text);

	((struct store *)to)->place = text;
	return wrong ? option_wrong("--metrics: %s", wrong) : NULL;
}

#define MEMBER(member) OPTION_MEMBER(struct store, member)

static const struct option_row rows[] = {
	{ .name = "from", .value = "URL", .text = MEMBER(options.url),
	  .help = "the broker: nats://HOST:PORT, or tls://; several hosts\n"
		  "with commas; /NAME at the end: the stream (default:\n"
		  "ktrace)" },
	{ .name = "idle", .value = "TIME", .set = set_idle,
	  .help = "end after TIME without messages or questions" },
	{ .name = "metrics", .value = "PLACE", .set = set_metrics,
	  .help = "serve metrics of the store as OpenMetrics text, at\n"
		  "unix:PATH, 127.0.0.1:PORT or [::1]:PORT; port 0: any" },
	{ .letter = 'q', .name = "quiet", .flag = MEMBER(is_quiet),
	  .help = "print only what went wrong" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ broker_options, offsetof(struct store, options) },
	{ NULL, 0 },
};

static const char *check(const struct store *s, int words)
{
	if (!s->options.url)
		return "--from URL is missing";
	if (words != 1)
		return "it takes one folder, DIR";
	return broker_wrong(&s->options);
}

static int run(const struct command *cmd, int argc, char **argv)
{
	static const struct sigaction act = { .sa_handler = on_signal };
	static struct store s;
	int status = command_parse(cmd, &s, argc, argv);

	if (status < 0)
		status = command_check(cmd, check(&s, argc - optind));
	if (status >= 0)
		return status;
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	s.path = argv[optind];
	return store(&s);
}

static const struct command cmd_store = {
	.name = "store",
	.args = "DIR --from URL [OPTION...]",
	.summary = "Write the files that hosts send into a folder",
	.options = sets,
	.is_live = true,
	.run = run,
};

static int run_program(int argc, char **argv)
{
	return command_run(&cmd_store, argc, argv);
}

int main(int argc, char **argv)
{
	return command_main(run_program, argc, argv);
}
