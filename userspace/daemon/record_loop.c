// SPDX-License-Identifier: GPL-2.0
/*
 * record_loop.c - the event loop of a recording
 *
 *   RUNNING --command gone--> LINGERING --no holder of the buffer--> over
 *      |                          |
 *      +--- duration, signal -----+--> over
 *
 * User space writers cannot wake ktraced, so a timer has the drainer look at the rings: the fuller
 * the fullest ring was, the sooner the next time, 1 to 50 ms. If it is still at work then, as it
 * waits for the disk, the loop does all the rest. Once a second clocks are read,
 * rings of dead threads reclaimed, and blocks written that are not full yet, so that
 * a reader of the growing file is never far behind; the last also when a part is old
 * enough to end. Clocks are also read as soon as the machine has woken up or the wall
 * clock was set.
 *
 * Signals. With a command: ctrl-C at the terminal reaches the command too, so the
 * first SIGINT changes nothing here; SIGINT sent to ktraced alone, SIGTERM and SIGHUP are
 * passed on to the command. The second signal, or the first when the command is gone,
 * ends the recording. Without a command the first one does. SIGQUIT is like SIGINT, but at the
 * terminal it is for the command only: some print their stacks and go on. SIGUSR1 ends the
 * current part: all that was recorded before it is in complete files.
 */
#include "record_loop.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/read_text.h"
#include "base/uevent.h"
#include "control_server.h"
#include "output/forget.h"
#include "output/meta.h"
#include "output/parts.h"
#include "output/rotation.h"
#include "recording_status.h"
#include "tsc_watchdog.h"

#define MS 1000000ull
#define SECOND (1000 * MS)
#define INTERVAL_MIN MS
#define INTERVAL_MAX (50 * MS)
#define LINGER_CHECK (50 * MS)
/* Checks without a holder before the end, while children exist that may yet attach */
#define LINGER_QUIET 3

/**
 * struct watch - state of the loop
 * @r:		the recording
 * @loop:	the loop
 * @timer_fd:	one-shot timer, set again after each drain
 * @signal_fd:	signals
 * @clock_fd:	becomes readable when the wall clock was set, or goes on after sleep
 * @module_fd:	reports loaded modules, < 0 = unavailable
 * @port_fd:	port for requests to change what is recorded, < 0 = none
 * @session:	the session's own descriptor, fd < 0 = it has none
 * @sender:	socket for programs that have chunks
 * @name:	socket that shows others that the name of the parts is taken
 * @is_deaf:	connections wait until the next second: there was no descriptor for one
 * @was_told_deaf: this has been reported
 * @interval:	ns to the next drain
 * @has_second:	a drain has been asked for that is followed by metrics
 * @must_ask:	the session's descriptor is to be armed again after the drain
 * @told_away_ns: the wait for the disk that has been reported, by when it began
 * @next_second: time of the next once-a-second work
 * @last_raw:	the latest reading of the session's clock
 * @trust:	watches whether the kernel still trusts that clock
 * @deadline:	time when --duration ends the recording, 0 = never
 * @linger_since: time when the command had ended, 0 = it is running
 * @next_check:	time of the next check for holders of the buffer
 * @quiet_checks: checks without a holder in a row
 * @was_told:	waiting for holders has been reported
 * @stop_signals: number of SIGINT, SIGQUIT, SIGTERM, SIGHUP so far
 */
struct watch {
	struct recording *r;
	struct loop loop;
	int timer_fd;
	int signal_fd;
	int clock_fd;
	int module_fd;
	int port_fd;
	struct loop_source session;
	struct loop_source sender;
	struct loop_source name;
	bool is_deaf;
	bool was_told_deaf;
	__u64 interval;
	bool has_second;
	bool must_ask;
	__u64 told_away_ns;
	__u64 next_second;
	__u64 last_raw;
	struct tsc_watchdog trust;
	__u64 deadline;
	__u64 linger_since;
	__u64 next_check;
	unsigned int quiet_checks;
	bool was_told;
	unsigned int stop_signals;
};

