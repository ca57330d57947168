// SPDX-License-Identifier: GPL-2.0
/*
 * ship.c - runs ktrace ship
 *
 *   ktraced --socket, its standard input--> ktrace ship --> broker --> ktrace store
 *      |                                        |
 *      +-- trace.0001.bin, trace.0002.bin, ... -+   sent, confirmed, removed
 *
 * It is a process of its own: a network that hangs cannot keep ktraced from draining the rings, and
 * ktraced needs no library for it. Both know each other by the socket alone: a byte tells that the
 * recording is over, its end that the other one is gone. See Documentation/fleet.md.
 */
#include "ship.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/beside.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "base/log.h"
#include "base/nats_url.h"
#include "clocks/clock_options.h"

extern char **environ;

/* Parts if the user has not said when they end */
#define PART_SIZE (16ull << 20)
#define PART_NS (10 * NS_PER_S)
#define WAIT_MAX_NS (3600 * NS_PER_S)
#define DELAY_MIN_NS NS_PER_S
#define DELAY_MAX_NS (60 * NS_PER_S)
/* Time between two looks for a signal, at the end */
#define LOOK_MS 100
/* Most arguments of the program */
#define ARGUMENTS (32 + 2 * FLEET_LABEL_NR)

#define MEMBER(member) OPTION_MEMBER(struct ship_options, member)

static const char *set_url(void *to, const char *text)
{
	const char *wrong = nats_url_wrong(text);

	((struct ship_options *)to)->url = text;
	return wrong ? option_wrong("--ship: %s", wrong) : NULL;
}

static const char *set_rate(void *to, const char *text)
{
	__u64 rate;

	((struct ship_options *)to)->rate = text;
	return decimal_size(text, &rate) ? NULL :
	       option_wrong("--ship-rate needs a size such as 512K or 10M, not '%s'", text);
}

static const char *set_wait(void *to, const char *text)
{
	__u64 ns;

	((struct ship_options *)to)->wait = text;
	return option_time(text, &ns) && ns >= NS_PER_MS && ns <= WAIT_MAX_NS ? NULL :
	       option_wrong("--ship-wait needs a time from 1ms to 1h, not '%s'", text);
}

static const char *set_allow(void *to, const char *text)
{
	__u32 mask;

	((struct ship_options *)to)->allow = text;
	return fleet_allow_parse(text, &mask) ? NULL :
	       option_wrong("--ship-allow needs a list of " FLEET_ACTIONS ", or all or none, not "
			    "'%s'", text);
}

static const char *add_label(void *to, const char *text)
{
	struct ship_options *o = to;

	if (!fleet_is_label(text))
		return option_wrong("--label needs KEY=VALUE, each of 1 to 64 letters, digits and "
				    "-_./:@+, not '%s'", text);
	if (o->label_nr == FLEET_LABEL_NR)
		return option_wrong("too many labels, at '%s'", text);
	o->labels[o->label_nr++] = text;
	return NULL;
}

const struct option_row ship_options[] = {
	{ .help = "\n"
	  "Sending the files to a store (ktrace store):\n" },
	{ .name = "ship", .value = "URL", .set = set_url,
	  .help = "send each file to the store behind this broker, such as\n"
		  "nats://HOST:4222, and remove it once the store has it;\n"
		  "needs files of their own: --split-size, --split-time\n"
		  "(without either: 16M, 10s)" },
	{ .name = "ship-creds", .value = "FILE", .text = MEMBER(creds),
	  .help = "log in with these credentials" },
	{ .name = "ship-ca", .value = "FILE", .text = MEMBER(ca),
	  .help = "use TLS, and trust the authorities in FILE" },
	{ .name = "ship-cert", .value = "FILE", .text = MEMBER(cert),
	  .help = "use TLS, and show this certificate" },
	{ .name = "ship-key", .value = "FILE", .text = MEMBER(key),
	  .help = "the key of --ship-cert" },
	{ .name = "ship-rate", .value = "SIZE", .set = set_rate,
	  .help = "send at most SIZE bytes a second, such as 512K\n"
		  "(default: no limit)" },
	{ .name = "ship-wait", .value = "TIME", .set = set_wait,
	  .help = "at the end, keep the files that are left after TIME\n"
		  "without progress (default: 10s)" },
	{ .name = "ship-allow", .value = "LIST", .set = set_allow,
	  .help = "what ktrace fleet may do with the recording: pause,\n"
		  "resume, enable, disable, rotate, mark, stop, all, none\n"
		  "(default: none; it sees how it goes)" },
	{ .name = "label", .value = "KEY=VALUE", .set = add_label,
	  .help = "name the recording for ktrace fleet --label; as often\n"
		  "as needed" },
	{ .help = NULL },
};

static const char *unreadable(const char *path)
{
	return path && access(path, R_OK) ? option_wrong("%s: %s", path, strerror(errno)) : NULL;
}

const char *ship_wrong(const struct ship_options *o)
{
	const char *wrong;

	if (!o->url && (o->creds || o->ca || o->cert || o->key || o->rate || o->wait))
		return "--ship-creds, --ship-ca, --ship-cert, --ship-key, --ship-rate and "
		       "--ship-wait need --ship";
	if (!o->url && (o->allow || o->label_nr))
		return "--ship-allow and --label need --ship";
	if (!o->cert != !o->key)
		return "--ship-cert and --ship-key need each other";
	wrong = unreadable(o->creds);
	if (!wrong)
		wrong = unreadable(o->ca);
	if (!wrong)
		wrong = unreadable(o->cert);
	return wrong ? wrong : unreadable(o->key);
}

