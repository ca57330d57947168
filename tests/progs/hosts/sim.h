/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sim.h - simulated hosts: what happens next, and the events that it leaves in tracefiles
 *
 * Time is true time in ns since the beginning. Actions run in its order and may make records of the
 * future; records are written in order, with the stamp that the host's clock shows at their time.
 */
#ifndef TESTS_HOSTS_SIM_H
#define TESTS_HOSTS_SIM_H

#include "trace.h"

#define SIM_HOSTS 16
#define SIM_PAYLOAD 96

struct sim;

/* struct sim_action - a function to call at a time; its arguments are what it makes of them */
struct sim_action {
	void (*run)(struct sim *s, __u64 t, const struct sim_action *a);
	void *object;
	__u64 number;
};

/* struct sim_record - a record to write at a time */
struct sim_record {
	__u32 host;
	__u32 cpu;
	__u32 tid;
	__u16 id;
	__u16 len;
	bool is_user;
	bool is_irq;
	char payload[SIM_PAYLOAD];
};

/* struct sim_item - what is to come */
struct sim_item {
	bool is_record;
	union {
		struct sim_action action;
		struct sim_record record;
	};
};

/* struct sim_slot - an item of the heap; @order: those of the same time keep theirs */
struct sim_slot {
	__u64 t;
	__u64 order;
	__u32 item;
};

/* struct sim_cpu - @free_at: what was begun is done; @tid: the thread that runs, 0 = idle */
struct sim_cpu {
	__u64 free_at;
	__u32 tid;
	char comm[16];
};

struct sim_host {
	struct sim_host_name name;
	struct sim_clock clock;
	struct sim_trace trace;
	struct sim_cpu cpus[SIM_CPUS];
	__u32 cpu_nr;
};

/* struct sim_options - what happens; times in us and rates per second */
struct sim_options {
	__u64 seed;
	double seconds;
	double rate;
	double udp_rate;
	double broadcast_rate;
	double stranger_rate;
	double others_rate;
	double delay_us;
	double jitter_us;
	const char *jitter;
	double asymmetry_us;
	double loss;
	double work_us;
	__u32 request_bytes;
	__u32 answer_bytes;
	__u32 connections;
	bool has_tso;
	bool has_gro;
	bool is_reordered;
	bool is_ipv6;
	bool has_sched;
	bool has_app;
	bool is_compressed;
};

/* struct sim_counts - what the tracefiles have */
struct sim_counts {
	__u64 requests;
	__u64 tcp_queued;
	__u64 tcp_received;
	__u64 udp_queued;
	__u64 udp_received;
	__u64 broadcasts_queued;
	__u64 broadcasts_received;
	__u64 retransmitted;
	__u64 lost;
	__u64 duplicates;
};

struct sim {
	struct sim_options o;
	struct sim_counts counts;
	struct sim_host hosts[SIM_HOSTS];
	int host_nr;
	struct random random;
	__u64 end;
	FILE *truth;
	FILE *messages;		/* NULL: not wanted */
	struct sim_slot *heap;
	size_t heap_nr;
	size_t heap_cap;
	struct sim_item *items;
	__u32 *free_items;
	size_t free_nr;
	__u64 order;
};

void sim_at(struct sim *s, __u64 t, const struct sim_action *a);
void sim_record(struct sim *s, __u64 t, const struct sim_record *r);
void sim_run(struct sim *s);
void sim_free(struct sim *s);

void sim_softirq(struct sim *s, __u32 host, __u32 cpu, __u64 from, __u64 to);
void sim_switch(struct sim *s, __u32 host, __u32 cpu, __u64 t, __u32 tid, const char *comm);
void sim_wakeup(struct sim *s, __u32 host, __u32 cpu, __u64 t, __u32 tid, const char *comm);

#endif
