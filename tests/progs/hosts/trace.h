/* SPDX-License-Identifier: GPL-2.0 */
/* trace.h - the tracefile of a simulated host */
#ifndef TESTS_HOSTS_TRACE_H
#define TESTS_HOSTS_TRACE_H

#include <ktrace/tracefile.h>

#include "clock.h"

#define SIM_CPUS 64
#define SIM_BLOCK 65536u

/* struct sim_stream - the ring of a CPU; kernel streams come first, then those of user events */
struct sim_stream {
	struct ktrace_tracefile_block block;
	__u64 pos;
	__u64 records;
	char *data;
};

struct sim_trace {
	struct ktrace_tracefile *tf;
	struct sim_stream streams[2 * SIM_CPUS];
	__u32 cpus;
};

/* struct sim_host_name - what the file says about its host */
struct sim_host_name {
	const char *name;
	char boot[40];
	bool is_monotonic;
};

#define SIM_APP_REQUEST 16	/* ids of user events */
#define SIM_APP_ANSWER 17
#define SIM_APP_WORK 18

void sim_trace_create(struct sim_trace *t, const char *path, const struct sim_host_name *name,
		      __u32 cpus, __u64 real_ns);
void sim_trace_compress(struct sim_trace *t);
void sim_trace_clock(struct sim_trace *t, const struct sim_reading *r, __u64 hz);
void sim_trace_thread(struct sim_trace *t, __u32 pid, __u32 tid, const char *comm, __u64 raw);
void sim_trace_start(struct sim_trace *t);
void sim_trace_record(struct sim_trace *t, __u32 stream, const struct ktrace_record *rec,
		      const void *payload);
void sim_trace_flush(struct sim_trace *t);
void sim_trace_close(struct sim_trace *t);

#endif
