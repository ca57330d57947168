// SPDX-License-Identifier: GPL-2.0
/*
 * recording.c - one recording, from creating the session to the summary
 *
 * Order: create the session, open the file and write its header, write the known META lines, fork
 * the command and hold it back, follow it, start tracing, release the command. So nothing the
 * command does can happen before the file's beginning.
 */
#include "recording.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktrace/traceset.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/lost.h"
#include "base/pid_namespace.h"
#include "base/pidspace.h"
#include "base/program.h"
#include "base/sigbus_guard.h"
#include "baseline.h"
#include "control_server.h"
#include "diagnostics.h"
#include "events/kernel_filter.h"
#include "events/select.h"
#include "named.h"
#include "output.h"
#include "output/absent.h"
#include "output/losses.h"
#include "output/meta.h"
#include "output/recovery_note.h"
#include "output/room.h"
#include "output/rotation.h"
#include "output/summary.h"
#include "preload.h"
#include "recover.h"

/* Longest time that a writer waits for a reader that is alive but does not read */
#define BLOCK_TIMEOUT_MS 30000
#define REGISTRY_SIZE (4u << 20)

/* Returns advice for a session that cannot be created. */
static const char *remedy(int error, const char *reason)
{
	if (error == -ENOMEM || error == -ENOSPC || error == -EDQUOT)
		return "; use a smaller -b or --thread-rings";
	if (error == -EFBIG)
		return "; 'ulimit -f' allows no larger file: use a smaller -b or --thread-rings";
	if (!strncmp(reason, "/dev/shm/", strlen("/dev/shm/")))
		return "; without the module, ktraced needs a writable tmpfs: mount -t tmpfs -o "
		       "mode=1777 tmpfs /dev/shm";
	return "; 'ktrace doctor' says more";
}

/*
 * Creates the session. In shared memory it must belong to the user whose programs are to attach,
 * if root attaches to those of another; with the module, everyone may attach to a session of root.
 */
static int create_session(struct ktrace_session_options *so, struct recording *r, char *reason)
{
	const uid_t own = geteuid();
	int error;

	if (!r->attach.board || r->attach.uid == own)
		return ktrace_session_create(so, &r->session, reason);
	if (so->backend != KTRACE_BACKEND_SHM) {
		const int backend = so->backend;

		so->backend = KTRACE_BACKEND_DEV;
		error = ktrace_session_create(so, &r->session, reason);
		if (!error || backend == KTRACE_BACKEND_DEV || error == -EINVAL)
			return error;
		so->backend = KTRACE_BACKEND_SHM;
	}
	if (seteuid(r->attach.uid))
		return -errno;
	error = ktrace_session_create(so, &r->session, reason);
	if (seteuid(own) && !error)
		error = -errno;
	return error;
}

static int open_session(struct recording *r)
{
	const struct options *o = r->options;
	char filter[KTRACE_FILTER_SIZE], reason[KTRACE_REASON_SIZE] = "";
	struct ktrace_session_options so = {
		.size = sizeof(so),
		.backend = o->backend,
		.kernel = select_wants_kernel(o->choice.events),
		.policy = o->policy,
		.ring_size = o->ring_size,
		.thread_size = o->thread_size,
		.registry_size = REGISTRY_SIZE,
		.block_size = o->block_size,
		.thread_nr = o->thread_nr,
		.timeout_ms = BLOCK_TIMEOUT_MS,
		.filter = filter,
	};
	int error = select_filter(&o->choice, filter);

	if (error) {
		log_error("-e, --level: the list is too long");
		return EXIT_OWN;
	}
	sigbus_guard_session(&r->session);
	error = create_session(&so, r, reason);
	if (error) {
		sigbus_guard_end();
		log_error("cannot create a session: %s%s", reason[0] ? reason : strerror(-error),
			  remedy(error, reason));
		return EXIT_OWN;
	}
	return -1;
}

/*
 * Lets programs that go on return to their boards. Those of a command have usually ended: then
 * there is nothing to do.
 */
