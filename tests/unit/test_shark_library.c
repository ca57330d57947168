// SPDX-License-Identifier: GPL-2.0
/*
 * test_shark_library.c - the S.Ha.R.K. tracer of a program, requirement by requirement
 *
 * Each test runs in a child, which finds the library as a program does that has just begun.
 */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <ktrace/shark.h>

#include "check.h"

#define FREE FTRACE_CHUNK_FLAG_FREE
#define FULL FTRACE_CHUNK_FLAG_FULL
#define JTN FTRACE_CHUNK_FLAG_JTN
#define STOP FTRACE_CHUNK_FLAG_STOP
#define NODEL FTRACE_CHUNK_FLAG_NODEL
#define COMPR FTRACE_CHUNK_FLAG_COMPR
#define USER FTrace_EVT_user_event_0

static struct ktrace_shark_event got[1024];

static int create(int slots, int emergency, FTrace_flags flags)
{
	int n = FTrace_chunk_create(16 * slots, 16 * emergency, flags);

	CHECK(n >= 0);
	return n;
}

/* A chunk that is on. */
static int begin(int slots, int emergency, FTrace_flags flags)
{
	int n = create(slots, emergency, flags | FREE);

	CHECK_EQ(FTrace_actual_chunk_select(n), 0);
	CHECK_EQ(FTrace_enable(), 0);
	return n;
}

static int flags_of(int n)
{
	FTrace_flags flags;

	CHECK_EQ(FTrace_get_chunk_flags(n, &flags), 0);
	return flags;
}

/* Events number @from to @to - 1 */
static void log_some(unsigned int from, unsigned int to)
{
	for (unsigned int i = from; i < to; i++)
		TRACER_LOGEVENT(USER, (__u16)i, i);
}

/* The chunk holds these, oldest first. */
static void check_holds(int n, unsigned int from, unsigned int to)
{
	CHECK_EQ(FTrace_chunk_read(n, got, 1024), to - from);
	for (unsigned int i = from; i < to; i++) {
		CHECK_EQ(got[i - from].code, USER);
		CHECK_EQ(got[i - from].par1, (__u16)i);
		CHECK_EQ(got[i - from].par2, i);
	}
}

static __u64 lost(int n, enum ktrace_shark_lost reason)
{
	return FTrace_get_chunk_table()[n]->lost[reason];
}

/* Bytes of a file, which is then removed; -1 it is not there. */
static ssize_t take_file(const char *name, void *data, size_t size)
{
	int fd = open(name, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, data, size);
	close(fd);
	unlink(name);
	return n;
}

/* SHK-01, SHK-02, SHK-28 */
static void test_enable(void)
{
	int n;

	CHECK_EQ(FTrace_enable(), -1);
	CHECK_EQ(FTrace_disable(), -1);
	TRACER_LOGEVENT(USER, 1, 1);
	FAST_TRACER_LOGEVENT(USER, 1);
	n = create(4, 0, FREE);
	CHECK_EQ(FTrace_enable(), -1);
	CHECK_EQ(FTrace_actual_chunk_select(n), 0);
	log_some(0, 1);
	CHECK_EQ(FTrace_enable(), 0);
	CHECK_EQ(FTrace_enable(), 0);
	log_some(0, 2);
	CHECK_EQ(FTrace_disable(), 0);
	CHECK_EQ(FTrace_disable(), 0);
	log_some(2, 4);
	FAST_TRACER_LOGEVENT(USER, 1);
	check_holds(n, 0, 2);
	CHECK_EQ(ktrace_shark_off, 0x1ffff);
}