static void stop(struct watch *w, const char *reason)
{
	w->r->end_reason = reason;
	loop_stop(&w->loop);
}

static bool has_children(void)
{
	siginfo_t info;

	return !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
}

static void tell_waiting(struct watch *w)
{
	char path[48], comm[64];
	struct ktrace_holders h;

	if (w->was_told || now_ns() - w->linger_since < SECOND ||
	    ktrace_session_holders(w->r->session, ~0u, &h) || !h.nr)
		return;
	w->was_told = true;
	if (!h.pid) {
		log_note("waiting for %u traced process%s; ctrl-C ends the recording", h.nr,
			 h.nr == 1 ? "" : "es");
		return;
	}
	snprintf(path, sizeof(path), "/proc/%u/comm", h.pid);
	if (!read_line(path, comm, sizeof(comm)))
		strcpy(comm, "?");
	log_note("waiting for %u traced process%s, pid %u (%s)%s; ctrl-C ends the recording", h.nr,
		 h.nr == 1 ? "" : "es", h.pid, comm, h.nr == 1 ? "" : " among them");
}

/*
 * After the command has ended, waits for descendants that still hold the buffer. Asks for one
 * holder only: to count thousands would keep the rings waiting.
 */
static void check_linger(struct watch *w, __u64 now)
{
	struct ktrace_holders h;

	if (now < w->next_check)
		return;
	w->next_check = now + LINGER_CHECK;
	if (!ktrace_session_holders(w->r->session, 1, &h) && h.nr) {
		w->quiet_checks = 0;
		tell_waiting(w);
		return;
	}
	if (++w->quiet_checks >= LINGER_QUIET || !has_children())
		stop(w, "command ended");
}

/* With -p and without a command, ends the recording when the last process has ended. */
static void check_followed(struct watch *w, __u64 now)
{
	struct ktrace_session_info info;
	struct ktrace_holders h;

	if (now < w->next_check)
		return;
	w->next_check = now + LINGER_CHECK;
	if (ktrace_session_info(w->r->session, &info) || info.followed)
		return;
	if (attach_is_over(&w->r->attach) &&
	    (ktrace_session_holders(w->r->session, 1, &h) || !h.nr))
		stop(w, "processes ended");
}

/* @is_reaping: some processes have ended, but have not been reaped yet */
static void look_for_absent(struct watch *w, bool is_reaping)
{
	struct absent *absent = &w->r->capture.absent;

	for (int i = 0; i < TIME_SOURCES; i++)
		absent->own[i] = (__u32)time_sources_pid(&w->r->clocks.sources,
							 (enum time_source_kind)i);
	absent->own[TIME_SOURCES] = ship_pid(&w->r->ship);
	if (w->r->options->is_pthread)
		absent_look(absent, now_ns(), is_reaping);
}

static void check_end(struct watch *w)
{
	const struct options *o = w->r->options;
	__u64 now = now_ns();

	if (w->r->command.is_gone && !w->linger_since)
		w->linger_since = now;
	if (w->deadline && now >= w->deadline)
		stop(w, "duration");
	else if (w->linger_since)
		check_linger(w, now);
	else if (!o->argv && o->pid_nr && !o->is_all)
		check_followed(w, now);
}

/* Returns the time when the current part is old enough. */
static __u64 part_end(const struct watch *w)
{
	return w->r->capture.parts ? parts_end_ns(w->r->capture.parts) : ~0ull;
}

