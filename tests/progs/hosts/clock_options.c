// SPDX-License-Identifier: GPL-2.0
/* clock_options.c - how clocks of hosts differ, as options say it */
#include "clock_options.h"

#include <stdlib.h>
#include <string.h>

void sim_die(const char *what, const char *which)
{
	fprintf(stderr, "hosts: %s%s%s\n", what, which ? ": " : "", which ? which : "");
	exit(1);
}

/* Without @end the whole text is the number. */
double sim_number(const char *text, char **end)
{
	char *own;
	const double v = strtod(text, end ? end : &own);

	if (!end && (*own || own == text))
		sim_die("not a number", text);
	return v;
}

/* A/B */
static struct sim_step two_numbers(const char *text)
{
	char *end;
	const double first = sim_number(text, &end);

	if (*end != '/')
		sim_die("not two numbers", text);
	return (struct sim_step){ first, sim_number(end + 1, NULL) };
}

static void add_step(struct sim_step *steps, size_t *nr, const char *value)
{
	if (*nr == SIM_STEPS)
		sim_die("too many steps", value);
	steps[(*nr)++] = two_numbers(value);
}

static void set_sine(struct sim_clock_options *o, const char *value)
{
	const struct sim_step two = two_numbers(value);

	o->sine_ppm = two.at_s;
	o->sine_s = two.by_s;
}

static void set_clock(struct sim_clock_options *o, const char *value)
{
	o->is_monotonic = !strcmp(value, "monotonic");
	if (o->is_monotonic)
		o->hz = 1000000000;
}

/* The clocks of hosts began at other times, and have other frequencies. */
void sim_clock_defaults(struct sim_clock_options *o, size_t host)
{
	*o = (struct sim_clock_options){
		.hz = 2000000000 + 100000007 * host,
		.uptime_s = 1000 + 777.25 * (double)host,
		.ntp_us = -1,
	};
}

/* Returns false if there is no such key. */
bool sim_clock_option(struct sim_clock_options *o, const char *key, const char *value)
{
	const struct {
		const char *key;
		double *to;
	} numbers[] = {
		{ "uptime", &o->uptime_s }, { "drift", &o->drift_ppm }, { "walk", &o->walk_ppb },
		{ "wall", &o->wall_s }, { "ntp", &o->ntp_us },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcmp(key, numbers[i].key)) {
			*numbers[i].to = sim_number(value, NULL);
			return true;
		}
	if (!strcmp(key, "clock"))
		set_clock(o, value);
	else if (!strcmp(key, "hz"))
		o->hz = (__u64)sim_number(value, NULL);
	else if (!strcmp(key, "sine"))
		set_sine(o, value);
	else if (!strcmp(key, "step"))
		add_step(o->steps, &o->step_nr, value);
	else if (!strcmp(key, "wallstep"))
		add_step(o->wall_steps, &o->wall_step_nr, value);
	else
		return false;
	return true;
}