/* SHK-03 */
static void test_create(void)
{
	CHECK_EQ(FTrace_chunk_create(0, 0, FREE), -1);
	CHECK_EQ(FTrace_chunk_create(-16, 0, FREE), -1);
	CHECK_EQ(FTrace_chunk_create(16, -16, FREE), -1);
	CHECK_EQ(FTrace_chunk_create(17, 0, FREE), -1);
	CHECK_EQ(FTrace_chunk_create(16, 1, FREE), -1);
	CHECK_EQ(FTrace_chunk_create(INT_MIN, INT_MIN, FREE), -1);
	CHECK_EQ(FTrace_chunk_create(16, 0, JTN | STOP), -1);
	CHECK_EQ(FTrace_chunk_create(16, 0, 0x80), -1);
	CHECK_EQ(FTrace_disable(), -1);		/* nothing was made yet */
	for (int n = 0; n < KTRACE_SHARK_CHUNK_NR; n++)
		CHECK_EQ(FTrace_chunk_create(16, 0, FREE), n);
	CHECK_EQ(FTrace_chunk_create(16, 0, FREE), -1);
	CHECK_EQ(FTrace_chunk_delete(77), 0);
	CHECK_EQ(FTrace_chunk_delete(33), 0);
	CHECK_EQ(FTrace_chunk_create(16, 0, FREE), 33);
	CHECK_EQ(FTrace_chunk_create(16, 0, FREE), 77);
	CHECK_EQ(FTrace_chunk_create(16, 0, FREE), -1);
}

/* SHK-04 */
static void test_delete(void)
{
	static const int nowhere[] = { -1, 1, 255, 256, INT_MAX, INT_MIN };
	int a = begin(1, 0, 0), b;

	for (unsigned int i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++)
		CHECK_EQ(FTrace_chunk_delete(nowhere[i]), -1);
	b = create(1, 0, FREE);
	CHECK_EQ(FTrace_chunk_link(a, b), 0);
	CHECK_EQ(FTrace_chunk_delete(a), -1);
	CHECK_EQ(FTrace_chunk_delete(b), -1);
	CHECK_EQ(FTrace_chunk_link(a, create(1, 0, FREE)), 0);
	CHECK_EQ(FTrace_set_chunk_flags(b, NODEL), 0);
	CHECK_EQ(FTrace_chunk_delete(b), 0);
	CHECK_EQ(flags_of(b), NODEL);
	CHECK_EQ(FTrace_set_chunk_flags(b, 0), 0);
	CHECK_EQ(FTrace_chunk_delete(b), 0);
	CHECK_EQ(FTrace_chunk_delete(b), -1);
}

/* SHK-05, SHK-06 */
static void test_flags(void)
{
	int n = begin(2, 0, STOP);
	FTrace_flags flags = 0xee;

	CHECK_EQ(flags_of(n), STOP);
	log_some(0, 2);
	CHECK_EQ(flags_of(n), STOP | FULL);
	CHECK_EQ(FTrace_set_chunk_flags(n, STOP | NODEL), 0);
	CHECK_EQ(flags_of(n), STOP | NODEL);
	log_some(2, 3);
	CHECK_EQ(flags_of(n), STOP | NODEL | FULL);
	CHECK_EQ(FTrace_set_chunk_flags(n, JTN | STOP), -1);
	CHECK_EQ(FTrace_set_chunk_flags(n + 1, 0), -1);
	CHECK_EQ(FTrace_get_chunk_flags(n + 1, &flags), -1);
	CHECK_EQ(flags, 0xee);
	CHECK_EQ(FTrace_set_chunk_flags(n, COMPR | FTRACE_CHUNK_FLAG_BUSY), 0);
	CHECK_EQ(flags_of(n), 0);		/* neither is for callers */
}

