// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ktrace serve: the page of ktrace html over HTTP, for traces too large to be in it
 *
 * All pieces are made once and lie in a temporary file; the page asks for those that it shows.
 *
 * A trace may tell what nobody else is to know. So: 127.0.0.1 only; a random word in the address,
 * for other users of the machine can connect, too; and only if the request says that it is meant
 * for this address, for a page from elsewhere can have a name of its own point to 127.0.0.1.
 */
#include "html.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#define TOKEN_BYTES 16
/* Anyone on this machine can connect: who says nothing is not to keep others out. */
#define IDLE_S 10u
#define CONNECTIONS_MAX 256u

/**
 * struct server - one run of the command
 * @html:	the page
 * @text:	all of it but nodes and blocks
 * @token:	what addresses begin with: "/", hexadecimal digits, "/"
 * @port:	asked for, 0 = any; then the one it is
 */
struct server {
	struct html html;
	struct ktrace_out text;
	char token[2 * TOKEN_BYTES + 3];
	__u16 port;
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

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned int status, const char *text)
{
	return answer(c, status, MHD_create_response_from_buffer(strlen(text), (void *)text,
								 MHD_RESPMEM_PERSISTENT),
		      "text/plain");
}

/* "n/12" or "b/12": which piece that is; false: none */
static bool find_piece(const char *path, enum html_piece *kind, __u32 *id)
{
	unsigned long long number;
	char *end;

	if ((path[0] != 'n' && path[0] != 'b') || path[1] != '/' || path[2] < '0' || path[2] > '9')
		return false;
	errno = 0;
	number = strtoull(path + 2, &end, 10);
	*kind = path[0] == 'n' ? HTML_NODE : HTML_BLOCK;
	*id = (__u32)number;
	return !*end && !errno && number == *id;
}

static enum MHD_Result give_piece(struct server *s, struct MHD_Connection *c, const char *path)
{
	enum html_piece kind;
	size_t size;
	void *room;
	__u32 id;

	size = find_piece(path, &kind, &id) ? html_store_size(s->html.store, kind, id) : 0;
	if (!size)
		return refuse(c, MHD_HTTP_NOT_FOUND, "there is no such piece\n");
	room = malloc(size);
	if (!room || html_store_read(s->html.store, kind, id, room)) {
		free(room);
		return refuse(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "it cannot be read\n");
	}
	return answer(c, MHD_HTTP_OK,
		      MHD_create_response_from_buffer(size, room, MHD_RESPMEM_MUST_FREE),
		      "application/octet-stream");
}

/* The signature is the library's. */
static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_size, void **request)
{
	struct server *s = arg;

	(void)version;
	(void)upload;
	(void)request;
	if (!is_meant(s, c))
		return refuse(c, MHD_HTTP_FORBIDDEN, "not by this name\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD)) {
		*upload_size = 0;
		return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET only\n");
	}
	if (strncmp(url, s->token, strlen(s->token)))
		return refuse(c, MHD_HTTP_NOT_FOUND, "the address is not complete\n");
	url += strlen(s->token);
	if (*url)
		return give_piece(s, c, url);
	return answer(c, MHD_HTTP_OK, MHD_create_response_from_buffer(s->text.len, s->text.buf,
								      MHD_RESPMEM_PERSISTENT),
		      "text/html; charset=utf-8");
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

static struct MHD_Daemon *start(struct server *s)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons(s->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const union MHD_DaemonInfo *info;
	struct MHD_Daemon *daemon;

	errno = 0;
	daemon = MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD, 0, NULL, NULL, on_request, s,
				  MHD_OPTION_SOCK_ADDR, &address,
				  MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S,
				  MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX, MHD_OPTION_END);
	info = daemon ? MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
	if (info)
		s->port = info->port;
	return daemon;
}

/* Until a signal says that it is enough. Return: the exit status. */
static int serve(struct server *s, int status)
{
	struct MHD_Daemon *daemon;
	sigset_t set;
	int signal_nr;

	/* The library's thread is not to have them. */
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	daemon = start(s);
	if (!daemon) {
		fprintf(stderr, "ktrace: 127.0.0.1:%u: %s\n", s->port,
			strerror(errno ? errno : EADDRINUSE));
		return STATUS_DAMAGED;
	}
	printf("http://127.0.0.1:%u%s\n", s->port, s->token);
	fflush(stdout);
	sigwait(&set, &signal_nr);
	MHD_stop_daemon(daemon);
	return status;
}

static int make_page(struct server *s, struct ktrace_traceset *set)
{
	int ret = make_token(s->token);

	s->html.is_served = true;
	if (!ret)
		ret = html_make(&s->html, set);
	if (!ret)
		ret = html_put_page(&s->html, &s->text);
	return ret ? ret : s->text.error;
}

static int serve_files(struct server *s, int nr, char **paths)
{
	struct ktrace_traceset *set;
	int status, ret;

	set = open_files(nr, paths, &status);
	if (!set)
		return status;
	ret = make_page(s, set);
	if (ret)
		html_complain(ret);
	else
		scope_complain(&s->html.scope);
	scope_warn_lost(&s->html.scope);
	status = ret ? STATUS_DAMAGED : serve(s, files_status(set, status));
	html_free(&s->html);
	free(s->text.buf);
	ktrace_traceset_close(set);
	return status;
}

static const char *take_port(struct server *s, const char *text)
{
	unsigned long port;
	char *end;

	errno = 0;
	port = strtoul(text, &end, 10);
	s->port = (__u16)port;
	return *text >= '0' && *text <= '9' && !*end && !errno && port < 65536 ? NULL :
		"--port: not a number below 65536";
}

enum { OPTION_PORT = 300 };

static const struct option options[] = {
	HTML_OPTIONS,
	{ "port", required_argument, NULL, OPTION_PORT },
	COMMON_OPTIONS
};

static int run(const struct command *cmd, int argc, char **argv)
{
	static struct server s = { .text = { .flush = output_grow } };
	const char *wrong = NULL;
	int option;

	while (!wrong && (option = getopt_long(argc, argv, "e:p:", options, NULL)) != -1) {
		if (option == '?' || option >= OPTION_HELP)
			return command_common_option(cmd, option);
		wrong = option == OPTION_PORT ? take_port(&s, optarg) :
			html_option(&s.html, option);
	}
	if (!wrong && optind == argc)
		wrong = "no file";
	return wrong ? command_usage(cmd, wrong) : serve_files(&s, argc - optind, argv + optind);
}

static const struct command cmd_serve = {
	.name = "serve",
	.args = "[OPTION...] FILE...",
	.summary = "Show the page of ktrace html over HTTP, for large traces",
	.help =
"  --port N           on this port (default: any that is free)\n"
"  --title TEXT       what the page is called (default: names of the files)\n"
SCOPE_HELP
"  --help, --version\n"
"\n"
"Prints the page's address when it is ready, and serves it until SIGINT or SIGTERM, on\n"
"127.0.0.1 only. The address has a word in it that nobody can guess: who has it can see\n"
"the trace. The page is that of ktrace html, and so are the options.\n"
"\n"
"Data for the page lie in a temporary file in TMPDIR (/tmp), about 3 bytes an event.\n",
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
