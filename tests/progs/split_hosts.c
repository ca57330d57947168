// SPDX-License-Identifier: GPL-2.0
/*
 * split_hosts.c - makes the tracefiles of several hosts of one of a kernel with network name spaces
 *
 *   split_hosts FILE FOLDER NAME,dev=DEVICE,pid=PID...,KEY=VALUE,... ...
 *
 * The kernel has one clock, which is true time. Each host of the result gets a boot of its own and
 * a clock that differs, KEY and VALUE as in hosts/clock_options.h; FOLDER/truth says by how much,
 * as that of mkhosts does. It gets
 *
 *   net:queue, net:receive   of its devices
 *   sched:switch             from and to its threads; all others are idle for it
 *   sched:wakeup             of its threads
 *   softirq:enter and exit   all, because they may be about its packets
 *   app:*                    of its processes
 *
 * All begins at the first packet that one of them sends.
 */
#include "hosts/clock_options.h"
#include "hosts/sim.h"

#include <ktrace/traceset.h>
#include <linux/ktrace_events.h>

#include <stdlib.h>
#include <string.h>

#define NAMES 4

/* struct part - what belongs to a host */
struct part {
	char *devices[NAMES];
	__u32 pids[NAMES];
	int device_nr;
	int pid_nr;
	struct sim_clock_options clock;
};

static struct part parts[SIM_HOSTS];
static struct sim sim;

static void part_option(int i, char *text)
{
	struct part *p = &parts[i];
	char *key, *value;

	sim.hosts[i].name.name = strsep(&text, ",");
	sim_clock_defaults(&p->clock, (size_t)i);
	while ((value = strsep(&text, ","))) {
		key = strsep(&value, "=");
		if (!value)
			sim_die("no value", key);
		if (!strcmp(key, "dev") && p->device_nr < NAMES)
			p->devices[p->device_nr++] = value;
		else if (!strcmp(key, "pid") && p->pid_nr < NAMES)
			p->pids[p->pid_nr++] = (__u32)sim_number(value, NULL);
		else if (!sim_clock_option(&p->clock, key, value))
			sim_die("a host has no", key);
	}
}

/* A thread of the part's processes; 0 is the idle one, of nobody. */
static bool has_thread(const struct part *p, const struct ktrace_trace_event *e, __u32 tid)
{
	__u32 pid = tid;

	ktrace_trace_thread(e->stream->trace, tid, e->raw, &pid);
	for (int i = 0; i < p->pid_nr; i++)
		if (tid && (pid == p->pids[i] || tid == p->pids[i]))
			return true;
	return false;
}

static bool has_device(const struct part *p, const char *name)
{
	for (int i = 0; i < p->device_nr; i++)
		if (!strncmp(p->devices[i], name, KTRACE_NETDEV_LEN))
			return true;
	return false;
}

static void forget_thread(__u32 *tid, char *comm)
{
	*tid = 0;
	memset(comm, 0, KTRACE_COMM_LEN);
	memcpy(comm, "swapper", 7);
}

/* Returns false if neither thread is the part's. */
static bool take_switch(const struct part *p, const struct ktrace_trace_event *e, char *payload)
{
	struct ktrace_ev_sched_switch sw;
	bool is_from, is_to;

	if (e->len < sizeof(sw))
		return false;
	memcpy(&sw, payload, sizeof(sw));
	is_from = has_thread(p, e, sw.prev_tid);
	is_to = has_thread(p, e, sw.next_tid);
	if (!is_from) {
		forget_thread(&sw.prev_tid, sw.prev_comm);
		sw.prev_state = KTRACE_TASK_RUNNABLE;
	}
	if (!is_to)
		forget_thread(&sw.next_tid, sw.next_comm);
	memcpy(payload, &sw, sizeof(sw));
	return is_from || is_to;
}

/* Returns false if the kernel event is not the part's; may change @payload. */
static bool take_kernel(const struct part *p, const struct ktrace_trace_event *e, char *payload)
{
	__u32 tid;

	switch (e->id) {
	case KTRACE_EV_NET_QUEUE:
	case KTRACE_EV_NET_RECEIVE:
		return e->len >= sizeof(struct ktrace_ev_net) &&
		       has_device(p, payload + offsetof(struct ktrace_ev_net, dev));
	case KTRACE_EV_SCHED_SWITCH:
		return take_switch(p, e, payload);
	case KTRACE_EV_SCHED_WAKEUP:
		memcpy(&tid, payload, sizeof(tid));
		return e->len >= sizeof(tid) && has_thread(p, e, tid);
	case KTRACE_EV_SOFTIRQ_ENTER:
	case KTRACE_EV_SOFTIRQ_EXIT:
		return true;
	default:
		return false;
	}
}

/* Returns the id that an event of the exchange has in the result, 0 if it is another event. */
static __u16 user_id(const struct ktrace_trace_event *e)
{
	static const char *const names[] = { "app:request", "app:answer", "app:work" };

	for (__u16 i = 0; e->type && i < 3; i++)
		if (!strcmp(e->type->full_name, names[i]))
			return (__u16)(SIM_APP_REQUEST + i);
	return 0;
}