/* SHK-07, SHK-08, SHK-09 */
static void test_select(void)
{
	int a = create(1, 0, FREE), b = create(1, 0, FREE | STOP), c = create(1, 0, JTN);

	CHECK_EQ(FTrace_actual_chunk_select(c), -1);
	CHECK_EQ(FTrace_actual_chunk_select(-1), -1);
	CHECK_EQ(FTrace_actual_chunk_select(a), 0);
	CHECK_EQ(flags_of(a), 0);
	CHECK_EQ(FTrace_actual_chunk_select(a), -1);
	CHECK_EQ(FTrace_chunk_link(a, c), -1);
	CHECK_EQ(FTrace_chunk_link(a, a), -1);
	CHECK_EQ(FTrace_chunk_link(a, 200), -1);
	CHECK_EQ(FTrace_chunk_link(200, b), -1);
	CHECK_EQ(FTrace_get_first_chunk(FREE), b);
	CHECK_EQ(FTrace_chunk_link(a, b), 0);
	CHECK_EQ(flags_of(b), STOP);
	CHECK_EQ(FTrace_chunk_link(c, b), -1);
	CHECK_EQ(FTrace_get_first_chunk(FREE), -1);
	CHECK_EQ(FTrace_get_first_chunk(FREE | JTN), c);
	CHECK_EQ(FTrace_get_first_chunk(0), -1);
	CHECK_EQ(FTrace_chunk_link(c, a), -1);	/* in use; FREE again it may be linked: a ring */
	CHECK_EQ(FTrace_set_chunk_flags(b, FREE), 0);
	CHECK_EQ(FTrace_chunk_link(c, b), 0);
}

/* What is printed of a chunk */
static void check_dump(int n, const char *expected)
{
	char text[256] = "";
	int to[2], saved = dup(STDERR_FILENO);

	CHECK(saved >= 0 && !pipe2(to, O_NONBLOCK) && dup2(to[1], STDERR_FILENO) >= 0);
	FTrace_chunk_dump(n);
	CHECK(dup2(saved, STDERR_FILENO) >= 0);
	CHECK(read(to[0], text, sizeof(text) - 1) >= 0 || !*expected);
	CHECK_STR(text, expected);
	close(saved);
	close(to[0]);
	close(to[1]);
}

/* SHK-10, SHK-19 */
static void test_table(void)
{
	int n = begin(2, 3, JTN);
	FTrace_Chunk_Ptr *table;

	CHECK_EQ(FTrace_chunk_link(n, create(1, 0, FREE)), 0);
	log_some(0, 1);
	table = FTrace_get_chunk_table();
	CHECK(table[n] && table[n + 1] && !table[n + 2] && !table[255]);
	CHECK_EQ(table[n]->id, 0xFFAAFFBB);
	CHECK_EQ(table[n]->number, n);
	CHECK_EQ(table[n]->flags, JTN);
	CHECK_EQ(table[n]->size, 32);
	CHECK_EQ(table[n]->emergency_size, 48);
	CHECK_EQ(table[n]->next, n + 1);
	CHECK_EQ(table[n]->events, 1);
	CHECK(table[n]->is_selected && !table[n + 1]->is_selected);
	check_dump(n, "chunk 0: id 0xFFAAFFBB flags 0x04 size 32 emergency 48 selected 1 next 1 "
		   "first 0 events 1 emergency events 0 bytes 0 lost 0 0 0 0 0\n");
	check_dump(n + 2, "");
	check_dump(-1, "");
}

/* SHK-11: the same events; smaller; it can be sent, and be read, but takes no more. */
static void test_compress(void)
{
	int n = begin(500, 2, STOP);

	log_some(0, 500);
	TRACER_LOGCRITICAL(USER, 500, 500);
	CHECK_EQ(FTrace_compress_chunk(n + 1, FREE), -1);
	CHECK_EQ(FTrace_compress_chunk(n, JTN | STOP), -1);
	CHECK_EQ(flags_of(n), STOP | FULL);
	CHECK_EQ(FTrace_compress_chunk(n, STOP), 0);
	CHECK_EQ(flags_of(n), STOP | COMPR);
	CHECK(FTrace_get_chunk_table()[n]->bytes < 500 * 16);
	check_holds(n, 0, 501);
	CHECK_EQ(FTrace_compress_chunk(n, STOP), -1);
	CHECK_EQ(FTrace_set_chunk_flags(n, FREE), 0);
	CHECK_EQ(flags_of(n), FREE | COMPR);
	CHECK_EQ(FTrace_actual_chunk_select(n), -1);
	CHECK_EQ(FTrace_enable(), -1);		/* it is not selected any more */
	CHECK_EQ(FTrace_chunk_delete(n), 0);
}

