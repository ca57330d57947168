// SPDX-License-Identifier: GPL-2.0
/* main.c - ktraced: records a command, or all programs that attach, into a trace file */
#include <signal.h>
#include <string.h>

#include "base/log.h"
#include "base/standard.h"
#include "baseline.h"
#include "options.h"
#include "preload.h"
#include "record_loop.h"
#include "recording.h"
#include "recover.h"
#include "service/run.h"

/* Blocks the signals that are read from a descriptor; leaves SIGHUP ignored under nohup. */
static void take_signals(struct command_signals *before, sigset_t *ours)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	struct sigaction hup;
	sigset_t part;

	sigemptyset(ours);
	sigaddset(ours, SIGCHLD);
	sigaddset(ours, SIGINT);
	sigaddset(ours, SIGQUIT);
	sigaddset(ours, SIGTERM);
	if (!sigaction(SIGHUP, NULL, &hup) && hup.sa_handler != SIG_IGN)
		sigaddset(ours, SIGHUP);
	sigprocmask(SIG_BLOCK, ours, &before->mask);
	/* Only a recording in parts handles this signal. */
	sigemptyset(&part);
	sigaddset(&part, SIGUSR1);
	sigprocmask(SIG_BLOCK, &part, NULL);
	/* With SIGCHLD ignored, exit statuses are lost. */
	sigaction(SIGCHLD, &usual, &before->chld);
	/* Makes a full pipe or a file size limit an error of write(2). */
	sigaction(SIGPIPE, &ignore, &before->pipe);
	sigaction(SIGXFSZ, &ignore, &before->xfsz);
}

int main(int argc, char **argv)
{
	/* Not on the stack: sender_close() may leave a thread running that uses it. */
	static struct options options;
	static struct recording r = { .options = &options };
	sigset_t signals;
	int status, error;

	standard_hold();
	status = options_parse(&options, argc, argv);
	if (status >= 0)
		return status;
	log_set_quiet(options.is_quiet);
	if (options.is_prepare)
		return preload_print();
	if (options.is_recover)
		return recover(&options);
	take_signals(&r.signals, &signals);
	if (options.is_service)
		return service_run(&signals, !options.no_producer, options.producer_memory);
	if (options.is_baseline)
		return baseline(&options, &r.signals, &signals);
	if (metrics_open(&r.metrics, &options.metrics))
		return EXIT_OWN;
	status = recording_open(&r, &signals);
	if (status >= 0) {
		metrics_close(&r.metrics);
		return status;
	}
	metrics_begin(&r);
	error = record_loop_run(&r, &signals);
	metrics_close(&r.metrics);
	if (error) {
		log_error("event loop: %s", strerror(-error));
		r.end_reason = "error";
	}
	status = recording_close(&r);
	if (r.abort_signal)
		die_by(r.abort_signal);
	if (r.command.pid) {
		command_wait(&r.command, &signals);
		/*
		 * Problems of the trace have been reported; they decide the status only if the
		 * command succeeded and --fail-on-loss or @is_failure asks for that.
		 */
		if (r.command.wait_status || !status || !(options.fail_on_loss || r.is_failure))
			command_exit(&r.command);
	}
	return error ? EXIT_OWN : status;
}