static void dismiss(struct recording *r)
{
	struct ktrace_holders h;

	/* Those that have joined late are known from the board, too. */
	if (!attach_end(&r->attach) && (ktrace_session_holders(r->session, 1, &h) || !h.nr))
		return;
	if (ktrace_session_dismiss(r->session) == -EOPNOTSUPP)
		log_note("programs without a board or with an older libktrace took part: those of "
			 "this recording cannot be attached again");
}

static void close_session(struct recording *r)
{
	ktrace_session_destroy(r->session);
	sigbus_guard_end();
	context_exit(&r->context);
	dynamic_end(&r->dynamic);
}

static void free_names(struct recording *r)
{
	parts_free(&r->parts);
	free(r->name);
	r->name = NULL;
}

static int begin_context(struct recording *r)
{
	int error = context_begin(&r->context, r->session, &r->options->wishes);

	for (size_t i = 0; i < r->dynamic.nr && !error; i++)
		error = context_event(&r->context, r->session, r->dynamic.events[i].id,
				      r->dynamic.events[i].name);
	if (error)
		log_error("--context: %s%s", strerror(-error),
			  error == -EDQUOT || error == -ENOMEM ?
			  "; it needs 4.3 MB: use a smaller -b" : "");
	return error;
}

static int fail_kernel(int error)
{
	log_error("kernel events: %s%s", strerror(-error), error == -EPERM ?
		  "; --all needs CAP_PERFMON" : "");
	return EXIT_OWN;
}

static int set_filters(struct recording *r)
{
	const struct choice *choice = &r->options->choice;
	struct kernel_filter_error wrong;
	int error = kernel_filter_is_used(choice) ?
		kernel_filter_set(r->session, &r->dynamic, choice, &wrong) : 0;

	if (error == -EINVAL)
		kernel_filter_say(&wrong);
	else if (error)
		fail_kernel(error);
	return error ? EXIT_OWN : -1;
}

/* Prepares tracepoints and dynamic probes. */
static int set_up_dynamic(struct recording *r)
{
	char reason[KPROBE_REASON_MAX];
	int error = dynamic_choose(&r->dynamic, r->session, r->options->choice.events, reason);
	int status = error ? named_say(r->options, reason) : -1;

	return error == -ENOMEM ? EXIT_OWN : status < 0 ? set_filters(r) : status;
}

/* Switches kernel events on and follows processes, or reports why not. */
static int set_up_kernel(struct recording *r, const struct ktrace_session_info *info)
{
	const struct options *o = r->options;
	struct select_missing missing;
	int error, status;

	if (!info->has_kernel) {
		if (o->wishes.nr)
			log_note("--context has no effect: no kernel events are recorded");
		return diagnostics_no_kernel(o, info);
	}
	if (o->policy == KTRACE_POLICY_BLOCK)
		log_note("kernel events are dropped, not blocked, when their buffer is full");
	error = select_enable(r->session, o->choice.events, &missing);
	if (!error && o->is_all)
		error = ktrace_session_follow(r->session, KTRACE_FOLLOW_ALL);
	if (error)
		return fail_kernel(error);
	status = named_rows(o, &missing);
	error = set_up_dynamic(r);
	if (status >= 0 || error >= 0)
		return EXIT_OWN;
	if (begin_context(r))
		return EXIT_OWN;
	dynamic_switch(&r->dynamic, r->session);
	for (unsigned int i = 0; i < o->pid_nr; i++) {
		error = ktrace_session_follow(r->session, o->pids[i]);
		if (error) {
			log_error("process %d: %s%s", o->pids[i], strerror(-error),
				  error == -EPERM ? "; it needs CAP_PERFMON" : "");
			return EXIT_OWN;
		}
	}
	return -1;
}

/* Notes for recovery by another ktraced which file this is, and what it begins with. */
static void set_note(struct recording *r)
{
	const struct ktrace_text *begin = &r->capture.meta;
	int error = begin->error ? begin->error
		: recovery_note_set(r->session, output_path(r), r->capture.file, begin->buf);

	if (error)
		log_note("this session cannot be recovered if ktraced dies: %s", strerror(-error));
	/* Each part begins with these lines. */
	if (!begin->error)
		ktrace_text_line(&r->parts.begin, begin->buf);
}