/* SHK-12, SHK-40: what is sent is what is in memory; FREE again, it starts over. */
static void test_send(void)
{
	int n = begin(4, 0, 0);

	log_some(0, 6);
	CHECK_EQ(FTrace_send_chunk(n, 0, FREE), -1);	/* nobody to send it */
	CHECK_EQ(flags_of(n), 0);
	CHECK_EQ(FTrace_init_disk_writer("sent", 0, NULL, NULL), 0);
	CHECK_EQ(FTrace_send_chunk(n + 1, 0, FREE), -1);
	CHECK_EQ(FTrace_send_chunk(n, 0, JTN | STOP), -1);
	CHECK_EQ(FTrace_chunk_read(n, got, 4), 4);
	CHECK_EQ(FTrace_send_chunk(n, 0, FREE), 0);
	CHECK_EQ(take_file("0sent", got + 4, sizeof(got) / 2), 4 * 16);
	CHECK(!memcmp(got, got + 4, 4 * 16));
	CHECK_EQ(flags_of(n), FREE);
	check_holds(n, 2, 6);
	CHECK_EQ(FTrace_actual_chunk_select(n), 0);
	check_holds(n, 0, 0);
	log_some(7, 8);
	check_holds(n, 7, 8);
	CHECK_EQ(FTrace_send_chunk(n, 0, 0), 0);
	CHECK_EQ(FTrace_send_chunk(n, 0, 0), 0);
	CHECK_EQ(take_file("0sent", got, sizeof(got)), 2 * 16);		/* again is behind it */
	CHECK_EQ(FTrace_send_chunk(n, 0, 0), 0);
	CHECK_EQ(FTrace_init_disk_writer("./sent", 0, NULL, NULL), 0);
	CHECK_EQ(FTrace_send_chunk(n, 0, 0), 0);
	CHECK_EQ(take_file("0sent", got, sizeof(got)), 16);
	CHECK_EQ(FTrace_init_disk_writer("/nonexistent/sent", 0, NULL, NULL), 0);
	CHECK_EQ(FTrace_send_chunk(n, 0, FREE), -1);
	CHECK_EQ(flags_of(n), 0);
	check_holds(n, 7, 8);
	log_some(8, 9);
	check_holds(n, 7, 9);
}

/* SHK-13 */
static void test_disk_name(void)
{
	static char name[100000], file[256] = "0";
	int n = begin(1, 0, 0);

	memset(name, 'x', sizeof(name) - 1);
	CHECK_EQ(FTrace_init_disk_writer(name, 0, NULL, NULL), -1);
	CHECK_EQ(FTrace_init_disk_writer(NULL, 0, NULL, NULL), -1);
	CHECK_EQ(FTrace_init_disk_writer("", 0, NULL, NULL), -1);
	CHECK_EQ(FTrace_init_disk_writer("folder/", 0, NULL, NULL), -1);
	name[253] = '\0';		/* with three digits a file's name of 256 */
	CHECK_EQ(FTrace_init_disk_writer(name, 0, NULL, NULL), -1);
	name[252] = '\0';
	CHECK_EQ(FTrace_init_disk_writer(name, 0, NULL, NULL), 0);
	CHECK_EQ(FTrace_send_chunk(n, 0, 0), 0);
	CHECK_EQ(take_file(strcat(file, name), got, sizeof(got)), 0);
}

