// SPDX-License-Identifier: GPL-2.0
/* test_level.c - levels and their names, for <ktrace/level.h>; messages, for <ktrace/port.h> */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktrace/level.h>
#include <ktrace/port.h>

static const struct {
	const char *list;
	const char *names;	/* NULL: no levels, but */
	const char *bad;
} lists[] = {
	{ "mutex", "mutex", NULL },
	{ "MUTEX", "mutex", NULL },
	{ "LEVEL_MUTEX_ALL", "mutex", NULL },
	{ "level-mutex-all", "mutex", NULL },
	{ "Level_Mutex_IO", "mutex-io", NULL },
	{ "mutex_io", "mutex-io", NULL },
	{ "LEVEL_ALL", "all", NULL },
	{ "LEVEL_IO", "io", NULL },
	{ "LEVEL_NONE", "none", NULL },
	{ "none,none", "none", NULL },
	{ "none,sem", "sem", NULL },
	{ "sem,mutex,sem", "mutex,sem", NULL },
	{ "", NULL, "" },
	{ ",", NULL, "" },
	{ "mutex,", NULL, "" },
	{ "mutex,,sem", NULL, "" },
	{ "mute", NULL, "mute" },
	{ "mutexx", NULL, "mutexx" },
	{ "mutex io", NULL, "mutex io" },
	{ "mutex,LEVEL_,sem", NULL, "LEVEL_" },
	{ "_all", NULL, "_all" },
	{ "level_level_all", NULL, "level_level_all" },
};

static void test_lists(void)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		char names[256], bad[32] = "";
		__u32 levels;
		bool is = ktrace_level_parse(lists[i].list, &levels, bad, sizeof(bad));

		assert(is == !!lists[i].names);
		if (!is) {
			assert(!strcmp(bad, lists[i].bad));
			continue;
		}
		assert(!ktrace_level_names(levels, names, sizeof(names)));
		assert(!strcmp(names, lists[i].names));
	}
}

/* Every row by its name, and all of them at once: no glob is there twice. */
static void test_rows(void)
{
	char all[1024] = "", text[2048], small[8], bad[8];
	const struct ktrace_level *row;
	__u32 levels;

	for (__u32 i = 0; (row = ktrace_level(i)); i++) {
		assert(ktrace_level_parse(row->name, &levels, bad, sizeof(bad)));
		assert(levels == 1u << i);
		assert(!ktrace_level_globs(levels, text, sizeof(text)));
		assert(!strcmp(text, row->globs));
		if (strcmp(row->name, "all")) {
			strcat(all, *all ? "," : "");
			strcat(all, row->name);
		}
	}
	assert(ktrace_level_parse(all, &levels, bad, sizeof(bad)));
	assert(!ktrace_level_globs(levels, text, sizeof(text)));
	for (const char *at = text; (at = strstr(at, "pthread:mutex_*")); at++)
		assert(!strstr(at + 1, "pthread:mutex_*"));
	assert(strstr(text, "pthread:thread_start"));
	assert(ktrace_level_globs(levels, small, sizeof(small)) == -ENAMETOOLONG);
	assert(ktrace_level_names(levels, small, sizeof(small)) == -ENAMETOOLONG);
	assert(ktrace_level_parse("all,mutex", &levels, bad, sizeof(bad)));
	assert(!ktrace_level_globs(levels, text, sizeof(text)) && !strcmp(text, "pthread:*"));
	/* A word that does not fit is cut off. */
	assert(!ktrace_level_parse("much-too-long", &levels, bad, sizeof(bad)));
	assert(!strcmp(bad, "much-to"));
}

static void expect_value(const char *text, const char *key, const char *value)
{
	char *got = ktrace_port_value(text, key);

	assert(value ? got && !strcmp(got, value) : !got);
	free(got);
}

static void test_values(void)
{
	expect_value("set levels=a,b events=", "levels", "a,b");
	expect_value("set levels=a,b events=", "events", "");
	expect_value("set levels=a events=b", "event", NULL);
	expect_value("set xlevels=a", "levels", NULL);
	expect_value("levels=a", "levels", NULL);
	expect_value("ok cmd=a%20b%25%2", "cmd", "a b%%2");
	expect_value("ok cmd=%4", "cmd", "%4");
	expect_value("ok cmd=%", "cmd", "%");
	expect_value("ok cmd=%zz", "cmd", "%zz");
	expect_value("ok cmd=a%00b", "cmd", NULL);
	expect_value("ok cmd=a\nx cmd=b", "cmd", "a");
	expect_value("", "cmd", NULL);
}

/* Two ports of one process: each gets its own messages, and the list has both. */
static void test_ports(void)
{
	static char message[KTRACE_PORT_MESSAGE];
	struct ktrace_port list[256], port = { geteuid(), (__u32)getpid(), 0x123456789abcdefull };
	int one = ktrace_port_open(port.id), two = ktrace_port_open(port.id + 1), found = 0;
	size_t nr;

	assert(one >= 0 && two >= 0);
	assert(ktrace_port_open(port.id) == -EADDRINUSE);
	nr = ktrace_port_list(list, 256);
	for (size_t i = 0; i < nr && i < 256; i++)
		found += list[i].pid == port.pid && list[i].uid == port.uid &&
			 (list[i].id == port.id || list[i].id == port.id + 1);
	assert(found == 2 || nr > 256);
	assert(ktrace_port_list(NULL, 0) >= 2);
	port.id += 2;
	assert(ktrace_port_ask(&port, "show", message) == -ECONNREFUSED);
	close(one);
	close(two);
}

#define MANY 300

/* Answers with what it is asked, but nobody before all have been asked. */
static void answer_when_all_are_asked(const int *fds)
{
	static char message[KTRACE_PORT_MESSAGE];
	static struct ktrace_port_sender from[MANY];

	for (size_t i = 0; i < MANY; i++) {
		struct pollfd ready = { .fd = fds[i], .events = POLLIN };

		if (poll(&ready, 1, 60000) != 1 || !ktrace_port_receive(fds[i], message, &from[i]))
			_exit(1);
	}
	for (size_t i = 0; i < MANY; i++)
		ktrace_port_answer(fds[i], &from[i], message);
	_exit(0);
}

/* Those that say nothing take no time from one that is slow. */
static void test_slow_among_many(void)
{
	static struct ktrace_port ports[MANY];
	static char *answers[MANY];
	static int errors[MANY], fds[MANY];
	int status;
	pid_t child;

	for (size_t i = 0; i < MANY; i++) {
		ports[i] = (struct ktrace_port) { geteuid(), (__u32)getpid(), 0xabcdef00000 + i };
		fds[i] = ktrace_port_open(ports[i].id);
		assert(fds[i] >= 0);
	}
	child = fork();
	assert(child >= 0);
	if (!child)
		answer_when_all_are_asked(fds);
	for (size_t i = 0; i < MANY; i++)
		close(fds[i]);
	ktrace_port_ask_all(ports, MANY, "show", answers, errors);
	for (size_t i = 0; i < MANY; i++) {
		assert(!errors[i] && !strcmp(answers[i], "show"));
		free(answers[i]);
	}
	assert(waitpid(child, &status, 0) == child && !status);
}

int main(void)
{
	test_lists();
	test_rows();
	test_values();
	test_ports();
	test_slow_among_many();
	puts("level: all passed");
	return 0;
}
