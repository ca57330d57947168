// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_recv_shark.c - ktrace recv-shark: receives the packets of a S.Ha.R.K. tracer
 *
 * Packets are not acknowledged, so the receiver can only report the missing ones. It takes packets
 * from the first machine that sends one, and only counts those of others.
 */
#include "base/table.h"
#include "base/viewer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ktrace/packet.h>

#include "base/json.h"
#include "base/when.h"
#include "import/shark_packets.h"

#define BUFFER (4 << 20)
#define LAST 4096	/* maximum number of datagrams taken after a signal */

/**
 * struct recv - one run of the command
 * @local:	where to receive
 * @path:	file for the events, NULL = none
 * @idle_ms:	end after this time without a datagram, < 0 = never
 * @count:	end after this many datagrams, 0 = never
 * @is_json:	one object
 * @packets:	the packets received
 * @fd:		the socket
 * @signal_fd:	descriptor of the signals that end the command
 * @file:	the file, < 0 = none
 * @datagrams:	so far
 * @foreign:	of them, from other machines
 * @from:	the sender; ss_family 0 = none yet
 */
struct recv {
	const char *local;
	const char *path;
	int idle_ms;
	__u64 count;
	bool is_json;
	struct packets packets;
	int fd;
	int signal_fd;
	int file;
	__u64 datagrams;
	__u64 foreign;
	struct sockaddr_storage from;
};

static int write_events(void *arg, const unsigned char *slots, __u32 events)
{
	const struct recv *r = arg;

	return r->file < 0 ? 0 : output_write(r->file, slots, events * SHARK_SLOT);
}

/* True if it is the same machine; its port may change with each chunk. */
static bool is_known_sender(struct recv *r, const struct sockaddr_storage *from)
{
	struct sockaddr_storage host = *from;

	if (host.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&host)->sin6_port = 0;
	else
		((struct sockaddr_in *)&host)->sin_port = 0;
	if (!r->from.ss_family)
		r->from = host;
	return !memcmp(&r->from, &host, sizeof(host));
}

static void receive(struct recv *r)
{
	unsigned char data[KTRACE_SHARK_PACKET_MAX + 1];
	struct sockaddr_storage from = { 0 };
	socklen_t size = sizeof(from);
	ssize_t n = recvfrom(r->fd, data, sizeof(data), MSG_DONTWAIT, (struct sockaddr *)&from,
			     &size);

	if (n < 0)
		return;
	r->datagrams++;
	if (!is_known_sender(r, &from))
		r->foreign++;
	else if (!packets_take(&r->packets, data, (size_t)n) && !r->packets.good)
		r->from.ss_family = AF_UNSPEC;	/* not a sender of packets */
}

/* Return: 0, -errno. */
static int receive_all(struct recv *r)
{
	struct pollfd fds[] = {
		{ .fd = r->fd, .events = POLLIN }, { .fd = r->signal_fd, .events = POLLIN },
	};

	int last = LAST;

	while (last && (!r->count || r->datagrams < r->count)) {
		/* Wait forever for the first datagram. */
		const int nr = poll(fds, 2, r->datagrams ? r->idle_ms : -1);

		if (nr < 0 && errno != EINTR)
			return -errno;
		if (!nr)
			break;
		if (nr > 0 && fds[1].revents)
			last--;
		if (nr > 0 && fds[0].revents)
			receive(r);
		else if (nr > 0 && fds[1].revents)
			break;
		if (r->packets.error)
			return r->packets.error;
	}
	packets_end(&r->packets);
	return r->packets.error;
}

static void put_ranges(const struct recv *r)
{
	const __u64 all = r->packets.range_nr, nr = all < PACKETS_RANGES ? all : PACKETS_RANGES;
	struct ktrace_out *out = output();

	for (__u64 i = 0; i < nr; i++) {
		const __u32 *range = r->packets.ranges[i];

		if (r->is_json)
			out_printf(out, "%s[%u,%u]", i ? "," : "", range[0], range[1]);
		else if (range[1] == range[0])
			out_printf(out, "%s%u", i ? ", " : "missing ", range[0]);
		else
			out_printf(out, "%s%u to %u", i ? ", " : "missing ", range[0], range[1]);
	}
	if (!r->is_json && nr)
		ktrace_out_str(out, nr < all ? ", ...\n" : "\n");
}

static void put_json(const struct recv *r)
{
	const struct packets *p = &r->packets;
	struct ktrace_out *out = output();

	ktrace_out_char(out, '{');
	json_str(out, "file", r->path);
	json_u64(out, "events", p->events);
	json_u64(out, "packets", p->good);
	json_u64(out, "missing", p->missing);
	json_u64(out, "duplicates", p->duplicates);
	json_u64(out, "reordered", p->reordered);
	json_u64(out, "bad", p->bad);
	json_u64(out, "foreign", r->foreign);
	json_u64(out, "runs", p->runs);
	json_open(out, "ranges", '[');
	put_ranges(r);
	ktrace_out_str(out, "]}\n");
}

