// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ktrace ship: sends complete files of recordings to a store
 *
 *   read the file, ask the store --stored--> next file
 *        ^              |
 *        |              +--has some bytes--> send pieces from there on
 *        +------- again, until it is stored -------+
 *
 * Only the store's answer counts: that it has the file, complete, on its disk, with this size and
 * checksum. The broker's answers only pace the sending. So nothing that a broker loses is lost, and
 * this program may be killed at any time: it has no state of its own.
 *
 * ktraced --ship starts it with --follow --remove and tells it on standard input when the recording
 * is over; if it dies, ktraced starts it again.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/parts.h"
#include "base/when.h"
#include "ship.h"

/* Time between two looks for new parts */
#define LOOK_MS 100
/* Time without progress after which the last file is kept, at the end; the default of --wait */
#define WAIT_MS 10000

static volatile sig_atomic_t is_stopped;

static void on_signal(int sig)
{
	(void)sig;
	is_stopped = 1;
}

bool ship_is_stopped(void)
{
	return is_stopped;
}

static bool is_done(const struct ship *s, __u32 number)
{
	return s->done[number / 8] & 1u << number % 8;
}

static void set_done(struct ship *s, __u32 number)
{
	s->done[number / 8] |= (unsigned char)(1u << number % 8);
}

/* True if another process has the file for writing. */
static bool is_written(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const bool is = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return is;
}

/* Removes the file that was stored, unless the name is that of another one by now. */
static void remove_stored(const char *path, const struct stat *stored)
{
	struct stat st;

	if (!lstat(path, &st) && st.st_ino == stored->st_ino && st.st_dev == stored->st_dev &&
	    unlink(path))
		complain_about(path, "cannot be removed: %s", strerror(errno));
}

static void count(struct ship *s, const char *path, int ret, __u64 size)
{
	static const char recover[] = "it is not complete: its recorder goes on, or was killed, "
				      "then 'ktraced --recover' completes it";

	if (!ret) {
		s->stored++;
		s->bytes += size;
		return;
	}
	if (ret == -ENOENT) {
		s->removed++;
		complain_about(path, "it was removed before the store had it");
		return;
	}
	s->kept++;
	if (ret == -ETIMEDOUT || ret == -ECANCELED)
		return;
	complain_about(path, "kept: %s", ret == -EAGAIN ? recover : ret == -EEXIST ?
		       "the store has another file of this recording and part" : ret == -EBADMSG ?
		       "not a tracefile, or one that does not name its host" : strerror(-ret));
}

/*
 * Sends a complete file. Return: 0 it is stored; -EAGAIN it is not complete; -ETIMEDOUT no progress
 * until --wait; -errno.
 */
