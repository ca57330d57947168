// SPDX-License-Identifier: GPL-2.0
/*
 * witness.c - records what the clocks say while they are disturbed; check_witness.c compares
 *
 *   witness EVENTS DISTURBANCE
 *
 * Writes EVENTS events a millisecond apart. Between them, three times:
 *
 *   sleep   the machine is suspended for two seconds, as far as /sys/power/pm_test has it
 *   step    the wall clock goes an hour forth, two back, an hour forth again
 *   slew    the clock's rate goes up, down, and back to normal, by 500 ppm
 *   none
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>
#include <ktrace/ktrace.h>

KTRACE_EVENT(witness, tick, ktrace_u64(mono), ktrace_u64(boot));

#define HOUR 3600
#define NS_PER_S 1000000000ull

static uint64_t read_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0) {
		perror(path);
		exit(1);
	}
	close(fd);
}

static void fall_asleep(int round)
{
	uint64_t before = read_ns(CLOCK_BOOTTIME) - read_ns(CLOCK_MONOTONIC);

	(void)round;
	write_file("/sys/power/state", "mem");
	if (read_ns(CLOCK_BOOTTIME) - read_ns(CLOCK_MONOTONIC) < before + NS_PER_S / 2) {
		fprintf(stderr, "witness: did not sleep\n");
		exit(1);
	}
}

static void step(int round)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += round == 1 ? -2 * HOUR : HOUR;
	if (clock_settime(CLOCK_REALTIME, &t)) {
		perror("clock_settime");
		exit(1);
	}
}

static void slew(int round)
{
	struct timex t = { .modes = ADJ_FREQUENCY, .freq = (1 - round) * 500 * 65536 };

	if (adjtimex(&t) < 0) {
		perror("adjtimex");
		exit(1);
	}
}

static void leave_alone(int round)
{
	(void)round;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*disturb)(int round);
	} disturbances[] = {
		{ "sleep", fall_asleep }, { "step", step }, { "slew", slew },
		{ "none", leave_alone },
	};
	const struct timespec pause = { .tv_nsec = 1000000 };
	long nr = argc == 3 ? atol(argv[1]) : 0;
	void (*disturb)(int round) = NULL;
	size_t i;

	for (i = 0; argc == 3 && i < sizeof(disturbances) / sizeof(disturbances[0]); i++)
		if (!strcmp(argv[2], disturbances[i].name))
			disturb = disturbances[i].disturb;
	if (!disturb || nr < 4)
		return 2;
	for (long n = 0; n < nr; n++) {
		ktrace(witness, tick, read_ns(CLOCK_MONOTONIC), read_ns(CLOCK_BOOTTIME));
		nanosleep(&pause, NULL);
		if (n % (nr / 4) == nr / 4 - 1 && n / (nr / 4) < 3)
			disturb((int)(n / (nr / 4)));
	}
	return 0;
}
