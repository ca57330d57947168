// SPDX-License-Identifier: GPL-2.0
/* test_live.c - <ktrace/live.h>: answers of recordings, honest and not; names; errors */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktrace/live.h>
#include <ktrace/port.h>

#define ID 0x77aa000000000000ull

/* A process with a port for each of @answers, which it gives to any message; NULL = gives none */
static pid_t serve(const char *const *answers, size_t nr)
{
	static char message[KTRACE_PORT_MESSAGE];
	struct pollfd ready[8];
	struct ktrace_port_sender from;
	int pipes[2];
	char byte;
	pid_t pid;

	assert(!pipe(pipes));
	pid = fork();
	assert(pid >= 0);
	if (pid) {
		close(pipes[1]);
		assert(read(pipes[0], &byte, 1) == 1);
		close(pipes[0]);
		return pid;
	}
	for (size_t i = 0; i < nr; i++)
		ready[i] = (struct pollfd){ ktrace_port_open(ID + i), POLLIN, 0 };
	if (write(pipes[1], "", 1) != 1)
		_exit(1);
	for (;;) {
		poll(ready, nr, -1);
		for (size_t i = 0; i < nr; i++)
			if (ready[i].revents && answers[i] &&
			    ktrace_port_receive(ready[i].fd, message, &from))
				ktrace_port_answer(ready[i].fd, &from, answers[i]);
	}
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert(waitpid(pid, NULL, 0) == pid);
}

/* Finds what @answer is the answer of; frees the former list. */
static struct ktrace_live *found(struct ktrace_live_list **list, pid_t *pid, const char *answer)
{
	char name[32];

	*pid = serve(&answer, 1);
	snprintf(name, sizeof(name), "%d", *pid);
	assert(!ktrace_live_find(list, name, "status"));
	assert(ktrace_live_nr(*list) == 1 && !ktrace_live_at(*list, 1));
	return ktrace_live_at(*list, 0);
}

static void test_answers(void)
{
	static const struct {
		const char *answer;
		int error;
		enum ktrace_live_kind kind;
	} rows[] = {
		{ "ok pid=1 a=b", 0, KTRACE_LIVE_RECORDING },
		{ "ok pid=1 kind=other", 0, KTRACE_LIVE_RECORDING },
		{ "ok \n", 0, KTRACE_LIVE_RECORDING },
		{ "ok  = == a =b c\n", 0, KTRACE_LIVE_RECORDING },
		{ "refused reason=no%20way", -EREMOTEIO, KTRACE_LIVE_UNKNOWN },
		{ "refused ", -EREMOTEIO, KTRACE_LIVE_UNKNOWN },
		{ "refused", -EPROTO, KTRACE_LIVE_UNKNOWN },
		{ "ok", -EPROTO, KTRACE_LIVE_UNKNOWN },
		{ "what", -EPROTO, KTRACE_LIVE_UNKNOWN },
		{ "", -EPROTO, KTRACE_LIVE_UNKNOWN },
	};
	struct ktrace_live_list *list;
	pid_t pid;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct ktrace_live *r = found(&list, &pid, rows[i].answer);

		assert(ktrace_live_error(r) == rows[i].error);
		assert(ktrace_live_kind(r) == rows[i].kind);
		assert(ktrace_live_pid(r) == (__u32)pid && atoi(ktrace_live_name(r)) == pid);
		assert(!ktrace_live_text(r, "reason"));
		ktrace_live_free(list);
		end(pid);
	}
}

