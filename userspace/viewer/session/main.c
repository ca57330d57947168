// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ktrace session: sessions of ktraced --service, or of any service like it
 *
 * A table of actions; each runs on one connection and ends with it.
 */
#include "session.h"

#include "produce.h"

#include "base/when.h"
#include "service.pb-c.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANY_WORDS 1024
#define TIMEOUT_MS 5000

static const struct action actions[] = {
	{ "start", 0, 0, true, false, CLIENT_CONSUMER, session_start },
	{ "stop", 1, 1, false, false, CLIENT_CONSUMER, session_stop },
	{ "list", 0, 0, false, false, CLIENT_CONSUMER, session_list },
	{ "status", 0, 1, false, false, CLIENT_CONSUMER, session_status },
	{ "snapshot", 1, 1, false, true, CLIENT_CONSUMER, session_snapshot },
	{ "clone", 1, 1, false, false, CLIENT_CONSUMER, session_clone },
	{ "flush", 1, 1, false, false, CLIENT_CONSUMER, session_flush },
	{ "read", 1, 1, false, false, CLIENT_CONSUMER, session_read },
	{ "attach", 1, 1, false, false, CLIENT_CONSUMER, session_attach },
	{ "detach", 1, 2, false, false, CLIENT_CONSUMER, session_detach },
	{ "produce", 0, ANY_WORDS, false, false, CLIENT_PRODUCER, session_produce },
	{ "trigger", 1, ANY_WORDS, false, false, CLIENT_PRODUCER, session_trigger },
};

#define ACTION_NR (sizeof(actions) / sizeof(actions[0]))

int session_failed(const char *what, int error, const struct client_reply *r)
{
	if (error == -EREMOTEIO)
		complain_about("session", "%s: %s", what, r && *r->error ? r->error : "refused");
	else if (error == -ECONNRESET)
		complain_about("session", "%s: the service has gone", what);
	else if (error == -EMSGSIZE)
		complain_about("session", "%s: longer than the 128 KiB that services take", what);
	else if (error == -EINTR)
		complain_about("session", "%s: stopped", what);
	else
		complain_about("session", "%s: %s", what, strerror(-error));
	return STATUS_DAMAGED;
}

int session_ask(struct session *s, const char *method, const ProtobufCMessage *args)
{
	struct client_reply r;
	const int ret = client_ask(&s->c, method, args, &r);

	return ret ? session_failed(method, ret, &r) : STATUS_OK;
}

static const char *take_action(struct session *s, const char *name)
{
	const char *names[ACTION_NR + 1] = { NULL }, *wrong;
	int i;

	for (i = 0; i < (int)ACTION_NR; i++)
		names[i] = actions[i].name;
	i = command_choice("action", name, names, &wrong);
	if (i < 0)
		return wrong;
	s->action = &actions[i];
	return NULL;
}

static const char *take_words(struct session *s, int nr, char **words)
{
	const char *wrong;

	if (!nr)
		return "no action: start, stop, list, status, snapshot, clone, flush, read, "
		       "attach, detach, produce or trigger";
	wrong = take_action(s, words[0]);
	if (wrong)
		return wrong;
	s->words = words + 1;
	s->word_nr = nr - 1;
	if (s->word_nr < s->action->words_min)
		return "a name is missing";
	if (s->word_nr > s->action->words_max)
		return "too many names";
	if (s->action->needs_config && !s->config)
		return "--config FILE is missing";
	if (s->action->run == session_detach && (s->config != NULL) == (s->word_nr == 2))
		return "detach: either --config FILE, or a new key";
	if (s->action->needs_output && !s->output)
		return "-o FILE is missing";
	return NULL;
}

static int act(struct session *s)
{
	const int ret = client_open(&s->c, s->action->port, NULL);
	int status = STATUS_DAMAGED;

	if (ret)
		complain_about(client_socket(s->action->port), "%s%s",
			       *s->c.reason ? s->c.reason : strerror(-ret),
			       ret == -ENOENT || ret == -ECONNREFUSED ?
			       "; is ktraced --service running?" : "");
	else
		status = s->action->run(s);
	if (s->c.signal_fd >= 0)
		close(s->c.signal_fd);
	client_close(&s->c);
	return output_end(status);
}

static const char *set_timeout(void *to, const char *text)
{
	struct session *s = to;
	__u64 ms;

	if (!when_parse_wait(text, &ms))
		return "--timeout: " NO_WAIT("1ms");
	s->timeout_ms = (int)ms;
	return NULL;
}

#define MEMBER(member) OPTION_MEMBER(struct session, member)

static const struct option_row rows[] = {
	{ .help =
	  "  start                  start a session, wait for its end, write what it\n"
	  "                         recorded\n"
	  "  detach KEY             the same, but leave the session behind under this key\n"
	  "  detach KEY NEW         give a session that was left behind another key\n"
	  "  attach KEY             wait for the end of a session that was left behind\n"
	  "  stop KEY               end a session that was left behind\n"
	  "  status [KEY]           exit status 0 if there is such a session, 2 if not, 1\n"
	  "                         after an error; without KEY: the service\n"
	  "  flush KEY              have the session's producers hand over what they hold\n"
	  "  list                   producers, data sources, sessions\n"
	  "  snapshot ID|NAME       write what a session has recorded so far; it goes on\n"
	  "  clone ID|NAME          copy what a session has recorded so far to a new\n"
	  "                         session, print its ID, and keep it until SIGINT; then\n"
	  "                         write it, if there is --output\n"
	  "  read ID|NAME           print what a session has recorded so far\n"
	  "  produce [-- COMMAND...]\n"
	  "                         offer ktrace.user and ktrace.kernel as sources until\n"
	  "                         SIGINT; a session with ktrace.user runs COMMAND\n"
	  "  trigger NAME...        activate triggers\n"
	  "\n" },
	{ .letter = 'c', .name = "config", .value = "FILE", .text = MEMBER(config),
	  .help = "what to record: text, or the message TraceConfig; -:\n"
		  "standard input" },
	{ .letter = 'o', .name = "output", .value = "FILE", .text = MEMBER(output),
	  .help = "write a tracefile; with write_into_file in the\n"
		  "configuration, Perfetto's packets" },
	{ .name = "packets", .flag = MEMBER(has_packets),
	  .help = "write packets in any case" },
	{ .name = "detach", .value = "KEY", .text = MEMBER(key),
	  .help = "start: leave the session behind under this key" },
	{ .name = "timeout", .value = "TIME", .set = set_timeout,
	  .help = "flush: wait this long (default: 5s)" },
	{ .letter = 'q', .name = "quiet", .flag = MEMBER(is_quiet),
	  .help = "print nothing but failures" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ output_options, 0 },
	{ json_options, offsetof(struct session, is_json) },
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct session s = { .timeout_ms = TIMEOUT_MS };
	int status = command_parse(cmd, &s, argc, argv);

	if (status < 0)
		status = command_check(cmd, take_words(&s, argc - optind, argv + optind));
	return status < 0 ? act(&s) : status;
}

static const struct command cmd_session = {
	.name = "session",
	.args = "[OPTION...] ACTION [NAME...]",
	.summary = "Start, watch and end sessions of ktraced --service",
	.options = sets,
	.is_live = true,
	.run = run,
};

static int run_program(int argc, char **argv)
{
	return command_run(&cmd_session, argc, argv);
}

int main(int argc, char **argv)
{
	return command_main(run_program, argc, argv);
}
