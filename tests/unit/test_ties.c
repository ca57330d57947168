// SPDX-License-Identifier: GPL-2.0
/* test_ties.c - META lines that tie the stamps of a trace to other clocks; they may be forged */
#include "make_trace.h"

#include <ktrace/traceset.h>
#include <unistd.h>

#define BOOT "00000000-1111-2222-3333-444455556666"
#define OTHER "ffffffff-1111-2222-3333-444455556666"

static char path[64];
static unsigned int reports;

static void count_report(void *arg, const struct ktrace_damage *damage)
{
	(void)arg;
	(void)damage;
	reports++;
}

static struct ktrace_traceset *open_set(void)
{
	const struct ktrace_traceset_options opts = { .size = sizeof(opts),
						      .report = count_report };
	struct ktrace_traceset *set;

	reports = 0;
	CHECK_EQ(ktrace_traceset_open(&opts, &set), 0);
	CHECK_EQ(ktrace_traceset_add(set, path), 0);
	return set;
}

/* The traceset of a file with these lines, after its first reading of the clocks. */
static struct ktrace_traceset *traceset_of(const char *lines)
{
	struct ktrace_tracefile *tf = make_file(path, 0);

	make_meta(tf, lines);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	return open_set();
}

static void test_clock(void)
{
	struct ktrace_traceset *set = traceset_of(
		"clock raw=100 mono_ns=101 real_ns=102 boot_ns=103 hz=7 max_error_ns=104 "
		"est_error_ns=105 freq_ppb=-106 synced=1 raw_mono_ns=107\n"
		"clock raw=200 mono_ns=201 real_ns=202 max_error_ns=1 est_error_ns=1 synced=1\n"
		"clock raw=150 mono_ns=301 real_ns=202 max_error_ns=1\n"
		"clock raw=300 mono_ns=301 real_ns=302 max_error_ns=18446744073709551615 "
		"est_error_ns=0 freq_ppb=9223372036854775807 synced=0\n"
		"clock raw=400 mono_ns=401 real_ns=402 max_error_ns=1 est_error_ns=1 "
		"freq_ppb=- synced=0\n"
		"clock raw=500 mono_ns=501 real_ns=502 max_error_ns=1 est_error_ns=1 "
		"freq_ppb=9223372036854775808 synced=0\n");
	const struct ktrace_trace *t = ktrace_traceset_trace(set, 0);
	struct ktrace_clock_tie tie;
	struct ktrace_tie_counts counts;

	CHECK_EQ(reports, 1);	/* the reading that goes back */
	CHECK(ktrace_trace_clock_tie(t, 0, &tie) && tie.raw == 0 && !tie.has_error);
	CHECK(ktrace_trace_clock_tie(t, 1, &tie));
	CHECK(tie.raw == 100 && tie.mono_ns == 101 && tie.real_ns == 102 && tie.boot_ns == 103);
	CHECK(tie.has_error && tie.is_synced && tie.max_error_ns == 104);
	CHECK(tie.est_error_ns == 105 && tie.freq_ppb == -106 && tie.raw_mono_ns == 107);
	/* Without all four the kernel's estimate is none. */
	CHECK(ktrace_trace_clock_tie(t, 2, &tie) && tie.raw == 200 && !tie.has_error);
	CHECK(ktrace_trace_clock_tie(t, 3, &tie) && tie.raw == 300 && tie.has_error);
	CHECK(!tie.is_synced && tie.max_error_ns == ~0ull && tie.freq_ppb == INT64_MAX);
	CHECK(ktrace_trace_clock_tie(t, 4, &tie) && !tie.has_error);
	CHECK(ktrace_trace_clock_tie(t, 5, &tie) && !tie.has_error);
	CHECK(!ktrace_trace_clock_tie(t, 6, &tie));
	ktrace_trace_tie_counts(t, &counts);
	CHECK(counts.clock_ties == 6 && !counts.clock_ties_left_out && !counts.pings);
	ktrace_traceset_close(set);
}