static void set_timer(struct watch *w, __u64 now, __u64 interval)
{
	__u64 due = now + interval, end = part_end(w);
	struct itimerspec spec;

	if (end > now && end < due)
		due = end;
	if (w->deadline && w->deadline < due)
		due = w->deadline;
	spec = (struct itimerspec) {
		.it_value = { .tv_sec = (time_t)(due / SECOND), .tv_nsec = (long)(due % SECOND) },
	};
	timerfd_settime(w->timer_fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

static void adapt(struct watch *w, const struct capture_fill *fill)
{
	if (fill->more)
		w->interval = 0;
	else if (fill->eighths >= 4 || w->interval < INTERVAL_MIN)
		w->interval = INTERVAL_MIN;
	else if (fill->eighths >= 2)
		w->interval /= 2;
	else if (!fill->eighths)
		w->interval += w->interval / 2;
	if (!fill->more && w->interval < INTERVAL_MIN)
		w->interval = INTERVAL_MIN;
	if (w->interval > INTERVAL_MAX)
		w->interval = INTERVAL_MAX;
}

/*
 * Reads the clocks. A cycle counter may restart while the machine sleeps: new records then cannot
 * be told from old ones, so the recording ends.
 */
static void read_clocks(struct watch *w)
{
	struct ktrace_reading reading;

	ktrace_session_clock(w->r->session, &reading);
	if (reading.raw < w->last_raw) {
		log_error("the cycle counter restarted, as some do when the machine sleeps; load "
			  "the module with clock=monotonic");
		stop(w, "clock went back");
		return;
	}
	w->last_raw = reading.raw;
	tsc_watchdog_check(&w->trust);
	ended_look(&w->r->capture.ended, w->r->session, &w->r->capture.meta);
	meta_clock(&w->r->capture.meta, &reading);
}

static void listen_for(struct watch *w, uint32_t events)
{
	w->is_deaf = !events;
	loop_change(&w->loop, &w->sender, events);
	loop_change(&w->loop, &w->name, events);
}

/* Stops listening: a connection that cannot be accepted would keep the loop spinning. */
static void accepted(struct watch *w, int error)
{
	if (!error || error == -EAGAIN || error == -EINTR || error == -ECONNABORTED)
		return;
	listen_for(w, 0);
	if (!w->was_told_deaf)
		log_error("this recording cannot accept connections for now: %s", strerror(-error));
	w->was_told_deaf = true;
}

/* Says that the disk hangs, and that it goes on. */
static void tell_away(struct watch *w, __u64 now)
{
	const struct capture *c = &w->r->capture;
	const __u64 away_ns = capture_away_ns(c);

	if (away_ns == w->told_away_ns)
		return;
	if (w->told_away_ns) {
		log_note("%s: writing goes on after %llu s", c->path,
			 (unsigned long long)((now - w->told_away_ns) / SECOND));
		w->told_away_ns = 0;
	}
	if (!away_ns || now < away_ns + DISK_PATIENCE_NS)
		return;
	log_note("%s: the disk has not answered for %llu s; events stay in the buffer", c->path,
		 (unsigned long long)(DISK_PATIENCE_NS / SECOND));
	w->told_away_ns = away_ns;
}

static void do_second(struct watch *w, __u64 now)
{
	w->next_second = now + SECOND;
	read_clocks(w);
	recording_status_second(w->r, now);
	ship_look(&w->r->ship, now);
	ktrace_session_reclaim(w->r->session);
	if (w->is_deaf)
		listen_for(w, EPOLLIN);
	/* The rings have most room after the drain. */
	w->has_second = true;
}

/* What is due after each drain, and every 50 ms while one waits for the disk */
static void look_around(struct watch *w, __u64 now)
{
	if (w->has_second)
		metrics_second(w->r);
	w->has_second = false;
	attach_look(&w->r->attach, now);
	look_for_absent(w, false);
	check_end(w);
}

static void drain(struct watch *w)
{
	struct drainer *d = &w->r->drainer;
	__u64 now = now_ns();
	bool is_second = now >= w->next_second;

	if (is_second)
		do_second(w, now);
	if (d->is_busy) {
		capture_listen(&w->r->capture);
		look_around(w, now);
		tell_away(w, now);
	}
	/* Blocks that are not full yet, too, if a part is old enough to end. */
	drainer_ask(d, is_second || now >= part_end(w));
	set_timer(w, now, INTERVAL_MAX);
}

/*
 * Re-arms the session's descriptor, which reports once. Done by the timer and not at each turn of
 * the loop: once all followed processes have ended, it would keep the loop spinning.
 */
static void ask_session(struct watch *w)
{
	if (w->session.fd >= 0)
		loop_change(&w->loop, &w->session, EPOLLIN | EPOLLET);
}

static void on_timer(void *arg, uint32_t events)
{
	struct watch *w = arg;
	uint64_t expired;

	(void)events;
	if (read(w->timer_fd, &expired, sizeof(expired)) != sizeof(expired))
		return;
	w->must_ask = true;
	drain(w);
}

static int watch_clock(struct watch *w)
{
	/* The kernel's maximum, in nanoseconds */
	const struct itimerspec never = { .it_value = { .tv_sec = INT64_MAX / (long)SECOND } };

	return timerfd_settime(w->clock_fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never,
			       NULL);
}

static void on_clock(void *arg, uint32_t events)
{
	struct watch *w = arg;
	uint64_t expired;

	(void)events;
	if (read(w->clock_fd, &expired, sizeof(expired)) < 0 && errno == EAGAIN)
		return;
	watch_clock(w);
	w->next_second = 0;
	drain(w);
}

/* Runs when a ring has passed its watermark, or the last traced process has ended. */
static void on_session(void *arg, uint32_t events)
{
	(void)events;
	drain(arg);
}

static void on_stop_signal(struct watch *w, const struct signalfd_siginfo *info)
{
	int sig = (int)info->ssi_signo;
	struct command *command = &w->r->command;
	const bool is_at_terminal = command_has_signal(sig, info->ssi_code);

	if (!command->pid) {
		stop(w, strsignal(sig));
		return;
	}
	if (sig == SIGQUIT && is_at_terminal && !command->is_gone)
		return;
	if (++w->stop_signals > 1 || command->is_gone) {
		if (!command->is_gone)
			w->r->abort_signal = sig;
		stop(w, strsignal(sig));
		return;
	}
	if (!is_at_terminal)
		command_kill(command, sig);
}

/*
 * Ends the part even if it is empty: the process that asked waits for its end. Returns NULL, or why
 * there is no next part.
 */
static const char *end_part(void *arg)
{
	struct watch *w = arg;
	struct drainer *d = &w->r->drainer;
	const struct parts *parts = w->r->capture.parts;
	__u32 number;

	if (!parts)
		return "it has one file: --split-size or --split-time make several";
	number = parts->number;
	d->has_part = true;
	drainer_ask(d, true);
	if (!drainer_wait(d, (int)(DISK_PATIENCE_NS / MS))) {
		d->has_part = false;
		return "the disk does not answer";
	}
	return parts->number == number ? "the next file cannot be begun" : NULL;
}

static void on_drained(void *arg, uint32_t events)
{
	struct watch *w = arg;
	const __u64 now = now_ns();

	(void)events;
	if (!drainer_done(&w->r->drainer))
		return;
	adapt(w, &w->r->drainer.fill);
	tell_away(w, now);
	look_around(w, now);
	set_timer(w, now, w->interval);
	/* Before, the session would report what is being read. */
	if (w->must_ask)
		ask_session(w);
	w->must_ask = false;
}

static void stop_on_request(void *arg)
{
	stop(arg, "ktrace control");
}

static void on_signal(void *arg, uint32_t events)
{
	struct watch *w = arg;
	struct signalfd_siginfo info;

	(void)events;
	if (read(w->signal_fd, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGUSR1) {
		w->r->drainer.has_part = w->r->capture.parts;
		drainer_ask(&w->r->drainer, true);
		return;
	}
	if (info.ssi_signo != SIGCHLD) {
		on_stop_signal(w, &info);
		return;
	}
	look_for_absent(w, true);
	command_reap(&w->r->command);
	check_end(w);
}

static void on_module(void *arg, uint32_t events)
{
	struct watch *w = arg;
	char name[UEVENT_MODULE_MAX] = "?";
	int error;

	(void)events;
	while ((error = uevent_next_module(w->module_fd, name)) != -EAGAIN)
		control_server_module(w->r, error ? "?" : name);
}

static void on_port(void *arg, uint32_t events)
{
	struct watch *w = arg;
	const struct control_actions actions = { w, end_part, stop_on_request };

	(void)events;
	control_server_serve(w->r, w->port_fd, &actions);
}

static void on_sender(void *arg, uint32_t events)
{
	struct watch *w = arg;

	(void)events;
	/* Accepts only a few, so that the rings get their turn however many programs connect. */
	accepted(w, sender_accept(&w->r->sender, 8));
}

static void on_name(void *arg, uint32_t events)
{
	struct watch *w = arg;

	(void)events;
	accepted(w, parts_answer(w->r->capture.parts));
}

static int add_sources(struct watch *w)
{
	struct parts *parts = w->r->capture.parts;
	int error = loop_add(&w->loop, w->signal_fd, EPOLLIN, on_signal, w);

	if (!error)
		error = loop_add(&w->loop, w->timer_fd, EPOLLIN, on_timer, w);
	if (!error)
		error = loop_add(&w->loop, w->r->drainer.done_fd, EPOLLIN, on_drained, w);
	if (!error)
		error = loop_add(&w->loop, w->clock_fd, EPOLLIN, on_clock, w);
	if (!error && w->session.fd >= 0)
		error = loop_join(&w->loop, &w->session, EPOLLIN | EPOLLET);
	if (!error && w->module_fd >= 0)
		error = loop_add(&w->loop, w->module_fd, EPOLLIN, on_module, w);
	/* The port is optional. */
	if (!error && w->port_fd >= 0)
		error = loop_add(&w->loop, w->port_fd, EPOLLIN, on_port, w);
	w->sender = (struct loop_source){ w->r->sender.listen_fd, on_sender, w };
	if (!error && w->sender.fd >= 0)
		error = loop_join(&w->loop, &w->sender, EPOLLIN);
	if (!error)
		error = host_clocks_begin(&w->r->clocks, &w->loop);
	w->name = (struct loop_source){ parts ? parts->name_fd : -1, on_name, w };
	if (!error && w->name.fd >= 0)
		error = loop_join(&w->loop, &w->name, EPOLLIN);
	return error;
}

int record_loop_run(struct recording *r, const sigset_t *signals)
{
	struct watch w = { .r = r, .interval = INTERVAL_MIN };
	int error = loop_init(&w.loop);
	sigset_t all = *signals;

	if (error)
		return error;
	sigaddset(&all, SIGUSR1);
	w.next_second = r->start_ns + SECOND;
	tsc_watchdog_begin(&w.trust, r->session);
	if (r->options->duration_ns &&
	    __builtin_add_overflow(r->start_ns, r->options->duration_ns, &w.deadline))
		w.deadline = ~0ull;
	w.timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	w.signal_fd = signalfd(-1, &all, SFD_NONBLOCK | SFD_CLOEXEC);
	w.clock_fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
	w.module_fd = uevent_open();
	w.port_fd = control_server_open(r);
	w.session = (struct loop_source){ ktrace_session_fd(r->session), on_session, &w };
	error = w.timer_fd < 0 || w.signal_fd < 0 || w.clock_fd < 0 || watch_clock(&w) ?
		-errno : drainer_begin(&r->drainer, &r->capture);
	if (!error)
		error = add_sources(&w);
	w.loop.turn = &r->drainer.turn;
	if (!error) {
		drain(&w);
		if (!w.loop.is_done)
			error = loop_run(&w.loop);
	}
	host_clocks_end(&w.r->clocks);
	drainer_end(&r->drainer);
	if (w.module_fd >= 0)
		close(w.module_fd);
	if (w.port_fd >= 0)
		close(w.port_fd);
	if (w.signal_fd >= 0)
		close(w.signal_fd);
	if (w.timer_fd >= 0)
		close(w.timer_fd);
	if (w.clock_fd >= 0)
		close(w.clock_fd);
	loop_exit(&w.loop);
	return error;
}
