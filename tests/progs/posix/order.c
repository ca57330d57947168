// SPDX-License-Identifier: GPL-2.0
/*
 * order.c - what is the cause of an event is read before it, however late it is seen
 *
 * The worst moment for a reader: it has found a ring empty when an event comes there, which is
 * the cause of another one, in a ring that it looks at next. Here that happens for certain: the
 * library finds this program's ktrace_stream_peek(). Ends with 0 if all is in order, or if there
 * is one CPU only, and so one ring.
 */
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <ktrace/session.h>
#include <trace.h>

static trace_event_id_t id;
static int cpus[2], cpu_nr;
static __u32 ring;	/* when this one has been found empty */
static bool is_armed;

static void tell(int cpu, int number)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	posix_trace_event(id, &number, sizeof(number));
}

bool ktrace_stream_peek(struct ktrace_session *s, __u32 stream, bool partial,
			struct ktrace_chunk *chunk)
{
	static bool (*real)(struct ktrace_session *, __u32, bool, struct ktrace_chunk *);
	bool has_chunk;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "ktrace_stream_peek");
	has_chunk = real(s, stream, partial, chunk);
	if (!has_chunk && is_armed && stream == ring) {
		is_armed = false;
		tell(cpus[0], 1);
		tell(cpus[1], 2);
	}
	return has_chunk;
}

/* Return: the number, 0 = there is no event, -1 = an error */
static int next(trace_id_t trid)
{
	struct posix_trace_event_info info;
	int none, number = 0;
	size_t len;

	if (posix_trace_trygetnext_event(trid, &info, &number, sizeof(number), &len, &none))
		return -1;
	return none ? 0 : number;
}

/* Whether both come in order when the reader has just seen that ring @at is empty */
static bool is_in_order(trace_id_t trid, __u32 at)
{
	int first, second;

	ring = at;
	is_armed = true;
	first = next(trid);
	second = next(trid);
	if (first != 1 || second != 2 || next(trid) != 0)
		printf("ring %u: %d, then %d\n", at, first, second);
	return first == 1 && second == 2;
}

int main(void)
{
	trace_id_t trid;
	cpu_set_t set;
	bool is_good = true;

	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0; cpu < CPU_SETSIZE && cpu_nr < 2; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[cpu_nr++] = cpu;
	if (cpu_nr < 2)
		return 0;
	if (posix_trace_eventid_open("turn", &id) || posix_trace_create(0, NULL, &trid) ||
	    posix_trace_start(trid))
		return 2;
	while (next(trid) > 0)
		;
	for (int i = 0; i < 2; i++)
		is_good &= is_in_order(trid, (__u32)cpus[i]);
	return posix_trace_shutdown(trid) || !is_good;
}
