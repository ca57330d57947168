// SPDX-License-Identifier: GPL-2.0
/*
 * nomem.c - without memory chunks are not made, compressed, sent or read, and stay as they were
 *
 * SHK-03, SHK-11. The limit is what the process has, and little more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/resource.h>
#include <ktrace/shark.h>

#define EVENTS (1 << 20)
#define MORE (1 << 20)

#define CHECK(condition) do { \
	if (!(condition)) { \
		fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
		exit(1); \
	} \
} while (0)

static unsigned long size_now(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	CHECK(f && fscanf(f, "%lu", &pages) == 1);
	fclose(f);
	return pages * (unsigned long)sysconf(_SC_PAGESIZE);
}

static void limit(unsigned long bytes)
{
	struct rlimit r;

	CHECK(!getrlimit(RLIMIT_AS, &r));
	r.rlim_cur = bytes ? bytes : r.rlim_max;
	CHECK(!setrlimit(RLIMIT_AS, &r));
}

static void check_untouched(int n)
{
	FTrace_flags flags;

	CHECK(!FTrace_get_chunk_flags(n, &flags) && !flags);
	CHECK(FTrace_get_chunk_table()[n]->events == EVENTS);
}

int main(void)
{
	const FTrace_flags cyc = FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_CYC;
	int n = FTrace_chunk_create(16 * EVENTS, 0, cyc);

	CHECK(!n && !FTrace_actual_chunk_select(n) && !FTrace_enable());
	CHECK(!FTrace_init_disk_writer("events", 0, NULL, NULL));
	for (unsigned int i = 0; i < EVENTS; i++)
		TRACER_LOGEVENT(FTrace_EVT_user_event_0, 0, i);
	check_untouched(n);
	limit(size_now() + MORE);
	CHECK(FTrace_compress_chunk(n, 0) == -1);
	check_untouched(n);
	CHECK(FTrace_send_chunk(n, 0, 0) == -1);
	check_untouched(n);
	CHECK(access("0events", F_OK));
	CHECK(FTrace_chunk_read(n, NULL, 0) == -1);
	CHECK(FTrace_chunk_create(16 * EVENTS, 0, cyc) == -1);
	limit(0);
	CHECK(FTrace_compress_chunk(n, 0) == 0);
	CHECK(FTrace_chunk_read(n, NULL, 0) == EVENTS);
	return 0;
}
