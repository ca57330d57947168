// SPDX-License-Identifier: GPL-2.0
/*
 * test_source_facts.c - what chronyc, pmc and adjtimex() say, as it is and forged
 *
 * The texts are outputs of chrony 4.3 and linuxptp 3.1.1.
 */
#include <sys/timex.h>

#include "../../userspace/daemon/base/kernel_clock.c"
#include "../../userspace/daemon/clocks/chrony.c"
#include "../../userspace/daemon/clocks/decimal_fraction.c"
#include "../../userspace/daemon/clocks/ptp4l.c"
#include "check.h"

static void check_fraction(const char *text, unsigned int digits, long long expected)
{
	__s64 n;

	CHECK(decimal_fraction(text, digits, &n));
	CHECK_EQ(n, expected);
}

static void test_fraction(void)
{
	static const char *const bad[] = {
		"", "-", "+", ".5", "5.", "1e3", "0x1", " 1", "1 ", "--1", "1.2.3", "nan",
		"1000000000", "99999999999999999999",
	};
	__s64 n;

	check_fraction("0", 9, 0);
	check_fraction("-0.000002227", 9, -2227);
	check_fraction("+1.5", 3, 1500);
	check_fraction("10.0", 0, 10);
	check_fraction("-377.9", 0, -377);
	check_fraction("0.0000000009", 9, 0);
	check_fraction("999999999.999999999", 9, 999999999999999999);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(!decimal_fraction(bad[i], 9, &n));
}

static void test_chrony(void)
{
	static const char *const bad[] = {
		"",
		"\n",
		"506 Cannot talk to daemon\n",
		/* without its newline, with a second line, with a field too few or too many */
		"7F000001,127.0.0.1,6,1.1,-0.1,0.1,0.1,-0.1,0.4,5.7,0.1,0.1,0.1,Normal",
		"7F000001,127.0.0.1,6,1.1,-0.1,0.1,0.1,-0.1,0.4,5.7,0.1,0.1,0.1,Normal\nx\n",
		"7F000001,127.0.0.1,6,1.1,-0.1,0.1,0.1,-0.1,0.4,5.7,0.1,0.1,Normal\n",
		"7F000001,127.0.0.1,6,1.1,-0.1,0.1,0.1,-0.1,0.4,5.7,0.1,0.1,0.1,Normal,\n",
		/* values that cannot be */
		"7F00000x,127.0.0.1,6,1.1,-0.1,0.1,0.1,-0.1,0.4,5.7,0.1,0.1,0.1,Normal\n",
		"7F000001,127.0.0.1,256,1.1,-0.1,0.1,0.1,-0.1,0.4,5.7,0.1,0.1,0.1,Normal\n",
		"7F000001,127.0.0.1,6,1.1,-0.1s,0.1,0.1,-0.1,0.4,5.7,0.1,0.1,0.1,Normal\n",
		"7F000001,127.0.0.1,6,1.1,-0.1,0.1,0.1,-0.1,0.4,-5.7,0.1,0.1,0.1,Normal\n",
		"7F000001,127.0.0.1,6,1.1,-0.1,0.1,0.1,-0.1,0.4,5.7,-0.1,0.1,0.1,Normal\n",
		"7F000001,127.0.0.1,6,1.1,-0.1,0.1,0.1,-0.1,0.4,5.7,0.1,,0.1,Normal\n",
		"7F000001,127.0.0.1,6,1.1,-0.1,0.1,0.1,-0.1,0.4,5.7,0.1,0.1,0.1,normal\n",
	};
	struct source_facts f;
	char large[2048];

	CHECK(chrony_parse("7F000001,127.0.0.1,6,1795974821.844111425,-0.000002227,0.000000344,"
			   "0.000001098,-0.033,0.408,5.798,0.000009248,0.000002769,0.1,Normal\n",
			   &f));
	CHECK_STR(f.state, "Normal");
	CHECK_STR(f.reference, "7F000001");
	CHECK(f.has_stratum && f.has_offset && f.has_delay && f.has_dispersion && f.has_frequency);
	/* "0.000002227 seconds fast of NTP time", "0.033 ppm slow" */
	CHECK(f.stratum == 6 && f.offset_ns == 2227 && f.freq_ppb == 33 && f.skew_ppb == 5798);
	CHECK(f.delay_ns == 9248 && f.dispersion_ns == 2769);
	CHECK(chrony_parse("00000000,,0,0.000000000,0.000000000,0.000000000,0.000000000,0.000,"
			   "0.000,0.000,1.000000000,1.000000000,0.0,Not synchronised\n", &f));
	CHECK_STR(f.state, "Not synchronised");
	CHECK(!f.reference[0] && !f.has_offset && !f.has_delay && !f.has_stratum);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(!chrony_parse(bad[i], &f));
	memset(large, ',', sizeof(large) - 2);
	strcpy(large + sizeof(large) - 2, "\n");
	CHECK(!chrony_parse(large, &f));
}

#define HEAD "\tfae4ae.fffe.f4e0a8-0 seq 0 RESPONSE MANAGEMENT "
#define CURRENT HEAD "CURRENT_DATA_SET \n\t\tstepsRemoved     1\n" \
	"\t\toffsetFromMaster -377.5\n\t\tmeanPathDelay    3132.0\n"
#define STATUS(present) HEAD "TIME_STATUS_NP \n\t\tmaster_offset  -377\n" \
	"\t\tingress_time               1795974856759561864\n" \
	"\t\tcumulativeScaledRateOffset +0.000000000\n\t\tgmPresent    " present "\n" \
	"\t\tgmIdentity                 aa216d.fffe.dc85d6\n"
#define PORT(state) HEAD "PORT_DATA_SET \n\t\tportIdentity            fae4ae.fffe.f4e0a8-1\n" \
	"\t\tportState               " state "\n"
