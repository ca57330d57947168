// SPDX-License-Identifier: LGPL-2.1
/*
 * log_end.c - completes a log: its status, what was lost, and room for that
 *
 * A log that cannot be completed cannot be opened. So where there is no room for its end events
 * give way, which are counted, but no names.
 */
#include "log_state.h"

/* How many were lost, by whom; once, at the end (PTRC-48). */
static int put_lost(struct posix_log *log, const struct posix_trace_status_info *status)
{
	struct ktrace_lost sum;
	__u64 newly = 0;

	for (int i = 0; i < KTRACE_LOST_NR; i++) {
		sum.count[i] = status->posix_stream_lost[i];
		newly += sum.count[i];
	}
	return newly ? ktrace_tracefile_lost(log->tf, log->stream, log->pos + log->used,
					     log->newest, &sum, newly) : 0;
}

/*
 * LOOP: what the round before has left is behind what is newer. Of that nothing stays that does
 * not follow without a gap.
 */
static void cut_last_round(struct posix_log *log, __u64 *records)
{
	for (size_t i = log->slot; i < log->slot_used; i++)
		if (log->slots[i].stream != log->stream) {
			ktrace_tracefile_cut(log->tf, log->slots[i].offset, records);
			return;
		}
}

/* Room for the end; no names are given up for it (PTRC-49). */
static int make_end_room(struct posix_log *log)
{
	__u64 records = 0;
	int ret = ktrace_tracefile_reserve(log->tf, log->text.len + LOG_END_SIZE);

	if (!ret)
		return 0;
	cut_last_round(log, &records);
	ret = ktrace_posix_log_say_names(log);
	if (!ret)
		ret = ktrace_tracefile_make_room(log->tf, log->text.len + LOG_END_SIZE,
						 log->content_at, &records);
	log->state.unwritten += records;
	log->state.is_overrun |= records;
	return ret;
}

/*
 * ktrace_posix_log_put_end - what a log ends with: its status
 * @known:	what the log had given up when @status was asked for
 *
 * Return: 0 or -errno.
 */
int ktrace_posix_log_put_end(struct posix_log *log, const struct posix_log_status *known,
			     const struct posix_trace_status_info *status)
{
	struct posix_trace_status_info s = *status;
	struct posix_log_end end = { .clock = log->clock };
	int ret = make_end_room(log);

	if (ret)
		return ret;
	end.log = log->state;
	end.log.is_overrun |= status->posix_log_overrun_status == POSIX_TRACE_OVERRUN;
	s.posix_stream_lost[KTRACE_LOST_OVERWRITTEN] += log->state.overwritten - known->overwritten;
	s.posix_stream_lost[KTRACE_LOST_UNWRITTEN] += log->state.unwritten - known->unwritten;
	ktrace_posix_meta_end(&log->text, &s, &end);
	ret = ktrace_posix_log_put_text(log);
	return ret ? ret : put_lost(log, &s);
}
