// SPDX-License-Identifier: GPL-2.0
/* losses.c - totals of losses, and what of them is not marked in packets */
#include "losses.h"

#include "convert.h"

#include <errno.h>

/* Causes in previous_packet_dropped */
enum { MARK_CORRUPTED = 4, MARK_OVERWRITTEN = 64 };

/* Limit for each count, so that sums of them do not overflow */
#define COUNT_MAX (1ull << 40)

/* Counts that the kernel's tracer keeps for each CPU */
enum { CPU_OVERRUN, CPU_DROPPED, CPU_COMMIT_OVERRUN, CPU_COUNTS };

static const int cpu_reasons[CPU_COUNTS] = {
	[CPU_OVERRUN] = KTRACE_LOST_OVERWRITTEN, [CPU_DROPPED] = KTRACE_LOST_FULL,
	[CPU_COMMIT_OVERRUN] = KTRACE_LOST_NESTED,
};

/*
 * struct cpu_losses - counts of a CPU; machine and cpu are the key
 * begin, end: at the start and at the end of the trace; has_begin, has_end: they are known
 * marked: losses already recorded because of marks of bundles; ts: time of the end
 */
struct cpu_losses {
	__u32 machine;
	__u32 cpu;
	__u64 begin[CPU_COUNTS];
	__u64 end[CPU_COUNTS];
	__u64 marked;
	__u64 ts;
	bool has_begin;
	bool has_end;
};

void losses_init(struct losses *l)
{
	*l = (struct losses){ .cpus = HASH_TABLE_INIT(struct cpu_losses, cpu) };
}

void losses_free(struct losses *l)
{
	hash_table_free(&l->cpus);
}

int losses_reason(__u32 mark)
{
	if (mark & MARK_OVERWRITTEN)
		return KTRACE_LOST_OVERWRITTEN;
	return mark & MARK_CORRUPTED ? KTRACE_LOST_CORRUPT : KTRACE_LOST_FULL;
}

void losses_event(struct losses *l, __u64 ts)
{
	if (!l->has_first || ts < l->first_ts)
		l->first_ts = ts;
	l->has_first = true;
}

static struct cpu_losses *get_cpu(struct losses *l, __u32 machine, __u32 cpu)
{
	const struct cpu_losses key = { .machine = machine, .cpu = cpu };

	return hash_table_get(&l->cpus, &key);
}

int losses_mark_cpu(struct losses *l, __u32 machine, __u32 cpu)
{
	struct cpu_losses *of = get_cpu(l, machine, cpu);

	if (!of)
		return -ENOMEM;
	of->marked++;
	return 0;
}

static __u64 limited(__u64 count)
{
	return count < COUNT_MAX ? count : COUNT_MAX;
}

/*
 * True if only ktrace's own recordings are in a buffer, and are complete: they come last, and what
 * was overwritten are copies of them for other readers.
 */
static bool is_copied(const struct conversion *c, const Perfetto__Protos__TraceStats *s, size_t i)
{
	bool has_any = false;

	for (size_t k = 0; k < s->n_writer_stats; k++) {
		const Perfetto__Protos__TraceStats__WriterStats *w = s->writer_stats[k];

		if (w->buffer != i)
			continue;
		if (!natives_are_whole(&c->natives, (__u32)w->sequence_id))
			return false;
		has_any = true;
	}
	return has_any;
}

/*
 * Each statistics packet of a session has running totals; smaller ones are those of another
 * session.
 */
void losses_take_buffers(struct conversion *c, const Perfetto__Protos__TraceStats *s)
{
	struct losses *l = &c->losses;
	__u64 now[KTRACE_LOST_NR] = { 0 };
	bool is_new = false;

	now[KTRACE_LOST_CORRUPT] = limited(s->chunks_discarded) + limited(s->patches_discarded) +
				   limited(s->invalid_packets);
	now[KTRACE_LOST_UNWRITTEN] = limited(s->packets_lost) + limited(s->packets_too_large);
	for (size_t i = 0; i < s->n_buffer_stats; i++) {
		const Perfetto__Protos__TraceStats__BufferStats *b = s->buffer_stats[i];

		if (!is_copied(c, s, i))
			now[KTRACE_LOST_OVERWRITTEN] += limited(b->chunks_overwritten);
		now[KTRACE_LOST_FULL] += limited(b->chunks_discarded) +
					 limited(b->trace_writer_packet_loss);
		now[KTRACE_LOST_CORRUPT] += limited(b->patches_failed) +
					    limited(b->abi_violations);
	}
	for (int i = 0; i < KTRACE_LOST_NR; i++)
		is_new |= now[i] < l->last[i];
	for (int i = 0; i < KTRACE_LOST_NR; i++) {
		l->total[i] = limited(l->total[i] + now[i] - (is_new ? 0 : l->last[i]));
		l->last[i] = now[i];
	}
	l->stated_ts = c->ts;
}