/* SHK-14, SHK-41: a file a chunk, there at once and so whatever becomes of the process. */
static void test_disk_writer(void)
{
	int chunk[3];
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		CHECK_EQ(FTrace_init_disk_writer("queued", 0, NULL, NULL), 0);
		for (int i = 0; i < 3; i++) {
			chunk[i] = begin(8, 0, 0);
			log_some((unsigned int)i, (unsigned int)(2 * i));
			FTrace_disk_writer(FTrace_get_chunk_table()[chunk[i]]);
			CHECK_EQ(flags_of(chunk[i]), 0);
		}
		FTrace_disk_writer(NULL);
		kill(getpid(), SIGKILL);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	CHECK_EQ(take_file("0queued", got, sizeof(got)), 0);
	CHECK_EQ(take_file("1queued", got, sizeof(got)), 1 * 16);
	CHECK_EQ(got[0].par2, 1);
	CHECK_EQ(take_file("2queued", got, sizeof(got)), 2 * 16);
	CHECK_EQ(got[0].par2, 2);
	CHECK_EQ(got[1].par2, 3);
}

/* SHK-16, SHK-22: of 16 families each is suppressed alone; what the high nibble F has never. */
static void test_filter(void)
{
	int n = begin(64, 0, 0);

	for (__u8 family = 0; family < 12; family++) {
		FTrace_set_filter(FTrace_filter_trace_Events | family, 1);
		CHECK_EQ(ktrace_shark_off, 1u << family);
		for (__u16 f = 0; f < 16; f++)
			TRACER_LOGEVENT(0x20 | f, f, family);
		TRACER_LOGEVENT(FTrace_filter_task, 7, 8);
		FTrace_set_filter(FTrace_filter_trace_Events | family, 0);
		CHECK_EQ(FTrace_chunk_read(n, got, 64), family ? 1 + 18 : 18);
		for (int i = 0, at = family != 0; i < 18; i++, at++) {
			const __u16 f = (__u16)(i - 1 + (i > family));

			CHECK_EQ(got[at].code, !i || i == 17 ? 0xf0 | family :
				 i == 16 ? FTrace_filter_task : 0x20 | f);
			CHECK_EQ(got[at].par1, !i ? 1 : i == 17 ? 0 : i == 16 ? 7 : f);
		}
		CHECK_EQ(FTrace_set_chunk_flags(n, FREE), 0);
		CHECK_EQ(FTrace_actual_chunk_select(n), 0);
		TRACER_LOGEVENT(USER, 0, 0);
	}
	FTrace_set_filter(0x10, 1);
	FTrace_set_filter(0xef, 1);
	CHECK_EQ(ktrace_shark_off, 0);
}

/* SHK-18, SHK-31 */
static void test_fast(void)
{
	int n = begin(8, 0, 0);

	FTrace_set_filter(FTrace_filter_user, 1);
	FAST_TRACER_LOGEVENT(USER, 5);
	FAST_TRACER_LOGEVENT(FTrace_EVT_next_chunk, 6);
	FAST_TRACER_LOGEVENT(0, 7);
	FAST_TRACER_LOGEVENT(KTRACE_SHARK_FAST, 7);	/* that is 0, too */
	TRACER_LOGEVENT(0, 8, 9);
	TRACER_LOGEVENT(KTRACE_SHARK_FAST, 8, 9);
	CHECK_EQ(FTrace_chunk_read(n, got, 8), 3);
	CHECK_EQ(got[1].code, 0x8000 | USER);
	CHECK_EQ(got[1].par1, 5);
	CHECK_EQ(got[1].par2, 0);
	CHECK_EQ(got[2].code, 0x80ff);
	CHECK_EQ(got[2].par1, 6);
}