/* False if ktraced's pids differ from those in kernel events: /proc would name other threads. */
static bool has_kernels_pids(const struct ktrace_session_info *info)
{
	return !info->has_kernel || pidspace_is_kernels();
}

static int write_first_meta(struct recording *r, const struct ktrace_session_info *info)
{
	const struct options *o = r->options;
	struct ktrace_text *t = &r->capture.meta;
	struct ktrace_reading now;

	ktrace_session_clock(r->session, &now);
	meta_trace(t, info, o->argv);
	if (info->has_kernel && !o->is_all) {
		ktrace_text_line(t, "trace");
		ktrace_text_str(t, "scope", "followed");
	}
	meta_clock(t, &now);
	set_note(r);
	if (r->choice.events || r->choice.where || r->choice.has_levels)
		meta_choice(t, &r->choice, now.raw);
	if (info->has_kernel)
		meta_kernel_events(t);
	dynamic_meta(&r->dynamic, t);
	if (!has_kernels_pids(info))
		log_note("ktraced runs in a PID namespace: threads of kernel events have names "
			 "only if the events contain them");
	if (o->is_all && (!info->has_kernel || pidspace_is_in_proc()))
		meta_proc_all(t, now.raw);
	for (unsigned int i = 0; i < o->pid_nr && !o->is_all && has_kernels_pids(info); i++)
		meta_proc(t, (__u32)o->pids[i], now.raw);
	/* A file that will be replaced is not touched before output_begin(). */
	if (r->is_replacing && !output_is_split(r))
		return -1;
	return capture_flush_meta(&r->capture) || rotation_begin(&r->capture) ? EXIT_OWN : -1;
}

static int fork_command(struct recording *r, const struct ktrace_session_info *info)
{
	char space[64];
	struct command_variable env[5] = { { "KTRACE_SESSION", info->env },
					   { "KTRACE_PIDNS", space } };
	struct preload preload = { 0 };
	struct ktrace_reading now;
	int error;

	if (!r->options->argv)
		return -1;
	if (r->options->is_pthread) {
		error = preload_prepare(r->options->argv[0], &preload);
		if (error >= 0)
			return error;
	}
	/* Which boards we reach: programs have to know whether theirs is among them. */
	snprintf(space, sizeof(space), "%llu:%llu:%u", pidspace_own(),
		 namespace_of("/proc/self/ns/ipc"), geteuid());
	r->capture.absent.has_narrow = preload.has_narrow;
	if (preload.is_unfit)
		absent_unfit(&r->capture.absent, r->options->argv[0]);
	if (preload.libraries) {
		env[2] = (struct command_variable){ "LD_PRELOAD", preload.libraries };
		env[3] = (struct command_variable){ "ASAN_OPTIONS", preload.asan };
	}
	/* Makes orphans of the command children of ktraced, so that it sees the last one end. */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	error = command_fork(&r->command, r->options->argv, env, &r->signals);
	preload_free(&preload);
	if (!error && info->has_kernel && !r->options->is_all)
		error = ktrace_session_follow(r->session, r->command.pid);
	if (error) {
		log_error("cannot start the command: %s", strerror(-error));
		return EXIT_OWN;
	}
	r->capture.absent.command = (__u32)r->command.pid;
	ktrace_session_clock(r->session, &now);
	if (has_kernels_pids(info))
		meta_proc(&r->capture.meta, (__u32)r->command.pid, now.raw);
	return -1;
}

/*
 * Lets the command execute its program, and writes its name from then on: sched:exec, which tells
 * the time to the ns, may not be recorded. Some calls before exec get the new name, too: those
 * after it matter more.
 */
static int release(struct recording *r, const struct ktrace_session_info *info)
{
	const __u32 pid = (__u32)r->command.pid;
	struct ktrace_reading now;
	int error;

	ktrace_session_clock(r->session, &now);
	error = command_release(&r->command);
	if (error)
		return command_refuse(r->options->argv[0], error);
	if (info->has_kernel && has_kernels_pids(info))
		ktrace_text_thread(&r->capture.meta, pid, pid, now.raw);
	return -1;
}

