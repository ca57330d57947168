// SPDX-License-Identifier: GPL-2.0
/* send.c - sends one file in pieces, until the store says that it has all of it */
#include "ship.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/clock.h"

/* Pieces that are sent between two questions to the store */
#define PIECES 16
/* Level of the compression: pieces that do not become shorter are sent as they are. */
#define LEVEL 1
/* Time until the next attempt to connect */
#define RETRY_MS 500
/* Time between questions to a store that is writing */
#define ASK_MIN_MS 10
#define ASK_MAX_MS 500
/*
 * Time without progress after which pieces are sent again from where the store is. It doubles each
 * time: the store may only be slow.
 */
#define AGAIN_NS (5 * NS_PER_S)
#define AGAIN_MAX_NS (120 * NS_PER_S)

enum answer { STORED, HAS, OTHER, NOBODY, BROKEN };

static struct {
	char raw[MESSAGE_PIECE];
	char *packed;
	size_t room;
} piece;

bool send_init(struct ship *s)
{
	piece.room = ZSTD_compressBound(MESSAGE_PIECE);
	piece.packed = malloc(piece.room);
	if (!piece.packed)
		complain_safely("ktrace ship: %s", strerror(ENOMEM));
	broker_init(&s->broker, &s->options);
	s->progress_ns = now_ns();
	return piece.packed;
}

void send_exit(struct ship *s)
{
	broker_disconnect(&s->broker);
	/* The thread may still use the library. */
	if (!s->agent.is_running)
		nats_Close();
	free(piece.packed);
}

/* The recorder has said something, or has died. */
static void hear(struct ship *s)
{
	char byte;
	const ssize_t n = read(STDIN_FILENO, &byte, 1);

	if (n < 0 && errno == EINTR)
		return;
	s->is_over = n > 0;
	s->is_orphan = n <= 0;
	/* The time to wait begins now. */
	s->progress_ns = now_ns();
}

bool ship_pause(struct ship *s, int ms)
{
	const bool is_end = !s->follows || s->is_over || s->is_orphan;
	struct pollfd fd = { .fd = is_end ? -1 : STDIN_FILENO, .events = POLLIN };

	if (poll(&fd, 1, ms) > 0)
		hear(s);
	return !ship_is_stopped() &&
	       !(is_end && now_ns() - s->progress_ns > s->wait_ms * NS_PER_MS);
}

static enum answer read_answer(const char *text, size_t size, __u64 *have)
{
	char copy[64];

	snprintf(copy, sizeof(copy), "%.*s", (int)(size < sizeof(copy) ? size : sizeof(copy) - 1),
		 text);
	if (!strcmp(copy, "stored"))
		return STORED;
	if (!strcmp(copy, "other"))
		return OTHER;
	return sscanf(copy, "have %llu", have) == 1 ? HAS : NOBODY;
}

static enum answer ask(struct ship *s, const struct message_part *p, __u64 *have)
{
	char subject[NATS_STREAM_MAX + sizeof(".ask")], text[MESSAGE_TEXT_MAX];
	natsMsg *reply = NULL;
	enum answer answer;
	natsStatus status;

	snprintf(subject, sizeof(subject), "%s.ask", s->broker.stream);
	message_put(text, p);
	status = natsConnection_RequestString(&reply, s->broker.nc, subject, text, BROKER_WAIT_MS);
	if (status == NATS_OK) {
		answer = read_answer(natsMsg_GetData(reply), (size_t)natsMsg_GetDataLength(reply),
				     have);
		natsMsg_Destroy(reply);
		if (answer == NOBODY)
			broker_tell(&s->broker, "the store's answer is not understood", NATS_OK);
		return answer;
	}
	if (status == NATS_NO_RESPONDERS || status == NATS_TIMEOUT) {
		broker_tell(&s->broker, "no store answers there (ktrace store)", NATS_OK);
		return NOBODY;
	}
	broker_tell(&s->broker, "connection", status);
	return BROKEN;
}

/**
 * struct progress - of one file
 * @next:	first byte that has not been sent
 * @have:	bytes that the store has
 * @since_ns:	when that grew, or when pieces were sent
 * @again_ns:	time without progress until pieces are sent again
 * @attempt:	how often that was done
 * @is_answered: the store has answered the last question
 * @ask_ms:	time until the next question
 */
struct progress {
	__u64 next;
	__u64 have;
	__u64 since_ns;
	__u64 again_ns;
	unsigned int attempt;
	bool is_answered;
	int ask_ms;
};

static natsStatus publish(struct ship *s, const struct message_part *p, const struct progress *g,
			  const char *data, size_t size, size_t raw)
{
	char subject[MESSAGE_TEXT_MAX], id[MESSAGE_TEXT_MAX], text[MESSAGE_TEXT_MAX], number[24];
	jsPubOptions options;
	jsPubAck *ack = NULL;
	jsErrCode error = 0;
	natsMsg *msg = NULL;
	natsStatus status;

	message_subject(subject, s->broker.stream, p);
	message_id(id, p, g->next / MESSAGE_PIECE, g->attempt);
	message_put(text, p);
	status = natsMsg_Create(&msg, subject, NULL, data, (int)size);
	if (status == NATS_OK)
		status = natsMsgHeader_Set(msg, MESSAGE_HEADER_PART, text);
	snprintf(number, sizeof(number), "%llu", (unsigned long long)g->next);
	if (status == NATS_OK)
		status = natsMsgHeader_Set(msg, MESSAGE_HEADER_OFFSET, number);
	snprintf(number, sizeof(number), "%zu", raw);
	if (status == NATS_OK && raw)
		status = natsMsgHeader_Set(msg, MESSAGE_HEADER_RAW, number);
	jsPubOptions_Init(&options);
	options.MsgId = id;
	options.MaxWait = BROKER_WAIT_MS;
	if (status == NATS_OK)
		status = js_PublishMsg(&ack, s->broker.js, msg, &options, &error);
	if (status == NATS_OK) {
		s->pieces++;
		s->sent += size;
		s->repeats += ack->Duplicate;
	}
	jsPubAck_Destroy(ack);
	natsMsg_Destroy(msg);
	return status;
}

