// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ktrace serve: the page of ktrace html over HTTP, for traces too large for one page
 *
 * One loop reads the files in order of time, for levels of detail and for changes of rows. Between
 * two reads it answers requests from what is known by then. A request for events seeks to their
 * place in the files and back.
 *
 * Statements of SQL are answered by processes, one at a time: see question.h. They can ask for all
 * of the files, so a page that shows only a part of them cannot ask.
 *
 * A trace may contain secrets. So the server listens on 127.0.0.1 only. The address has a random
 * word, because other users of the machine can connect, too. And the request must name this host,
 * because a page from elsewhere can let a name of its own point to 127.0.0.1.
 */
#include "base/clock.h"
#include "base/when.h"
#include "html/html.h"
#include "question.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <microhttpd.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/signalfd.h>

#define TOKEN_BYTES 16
/* Anyone on this machine can connect; a silent client must not keep others out. */
#define IDLE_S 10u
#define CONNECTIONS_MAX 256u
#define TURN_NS 5000000u

/**
 * struct asker - a request for the answer to a statement
 * @question:	the statement
 * @connection:	waits for the answer, and is suspended until then
 * @socket:	of @connection, which the library does not watch until then
 */
struct asker {
	struct question question;
	struct MHD_Connection *connection;
	int socket;
};

/**
 * struct server - one run of the command
 * @html:	the page
 * @token:	beginning of addresses: "/", hexadecimal digits, "/"
 * @port:	asked for, 0 = any; later the one in use
 * @daemon:	of the library
 * @signals:	descriptor of the signals that end the server
 * @answered_ns:	when requests were last answered while the files are read
 * @error:	0, -errno = the files can no longer be read
 * @limits:	of statements
 * @clocks:	option --clocks, NULL = not given
 * @shows_part:	options exclude events
 * @questions:	how they are asked
 * @asker:	whose statement runs, NULL = none
 * @has_resumed: the library has work that no descriptor tells
 */
struct server {
	struct html html;
	char token[2 * TOKEN_BYTES + 3];
	__u16 port;
	struct MHD_Daemon *daemon;
	int signals;
	__u64 answered_ns;
	int error;
	struct query_limits limits;
	const char *clocks;
	bool shows_part;
	struct question_opts questions;
	struct asker *asker;
	bool has_resumed;
};

static bool is_meant(const struct server *s, struct MHD_Connection *c)
{
	const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host");
	char ours[2][32];

	snprintf(ours[0], sizeof(ours[0]), "127.0.0.1:%u", s->port);
	snprintf(ours[1], sizeof(ours[1]), "localhost:%u", s->port);
	return host && (!strcmp(host, ours[0]) || !strcmp(host, ours[1]));
}

static enum MHD_Result answer(struct MHD_Connection *c, unsigned int status,
			      struct MHD_Response *r, const char *type)
{
	enum MHD_Result ret;

	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, "Content-Type", type);
	MHD_add_response_header(r, "Cache-Control", "no-store");
	MHD_add_response_header(r, "Referrer-Policy", "no-referrer");
	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(r, "X-Frame-Options", "DENY");
	MHD_add_response_header(r, "Cross-Origin-Resource-Policy", "same-origin");
	ret = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return ret;
}

/* Answers with a line of text. */
static enum MHD_Result refuse(struct MHD_Connection *c, unsigned int status, const char *text)
{
	return answer(c, status, MHD_create_response_from_buffer(strlen(text), (void *)text,
								 MHD_RESPMEM_PERSISTENT),
		      "text/plain");
}

/* Parses "n/12" or "b/12"; returns false if it is neither. */
static bool find_piece(const char *path, enum html_piece *kind, __u32 *id)
{
	__u64 number;

	if ((path[0] != 'n' && path[0] != 'b') || path[1] != '/' ||
	    !number_parse(path + 2, 0, ~0u, &number))
		return false;
	*kind = path[0] == 'n' ? HTML_NODE : HTML_BLOCK;
	*id = (__u32)number;
	return true;
}

/* Answers with the memory at @at; the library frees it. */
static enum MHD_Result give(struct MHD_Connection *c, void *at, size_t size, const char *type)
{
	return answer(c, MHD_HTTP_OK,
		      MHD_create_response_from_buffer(size, at, MHD_RESPMEM_MUST_FREE), type);
}

static enum MHD_Result fail(struct server *s, struct MHD_Connection *c, void *room, int error)
{
	free(room);
	if (error == -ENOENT)
		return refuse(c, MHD_HTTP_NOT_FOUND, "no such piece\n");
	s->error = s->error ? s->error : error;
	return refuse(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "it cannot be read\n");
}

static enum MHD_Result give_piece(struct server *s, struct MHD_Connection *c, const char *path)
{
	struct bytes piece = { 0 };
	enum html_piece kind;
	int ret = -ENOENT;
	__u32 id;

