// SPDX-License-Identifier: GPL-2.0
/*
 * mkhosts.c - makes the tracefiles of simulated hosts whose clocks differ, and says by how much
 *
 *   mkhosts [OPTION...] FOLDER
 *
 * writes FOLDER/h0, h1, ... and FOLDER/truth. Host 0 is a client of all others. Equal options give
 * equal files, except for their uuid. Times of options are seconds unless the name says otherwise:
 *
 *   --hosts N --seed N --seconds S
 *   --rate N           requests per second, of all connections; 0 = no TCP (default 100)
 *   --connections N    from the client to each server (1)
 *   --request N --answer N   mean bytes (200, 2000)
 *   --work US          mean time of a server for an answer (100)
 *   --udp N --broadcast N --stranger N   datagrams per second: between hosts, to all, to hosts
 *                      that are not recorded (0)
 *   --delay US         least delay of a packet (100)
 *   --jitter US[,exponential|bimodal|heavy|none]   beyond that, mean (50,exponential)
 *   --asymmetry US     packets to hosts of lower numbers need so much longer
 *   --loss P           probability that a segment is lost
 *   --reorder          packets may overtake each other
 *   --tso --gro --ipv6
 *   --sched            switches, wakeups, softirqs
 *   --others N         with --sched: how often a second another thread of a host runs for a while,
 *                      which is three events (0)
 *   --app              events of the programs
 *   --messages         writes FOLDER/messages
 *   --compress
 *   --host I,KEY=VALUE,...   how the clock of host I differs, see
 *                      hosts/clock_options.h
 *
 * truth: "host I NAME BOOT CLOCK HZ"; "knot I TRUE RAW", true time in ns and raw stamp: a line
 * between two knots, rounded down, and of two knots of the same time the later one is valid from
 * then on; "clock I RAW MONO REAL", the readings in the file; "count NAME N".
 * messages: "tcp|udp|broadcast FROM RAW TO RAW BYTES", one for each pair of a sent and a received
 * packet that have bytes in common. Acknowledgements have 0.
 */
#include "hosts/clock_options.h"
#include "hosts/load.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static struct sim_clock_options clocks[SIM_HOSTS];

/* I,KEY=VALUE,... */
static void host_option(char *text)
{
	const char *word = strsep(&text, ",");
	const unsigned long i = strtoul(word, NULL, 10);
	char *key, *value;

	if (i >= SIM_HOSTS)
		sim_die("too many hosts", word);
	while ((value = strsep(&text, ","))) {
		key = strsep(&value, "=");
		if (!value)
			sim_die("no value", key);
		if (!sim_clock_option(&clocks[i], key, value))
			sim_die("a host has no", key);
	}
}

static void set_jitter(struct sim_options *o, char *text)
{
	const char *us = strsep(&text, ",");

	o->jitter_us = sim_number(us, NULL);
	if (text)
		o->jitter = text;
	for (const char *p = "exponential\0bimodal\0heavy\0none\0"; *p; p += strlen(p) + 1)
		if (!strcmp(o->jitter, p))
			return;
	sim_die("no such jitter", o->jitter);
}

enum option_number { HOSTS = 256, SEED, CONNECTIONS, REQUEST, ANSWER, JITTER, HOST, MESSAGES };

static const struct option long_options[] = {
	{ "hosts", 1, NULL, HOSTS }, { "seed", 1, NULL, SEED },
	{ "connections", 1, NULL, CONNECTIONS }, { "request", 1, NULL, REQUEST },
	{ "answer", 1, NULL, ANSWER }, { "jitter", 1, NULL, JITTER }, { "host", 1, NULL, HOST },
	{ "messages", 0, NULL, MESSAGES }, { "compress", 0, NULL, 'z' },
	{ "seconds", 1, NULL, 's' }, { "rate", 1, NULL, 'r' }, { "udp", 1, NULL, 'u' },
	{ "broadcast", 1, NULL, 'b' }, { "stranger", 1, NULL, 'x' }, { "delay", 1, NULL, 'd' },
	{ "others", 1, NULL, 'O' },
	{ "asymmetry", 1, NULL, 'a' }, { "loss", 1, NULL, 'l' }, { "work", 1, NULL, 'w' },
	{ "tso", 0, NULL, 't' }, { "gro", 0, NULL, 'g' }, { "reorder", 0, NULL, 'o' },
	{ "ipv6", 0, NULL, '6' }, { "sched", 0, NULL, 'S' }, { "app", 0, NULL, 'A' },
	{ 0 },
};

static double *real_option(struct sim_options *o, int c)
{
	switch (c) {
	case 's': return &o->seconds;
	case 'r': return &o->rate;
	case 'u': return &o->udp_rate;
	case 'b': return &o->broadcast_rate;
	case 'x': return &o->stranger_rate;
	case 'O': return &o->others_rate;
	case 'd': return &o->delay_us;
	case 'a': return &o->asymmetry_us;
	case 'l': return &o->loss;
	case 'w': return &o->work_us;
	default: return NULL;
	}
}

static bool *flag_option(struct sim_options *o, int c)
{
	switch (c) {
	case 't': return &o->has_tso;
	case 'g': return &o->has_gro;
	case 'o': return &o->is_reordered;
	case '6': return &o->is_ipv6;
	case 'S': return &o->has_sched;
	case 'A': return &o->has_app;
	case 'z': return &o->is_compressed;
	default: return NULL;
	}
}