static int start(struct recording *r, const struct ktrace_session_info *info)
{
	int error = ktrace_session_start(r->session);

	if (error) {
		log_error("cannot start tracing: %s", strerror(-error));
		command_abandon(&r->command);
		return EXIT_OWN;
	}
	r->start_ns = now_ns();
	room_limit(&r->capture);
	attach_begin(&r->attach, info, r->start_ns);
	if (!r->options->argv) {
		log_note("tracing, ctrl-C ends it; programs attach with KTRACE_SESSION=%s",
			 info->env);
		return -1;
	}
	return release(r, info);
}

static int check_command(const struct options *o)
{
	int error = o->argv ? program_find(o->argv[0]) : 0;

	return error ? command_refuse(o->argv[0], error) : -1;
}

/* Opens the file after all that may fail: a failed recording must not cost an older trace. */
int recording_open(struct recording *r, const sigset_t *signals)
{
	struct ktrace_session_info info;
	struct ktrace_tracefile *file;
	int status;

	status = check_command(r->options);
	if (status >= 0)
		return status;
	if (!ship_is_there(&r->options->ship))
		return EXIT_OWN;
	kprobe_sweep();
	r->choice = r->options->choice;
	status = attach_open(&r->attach, r->options);
	if (status < 0)
		attach_release_stale(&r->attach);
	if (status < 0)
		status = open_session(r);
	if (status >= 0) {
		attach_end(&r->attach);
		return status;
	}
	ktrace_session_info(r->session, &info);
	status = set_up_kernel(r, &info);
	if (status < 0)
		status = attach_check(&r->attach, info.has_kernel);
	if (status < 0 && host_clocks_open(&r->clocks, &r->options->clocks, r->session,
					   &r->capture.meta))
		status = EXIT_OWN;
	if (status < 0)
		status = output_open(r, &file);
	if (status >= 0)
		goto err_destroy;
	if (capture_init(&r->capture, r->session, file, output_path(r)) ||
	    diagnostics_begin(&r->capture, r->options->choice.events)) {
		log_error("%s", strerror(ENOMEM));
		status = EXIT_OWN;
		goto err_drop;
	}
	if (r->options->is_pthread)
		absent_begin(&r->capture.absent, r->session, info.env);
	r->capture.level = r->options->level;
	r->capture.mode = r->options->mode;
	r->capture.max_size = r->options->max_size;
	r->capture.min_free = r->options->min_free;
	r->capture.parts = output_is_split(r) ? &r->parts : NULL;
	r->capture.context = &r->context;
	sender_open(&r->sender, &r->options->send, output_path(r), info.env);
	status = write_first_meta(r, &info);
	if (status < 0 && r->options->is_paused && control_server_begin_paused(r))
		status = EXIT_OWN;
	if (status < 0)
		status = fork_command(r, &info);
	if (status >= 0)
		goto err_sender;
	sender_begin(&r->sender, &r->options->send, info.has_kernel);
	status = start(r, &info);
	if (status < 0) {
		output_begin(r);
		ship_begin(&r->ship, &r->options->ship, r->name,
			   ktrace_session_id(r->session), &r->signals.mask);
		return -1;
	}
	if (r->command.pid)
		command_wait(&r->command, signals);
err_sender:
	sender_close(&r->sender);
	capture_free(&r->capture);
err_drop:
	output_drop(r, file);
err_destroy:
	attach_end(&r->attach);
	host_clocks_close(&r->clocks);
	close_session(r);
	free_names(r);
	return status;
}

static void say_removed(const struct recording *r)
{
	const struct parts *p = &r->parts;
	__u32 nr = output_is_split(r) ? p->removed_nr : 0;

	if (nr)
		log_note("%u older part%s removed (--keep %u%s%s): %llu events, %llu bytes", nr,
			 nr == 1 ? "" : "s", p->keep, r->capture.is_tight ? "; " : "",
			 r->capture.is_tight ? "--max-size, --min-free" : "",
			 (unsigned long long)p->removed.events,
			 (unsigned long long)p->removed.bytes);
}