static int ship_file(struct ship *s, const char *path, struct message_part *p)
{
	struct stat st = { .st_size = 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;

	*p = (struct message_part){ .number = 0 };
	if (fd < 0)
		return -errno;
	ret = fstat(fd, &st) ? -errno : message_describe(path, p);
	if (!ret)
		ret = send_part(s, fd, p);
	close(fd);
	if (ret == -ETIMEDOUT && access(path, F_OK) && errno == ENOENT)
		ret = -ENOENT;
	if (!ret && s->removes)
		remove_stored(path, &st);
	return ret;
}

/*
 * Ships the oldest complete part that is left. A part is complete once it has its end mark and
 * either the next one has its name or the recording is over: until then a recovery may continue it.
 * Return: false, there is none.
 */
static bool ship_next(struct ship *s)
{
	char **names;
	const size_t nr = parts_find(s->output, &names);
	bool is_one = false;
	size_t i;

	for (i = 0; i < nr && !is_one; i++) {
		/* The number follows the recording's name up to its last dot. */
		const char *dot = strrchr(s->output, '.'), *slash = strrchr(s->output, '/');
		const size_t at = dot && dot > (slash ? slash + 1 : s->output) ?
				  (size_t)(dot - s->output) : strlen(s->output);
		const __u64 number = strtoull(names[i] + at + 1, NULL, 10);
		struct message_part p;
		int ret;

		if (!number || number > KTRACE_PART_MAX || is_done(s, (__u32)number) ||
		    (i + 1 == nr && !s->is_over))
			continue;
		ret = ship_file(s, names[i], &p);
		if (ret == -EAGAIN && !s->is_over && !s->is_orphan)
			break;
		count(s, names[i], ret, p.size);
		set_done(s, (__u32)number);
		is_one = true;
	}
	for (i = 0; i < nr; i++)
		free(names[i]);
	free(names);
	return is_one;
}

/* Counts the last part of a recorder that died, which only a recovery completes. */
static void count_orphan(struct ship *s)
{
	char **names;
	size_t nr = parts_find(s->output, &names);

	if (nr)
		count(s, names[nr - 1], -EAGAIN, 0);
	while (nr)
		free(names[--nr]);
	free(names);
}

static void follow(struct ship *s)
{
	while (!is_stopped)
		if (!ship_next(s) && (s->is_over || s->is_orphan || !ship_pause(s, LOOK_MS)))
			break;
	if (s->is_orphan)
		count_orphan(s);
}

static void follow_and_answer(struct ship *s)
{
	agent_begin(&s->agent, &s->agent_options, &s->options, s->output);
	follow(s);
	agent_end(&s->agent);
}

static void ship_files(struct ship *s, int nr, char **paths)
{
	int all = 0;
	char **names = files_expand(nr, paths, &all);

	s->is_over = true;
	for (int i = 0; names && i < all; i++) {
		struct message_part p;
		const int ret = is_stopped ? -ECANCELED : is_written(names[i]) ? -EAGAIN :
				ship_file(s, names[i], &p);

		if (ret == -ENOENT)
			complain_about(names[i], "%s", strerror(ENOENT));
		count(s, names[i], ret == -ENOENT ? -ECANCELED : ret, ret ? 0 : p.size);
	}
	if (!names)
		s->kept++;
	files_free(names);
}

static int report(const struct ship *s)
{
	const bool is_well = !s->kept && !s->removed;

	if (!s->is_quiet || !is_well)
		report_safely("ktrace ship: %u file%s stored, %llu bytes; %u kept, %u removed "
			      "before; sent %llu pieces, %llu of them again, %llu bytes",
			      s->stored, s->stored == 1 ? "" : "s", s->bytes, s->kept, s->removed,
			      s->pieces, s->repeats, s->sent);
	if (s->kept && s->follows)
		complain_safely("ktrace ship: to send what was kept: ktrace ship --remove --to %s "
				"%s", s->broker.options->url, s->output);
	return is_well ? STATUS_OK : STATUS_DAMAGED;
}

static const char *set_rate(void *to, const char *text)
{
	struct ship *s = to;

	return decimal_size(text, &s->rate) ? NULL :
	       option_wrong("--rate needs a size such as 512K or 10M, not '%s'", text);
}

static const char *set_wait(void *to, const char *text)
{
	struct ship *s = to;

	return when_parse_wait(text, &s->wait_ms) ? NULL : "--wait: " NO_WAIT("1ms");
}

#define MEMBER(member) OPTION_MEMBER(struct ship, member)

static const struct option_row rows[] = {
	{ .name = "to", .value = "URL", .text = MEMBER(options.url),
	  .help = "the broker: nats://HOST:PORT, or tls://; several hosts\n"
		  "with commas; /NAME at the end: the stream (default:\n"
		  "ktrace)" },
	{ .name = "remove", .flag = MEMBER(removes),
	  .help = "remove each file once the store has confirmed it" },
	{ .name = "rate", .value = "SIZE", .set = set_rate,
	  .help = "send at most SIZE bytes a second, such as 512K; 0 = no\n"
		  "limit (default)" },
	{ .name = "wait", .value = "TIME", .set = set_wait,
	  .help = "keep the files that are left after TIME without\n"
		  "progress (default: 10s)" },
	{ .name = "follow", .flag = MEMBER(follows),
	  .help = "FILE is being recorded in parts: send each part when it\n"
		  "ends. A byte on standard input says that the recording\n"
		  "is over, its end that the recorder has died. ktraced\n"
		  "--ship does this" },
	{ .letter = 'q', .name = "quiet", .flag = MEMBER(is_quiet),
	  .help = "print only what went wrong" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ agent_options, offsetof(struct ship, agent_options) },
	{ broker_options, offsetof(struct ship, options) },
	{ NULL, 0 },
};

static const char *check(const struct ship *s, int files)
{
	if (!s->options.url)
		return "--to URL is missing";
	if (s->follows && files != 1)
		return "--follow takes one FILE";
	if (!s->follows && (s->agent_options.session || s->agent_options.allow ||
			    s->agent_options.label_nr))
		return "--recording, --allow and --label need --follow";
	return broker_wrong(&s->options);
}

static void take_signals(const struct ship *s)
{
	const struct sigaction act = { .sa_handler = on_signal };

	sigaction(SIGTERM, &act, NULL);
	/* At a terminal it is for the traced program, and ktraced waits for that. */
	if (s->follows)
		signal(SIGINT, SIG_IGN);
	else
		sigaction(SIGINT, &act, NULL);
}

static int run(const struct command *cmd, int argc, char **argv)
{
	static struct ship s = { .wait_ms = WAIT_MS };
	int status = command_parse(cmd, &s, argc, argv);

	if (status < 0)
		status = command_check(cmd, check(&s, argc - optind));
	if (status >= 0)
		return status;
	take_signals(&s);
	if (!send_init(&s))
		return STATUS_DAMAGED;
	s.output = argv[optind];
	if (s.follows)
		follow_and_answer(&s);
	else
		ship_files(&s, argc - optind, argv + optind);
	send_exit(&s);
	return report(&s);
}

static const struct command cmd_ship = {
	.name = "ship",
	.args = "--to URL [OPTION...] FILE...",
	.summary = "Send complete files to a store, through a broker",
	.options = sets,
	.needs_files = true,
	.lacks_store = true,
	.lacks_clocks = true,
	.is_live = true,
	.run = run,
};

static int run_program(int argc, char **argv)
{
	return command_run(&cmd_ship, argc, argv);
}

int main(int argc, char **argv)
{
	return command_main(run_program, argc, argv);
}
