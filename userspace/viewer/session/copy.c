// SPDX-License-Identifier: GPL-2.0
/*
 * copy.c - copies what a session has recorded so far, without ending it
 *
 * The service clones the buffers into a new session, which belongs to the connection that asked
 * for it and ends with it.
 */
#include "session.h"

#include "base/json.h"
#include "base/table.h"
#include "base/when.h"
#include "base/temporary.h"
#include "recorder.h"
#include "service.pb-c.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef Pft__ObservableEvents__CloneTriggerHit Hit;

/* The copy records the trigger as the reason it was made. */
static void name_trigger(Pft__CloneSessionRequest *args, const Hit *hit)
{
	args->clone_trigger_name = hit->trigger_name;
	args->clone_trigger_producer_name = hit->producer_name;
	args->has_clone_trigger_trusted_producer_uid = hit->has_producer_uid;
	args->clone_trigger_trusted_producer_uid = (int32_t)hit->producer_uid;
	args->has_clone_trigger_boot_time_ns = hit->has_boot_time_ns;
	args->clone_trigger_boot_time_ns = hit->boot_time_ns;
	args->has_clone_trigger_delay_ms = hit->has_trigger_delay_ms;
	args->clone_trigger_delay_ms = hit->trigger_delay_ms;
}

/*
 * Clones a session, given by id or name. If the session writes into a file, the service itself
 * writes the copy into @file. @hit: the trigger that asked for it, or NULL.
 * @made: id of the copy, 0: the service does not say.
 * Return: 1: the service has written @file, 0: it has not, -1: no copy, after reporting the error.
 */
static int clone_session(struct client *c, const char *word, FILE *file, const Hit *hit,
			 __u64 *made)
{
	Pft__CloneSessionRequest args = PFT__CLONE_SESSION_REQUEST__INIT;
	Pft__CloneSessionResponse *m = NULL;
	struct client_reply r = { 0 };
	__u64 request, id;
	int ret;

	if (number_parse(word, 0, ~0ull, &id)) {
		args.selector_case = PFT__CLONE_SESSION_REQUEST__SELECTOR_SESSION_ID;
		args.session_id = id;
	} else {
		args.selector_case = PFT__CLONE_SESSION_REQUEST__SELECTOR_UNIQUE_SESSION_NAME;
		args.unique_session_name = (char *)word;
	}
	if (hit)
		name_trigger(&args, hit);
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
		complain_about(word, "%s", m->error ? m->error : "not cloned");
	ret = m->success ? m->was_write_into_file : -1;
	*made = m->session_id;
	pft__clone_session_response__free_unpacked(m, NULL);
	return ret;
}

static int copy(const struct session *s, struct client *c, const char *word, const Hit *hit,
		const char *path)
{
	FILE *file = temporary_stream();
	int status = STATUS_DAMAGED, written;
	__u64 made;

	if (!file)
		return status;
	written = clone_session(c, word, file, hit, &made);
	if (written == 1 || (!written && !save_read(c, file)))
		status = save_file(s, file, path);
	fclose(file);
	return status;
}

int session_copy(const struct session *s, const Hit *hit, const char *path)
{
	struct client c;
	char word[24];
	int ret, status;

	snprintf(word, sizeof(word), "%llu", (unsigned long long)hit->tracing_session_id);
	ret = client_open(&c, CLIENT_CONSUMER, NULL);
	status = ret ? session_failed("connecting", ret, NULL) : copy(s, &c, word, hit, path);
	client_close(&c);
	return status;
}

int session_snapshot(struct session *s)
{
	return copy(s, &s->c, s->words[0], NULL, s->output);
}

/* Only our service returns the id of the copy. */
static int say_clone(const struct session *s, __u64 made)
{
	struct ktrace_out *out = output();

	if (s->is_json) {
		ktrace_out_char(out, '{');
		if (made)
			json_u64(out, "id", made);
		ktrace_out_str(out, "}\n");
	} else if (made) {
		out_printf(out, "session id %llu\n", made);
	} else {
		ktrace_out_str(out, "session copied\n");
	}
	return output_end(STATUS_OK);
}

/* Keeps the connection open until SIGINT, as the copy ends with it. */
static int keep_clone(struct session *s, __u64 made)
{
	struct client_reply r;
	int status, ret = session_watch_signals(s);

	if (ret)
		return session_failed("signals", ret, NULL);
	status = say_clone(s, made);
	if (status)
		return status;
	do {
		ret = client_wait(&s->c, 0, &r, -1);
	} while (!ret);
	if (ret != -EINTR)
		return session_failed("clone", ret, NULL);
	return s->output ? save_buffers(s, &s->c, s->output) : STATUS_OK;
}

int session_clone(struct session *s)
{
	FILE *file = save_is_possible(s) ? temporary_stream() : NULL;
	int written, status = STATUS_DAMAGED;
	__u64 made;

	if (!file)
		return status;
	written = clone_session(&s->c, s->words[0], file, NULL, &made);
	fclose(file);
	if (written == 1)
		complain_about(s->words[0], "is written into a file: only a snapshot copies that");
	return written ? status : keep_clone(s, made);
}

/* Runs "ktrace list" on a file. */
static int show(const char *path, bool is_json)
{
	char *args[] = { (char *)"ktrace", (char *)"list", (char *)path,
			 is_json ? (char *)"--json" : NULL, NULL };
	const pid_t pid = program_start("ktrace", args, -1, -1);
	int status = 0;

	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return STATUS_DAMAGED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_DAMAGED;
}

/* Copies into a file without a name, which vanishes with this process however it ends. */
int session_read(struct session *s)
{
	const struct session quiet = { .is_quiet = true, .is_nameless = true };
	const int fd = temporary_file();
	char path[32];
	int status;

	if (fd < 0) {
		temporary_failed(-fd);
		return STATUS_DAMAGED;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	status = copy(&quiet, &s->c, s->words[0], NULL, path);
	if (!status && fcntl(fd, F_SETFD, 0))
		status = session_failed("read", -errno, NULL);
	if (!status)
		status = show(path, s->is_json);
	close(fd);
	return status;
}