static void test_values(void)
{
	struct ktrace_live_list *list;
	const struct ktrace_live *r;
	__u64 value = 7;
	pid_t pid;

	r = found(&list, &pid, "ok file=a%20b cut=%00x bytes=12 bytes=13 lost=5 lost_full=2 "
		  "lost_nested=3 many=99999999999999999999\nnext=1");
	assert(!strcmp(ktrace_live_text(r, "file"), "a b"));
	assert(!ktrace_live_text(r, "cut") && !ktrace_live_text(r, "next"));
	assert(ktrace_live_number(r, "bytes", &value) && value == 12);
	assert(!ktrace_live_number(r, "absent", &value) && !value);
	assert(ktrace_live_number(r, "many", &value) && value == ~0ull);
	assert(!strcmp(ktrace_live_loss(r, 0, &value), "full") && value == 2);
	assert(!strcmp(ktrace_live_loss(r, 1, &value), "nested") && value == 3);
	assert(!ktrace_live_loss(r, 2, &value));
	ktrace_live_free(list);
	end(pid);
}

/* More values than any recording has: the first ones count. */
static void test_many_values(void)
{
	char answer[16384] = "ok ";
	struct ktrace_live_list *list;
	const struct ktrace_live *r;
	__u64 value;
	pid_t pid;

	for (int i = 0; i < 1000; i++)
		sprintf(answer + strlen(answer), "k%d=%d ", i, i);
	r = found(&list, &pid, answer);
	assert(ktrace_live_number(r, "k9", &value) && value == 9);
	assert(!ktrace_live_number(r, "k999", &value));
	ktrace_live_free(list);
	end(pid);
}

/* Sessions of one number, and one of another */
static void test_names(void)
{
	static const char *const answers[] = {
		"ok kind=session session=session:77001 name=first",
		"ok kind=session session=session:77001 key=second",
		"ok kind=session session=session:77002",
		"ok session=shm:/dev/shm/ktrace-live/user command=4294967295",
	};
	static const struct {
		const char *name;
		size_t nr;
	} rows[] = {
		{ "session:77001", 2 }, { "session:77002", 1 }, { "first", 1 }, { "second", 1 },
		{ "session:7700", 0 }, { "77002", 0 }, { "/dev/shm/ktrace-live", 1 },
		{ "/dev/shm/ktrace-liv", 0 }, { "4294967295", 1 }, { "77aa000000000001", 1 },
	};
	const pid_t pid = serve(answers, 4);
	struct ktrace_live_list *list;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert(!ktrace_live_find(&list, rows[i].name, "show"));
		assert(ktrace_live_nr(list) == rows[i].nr);
		for (size_t k = 0; rows[i].nr == 2 && k < 2; k++) {
			const char *name = ktrace_live_name(ktrace_live_at(list, k));

			assert(!strcmp(name, "77aa000000000000") ||
			       !strcmp(name, "77aa000000000001"));
		}
		ktrace_live_free(list);
	}
	end(pid);
}

/* Actions: refused, too long, and of a recording that has gone meanwhile */
static void test_actions(void)
{
	static char text[KTRACE_PORT_MESSAGE];
	struct ktrace_live_list *list;
	struct ktrace_live *r;
	pid_t pid;

	r = found(&list, &pid, "refused reason=no%20way");
	assert(ktrace_live_pause(r) == -EREMOTEIO && ktrace_live_rotate(r) == -EREMOTEIO);
	assert(ktrace_live_mark(r, "x") == -EREMOTEIO && ktrace_live_stop(r) == -EREMOTEIO);
	assert(!strcmp(ktrace_live_reason(r), "no way"));
	memset(text, 'x', sizeof(text) - 1);
	assert(ktrace_live_enable(r, text) == -E2BIG && !ktrace_live_reason(r));
	end(pid);
	assert(ktrace_live_resume(r) == -ECONNREFUSED && ktrace_live_error(r) == -ECONNREFUSED);
	assert(ktrace_live_mark(r, "x") == -ECONNREFUSED);
	assert(ktrace_live_status(r) == -ECONNREFUSED);
	ktrace_live_free(list);
	ktrace_live_free(NULL);
}

int main(void)
{
	test_answers();
	test_values();
	test_many_values();
	test_names();
	test_actions();
	puts("live: all passed");
	return 0;
}
