// SPDX-License-Identifier: GPL-2.0
/*
 * copy.c - what a session has recorded so far, without ending it
 *
 * The service makes a session of its own of the buffers as they are, which belongs to the
 * connection that asked for it and is gone with that.
 */
#include "session.h"

#include "service.pb-c.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Makes the copy; @name: NULL = by @id. The service itself writes the copy of a session that it
 * writes into a file, into @file.
 */
static int clone_session(struct client *c, const char *name, __u64 id, FILE *file)
{
	Pft__CloneSessionRequest args = PFT__CLONE_SESSION_REQUEST__INIT;
	Pft__CloneSessionResponse *m = NULL;
	struct client_reply r = { 0 };
	__u64 request;
	int ret;

	args.selector_case = name ? PFT__CLONE_SESSION_REQUEST__SELECTOR_UNIQUE_SESSION_NAME :
			     PFT__CLONE_SESSION_REQUEST__SELECTOR_SESSION_ID;
	if (name)
		args.unique_session_name = (char *)name;
	else
		args.session_id = id;
	ret = client_call(c, "CloneSession", &args.base, fileno(file), &request);
	if (!ret)
		ret = client_wait(c, request, &r, -1);
	if (!ret && r.is_good)
		m = pft__clone_session_response__unpack(NULL, r.size, r.data);
	if (!m) {
		session_failed("CloneSession", ret ? ret : r.is_good ? -EPROTO : -EREMOTEIO, &r);
		return -1;
	}
	if (!m->success)
		complain_about("session", "%s", m->error ? m->error : "not cloned");
	ret = m->success ? m->was_write_into_file : -1;
	pft__clone_session_response__free_unpacked(m, NULL);
	return ret;
}

static int copy(const struct session *s, struct client *c, const char *name, __u64 id,
		const char *path)
{
	FILE *file = tmpfile();
	int status = STATUS_DAMAGED, written;

	if (!file) {
		complain_about(path, "a temporary file: %s", strerror(errno));
		return status;
	}
	written = clone_session(c, name, id, file);
	if (written == 1 || (!written && !save_read(c, file)))
		status = save_file(s, file, path);
	fclose(file);
	return status;
}

int session_copy(const struct session *s, __u64 id, const char *path)
{
	struct client c;
	const int ret = client_open(&c, CLIENT_CONSUMER, NULL);
	const int status = ret ? session_failed("connecting", ret, NULL) :
			   copy(s, &c, NULL, id, path);

	client_close(&c);
	return status;
}

static bool take_id(const char *word, __u64 *id)
{
	char *end;

	*id = strtoull(word, &end, 10);
	return *word >= '0' && *word <= '9' && !*end;
}

static int copy_named(const struct session *s, struct client *c, const char *name,
		      const char *path)
{
	__u64 id;

	return take_id(name, &id) ? copy(s, c, NULL, id, path) : copy(s, c, name, 0, path);
}

int session_snapshot(struct session *s)
{
	return copy_named(s, &s->c, s->words[0], s->output);
}

/* The command that this is a part of, on that file */
static int show(const char *path, bool is_json)
{
	char program[4096], *slash;
	const ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 32);
	char *args[] = { (char *)"ktrace", (char *)"list", (char *)path,
			 is_json ? (char *)"--json" : NULL, NULL };
	int status = 0;
	pid_t pid;

	if (n < 0)
		return STATUS_DAMAGED;
	program[n] = '\0';
	slash = strrchr(program, '/');
	strcpy(slash ? slash : program, "/../../bin/ktrace");
	pid = fork();
	if (!pid) {
		execv(program, args);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return STATUS_DAMAGED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_DAMAGED;
}

int session_read(struct session *s)
{
	const struct session quiet = { .is_quiet = true };
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int fd, status;

	snprintf(path, sizeof(path), "%s/ktrace-session-XXXXXX", dir && *dir ? dir : "/tmp");
	fd = mkstemp(path);
	if (fd < 0) {
		complain_about(path, "%s", strerror(errno));
		return STATUS_DAMAGED;
	}
	close(fd);
	status = copy_named(&quiet, &s->c, s->words[0], path);
	if (!status)
		status = show(path, s->is_json);
	unlink(path);
	return status;
}