	if (find_piece(path, &kind, &id))
		ret = html_piece(&s->html, kind, id, &piece);
	return ret ? fail(s, c, piece.at, ret) :
		give(c, piece.at, piece.nr, "application/octet-stream");
}

static enum MHD_Result give_text(struct server *s, struct MHD_Connection *c,
				 int (*put)(struct html *h, struct ktrace_out *out),
				 const char *type)
{
	struct ktrace_out text = { .flush = output_grow };
	int ret = put(&s->html, &text);

	ret = ret ? ret : text.error;
	return ret ? fail(s, c, text.buf, ret) : give(c, text.buf, text.len, type);
}

/* Lets the request of the statement that runs be answered. */
static void release_asker(struct server *s)
{
	MHD_resume_connection(s->asker->connection);
	s->asker = NULL;
	s->has_resumed = true;
}

/* Ends the statement that runs: another one is asked, who asked is gone, or the server ends. */
static void end_question(struct server *s)
{
	if (!s->asker)
		return;
	question_end(&s->asker->question);
	release_asker(s);
}

static int socket_of(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

/* An empty statement only ends the one that runs. */
static enum MHD_Result ask(struct server *s, struct MHD_Connection *c, void **request)
{
	const char *text = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "q");
	struct asker *asker;

	if (!s->html.answers_sql)
		return refuse(c, MHD_HTTP_FORBIDDEN, "the page shows a part of the files only\n");
	end_question(s);
	if (!text || !*text)
		return refuse(c, MHD_HTTP_OK, "nothing is asked\n");
	asker = calloc(1, sizeof(*asker));
	if (!asker || question_start(&asker->question, &s->questions, text)) {
		free(asker);
		return refuse(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "it cannot be asked\n");
	}
	asker->connection = c;
	asker->socket = socket_of(c);
	s->asker = *request = asker;
	MHD_suspend_connection(c);
	return MHD_YES;
}

static enum MHD_Result give_answer(struct MHD_Connection *c, const struct asker *asker)
{
	struct ktrace_out text = { .flush = output_grow };

	question_put(&asker->question, &text);
	if (!text.error)
		return give(c, text.buf, text.len, "application/json");
	free(text.buf);
	return refuse(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory\n");
}

/* Called when a request is over, answered or not */
static void on_over(void *arg, struct MHD_Connection *c, void **request,
		    enum MHD_RequestTerminationCode code)
{
	struct server *s = arg;
	struct asker *asker = *request;

	(void)c;
	(void)code;
	if (!asker)
		return;
	if (s->asker == asker)
		s->asker = NULL;
	question_free(&asker->question);
	free(asker);
	*request = NULL;
}

/* The library demands this signature. */
static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_size, void **request)
{
	struct server *s = arg;

	(void)version;
	(void)upload;
	if (*request)
		return give_answer(c, *request);
	if (!is_meant(s, c))
		return refuse(c, MHD_HTTP_FORBIDDEN, "wrong host name\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD)) {
		*upload_size = 0;
		return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET only\n");
	}
	if (strncmp(url, s->token, strlen(s->token)))
		return refuse(c, MHD_HTTP_NOT_FOUND, "the address is not complete\n");
	url += strlen(s->token);
	if (!*url)
		return give_text(s, c, html_put_page, "text/html; charset=utf-8");
	if (!strcmp(url, "head"))
		return give_text(s, c, html_put_head, "application/json");
	if (!strcmp(url, "sql"))
		return ask(s, c, request);
	return give_piece(s, c, url);
}

static int make_token(char *token)
{
	unsigned char random[TOKEN_BYTES];
	size_t i;

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	token[0] = '/';
	for (i = 0; i < sizeof(random); i++)
		snprintf(token + 1 + 2 * i, 3, "%02x", random[i]);
	strcat(token, "/");
	return 0;
}

/* Opens a descriptor for the signals that end the server. Return: 0, -errno. */
static int watch_signals(struct server *s)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return s->signals < 0 ? -errno : 0;
}

/* Opens a socket and sets the port that it has got. Return: the descriptor, -errno. */
static int listen_here(struct server *s)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons(s->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), ret;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
	if (bind(fd, (struct sockaddr *)&address, size) || listen(fd, SOMAXCONN) ||
	    getsockname(fd, (struct sockaddr *)&address, &size)) {
		ret = -errno;
		close(fd);
		return ret;
	}
	s->port = ntohs(address.sin_port);
	return fd;
}

/* Return: 0, -errno. */
static int start(struct server *s)
{
	int fd = listen_here(s), error;

	if (fd < 0)
		return fd;
	errno = 0;
	s->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
				     on_request, s,
				     MHD_OPTION_LISTEN_SOCKET, fd,
				     MHD_OPTION_NOTIFY_COMPLETED, on_over, s,
				     MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S,
				     MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX, MHD_OPTION_END);
	if (s->daemon)
		return 0;
	/* It is the only way in which the library says why. */
	error = errno ? errno : ENOMEM;
	close(fd);
	return -error;
}