/* Waits until the rate permits the next piece. Returns false as ship_pause() does. */
static bool keep_rate(struct ship *s, size_t size)
{
	__u64 now = now_ns();

	if (!s->rate)
		return !ship_is_stopped();
	if (s->due_ns < now)
		s->due_ns = now;
	s->due_ns += (__u64)((double)size * (double)NS_PER_S / (double)s->rate);
	while ((now = now_ns()) < s->due_ns) {
		const __u64 ms = (s->due_ns - now) / NS_PER_MS + 1;

		/* To wait for our own limit is no lack of progress. */
		s->progress_ns = now;
		if (!ship_pause(s, ms < 100 ? (int)ms : 100))
			return false;
	}
	return true;
}

/* Sends one piece. Return: 0; -ENOTCONN: the broker has not taken it; -ECANCELED; -errno. */
static int send_piece(struct ship *s, int fd, const struct message_part *p,
		      const struct progress *g)
{
	const __u64 rest = p->size - g->next;
	const size_t size = rest < MESSAGE_PIECE ? (size_t)rest : MESSAGE_PIECE;
	const ssize_t n = pread(fd, piece.raw, size, (off_t)g->next);
	const char *data = piece.raw;
	size_t packed, length = size;
	natsStatus status;

	if (n != (ssize_t)size)
		return n < 0 ? -errno : -EBADMSG;
	packed = ZSTD_compress(piece.packed, piece.room, piece.raw, size, LEVEL);
	if (!ZSTD_isError(packed) && packed < size) {
		data = piece.packed;
		length = packed;
	}
	status = publish(s, p, g, data, length, data == piece.raw ? 0 : size);
	if (status != NATS_OK) {
		broker_tell(&s->broker, "cannot publish", status);
		return -ENOTCONN;
	}
	return keep_rate(s, length) ? 0 : -ECANCELED;
}

static void see(struct ship *s, struct progress *g, enum answer answer, __u64 have)
{
	const __u64 now = now_ns();

	g->is_answered = answer != NOBODY;
	if (answer == NOBODY) {
		g->since_ns = now;
		return;
	}
	if (have != g->have) {
		g->since_ns = s->progress_ns = now;
		g->ask_ms = ASK_MIN_MS;
	}
	if (have > g->have)
		g->again_ns = AGAIN_NS;
	/* Fewer bytes than before: the store checks a file when it is complete, and dropped it. */
	if (have < g->have || now - g->since_ns > g->again_ns) {
		/* By another id: the broker would drop those that it has had. */
		g->attempt++;
		g->again_ns = g->again_ns < AGAIN_MAX_NS / 2 ? 2 * g->again_ns : AGAIN_MAX_NS;
		g->next = 0;
		g->since_ns = now;
	}
	if (g->next < have)
		g->next = have / MESSAGE_PIECE * MESSAGE_PIECE;
	g->have = have;
}

static int send_some(struct ship *s, int fd, const struct message_part *p, struct progress *g)
{
	int ret = 0;

	for (int i = 0; i < PIECES && g->next < p->size && !ret; i++) {
		ret = send_piece(s, fd, p, g);
		if (!ret) {
			g->next += MESSAGE_PIECE;
			g->since_ns = now_ns();
			g->ask_ms = ASK_MIN_MS;
		}
		/* A broker that is full can be asked, so an answer alone does not tell it. */
		if (!ret && g->is_answered)
			broker_works(&s->broker);
	}
	return ret;
}

/* One turn. Return: 1 it is stored; 0 go on; -ENOTCONN the connection is bad; -errno. */
static int turn(struct ship *s, int fd, const struct message_part *p, struct progress *g)
{
	__u64 have = 0;
	const enum answer answer = ask(s, p, &have);

	if (answer == STORED) {
		broker_works(&s->broker);
		return 1;
	}
	if (answer == OTHER)
		return -EEXIST;
	if (answer == BROKEN)
		return -ENOTCONN;
	see(s, g, answer, have);
	if (g->next < p->size)
		return send_some(s, fd, p, g);
	if (g->is_answered)
		broker_works(&s->broker);
	if (!ship_pause(s, g->ask_ms))
		return ship_is_stopped() ? -ECANCELED : -ETIMEDOUT;
	g->ask_ms = g->ask_ms < ASK_MAX_MS ? 2 * g->ask_ms : ASK_MAX_MS;
	return 0;
}

int send_part(struct ship *s, int fd, const struct message_part *p)
{
	struct progress g = {
		.since_ns = now_ns(), .again_ns = AGAIN_NS, .ask_ms = ASK_MIN_MS,
	};
	int ret = 0;

	while (!ret) {
		if (s->broker.nc || broker_connect(&s->broker))
			ret = turn(s, fd, p, &g);
		else
			ret = -ENOTCONN;
		if (ret != -ENOTCONN)
			continue;
		broker_disconnect(&s->broker);
		/* Whether the broker has kept what it took is not known: the store tells. */
		g.next = 0;
		ret = ship_pause(s, RETRY_MS) ? 0 :
		      ship_is_stopped() ? -ECANCELED : -ETIMEDOUT;
	}
	if (ret > 0)
		s->progress_ns = now_ns();
	return ret > 0 ? 0 : ret;
}