static void test_source(void)
{
	struct ktrace_traceset *set = traceset_of(
		"timesource ts=5 name=chrony state=Normal ref=7F7F0101 stratum=3 offset_ns=-12 "
		"delay_ns=34 dispersion_ns=56 freq_ppb=-78 skew_ppb=90\n"
		"timesource ts=6 name=ptp4l state=SLAVE offset_ns=1 delay_ns=x stratum=256\n"
		"timesource ts=7 state=SLAVE\n"
		"timesource name=ptp4l\n");
	const struct ktrace_trace *t = ktrace_traceset_trace(set, 0);
	struct ktrace_time_source s;

	CHECK_EQ(reports, 1);	/* once for a section */
	CHECK(ktrace_trace_time_source(t, 0, &s) && s.raw == 5 && s.has == 63);
	CHECK(!strcmp(s.name, "chrony") && !strcmp(s.state, "Normal"));
	CHECK(!strcmp(s.reference, "7F7F0101") && s.stratum == 3 && s.offset_ns == -12);
	CHECK(s.delay_ns == 34 && s.dispersion_ns == 56 && s.freq_ppb == -78 && s.skew_ppb == 90);
	CHECK(ktrace_trace_time_source(t, 1, &s) && s.has == KTRACE_SOURCE_OFFSET);
	CHECK(!s.reference && s.offset_ns == 1);
	CHECK(!ktrace_trace_time_source(t, 2, &s));
	ktrace_traceset_close(set);
}

static void test_ping(void)
{
	struct ktrace_traceset *set = traceset_of(
		"ping ts=20 peer_boot=" BOOT " peer=b:1 peer_clock=tsc sent=10 received_there=1000 "
		"sent_there=1001 received=20 received_there_ns=5 sent_there_ns=6\n"
		"ping ts=20 peer_boot=" BOOT " sent=20 received_there=1001 sent_there=1000 "
		"received=10\n");
	const struct ktrace_trace *t = ktrace_traceset_trace(set, 0);
	struct ktrace_ping p;

	CHECK_EQ(reports, 0);
	CHECK(ktrace_trace_ping(t, 0, &p) && !strcmp(p.peer_boot, BOOT) && !p.is_answered);
	CHECK(!strcmp(p.peer, "b:1") && !strcmp(p.peer_clock, "tsc"));
	CHECK(p.raw_sent == 10 && p.received_there == 1000 && p.sent_there == 1001);
	CHECK(p.received == 20 && p.received_there_ns == 5 && p.sent_there_ns == 6);
	CHECK(ktrace_trace_ping(t, 1, &p) && p.is_answered && !p.peer && !p.peer_clock);
	CHECK(!ktrace_trace_ping(t, 2, &p));
	ktrace_traceset_close(set);
}

/* Each of these is reported and left out. */
static void test_forged(void)
{
	static const char *const lines[] = {
		"ping ts=20 sent=10 received_there=1 sent_there=2 received=20\n",
		"ping peer_boot=" BOOT "7 sent=10 received_there=1 sent_there=2 received=20\n",
		"ping peer_boot=00000000 sent=10 received_there=1 sent_there=2 received=20\n",
		"ping peer_boot=FFFFFFFF-1111-2222-3333-444455556666 sent=10 received_there=1 "
		"sent_there=2 received=20\n",
		"ping peer_boot=" BOOT " sent=10 received_there=1 sent_there=2\n",
		"ping peer_boot=" BOOT " sent=10 received_there=1 sent_there=-2 received=20\n",
		/* There it was answered before it was received. */
		"ping peer_boot=" BOOT " sent=10 received_there=3 sent_there=2 received=20\n",
		"ping peer_boot=" BOOT " sent=20 received_there=2 sent_there=3 received=10\n",
		"ping peer_boot=" BOOT " peer_clock=sundial sent=10 received_there=1 sent_there=2 "
		"received=20\n",
		"ping peer_boot=" BOOT " peer=0123456789012345678901234567890123456789012345678901"
		"234567890123 sent=10 received_there=1 sent_there=2 received=20\n",
		"timesource ts=1 name=\n",
		"timesource ts=1 name=ntp ref=0123456789012345678901234567890123456789012345678901"
		"234567890123\n",
	};
	struct ktrace_time_source s;
	struct ktrace_ping p;
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct ktrace_traceset *set = traceset_of(lines[i]);
		const struct ktrace_trace *t = ktrace_traceset_trace(set, 0);

		CHECK_EQ(reports, 1);
		CHECK(!ktrace_trace_ping(t, 0, &p) && !ktrace_trace_time_source(t, 0, &s));
		ktrace_traceset_close(set);
	}
}