void ship_split(const struct ship_options *o, __u64 *size, __u64 *ns)
{
	if (!o->url || *size || *ns)
		return;
	*size = PART_SIZE;
	*ns = PART_NS;
}

static int find_program(char path[PATH_MAX])
{
	int error = path_beside(path, PATH_MAX, "/../libexec/ktrace/ship");

	return error ? error : access(path, X_OK) ? -errno : 0;
}

bool ship_is_there(const struct ship_options *o)
{
	char path[PATH_MAX];
	int error = o->url ? find_program(path) : 0;

	if (error)
		log_error("--ship: %s: %s; it is installed with ktrace", path, strerror(-error));
	return !error;
}

/* Fills the program's arguments; an option that was not given is left out. */
static void fill_arguments(const struct shipper *s, const char *argv[ARGUMENTS])
{
	const struct ship_options *o = s->options;
	const char *const given[][2] = {
		{ "--to", o->url }, { "--creds", o->creds }, { "--ca", o->ca },
		{ "--cert", o->cert }, { "--key", o->key }, { "--rate", o->rate },
		{ "--wait", o->wait }, { "--allow", o->allow }, { "--recording", s->id },
	};
	size_t nr = 0;

	argv[nr++] = "ktrace";
	argv[nr++] = "--follow";
	argv[nr++] = "--remove";
	argv[nr++] = "--quiet";
	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		if (!given[i][1])
			continue;
		argv[nr++] = given[i][0];
		argv[nr++] = given[i][1];
	}
	for (unsigned int i = 0; i < o->label_nr; i++) {
		argv[nr++] = "--label";
		argv[nr++] = o->labels[i];
	}
	argv[nr++] = "--";
	argv[nr++] = s->output;
	argv[nr] = NULL;
}

/* Starts the program with the socket as its standard input. Return: 0 or -errno. */
static int spawn(struct shipper *s, int theirs)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	const char *argv[ARGUMENTS];
	char path[PATH_MAX];
	int error = find_program(path);

	if (error)
		return error;
	fill_arguments(s, argv);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	error = posix_spawn_file_actions_adddup2(&actions, theirs, STDIN_FILENO);
	if (!error)
		error = posix_spawnattr_setsigmask(&attr, &s->mask);
	if (!error)
		error = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	if (!error)
		error = posix_spawn(&s->pid, path, &actions, &attr, (char *const *)argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return -error;
}

static void start(struct shipper *s)
{
	int fds[2], error;

	error = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) ? -errno : 0;
	if (!error) {
		error = spawn(s, fds[1]);
		close(fds[1]);
		s->fd = fds[0];
		if (error)
			close(fds[0]);
	}
	if (error) {
		s->fd = -1;
		log_error("--ship: ktrace ship cannot be started: %s", strerror(-error));
	}
}

void ship_begin(struct shipper *s, const struct ship_options *o, const char *output, __u64 id,
		const sigset_t *mask)
{
	*s = (struct shipper){ .options = o, .mask = *mask, .fd = -1, .delay_ns = DELAY_MIN_NS };
	if (!o->url)
		return;
	s->output = output;
	snprintf(s->id, sizeof(s->id), "%016llx", (unsigned long long)id);
	start(s);
}

/* True if the program has ended, or has never been there. */
static bool has_ended(struct shipper *s)
{
	char byte;

	if (s->fd < 0)
		return true;
	if (recv(s->fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK))
		return false;
	close(s->fd);
	s->fd = -1;
	return true;
}

static void start_again(struct shipper *s)
{
	s->restarts++;
	log_note("--ship: ktrace ship has ended and is started again (%u)", s->restarts);
	start(s);
}

void ship_look(struct shipper *s, __u64 now)
{
	if (!s->output || !has_ended(s))
		return;
	if (!s->next_ns) {
		s->next_ns = now + s->delay_ns;
		return;
	}
	if (now < s->next_ns)
		return;
	s->next_ns = 0;
	s->delay_ns = s->delay_ns < DELAY_MAX_NS / 2 ? 2 * s->delay_ns : DELAY_MAX_NS;
	start_again(s);
}

__u32 ship_pid(const struct shipper *s)
{
	return s->output && s->fd >= 0 ? (__u32)s->pid : 0;
}

/* Waits for the program's end; passes the signals on that end a recording. */
static void wait_for_end(struct shipper *s)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	const struct timespec none = { 0 };
	sigset_t signals;

	sigemptyset(&signals);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sigaddset(&signals, ends[i]);
	while (!has_ended(s)) {
		struct pollfd fd = { .fd = s->fd, .events = POLLIN };

		poll(&fd, 1, LOOK_MS);
		if (sigtimedwait(&signals, NULL, &none) > 0)
			kill(s->pid, SIGTERM);
	}
}

void ship_end(struct shipper *s)
{
	if (!s->output)
		return;
	if (has_ended(s))
		start_again(s);
	if (s->fd >= 0 && send(s->fd, "", 1, MSG_NOSIGNAL) == 1)
		wait_for_end(s);
	else
		log_error("--ship: ktrace ship has ended: parts that are left are kept");
	if (s->fd >= 0)
		close(s->fd);
	s->output = NULL;
}