static void put_event(int i, const struct ktrace_trace_event *e, __u64 t)
{
	struct sim_host *h = &sim.hosts[i];
	struct ktrace_record rec = { .ts = sim_clock_raw(&h->clock, t), .len = (__u16)e->len };
	const bool is_user = e->stream->kind == KTRACE_CHANNEL_USER;
	const __u32 cpu = e->stream->cpu < 0 ? 0 : (__u32)e->stream->cpu;
	char payload[256];

	if (e->len > sizeof(payload) || cpu >= h->cpu_nr)
		return;
	memcpy(payload, e->payload, e->len);
	rec.id = is_user ? user_id(e) : (__u16)e->id;
	if (is_user ? !rec.id || !has_thread(&parts[i], e, e->tid) :
		      !take_kernel(&parts[i], e, payload))
		return;
	rec.tid_flags = has_thread(&parts[i], e, e->tid) ? e->tid : 0;
	rec.tid_flags |= e->flags & KTRACE_EVENT_IRQ ? KTRACE_REC_IRQ : 0;
	sim_trace_record(&h->trace, cpu + (is_user ? h->cpu_nr : 0), &rec, payload);
}

static void read_clock(int i, __u64 t)
{
	struct sim_host *h = &sim.hosts[i];
	struct sim_reading r;

	sim_clock_read(&h->clock, t, &r);
	sim_trace_clock(&h->trace, &r, h->clock.o.hz);
	fprintf(sim.truth, "clock %d %llu %llu %llu\n", i, r.raw, r.mono_ns, r.real_ns);
}

static void create_host(int i, const char *folder, __u32 cpus, __u64 span)
{
	struct sim_host *h = &sim.hosts[i];
	struct sim_reading r;
	char path[4096];

	h->cpu_nr = cpus;
	h->name.is_monotonic = parts[i].clock.is_monotonic;
	snprintf(h->name.boot, sizeof(h->name.boot), "5917-%x", i + 1);
	sim_clock_make(&h->clock, &parts[i].clock, span, &sim.random);
	sim_clock_read(&h->clock, 0, &r);
	snprintf(path, sizeof(path), "%s/h%d", folder, i);
	sim_trace_create(&h->trace, path, &h->name, cpus, r.real_ns);
	fprintf(sim.truth, "host %d %s %s %s %llu\n", i, h->name.name, h->name.boot,
		h->name.is_monotonic ? "monotonic" : "tsc", h->clock.o.hz);
	sim_clock_print(&h->clock, i, sim.truth);
	read_clock(i, 0);
	sim_trace_start(&h->trace);
	for (int k = 0; k < parts[i].pid_nr; k++)
		sim_trace_thread(&h->trace, parts[i].pids[k], parts[i].pids[k], h->name.name,
				 r.raw);
}

static __u32 count_cpus(const struct ktrace_trace *trace)
{
	const struct ktrace_trace_stream *s;
	__s32 most = 0;

	for (size_t i = 0; (s = ktrace_trace_stream(trace, i)); i++)
		most = s->cpu > most ? s->cpu : most;
	return (__u32)most + 1 < SIM_CPUS ? (__u32)most + 1 : SIM_CPUS;
}

static void copy_events(struct ktrace_traceset *set, __u64 begin)
{
	__u64 second = 1000000000, t;
	struct ktrace_trace_event e;

	while (ktrace_traceset_next(set, &e) == 1) {
		t = e.time - begin;
		for (; t >= second; second += 1000000000)
			for (int i = 0; i < sim.host_nr; i++) {
				sim_trace_flush(&sim.hosts[i].trace);
				read_clock(i, second);
			}
		for (int i = 0; i < sim.host_nr; i++)
			if (e.id != KTRACE_ID_LOST)
				put_event(i, &e, t);
	}
}

/* The time of the first packet, from which on events are read; 0: there is none */
static __u64 seek_first_packet(struct ktrace_traceset *set)
{
	const size_t dev = offsetof(struct ktrace_ev_net, dev);
	struct ktrace_trace_event e;

	while (ktrace_traceset_next(set, &e) == 1)
		for (int i = 0; i < sim.host_nr; i++)
			if (e.stream->kind == KTRACE_CHANNEL_KERNEL &&
			    e.id == KTRACE_EV_NET_QUEUE && e.len >= sizeof(struct ktrace_ev_net) &&
			    has_device(&parts[i], e.payload + dev))
				return ktrace_traceset_seek(set, e.time) ? 0 : e.time;
	return 0;
}

static struct ktrace_traceset *open_set(const char *path)
{
	struct ktrace_traceset *set;

	if (ktrace_traceset_open(NULL, &set) || ktrace_traceset_add(set, path))
		sim_die("cannot read", path);
	return set;
}

int main(int argc, char **argv)
{
	struct ktrace_traceset *set;
	__u64 begin = 0, end = 0, first;
	char path[4096];

	if (argc < 5 || argc > 3 + SIM_HOSTS)
		sim_die("see the head of split_hosts.c", NULL);
	set = open_set(argv[1]);
	if (ktrace_traceset_span(set, &begin, &end))
		sim_die("no events in", argv[1]);
	snprintf(path, sizeof(path), "%s/truth", argv[2]);
	sim.truth = fopen(path, "w");
	if (!sim.truth)
		sim_die("cannot write", path);
	sim.random.state = 1;
	for (; sim.host_nr < argc - 3; sim.host_nr++)
		part_option(sim.host_nr, argv[3 + sim.host_nr]);
	first = seek_first_packet(set);
	if (!first)
		sim_die("no packets in", argv[1]);
	for (int i = 0; i < sim.host_nr; i++)
		create_host(i, argv[2], count_cpus(ktrace_traceset_trace(set, 0)),
			    end - first);
	copy_events(set, first);
	for (int i = 0; i < sim.host_nr; i++) {
		read_clock(i, end - first + 1000);
		sim_trace_close(&sim.hosts[i].trace);
	}
	ktrace_traceset_close(set);
	sim_free(&sim);
	return fclose(sim.truth) ? 1 : 0;
}
