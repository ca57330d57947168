// SPDX-License-Identifier: GPL-2.0
/*
 * recover.c - completes the trace of a ktraced that was killed
 *
 * Adopts a stale session, which stops it for good. Its note names the file that it went to.
 * Completes that file in place, or a copy of it; if it is gone, writes the rest to a new file.
 *
 * No data is written twice or left out: a block is first written to the file, and then taken from
 * the ring. So the dead daemon may have been some blocks of a stream ahead in the file, and the
 * file tells where to go on. The same holds for the recovery: a ktraced that is killed here, or
 * finds the disk full, leaves a session that can be recovered again, and a note that names the file
 * with its beginning. For a recording in parts, completes the last one.
 *
 * The owner of a session wrote its note. Sessions of other users are recovered by a separate
 * process, which takes the owner's rights before it looks at a file: a note cannot name a file that
 * its author may not write. The process takes the rights before it opens a session in shared
 * memory, but after it adopts one of the module, which the module allows only root.
 */
#include "recover.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktrace/device.h>
#include <ktrace/traceset.h>

#include "base/dying.h"
#include "base/log.h"
#include "base/lost.h"
#include "base/rights.h"
#include "base/sigbus_guard.h"
#include "context/context.h"
#include "events/kprobe.h"
#include "output/capture.h"
#include "output/losses.h"
#include "output/meta.h"
#include "output/parts.h"
#include "output/recovery_note.h"
#include "output/summary.h"
#include "posix_registries.h"

/**
 * struct rescue - one session being saved
 * @which:	the session
 * @output:	-o, or NULL
 * @is_of_other: the session is another user's, whose rights we take
 * @session:	the adopted session
 * @note: its note
 * @path:	file that the note names, empty = none
 * @uuid:	UUID of that file
 * @meta:	in @note: the beginning of the file
 * @capture:	writes the session to the file
 * @context:	its stacks
 * @target:	path of the file being written
 */
struct rescue {
	const struct ktrace_stale *which;
	const char *output;
	bool is_of_other;
	struct ktrace_session *session;
	char *note;
	char *path;
	__u8 uuid[16];
	const char *meta;
	struct capture capture;
	struct context context;
	const char *target;
};

static int read_note(struct rescue *r)
{
	r->note = ktrace_session_note(r->session);
	r->path = r->note ? calloc(1, strlen(r->note) + 1) : NULL;
	if (!r->path)
		return -ENOMEM;
	r->meta = "";
	if (meta_parse_file(r->note, r->path, r->uuid))
		r->meta = r->note + strcspn(r->note, "\n");
	else
		r->path[0] = '\0';
	r->meta += *r->meta == '\n';
	return 0;
}

static int begin_meta(struct rescue *r)
{
	struct ktrace_text *t = &r->capture.meta;
	struct ktrace_session_info info;
	struct ktrace_reading now;

	ktrace_session_info(r->session, &info);
	if (info.has_kernel)
		meta_kernel_events(t);
	if (*r->meta)
		return ktrace_tracefile_meta(r->capture.file, r->meta, strlen(r->meta));
	ktrace_session_clock(r->session, &now);
	meta_trace(t, &info, NULL);
	meta_clock(t, &now);
	return 0;
}

static int fail_file(const struct rescue *r, const char *path, int error)
{
	if (error == -EBUSY)
		log_error("%s: another recording is writing this file", path);
	else if (error == -ESTALE || error == -EBADMSG)
		log_error("%s no longer belongs to session %s; name a new file with -o",
			  path, r->which->where);
	else if (error == -EPROTONOSUPPORT)
		log_error("%s was started by a newer ktraced: recover it with that version", path);
	else if (error == -EACCES && r->is_of_other)
		log_error("%s: %s: user id %u, who owns the session, must be allowed to read and "
			  "write it", path, strerror(EACCES), r->which->uid);
	else
		log_error("%s: %s", path, strerror(-error));
	return error;
}

/* True if the file has an end mark, or cannot be checked. */
static bool is_closed(const char *path)
{
	struct ktrace_traceset *set;
	bool is = true;

	if (ktrace_traceset_open(NULL, &set))
		return true;
	if (!ktrace_traceset_add(set, path))
		is = ktrace_trace_is_closed(ktrace_traceset_trace(set, 0));
	ktrace_traceset_close(set);
	return is;
}

/* Ends the part before, which may lack its end: the recording went on in this part already. */
static void end_part_before(const struct rescue *r, __u32 number)
{
	char *path = number > 1 ? parts_other_name(r->path, number, number - 1) : NULL;
	struct ktrace_tracefile *file;
	int error;

	if (path && !is_closed(path)) {
		error = ktrace_tracefile_reopen(path, r->uuid, &file);
		if (!error)
			error = ktrace_tracefile_close_part(file);
		if (error)
			log_error("%s: %s", path, strerror(-error));
	}
	free(path);
}