static void other_option(struct sim *s, int c, char *arg, bool *has_messages)
{
	switch (c) {
	case HOSTS: s->host_nr = (int)sim_number(arg, NULL); break;
	case SEED: s->o.seed = (__u64)sim_number(arg, NULL); break;
	case CONNECTIONS: s->o.connections = (__u32)sim_number(arg, NULL); break;
	case REQUEST: s->o.request_bytes = (__u32)sim_number(arg, NULL); break;
	case ANSWER: s->o.answer_bytes = (__u32)sim_number(arg, NULL); break;
	case JITTER: set_jitter(&s->o, arg); break;
	case HOST: host_option(arg); break;
	case MESSAGES: *has_messages = true; break;
	default: sim_die("see the head of mkhosts.c", NULL);
	}
}

/* Returns the folder. */
static const char *read_options(struct sim *s, int argc, char **argv, bool *has_messages)
{
	int c;

	s->host_nr = 2;
	s->o = (struct sim_options){ .seed = 1, .seconds = 10, .rate = 100, .delay_us = 100,
		.jitter_us = 50, .jitter = "exponential", .work_us = 100, .request_bytes = 200,
		.answer_bytes = 2000, .connections = 1 };
	for (size_t i = 0; i < SIM_HOSTS; i++)
		sim_clock_defaults(&clocks[i], i);
	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		double *real = real_option(&s->o, c);
		bool *flag = flag_option(&s->o, c);

		if (real)
			*real = sim_number(optarg, NULL);
		else if (flag)
			*flag = true;
		else
			other_option(s, c, optarg, has_messages);
	}
	if (optind + 1 != argc)
		sim_die("one folder, see the head of mkhosts.c", NULL);
	if (s->host_nr < 2 || s->host_nr > SIM_HOSTS || s->o.connections < 1 ||
	    load_cpus(s, 0) > SIM_CPUS)
		sim_die("too many hosts or connections, or too few", NULL);
	return argv[optind];
}

static FILE *open_file(const char *folder, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	if (!f)
		sim_die("cannot write", path);
	return f;
}

/* A reading, in the file and in the truth */
static void read_clock(struct sim *s, int i, __u64 t)
{
	struct sim_host *h = &s->hosts[i];
	struct sim_reading r;

	sim_clock_read(&h->clock, t, &r);
	sim_trace_clock(&h->trace, &r, h->clock.o.hz);
	fprintf(s->truth, "clock %d %llu %llu %llu\n", i, r.raw, r.mono_ns, r.real_ns);
}

static void create_host(struct sim *s, int i, const char *folder)
{
	static const char *const names[] = { "client", "server" };
	struct sim_host *h = &s->hosts[i];
	static char name[SIM_HOSTS][32];
	struct sim_reading r;
	char path[4096];

	snprintf(name[i], sizeof(name[i]), i ? "%s%d" : "%s", names[i > 0], i);
	h->name.name = name[i];
	h->name.is_monotonic = clocks[i].is_monotonic;
	snprintf(h->name.boot, sizeof(h->name.boot), "%08llx-0000-4000-8000-%012x",
		 s->o.seed & 0xffffffff, i + 1);
	h->cpu_nr = load_cpus(s, i);
	sim_clock_make(&h->clock, &clocks[i], s->end, &s->random);
	sim_clock_read(&h->clock, 0, &r);
	snprintf(path, sizeof(path), "%s/h%d", folder, i);
	sim_trace_create(&h->trace, path, &h->name, h->cpu_nr, r.real_ns);
	if (s->o.is_compressed)
		sim_trace_compress(&h->trace);
	fprintf(s->truth, "host %d %s %s %s %llu\n", i, name[i], h->name.boot,
		clocks[i].is_monotonic ? "monotonic" : "tsc", clocks[i].hz);
	sim_clock_print(&h->clock, i, s->truth);
	read_clock(s, i, 0);
	sim_trace_start(&h->trace);
}

/* Each second, as ktraced does */
static void second(struct sim *s, __u64 t, const struct sim_action *a)
{
	for (int i = 0; i < s->host_nr; i++) {
		sim_trace_flush(&s->hosts[i].trace);
		read_clock(s, i, t);
	}
	sim_at(s, t + 1000000000, a);
}

static void print_counts(const struct sim *s)
{
	const struct sim_counts *c = &s->counts;

	fprintf(s->truth, "count requests %llu\ncount tcp_queued %llu\ncount tcp_received %llu\n",
		c->requests, c->tcp_queued, c->tcp_received);
	fprintf(s->truth, "count udp_queued %llu\ncount udp_received %llu\n", c->udp_queued,
		c->udp_received);
	fprintf(s->truth, "count broadcasts_queued %llu\ncount broadcasts_received %llu\n",
		c->broadcasts_queued, c->broadcasts_received);
	fprintf(s->truth, "count retransmitted %llu\ncount lost %llu\ncount duplicates %llu\n",
		c->retransmitted, c->lost, c->duplicates);
}

int main(int argc, char **argv)
{
	static struct sim s;
	bool has_messages = false;
	const char *folder = read_options(&s, argc, argv, &has_messages);
	struct load *load;

	s.random.state = s.o.seed;
	s.end = (__u64)(s.o.seconds * 1e9);
	s.truth = open_file(folder, "truth");
	s.messages = has_messages ? open_file(folder, "messages") : NULL;
	for (int i = 0; i < s.host_nr; i++)
		create_host(&s, i, folder);
	load = load_new(&s);
	load_name_threads(load, &s);
	load_start(load, &s);
	sim_at(&s, 1000000000, &(struct sim_action){ .run = second });
	sim_run(&s);
	for (int i = 0; i < s.host_nr; i++) {
		read_clock(&s, i, s.end);
		sim_trace_close(&s.hosts[i].trace);
	}
	print_counts(&s);
	if (fclose(s.truth) || (s.messages && fclose(s.messages)))
		sim_die("cannot write into", folder);
	load_free(load);
	net_free();
	sim_free(&s);
	return 0;
}
