/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock_options.h - how clocks of hosts differ, as options say it
 *
 *   clock=tsc|monotonic  hz=N  uptime=S
 *   drift=PPM  sine=PPM/PERIOD  walk=PPB   walk: the rate changes by at most so much in a second
 *   step=AT/BY         of the raw clock, as only a clock of imported traces has it
 *   wall=S             error of the wall clock
 *   wallstep=AT/BY     the wall clock is set
 *   ntp=US             CLOCK_MONOTONIC and the wall clock are disciplined, and wander by this
 */
#ifndef TESTS_HOSTS_CLOCK_OPTIONS_H
#define TESTS_HOSTS_CLOCK_OPTIONS_H

#include "clock.h"

__attribute__((noreturn)) void sim_die(const char *what, const char *which);
double sim_number(const char *text, char **end);
void sim_clock_defaults(struct sim_clock_options *o, size_t host);
bool sim_clock_option(struct sim_clock_options *o, const char *key, const char *value);

#endif
