// SPDX-License-Identifier: GPL-2.0
/*
 * script.c - do calls that scripts.py has thought out, and say what became of them
 *
 *   shark_script <CALLS
 *
 * One call a line. A line is printed for each: what it returned, then what the tracer holds:
 * the selected chunk, the families that are off, and of each chunk flags, link, losses and
 * events. Files of chunks that are sent are read, and removed, in the folder it runs in.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>
#include <ktrace/shark.h>

#define EVENTS_MAX 4096

static struct ktrace_shark_event events[EVENTS_MAX];

static void print_events(int nr)
{
	for (int i = 0; i < nr; i++)
		printf(" %x,%x,%x", events[i].code, events[i].par1, events[i].par2);
}

static void print_chunk(const struct FTrace_Chunk *c)
{
	printf(" | %u %02x %d", c->number, c->flags, c->next);
	printf(" %" PRIu64 "/%" PRIu64 "/%" PRIu64, (uint64_t)c->lost[KTRACE_SHARK_LOST_FULL],
	       (uint64_t)c->lost[KTRACE_SHARK_LOST_BUSY],
	       (uint64_t)c->lost[KTRACE_SHARK_LOST_OVERWRITTEN]);
	print_events(FTrace_chunk_read((int)c->number, events, EVENTS_MAX));
}

static void print_state(void)
{
	FTrace_Chunk_Ptr *table = FTrace_get_chunk_table();
	int selected = -1;

	for (int n = 0; n < KTRACE_SHARK_CHUNK_NR; n++)
		if (table[n] && table[n]->is_selected)
			selected = n;
	printf("; %d %x %" PRIu64, selected, ktrace_shark_off,
	       (uint64_t)FTrace_lost(KTRACE_SHARK_LOST_NOCHUNK));
	for (int n = 0; n < KTRACE_SHARK_CHUNK_NR; n++)
		if (table[n])
			print_chunk(table[n]);
	putchar('\n');
}

/* The file of a chunk that was sent: its events are put back, and it is removed. */
static void print_file(int n, int is_compressed)
{
	static char bytes[sizeof(events)];
	char name[32];
	size_t size;
	FILE *f;

	snprintf(name, sizeof(name), "%dsent", n);
	f = fopen(name, "r");
	if (!f) {
		printf(" nothing");
		return;
	}
	size = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	unlink(name);
	if (is_compressed)
		size = ZSTD_decompress(events, sizeof(events), bytes, size);
	else
		memcpy(events, bytes, size);
	print_events((int)(size / sizeof(*events)));
}

static void send_chunk(int n, FTrace_flags new_flags)
{
	FTrace_flags flags = 0;
	int ret;

	FTrace_get_chunk_flags(n, &flags);
	ret = FTrace_send_chunk(n, 0, new_flags);
	printf("%d", ret);
	if (!ret)
		print_file(n, flags & FTRACE_CHUNK_FLAG_COMPR);
}

static void log_event(const char *how, long long a, long long b, long long c)
{
	if (!strcmp(how, "log"))
		TRACER_LOGEVENT((__u16)a, (__u16)b, (__u32)c);
	else if (!strcmp(how, "critical"))
		TRACER_LOGCRITICAL((__u16)a, (__u16)b, (__u32)c);
	else
		FAST_TRACER_LOGEVENT((__u16)a, (__u16)b);
	printf("-");
}

static int call(const char *name, int a, int b, int c)
{
	if (!strcmp(name, "enable"))
		return FTrace_enable();
	if (!strcmp(name, "disable"))
		return FTrace_disable();
	if (!strcmp(name, "create"))
		return FTrace_chunk_create(a, b, (FTrace_flags)c);
	if (!strcmp(name, "delete"))
		return FTrace_chunk_delete(a);
	if (!strcmp(name, "flags"))
		return FTrace_set_chunk_flags(a, (FTrace_flags)b);
	if (!strcmp(name, "select"))
		return FTrace_actual_chunk_select(a);
	if (!strcmp(name, "link"))
		return FTrace_chunk_link(a, b);
	if (!strcmp(name, "first"))
		return FTrace_get_first_chunk((FTrace_flags)a);
	if (!strcmp(name, "compress"))
		return FTrace_compress_chunk(a, (FTrace_flags)b);
	if (!strcmp(name, "disk"))
		return FTrace_init_disk_writer("sent", 0, NULL, NULL);
	fprintf(stderr, "no call %s\n", name);
	exit(2);
}

static void do_line(const char *line)
{
	long long a = 0, b = 0, c = 0;
	char name[16];

	if (sscanf(line, "%15s %lld %lld %lld", name, &a, &b, &c) < 1)
		exit(2);
	if (!strcmp(name, "log") || !strcmp(name, "critical") || !strcmp(name, "fast")) {
		log_event(name, a, b, c);
	} else if (!strcmp(name, "filter")) {
		FTrace_set_filter((__u8)a, (int)b);
		printf("-");
	} else if (!strcmp(name, "send")) {
		send_chunk((int)a, (FTrace_flags)b);
	} else {
		printf("%d", call(name, (int)a, (int)b, (int)c));
	}
}

int main(void)
{
	char line[128];

	while (fgets(line, sizeof(line), stdin)) {
		do_line(line);
		print_state();
	}
	return 0;
}