/*
 * Handles a recorder that was killed between two parts: if the next part has its name already, goes
 * on with it; if not, removes it, as it has no events and perhaps no header. @file: the part that
 * the note names, out: the last part
 */
static int follow_parts(struct rescue *r, struct ktrace_tracefile **file)
{
	__u32 number = ktrace_tracefile_part(*file);
	char *path = number ? parts_other_name(r->path, number, number + 1) : NULL;
	char *unnamed = path ? parts_new_name(path) : NULL;
	struct ktrace_tracefile *next;
	int error = 0;

	if (unnamed)
		parts_remove(unnamed);
	free(unnamed);
	if (path && !ktrace_tracefile_reopen(path, r->uuid, &next)) {
		error = ktrace_tracefile_close_part(*file);
		free(r->path);
		r->target = r->path = path;
		path = NULL;
		*file = next;
		number++;
	}
	free(path);
	if (error)
		return fail_file(r, r->path, error);
	end_part_before(r, number);
	return 0;
}

/* Opens the session's own file. */
static int complete_file(struct rescue *r, struct ktrace_tracefile **file)
{
	int error;

	if (!*r->path) {
		log_error("session %s does not name its file; name one with -o",
			  r->which->where);
		return -ENOENT;
	}
	r->target = r->path;
	error = ktrace_tracefile_reopen(r->path, r->uuid, file);
	return error ? fail_file(r, r->path, error) : follow_parts(r, file);
}