static void take_counts(__u64 *to, const Perfetto__Protos__FtraceCpuStats *s)
{
	to[CPU_OVERRUN] = s->overrun;
	to[CPU_DROPPED] = s->dropped_events;
	to[CPU_COMMIT_OVERRUN] = s->commit_overrun;
}

/* Of several recordings at once, which all count the same losses, uses the longest span. */
int losses_take_cpus(struct losses *l, __u32 machine, const Perfetto__Protos__FtraceStats *s,
		     __u64 ts)
{
	for (size_t i = 0; i < s->n_cpu_stats; i++) {
		const __u64 number = s->cpu_stats[i]->cpu;
		struct cpu_losses *cpu = get_cpu(l, machine, (__u32)number);

		if (!cpu)
			return -ENOMEM;
		if (s->phase == PERFETTO__PROTOS__FTRACE_STATS__PHASE__END_OF_TRACE) {
			take_counts(cpu->end, s->cpu_stats[i]);
			cpu->has_end = true;
			cpu->ts = ts;
		} else if (!cpu->has_begin) {
			take_counts(cpu->begin, s->cpu_stats[i]);
			cpu->has_begin = true;
		}
	}
	return 0;
}

static int put(struct conversion *c, int cpu, int reason, __u64 count, __u64 ts)
{
	if (!count)
		return 0;
	return spool_add(&c->spool, (struct spooled){ .ts = ts, .cpu = cpu, .reason = reason,
						      .lost = count }, NULL);
}

static int stream_of(__u32 cpu)
{
	return cpu < IMPORT_WRITER_CPUS ? (int)cpu : IMPORT_WRITER_CPUS;
}

int losses_put_cpu(struct conversion *c, __u32 cpu, int reason, __u64 count)
{
	return put(c, stream_of(cpu), reason, count, c->ts);
}

/* Takes marked losses off a total, as many as there are. */
static __u64 less(__u64 total, __u64 *marked)
{
	const __u64 off = total < *marked ? total : *marked;

	*marked -= off;
	return total - off;
}

/* Without the counts of the start, the tracer has counted from 0 on: it clears its buffers. */
static int put_cpu(struct conversion *c, struct cpu_losses *cpu)
{
	__u64 marked = cpu->marked;
	int ret = 0;

	for (int i = 0; cpu->has_end && i < CPU_COUNTS && !ret; i++) {
		const __u64 begin = cpu->begin[i], end = cpu->end[i];
		const __u64 count = limited(end > begin ? end - begin : 0);

		ret = put(c, stream_of(cpu->cpu), cpu_reasons[i], less(count, &marked), cpu->ts);
	}
	return ret;
}

/*
 * The oldest chunks are overwritten: these losses are before the first event. A mark without a
 * cause is one of a writer that lost packets, or of overwritten chunks.
 */
int losses_put(struct conversion *c)
{
	struct losses *l = &c->losses;
	__u64 full = less(l->total[KTRACE_LOST_FULL], &l->marked[KTRACE_LOST_FULL]);
	__u64 old = less(l->total[KTRACE_LOST_OVERWRITTEN], &l->marked[KTRACE_LOST_OVERWRITTEN]);
	__u64 bad = less(l->total[KTRACE_LOST_CORRUPT], &l->marked[KTRACE_LOST_CORRUPT]);
	int ret;

	old = less(old, &l->marked[KTRACE_LOST_FULL]);
	full = less(full, &l->marked[KTRACE_LOST_OVERWRITTEN]);
	ret = put(c, -1, KTRACE_LOST_OVERWRITTEN, old, l->first_ts);
	if (!ret)
		ret = put(c, -1, KTRACE_LOST_FULL, full, l->stated_ts);
	if (!ret)
		ret = put(c, -1, KTRACE_LOST_CORRUPT, bad, l->stated_ts);
	if (!ret)
		ret = put(c, -1, KTRACE_LOST_UNWRITTEN, l->total[KTRACE_LOST_UNWRITTEN],
			  l->stated_ts);
	for (size_t i = 0; i < l->cpus.nr && !ret; i++)
		ret = put_cpu(c, hash_table_at(&l->cpus, i));
	return ret;
}
