// SPDX-License-Identifier: MIT
/*
 * supervisor.c - watches live recordings, and ends one before it loses much
 *
 * Without arguments it prints a line for each recording of ktraced, and each session of
 * ktraced --service, that this user may ask. With a name and a number, it looks at that one each
 * second; once as many were lost, it leaves a mark and ends the recording:
 *
 *   build/examples/supervisor
 *   build/examples/supervisor 4711 1000
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ktrace/live.h>

static void show(const struct ktrace_live *r)
{
	static const char *const keys[] = { "bytes_s", "fill", "lost", "programs", "free" };
	unsigned long long nr = 0;
	const char *reason;
	__u64 value;

	printf("%s %s", ktrace_live_name(r),
	       ktrace_live_kind(r) == KTRACE_LIVE_SESSION ? "session" : "recording");
	if (ktrace_live_error(r))
		printf(": %s", strerror(-ktrace_live_error(r)));
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (ktrace_live_number(r, keys[i], &value))
			printf(" %s %llu", keys[i], (unsigned long long)value);
	for (size_t i = 0; (reason = ktrace_live_loss(r, i, &value)); i++)
		nr += value;
	printf(" reasons %llu\n", nr);
}

/* Prints why the last call failed. */
static int fail(const struct ktrace_live *r)
{
	const char *reason = ktrace_live_reason(r);

	fprintf(stderr, "%s: %s\n", ktrace_live_name(r),
		reason ? reason : strerror(-ktrace_live_error(r)));
	return 1;
}

static int watch(struct ktrace_live *r, unsigned long long limit)
{
	__u64 lost = 0;

	while (!ktrace_live_status(r)) {
		ktrace_live_number(r, "lost", &lost);
		if (lost >= limit)
			break;
		sleep(1);
	}
	if (ktrace_live_error(r) || ktrace_live_mark(r, "too much was lost") || ktrace_live_stop(r))
		return fail(r);
	printf("%s was ended after %llu losses\n", ktrace_live_name(r), (unsigned long long)lost);
	return 0;
}

int main(int argc, char **argv)
{
	struct ktrace_live_list *list;
	struct ktrace_live *r;
	int status = 0;

	if (argc == 2 || argc > 3) {
		fprintf(stderr, "usage: supervisor [NAME LOSSES]\n");
		return 2;
	}
	if (ktrace_live_find(&list, argc > 1 ? argv[1] : NULL, "status")) {
		fprintf(stderr, "supervisor: out of memory\n");
		return 1;
	}
	for (size_t i = 0; argc == 1 && (r = ktrace_live_at(list, i)); i++)
		show(r);
	if (argc > 1 && ktrace_live_nr(list) != 1) {
		fprintf(stderr, "supervisor: %zu recordings are called %s\n",
			ktrace_live_nr(list), argv[1]);
		status = 1;
	} else if (argc > 1) {
		status = watch(ktrace_live_at(list, 0), strtoull(argv[2], NULL, 10));
	}
	ktrace_live_free(list);
	return status;
}