/* access(2) would ask for the real user, whose rights are not those that we have taken. */
static bool can_read(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Copies the session's file to -o, or creates a new one if there is none. */
static int make_file(struct rescue *r, struct ktrace_tracefile **file, bool *is_new)
{
	struct stat st;
	int error = -ENOENT;

	r->target = r->output;
	if (!stat(r->output, &st) && !S_ISREG(st.st_mode)) {
		log_error("%s: the trace must go to a regular file", r->output);
		return -EINVAL;
	}
	if (*r->path)
		error = ktrace_tracefile_copy(r->path, r->uuid, r->output, file);
	if (!error)
		return 0;
	/* What is not there may be a folder of the new file. */
	if ((error == -ENOENT && *r->path && !access(r->path, F_OK)) ||
	    (error != -ENOENT && error != -ESTALE && error != -EBADMSG))
		return fail_file(r, error == -EACCES && *r->path && !can_read(r->path) ?
				 r->path : r->output, error);
	if (*r->path)
		log_note("%s is gone: its contents are missing in %s", r->path, r->output);
	*is_new = true;
	error = ktrace_tracefile_create(r->output, file);
	return error ? fail_file(r, r->output, error) : 0;
}

static int open_file(struct rescue *r)
{
	struct ktrace_tracefile *file;
	bool is_new = false;
	int error = r->output ? make_file(r, &file, &is_new) : complete_file(r, &file);

	if (error)
		return error;
	/* From now on the session names this file, in case ktraced dies. */
	error = recovery_note_set(r->session, r->target, file, r->meta);
	if (!error)
		error = capture_init(&r->capture, r->session, file, r->target);
	if (error) {
		log_error("%s: %s", r->target, strerror(-error));
		ktrace_tracefile_close(file);
		return error;
	}
	r->capture.must_keep = true;
	r->capture.context = &r->context;
	context_resume(&r->context);
	capture_resume(&r->capture);
	error = is_new ? begin_meta(r) : 0;
	if (error) {
		log_error("%s: %s", r->target, strerror(-error));
		capture_exit(&r->capture);
	}
	return error;
}

static void say_result(const struct rescue *r, const struct ktrace_lost *lost)
{
	log_note("%s: %llu events recovered, %llu lost in all, %s", r->which->where,
		 (unsigned long long)r->capture.events, (unsigned long long)lost_total(lost->count),
		 r->target);
}

/* Writes all remaining data to the file, and then its end. */
static int drain(struct rescue *r)
{
	struct capture *c = &r->capture;
	struct ktrace_reading now;
	struct ktrace_lost lost;
	int error;

	capture_finish(c);
	if (c->write_error)
		return c->write_error;
	ktrace_session_clock(r->session, &now);
	meta_clock(&c->meta, &now);
	meta_registry(&c->meta, r->session);
	meta_end(&c->meta, -1, "recovered");
	losses_of(c->session, &lost);
	error = capture_flush_meta(c);
	if (!error)
		say_result(r, &lost);
	return error;
}

/* True if the owner died before it could begin, or after all was done. */
static bool is_empty(const struct ktrace_session *s)
{
	for (__u32 i = 0; i < ktrace_stream_nr(s); i++) {
		struct ktrace_lost lost;

		ktrace_stream_lost(s, i, &lost);
		if (ktrace_stream_pos(s, i) || ktrace_stream_unread(s, i) || lost_total(lost.count))
			return false;
	}
	return true;
}

static int save(struct rescue *r)
{
	int error = read_note(r), close_error;

	if (error) {
		log_error("%s", strerror(-error));
		return error;
	}
	if (!*r->path && is_empty(r->session)) {
		log_note("%s was empty", r->which->where);
		return 0;
	}
	error = open_file(r);
	if (error)
		return error;
	error = drain(r);
	close_error = capture_exit(&r->capture);
	if (!error && close_error)
		log_error("%s: %s", r->target, strerror(-close_error));
	return error ? error : close_error;
}

static int take_rights(const struct ktrace_stale *which, int backend)
{
	int error;

	if (which->uid == geteuid() || which->backend != backend)
		return 0;
	error = rights_take_user(which->uid);
	if (error)
		log_error("%s: cannot take the rights of its owner, user id %u: %s", which->where,
			  which->uid, error == -ENXIO ? "no such user" : strerror(-error));
	return error;
}

static int adopt(struct rescue *r)
{
	char reason[KTRACE_REASON_SIZE] = "";
	int error = take_rights(r->which, KTRACE_BACKEND_SHM);

	if (error)
		return error;
	error = ktrace_session_adopt(r->which, &r->session, reason);
	if (error) {
		log_error("%s", reason[0] ? reason : strerror(-error));
		return error;
	}
	error = take_rights(r->which, KTRACE_BACKEND_DEV);
	if (error)
		ktrace_session_leave(r->session);
	return error;
}

/* Removes the session only if its data is in a file and safely on disk. */
static int recover_one(const struct ktrace_stale *which, const char *output)
{
	struct rescue r = { .which = which, .output = output,
			    .is_of_other = which->uid != geteuid() };
	int error;

	sigbus_guard_session(&r.session);
	error = adopt(&r);
	if (error) {
		sigbus_guard_end();
		return error;
	}
	error = save(&r);
	if (error) {
		ktrace_session_leave(r.session);
	} else {
		ktrace_session_dismiss(r.session);
		ktrace_session_destroy(r.session);
	}
	sigbus_guard_end();
	context_exit(&r.context);
	free(r.note);
	free(r.path);
	return error;
}

static int discard_one(const struct ktrace_stale *which)
{
	int error = take_rights(which, KTRACE_BACKEND_SHM);

	if (error)
		return error;
	error = ktrace_session_discard(which);
	if (error)
		log_error("%s: %s", which->where, strerror(-error));
	else if (!which->is_unfinished)
		log_note("%s discarded", which->where);
	return error;
}

/* Prints one line for a session, for people and scripts: see the man page. */
static void list_one(const struct ktrace_stale *which)
{
	printf("%s %llu", which->where, (unsigned long long)which->bytes);
	if (which->seconds)
		printf(" %u", which->seconds);
	else
		printf(" -");
	if (which->uid != geteuid())
		printf(" uid=%u", which->uid);
	printf("%s\n", which->is_unfinished ? " unfinished" : "");
}

/* True if @name is the session's id, its place, or the value of KTRACE_SESSION. */
static bool is_named(const struct ktrace_stale *which, const char *name)
{
	char id[17];
	size_t n = strlen(which->where);

	snprintf(id, sizeof(id), "%llx", (unsigned long long)which->id);
	if (!strncmp(name, "shm:", 4))
		name += 4;
	return !strcmp(name, id) || (!strncmp(name, which->where, n) &&
				     (!name[n] || !strcmp(name + n, "/user")));
}

static int say_not_there(const struct ktrace_stale *list, size_t nr, size_t all, const char *name)
{
	for (size_t i = nr; i < all; i++)
		if (is_named(&list[i], name)) {
			log_error("%s is a session of user id %u; root can recover it with "
				  "--all-users", name, list[i].uid);
			return -EPERM;
		}
	log_error("%s is not a session left behind; --recover --list shows those that are", name);
	return -ENOENT;
}

/* Keeps the named sessions in the list; fails if one does not exist, or is of another user. */
static int choose(struct ktrace_stale *list, size_t *nr, size_t all, char **names)
{
	size_t kept = 0;

	for (; *names; names++) {
		size_t i = kept;

		while (i < *nr && !is_named(&list[i], *names))
			i++;
		if (i == *nr)
			return say_not_there(list, *nr, all, *names);
		if (i != kept) {
			struct ktrace_stale found = list[i];

			list[i] = list[kept];
			list[kept] = found;
		}
		kept++;
	}
	*nr = kept;
	return 0;
}

/* Prints the same as JSON; its place needs no quoting: letters, digits and its folder. */
static void list_one_json(const struct ktrace_stale *which)
{
	printf("{\"session\":\"%s\",\"uid\":%u,\"bytes\":%llu", which->where, which->uid,
	       (unsigned long long)which->bytes);
	if (which->seconds)
		printf(",\"seconds\":%u", which->seconds);
	printf(",\"unfinished\":%s}\n", which->is_unfinished ? "true" : "false");
}

static int act(const struct options *o, const struct ktrace_stale *which)
{
	return o->is_discard || which->is_unfinished ? discard_one(which)
						     : recover_one(which, o->output);
}

/* Acts in a separate process, which takes the owner's rights and cannot get ours back. */
static int act_for_owner(const struct options *o, const struct ktrace_stale *which)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(act(o, which) ? EXIT_OWN : 0);
	if (pid < 0 || waitpid(pid, &status, 0) < 0) {
		log_error("%s: %s", which->where, strerror(errno));
		return -errno;
	}
	if (WIFSIGNALED(status))
		log_error("%s: signal %d killed its recovery", which->where, WTERMSIG(status));
	return status ? -EIO : 0;
}