/* A file with @nr lines that @put writes. */
static struct ktrace_traceset *many(__u32 nr, void (*put)(struct ktrace_text *t, __u32 i))
{
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct ktrace_text text = { 0 };

	for (__u32 i = 0; i < nr; i++) {
		put(&text, i);
		if (i % 4096 == 4095)
			CHECK_EQ(ktrace_text_flush(&text, tf), 0);
	}
	CHECK_EQ(ktrace_text_flush(&text, tf), 0);
	ktrace_text_free(&text);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	return open_set();
}

static void put_clock(struct ktrace_text *t, __u32 i)
{
	ktrace_text_line(t, "clock");
	ktrace_text_u64(t, "raw", 10 * (i + 1));
	ktrace_text_u64(t, "mono_ns", 10 * (i + 1));
	ktrace_text_u64(t, "real_ns", i);
}

static void put_source(struct ktrace_text *t, __u32 i)
{
	ktrace_text_line(t, "timesource");
	ktrace_text_u64(t, "ts", i);
	ktrace_text_str(t, "name", "chrony");
}

static void test_many(void)
{
	struct ktrace_traceset *set = many(70000, put_clock);
	const struct ktrace_trace *t = ktrace_traceset_trace(set, 0);
	struct ktrace_clock_tie tie;
	struct ktrace_time_source s;
	struct ktrace_tie_counts counts;
	size_t i;

	/* 70001 with the first one of the file: every second stays. */
	for (i = 0; ktrace_trace_clock_tie(t, i, &tie); i++)
		CHECK_EQ(tie.raw, 20 * i);
	CHECK_EQ(i, 35001);
	ktrace_trace_tie_counts(t, &counts);
	CHECK(counts.clock_ties == 35001 && counts.clock_ties_left_out == 35000);
	ktrace_traceset_close(set);
	set = many(40000, put_source);
	t = ktrace_traceset_trace(set, 0);
	for (i = 0; ktrace_trace_time_source(t, i, &s); i++)
		CHECK_EQ(s.raw, 4 * i);
	CHECK_EQ(i, 10000);
	ktrace_trace_tie_counts(t, &counts);
	CHECK(counts.time_sources == 10000 && counts.time_sources_left_out == 30000);
	CHECK_EQ(reports, 0);
	ktrace_traceset_close(set);
}

/* Of each four pings with BOOT the second has the shortest round trip, with OTHER the fourth */
static void put_ping(struct ktrace_text *t, __u32 i)
{
	const __u32 nr = i / 2;
	const bool is_best = i % 2 ? nr % 4 == 3 : nr % 4 == 1;

	ktrace_text_line(t, "ping");
	ktrace_text_str(t, "peer_boot", i % 2 ? OTHER : BOOT);
	ktrace_text_u64(t, "sent", 1000ull * nr);
	ktrace_text_u64(t, "received_there", 1);
	ktrace_text_u64(t, "sent_there", 1);
	ktrace_text_u64(t, "received", 1000ull * nr + (is_best ? 10 : 20 + nr % 4));
}

static void test_many_pings(void)
{
	struct ktrace_traceset *set = many(280000, put_ping);
	const struct ktrace_trace *t = ktrace_traceset_trace(set, 0);
	struct ktrace_tie_counts counts;
	struct ktrace_ping p;
	__u64 nr[2] = { 0, 0 };
	size_t i;

	for (i = 0; ktrace_trace_ping(t, i, &p); i++) {
		const bool is_other = !strcmp(p.peer_boot, OTHER);

		CHECK_EQ(p.received - p.raw_sent, 10);
		CHECK_EQ(p.raw_sent, 1000 * (4 * nr[is_other] + (is_other ? 3 : 1)));
		nr[is_other]++;
	}
	CHECK(nr[0] == 35000 && nr[1] == 35000);
	ktrace_trace_tie_counts(t, &counts);
	CHECK(counts.pings == 70000 && counts.pings_left_out == 210000 && !reports);
	ktrace_traceset_close(set);
}

