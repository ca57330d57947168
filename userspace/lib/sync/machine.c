// SPDX-License-Identifier: LGPL-2.1
/* machine.c - which traces are of one host, and its clock */
#include "machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/search.h"

static bool is_same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

/* Adds the host of a trace, by whose clock it counts until another trace has another clock. */
static int add(struct machines *m, const struct ktrace_trace *t, size_t number)
{
	struct machine *machine = &m->at[m->nr];
	struct ktrace_clock_info clock;
	struct ktrace_clock_tie tie = { 0 };
	const char *boot = ktrace_trace_meta(t, "host", "boot");

	ktrace_trace_clock(t, &clock);
	ktrace_trace_clock_tie(t, 0, &tie);
	*machine = (struct machine){
		.name = copy(ktrace_trace_meta(t, "host", "name")), .boot = copy(boot),
		.path = copy(ktrace_trace_path(t)), .trace = number, .has_stamps = true,
		.zero = tie.raw, .scale = clock.hz ? (double)NS_PER_S / (double)clock.hz : 1,
	};
	m->of_trace[number] = m->nr++;
	return machine->path && (!boot || machine->boot) ? 0 : -ENOMEM;
}

/* Takes in a further trace of a host. */
static void join(struct machine *machine, const struct ktrace_trace *first,
		 const struct ktrace_trace *t)
{
	struct ktrace_clock_info a, b;

	ktrace_trace_clock(first, &a);
	ktrace_trace_clock(t, &b);
	if (machine->has_stamps && (a.clock == b.clock || is_same(a.clock, b.clock)))
		return;
	if (machine->has_stamps)
		machine->zero = ktrace_trace_time(first, machine->zero);
	machine->has_stamps = false;
	machine->scale = 1;
}

/* Extends the times of interest by a stamp of a trace. */
void ktrace_machine_extend(struct machine *machine, const struct ktrace_trace *t, __u64 raw)
{
	const double ns = ktrace_machine_ns(machine, t, raw);

	machine->begin = ns < machine->begin ? ns : machine->begin;
	machine->end = ns > machine->end ? ns : machine->end;
}

static void set_span(struct machines *m, const struct ktrace_trace *t, size_t number)
{
	struct machine *machine = &m->at[m->of_trace[number]];
	struct ktrace_clock_tie tie;
	struct ktrace_tie_counts counts;

	ktrace_trace_tie_counts(t, &counts);
	if (!counts.clock_ties)
		return;
	if (ktrace_trace_clock_tie(t, 0, &tie))
		ktrace_machine_extend(machine, t, tie.raw);
	if (ktrace_trace_clock_tie(t, counts.clock_ties - 1, &tie))
		ktrace_machine_extend(machine, t, tie.raw);
}

/* Finds the hosts of a traceset. Returns 0, -ENOMEM. */
int ktrace_machines_find(struct machines *m, const struct ktrace_traceset *set)
{
	const struct ktrace_trace *t;
	size_t i, first;
	int ret = 0;

	while (ktrace_traceset_trace(set, m->trace_nr))
		m->trace_nr++;
	m->at = calloc(m->trace_nr + 1, sizeof(*m->at));
	m->of_trace = calloc(m->trace_nr + 1, sizeof(*m->of_trace));
	if (!m->at || !m->of_trace)
		return -ENOMEM;
	for (i = 0; (t = ktrace_traceset_trace(set, i)) && !ret; i++) {
		first = ktrace_traceset_host(set, i);
		if (first == i) {
			ret = add(m, t, i);
			continue;
		}
		m->of_trace[i] = m->of_trace[first];
		join(&m->at[m->of_trace[i]], ktrace_traceset_trace(set, first), t);
	}
	for (i = 0; (t = ktrace_traceset_trace(set, i)) && !ret; i++)
		set_span(m, t, i);
	return ret;
}

/* Returns the host's time at a stamp of one of its traces. */
double ktrace_machine_ns(const struct machine *m, const struct ktrace_trace *trace, __u64 raw)
{
	const __u64 at = m->has_stamps ? raw : ktrace_trace_time(trace, raw);

	return (at < m->zero ? -(double)(m->zero - at) : (double)(at - m->zero)) * m->scale;
}

/* Returns the stamp of a trace at a time of its host, 0 for times before stamps begin. */
__u64 ktrace_machine_raw(const struct machine *m, const struct ktrace_trace *trace, double ns)
{
	const double units = ns / m->scale;
	const __u64 distance = (__u64)(units < 0 ? -units : units);
	const __u64 at = units >= 0 ? m->zero + distance :
			 m->zero > distance ? m->zero - distance : 0;

	if (m->has_stamps)
		return at;
	return PARTITION_POINT(~0ull >> 1, raw, ktrace_trace_time(trace, raw) < at);
}

void ktrace_machines_free(struct machines *m)
{
	__u32 i;

	for (i = 0; i < m->nr; i++) {
		free(m->at[i].name);
		free(m->at[i].boot);
		free(m->at[i].path);
	}
	free(m->at);
	free(m->of_trace);
}