static int work(const struct options *o, const struct ktrace_stale *list, size_t nr)
{
	int status = 0;

	for (size_t i = 0; i < nr; i++) {
		if (o->is_list)
			(o->is_json ? list_one_json : list_one)(&list[i]);
		else if (list[i].uid == geteuid() ? act(o, &list[i]) : act_for_owner(o, &list[i]))
			status = EXIT_OWN;
	}
	return status;
}

/*
 * Lists the sessions left behind: the caller's first, then @others of other users; @list is to be
 * freed. Return: their number, or -ENOMEM.
 */
static ssize_t find_all(struct ktrace_stale **list, size_t *others)
{
	size_t nr = 16, cap, own = 0;

	*list = NULL;
	do {
		cap = nr;
		free(*list);
		*list = calloc(cap + 1, sizeof(**list));
		if (!*list)
			return -ENOMEM;
		nr = ktrace_session_list_stale(*list, cap);
	} while (nr > cap);
	for (size_t i = 0; i < nr; i++) {
		struct ktrace_stale found = (*list)[i];

		if (found.uid != geteuid())
			continue;
		(*list)[i] = (*list)[own];
		(*list)[own++] = found;
	}
	*others = nr - own;
	return (ssize_t)nr;
}

/* Reports sessions that the module has freed since it was loaded; its log names their owners. */
static void tell_freed(void)
{
	const __u32 nr = ktrace_device_freed();

	if (nr)
		log_note("the module has freed %u session%s that had not been recovered; dmesg "
			 "says which and why", nr, nr == 1 ? "" : "s");
}

static int recover_of(const struct options *o, struct ktrace_stale *list, size_t all, size_t others)
{
	const size_t skipped = o->all_users || o->argv ? 0 : others;
	size_t nr = o->all_users ? all : all - others;
	int status;

	if (o->argv && choose(list, &nr, all, o->argv))
		return EXIT_OWN;
	if (o->output && nr > 1 && !o->is_list && !o->is_discard) {
		log_error("-o takes one session, but there are %zu: name one that --list "
			  "shows", nr);
		return EXIT_OWN;
	}
	if (!nr && !o->is_list && !skipped)
		log_note("no session was left behind");
	status = work(o, list, nr);
	if (skipped)
		log_note("%zu session%s of other users skipped; --all-users takes %s too", skipped,
			 skipped == 1 ? "" : "s", skipped == 1 ? "it" : "them");
	/* Cleans up after recordings without a session, too. */
	if (o->is_list) {
		tell_freed();
	} else {
		kprobe_sweep();
		registries_sweep(o->all_users);
	}
	return log_output_end(status);
}

void recover_warn(void)
{
	struct ktrace_stale *list;
	const char *example = NULL;
	size_t others, nr = 0;
	ssize_t all = find_all(&list, &others);

	/* Unfinished sessions have no data to save. */
	for (ssize_t i = 0; i < all - (ssize_t)others; i++)
		if (!list[i].is_unfinished && !nr++)
			example = list[i].where;
	if (nr)
		log_note("%zu session%s left behind by a ktraced that died, e.g. %s; "
			 "ktraced --recover saves what %s", nr, nr == 1 ? "" : "s", example,
			 nr == 1 ? "it holds" : "they hold");
	free(list);
}

int recover(const struct options *o)
{
	struct ktrace_stale *list;
	size_t others;
	ssize_t all;
	int status;

	dying_wait();
	all = find_all(&list, &others);
	if (all < 0) {
		log_error("%s", strerror((int)-all));
		return EXIT_OWN;
	}
	/* Makes a limit to the size of files an error of write(2). */
	signal(SIGXFSZ, SIG_IGN);
	status = recover_of(o, list, (size_t)all, others);
	free(list);
	return status;
}