/* SHK-20, SHK-21, SHK-40 */
static void test_bytes(void)
{
	unsigned char raw[64];
	int n = begin(4, 0, 0);
	__u64 first, second;

	TRACER_LOGEVENT(0x1234, 0x5678, 0x9abcdef0);
	TRACER_LOGEVENT(FTrace_EVT_ipoint, 6000, 0);
	CHECK_EQ(FTrace_init_disk_writer("bytes", 0, NULL, NULL), 0);
	CHECK_EQ(FTrace_send_chunk(n, 0, FREE), 0);
	CHECK_EQ(take_file("0bytes", raw, sizeof(raw)), 32);
	CHECK(!memcmp(raw, "\x34\x12\x78\x56", 4));
	CHECK(!memcmp(raw + 12, "\xf0\xde\xbc\x9a", 4));
	CHECK(!memcmp(raw + 16, "\x01\0\x70\x17", 4));
	CHECK(!memcmp(raw + 28, "\0\0\0", 4));
	first = ((__u64)*(__u32 *)(raw + 4) << 32) + *(__u32 *)(raw + 8);
	second = ((__u64)*(__u32 *)(raw + 20) << 32) + *(__u32 *)(raw + 24);
	CHECK(first && first <= second);
}

/* SHK-23, SHK-24 */
static void test_modes(void)
{
	int n = begin(5, 0, 0);

	for (unsigned int i = 0; i < 23; i++) {
		log_some(i, i + 1);
		check_holds(n, i < 5 ? 0 : i - 4, i + 1);
		CHECK_EQ(flags_of(n), 0);
		CHECK_EQ(lost(n, KTRACE_SHARK_LOST_OVERWRITTEN), i < 5 ? 0 : i - 4);
	}
	n = begin(5, 0, STOP);
	for (unsigned int i = 0; i < 23; i++) {
		log_some(i, i + 1);
		check_holds(n, 0, i < 5 ? i + 1 : 5);
		CHECK_EQ(flags_of(n), i < 4 ? STOP : STOP | FULL);
		CHECK_EQ(lost(n, KTRACE_SHARK_LOST_FULL), i < 5 ? 0 : i - 4);
	}
	CHECK_EQ(FTrace_lost(KTRACE_SHARK_LOST_FULL), 18);
	CHECK_EQ(FTrace_lost(KTRACE_SHARK_LOST_OVERWRITTEN), 18);
}

/* SHK-25: a -> b -> c, of which c has no next; nothing is lost on the way. */
static void test_chain(void)
{
	int a = begin(3, 0, JTN), b = create(1, 0, FREE | JTN), c = create(2, 0, FREE | JTN);

	CHECK_EQ(FTrace_chunk_link(a, b), 0);
	CHECK_EQ(FTrace_chunk_link(b, c), 0);
	log_some(0, 9);
	check_holds(a, 0, 3);
	check_holds(b, 3, 4);
	check_holds(c, 4, 6);
	CHECK_EQ(flags_of(a), JTN | FULL);
	CHECK_EQ(flags_of(b), JTN | FULL);
	CHECK_EQ(flags_of(c), JTN | FULL);
	CHECK_EQ(lost(a, KTRACE_SHARK_LOST_FULL) + lost(b, KTRACE_SHARK_LOST_FULL), 0);
	CHECK_EQ(lost(c, KTRACE_SHARK_LOST_FULL), 3);
}

/* SHK-26 */
static void test_next_chunk(void)
{
	int a = begin(3, 0, 0), b = create(3, 0, FREE);

	CHECK_EQ(FTrace_chunk_link(a, b), 0);
	log_some(0, 1);
	TRACER_LOGEVENT(FTrace_EVT_next_chunk, 0, 0);
	log_some(1, 2);
	TRACER_LOGEVENT(FTrace_EVT_next_chunk, 0, 0);	/* nowhere to go */
	log_some(2, 3);
	check_holds(a, 0, 1);
	check_holds(b, 1, 2);
	CHECK_EQ(flags_of(a), FULL);
	CHECK_EQ(flags_of(b), FULL);
	CHECK_EQ(lost(b, KTRACE_SHARK_LOST_FULL), 1);
}