/* Answers requests, for @wait_ms at most, -1 = until something happens. Return: 0, -errno. */
static int answer_all(struct server *s, int wait_ms)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->daemon,
							       MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd fds[4] = {
		{ .fd = s->signals, .events = POLLIN },
		{ .fd = info->epoll_fd, .events = POLLIN },
		{ .fd = s->asker ? s->asker->question.out : -1, .events = POLLIN },
		{ .fd = s->asker ? s->asker->socket : -1, .events = POLLRDHUP },
	};
	unsigned long long due;

	if (s->has_resumed)
		wait_ms = 0;
	if (wait_ms && MHD_get_timeout(s->daemon, &due) == MHD_YES)
		wait_ms = due < INT_MAX ? (int)due : INT_MAX;
	if (poll(fds, 4, wait_ms) < 0 && errno != EINTR)
		return -errno;
	if (fds[0].revents)
		return -ECANCELED;
	if (fds[2].revents && question_read(&s->asker->question))
		release_asker(s);
	else if (fds[3].revents)
		end_question(s);
	s->has_resumed = false;
	return MHD_run(s->daemon) == MHD_YES ? s->error : -EIO;
}

/* Answers requests while the files are read; seldom, so that reading stays fast. */
static int turn(void *arg)
{
	struct server *s = arg;
	const __u64 now = now_ns();

	if (now - s->answered_ns < TURN_NS)
		return 0;
	s->answered_ns = now;
	return answer_all(s, 0);
}

/* Prints the address at once; requests are answered from what is known by then. */
static int make_page(struct server *s, struct ktrace_traceset *set)
{
	int ret = make_token(s->token);

	if (!ret)
		ret = watch_signals(s);
	if (ret)
		return ret;
	ret = start(s);
	if (ret) {
		fprintf(stderr, "ktrace: 127.0.0.1:%u: %s\n", s->port, strerror(-ret));
		return ret;
	}
	s->html.is_served = true;
	s->html.answers_sql = !s->shows_part;
	s->html.turn = turn;
	s->html.turner = s;
	printf("http://127.0.0.1:%u%s\n", s->port, s->token);
	fflush(stdout);
	ret = html_make(&s->html, set);
	if (ret && ret != -ECANCELED)
		html_complain(ret);
	return ret;
}

/* Serves the page until a signal ends it. Returns the exit status. */
static int serve(struct server *s, struct ktrace_traceset *set, int status)
{
	int ret = make_page(s, set);

	if (!ret)
		time_range_complain(&s->html.scope);
	time_range_warn_lost(&s->html.scope);
	while (!ret)
		ret = answer_all(s, -1);
	return ret == -ECANCELED ? files_status(set, status) : STATUS_DAMAGED;
}

static int serve_files(struct server *s, int nr, char **paths)
{
	struct ktrace_traceset *set;
	int status;

	set = open_files(nr, paths, &status);
	if (!set)
		return status;
	s->questions = (struct question_opts){
		.limits = s->limits, .clocks = s->clocks, .nr = nr, .paths = paths,
	};
	status = serve(s, set, status);
	end_question(s);
	if (s->daemon)
		MHD_stop_daemon(s->daemon);
	html_free(&s->html);
	ktrace_traceset_close(set);
	return status;
}

static const char *set_port(void *to, const char *text)
{
	struct server *s = to;
	__u64 port;

	if (!number_parse(text, 0, 65535, &port))
		return "--port: not a number below 65536";
	s->port = (__u16)port;
	return NULL;
}

static const struct option_row rows[] = {
	{ .name = "port", .value = "N", .set = set_port,
	  .help = "listen on this port of 127.0.0.1 (default: any free\n"
		  "one)" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ query_limits_options, offsetof(struct server, limits) },
	HTML_SETS(offsetof(struct server, html)),
	{ NULL, 0 },
};

/* Options that statements need, too, and those that exclude events */
static void note(void *to, const struct option_row *row, const char *value)
{
	static const char *const parts[] = {
		"since", "until", "events", "pid", "filter", "filter-file",
	};
	struct server *s = to;
	size_t i;

	if (!strcmp(row->name, "clocks"))
		s->clocks = value;
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		s->shows_part |= !strcmp(row->name, parts[i]);
}

static int run(const struct command *cmd, int argc, char **argv)
{
	static struct server s = { .signals = -1 };
	int status = command_parse(cmd, &s, argc, argv);

	if (status < 0)
		status = command_check(cmd, time_range_wrong(&s.html.scope));
	return status < 0 ? serve_files(&s, argc - optind, argv + optind) : status;
}

static const struct command cmd_serve = {
	.name = "serve",
	.args = "[OPTION...] FILE...",
	.summary = "Show the page of ktrace html over HTTP, for large traces",
	.options = sets,
	.note = note,
	.needs_files = true,
	.is_live = true,
	.run = run,
};

static int run_program(int argc, char **argv)
{
	return command_run(&cmd_serve, argc, argv);
}

int main(int argc, char **argv)
{
	return command_main(run_program, argc, argv);
}