static void put_text(const struct recv *r)
{
	const struct packets *p = &r->packets;

	out_printf(output(), "%llu events, %llu packets, %llu missing, %llu twice, "
		   "%llu out of order, %llu bad, %llu of others, %llu runs\n", p->events, p->good,
		   p->missing, p->duplicates, p->reordered, p->bad, r->foreign, p->runs);
	put_ranges(r);
}

static void say_where(int fd)
{
	struct sockaddr_storage addr = { 0 };
	socklen_t size = sizeof(addr);
	char host[INET6_ADDRSTRLEN] = "?";
	const bool is_6 = !getsockname(fd, (struct sockaddr *)&addr, &size) &&
			  addr.ss_family == AF_INET6;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&addr;
	const struct sockaddr_in *in4 = (const struct sockaddr_in *)&addr;

	inet_ntop(addr.ss_family, is_6 ? (const void *)&in6->sin6_addr : &in4->sin_addr, host,
		  sizeof(host));
	fprintf(stderr, "ktrace recv-shark: receiving at %s%s%s:%u\n", is_6 ? "[" : "", host,
		is_6 ? "]" : "", ntohs(is_6 ? in6->sin6_port : in4->sin_port));
}

/* Opens a socket with a longer queue, as far as permitted, so that our pauses lose nothing. */
static int open_socket(struct recv *r)
{
	const int size = BUFFER;
	sigset_t signals;

	r->fd = ktrace_packet_listen(r->local);
	if (r->fd < 0) {
		complain_safely("ktrace recv-shark: %s: %s", r->local, r->fd == -EINVAL ?
				"no address, such as 192.0.2.1:20000" : strerror(-r->fd));
		return r->fd;
	}
	setsockopt(r->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	r->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
	return r->signal_fd < 0 ? -errno : 0;
}

static int run_receiver(struct recv *r)
{
	int ret = open_socket(r);

	if (ret)
		return STATUS_DAMAGED;
	if (r->path)
		r->file = output_in_place(r->path, O_WRONLY);
	if (r->path && r->file < 0) {
		complain_about(r->path, "%s", strerror(-r->file));
		return STATUS_DAMAGED;
	}
	say_where(r->fd);
	ret = receive_all(r);
	if (r->file >= 0 && close(r->file) && !ret)
		ret = -errno;
	if (ret)
		complain_about(r->path ? r->path : "socket", "%s", output_error(ret));
	if (r->is_json)
		put_json(r);
	else
		put_text(r);
	return output_end(ret || r->packets.missing ? STATUS_DAMAGED : STATUS_OK);
}

static const char *set_idle(void *to, const char *text)
{
	struct recv *r = to;
	__u64 ms;

	if (!when_parse_wait(text, &ms))
		return "--idle: " NO_WAIT("1ms");
	r->idle_ms = (int)ms;
	return NULL;
}

static const char *set_number(void *to, const char *text)
{
	struct recv *r = to;

	return number_parse(text, 1, ~0ull, &r->count) ? NULL : "-n: not a number from 1 on";
}

#define MEMBER(member) OPTION_MEMBER(struct recv, member)

static const struct option_row rows[] = {
	{ .letter = 'a', .name = "address", .value = "ADDRESS[:PORT]", .text = MEMBER(local),
	  .help = "receive only there; port 0 = any (default: all IPv4\n"
		  "addresses; port 20000)" },
	{ .letter = 'o', .name = "output", .value = "FILE", .text = MEMBER(path),
	  .help = "write the events into FILE, replacing it; ktrace import\n"
		  "reads it" },
	{ .name = "idle", .value = "TIME", .set = set_idle,
	  .help = "end after TIME without packets, once one has come" },
	{ .letter = 'n', .name = "number", .value = "N", .set = set_number,
	  .help = "stop after N datagrams" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ output_options, 0 },
	{ json_options, offsetof(struct recv, is_json) },
	{ NULL, 0 },
};

static const char *check(const struct recv *r, bool has_words)
{
	if (has_words)
		return "there are no files to name: -o FILE is where events go";
	return r->path && !strcmp(r->path, "-") ?
	       "-o: a file, not standard output, which has the numbers" : NULL;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct recv r = {
		.local = "0.0.0.0", .idle_ms = -1, .file = -1,
		.packets = { .put = write_events },
	};
	int status = command_parse(cmd, &r, argc, argv);

	r.packets.arg = &r;
	if (status < 0)
		status = command_check(cmd, check(&r, optind < argc));
	if (status >= 0)
		return status;
	if (packets_init(&r.packets)) {
		fprintf(stderr, "ktrace: %s\n", strerror(ENOMEM));
		return STATUS_DAMAGED;
	}
	status = run_receiver(&r);
	packets_free(&r.packets);
	return status;
}

const struct command cmd_recv_shark = {
	.name = "recv-shark",
	.old = "recv",
	.args = "[OPTION...]",
	.summary = "Receive the packets of a S.Ha.R.K. tracer",
	.options = sets,
	.is_live = true,
	.run = run,
};