/* SHK-27 */
static void test_emergency(void)
{
	int n = begin(3, 2, STOP);

	TRACER_LOGCRITICAL(USER, 0, 0);
	log_some(1, 5);
	for (unsigned int i = 3; i < 8; i++)
		TRACER_LOGCRITICAL(USER, (__u16)i, i);
	log_some(8, 9);
	check_holds(n, 0, 5);
	CHECK_EQ(lost(n, KTRACE_SHARK_LOST_FULL), 2 + 3 + 1);
	CHECK_EQ(FTrace_set_chunk_flags(n, STOP), 0);
	CHECK_EQ(flags_of(n), STOP | FULL);
}

/* SHK-30: what a clock says that other code reads */
static void test_clock(void)
{
	const __u32 ticks = FTrace_clk_per_msec();

	CHECK(ticks >= 1000);
	CHECK_EQ(FTrace_clk_per_msec(), ticks);
}

/* Evaluated once if the event is wanted, and but for the type not otherwise. */
static void test_evaluation(void)
{
	int n = begin(8, 0, 0);
	unsigned int i = 0, types = 0;

	TRACER_LOGEVENT(types++ ? 0 : USER, (__u16)++i, 0);
	TRACER_LOGCRITICAL(types++ ? USER : 0, (__u16)++i, 0);
	FAST_TRACER_LOGEVENT(types++ ? USER : 0, (__u16)++i);
	CHECK_EQ(FTrace_chunk_read(n, got, 1024), 3);
	FTrace_set_filter(FTrace_filter_user, 1);
	TRACER_LOGEVENT(types++ ? USER : 0, (__u16)++i, 0);
	CHECK(i == 3 && types == 4);
	CHECK_EQ(FTrace_chunk_delete(n), -1);
}

/* fork(): both go on, each with its own. */
static void test_fork(void)
{
	int n = begin(8, 0, 0), status;
	pid_t pid;

	CHECK_EQ(FTrace_OSD_init_udp(0, "127.0.0.1:0", "127.0.0.1:9"), 0);
	log_some(0, 2);
	pid = fork();
	CHECK(pid >= 0);
	log_some(2, pid ? 4 : 3);
	check_holds(n, 0, pid ? 4 : 3);
	if (!pid) {
		CHECK_EQ(FTrace_send_chunk(n, 0, 0), -1);	/* the socket is its parent's */
		exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(FTrace_send_chunk(n, 0, 0), 0);
}

/* SHK-15: from the usual port, as often as it is said; a child's is the same. */
static void test_udp_again(void)
{
	const int pid = getpid();
	char address[32];
	int status;

	/* An address of this machine that other runs of this test do not use */
	snprintf(address, sizeof(address), "127.1.%d.%d", pid >> 8 & 255, pid & 255);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(FTrace_OSD_init_udp(0, address, "127.0.0.1:9"), 0);
	if (!fork())
		exit(FTrace_OSD_init_udp(0, address, "127.0.0.1:9"));
	CHECK(wait(&status) > 0);
	CHECK_EQ(status, 0);
}

static void run(void (*test)(void), const char *name)
{
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (!pid) {
		test();
		exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	if (status)
		fprintf(stderr, "%s: status %d\n", name, status);
	CHECK_EQ(status, 0);
}

#define RUN(test) run(test, #test)

int main(void)
{
	char folder[] = "/tmp/test_shark_library.XXXXXX";

	CHECK(mkdtemp(folder) && !chdir(folder));
	RUN(test_enable);
	RUN(test_create);
	RUN(test_delete);
	RUN(test_flags);
	RUN(test_select);
	RUN(test_table);
	RUN(test_compress);
	RUN(test_send);
	RUN(test_disk_name);
	RUN(test_disk_writer);
	RUN(test_filter);
	RUN(test_fast);
	RUN(test_bytes);
	RUN(test_modes);
	RUN(test_chain);
	RUN(test_next_chunk);
	RUN(test_emergency);
	RUN(test_clock);
	RUN(test_evaluation);
	RUN(test_fork);
	RUN(test_udp_again);
	CHECK_EQ(rmdir(folder), 0);	/* nothing is left behind */
	return 0;
}
