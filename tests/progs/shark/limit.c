// SPDX-License-Identifier: GPL-2.0
/*
 * limit.c - a program that may have no file larger than 8 KiB is not killed for its chunks
 *
 *   (ulimit -f 8 && shark_limit)	alone; SHK-11, SHK-12
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <ktrace/shark.h>

#define LIMIT 8192
#define EVENTS (LIMIT / 16 + 100)

#define CHECK(condition) do { \
	if (!(condition)) { \
		fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
		exit(1); \
	} \
} while (0)

static void log_some(unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		TRACER_LOGEVENT(FTrace_EVT_user_event_0, 0, i);
}

static long size_of(const char *name)
{
	struct stat st;

	return stat(name, &st) ? -1 : (long)st.st_size;
}

static void check_kept(int n, int nr)
{
	FTrace_flags flags;

	CHECK(!FTrace_get_chunk_flags(n, &flags) && !flags);
	CHECK(FTrace_chunk_read(n, NULL, 0) == nr);
}

int main(void)
{
	const FTrace_flags cyc = FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_CYC;
	int n = FTrace_chunk_create(16 * EVENTS, 0, cyc);

	CHECK(!n && !FTrace_actual_chunk_select(n) && !FTrace_enable());
	CHECK(!FTrace_init_disk_writer("trace", 0, NULL, NULL));
	log_some(EVENTS);
	check_kept(n, EVENTS);
	CHECK(FTrace_send_chunk(n, 0, 0) == -1);
	check_kept(n, EVENTS);
	CHECK(size_of("0trace") == -1);
	/* What fits is written, and what does not fit behind it is not. */
	CHECK(!FTrace_set_chunk_flags(n, cyc) && !FTrace_actual_chunk_select(n));
	log_some(EVENTS / 2);
	CHECK(FTrace_send_chunk(n, 0, 0) == 0);
	log_some(EVENTS / 4);
	CHECK(FTrace_send_chunk(n, 0, 0) == -1);
	check_kept(n, EVENTS / 2 + EVENTS / 4);
	CHECK(size_of("0trace") == EVENTS / 2 * 16);
	/* Packets are no file. */
	log_some(EVENTS / 4);
	CHECK(!FTrace_OSD_init_udp(1, ":0", "127.0.0.1:9"));
	CHECK(FTrace_send_chunk(n, 0, 0) == 0);
	CHECK(FTrace_compress_chunk(n, 0) == 0);
	return 0;
}
