// SPDX-License-Identifier: GPL-2.0
/*
 * mklog.c - usage: mklog [-b] POLICY EVENTS FILE - writes the log of a POSIX stream
 *
 * POLICY is loop, until_full or append; the log has 8192 bytes. Events are START with a type that
 * is left out, and one that nobody knows, FILTER that leaves out none, "work" with numbers from 0
 * on, and STOP, 1 us after each other. -b breaks off: the log is not closed.
 */
#include <errno.h>
#include <stdlib.h>

#include "../unit/make_log.h"

static const char *const policies[] = {
	[POSIX_TRACE_LOOP] = "loop", [POSIX_TRACE_UNTIL_FULL] = "until_full",
	[POSIX_TRACE_APPEND] = "append",
};

static int find_policy(const char *name)
{
	for (int i = 0; i <= POSIX_TRACE_APPEND; i++)
		if (policies[i] && !strcmp(policies[i], name))
			return i;
	return 0;
}

static void put_events(struct posix_log *log, __u32 nr)
{
	trace_event_set_t sets[2] = { { { 1u << POSIX_TRACE_ERROR | 1ull << 40 } } };
	__s32 cause = 0;

	make_add(log, POSIX_TRACE_START, 2000, sets, sizeof(sets[0]));
	make_add(log, POSIX_TRACE_FILTER, 2500, sets, sizeof(sets));
	for (__u32 n = 0; n < nr; n++)
		make_add(log, MAKE_WORK, 3000 + 1000 * n, &n, sizeof(n));
	make_add(log, MAKE_ODD, 3000 + 1000 * nr, "salt", 4);
	make_add(log, POSIX_TRACE_STOP, 4000 + 1000 * nr, &cause, sizeof(cause));
}

int main(int argc, char **argv)
{
	bool breaks_off = argc > 1 && !strcmp(argv[1], "-b");
	struct posix_attr a;
	struct posix_log *log;
	int fd, ret;

	argv += breaks_off;
	argc -= breaks_off;
	if (argc != 4 || !find_policy(argv[1])) {
		fprintf(stderr, "usage: mklog [-b] loop|until_full|append EVENTS FILE\n");
		return 2;
	}
	a = make_attr(find_policy(argv[1]), 8192, 64);
	fd = open(argv[3], O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	ret = fd < 0 ? errno : make_open(fd, &a, &log);
	if (ret) {
		fprintf(stderr, "mklog: %s: %s\n", argv[3], strerror(ret));
		return 1;
	}
	ktrace_posix_log_name(log, MAKE_WORK, "work");
	ktrace_posix_log_name(log, MAKE_ODD, "odd name: \xff/+");
	put_events(log, (__u32)strtoul(argv[2], NULL, 0));
	if (breaks_off)
		return ktrace_posix_log_flush(log);
	ret = make_end(log, 1000000000);
	if (ret)
		fprintf(stderr, "mklog: %s: %s\n", argv[3], strerror(ret));
	return !!ret;
}