static void put_peer(struct ktrace_text *t, __u32 i)
{
	char boot[64];

	snprintf(boot, sizeof(boot), "%08x-1111-2222-3333-444455556666", i);
	ktrace_text_line(t, "ping");
	ktrace_text_str(t, "peer_boot", boot);
	ktrace_text_u64(t, "sent", i);
	ktrace_text_u64(t, "received_there", 1);
	ktrace_text_u64(t, "sent_there", 1);
	ktrace_text_u64(t, "received", i);
}

static void test_many_peers(void)
{
	struct ktrace_traceset *set = many(70000, put_peer);
	struct ktrace_tie_counts counts;

	ktrace_trace_tie_counts(ktrace_traceset_trace(set, 0), &counts);
	CHECK(counts.pings == 64 && counts.pings_left_out == 69936 && !reports);
	ktrace_traceset_close(set);
}

/* Lines of random keys and values: what is taken is possible, and all else is reported. */
static void put_random(struct ktrace_text *t, __u32 i)
{
	static const char *const keys[] = {
		"ts", "sent", "received", "sent_there", "received_there", "peer_boot", "peer",
		"peer_clock", "name", "state", "ref", "offset_ns", "delay_ns", "stratum", "raw",
		"mono_ns", "real_ns", "max_error_ns", "est_error_ns", "freq_ppb", "synced",
	};
	static const char *const values[] = {
		"0", "1", "2", "7", "-1", "18446744073709551615", "18446744073709551616",
		"9223372036854775808", "", "tsc", BOOT, OTHER, "chrony", "%", "%00", "%zz", "=", "x",
	};
	static const char *const lines[] = { "ping", "timesource", "clock" };

	ktrace_text_line(t, lines[(size_t)rand() % 3]);
	ktrace_text_str(t, "peer_boot", i % 4 ? BOOT : OTHER);
	for (int k = rand() % 18; k; k--) {
		const char *key = keys[(size_t)rand() % (sizeof(keys) / sizeof(keys[0]))];
		const char *value = values[(size_t)rand() % (sizeof(values) / sizeof(values[0]))];
		char pair[128];

		/* Half of them with a small number, so that some lines are complete */
		if (rand() % 2)
			value = rand() % 2 ? "3" : "4";
		snprintf(pair, sizeof(pair), "%s=%s", key, value);
		if (rand() % 64)
			ktrace_text_str(t, key, value);
		else
			ktrace_text_str(t, pair, value);
	}
}

static void test_random(void)
{
	struct ktrace_traceset *set;
	struct ktrace_tie_counts counts;
	struct ktrace_time_source s;
	struct ktrace_ping p;
	size_t i;

	srand(1);
	set = many(100000, put_random);
	for (i = 0; ktrace_trace_ping(ktrace_traceset_trace(set, 0), i, &p); i++) {
		CHECK(strlen(p.peer_boot) == 36);
		CHECK(p.is_answered ? p.received <= p.raw_sent && p.sent_there <= p.received_there :
		      p.raw_sent <= p.received && p.received_there <= p.sent_there);
	}
	ktrace_trace_tie_counts(ktrace_traceset_trace(set, 0), &counts);
	CHECK(i && counts.pings == i);
	for (i = 0; ktrace_trace_time_source(ktrace_traceset_trace(set, 0), i, &s); i++)
		CHECK(s.name[0] && !(s.has & ~63u));
	CHECK(i && reports);
	ktrace_traceset_close(set);
}

int main(void)
{
	temporary_file(path, sizeof(path), "ktrace-ties");
	test_clock();
	test_source();
	test_ping();
	test_forged();
	test_many();
	test_many_pings();
	test_many_peers();
	test_random();
	unlink(path);
	return 0;
}
