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

enum { OPTION_CONFIG = 300, OPTION_DETACH, OPTION_TIMEOUT, OPTION_PACKETS };

static const struct option options[] = {
	{ "config", required_argument, NULL, 'c' },
	OUTPUT_OPTIONS,
	{ "detach", required_argument, NULL, OPTION_DETACH },
	{ "timeout", required_argument, NULL, OPTION_TIMEOUT },
	{ "packets", no_argument, NULL, OPTION_PACKETS },
	{ "json", no_argument, NULL, 'j' },
	{ "quiet", no_argument, NULL, 'q' },
	COMMON_OPTIONS
};

static const char *take_timeout(struct session *s, const char *text)
{
	__u64 ms;

	if (!when_parse_wait(text, &ms))
		return "--timeout: " NO_WAIT("1ms");
	s->timeout_ms = (int)ms;
	return NULL;
}

static const char *take_option(struct session *s, int option)
{
	switch (option) {
	case 'c':
		s->config = optarg;
		return NULL;
	case 'o':
		s->output = optarg;
		return NULL;
	case OPTION_DETACH:
		s->key = optarg;
		return NULL;
	case OPTION_TIMEOUT:
		return take_timeout(s, optarg);
	case OPTION_PACKETS:
		s->has_packets = true;
		return NULL;
	case 'q':
		s->is_quiet = true;
		return NULL;
	default:
		s->is_json = true;
		return NULL;
	}
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

static int run(const struct command *cmd, int argc, char **argv)
{
	struct session s = { .timeout_ms = TIMEOUT_MS };
	const char *wrong = NULL;
	int option;

	while (!wrong && (option = command_option(argc, argv, "c:o:q", options)) != -1) {
		if (option == '?' || option >= OPTION_HELP)
			return command_common_option(cmd, option);
		wrong = take_option(&s, option);
	}
	if (!wrong)
		wrong = take_words(&s, argc - optind, argv + optind);
	return wrong ? command_usage(cmd, wrong) : act(&s);
}

static const struct command cmd_session = {
	.name = "session",
	.args = "[OPTION...] ACTION [NAME...]",
	.summary = "Start, watch and end sessions of ktraced --service",
	.help =
"  start              start a session, wait for its end, write what it has\n"
"                     recorded\n"
"  detach KEY         the same, but leave it behind under this key\n"
"  detach KEY NEW     give one that was left behind another key\n"
"  attach KEY         wait for the end of one that was left behind\n"
"  stop KEY           end one that was left behind\n"
"  status [KEY]       whether there is such a one: exit status 0 yes, 2 no, 1\n"
"                     error; without KEY: the service\n"
"  flush KEY          have its producers hand over what they have\n"
"  list               producers, data sources, sessions\n"
"  snapshot ID|NAME   write what a session has recorded so far; it goes on\n"
"  clone ID|NAME      make a session of what it has recorded so far, say its ID,\n"
"                     and keep it until SIGINT; then write it, if there is\n"
"                     --output\n"
"  read ID|NAME       print that instead\n"
"  produce [-- COMMAND...]  offer ktrace.user and ktrace.kernel, what ktraced\n"
"                     records, as sources until SIGINT; a session with\n"
"                     ktrace.user runs COMMAND\n"
"  trigger NAME...    pull triggers\n"
"\n"
"  -c, --config FILE  what to record: text, or the message TraceConfig; -:\n"
"                     standard input\n"
"  -o, --output FILE  a tracefile; with write_into_file in the configuration,\n"
"                     Perfetto's packets\n"
OUTPUT_HELP
"  --packets          write packets in any case\n"
"  --detach KEY       start: leave the session behind under this key\n"
"  --timeout TIME     flush: wait so long (default: 5s)\n"
"  --json             objects; status KEY: the session's statistics\n"
"  -q, --quiet        say nothing of what goes well\n"
"  -h, --help, --version\n"
"\n"
"start ends by itself as the configuration says, or with SIGINT or SIGTERM. A\n"
"session can be left behind if the service writes it into a file. A trigger that\n"
"asks for a copy makes FILE.1, FILE.2 and so on. A configuration with\n"
"activate_triggers pulls these, and nothing is recorded.\n",
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