static void say_summary(const struct recording *r, const struct ktrace_session_info *info,
			const struct ktrace_lost *lost, __u64 undecided, __u64 bytes)
{
	const __u32 number = r->parts.first;
	const bool has_parts = output_is_split(r) && number < r->parts.number;
	char *first = has_parts ? parts_name(r->name, number) : NULL;
	struct ktrace_registry_use registry;
	struct summary s = {
		.events = r->capture.events,
		.lost = lost,
		.bytes = bytes,
		.ns = r->end_ns - r->start_ns,
		.first = first,
		.file = output_path(r),
		.info = info,
		.undecided = undecided,
		.guests = ktrace_registry_guests(r->session),
	};

	ktrace_registry_use(r->session, &registry);
	s.not_registered = (__u64)registry.missing + registry.unfinished;
	if (r->options->is_json)
		summary_say_json(&s);
	else
		summary_say(&s);
	free(first);
}

static int close_recording(struct recording *r)
{
	struct ktrace_registry_use registry;
	struct ktrace_session_info info;
	struct ktrace_reading now;
	struct ktrace_lost lost;
	struct stat st;
	__u32 guests;
	__u64 bytes, undecided;
	bool has_loss;
	int error;

	ktrace_session_stop(r->session);
	r->end_ns = now_ns();
	ktrace_session_reclaim(r->session);	/* so that losses of threads that died last count */
	capture_finish(&r->capture);
	ended_look(&r->capture.ended, r->session, &r->capture.meta);
	ktrace_session_clock(r->session, &now);
	meta_clock(&r->capture.meta, &now);
	meta_registry(&r->capture.meta, r->session);
	meta_end(&r->capture.meta, r->command.is_gone ? r->command.wait_status : -1,
		 r->end_reason);
	losses_of(r->session, &lost);
	dynamic_missed(&r->dynamic, r->session, &r->capture.meta);
	ktrace_registry_use(r->session, &registry);
	summary_say_registry(&registry);
	ktrace_session_info(r->session, &info);
	ktrace_session_undecided(r->session, &undecided);
	guests = ktrace_registry_guests(r->session);
	summary_say_doubts(&info, undecided, guests);
	diagnostics_lost(&lost, &info, r->options);
	r->is_failure = diagnostics_end(&r->capture, &info, r->options);
	if (info.has_kernel && !r->events && named_end(r->options, &r->dynamic) >= 0)
		r->is_failure = true;
	capture_flush_meta(&r->capture);
	absent_say(&r->capture.absent);
	host_clocks_close(&r->clocks);
	bytes = ktrace_tracefile_size(r->capture.file);
	error = capture_exit(&r->capture);
	/* The size with index and end mark, if the file has not been moved. */
	if (stat(output_path(r), &st))
		log_error("%s is gone: it was moved or removed", output_path(r));
	else if ((__u64)st.st_size > bytes)
		bytes = (__u64)st.st_size;
	if (!error && output_is_split(r))
		error = parts_sync(&r->parts);
	/* Comes after the file is complete: a disk may delay chunks. */
	sender_close(&r->sender);
	if (r->options->is_pthread)
		baseline_say(&r->command, r->start_ns);
	recover_warn();
	say_removed(r);
	dismiss(r);
	has_loss = r->options->fail_on_loss && (lost_total(lost.count) || info.refused || guests);
	if (error)
		log_error("%s: %s; the file can be read up to that point", output_path(r),
			  strerror(-error));
	else if (has_loss)
		log_error("events were lost (--fail-on-loss)");
	r->is_failure |= !error && has_loss;
	/* The result is the last line. */
	say_summary(r, &info, &lost, undecided, r->parts.bytes + bytes);
	close_session(r);
	free(r->events);
	free(r->where);
	free(r->seen.file);
	if (error)
		return EXIT_OWN;
	return r->is_failure ? EXIT_OWN : 0;
}

int recording_close(struct recording *r)
{
	int status = close_recording(r);

	/* Until the session has ended, --recover could continue the last part. */
	ship_end(&r->ship);
	free_names(r);
	return status;
}
