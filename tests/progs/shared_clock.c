// SPDX-License-Identifier: GPL-2.0
/*
 * shared_clock.c - clocks of virtual machines that are set apart, and what they truly are
 *
 *   shared_clock host FILE GUESTS LOG   writes the time into a file that is memory of all guests,
 *                                       reads theirs, until it is killed
 *   shared_clock guest NUMBER LOG [PPM WALL_MS [STEP_S STEP_MS]]
 *                                       the same in a guest: its CLOCK_MONOTONIC runs PPM
 *                                       faster, its wall clock is WALL_MS ahead, and is set
 *                                       by STEP_MS after STEP_S seconds
 *
 * Each line of a log is a bound: "NUMBER WRITTEN READ", the other side's time that was read, and
 * the own time after that. So what has the time WRITTEN there happened before what has READ here.
 * Time is CLOCK_MONOTONIC in guests, CLOCK_MONOTONIC_RAW on the host.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#define SIZE (1u << 20)
#define GUESTS_MAX 15
#define LINE 64u		/* bytes of each one's time, apart from those of others */
#define NS 1000000000ll
#define PAUSE_NS 500000
#define IVSHMEM "0x1af4"	/* vendor */

static __attribute__((noreturn)) void die(const char *what)
{
	fprintf(stderr, "shared_clock: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * NS + t.tv_nsec;
}

static char *map(const char *path)
{
	const int fd = open(path, O_RDWR);
	char *at = MAP_FAILED;

	if (fd >= 0)
		at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		die(path);
	return at;
}

static _Atomic int64_t *cell(char *memory, unsigned int number)
{
	return (_Atomic int64_t *)(memory + (size_t)number * LINE);
}

static void rest(void)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	nanosleep(&pause, NULL);
}

/* Logs the time of @number if it has gone on. */
static void look(FILE *log, char *memory, unsigned int number, int64_t *last, clockid_t clock)
{
	const int64_t theirs = *cell(memory, number), own = now_of(clock);

	if (theirs != *last)
		fprintf(log, "%u %lld %lld\n", number, (long long)theirs, (long long)own);
	*last = theirs;
}

static void run_host(char *memory, unsigned int guests, FILE *log)
{
	int64_t last[GUESTS_MAX + 1] = { 0 };

	for (;;) {
		for (unsigned int i = 1; i <= guests; i++)
			look(log, memory, i, &last[i], CLOCK_MONOTONIC_RAW);
		*cell(memory, 0) = now_of(CLOCK_MONOTONIC_RAW);
		rest();
	}
}

/* The kernel's tick is 10 ms, in us: one more is 100 ppm. */
static void set_rate(int ppm)
{
	struct timex t = { .modes = ADJ_TICK, .tick = 10000 + ppm / 100 };

	if (adjtimex(&t) < 0)
		die("adjtimex");
}

static void set_wall(int64_t plus_ns)
{
	const int64_t ns = now_of(CLOCK_REALTIME) + plus_ns;
	const struct timespec t = { .tv_sec = ns / NS, .tv_nsec = ns % NS };

	if (clock_settime(CLOCK_REALTIME, &t))
		die("clock_settime");
}

static char *find_memory(void)
{
	char vendor[16], *slash;
	glob_t found;
	FILE *f;

	if (glob("/sys/bus/pci/devices/*/vendor", 0, NULL, &found))
		die("PCI");
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char path[256];

		f = fopen(found.gl_pathv[i], "r");
		if (!f || !fgets(vendor, sizeof(vendor), f))
			die(found.gl_pathv[i]);
		fclose(f);
		if (strncmp(vendor, IVSHMEM, strlen(IVSHMEM)))
			continue;
		slash = strrchr(found.gl_pathv[i], '/');
		snprintf(path, sizeof(path), "%.*s/resource2", (int)(slash - found.gl_pathv[i]),
			 found.gl_pathv[i]);
		if (!access(path, R_OK | W_OK))
			return map(path);
	}
	die("no shared memory");
}

static void run_guest(unsigned int number, FILE *log, int64_t step_at, int64_t step_ns)
{
	char *memory = find_memory();
	int64_t last = 0;

	for (;;) {
		look(log, memory, 0, &last, CLOCK_MONOTONIC);
		*cell(memory, number) = now_of(CLOCK_MONOTONIC);
		if (step_at && now_of(CLOCK_MONOTONIC) >= step_at) {
			set_wall(step_ns);
			step_at = 0;
		}
		rest();
	}
}

static FILE *open_log(const char *path)
{
	FILE *log = fopen(path, "w");

	if (!log)
		die(path);
	setlinebuf(log);
	return log;
}

int main(int argc, char **argv)
{
	const int64_t ms = NS / 1000;

	if (argc == 5 && !strcmp(argv[1], "host"))
		run_host(map(argv[2]), (unsigned int)atoi(argv[3]), open_log(argv[4]));
	if ((argc == 4 || argc == 6 || argc == 8) && !strcmp(argv[1], "guest")) {
		if (argc > 4) {
			set_rate(atoi(argv[4]));
			set_wall(atoll(argv[5]) * ms);
		}
		run_guest((unsigned int)atoi(argv[2]), open_log(argv[3]),
			  argc == 8 ? now_of(CLOCK_MONOTONIC) + atoll(argv[6]) * NS : 0,
			  argc == 8 ? atoll(argv[7]) * ms : 0);
	}
	fprintf(stderr, "shared_clock: see the head of shared_clock.c\n");
	return 2;
}