#define SENDING "sending: GET CURRENT_DATA_SET\n"

static void test_ptp4l(void)
{
	static const char *const bad[] = {
		"",
		SENDING,
		"\tno answer\n",
		SENDING CURRENT STATUS("true"),
		SENDING CURRENT PORT("SLAVE"),
		SENDING STATUS("true") PORT("SLAVE"),
		CURRENT STATUS("maybe") PORT("SLAVE"),
		CURRENT STATUS("true") PORT("slave"),
		CURRENT STATUS("true") PORT("SSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSS"),
		STATUS("true") PORT("SLAVE") HEAD "CURRENT_DATA_SET \n\t\tstepsRemoved 1\n"
			"\t\toffsetFromMaster many\n",
		STATUS("true") PORT("SLAVE") HEAD "CURRENT_DATA_SET \n\t\tstepsRemoved 70000\n"
			"\t\toffsetFromMaster 1\n",
		CURRENT PORT("SLAVE") HEAD "TIME_STATUS_NP \n\t\tgmPresent true\n"
			"\t\tgmIdentity ../../etc\n",
	};
	struct source_facts f;

	CHECK(ptp4l_parse(SENDING CURRENT STATUS("true") PORT("LISTENING") PORT("SLAVE")
			  PORT("MASTER"), &f));
	CHECK_STR(f.state, "SLAVE");
	CHECK_STR(f.reference, "aa216d.fffe.dc85d6");
	CHECK(f.has_stratum && f.stratum == 1 && f.has_offset && f.offset_ns == -377);
	CHECK(f.has_delay && f.delay_ns == 3132 && !f.has_dispersion && !f.has_frequency);
	/* The grandmaster itself */
	CHECK(ptp4l_parse(CURRENT STATUS("false") PORT("MASTER"), &f));
	CHECK_STR(f.state, "MASTER");
	CHECK(!f.has_offset && !f.has_delay);
	/* Jitter can make the mean delay negative. */
	CHECK(ptp4l_parse(STATUS("true") PORT("SLAVE") HEAD "CURRENT_DATA_SET \n"
			  "\t\tstepsRemoved 1\n\t\toffsetFromMaster 1\n\t\tmeanPathDelay -2.0\n",
			  &f));
	CHECK(f.has_offset && !f.has_delay);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(!ptp4l_parse(bad[i], &f));
}

/* Random bytes of real answers replaced: nothing worse than a refusal. */
static void test_noise(void)
{
	static const char ptp[] = SENDING CURRENT STATUS("true") PORT("SLAVE");
	static const char tracking[] = "7F000001,127.0.0.1,6,1.1,-0.1,0.1,0.1,-0.1,0.4,5.7,0.1,0.1,"
				       "0.1,Normal\n";
	static const char signs[] = "\n\t ,.-+0123456789abcxyzAZ";
	char text[sizeof(ptp)];
	struct source_facts f;

	srand(1);
	for (int i = 0; i < 200000; i++) {
		const bool is_ptp = i % 2;
		const size_t size = is_ptp ? sizeof(ptp) : sizeof(tracking);

		memcpy(text, is_ptp ? ptp : tracking, size);
		for (int k = rand() % 8; k >= 0; k--)
			text[(size_t)rand() % (size - 1)] =
				signs[(size_t)rand() % (sizeof(signs) - 1)];
		if (is_ptp ? ptp4l_parse(text, &f) : chrony_parse(text, &f))
			CHECK(f.state[0] && strlen(f.reference) < SOURCE_WORD_MAX &&
			      (!f.has_delay || f.delay_ns >= 0));
	}
}

static void test_kernel(void)
{
	/* 100 ppm by the tick, less 11.83 ppm */
	const struct timex t = { .maxerror = 612, .esterror = 73, .tick = 10001,
				 .freq = -775291, .status = STA_PLL };
	struct timex bad = t, now = { .modes = 0 };
	struct kernel_clock k, own;
	int state;

	CHECK(kernel_clock_take(&k, TIME_OK, &t));
	CHECK(k.max_error_ns == 612000 && k.est_error_ns == 73000 && k.is_synced);
	CHECK_EQ(k.freq_ppb, 100000 - 11830);
	CHECK(kernel_clock_take(&k, TIME_ERROR, &t) && !k.is_synced);
	bad.status = STA_UNSYNC;
	CHECK(kernel_clock_take(&k, TIME_OK, &bad) && !k.is_synced);
	bad.maxerror = -1;
	CHECK(!kernel_clock_take(&k, TIME_OK, &bad) && !kernel_clock_take(&k, -1, &t));
	/* The kernel itself */
	state = adjtimex(&now);
	CHECK(kernel_clock_take(&own, state, &now));
	CHECK(kernel_clock_read(&k) && k.is_synced == own.is_synced);
	CHECK(k.freq_ppb == own.freq_ppb && k.freq_ppb < 1000000 && k.freq_ppb > -1000000);
}

/* Between two pairs of readings, both clocks advance by the same time but for the rate. */
static void test_raw_mono(void)
{
	const __u64 mono = clock_ns(CLOCK_MONOTONIC), raw = clock_ns(CLOCK_MONOTONIC_RAW);
	const __u64 later = clock_ns(CLOCK_MONOTONIC);
	const __u64 there = kernel_clock_raw_mono_ns(mono);

	/* CLOCK_MONOTONIC_RAW was at most @raw at @mono, and at most @later - @mono before. */
	CHECK(there <= raw + 1000 && there + (later - mono) + 1000 >= raw);
}

int main(void)
{
	test_fraction();
	test_chrony();
	test_ptp4l();
	test_noise();
	test_kernel();
	test_raw_mono();
	return 0;
}
