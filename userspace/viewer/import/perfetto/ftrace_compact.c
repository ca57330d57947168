// SPDX-License-Identifier: GPL-2.0
/*
 * ftrace_compact.c - switches and wakings that are stored in columns
 *
 * A compact switch does not name the previous thread: it is the one last switched to on the CPU.
 */
#include "convert.h"
#include "ftrace.h"

#include <errno.h>
#include <string.h>

typedef Perfetto__Protos__FtraceEventBundle Bundle;
typedef Perfetto__Protos__FtraceEventBundle__CompactSched CompactSched;

/* Returns a thread's name; truncates it in place, as many events may refer to a long one. */
static const char *text_of(const CompactSched *s, __u32 i)
{
	char *text = i < s->n_intern_table ? s->intern_table[i] : NULL;

	if (text && strnlen(text, KTRACE_COMM_LEN) == KTRACE_COMM_LEN)
		text[KTRACE_COMM_LEN - 1] = '\0';
	return text ? text : "";
}

static int put_switch(struct conversion *c, const CompactSched *s, size_t i,
		      const struct ftrace_place *at)
{
	Perfetto__Protos__SchedSwitchFtraceEvent m =
		PERFETTO__PROTOS__SCHED_SWITCH_FTRACE_EVENT__INIT;
	struct ftrace_cpu *cpu = hash_table_get(&c->ftrace.cpus, &at->bundle->cpu);
	char prev[KTRACE_COMM_LEN] = "unknown";

	if (!cpu)
		return -ENOMEM;
	if (cpu->is_known)
		memcpy(prev, cpu->comm, sizeof(prev));
	m.prev_comm = prev;
	m.prev_pid = cpu->is_known ? cpu->tid : (__s32)IMPORT_WRITER_TID_UNKNOWN;
	m.prev_prio = cpu->is_known ? cpu->prio : 0;
	m.prev_state = s->switch_prev_state[i];
	m.next_comm = (char *)text_of(s, s->switch_next_comm_index[i]);
	m.next_pid = s->switch_next_pid[i];
	m.next_prio = s->switch_next_prio[i];
	cpu->is_known = true;
	cpu->tid = m.next_pid;
	cpu->prio = m.next_prio;
	strncpy(cpu->comm, m.next_comm, sizeof(cpu->comm) - 1);
	return ftrace_put(c, "sched_switch", &m.base, at);
}

static size_t least(const size_t *nr, size_t of)
{
	size_t min = nr[0];

	for (size_t i = 1; i < of; i++)
		min = nr[i] < min ? nr[i] : min;
	return min;
}

static int put_switches(struct conversion *c, const Bundle *b)
{
	const CompactSched *s = b->compact_sched;
	const size_t columns[] = {
		s->n_switch_timestamp, s->n_switch_prev_state, s->n_switch_next_pid,
		s->n_switch_next_prio, s->n_switch_next_comm_index,
	};
	const size_t nr = least(columns, sizeof(columns) / sizeof(*columns));
	struct ftrace_cpu *cpu = hash_table_find(&c->ftrace.cpus, &b->cpu);
	struct ftrace_place at = { .bundle = b, .tid = IMPORT_WRITER_TID_UNKNOWN };
	int ret = 0;

	if (cpu && b->lost_events)
		cpu->is_known = false;
	for (size_t i = 0; i < nr && !ret; i++) {
		at.stamp += s->switch_timestamp[i];
		ret = put_switch(c, s, i, &at);
	}
	return ret;
}

static int put_wakings(struct conversion *c, const Bundle *b)
{
	Perfetto__Protos__SchedWakeupFtraceEvent m =
		PERFETTO__PROTOS__SCHED_WAKEUP_FTRACE_EVENT__INIT;
	const CompactSched *s = b->compact_sched;
	const size_t columns[] = {
		s->n_waking_timestamp, s->n_waking_pid, s->n_waking_target_cpu, s->n_waking_prio,
		s->n_waking_comm_index,
	};
	const size_t nr = least(columns, sizeof(columns) / sizeof(*columns));
	struct ftrace_place at = { .bundle = b, .tid = IMPORT_WRITER_TID_UNKNOWN };
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++) {
		at.stamp += s->waking_timestamp[i];
		at.flags = i < s->n_waking_common_flags ? s->waking_common_flags[i] : 0;
		m.comm = (char *)text_of(s, s->waking_comm_index[i]);
		m.pid = s->waking_pid[i];
		m.prio = s->waking_prio[i];
		m.target_cpu = s->waking_target_cpu[i];
		ret = ftrace_put(c, c->ftrace.has_wakeup ? "sched_waking" : "sched_wakeup",
				  &m.base, &at);
	}
	return ret;
}

int ftrace_put_compact(struct conversion *c, const Bundle *b)
{
	const int ret = b->compact_sched ? put_switches(c, b) : 0;

	return ret || !b->compact_sched ? ret : put_wakings(c, b);
}
