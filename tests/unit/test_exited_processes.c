// SPDX-License-Identifier: GPL-2.0
/*
 * test_exited_processes.c - the code of processes that are gone is forgotten, and nothing else is
 */
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#include "../../userspace/daemon/output/exited_processes.c"
#include "../../userspace/daemon/base/lines.c"

/* The number of a process that has ended */
static unsigned int gone_pid(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	CHECK(pid > 0 && waitpid(pid, NULL, 0) == pid);
	return (unsigned int)pid;
}

/* Finds those that are gone, and forgets them at once. */
static __u64 forget(struct ktrace_text *t, const struct pids *stay)
{
	struct pids *gone = exited_find(t);
	__u64 bytes = exited_forget(t, gone, stay);

	free(gone);
	return bytes;
}

__attribute__((format(printf, 2, 3)))
static void put_line(struct ktrace_text *t, const char *format, ...)
{
	char line[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	ktrace_text_line(t, line);
}

static void check_text(const struct ktrace_text *t, const char *expected)
{
	CHECK(!t->error);
	CHECK_STR(t->buf, expected);
	CHECK_EQ(t->len, strlen(expected));
}

static void test_gone(void)
{
	const unsigned int self = (unsigned int)getpid(), gone = gone_pid();
	struct ktrace_text t = { 0 };
	char expected[512];
	int kept;

	kept = snprintf(expected, sizeof(expected), "map pid=%u ts=1 path=/b\n", self);
	put_line(&t, "map pid=%u ts=1 path=/a", gone);
	put_line(&t, "process pid=%u", gone);
	put_line(&t, "map pid=%u ts=1 path=/b", self);
	put_line(&t, "mapper pid=%u", gone);
	put_line(&t, "origin pid=%u ts=2 maps=own", gone);
	put_line(&t, "map nonsense");
	put_line(&t, "map pid=%u ts=3 path=/c", gone);
	CHECK_EQ(forget(&t, NULL), kept);
	snprintf(expected, sizeof(expected), "process pid=%u\nmap pid=%u ts=1 path=/b\n"
		 "mapper pid=%u\nmap nonsense", gone, self, gone);
	check_text(&t, expected);
	/* What was taken out is not there when text follows. */
	put_line(&t, "map pid=%u ts=4 path=/d", gone);
	forget(&t, NULL);
	check_text(&t, expected);
	ktrace_text_free(&t);
}

/* One that is there has its code from one that had it from another. */
static void test_parents(void)
{
	const unsigned int self = (unsigned int)getpid(), a = gone_pid(), b = gone_pid();
	struct ktrace_text t = { 0 };
	char before[512];

	put_line(&t, "map pid=%u ts=1 path=/a", a);
	put_line(&t, "origin pid=%u ppid=%u ts=2 maps=parent", b, a);
	put_line(&t, "origin pid=%u ppid=%u ts=3 maps=parent", self, b);
	snprintf(before, sizeof(before), "%s", t.buf);
	forget(&t, NULL);
	check_text(&t, before);
	ktrace_text_free(&t);
	/* The CPU of the second fork was asked first. */
	put_line(&t, "map pid=%u ts=1 path=/a", a);
	put_line(&t, "origin pid=%u ppid=%u ts=3 maps=parent", self, b);
	put_line(&t, "origin pid=%u ppid=%u ts=2 maps=parent", b, a);
	snprintf(before, sizeof(before), "%s", t.buf);
	forget(&t, NULL);
	check_text(&t, before);
	ktrace_text_free(&t);
}

/* One forks and ends while it is being found out who is gone. */
static void test_last_fork(void)
{
	const unsigned int self = (unsigned int)getpid();
	pid_t pid = fork();
	struct ktrace_text t = { 0 };
	struct pids *gone;
	char before[512];

	if (!pid) {
		pause();
		_exit(0);
	}
	CHECK(pid > 0);
	put_line(&t, "map pid=%u ts=1 path=/a", (unsigned int)pid);
	gone = exited_find(&t);
	CHECK(!kill(pid, SIGKILL) && waitpid(pid, NULL, 0) == pid);
	/* Its child is not known yet. */
	snprintf(before, sizeof(before), "%s", t.buf);
	exited_forget(&t, gone, NULL);
	check_text(&t, before);
	free(gone);
	/* It is now. */
	gone = exited_find(&t);
	put_line(&t, "origin pid=%u ppid=%u ts=2 maps=parent", self, (unsigned int)pid);
	snprintf(before, sizeof(before), "%s", t.buf);
	exited_forget(&t, gone, NULL);
	check_text(&t, before);
	free(gone);
	/* Nobody has the code any more. */
	t.len = 0;
	put_line(&t, "map pid=%u ts=1 path=/a", (unsigned int)pid);
	forget(&t, NULL);
	check_text(&t, "");
	ktrace_text_free(&t);
}

static void test_those_that_stay(void)
{
	static struct pids stay;
	const unsigned int gone = gone_pid();
	struct ktrace_text t = { 0 };
	char before[64];

	CHECK_EQ(forget(&t, &stay), 0);
	CHECK_EQ(t.len, 0);
	put_line(&t, "map pid=%u ts=1", gone);
	snprintf(before, sizeof(before), "%s", t.buf);
	pids_set(&stay, gone, true);
	forget(&t, &stay);
	check_text(&t, before);
	pids_set(&stay, gone, false);
	forget(&t, &stay);
	check_text(&t, "");
	ktrace_text_free(&t);
}

int main(void)
{
	test_gone();
	test_parents();
	test_last_fork();
	test_those_that_stay();
	puts("ok");
	return 0;
}
