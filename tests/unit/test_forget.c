// SPDX-License-Identifier: GPL-2.0
/*
 * test_forget.c - a process forks and ends while its code is being forgotten: its child has it
 *
 * The kernel's news are made here; the processes are real. Each moment at which that can happen is
 * one at which capture_forget() calls somebody.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#include "../../userspace/daemon/output/forget.c"
#include "../../userspace/daemon/output/exited_processes.c"
#include "../../userspace/daemon/base/lines.c"
#include "../../userspace/daemon/base/turn.c"
#include "../../userspace/daemon/output/parts.c"

/* When the process forks and ends */
enum moment {
	BEFORE,		/* that is not told yet */
	FLUSHED,	/* what was told is in the present part */
	DRAINED,	/* the news have just been read */
	WRITTEN,	/* and are in the present part */
	NEVER,		/* it ends before, without a child */
};

static enum moment moment;
static unsigned int flushes;
static pid_t parent, child;
static int go[2], told[2];
static char news[64];
static __u64 kept;

static void start_parent(void)
{
	char c;

	CHECK(!pipe(go) && !pipe(told));
	parent = fork();
	CHECK(parent >= 0);
	if (parent)
		return;
	CHECK_EQ(read(go[0], &c, 1), 1);
	child = c ? fork() : 0;
	if (c && !child) {
		pause();
		_exit(0);
	}
	CHECK_EQ(write(told[1], &child, sizeof(child)), sizeof(child));
	_exit(0);
}

/* From here on it is gone, and the kernel has told of its child. */
static void end_parent(bool forks)
{
	CHECK_EQ(write(go[1], &(char){ forks }, 1), 1);
	CHECK_EQ(read(told[0], &child, sizeof(child)), sizeof(child));
	CHECK_EQ(waitpid(parent, NULL, 0), parent);
	if (forks)
		snprintf(news, sizeof(news), "origin pid=%d ppid=%d ts=2 maps=parent", child,
			 parent);
}

static void comes(enum moment now)
{
	if (now == moment)
		end_parent(true);
}

void context_drain(struct context *c, struct ktrace_session *s, struct ktrace_text *meta)
{
	(void)c;
	(void)s;
	if (*news)
		ktrace_text_line(meta, news);
	*news = '\0';
	comes(DRAINED);
}

void context_kept(struct context *c, __u64 bytes)
{
	(void)c;
	kept = bytes;
}

int capture_flush_meta(struct capture *c)
{
	if (c->meta.len)
		parts_remember(c->parts, c->meta.buf, c->meta.len);
	c->meta.len = 0;
	comes(flushes++ ? WRITTEN : FLUSHED);
	return 0;
}

/* Return: whether the code of the process is there in the next part. */
static bool is_kept(enum moment when)
{
	struct parts parts = { .is_forgetful = true };
	struct capture c = { .parts = &parts };
	char map[64];
	bool is;

	moment = when;
	flushes = 0;
	child = 0;
	start_parent();
	snprintf(map, sizeof(map), "map pid=%d ts=1 path=/a", parent);
	ktrace_text_line(&parts.facts, map);
	if (when == NEVER)
		end_parent(false);
	comes(BEFORE);
	capture_forget(&c);
	CHECK_EQ(flushes, 2);
	is = parts.facts.len && strstr(parts.facts.buf, map);
	CHECK_EQ(is, kept > 0);
	if (child)
		kill(child, SIGKILL);
	*news = '\0';
	for (int i = 0; i < 2; i++)
		CHECK(!close(go[i]) && !close(told[i]));
	ktrace_text_free(&parts.facts);
	ktrace_text_free(&c.meta);
	return is;
}

int main(void)
{
	for (enum moment when = BEFORE; when < NEVER; when++)
		CHECK(is_kept(when));
	CHECK(!is_kept(NEVER));
	puts("ok");
	return 0;
}
